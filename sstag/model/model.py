"""A trained tagger: labels, template, vocabularies and weights. Training returns it and tagging asks it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from sstag.chain.buffers import Buffers
from sstag.chain.lattice import Lattice
from sstag.chain.potentials import Potentials
from sstag.corpus.corpus import Corpus
from sstag.features.dense import blocks, tables
from sstag.features.incidence import extracted
from sstag.features.series import Words
from sstag.features.template import Template
from sstag.features.term_values import View
from sstag.features.vocabulary import Vocabulary
from sstag.foundation.arrays import Floats, Ints
from sstag.foundation.json_values import Json
from sstag.foundation.parallel import Over, even_shards
from sstag.foundation.ranges import row_of_each
from sstag.model.batches import Batch, in_batches
from sstag.model.dataset import Dataset
from sstag.model.sparse_weights import PairMap
from sstag.model.weight_map import DataMap, WeightMap, Weights, weight_map

if TYPE_CHECKING:  # whoever has none of these need not wait for them
    from sstag.knowledge.rules import Rules
    from sstag.model.compiled import Compiled

SHARDS = 64  # of a corpus to tag

CRF, MAXENT, HMM, RULED_HMM, MRF = KINDS = ("crf", "maxent", "hmm", "hmm with rules", "mrf")

About: TypeAlias = dict[str, Any]  # a report of a training, JSON values, by which nothing decides
R = TypeVar("R")


class Best(NamedTuple):
    """The best labels of some sentences, their scores, and the k best labellings of each sentence with theirs."""

    labels: Ints  # (T,)
    scores: Floats  # (S,)
    ranked: list[tuple[Ints, Floats]]  # (m, n), (m,) with m at most k


@dataclass(frozen=True)
class Model:
    """Everything a tagger needs; `about` reports how it was trained.

    Its `kind` says how its scores can be read: those of an `hmm` are log p(x, y), others have to be normalised; a
    `maxent` has none for steps. Its `scheme` is that of its labels (`labels.schemes`).
    A model with `rules` labels by what a labelling costs under them: the best that a beam of `beam` labellings finds.
    Its probabilities know nothing of them, but they know of `biases`.
    """

    template: Template
    labels: tuple[str, ...]
    unary: Vocabulary
    edge: Vocabulary
    weight_map: WeightMap
    theta: Floats
    scheme: str
    kind: str = CRF
    about: About = field(default_factory=dict)
    rules: "Rules | None" = None
    beam: int = 1
    biases: Floats | None = None  # (L,) added to the scores of each token's labels (`training.share_matching`)
    first: "Model | None" = None  # the first stage, whose predictions this one has among its features

    def __repr__(self) -> str:
        from sstag.model.facts import in_a_line

        return in_a_line(self)

    def __dir__(self) -> list[str]:
        """The members that stay, which a shell completes; the others belong to the inside of the package."""
        return ["about", "labels", "scheme", "template"]

    def _repr_html_(self) -> str:
        from sstag.foundation.tables import Table, html
        from sstag.model.facts import facts

        rows = [*facts(self, "…")]
        return html("sstag model", [Table((), rows, left=(0, 1))])

    @property
    def columns_read(self) -> tuple[str, ...]:
        """The names of the columns that features and rules look at."""
        rules = self.rules.columns_read if self.rules else ()
        return (*self.template.columns_read, *(name for name in rules if name not in self.template.columns_read))

    def saying(self, about: About) -> "Model":
        """The model with another report, beside how often its labels were counted."""
        return replace(self, about={"counts": self.about["counts"], **about})

    def dataset(self, corpus: Corpus, words: Words | None = None) -> Dataset:
        """A corpus as arrays, without its labels; `words`, if they are known, of this template or of one with more."""
        view = View(corpus, self.template, words)
        none = np.zeros((0, len(self.labels)), bool)
        cues = self.rules.cues(corpus) if self.rules else None
        dense = blocks(view, self.template.dense, tables(view, self.template.dense))
        unary, edge = extracted(self.unary, view, dense), extracted(self.edge, view)
        return Dataset(corpus.offsets, unary, edge, None, none, dense=dense, cues=cues)

    def tagged(self, data: Dataset, over: Over) -> Ints:
        """The best label of every token, an index into `labels`, on the best path that the data allow."""  # (T,)
        found = self.asked(data, over, lambda batch, lattice: self.best(data, batch, lattice).labels)
        return np.concatenate([np.zeros(0, np.int32), *found])

    def best(self, data: Dataset, batch: Batch, lattice: Lattice, k: int = 0) -> Best:
        """The best labels of a batch, and the k best of each of its sentences, under the rules that the data bring.

        The scores are those of the labellings, without what rules cost.
        """
        starts = batch.offsets
        if self.rules is None or data.cues is None:
            ranked = [lattice.k_best(sentence, k) for sentence in range(len(starts) - 1 if k else 0)]
            return Best(*lattice.viterbi(), ranked)
        from sstag.knowledge.rule_costs import penalties

        costs = penalties(self.rules, self.labels, data.cues[batch.tokens], starts)
        found, _, counts = lattice.penalised(costs, max(k, self.beam))
        scores = np.array([lattice.path_scores(one) for one in found[: max(k, 1)]])  # (k, S)
        ranked = [
            (found[:m, begin:end], scores[:m, sentence])
            for sentence, (begin, end, m) in enumerate(
                zip(starts, starts[1:], np.minimum(counts, k).tolist(), strict=False) if k else ()
            )
        ]
        return Best(found[0], scores[0], ranked)

    def asked(
        self,
        data: Dataset,
        over: Over,
        question: Callable[[Batch, Lattice], R],
        imposed: Callable[[Potentials], Potentials] | None = None,
    ) -> list[R]:
        """The answers of a function for each batch, in order; it is given the batch and the lattice of its labels.

        The labels are those that the data allow; the scores those of the model, or what `imposed` makes of them.
        """
        if self.biases is not None:
            imposed = partial(_biased, self.biases, imposed)
        return asked(self.weight_map, self.theta, data, over, question, imposed)


def asked(
    of: WeightMap,
    theta: Floats,
    data: Dataset,
    over: Over,
    question: Callable[[Batch, Lattice], R],
    imposed: Callable[[Potentials], Potentials] | None = None,
) -> list[R]:
    """The answers of a function for each batch, as `Model.asked` has them, from weights alone."""
    weights = Weights(DataMap(of, data, once=True), theta, over)
    batches = in_batches(data, of.labels)

    def lattice(batch: Batch, buffers: Buffers) -> Lattice:
        buffers.restart()
        allowed = None if data.sets is None else data.allowed[data.sets[batch.tokens]]
        if imposed:
            return Lattice(imposed(weights.potentials(batch, buffers)), allowed, buffers=buffers)
        return weights.lattice(batch, allowed, buffers)

    def answers(shard: range) -> list[R]:
        buffers = Buffers()
        return [question(batches[i], lattice(batches[i], buffers)) for i in shard]

    found = over(answers, even_shards([len(batch.edge_index) for batch in batches], SHARDS))
    return [answer for part in found for answer in part]


def _biased(biases: Floats, then: Callable[[Potentials], Potentials] | None, pot: Potentials) -> Potentials:
    """Scores with biases of labels, and whatever comes after them."""
    moved = pot.with_values(pot.unary + biases, pot.edge)
    return then(moved) if then else moved


def model(compiled: "Compiled", theta: Floats, about: Mapping[str, Json] | None = None, kind: str = CRF) -> Model:
    """The model with these weights of a compiled template."""
    return Model(
        template=compiled.template,
        labels=compiled.labels,
        unary=compiled.unary,
        edge=compiled.edge,
        weight_map=weight_map(compiled),
        theta=theta,
        scheme=compiled.scheme,
        kind=kind,
        about={"counts": dict(compiled.origins), **(about or {})},
    )


def carried_over(old: Model, new: Model) -> Floats:
    """The weights of an earlier model in the places of another one: by the texts of attributes and labels, else 0."""
    if (
        all(getattr(old.weight_map, kind).pairs is getattr(new.weight_map, kind).pairs for kind in ("unary", "edge"))
        and old.weight_map.dense is new.weight_map.dense
    ):
        return old.theta  # both are of what was compiled once
    label = {name: index for index, name in enumerate(new.labels)}
    to_new = np.array([label.get(name, -1) for name in old.labels], np.int64)
    theta = np.zeros(new.weight_map.size)
    ours, theirs = new.weight_map.parts(theta), old.weight_map.parts(old.theta)

    width, count = len(old.labels), len(new.labels)
    _carry(theirs["unary"], old.unary, old.weight_map.unary, to_new, ours["unary"], new.unary, new.weight_map.unary)
    pairs = np.where(
        (to_new[:, None] >= 0) & (to_new[None, :] >= 0), to_new[:, None] * count + to_new[None, :], -1
    ).ravel()
    _carry(theirs["edge"], old.edge, old.weight_map.edge, pairs, ours["edge"], new.edge, new.weight_map.edge)

    known = to_new >= 0
    steps, old_steps = np.zeros((count, count)), np.zeros((width, width))
    old_steps[old.weight_map.steps] = theirs["steps"]
    steps[np.ix_(to_new[known], to_new[known])] = old_steps[np.ix_(known, known)]
    ours["steps"][:] = steps[new.weight_map.steps]
    _carry_dense(theirs.get("dense"), old, to_new, ours.get("dense"), new)
    for name, has in (("begin", old.weight_map.begin), ("end", old.weight_map.end)):
        if has and len(ours[name]):
            ours[name][to_new[known]] = theirs[name][known]
    return theta


def _carry(
    theirs: Floats,
    old: Vocabulary,
    old_map: PairMap,
    to_new: np.ndarray,
    ours: Floats,
    new: Vocabulary,
    new_map: PairMap,
) -> None:
    """Copies the weights of pairs that both models have."""
    number = {text: index for index, text in enumerate(new.texts())}
    attribute = np.array([number.get(text, -1) for text in old.texts()], np.int64)
    owner = row_of_each(old_map.pairs.indptr)
    attributes, labels = attribute[owner], to_new[old_map.pairs.labels]
    both = np.flatnonzero((attributes >= 0) & (labels >= 0))
    wanted = attributes[both] * new_map.width + labels[both]
    keys = row_of_each(new_map.pairs.indptr) * new_map.width + new_map.pairs.labels  # ascending
    place = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
    found = keys[place] == wanted if len(keys) else np.zeros(len(wanted), bool)
    ours[place[found]] = theirs[both[found]]


def _carry_dense(theirs: Floats | None, old: Model, to_new: np.ndarray, ours: Floats | None, new: Model) -> None:
    """Copies the weights of dense features that both models have, for numbers as large as those of the new one."""
    if theirs is None or ours is None:
        return
    earlier = dict(
        zip((feature.name for feature in old.template.dense), old.weight_map.dense_parts(theirs), strict=True)
    )
    known = to_new >= 0
    for feature, own, standard in zip(
        new.template.dense, new.weight_map.dense_parts(ours), new.weight_map.dense, strict=True
    ):
        found = earlier.get(feature.name)
        if found is not None and len(found) == len(own):
            place = [one.name for one in old.template.dense].index(feature.name)
            ratio = old.weight_map.dense[place].factor / standard.factor
            own[:, to_new[known]] = ratio[:, None] * found[:, known]
