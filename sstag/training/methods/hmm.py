"""A hidden Markov model made of counts (the supervised HMM of Mann & McCallum 2008, table 3; methods §4).

    p(x, y) = p(y_1|begin) · Π_{t≥2} p(y_t|y_{t−1}) · p(end|y_n) · Π_t Π_f p(x_{t,f}|y_t)

Its weights are the logarithms, so a score is log p(x, y), log Z is log p(x), and the best path is the textbook's. It
emits what the template says of each token by itself: of each column the first feature such as `word[0]`,
`lower(word[0])` or `word[0] | pos[0]`, several independent of one another given the label. With δ the smoothing and h_y
the tokens of label y whose value occurs once,

    p(v|y) = (c(v, y) + δ) / (c(y) + h_y + δ (V + 1))        of V known values
    p(unknown|y) = (h_y + δ) / (c(y) + h_y + δ (V + 1))      the default attribute: left out, those would be unknown

and so the steps, with the end as one more label to step to. Undecided tokens are not counted, nor are steps from or to
one; values that no decided token has share the probability of the unknown one. A sentence with the weight ω is counted
ω times, but what occurs once is told by the text. Cost: one look at the data.
"""

from dataclasses import dataclass, replace

import numpy as np

from sstag.chain.functions import log
from sstag.features.template import Edges, Feature, Template, Text
from sstag.features.word_functions import WORD_FUNCTIONS
from sstag.foundation.arrays import Floats, Longs
from sstag.foundation.errors import ConfigError, DataError, Interrupted, counted
from sstag.model.compiled import Compiled, compiled_text
from sstag.model.dataset import Dataset
from sstag.model.model import HMM, About, Model, model
from sstag.training.inputs import Inputs, Run, labelled_text_of
from sstag.training.judge import scorer
from sstag.training.methods.parameters import Smoothed
from sstag.training.parameter_specs import told


def train(inputs: Inputs, params: Smoothed, rng: np.random.Generator, run: Run) -> Model:
    """The model of what is decided."""
    text = labelled_text_of(inputs, "hmm")
    corpus, labels = text.corpus, text.single
    if (labels < 0).all():
        raise DataError("no label is decided, and hmm counts those that are", corpus.path)
    made = compiled_text(emitting(inputs.template), text, None, ())
    warn_of_features("hmm", inputs.template, made.template, run)
    if run.stop():
        raise Interrupted
    data = made.labelled
    assert isinstance(data, Dataset)
    counts = counted_labels(data, labels, len(made.labels))
    theta = probabilities(made, data, counts, params.smoothing).theta
    tokens, stepped = int((labels >= 0).sum()), len(_stepped(data.offsets, labels))
    of = f"{counted(tokens, 'token')} and {counted(stepped, 'step')}"
    tagger = model(made, theta, kind=HMM)
    about: About = {
        "method": "hmm",
        "parameters": told(params),
        "emits": [feature.name for feature in made.template.features],
        "converged": True,
        "reason": f"counts {of}",
    }
    if inputs.development:
        about["development score"] = scorer(inputs, tagger, run)(theta)
    return tagger.saying(about)


@dataclass(frozen=True)
class Counts:
    """How often tokens have labels, and sentences begin, go on, and end with them; weighed."""

    tokens: Longs  # (N,) a token,
    labels: Longs  # (N,) a label that it has,
    weights: Floats  # (N,) and how often
    begin: Floats  # (L,)
    steps: Floats  # (L, L) [from, to]
    end: Floats  # (L,)


@dataclass(frozen=True)
class Probabilities:
    """An HMM."""

    emissions: Floats  # (A, L) p(v|y) of every attribute
    begin: Floats  # (L,)
    steps: Floats  # (L, L + 1) [from, to], the last one to the end

    @property
    def theta(self) -> Floats:
        """The weights of the model that it is."""
        parts = self.emissions, self.steps[:, :-1], self.begin, self.steps[:, -1]
        return np.concatenate([log(part).ravel() for part in parts])

    def mixed(self, other: "Probabilities", share: float) -> "Probabilities":
        """This one with a share of 1 − share of another one."""
        mine, theirs = vars(self), vars(other)
        return Probabilities(**{name: share * mine[name] + (1 - share) * theirs[name] for name in mine})


def counted_labels(data: Dataset, labels: Longs, count: int) -> Counts:
    """The counts of the labels (T,) of sentences, -1 where there is none."""
    omega = np.ones(len(data.offsets) - 1) if data.weights is None else data.weights
    weights = np.repeat(omega, np.diff(data.offsets))
    decided = np.flatnonzero(labels >= 0)
    return Counts(decided, labels[decided], weights[decided], *step_counts(data.offsets, labels, weights, count))


def probabilities(made: Compiled, data: Dataset, counts: Counts, smoothing: float) -> Probabilities:
    """The HMM of some counts."""
    every = np.column_stack([counts.steps, counts.end]) + smoothing  # (L, L + 1)
    begin = counts.begin + smoothing
    return Probabilities(
        _emissions(made, data, counts, smoothing), begin / begin.sum(), every / every.sum(axis=1, keepdims=True)
    )


def emitting(template: Template) -> Template:
    """The template with what an HMM emits: of each column the first feature that every token has by itself."""
    taken: set[int] = set()
    kept = []
    for index, feature in enumerate(template.features):
        columns = {term.source.column for term in feature.terms if isinstance(term, Text)}
        if _is_emitted(feature) and taken.isdisjoint(columns):
            kept.append(index)
            taken |= columns
    if template.has_priors:
        raise ConfigError("an HMM counts: its features have no prior")
    if template.dense:
        raise ConfigError(
            f"{template.dense[0].name}: an HMM counts values, and numbers have no counts; crf, partial, self-training "
            "and the others take them"
        )
    if not kept:
        raise ConfigError("hmm emits what stands at each token: the template needs a feature such as word[0]")
    features = tuple(template.features[index].with_default() for index in kept)
    return replace(template, features=features, kept=tuple(kept), edges=Edges(), pairs="all", edge_pairs="all")


def warn_of_features(who: str, given: Template, emitted: Template, run: Run) -> None:
    """Warns of the features of a template that an HMM leaves out, if there are any."""
    if left := len(given.features) - len(emitted.features):
        seen = " and ".join(feature.name for feature in emitted.features)
        run.warn(
            f"{who} looks at {seen} alone: {left} of the {len(given.features)} features of the template are left out, "
            "which costs much where they matter, as they do for names (crf has them all)"
        )


def _is_emitted(feature: Feature) -> bool:
    """Whether each token has a value of its own."""
    return bool(feature.terms) and all(
        isinstance(term, Text)
        and term.offset == 0
        and all(WORD_FUNCTIONS[name].total for name, _ in term.source.functions)
        for term in feature.terms
    )


def _stepped(offsets: Longs, labels: Longs) -> Longs:
    """The tokens that a step leads to from one decided label to another."""
    before = np.concatenate([[-1], labels[:-1]])
    before[offsets[:-1]] = -1
    return np.flatnonzero((before >= 0) & (labels >= 0))


def step_counts(offsets: Longs, labels: Longs, weights: Floats, count: int) -> tuple[Floats, Floats, Floats]:
    """First labels, steps [from, to], and last labels, where they are decided."""  # (L,), (L, L), (L,)
    at = _stepped(offsets, labels)
    steps = np.bincount(labels[at - 1] * count + labels[at], weights[at], count * count)
    ends = [tokens[labels[tokens] >= 0] for tokens in (offsets[:-1], offsets[1:] - 1)]
    begin, end = (np.bincount(labels[tokens], weights[tokens], count).astype(np.float64) for tokens in ends)
    return begin, steps.reshape(count, count).astype(np.float64), end


def _emissions(made: Compiled, data: Dataset, counts: Counts, smoothing: float) -> Floats:
    """p(v|y) of every attribute; those of one feature are the values that it can have."""  # (A, L)
    width = len(made.labels)
    assert data.bundles is None  # nothing comes together where each feature looks at a column of its own
    attributes = data.unary.indices.reshape(data.unary.rows, -1)  # (T, F)
    each = attributes[counts.tokens].astype(np.int64)  # (N, F)
    pairs = (each * width + counts.labels[:, None]).ravel()
    weighed = np.bincount(pairs, np.repeat(counts.weights, each.shape[1]), made.unary.size * width)
    times = weighed.reshape(-1, width)
    occurrences = np.bincount(attributes[np.unique(counts.tokens)].ravel(), minlength=made.unary.size)
    result = np.full(times.shape, np.nan)
    for table in made.unary.tables:
        known = np.unique(table.ids)
        if not np.isnan(result[known]).all() or not np.isnan(result[table.default]).all():
            raise ConfigError("two features make the same attributes: hmm needs a name of its own for each")
        totals = occurrences[known]
        seen, unseen, once = known[totals > 0], known[totals == 0], known[totals == 1]
        unknown = times[table.default] + times[once].sum(axis=0) + smoothing
        whole = unknown + (times[seen] + smoothing).sum(axis=0)
        result[seen] = (times[seen] + smoothing) / whole
        result[np.append(unseen, table.default)] = unknown / whole / (len(unseen) + 1)
    return result
