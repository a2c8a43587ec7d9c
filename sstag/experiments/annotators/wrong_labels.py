"""Which planted errors `sstag check --suspect` finds among its first suspects, beside cleanlab's method for tokens."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from sstag.experiments.annotators.combining import text
from sstag.experiments.annotators.people import Truth, with_confused_chunks, with_random_labels
from sstag.experiments.corpora import Corpora, shipped_template
from sstag.experiments.fitting import ALONE, percent, settings
from sstag.experiments.page import Block, Table
from sstag.experiments.spread import by_draw, spread
from sstag.experiments.trials import Row, Section, Trial
from sstag.foundation.arrays import Bools, Longs
from sstag.selection.suspects import OutOfFold, doubtful_tokens, out_of_fold
from sstag.training.inputs import Inputs
from sstag.training.run import Task

KINDS = {"random": with_random_labels, "confusable": with_confused_chunks}
SHARES = (5, 10)
FOLDS = 5
ITERATIONS = 50  # of each climb, near enough to the optimum to rank by
CHUNKS, TOKENS, CLEANLAB = "sstag, by chunk", "sstag, by token", "cleanlab, by token"
WAYS = (CHUNKS, TOKENS, CLEANLAB)
FIRST = (50, 200, 500)


def found(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    file: str | None,
    sentences: int,
    kind: str,
    share: int,
    draw: int,
    beside: bool,
) -> list[Row]:
    """Precision of the first suspects of each way, and the share of planted errors that are among them."""
    truth = text(corpora, file, sentences)
    codes = KINDS[kind](truth, share / 100, np.random.default_rng([draw, share]))
    wrong: Bools = codes != truth.codes
    template = shipped_template(f"templates/{'ner' if file else 'ads'}")
    task = Task(
        Inputs(template, truth.with_labels(codes)),
        "partial",
        settings("partial", max_iterations=ITERATIONS),
        draw,
    )
    asked = out_of_fold(task, FOLDS, ALONE, keep=True)
    errors = _errors(truth, wrong)
    looks: dict[str, list[slice]] = {
        CHUNKS: [slice(first, last + 1) for first, last in asked.places.tolist()],
        TOKENS: [slice(token, token + 1) for token in doubtful_tokens(asked).tolist()],
    }
    if beside:
        looks[CLEANLAB] = [slice(token, token + 1) for token in cleanlab_order(asked)]
    rows: list[Row] = []
    for way, places in looks.items():
        for first in (*FIRST, len(np.unique(errors[wrong]))):
            seen = places[:first]
            right = [bool(wrong[place].any()) for place in seen]
            hit = {int(error) for place in seen for error in errors[place] if error >= 0}
            rows.append(
                {
                    "way": way,
                    "first": first if first in FIRST else 0,
                    "precision": percent(sum(right) / len(right)) if seen else None,
                    "errors": percent(len(hit) / max(len(np.unique(errors[wrong])), 1)),
                }
            )
    return rows


def _errors(truth: Truth, wrong: Bools) -> Longs:
    """The number of the error that each token belongs to, neighbouring wrong tokens being one; -1: none."""
    begins = wrong.copy()
    begins[1:] &= ~wrong[:-1]
    starts = truth.corpus.offsets[:-1]
    begins[starts] = wrong[starts]
    return np.where(wrong, np.cumsum(begins) - 1, -1)


def cleanlab_order(asked: OutOfFold) -> list[int]:
    """The tokens that cleanlab finds to be wrong, in its order, by the same probabilities."""
    from cleanlab.token_classification.filter import find_label_issues

    assert asked.shares is not None
    offsets = asked.text.corpus.offsets.tolist()
    bounds = list(pairwise(offsets))
    single = asked.text.single
    labels = [single[begin:end].tolist() for begin, end in bounds]
    shares = asked.shares / asked.shares.sum(axis=1, keepdims=True)
    issues = find_label_issues(labels, [shares[begin:end] for begin, end in bounds], n_jobs=1)
    return [offsets[sentence] + place for sentence, place in issues]


def wrong_labels(file: str | None, scale: str, beside: bool) -> Section:
    """The trials of all kinds and shares of errors, and the tables on them."""
    sentences, draws = (1000, 2) if scale == "full" else (20, 1)
    trials = [
        Trial(
            f"{__name__}:found",
            {"file": file, "sentences": sentences, "kind": kind, "share": share, "draw": draw, "beside": beside},
            [file] if file else [],
            cost=30.0,
        )
        for kind in KINDS
        for share in SHARES
        for draw in range(1, draws + 1)
    ]

    def report(rows: list[Row]) -> Iterator[Block]:
        yield (
            f"Labels of {sentences:,} sentences are made wrong: *random*, a share of tokens with any other label; "
            "*confusable*, a share of chunks overlooked, of another type, or a token longer or shorter. The models are "
            f"those of {FOLDS} folds, and all ways have their probabilities. A suspect is right if a token in it is "
            "wrong; the last row of each table has as many suspects as there are errors."
        )
        if not beside:
            yield "cleanlab was not installed for this run (`pip install cleanlab`)."
        ways = [way for way in WAYS if beside or way != CLEANLAB]
        for figure, title in (
            ("precision", "Precision among the first"),
            ("errors", "Share of errors among the first"),
        ):
            lines = []
            for kind in KINDS:
                for share in SHARES:
                    for first in (*FIRST, 0):
                        cells = [
                            spread([*by_draw(rows, figure, kind=kind, share=share, way=way, first=first).values()])
                            for way in ways
                        ]
                        lines.append((f"{kind}, {share} %, first {first or 'as many as errors'}", *cells))
            yield Table(f"{title}, in %", ("", *ways), lines)

    return Section(trials, report)
