"""A text read twice: what the first stage of a model predicts is counted by word, and then the text is tagged."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain

import numpy as np

from sstag.chain.lattice import Lattice
from sstag.corpus.blocks import Block
from sstag.corpus.contexts import NO_CONTEXT, OF_FILE, Read, context_runs
from sstag.corpus.corpus import Corpus, with_used_values
from sstag.corpus.reading import joined
from sstag.features.predictions import UNIT, CountsOfParts, LabelCounts, counts_in, counts_of_values, counts_out
from sstag.features.series import Known, Words
from sstag.features.template import Joined, Source, Template
from sstag.features.term_values import View
from sstag.foundation.archive import Archive, write_archive
from sstag.foundation.arrays import Ints, Longs
from sstag.foundation.grouping import ABSENT
from sstag.foundation.parallel import Over, Through, one_by_one
from sstag.model.batches import Batch
from sstag.model.model import Model
from sstag.model.questions import Question
from sstag.model.runs import refuse_longest, runs, tokens_together
from sstag.model.tagged_text import parts_of, with_columns

Counts = Mapping[str, LabelCounts]  # by the names of the tables that features look into


def predicted_counts(first: Model, template: Template, corpus: Corpus, over: Over) -> Counts:
    """The counts of the labels that a first model predicts in a text, for the values that a template looks at."""
    words = Words(template, corpus.columns, corpus.values, corpus.path)
    pairs = no_pairs(template, len(first.labels))
    sums = predicted_sums(first, corpus, words, over, pairs)
    return counts_of_sources(words, sums, {name: of_source.counts for name, of_source in pairs.items()})


def counts_of_sources(words: Words, sums: Mapping[str, Longs], pairs: Counts) -> Counts:
    """The counts of each table that features look into: of values that are known beforehand, and of pairs."""
    return {
        name: pairs[name] if isinstance(source, Joined) else counts_of_values(words.of(source).values, sums[name])
        for name, source in words.template.predicted.items()
    }


def no_pairs(template: Template, labels: int) -> dict[str, CountsOfParts]:
    """Counts of nothing for each table that has a value for several words together."""
    sources = template.predicted.items()
    return {name: CountsOfParts(labels, is_part=True) for name, source in sources if isinstance(source, Joined)}


def predicted_sums(
    first: Model, corpus: Corpus, words: Words, over: Over, pairs: Mapping[str, CountsOfParts]
) -> dict[str, Longs]:
    """For each source, how many tokens with each value are expected to have each label, in multiples of UNIT.

    Values of several words are not known beforehand: their counts are added to those of `pairs`.
    """
    sources = {name: source for name, source in words.template.predicted.items() if isinstance(source, Source)}
    columns = {words.column(source.column) for source in sources.values()}
    of_words = {column: np.zeros((len(corpus.values[column]), len(first.labels)), np.int64) for column in columns}
    question = Question(marginals=True)
    for run in runs(corpus.offsets, tokens_together(first, question)):
        part = corpus.part(run)
        refuse_longest(first, part, question)
        marginals = np.concatenate(first.asked(first.dataset(part, words), over, _marginals_in_units))  # (T, L)
        for column in columns:
            _add_by_value(of_words[column], part.codes[column], marginals)
        view = View(part, words.template, words)
        for name, counts in pairs.items():
            codes, values = view.own_values(words.template.predicted[name])
            of_part = np.zeros((len(values), len(first.labels)), np.int64)
            _add_by_value(of_part, codes, marginals)
            counts.add(counts_of_values(values, of_part))
    return {
        name: _by_value(words.of(source), of_words[words.column(source.column)]) for name, source in sources.items()
    }


def _by_value(of: Known, of_words: Longs) -> Longs:
    """The sums of each value of a source, of those of the words of its column."""
    if of.of_code is None:
        return np.pad(of_words, ((0, len(of.values) - len(of_words)), (0, 0)))
    sums = np.zeros((len(of.values), of_words.shape[1]), np.int64)
    _add_by_value(sums, of.of_code, of_words)
    return sums


def _add_by_value(sums: Longs, codes: Ints, marginals: Longs) -> None:
    """Adds the marginals of each token to the sums, (V, L), of its value."""
    having = np.flatnonzero(codes != ABSENT)
    order = having[np.argsort(codes[having], kind="stable")]
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))  # where the tokens of each value begin
    if len(order):
        sums[codes[order[starts]]] += np.add.reduceat(marginals[order], starts, axis=0)


def _marginals_in_units(batch: Batch, lattice: Lattice) -> Longs:
    units: Longs = np.rint(lattice.nodes / UNIT).astype(np.int64)
    return units


def counts_of_blocks(
    model: Model, blocks: Iterable[Block], through: Through, threads: int, is_part: bool = False
) -> Counts:
    """The counts of a file, or of a part of one, that is read block by block, by the first stage of a model."""
    first, template = model.first, model.template
    assert first

    def counts_of(block: Block) -> Counts:
        corpus = joined([with_columns(block, model.columns_read)], block.path)
        return predicted_counts(first, template, corpus, one_by_one)

    parts = (block for block in parts_of(blocks, first, Question(marginals=True), threads) if len(block.rows))
    return added_up(model, through(counts_of, parts), is_part)


def in_context(model: Model, counts: Counts) -> Model:
    """The model that knows the counts of a text at hand besides those of the raw text that it learned from."""
    vectors = dict(model.template.vectors)
    for name, of_text in counts.items():
        known = vectors[name]
        assert isinstance(known, LabelCounts)
        vectors[name] = of_text.above(known)
    return replace(model, template=replace(model.template, vectors=vectors))


def added_up(model: Model, parts: Iterable[Counts], is_part: bool = False) -> Counts:
    """The counts of a text, or of a part of one, that come in parts; of a whole text as many values as it may have."""
    together = {name: CountsOfParts(len(model.labels), is_part) for name in model.template.predicted}
    for part in parts:
        for name, counts in part.items():
            together[name].add(counts)
    return {name: of_name.counts for name, of_name in together.items()}


def save_counts(counts: Counts, path: str) -> None:
    """Writes counts to a file, which another process reads."""
    arrays = [counts_out(f"counts_{place}", of_source) for place, of_source in enumerate(counts.values())]
    write_archive(path, {}, dict(chain.from_iterable(each.items() for each in arrays)), _archive)


def saved_counts(path: str, model: Model) -> Counts:
    """The counts in a file, which are of the tables of a model."""
    archive = _archive(path)
    return {
        name: counts_in(archive, f"counts_{place}", len(model.labels))
        for place, name in enumerate(model.template.predicted)
    }


def saved_counts_together(paths: Iterable[str], model: Model) -> Counts:
    """The counts in the files of the parts of a text, which are removed."""

    def each() -> Iterator[Counts]:
        for path in paths:
            yield saved_counts(path, model)
            os.unlink(path)

    return added_up(model, each())


def _archive(path: str) -> Archive:
    return Archive(path, "a file of counts")


def having_read(model: Model, blocks: Iterable[Block], through: Through = map, threads: int = 1) -> Model:
    """The model that has read blocks once, and is to tag them."""
    return in_context(model, counts_of_blocks(model, blocks, through, threads))


def in_own_context(model: Model, corpus: Corpus, over: Over) -> Model:
    """The model that has read a text once, and is to tag it; a model of one stage is as it was."""
    if model.first is None:
        return model
    return in_context(model, added_up(model, [predicted_counts(model.first, model.template, corpus, over)]))


def in_contexts(model: Model, corpus: Corpus, read: Read, over: Over) -> Iterator[tuple[Model, Corpus]]:
    """The contexts of a text in memory, each with the model that has read it."""
    if model.first is None or read.context == NO_CONTEXT:
        yield model, corpus
    elif read.context == OF_FILE:
        yield in_own_context(model, corpus, over), corpus
    else:
        for run in context_runs(corpus.offsets, read):
            part = with_used_values(corpus.part(run))
            yield in_own_context(model, part, over), part
