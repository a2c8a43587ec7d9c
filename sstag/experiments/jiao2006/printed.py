"""Climbs by the gradient of the entropy as J06 §3 prints it: a short step, and all the way.

At the supervised optimum γ D is the whole gradient of a climb by the printed recursions. A search along a line that
compares values of the paper's (2) takes no step along it, since the values fall. So here is a climb that looks at
gradients alone (Barzilai and Borwein 1988): it goes where likelihood, prior and γ D are 0 together, whatever (2) is.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from sstag.experiments.corpora import Corpora
from sstag.experiments.jiao2006.draws import drawn
from sstag.experiments.jiao2006.printed_gradient import EntropyGradients
from sstag.experiments.jiao2006.sweep import Supervised, supervised, template
from sstag.experiments.trials import Row
from sstag.foundation.arrays import Floats
from sstag.foundation.parallel import one_by_one
from sstag.model.compiled import compiled
from sstag.model.weight_map import weight_map
from sstag.training.criterion import Criterion
from sstag.training.looks import Part
from sstag.training.objectives.entropy import Entropy
from sstag.training.objectives.likelihood import Likelihood

L2 = 1.0
LONGEST = 0.02  # of a step, as a share of the length of the weights
SETTLED = 1e-3  # of the first gradient, at which a climb is over


def stepped(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    corpus: str,
    sizes: Mapping[str, int],
    made: int,
    raw: str,
    draw: int,
    steps: Sequence[float],
) -> list[Row]:
    """The mentions found after a step along either gradient; its length is a share of that of the weights."""
    data = drawn(corpora, corpus, sizes, made, raw, draw)
    how = replace(template("window"), vocabulary="labelled", pairs="observed")
    system = supervised(compiled(how, data.labelled, data.raw), data, L2, 1000)
    exact, printed = EntropyGradients(system.made)(system.start)
    cosine = float(exact @ printed / np.sqrt((exact @ exact) * (printed @ printed)))
    rows: list[Row] = []
    for which, direction in (("printed", printed), ("exact", exact)):
        unit = direction * np.sqrt((system.start @ system.start) / (direction @ direction))
        for step in (0.0, *steps):
            found = system.figures(system.start + step * unit)
            rows += [
                {"gradient": which, "step": step, "on": on, "cosine": round(cosine, 4), **found[on]}
                for on in ("raw", "rest")
            ]
    return rows


def climbed(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    corpus: str,
    sizes: Mapping[str, int],
    made: int,
    raw: str,
    draw: int,
    gammas: Sequence[float],
    after: Sequence[int],
) -> list[Row]:
    """The mentions found after so many steps of a climb by the printed gradient, for each γ."""
    data = drawn(corpora, corpus, sizes, made, raw, draw)
    how = replace(template("window"), vocabulary="labelled", pairs="observed")
    system = supervised(compiled(how, data.labelled, data.raw), data, L2, 1000)
    printed = EntropyGradients(system.made)
    rows: list[Row] = []
    for gamma in (0.0, *gammas):
        states = _climb(system, printed, gamma, after) if gamma else [(0, system.start, 0.0)]
        for steps, theta, left in states:
            rise = _value(system, gamma, theta) - _value(system, gamma, system.start) if gamma else 0.0
            said = {
                "gamma": gamma,
                "steps taken": steps,
                "gradient left": round(left, 6),
                "rise of (2)": round(rise, 3),
            }
            found = system.figures(theta)
            rows += [said | {"on": on, **found[on]} for on in ("raw", "rest")]
    return rows


def _climb(
    system: Supervised, printed: EntropyGradients, gamma: float, after: Sequence[int]
) -> Iterator[tuple[int, Floats, float]]:
    """The weights after so many steps, and how long the gradient still is, as a share of the first one."""
    assert system.made.labelled is not None
    likelihood = Criterion(weight_map(system.made), [Part(system.made.labelled, (Likelihood(),))], L2, one_by_one)

    def gradient(theta: Floats) -> Floats:
        result: Floats = likelihood(theta)[1] + gamma * printed(theta)[1]
        return result

    theta, longest = system.start, LONGEST * float(np.linalg.norm(system.start))
    here = gradient(theta)
    first = left = float(np.linalg.norm(here))
    rate = longest / first
    for step in range(1, max(after) + 1):
        if left > SETTLED * first:
            move = here * min(rate, longest / left)
            theta = theta + move
            before, here = here, gradient(theta)
            left = float(np.linalg.norm(here))
            rate = float(move @ move) / max(abs(float(move @ (here - before))), 1e-12)
        if step in after:
            yield step, theta, left / first


def _value(system: Supervised, gamma: float, theta: Floats) -> float:
    """The value of the paper's (2) with the prior."""
    labelled, raw = system.made.labelled, system.made.unlabelled
    assert labelled is not None
    assert raw is not None
    parts = [Part(labelled, (Likelihood(),)), Part(raw, (Entropy(gamma),))]
    return Criterion(weight_map(system.made), parts, L2, one_by_one)(theta)[0]
