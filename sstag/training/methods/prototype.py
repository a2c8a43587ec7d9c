"""The prototype-driven MRF (Haghighi & Klein 2006; methods §4): one distribution over words and labels, of raw text.

    p(x, y | n) = exp(Σ_t s(x_t, y_t) + Σ_t e(y_{t−1}, y_t) + begin + end) / Z_n        y_t ∈ Λ(x_t)
    maximise    Σ_i ω_i log p(x_i | n_i) − l2/2 ‖θ‖² − l1 Σ|θ|                log p(x) = log Z_Λ(x) − log Z_n

s(w, y) adds up what the template says of the word w alone. Z_n sums over all words and labels of n tokens: it is log Z
of a chain whose every token has u(y) = log Σ_{w ∈ V, y ∈ Λ(w)} exp s(w, y), and what comes back to u(y) goes on to
s(w, y) with the weight p(w|y). V are the types of the text and one unknown word, which has the default attribute of
every feature. Λ(w) are the labels that the fewest of the prototypes that w is exclude; in labelled sentences those that
are allowed there besides, and of their labellings those with all accepted chunks and no rejected one. The climb is not
concave, and begins at a little noise, for else all labels are alike.

The model is a CRF with the same weights, and −1000 for what a prototype excludes. Cost: a pass over the text, one over
a sentence of each length, and a sum over V × labels. Limit: fully labelled sentences make it a supervised MRF.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sstag.chain.functions import exp, log
from sstag.corpus.corpus import Corpus, together, with_column
from sstag.features.incidence import Incidence, extracted
from sstag.features.template import Clustered, Feature, Similar, Template, Text
from sstag.features.term_values import View
from sstag.foundation.arrays import Bools, Floats, Ints, Longs
from sstag.foundation.errors import ConfigError, DataError, counted
from sstag.foundation.parallel import Over
from sstag.foundation.ranges import offsets_of
from sstag.knowledge.expectation_list import ignored_strengths
from sstag.knowledge.expectations import Expectations, placed
from sstag.labels.column import labelled_text
from sstag.model.batches import taken
from sstag.model.compiled import Compiled
from sstag.model.dataset import Dataset
from sstag.model.model import MRF, Model, model
from sstag.model.sparse_weights import PairMap, Pairs
from sstag.model.weight_map import WeightMap, weight_map
from sstag.training.answered import answered_sentences
from sstag.training.climb import Hill, highest, start_weights
from sstag.training.criterion import Criterion
from sstag.training.echoes import warn_of_echoes
from sstag.training.inputs import Inputs, Run, compiled_texts, labelled_text_of, raw_text_of, with_named_labels
from sstag.training.looks import Part
from sstag.training.methods.parameters import Prototype
from sstag.training.objectives.partition import Partition
from sstag.training.objectives.rejection import Rejection
from sstag.training.parameter_specs import told

EXCLUDED = -1000.0  # the score of what a prototype excludes: its probability is 0 in float64


def train(inputs: Inputs, params: Prototype, rng: np.random.Generator, run: Run) -> Model:
    """The model of raw text in which the labels of some words are known."""
    if not params.expectations:
        raise ConfigError("prototype needs a list of words and their labels: expectations (--expectations FILE)")
    if inputs.labelled is None:
        raw_text_of(inputs, "prototype")
    known = labelled_text_of(inputs, "prototype").sets.labels if inputs.labelled else ()
    text = _text(inputs)
    listed = placed(params.expectations, inputs.template.named(text.columns), text)
    how = _of_words(inputs.template)
    for line in listed.listed.lines:
        if not _is_of_word(line.feature):
            where = f"{listed.listed.path}:{line.line}"
            raise ConfigError(f"{where}: '{line.attribute}' is no feature of a word alone, as a prototype must be")
    for warning in (*listed.odd(known), *ignored_strengths(listed.path, listed.targets)):
        run.warn(warning)
    warn_of_echoes(listed.listed, listed.targets, inputs, run)
    inputs = with_named_labels(replace(inputs, template=how), listed.labels, known, listed.path)
    made = compiled_texts(inputs, run, inputs.unlabelled)
    words = words_of(made, text, listed, inputs)
    if words.overruled:
        tokens = counted(words.overruled, "labelled token")
        run.warn(f"the list wins where it and the labels differ, at {tokens}: a prototype has its label everywhere")
    excluded = exclusions(made, listed)
    function = LogLikelihood(made, words, params.l2, run.over)
    start = start_weights(inputs, made) if inputs.init else params.noise * rng.standard_normal(len(excluded))
    start = np.where(excluded < 0, 0.0, start) + excluded

    def value(theta: Floats) -> float:
        free = theta - excluded
        return function(free)[0] - float(params.l1 * np.abs(free).sum())

    hill = Hill(function, lambda theta: theta - excluded, lambda free: free + excluded, value)
    found = highest(inputs, made, hill, params, run, start)
    about = {
        "method": "prototype",
        "parameters": told(params) | {"expectations": listed.digest},
        "prototypes": listed.about,
        "types": len(words.allowed) - 1,
        **found.about,
    }
    return model(made, found.theta, about, kind=MRF)


def _text(inputs: Inputs) -> Corpus:
    """All sentences in one, with a label column in which those of raw text are open."""
    raw, label = inputs.unlabelled, inputs.template.label
    if raw is not None:
        raw = with_column(raw, label, [inputs.marks.completed().unknown or ""], np.zeros(raw.tokens, np.int32))
    if inputs.labelled and raw:
        return together(inputs.labelled, raw)
    result = inputs.labelled or raw
    assert result is not None
    return result


def _is_of_word(feature: Feature) -> bool:
    return bool(feature.terms) and all(
        isinstance(term, Text | Similar | Clustered) and term.offset == 0 for term in feature.terms
    )


def _of_words(template: Template) -> Template:
    """The template, with an attribute of every feature for what training never saw."""
    if template.has_priors:
        raise ConfigError("prototype has one prior for all features")
    if template.dense:
        raise ConfigError(f"{template.dense[0].name}: prototype knows words by attributes, not by numbers")
    for feature in (*template.features, *template.edges.features):
        if not _is_of_word(feature) or feature in template.edges.features:
            raise ConfigError(
                f"prototype is a distribution over words: '{feature.name}' looks beyond the word itself; features are "
                "such as word[0], suffix(word[0], 1..3) or similar(word[0], …), and edges labels, begin and end"
            )
    features = tuple(feature.with_default() if _has_unseen(feature) else feature for feature in template.features)
    return replace(template, features=features, pairs="all", vocabulary="all")


def _has_unseen(feature: Feature) -> bool:
    """Whether there can be a value that training never saw."""
    return all(
        isinstance(term, Text) and all(name != "matches" for name, _ in term.source.functions) for term in feature.terms
    )


@dataclass(frozen=True)
class Words:
    """The words that there are, and the text in terms of them. V words: the types of the text, and last the unknown."""

    attributes: Incidence  # (V,) rows
    allowed: Bools  # (V, L) Λ
    text: Dataset  # its attributes are the words
    lengths: Dataset  # a sentence of each length, weighed by how many there are; every token is "any word", V
    overruled: int  # labelled tokens whose label their prototype excludes
    answered: Sequence[Part]  # sentences with chunks that are there, or are not


def words_of(made: Compiled, text: Corpus, listed: Expectations, inputs: Inputs) -> Words:
    """The words of a text, with the labels that prototypes leave them."""
    columns = {text.column(name) for how in (made.template, listed.listed.template) for name in how.columns_read}
    keys = np.zeros(text.tokens, np.int64)
    for column in sorted(columns):
        _, keys = np.unique(keys * len(text.values[column]) + text.codes[column], return_inverse=True)
    _, examples, word = np.unique(keys, return_index=True, return_inverse=True)
    types = replace(
        text,
        codes=tuple(codes[examples] for codes in text.codes),
        offsets=np.arange(len(examples) + 1),
        lines=text.lines[examples],
        file=None if text.file is None else text.file[examples],
        weights=None,
    )
    known = extracted(made.unary, View(types, made.template))
    defaults = [one.default for one in made.unary.tables if one.default >= 0]
    attributes = Incidence(
        np.append(known.indptr, known.indptr[-1] + len(defaults)),
        np.append(known.indices, np.array(defaults, np.int32)),
        None,
    )
    excluded = _excluded(made, listed)
    allowed = np.ones((len(examples) + 1, len(made.labels)), bool)
    for number, example in enumerate(examples.tolist()):
        lines = listed.active.indices[listed.active.indptr[example] : listed.active.indptr[example + 1]]
        times = excluded[lines].sum(axis=0)
        allowed[number] = times == times.min()
    sets, overruled = _sets(made, text, word, allowed, inputs)
    rows, choices = np.unique(sets, axis=0, return_inverse=True)
    of_words = _dataset(text.offsets, word.astype(np.int32), choices.astype(np.int32), rows, text.weights)
    answered = _answered(inputs, made, of_words, listed.listed.path)
    return Words(attributes, allowed, of_words, _lengths(text, len(allowed)), overruled, answered)


def _answered(inputs: Inputs, made: Compiled, text: Dataset, path: str) -> list[Part]:
    """The sentences with chunks that are there, or are not; log Z_Λ of the text and these are log Z_{Λ,chunks}."""
    found = answered_sentences(inputs, made.labels, text.offsets)
    if found is None:
        return []
    sentences, chunks = found
    data, answers = taken(text, sentences), Rejection(chunks)
    wrong = answers.contradicted(data, len(made.labels))
    if wrong is not None:
        number = int(sentences[wrong]) + 1
        raise DataError(f"its prototypes exclude what is known of the chunks of labelled sentence {number:,}", path)
    return [Part(data, (answers,))]


def _excluded(made: Compiled, listed: Expectations) -> Bools:
    """The labels that each prototype excludes."""  # (M, L)
    return np.array([[label not in target.likeliest for label in made.labels] for target in listed.targets])


def _sets(made: Compiled, text: Corpus, word: Longs, allowed: Bools, inputs: Inputs) -> tuple[Bools, int]:
    """The labels of each token, and how many tokens have none that its word and the sentence both allow."""  # (T, L)
    # `text` is labelled and raw sentences one after another: their column was not there before, and is read here.
    labelled = labelled_text(text, made.template.label, inputs.marks.completed(), inputs.known)
    ours, theirs = allowed[word], labelled.sets.allowed[labelled.codes]
    both: Bools = ours & theirs
    none = np.logical_not(both.any(axis=1))
    return np.where(none[:, None], ours, both), int(none.sum())


def _lengths(text: Corpus, any_word: int) -> Dataset:
    lengths = np.diff(text.offsets)
    distinct, place = np.unique(lengths, return_inverse=True)
    weights = np.bincount(place, text.weights, len(distinct)).astype(np.float64)
    offsets = offsets_of(distinct)
    return _dataset(offsets, np.full(offsets[-1], any_word, np.int32), None, np.zeros((0, 0), bool), weights)


def _dataset(offsets: Longs, words: Ints, sets: Ints | None, allowed: Bools, weights: Floats | None) -> Dataset:
    nothing = Incidence(np.zeros(len(words) + 1, np.int64), np.zeros(0, np.int32), None)
    return Dataset(offsets, Incidence(np.arange(len(words) + 1), words, None), nothing, sets, allowed, weights)


class LogLikelihood:
    """Σ ω log p(x) − l2/2 ‖θ‖², and its gradient: a function of θ."""

    def __init__(self, made: Compiled, words: Words, l2: float, over: Over) -> None:
        self.weight_map, self.words, self.l2 = weight_map(made), words, l2
        texts = [Part(words.text, (Partition(),)), Part(words.lengths, (Partition(),), -1.0)]
        self.criterion = Criterion(self.of_words, [*texts, *words.answered], 0.0, over)
        self.entries = self.weight_map.unary.entries(words.attributes)

    @cached_property
    def of_words(self) -> WeightMap:
        """The weights of chains whose attributes are words, and after them that of any word."""
        count, labels = len(self.words.allowed) + 1, self.weight_map.labels
        every = Pairs(np.arange(count + 1) * labels, np.tile(np.arange(labels, dtype=np.int32), count))
        return replace(self.weight_map, unary=PairMap(every, labels))

    def __call__(self, theta: Floats) -> tuple[float, Floats]:
        every = self.weight_map.parts(theta)
        unary = self.weight_map.unary
        labels = self.weight_map.labels
        s = np.zeros((len(self.words.allowed), labels))
        self.entries.add_scores(every["unary"], unary.rows(every["unary"]), s)
        s_allowed = np.where(self.words.allowed, s, -np.inf)
        largest = s_allowed.max(axis=0)
        p = exp(s_allowed - largest)  # (V, L), p(w|y) when divided by its sum
        sums = p.sum(axis=0)
        p /= sums
        rest = theta[len(every["unary"]) :]
        value, found = self.criterion(np.concatenate([s.ravel(), largest + log(sums), rest]))
        d = found[: s.size].reshape(s.shape) + p * found[s.size : s.size + labels]
        gradient = -self.l2 * theta
        gradient[len(every["unary"]) :] += found[s.size + labels :]
        table, own = np.zeros(unary.rows_shape), self.weight_map.parts(gradient)["unary"]
        self.entries.add_gradient(d, table, own)
        unary.add_from_rows(table, own)
        return value - 0.5 * self.l2 * float((theta * theta).sum()), gradient


def exclusions(made: Compiled, listed: Expectations) -> Floats:
    """EXCLUDED for each label that a prototype excludes, else 0: what the model has besides the weights."""  # (n,)
    number = {text: place for place, text in enumerate(made.unary.texts())}
    every = weight_map(made)
    result = np.zeros(every.size)
    weights = every.parts(result)["unary"].reshape(-1, len(made.labels))  # all pairs have one
    for line, excluded, count in zip(listed.listed.lines, _excluded(made, listed), listed.counts.tolist(), strict=True):
        if count and line.attribute not in number:
            rare = any(feature.literals == line.feature.literals for feature in made.template.features)
            why = "has it too seldom (minimum_count)" if rare else f"has no such attribute: add {line.feature.name}"
            raise DataError(
                f"'{line.attribute}' is a prototype, and the template {why}",
                listed.listed.path,
                line.line,
            )
        if count:
            weights[number[line.attribute], excluded] += EXCLUDED
    return result
