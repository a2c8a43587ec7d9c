"""The definition of each objective, written down over all label paths. A new objective needs a line in DEFINITIONS."""

from dataclasses import replace
from itertools import pairwise, permutations
from types import SimpleNamespace

import numpy as np
from scipy.optimize import minimize

from sstag.chain.chunk_automaton import KnownChunks
from sstag.chain.lattice import Lattice
from sstag.chain.potentials import Potentials
from sstag.features.incidence import Incidence
from sstag.knowledge.step_list import StepLine, classes
from sstag.model.dataset import Dataset
from sstag.training.objectives import LabelRegularizationParameters
from sstag.training.objectives.contract import Ground
from sstag.training.objectives.distillation import Distillation
from sstag.training.objectives.entropy import Entropy
from sstag.training.objectives.expectation import Expectation
from sstag.training.objectives.expected_shares import label_regularization
from sstag.training.objectives.feature_step_shares import ExpectationWithSteps, FeatureStepShares
from sstag.training.objectives.likelihood import Likelihood
from sstag.training.objectives.margin import Margin
from sstag.training.objectives.posterior import Posterior
from sstag.training.objectives.rejection import Rejection
from sstag.training.objectives.step_shares import StepShares
from tests import oracle


def likelihood(data, batches, potentials) -> float:
    """Σ ω (log Z_Λ − log Z)."""
    value = 0.0
    for batch, pot in zip(batches, potentials, strict=True):
        allowed = data.allowed[data.sets[batch.tokens]]
        difference = oracle.log_z(oracle.sentences(pot, allowed)) - oracle.log_z(oracle.sentences(pot))
        value += float(data.weights[batch.sentences] @ difference)
    return value


EXPECTATIONS = 3


def active(data) -> Incidence:
    """Expectations of a dataset that follow from its label sets: no, one or two of the first two; the third never."""
    has = np.array([data.sets % 2 == 0, data.sets % 3 == 1]).T
    indptr = np.concatenate([[0], np.cumsum(has.sum(axis=1))])
    return Incidence(indptr, np.nonzero(has)[1].astype(np.int32), None)


def expectation(data, distance="kl"):
    """An objective with expectations; the targets of the second have zeros where there is room for them."""
    labels = data.allowed.shape[1]
    targets = np.linspace(1.0, 3.0, EXPECTATIONS * labels).reshape(EXPECTATIONS, labels)
    targets[1, 1:] = 0.0
    targets /= targets.sum(axis=1, keepdims=True)
    names = tuple(f"expectation {m}" for m in range(EXPECTATIONS))
    return Expectation(
        targets=targets,
        strengths=np.array([0.7, 2.0, 1.0]),
        active=active(data),
        names=names,
        labels=tuple(map(str, range(labels))),
        distance=distance,
    )


def within_bounds(data, distance="kl"):
    """Expectations of which the first is exact, and the others are known within bounds."""
    made = expectation(data, distance)
    width = np.array([[0.0], [0.2], [0.1]])
    bounds = np.maximum(made.targets - width, 0.0), np.minimum(made.targets + 0.7 * width, 1.0)
    return replace(made, bounds=bounds)


def distances_from_bounds(data, batches, potentials, distance="kl") -> float:
    """−Σ λ min D(p̂ ‖ p̃) over the p̂ within bounds, p̃ from the probabilities of all paths."""
    made, value = within_bounds(data), 0.0
    for q, low, high, strength in zip(
        _totals(made, active(data), data, batches, potentials), *made.bounds, made.strengths, strict=True
    ):
        if q.sum() > 0:
            value -= strength * least_distance(q / q.sum(), low, high, distance)
    return value


def regularised(data):
    """Label regularisation towards the shares of three decided tokens, or more: the first label has two more."""
    labels = data.allowed.shape[1]
    sets = np.append(np.arange(labels), [0, 0]).astype(np.int32)
    nothing = Incidence(np.zeros(len(sets) + 1, np.int64), np.zeros(0, np.int32), None)
    decided = Dataset(np.array([0, len(sets)]), nothing, nothing, sets, np.eye(labels, dtype=bool))
    compiled = SimpleNamespace(labels=tuple(map(str, range(labels))), labelled=decided)
    corpus = SimpleNamespace(tokens=int(data.offsets[-1]))
    return label_regularization(
        LabelRegularizationParameters(strength=0.5, smoothing=0.0, errors=0.0), Ground(corpus, data, compiled), None
    )


def distances(data, batches, potentials, distance="kl") -> float:
    """−Σ λ KL(p̂ ‖ p̃) or −Σ λ ‖p̂ − p̃‖², from the probabilities of all paths."""
    return _distances(expectation(data), active(data), data, batches, potentials, distance)


def distance_from_shares(data, batches, potentials) -> float:
    """−λ Σ ω n KL(p̂ ‖ p̃), p̃ from the probabilities of all paths, p̂ of the labels 0 … L − 1 and two more times 0."""
    labels, tokens = data.allowed.shape[1], int(data.offsets[-1])
    every = Incidence(np.arange(tokens + 1), np.zeros(tokens, np.int32), None)
    target = np.array([[3.0, *[1.0] * (labels - 1)]]) / (labels + 2)
    counting = float(np.diff(data.offsets) @ data.weights)
    return _distances(
        SimpleNamespace(targets=target, strengths=[0.5 * counting]), every, data, batches, potentials, "kl"
    )


def _totals(made, has, data, batches, potentials):
    """q of each expectation, from the probabilities of all paths."""
    q = np.zeros_like(made.targets)
    for batch, pot in zip(batches, potentials, strict=True):
        omega = np.repeat(data.weights[batch.sentences], np.diff(pot.offsets))
        p = omega[:, None] * oracle.marginals(pot, oracle.sentences(pot)).unary
        for t in range(len(p)):
            at = batch.tokens.start + t
            for m in has.indices[has.indptr[at] : has.indptr[at + 1]]:
                q[m] += p[t]
    return q


def _distances(made, has, data, batches, potentials, distance) -> float:
    q, value = _totals(made, has, data, batches, potentials), 0.0
    for target, strength, total in zip(made.targets, made.strengths, q, strict=True):
        if total.sum() == 0:
            continue
        share = total / total.sum()
        if distance == "kl":
            pairs = [(a, b) for a, b in zip(target, share, strict=True) if a > 0]
            value -= strength * sum(a * np.log(a / b) if b > 0 else np.inf for a, b in pairs)
        else:
            value -= strength * sum((a - b) ** 2 for a, b in zip(target, share, strict=True))
    return float(value)


def entropy(gamma, per_token=False):
    """−γ Σ ω H, each H divided by the tokens if asked for."""

    def value(data, batches, potentials) -> float:
        total = 0.0
        for batch, pot in zip(batches, potentials, strict=True):
            omega = data.weights[batch.sentences] / (np.diff(pot.offsets) if per_token else 1.0)
            total += float(omega @ oracle.entropy(oracle.sentences(pot)))
        return -gamma * total

    return value


STEPS = {  # lines of a list, by the number of labels
    1: (("*", {"same": (0.9, 0.9)}),),
    2: (("*", {"same": (0.2, 0.4)}), ("1", {"0": (0.7, 0.7)})),
    3: (
        ("*", {"same": (0.6, 0.6), "0>1": (0.1, 0.1), "2>0": (0.0, 0.05)}),
        ("2", {"same": (0.8, 0.9), "1": (0.1, 0.1)}),
        ("0", {"1": (0.3, 0.4), "2": (0.3, 0.5)}),
    ),
}


def stepping(data, distance="kl"):
    """Shares of steps, some of them as bounds."""
    labels = tuple(map(str, range(data.allowed.shape[1])))
    lines = [StepLine(n, origin, shares, 1.0) for n, (origin, shares) in enumerate(STEPS[len(labels)])]
    strengths = np.array([0.8, 1.5, 1.0])[: len(lines)]
    names = tuple(f"line {n}" for n in range(len(lines)))
    return StepShares([classes(line, labels) for line in lines], strengths, names, distance)


def distances_of_steps(data, batches, potentials, distance="kl") -> float:
    """−Σ λ min D(p̂ ‖ p̃) over the p̂ within bounds, p̃ from the probabilities of all paths; the least by a search."""
    made = stepping(data)
    counts = np.zeros((data.allowed.shape[1],) * 2)
    for batch, pot in zip(batches, potentials, strict=True):
        for omega, one in zip(data.weights[batch.sentences], oracle.sentences(pot), strict=True):
            for p, y in zip(one.p, one.y, strict=True):
                np.add.at(counts, (y[:-1], y[1:]), omega * p)
    value = 0.0
    for line, strength in zip(made.lines, made.strengths, strict=True):
        q = np.array([counts[line.cells == c].sum() for c in range(len(line.low))])
        if q.sum() > 0:
            value -= strength * least_distance(q / q.sum(), line.low, line.high, distance)
    return value


def stepping_to(data, distance="kl"):
    """The shares of steps of `stepping`, each of the steps to the tokens that have one of the features of `active`."""
    made, has = stepping(data, distance), active(data)
    kept = has.indices < len(made.lines)
    owner = np.repeat(np.arange(has.rows), np.diff(has.indptr))[kept]
    indptr = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=has.rows))])
    lines = Incidence(indptr, has.indices[kept], None)
    return FeatureStepShares(made.lines, made.strengths, lines, made.names, distance)


def distances_of_steps_to(data, batches, potentials, distance="kl") -> float:
    """As `distances_of_steps`, each line of the steps to the tokens that have it."""
    made = stepping_to(data)
    counts = np.zeros((len(made.lines), *[data.allowed.shape[1]] * 2))
    for batch, pot in zip(batches, potentials, strict=True):
        for omega, one in zip(data.weights[batch.sentences], oracle.sentences(pot), strict=True):
            for t in range(1, one.stop - one.start):
                at = batch.tokens.start + one.start + t
                for m in made.active.indices[made.active.indptr[at] : made.active.indptr[at + 1]]:
                    for p, y in zip(one.p, one.y, strict=True):
                        counts[m, y[t - 1], y[t]] += omega * p
    value = 0.0
    for line, strength, steps in zip(made.lines, made.strengths, counts, strict=True):
        q = np.array([steps[line.cells == c].sum() for c in range(len(line.low))])
        if q.sum() > 0:
            value -= strength * least_distance(q / q.sum(), line.low, line.high, distance)
    return value


def both(data, distance="kl"):
    """Expectations of labels and of steps."""
    return ExpectationWithSteps(expectation(data, distance), stepping_to(data, distance))


def least_distance(p, low, high, distance) -> float:
    """The least distance from p of any shares within bounds, found by moving share from one place to another."""

    def away(x):
        if distance == "squared":
            return float(((x - p) ** 2).sum())
        return float(sum(a * np.log(a / b) if b > 0 else np.inf for a, b in zip(x, p, strict=True) if a > 1e-15))

    x = low + (high - low) * ((1 - low.sum()) / (high - low).sum() if (high - low).any() else 0.0)
    step = 0.25
    while step > 1e-9:
        moved = False
        for i, j in permutations(range(len(p)), 2):
            change = min(step, x[i] - low[i], high[j] - x[j])
            if change > 0:
                other = x.copy()
                other[i] -= change
                other[j] += change
                if away(other) < away(x):
                    x, moved = other, True
        step = step if moved else step / 2
    return away(x)


def near_shares(data, distance="squared"):
    """Posterior regularisation with the expectations of `expectation`, each missed at a cost of its own."""
    made = expectation(data)
    omega = np.repeat(data.weights, np.diff(data.offsets))
    has = active(data)
    owner = np.repeat(np.arange(has.rows), np.diff(has.indptr))
    counts = np.bincount(has.indices, omega[owner], EXPECTATIONS).astype(float)
    return Posterior(
        made.targets, np.array([0.5, 2.0, 1.0]), has, counts, 0.7, made.names, made.labels, distance, 1e-11
    )


def distance_of_posteriors(data, batches, potentials, distance="squared") -> float:
    """−λ (KL(q ‖ p) + Σ s d(E_q[φ])) of the q that makes it least, over all paths; the q by its dual."""
    made, has = near_shares(data, distance), active(data)
    seen = made.counts > 0
    every = []  # ω, log p and the counts φ of each path
    for batch, pot in zip(batches, potentials, strict=True):
        for omega, one in zip(data.weights[batch.sentences], oracle.sentences(pot), strict=True):
            phi = np.zeros((len(one.y), *made.targets.shape))
            for d in range(one.y.shape[1]):
                at = batch.tokens.start + one.start + d
                for m in has.indices[has.indptr[at] : has.indptr[at + 1]]:
                    phi[np.arange(len(one.y)), m, one.y[:, d]] += 1 / made.counts[m]
            there = np.isfinite(one.score)
            every.append((omega, one.score[there] - one.log_z, phi[there]))

    def distance_at(flat):
        """From the nearest q with these shares, which is p tilted by some μ: what is least over μ is least over q."""
        mu = flat.reshape(made.targets.shape)
        divergence, shares = 0.0, np.zeros_like(mu)
        for omega, log_p, phi in every:
            score = log_p + (phi * mu).sum(axis=(1, 2))
            log_q = score - oracle.log_sum(score)
            q = np.exp(log_q)
            divergence += omega * float(q @ (log_q - log_p))
            shares += omega * (q[:, None, None] * phi).sum(axis=0)
        if distance == "squared":
            missed = 0.5 * ((shares - made.targets) ** 2).sum(axis=1)
        else:
            wanted = (made.targets > 0) & seen[:, None]
            if not shares[wanted].all():
                return np.inf
            ratio = np.divide(made.targets, shares, out=np.ones_like(shares), where=wanted)
            missed = (made.targets * np.log(ratio)).sum(axis=1)
        return divergence + float((made.slack * missed)[seen].sum())

    start = np.zeros(made.targets.size)
    if distance_at(start) == np.inf:
        return -np.inf
    return -made.strength * minimize(distance_at, start, method="BFGS", options={"gtol": 1e-7}).fun


def costly(data):
    """A cost for missing each label, the first of which has none."""
    return Margin(np.arange(data.allowed.shape[1]) / 2)


def against_costs(data, batches, potentials) -> float:
    """Σ ω (log Z_Λ − log Σ exp(score + the costs of the labels that it misses))."""
    costs, value = costly(data).costs, 0.0
    for batch, pot in zip(batches, potentials, strict=True):
        allowed = data.allowed[data.sets[batch.tokens]]
        under = oracle.sentences(pot, allowed)
        for omega, one, within in zip(data.weights[batch.sentences], oracle.sentences(pot), under, strict=True):
            here = allowed[one.start : one.stop]
            if here.all():
                continue
            missed = [
                sum(costs[here[t].argmax()] for t, label in enumerate(y) if here[t].sum() == 1 and not here[t, label])
                for y in one.y
            ]
            value += omega * (within.log_z - oracle.log_sum(one.score + np.array(missed)))
    return float(value)


def rejecting(data):
    """Two rejected chunks of each sentence, which follow from its label sets: of runs of a label, or of B and I."""
    labels = data.allowed.shape[1]
    kinds = np.array([-1, 0, 0]) if labels == 3 else np.arange(labels)
    joined = np.outer(kinds == 0, [False, False, True]) if labels == 3 else np.eye(labels, dtype=bool)
    found = set()
    for start, stop in pairwise(data.offsets.tolist()):
        number = int(data.sets[start:stop].sum())
        for more in (0, 3):
            first = (number + more) % (stop - start)
            last = first + (number // 2) % (stop - start - first)
            found.add((start + first, start + last + 1, (number + more) % (int(kinds.max()) + 1)))
    first, stop, kind = np.array(sorted(found), np.int64).reshape(-1, 3).T
    return Rejection(KnownChunks(first, stop, kind, np.zeros(len(first), bool), kinds, joined))


def without_chunks(data, batches, potentials) -> float:
    """Σ ω log P(no rejected chunk | Λ), from the labellings that have none."""
    chunks, value = rejecting(data).chunks, 0.0
    for batch, pot in zip(batches, potentials, strict=True):
        every = oracle.sentences(pot, data.allowed[data.sets[batch.tokens]])
        for omega, one in zip(data.weights[batch.sentences], every, strict=True):
            begin, end = batch.tokens.start + one.start, batch.tokens.start + one.stop
            inside = (chunks.first >= begin) & (chunks.first < end)
            rejected = {
                (int(a - begin), int(b - begin), int(k))
                for a, b, k in zip(chunks.first[inside], chunks.stop[inside], chunks.kind[inside], strict=True)
            }
            left = [rejected.isdisjoint(runs(y, chunks.kinds, chunks.joined)) for y in one.y]
            value += omega * (oracle.log_sum(np.where(left, one.score, -np.inf)) - one.log_z)
    return float(value)


def runs(y, kinds, joined) -> set[tuple[int, int, int]]:
    """The chunks of a labelling: first, stop and kind."""
    found, first = set(), 0
    for t in range(1, len(y) + 1):
        if t == len(y) or not joined[y[t - 1], y[t]]:
            if kinds[y[first]] >= 0:
                found.add((first, t, int(kinds[y[first]])))
            first = t
    return found


def taught(data):
    """A teacher of all labels but the last, in reverse order, whose scores follow from the label sets."""
    labels = max(data.allowed.shape[1] - 1, 1)

    def scores(sentences: slice):
        for number in range(sentences.start, sentences.stop):  # each sentence by itself
            sets = data.sets[data.offsets[number] : data.offsets[number + 1]]
            length, rng = len(sets), np.random.default_rng(sets)
            edge, index = rng.normal(size=(2, labels, labels)), np.arange(length, dtype=np.int32) % 2
            yield Potentials(rng.normal(size=(length, labels)), edge, index, np.array([0, length]))

    return Distillation(0.6, scores, np.arange(labels)[::-1])


def divergence(data, batches, potentials) -> float:
    """−λ Σ ω KL(q ‖ p), from the probabilities of all labellings."""
    value, made = 0.0, taught(data)
    for batch, pot in zip(batches, potentials, strict=True):
        student = oracle.sentences(pot)
        for number, teacher in enumerate(made.scores(batch.sentences)):
            (every,) = oracle.sentences(teacher)
            own = student[number]
            p = {tuple(y): score - own.log_z for y, score in zip(own.y, own.score, strict=True)}
            for y, score in zip(every.y, every.score, strict=True):
                log_q = score - every.log_z
                log_p = p[tuple(made.to[np.asarray(y)])]
                value -= 0.6 * data.weights[batch.sentences][number] * np.exp(log_q) * (log_q - log_p)
    return float(value)


# name, and what is set, if that matters → an instance for a dataset, and its definition
DEFINITIONS = {
    "likelihood": (lambda data: Likelihood(), likelihood),
    "entropy": (lambda data: Entropy(gamma=0.7), entropy(0.7)),
    "entropy, gamma < 0": (lambda data: Entropy(gamma=-0.3), entropy(-0.3)),
    "entropy, constrained": (
        lambda data: Entropy(gamma=0.7, algorithm="constrained"),
        entropy(0.7),
    ),
    "entropy, nested": (lambda data: Entropy(gamma=0.7, algorithm="nested"), entropy(0.7)),
    "entropy per token": (lambda data: Entropy(gamma=1.3, per="token"), entropy(1.3, per_token=True)),
    "expectation": (expectation, distances),
    "expectation, squared": (
        lambda data: expectation(data, "squared"),
        lambda *case: distances(*case, distance="squared"),
    ),
    "expectation, within bounds": (within_bounds, distances_from_bounds),
    "expectation, within bounds, squared": (
        lambda data: within_bounds(data, "squared"),
        lambda *case: distances_from_bounds(*case, distance="squared"),
    ),
    "label-regularization": (regularised, distance_from_shares),
    "margin": (costly, against_costs),
    "posterior": (near_shares, distance_of_posteriors),
    "posterior, kl": (
        lambda data: near_shares(data, "kl"),
        lambda *case: distance_of_posteriors(*case, distance="kl"),
    ),
    "steps": (stepping, distances_of_steps),
    "steps, squared": (
        lambda data: stepping(data, "squared"),
        lambda *case: distances_of_steps(*case, distance="squared"),
    ),
    "steps to features": (stepping_to, distances_of_steps_to),
    "steps to features, squared": (
        lambda data: stepping_to(data, "squared"),
        lambda *case: distances_of_steps_to(*case, distance="squared"),
    ),
    "expectation of labels and steps": (both, lambda *case: distances(*case) + distances_of_steps_to(*case)),
    "rejection": (rejecting, without_chunks),
    "distill": (taught, divergence),
}


def evaluated(made, data, batches, potentials):
    """Value and ∂value/∂potentials of an objective over batches, as the frame computes them."""
    sides = [made.side(data, batch) for batch in batches]
    lattices = [Lattice(pot) for pot in potentials]
    gathered = [made.gather(lattice, side) for lattice, side in zip(lattices, sides, strict=True)]
    value, slope = made.close(np.sum(gathered, axis=0))
    return value, [made.push(lattice, side, slope) for lattice, side in zip(lattices, sides, strict=True)]


class SquaredCount:
    """−(expected count of label 0 − 1)²: a criterion whose slope is known only when all batches have been seen."""

    slope = None

    def side(self, data, batch):
        return None

    def gather(self, lattice, side):
        return np.array([lattice.nodes[:, 0].sum()])

    def close(self, statistics):
        return -float((statistics[0] - 1) ** 2), -2 * (statistics - 1)

    def push(self, lattice, side, slope):
        pot = lattice.potentials
        unary = np.zeros_like(pot.unary)
        unary[:, 0] = slope[0]
        return lattice.covariance(pot.with_values(unary, np.zeros_like(pot.edge)))

    def curvature(self, lattice, side):
        return None
