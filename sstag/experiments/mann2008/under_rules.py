"""A trial: a system of M08 whose tagger keeps the rules of its corpus, too, and labels under them.

What a rule costs is learned from the labelled sentences that the system has (`sstag train --rules`).
"""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from sstag.experiments.corpora import Corpora, shipped_text
from sstag.experiments.fitting import ALONE
from sstag.experiments.mann2008.system_list import GE_SIMILAR, RULES, SIMILAR, SYSTEMS
from sstag.experiments.mann2008.systems import _counted, _Learned, best
from sstag.experiments.mann2008.texts import texts
from sstag.experiments.trials import Row
from sstag.training.inputs import Inputs
from sstag.training.ruled import ruled

CALLED = {name: f"{name}, under rules" for name in (SIMILAR, GE_SIMILAR)}  # systems with rules, too


def run(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    corpus: str,
    made: Sequence[int],
    system: str,
    raw: int,
    instances: int,
    sets: int,
    punctuation: bool,
    targets: str,
    draw: int,
) -> list[Row]:
    """The figures of a system that labels under rules, on the test."""
    data = texts(corpora, corpus, made)
    own = {name: best(needed, what) for name, what in SYSTEMS[system].chosen.items()}
    learned = _Learned(data, raw, instances, sets, punctuation, targets, draw)
    model, _ = learned.by(system, own)
    with TemporaryDirectory() as folder:
        path = Path(folder, "rules.yaml")
        path.write_text(shipped_text(f"rules/{RULES[corpus]}"), encoding="utf-8")
        under = ruled(model, Inputs(model.template, learned.labelled), str(path), ALONE)
    return [{**_counted(under, data.test), "chosen": own, "system": CALLED[system]}]
