"""A trial: the gain of one system over another on the same sentences, and its interval over those of the test."""

from collections.abc import Sequence

from sstag.experiments.corpora import Corpora
from sstag.experiments.fitting import judged
from sstag.experiments.mann2008.labelled_words import HEURISTIC
from sstag.experiments.mann2008.system_list import SYSTEMS
from sstag.experiments.mann2008.systems import _Learned, best
from sstag.experiments.mann2008.texts import texts
from sstag.experiments.over_sentences import gain_of
from sstag.experiments.trials import Row


def compared(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    corpus: str,
    made: Sequence[int],
    pair: Sequence[str],
    raw: int,
    instances: int,
    draw: int,
) -> list[Row]:
    """The gain in accuracy of the first of a pair, with a set of words and their usual labels."""
    data = texts(corpora, corpus, made)
    learned = _Learned(data, raw, instances, 1, True, HEURISTIC, draw)
    found = []
    for system in pair:
        own = {name: best(needed, what) for name, what in SYSTEMS[system].chosen.items()}
        model, _ = learned.by(system, own)
        found.append(judged(model, data.test))
    ours, theirs = found
    return [{"over test": gain_of(ours, theirs, "accuracy")}]
