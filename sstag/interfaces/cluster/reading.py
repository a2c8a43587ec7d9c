"""Raw text that the workers of a cluster read themselves, from files that they and the client reach."""

from collections.abc import Callable, Sequence

from sstag.corpus import volumes
from sstag.corpus.layout import Layout
from sstag.corpus.reading import read_files
from sstag.corpus.stretches import FileIndex, FileSummary, Known, Stretch, check_indexed, indexed, read_volume
from sstag.corpus.volumes import LargeText, Text, Volume, check_columns, head_of
from sstag.foundation.errors import DataError
from sstag.interfaces.cluster.shelf import Cluster, OnCluster, Parcel


def read_by_workers(
    cluster: Cluster,
    paths: Sequence[str],
    layout_of: Callable[[str], Layout],
    but: str | None,
    tell: Callable[[str], None],
) -> Text:
    """Some files as one text, in volumes that the workers have; a text of one volume is read here."""
    layouts = [layout_of(path) for path in paths]
    for layout, path in zip(layouts, paths, strict=True):
        check_indexed(layout, path)
    client = cluster.client
    files = [client.submit(indexed, *one, pure=False) for one in zip(paths, layouts, strict=True)]
    found = cluster.gathered(lambda: [client.submit(FileIndex.without_places, one, pure=False) for one in files])
    for number, one in enumerate(found):
        if not one.sentences:
            raise DataError("no sentence in it", paths[number])
        check_columns(paths, [each.columns for each in found[: number + 1]], but)
    tokens = sum(one.tokens for one in found)
    if tokens <= volumes.VOLUME:
        return read_files(paths, layout_of, but)
    starts = [sum(one.tokens for one in found[:number]) for number in range(len(found))]
    places = cluster.gathered(
        lambda: [
            client.submit(FileIndex.stretches, one, number, starts[number], volumes.VOLUME, pure=False)
            for number, one in enumerate(files)
        ]
    )
    head = head_of(paths, [one.columns for one in found], _united(found), [one.digest for one in found])
    shelf = _shelf(cluster, [one for some in places for one in some], layouts, paths, Known(head))
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


def _read(stretches: Sequence[Stretch], layouts: Sequence[Layout], paths: Sequence[str], known: Parcel) -> Parcel:
    assert isinstance(known.thing, Known)
    return Parcel(read_volume(stretches, layouts, paths, known.thing))


def _shelf(
    cluster: Cluster, stretches: Sequence[Stretch], layouts: Sequence[Layout], paths: Sequence[str], known: Known
) -> OnCluster[Volume]:
    """The volumes, neighbours with one worker."""
    of_volume: dict[int, list[Stretch]] = {}
    for one in stretches:
        of_volume.setdefault(one.first // volumes.VOLUME, []).append(one)
    workers, common = cluster.workers, cluster.lasting(known)
    futures = [
        cluster.client.submit(
            _read,
            some,
            layouts,
            paths,
            common,
            workers=[workers[place * len(workers) // len(of_volume)]],
            allow_other_workers=True,
            pure=False,
        )
        for place, some in enumerate(of_volume.values())
    ]
    return OnCluster(cluster, futures)
