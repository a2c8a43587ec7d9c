"""Scales of a measurement: the whole, or a part that takes a minute."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """Sizes and numbers of runs."""

    name: str  # of the files with the results
    aims: bool  # whether the targets hold for it
    runs: int  # of each side
    few: int  # runs of each side where a run is long
    passes: int  # iterations in a run
    sentences: int | None  # of each corpus, None for all of it
    repeated: int  # tokens of the corpus repeated
    commands: int  # runs of a command that does next to nothing
    tokens: tuple[int, ...]  # sizes by which growth is measured
    labels: tuple[int, ...]
    attributes: tuple[int, ...]
    raw: int  # tokens of raw text that a training looks at
    extracted: int  # tokens held in memory together
    longest: int  # tokens of one sentence
    streamed: int  # bytes


FULL = Scale(
    name="bench",
    aims=True,
    runs=5,
    few=3,
    passes=15,
    sentences=None,
    repeated=1_500_000,
    commands=10,
    tokens=(10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 640_000, 1_000_000),
    labels=(4, 8, 16, 32, 64, 128, 256, 512),
    attributes=(1, 2, 4, 8, 16, 24, 32, 50),
    raw=1_000_000,
    extracted=10_000_000,
    longest=100_000,
    streamed=10**9,
)
QUICK = Scale(
    name="quick",
    aims=False,
    runs=2,
    few=1,
    passes=5,
    sentences=1000,
    repeated=100_000,
    commands=3,
    tokens=(4_000, 8_000, 16_000, 32_000, 64_000),
    labels=(4, 8, 16, 32),
    attributes=(1, 2, 4, 8),
    raw=20_000,
    extracted=100_000,
    longest=10_000,
    streamed=10**6,
)
