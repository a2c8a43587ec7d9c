"""The grid of M08: the sizes of each corpus, the settings of the rows of its tables, and the trials of all rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from sstag.experiments.corpora import Corpora
from sstag.experiments.mann2008 import held_shares
from sstag.experiments.mann2008.labelled_words import ALL, HEURISTIC
from sstag.experiments.mann2008.system_list import (
    GE,
    GE_SIMILAR,
    L2_OF_HK06,
    OWN,
    REGULARISED,
    SIMILAR,
    STRONG,
    SUPERVISED,
    SYSTEMS,
    TUNED,
    UNDER_RULES,
)
from sstag.experiments.mann2008.texts import ADS, CITATIONS, FILES, SEMINARS
from sstag.experiments.mann2008.under_rules import CALLED
from sstag.experiments.trials import Row, Trial

WHERE = "sstag.experiments.mann2008.systems"
UNDER, SHARES = "sstag.experiments.mann2008.under_rules", "sstag.experiments.mann2008.held_shares"
ONCE = 1  # the draw of what is not drawn


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """How large everything is on a corpus, in sentences; the last of `raw` is all there is."""

    corpus: str
    made: tuple[int, ...] = ()  # of generated text: to train on, to choose by, to test on, raw
    raw: tuple[int, ...]
    instances: tuple[int, ...] = (10, 25, 100)  # labelled sentences of Tables 3 and 4
    curve: tuple[int, ...] = (1, 2, 5, 10, 25, 50, 100)  # and of Figure 2
    samples: tuple[str, ...] = ("1", "2", "5", "10", "100")  # occurrences of a word that are looked at
    sets: tuple[int, ...] = (1, 2, 3)
    punctuation: tuple[bool, ...] = (True, False)  # with what is no word or number, and without
    values: Mapping[str, tuple[float, ...]] = field(default_factory=lambda: VALUES)  # of what is chosen
    draws: int = 10
    choosing_draws: int = 5
    speed: float = 1.0  # of a trial, as against citations

    @property
    def files(self) -> tuple[str, ...]:
        return FILES.get(self.corpus, ())


VALUES: Mapping[str, tuple[float, ...]] = {
    "l2": (0.01, 0.03, 0.1, 0.3, 1.0, 3.0),
    "λ": (0.3, 1.0, 3.0, 10.0, 30.0, 100.0),
    L2_OF_HK06: (0.3, 1.0, 3.0, 10.0, 30.0, 100.0),
    "γ": (1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 1e-2, 1e-1),
}
REAL = (
    Sizes(
        corpus=CITATIONS,
        raw=(100, 1_000),
        curve=(1, 2, 5, 10, 25, 50, 100, 300),
    ),
    Sizes(corpus=SEMINARS, raw=(100,), punctuation=(True,), choosing_draws=3),
)
GENERATED = {
    "full": Sizes(
        corpus=ADS,
        made=(300, 100, 100, 500),
        raw=(100, 500),
        curve=(1, 2, 5, 10, 25, 50, 100, 300),
        punctuation=(True,),
    ),
    "smoke": Sizes(
        corpus=ADS,
        made=(20, 5, 10, 12),
        raw=(12,),
        instances=(2,),
        curve=(2, 5),
        samples=("1",),
        sets=(1, 2),
        values=dict.fromkeys(VALUES, (0.1, 1.0)),
        draws=2,
        choosing_draws=1,
        speed=20.0,
    ),
}


def corpora_of(scale: str, corpora: Corpora) -> list[Sizes]:
    """The sizes of the corpora that are there, and those of generated ads."""
    found = [one for one in REAL if scale == "full" and not corpora.absent(one.files)]
    return [*found, GENERATED[scale]]


def trials(sizes: Sizes) -> list[Trial]:
    """Every trial on a corpus, each once."""
    base: Row = {"corpus": sizes.corpus, "made": list(sizes.made)}
    chosen = _choosing(sizes, base)
    rows = {tuple(one.items()): one for one in _rows(sizes)}
    words = [
        Trial("sstag.experiments.mann2008.words_told:told", {**base, "sets": k, "punctuation": p}, sizes.files)
        for k in sizes.sets
        for p in sizes.punctuation
    ]
    usual = Trial(f"{WHERE}:usual", base, sizes.files)
    run = [
        Trial(f"{WHERE}:run", {**base, **one}, sizes.files, _needed(chosen, one), _cost(sizes, one))
        for one in rows.values()
    ]
    ruled = [
        Trial(f"{UNDER}:run", {**base, **one}, sizes.files, _needed(chosen, one), _cost(sizes, one))
        for name, instances in product(CALLED, sizes.instances)
        for one in _said(sizes, name, instances)
        if one["raw"] in (0, sizes.raw[-1])
    ]
    held = [
        Trial(f"{SHARES}:run", {**base, **one}, sizes.files, chosen[:1], _cost(sizes, {**one, "system": REGULARISED}))
        for one in _held(sizes)
    ]
    return [*chosen, *words, usual, *run, *ruled, *held]


def gain_over_test(sizes: Sizes) -> Trial:
    """The trial of one gain over the sentences of the test: expectation over similar words alone, few labelled."""
    base: Row = {"corpus": sizes.corpus, "made": list(sizes.made)}
    row: Row = {"pair": [GE_SIMILAR, SIMILAR], "raw": sizes.raw[-1], "instances": sizes.instances[0], "draw": ONCE}
    needed = _needed(_choosing(sizes, base), {**row, "system": GE_SIMILAR})
    where = "sstag.experiments.mann2008.over_test:compared"
    return Trial(where, {**base, **row}, sizes.files, needed, 10.0 / sizes.speed)


def _choosing(sizes: Sizes, base: Row) -> list[Trial]:
    """The trials that choose parameters. All others are chosen after l2, and γ for each size of the raw text."""
    made: list[Trial] = []
    for what, (system, _) in TUNED.items():
        sizes_of_raw = sizes.raw if what == "γ" else sizes.raw[:1]
        for raw in sizes_of_raw if SYSTEMS[system].raw else (0,):
            settings: Row = {
                "what": what,
                "values": list(sizes.values[what]),
                "raw": raw,
                "draws": list(range(1, sizes.choosing_draws + 1)),
            }
            cost = len(sizes.values[what]) * sizes.choosing_draws * (0.5 + 4 * raw / 1000) / sizes.speed
            made.append(Trial(f"{WHERE}:tuned", {**base, **settings}, sizes.files, made[:1], cost))
    return made


def _needed(chosen: Sequence[Trial], row: Row) -> list[Trial]:
    """The trials that choose the parameters of a row."""
    wanted = set(SYSTEMS[row["system"]].chosen.values())
    found = [one for one in chosen if one.settings["what"] in wanted]
    return [one for one in found if one.settings["what"] != "γ" or one.settings["raw"] == row["raw"]]


def _rows(sizes: Sizes) -> Iterator[Row]:
    """The settings of each row of the tables, draw by draw."""
    for name, system in SYSTEMS.items():
        for instances in sizes.instances if system.instances else ():
            yield from _said(sizes, name, instances)
        for sets in sizes.sets if system.words and system.listed and not system.own else ():
            yield from _said(sizes, name, 0, sets)
    for instances in sizes.curve:
        for name in (SUPERVISED, GE, UNDER_RULES, SIMILAR):
            yield from _said(sizes, name, instances)
    for instances in sizes.instances:
        yield from _said(sizes, GE, instances, targets=ALL)
        yield from _said(sizes, OWN, instances, targets=ALL)
        for targets in (HEURISTIC, ALL):
            yield from _said(sizes, GE, instances, sizes.sets[-1], targets=targets)
    for name, sets in product((GE, STRONG), sizes.sets):
        for targets, punctuation in product((HEURISTIC, ALL), sizes.punctuation):
            yield from _said(sizes, name, 0, sets, punctuation, targets)
        for targets in sizes.samples:
            yield from _said(sizes, name, 0, sets, targets=targets)


def _held(sizes: Sizes) -> Iterator[Row]:
    """The settings of each row about shares, with all raw sentences."""
    for system, instances, draw in product(held_shares.WAYS, sizes.instances, range(1, sizes.draws + 1)):
        yield {"system": system, "raw": sizes.raw[-1], "instances": instances, "draw": draw}


def _said(
    sizes: Sizes,
    name: str,
    instances: int,
    sets: int = 1,
    punctuation: bool = True,
    targets: str = HEURISTIC,
) -> Iterator[Row]:
    system = SYSTEMS[name]
    for count in (sizes.raw[:1] if system.few else sizes.raw) if system.raw else (0,):
        drawn = instances or targets not in (HEURISTIC, ALL) or (system.raw and count < sizes.raw[-1])
        for draw in range(1, sizes.draws + 1) if drawn else (ONCE,):
            yield {
                "system": name,
                "raw": count,
                "instances": instances,
                "sets": sets if system.words else 0,
                "punctuation": punctuation,
                "targets": targets if system.words else "",
                "draw": draw,
            }


def _cost(sizes: Sizes, settings: Row) -> float:
    raw: int = settings["raw"]
    return (SYSTEMS[settings["system"]].seconds * raw / 1000 + 0.3) / sizes.speed
