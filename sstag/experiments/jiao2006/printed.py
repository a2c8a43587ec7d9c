"""The gradient of the entropy as J06 §3 prints it, and what a short step along it finds.

The paper takes f_j² = f_j, which holds of an indicator at one place and not of its sum over a sentence; and for two
different features of tokens it sums over s < t and t < s, which leaves out that both are at one token. So of the exact
gradient C = Σ_k θ_k Cov(f_j, f_k) it has

    D_(a,y)  = C_(a,y) − Σ_{t with a} p_t(y) Σ_{a'≠a at t} θ_{a',y} − θ_{a,y} Σ_{s≠t with a} p(y_s = y_t = y)
    D_(y',y) = C_(y',y) − θ_{y',y} Σ_{s≠t} p(both steps are y' → y)

At the supervised optimum the gradient of the likelihood and its prior is 0, so D is the direction in which a climb
begins, whatever γ is. C is that of a climb that raises what the paper says it raises.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean

import numpy as np
from scipy.sparse import csr_array, eye_array, vstack

from sstag.chain.lattice import Lattice
from sstag.experiments.corpora import Corpora
from sstag.experiments.jiao2006.draws import drawn
from sstag.experiments.jiao2006.sweep import supervised, template
from sstag.experiments.page import Block, Cell, Table
from sstag.experiments.spread import by_draw, comparison, spread
from sstag.experiments.trials import Row
from sstag.features.incidence import Incidence
from sstag.foundation.arrays import Floats, Longs
from sstag.foundation.parallel import one_by_one
from sstag.foundation.ranges import row_of_each
from sstag.model.batches import Batch
from sstag.model.compiled import Compiled, compiled
from sstag.model.dataset import Dataset
from sstag.model.model import Model, model
from sstag.model.weight_map import weight_map
from sstag.training.criterion import Criterion, Part
from sstag.training.objectives.entropy import Entropy


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
    system = supervised(compiled(how, data.labelled, data.raw), data, 1.0, 1000)
    exact, printed = gradients(system.made, system.start)
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


TOLD = """## The gradient as printed (§3)

The paper's recursions take f² = f for the sum of a feature over a sentence, and leave out the products of two different
features of one token. At the supervised optimum what they give is nearly the opposite of the gradient of the entropy:
the cosine is {cosine:.2f}. A step is a share of the length of the weights; `exact` is the same along the true gradient.
A search along a line for a higher value of (2) would take no step along the printed one, since the value falls. The
paper's Table 2, as shares of its γ = 0: 100 to 143 % found and 100 to 121 % right, the most of both at γ = 5 and 10."""


def report(rows: list[Row]) -> Iterator[Block]:
    """The mentions that steps along either gradient find on E, as shares of those found without."""
    yield TOLD.format(cosine=fmean(row["cosine"] for row in rows))
    here = [row for row in rows if row["on"] == "rest"]
    table: list[list[Cell]] = []
    for raw, which in dict.fromkeys((row["raw"], row["gradient"]) for row in here):
        some = [row for row in here if (row["raw"], row["gradient"]) == (raw, which)]
        zero = {name: by_draw(some, name, step=0.0) for name in ("found", "right", "f1")}
        for step in sorted({row["step"] for row in some}):
            ours = [row for row in some if row["step"] == step]
            gain = comparison(by_draw(ours, "f1"), zero["f1"]) if step else None
            line: list[Cell] = [f"{raw}, {which}, {step:g}"]
            line += [spread([row[name] for row in ours]) for name in ("precision", "recall", "f1")]
            line += [gain.gain, gain.verdict] if gain else [None, None]
            for name in ("found", "right"):
                line.append(spread([100 * n / zero[name][d] for d, n in by_draw(ours, name).items() if zero[name][d]]))
            table.append(line)
    head = ("raw text, gradient, step", "P", "R", "F", "gain in F", "p", "found, % of no step", "right, %")
    yield Table("A step from the supervised CRF, on E", head, table)


def gradients(made: Compiled, theta: Floats) -> tuple[Floats, Floats]:
    """The exact gradient of −H, summed over the raw sentences, and the printed one."""
    assert made.unlabelled is not None
    data, of = made.unlabelled, weight_map(made)
    _, exact = Criterion(of, [Part(data, (Entropy(1.0),))], 0.0, one_by_one)(theta)
    tagger = model(made, theta)
    nodes, edges = _marginals(tagger, data)
    attributes = _attributes(data, len(made.pairs.indptr) - 1)
    owner, labels = row_of_each(made.pairs.indptr), made.pairs.labels
    own = of.parts(theta)
    weights = np.zeros((attributes.shape[1], len(made.labels)))
    weights[owner, labels] = own["unary"]
    together, stepping = _twice(attributes, nodes, edges, data.offsets)
    beside = (attributes.T @ (nodes * (attributes @ weights)))[owner, labels]
    alone = own["unary"] * (attributes.T @ nodes)[owner, labels]
    printed = exact.copy()
    part = of.parts(printed)
    part["unary"] -= beside - alone + own["unary"] * together[owner, labels]
    part["steps"] -= own["steps"] * stepping[of.steps]
    return exact, printed


def _marginals(tagger: Model, data: Dataset) -> tuple[Floats, Floats]:
    """p_t(y) and p_t(y', y), which is 0 where a sentence begins."""  # (T, L), (T, L, L)

    def asked(batch: Batch, lattice: Lattice) -> tuple[Floats, Floats]:
        count = lattice.nodes.shape[1]
        steps = np.zeros((len(lattice.nodes), count, count))
        for sentence, (begin, end) in enumerate(zip(batch.offsets, batch.offsets[1:], strict=False)):
            steps[begin + 1 : end] = lattice.edge_marginals(sentence)
        return lattice.nodes.copy(), steps

    found = tagger.asked(data, one_by_one, asked)
    return np.concatenate([nodes for nodes, _ in found]), np.concatenate([steps for _, steps in found])


def _attributes(data: Dataset, count: int) -> csr_array:
    """The attributes of each token, those of bundles one by one."""  # (T, A)
    rows = _matrix(data.unary, count + (data.bundles.rows if data.bundles else 0))
    if data.bundles is None:
        return rows
    return csr_array(rows @ vstack([eye_array(count), _matrix(data.bundles, count)]))


def _matrix(incidence: Incidence, width: int) -> csr_array:
    values = np.ones(len(incidence.indices)) if incidence.values is None else incidence.values
    return csr_array((values, incidence.indices, incidence.indptr), (incidence.rows, width))


def _twice(attributes: csr_array, nodes: Floats, edges: Floats, offsets: Longs) -> tuple[Floats, Floats]:
    """Σ_{s≠t} of the probability of a label at both of two tokens with an attribute, and of a step at both of two."""
    tokens, count = nodes.shape
    sentence = row_of_each(offsets)
    onward = np.divide(edges, nodes[np.r_[0, 0 : tokens - 1], :, None], out=np.zeros_like(edges), where=edges > 0)
    together, stepping = np.zeros((attributes.shape[1], count)), np.zeros((count, count))
    between = np.tile(np.eye(count), (tokens, 1, 1))  # from the label of a token to that `lag` tokens on
    for lag in range(1, int(np.diff(offsets).max())):
        before = np.arange(tokens - lag)
        before = before[sentence[before] == sentence[before + lag]]
        stepping += 2 * np.einsum("tij,tji,tij->ij", edges[before], between[before], onward[before + lag])
        between[before] = between[before] @ onward[before + lag]
        both = nodes[before] * np.einsum("tii->ti", between[before])
        shared = attributes[before].multiply(attributes[before + lag])
        together += 2 * (csr_array(shared).T @ both)
    return together, stepping
