"""Raw text that the workers of a cluster read themselves, from files that they and the client reach."""

from collections.abc import Callable, Sequence
from itertools import chain

from sstag.corpus import volumes
from sstag.corpus.layout import Layout
from sstag.corpus.reading import read_files
from sstag.corpus.stretches import FileIndex, FileSummary, Known, Stretch, check_indexed, indexed, read_volume
from sstag.corpus.volumes import LargeText, Text, Volume, check_columns, head_of
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.files import STANDARD
from sstag.foundation.parallel import Over
from sstag.interfaces.cluster.common import Cluster
from sstag.interfaces.cluster.homes import Homes
from sstag.interfaces.cluster.shelf import first_shelf


def read_by_workers(
    cluster: Cluster,
    paths: Sequence[str],
    layout_of: Callable[[str], Layout],
    but: str | None,
    tell: Callable[[str], None],
) -> Text:
    """Some files as one text, in volumes that the workers have; a text of one volume is read here."""
    if STANDARD in paths:
        raise ConfigError("standard input cannot be shared among workers: say a FILE that they reach")
    layouts = [layout_of(path) for path in paths]
    for layout, path in zip(layouts, paths, strict=True):
        check_indexed(layout, path)
    files = first_shelf(cluster, Homes(len(paths), even=False), _indexed, paths, layouts)
    found = files.each(_without_places)
    for number, one in enumerate(found):
        if not one.sentences:
            raise DataError("no sentence in it", paths[number])
        check_columns(paths, [each.columns for each in found[: number + 1]], but)
    tokens = sum(one.tokens for one in found)
    if tokens <= volumes.VOLUME:
        return read_files(paths, layout_of, but)
    starts = [sum(one.tokens for one in found[:number]) for number in range(len(found))]
    of_volume: dict[int, list[Stretch]] = {}
    for stretch in chain.from_iterable(files.each(_stretches, starts, volumes.VOLUME)):
        of_volume.setdefault(stretch.first // volumes.VOLUME, []).append(stretch)
    head = head_of(paths, [one.columns for one in found], _united(found), [one.digest for one in found])
    places = [*of_volume.values()]
    shelf = first_shelf(cluster, Homes(len(places)), _read, places, layouts, paths, Known(head))
    text = LargeText(head, shelf, tokens, sum(one.sentences for one in found))
    tell(f"{head.path}: {tokens:,} tokens in {shelf.where}")
    return text


def _united(found: Sequence[FileSummary]) -> dict[str, list[str]]:
    """The distinct values of each column in all files, in the order of their first use."""
    values: dict[str, dict[str, None]] = {}
    for one in found:
        for name, own in zip(one.columns, one.values, strict=True):
            values.setdefault(name, {}).update(dict.fromkeys(own))
    return {name: list(own) for name, own in values.items()}


def _indexed(number: int, over: Over, paths: Sequence[str], layouts: Sequence[Layout]) -> tuple[int, FileIndex]:
    """A file by its number."""
    return number, indexed(paths[number], layouts[number])


def _without_places(file: tuple[int, FileIndex], over: Over) -> FileSummary:
    return file[1].without_places()


def _stretches(file: tuple[int, FileIndex], over: Over, starts: Sequence[int], most: int) -> list[Stretch]:
    number, index = file
    return index.stretches(number, starts[number], most)


def _read(
    number: int,
    over: Over,
    places: Sequence[Sequence[Stretch]],
    layouts: Sequence[Layout],
    paths: Sequence[str],
    known: Known,
) -> Volume:
    """A volume by its number."""
    return read_volume(places[number], layouts, paths, known)
