"""The list that trainings learn from, as people read it: a line for a feature, and one for a term of a gazetteer."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

from sstag.corpus.text.json_keys import an_object
from sstag.foundation.json_values import Json
from sstag.interfaces.annotate.knowledge import Knowledge, Line
from sstag.interfaces.annotate.suggester import DIGITS

SIDES = ("before", "after")


def lines_json(known: Knowledge, effects: Json, in_words: Callable[[str], str]) -> list[Json]:
    """The lines of the list as the API has them, with what each of them changed.

    A term of several words is learned from as a feature of each word; these are one line.
    """
    effect_of = an_object(effects, "effects") if effects else {}

    def of_term(line: Line) -> object:
        return (line.by, line.term) if line.term is not None else line.feature

    result: list[Json] = []
    for _, run in groupby(known.lines.values(), of_term):
        lines = [*run]
        line = lines[0]
        changed = [an_object(effect, "effect") for part in lines if (effect := effect_of.get(part.feature))]
        result.append(
            {
                "feature": line.feature,
                "features": [part.feature for part in lines],
                "says": in_words(line.feature) if line.term is None else f"“{line.term}”",
                "said": line.said,
                "by": line.by,
                "effect": _together(changed) if changed else None,
            }
        )
    return result


def _together(effects: Sequence[Mapping[str, Json]]) -> Json:
    """The effect of several features: the means of their shares, weighted by their occurrences."""
    if len(effects) == 1:
        return dict(effects[0])
    result: dict[str, Json] = {"occurrences": max(int(str(effect["occurrences"])) for effect in effects)}
    for side in SIDES:
        sums: Counter[str] = Counter()
        total = 0
        for effect in effects:
            if (shares := effect[side]) is not None:
                times = int(str(effect["occurrences"]))
                total += times
                sums.update({label: times * float(str(share)) for label, share in an_object(shares, side).items()})
        result[side] = {label: round(share / total, DIGITS) for label, share in sums.most_common()} if total else None
    return result
