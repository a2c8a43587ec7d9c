"""Biases of labels with which the expected shares of labels in a text are those that are known; nothing is trained.

    p_b(y|x) ∝ exp(score(y) + Σ_t b_{y_t})
    maximise  Σ_l N p̂(l) b_l − Σ_i log Z_b(i)        ∂/∂b_l = N (p̂(l) − p̃(l))

with p̃(l) the expected share of l among the N tokens; b_l = 0 for labels whose share is not known. The criterion is
concave, so the biases are the only ones, and p_b is of all distributions with these shares the nearest to p (in
Kullback-Leibler divergence). Label regularisation reaches such shares by other weights; this is its threshold alone.
Cost: a forward and a backward pass over the text for each of about ten steps.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.foundation.arrays import Floats
from sstag.foundation.errors import ConfigError
from sstag.foundation.parallel import Over
from sstag.foundation.sums import in_order
from sstag.knowledge.known_shares import KnownShares
from sstag.model.model import HMM, RULED_HMM, Model
from sstag.training.optimiser.lbfgs import maximised
from sstag.training.shares_found import NEARLY, SharesFound, shares_found

CLOSE = 1e-4  # how near the shares come
FARTHEST = 50.0  # a bias that a share cannot need
EVENLY = 0.95  # of the tokens without the most frequent label are found already, where no label has most tokens


@dataclass(frozen=True)
class Matched:
    """A model with biases, the shares of its labels before and after, and those that were to be."""

    model: Model
    before: Floats  # (L,)
    after: Floats
    wanted: Floats  # NaN for labels whose share is not known

    @property
    def beside(self) -> SharesFound:
        """The known shares beside those that were found; of labels without one, what was found.

        Where no label is to have most tokens, they are compared by the label that was found most often.
        """
        given = np.where(np.isnan(self.wanted), self.before, self.wanted)
        beside = shares_found(self.model.labels, given, self.before, None)
        if beside.told:
            return beside
        label = int(self.before.argmax())
        found, wanted = float(1 - self.before[label]), float(1 - given[label])
        return replace(beside, label=self.model.labels[label], given=wanted, found=found)

    @property
    def warning(self) -> str | None:
        """A warning if the shares tell the model hardly anything that it does not find by itself."""
        beside = self.beside
        most, where = (NEARLY, "") if beside.told else (EVENLY, " where no label has most tokens")
        if beside.ratio <= most:
            return None
        return (
            f"matching shares gains little here and may cost: {100 * beside.found:.1f} % of the tokens are found not "
            f"'{beside.label}' without it, and {100 * beside.given:.1f} % should be ({beside.ratio:.2f} of it; up to "
            f"about {most} it pays{where}), unless these shares are surer than those of the sentences that it was "
            "trained on"
        )


def matched(
    model: Model, corpus: Corpus, known: KnownShares, over: Over, tell: Callable[[int, float], None]
) -> Matched:
    """The model with biases by which a text has the known shares; it hears of each step and of how far they are."""
    place = np.array([model.labels.index(label) for label in known.shares])
    share = np.array([*known.shares.values()])
    data, tokens, count = model.dataset(corpus), corpus.tokens, len(model.labels)
    start = np.zeros(count) if model.biases is None else model.biases
    found: list[Floats] = []

    def value(bias: Floats) -> tuple[float, Floats]:
        biases = start.copy()
        biases[place] += bias
        answers = replace(model, biases=biases).asked(
            data, over, lambda batch, lattice: (float(lattice.log_z.sum()), lattice.nodes.sum(axis=0))
        )
        shares = np.sum([nodes for _, nodes in answers], axis=0) / tokens
        found.append(shares)
        away = share - shares[place]
        tell(len(found), float(np.abs(away).max()))
        return float(share @ bias) - in_order(log_z for log_z, _ in answers) / tokens, away

    optimum = maximised(value, np.zeros(len(place)), gradient_tolerance=CLOSE, value_tolerance=0.0, max_iterations=200)
    if np.abs(optimum.theta).max() > FARTHEST:
        label = model.labels[int(place[np.abs(optimum.theta).argmax()])]
        raise ConfigError(f"no bias gives '{label}' the share {known.shares[label]:g} in this text", known.path)
    biases = start.copy()
    biases[place] += optimum.theta
    wanted = np.full(count, np.nan)
    wanted[place] = share
    value(optimum.theta)
    return Matched(replace(model, biases=biases), found[0], found[-1], wanted)


def refuse_probabilities(model: Model) -> None:
    """Raises an error for a model whose scores are probabilities of text, which biases would change."""
    if model.kind in (HMM, RULED_HMM):
        raise ConfigError("the scores of an HMM are probabilities, which it would not keep with biases: tag alone")
