"""The request that the options of `sstag expectations` come to."""

from dataclasses import dataclass

from sstag.corpus.formats import Asked


@dataclass(frozen=True)
class Proposing:
    """A request for features, and for what to say of each."""

    template: str
    train: tuple[str, ...]
    unlabeled: tuple[str, ...]
    asked: tuple[str, ...]
    listed: str | None
    like: str | None  # a list whose words others are to be like
    vectors: str | None
    way: str
    count: int
    least: int
    targets: str
    samples: int
    smoothing: float
    show: int
    seed: int
    marks: dict[str, str | None]
    read_as: Asked  # the format of the texts
