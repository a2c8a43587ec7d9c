"""Learning curves of two strategies: exact entropy, and that of the n best labellings."""

from collections.abc import Sequence

from sstag.experiments.corpora import Corpora
from sstag.experiments.fitting import CLIMBED
from sstag.experiments.mann2007.texts import text_and_template
from sstag.experiments.simulated import curve
from sstag.experiments.trials import Row
from sstag.selection.simulation.annotator import Annotator
from sstag.selection.simulation.rounds import TOKENS, Scene
from sstag.selection.simulation.variant import variant
from sstag.selection.strategies import CHANCE

EXACT, N_BEST = "entropy", "n-best-entropy"
STRATEGIES = (CHANCE, EXACT, N_BEST)


def learned(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    corpus: str,
    sizes: tuple[int, int],
    totals: Sequence[int],
    strategy: str,
    draw: int,
) -> list[Row]:
    """The rounds of one strategy."""
    pool, test, how = text_and_template(corpora, corpus, *sizes, draw)
    scene = Scene(how, Annotator(pool, how.label), parameters=CLIMBED)
    return curve(scene, variant(strategy, draw).wish, totals, TOKENS, test)
