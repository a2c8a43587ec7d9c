"""Precision and recall as one label is found more or less often: by a bias of its score, or by what comes to the same.

P = Σ right / Σ found      R = Σ right / Σ gold      over the chunks, or over the tokens of all other plain labels
"""

from dataclasses import dataclass

from sstag.evaluation.scoring import Evaluation


@dataclass(frozen=True)
class CurvePoint:
    """The figures with one bias."""

    bias: float
    share: float  # of the tokens that have the label
    precision: float
    recall: float
    f1: float


def curve_point(bias: float, share: float, label: str, one: Evaluation) -> CurvePoint:
    """The figures of an evaluation, of all kinds but the label that is found more or less often."""
    kinds = [counts for kind, counts in one.by_kind.items() if kind != label]
    gold, found, right = (sum(counts[place] for counts in kinds) for place in range(3))
    return CurvePoint(
        bias=bias,
        share=share,
        precision=right / found if found else 0.0,
        recall=right / gold if gold else 0.0,
        f1=2 * right / (gold + found) if gold + found else 1.0,
    )


@dataclass(frozen=True)
class Curve:
    """The figures by the bias of a label."""

    label: str
    points: tuple[CurvePoint, ...]
