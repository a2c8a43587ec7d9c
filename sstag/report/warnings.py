"""What may not be as it was meant, a line each."""

from collections.abc import Iterator

from sstag.evaluation import Evaluation
from sstag.labels import Marks
from sstag.report.tables import counted
from sstag.tags import CONLLEVAL

MOST = 10  # of a kind


def warnings(gold: str, predicted: str, one: Evaluation, marks: Marks) -> Iterator[str]:
    """Labels that are never predicted, that are no tags, or that contain a mark; by the names of the two files."""
    tag = "tag that conlleval knows" if one.tags.scheme == CONLLEVAL else f"{one.tags.scheme.upper()} tag"
    never = [
        f"'{name}' stands in GOLD only ({counted(n, 'token')}): never predicted in {predicted}"
        for name, n in one.gold_only.items()
    ]
    no_tags = [
        [f"'{name}' is no {tag} ({counted(times, 'token')}): outside every chunk" for name, times in strangers.items()]
        for strangers in one.strangers
    ]
    read_as_it_is = [
        [f"the {side} label '{name}' contains a mark, and was read as it is" for name in labels]
        for side, labels in (("gold", one.marked), ("predicted", filter(marks.within, one.found)))
    ]
    for messages in (never, no_tags[0], read_as_it_is[0]):
        yield from _first(gold, messages)
    for messages in (no_tags[1], read_as_it_is[1]):
        yield from _first(predicted, messages)


def _first(path: str, messages: list[str]) -> Iterator[str]:
    yield from (f"{path}: {message}" for message in messages[:MOST])
    if len(messages) > MOST:
        yield f"{path}: and {len(messages) - MOST:,} more labels like this"
