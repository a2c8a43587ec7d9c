"""Representations of words as features of every method: clusters, vectors and encoders, alone, together, on top."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from sstag.experiments.corpora import Corpora
from sstag.experiments.plan import uninstalled
from sstag.experiments.representations import fine_tuned
from sstag.experiments.representations.alone import alone
from sstag.experiments.representations.biases import biases
from sstag.experiments.representations.choices import WITH_ENCODERS, WITHOUT_ENCODERS, choices, occurring_once
from sstag.experiments.representations.claims import claims
from sstag.experiments.representations.eyes import (
    CLUSTERS,
    ENCODED,
    GLOVE_BROWN,
    MINILM,
    OWN_BOTH,
    SPELLINGS,
    SYSTEMS,
    WITHOUT,
)
from sstag.experiments.representations.made import making
from sstag.experiments.representations.on_top import NO_LISTS, WAYS, on_top
from sstag.experiments.representations.tasks import ADS, CITATIONS, GENES, JAPANESE, NAMES, WEB
from sstag.experiments.trials import Experiment, Section

TITLE = "Eyes: clusters, vectors and encoders as features"
SIZES = (10, 25, 50, 100, 200, 500)
FEWER = (25, 50, 100, 200, 500)
DRAWS = 10
ENGLISH = [name for name in SYSTEMS if name != WITHOUT[-1]]  # what is tried on English texts other than names


FINE_TUNING = ("torch", "transformers")  # packages


def experiment(scale: str, corpora: Corpora) -> Experiment:
    """Every corpus with every representation; generated ads, and what is made of them, where files are absent."""
    if scale == "smoke":
        return Experiment(TITLE, _generated())
    missing = uninstalled(FINE_TUNING, corpora)
    parts = _real(not missing)
    absent = corpora.absent(dict.fromkeys(file for part in parts for file in _files(part)))
    there = [part for part in parts if not corpora.absent(_files(part))]
    return Experiment(TITLE, [*there, claims([*there]), *(_generated() if absent else [])], absent, left_out=missing)


def _files(part: Section) -> Sequence[str]:
    """The files that a section wants."""
    return [file for trial in part.trials for file in trial.data]


def _real(fine_tuning: bool) -> list[Section]:
    of_names = (NAMES, SIZES, list(SYSTEMS), DRAWS, WITHOUT)
    trials = fine_tuned.trials(NAMES, MINILM, "minilm", {100: DRAWS, 500: 3})
    tuned = [replace(trial, packages=FINE_TUNING) for trial in trials]
    beside = partial(fine_tuned.report, NAMES, [SPELLINGS, MINILM, ENCODED])
    return [
        alone(*of_names, tuned, beside) if fine_tuning else alone(*of_names),
        alone(GENES, FEWER, ENGLISH, DRAWS, WITHOUT[:4]),
        alone(CITATIONS, (10, 25, 50, 100, 200), ENGLISH, DRAWS, WITHOUT[:-1]),
        alone(JAPANESE, FEWER, WITHOUT[:4], DRAWS, WITHOUT[:4]),
        alone(WEB, FEWER, ENGLISH, DRAWS, WITHOUT[:5]),
        on_top(NAMES, [SPELLINGS, GLOVE_BROWN, ENCODED], ENCODED, (100,), DRAWS, list(WAYS)),
        on_top(GENES, [SPELLINGS, OWN_BOTH], OWN_BOTH, (100,), DRAWS, list(WAYS)),
        on_top(CITATIONS, [SPELLINGS, GLOVE_BROWN], GLOVE_BROWN, (25,), DRAWS, list(WAYS)),
        on_top(JAPANESE, [SPELLINGS, OWN_BOTH], OWN_BOTH, (100,), DRAWS, NO_LISTS),
        on_top(WEB, [SPELLINGS, GLOVE_BROWN], GLOVE_BROWN, (100,), DRAWS, list(WAYS)),
        biases(NAMES, [SPELLINGS, GLOVE_BROWN, ENCODED], 100, DRAWS),
        biases(GENES, [SPELLINGS, OWN_BOTH], 100, DRAWS),
        biases(CITATIONS, [SPELLINGS, GLOVE_BROWN], 25, DRAWS),
        biases(JAPANESE, [SPELLINGS, OWN_BOTH], 100, DRAWS),
        biases(WEB, [SPELLINGS, GLOVE_BROWN], 100, DRAWS),
        choices(NAMES, {**WITHOUT_ENCODERS, **WITH_ENCODERS}, (25, 100, 200), 5),
        occurring_once(NAMES, GLOVE_BROWN),
        making([NAMES, GENES, CITATIONS, JAPANESE, WEB], CLUSTERS),
    ]


def _generated() -> list[Section]:
    """Sections that need no file: ads, with clusters and vectors that are made of them."""
    return [
        alone(ADS, (5, 10), WITHOUT[:4], 2, WITHOUT[:1]),
        on_top(ADS, [OWN_BOTH], OWN_BOTH, (5,), 2, list(WAYS)),
        biases(ADS, [OWN_BOTH], 5, 2),
    ]
