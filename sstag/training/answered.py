"""Sentences in which chunks were accepted or rejected: those of raw text become labelled sentences.

Their labels are what the answers say of single tokens, all others are open. What single tokens cannot hold, most of the
rejected chunks, is an objective beside the likelihood (`objectives/rejection.py`), and the two are one likelihood: the
sum over all labellings that have the accepted chunks and none of the rejected ones. Labelled sentences have rejected
chunks, too, where their label column has runs of a type with a mark (`labels/rejected_runs.py`).
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sstag.chain.chunk_automaton import KnownChunks
from sstag.corpus.corpus import Corpus, selected, together, with_column
from sstag.features.template import Template
from sstag.foundation.arrays import Bools, Longs
from sstag.foundation.errors import ConfigError, DataError, counted
from sstag.foundation.ranges import offsets_of
from sstag.knowledge.chunk_answers import ChunkAnswers, known_chunks
from sstag.labels.column import LabelledText
from sstag.labels.rejected_runs import rejected_runs
from sstag.labels.schemes.guess import guessed_scheme, scheme_of_labels
from sstag.labels.schemes.tagset import Tagset, labels_of_types, tolerant_tagset
from sstag.labels.span_list import SpanLabels, SpanList, refuse_types, span_labels
from sstag.model.batches import taken
from sstag.model.dataset import Dataset
from sstag.training.inputs import Inputs, Run, labelled_text_of, with_labels_read
from sstag.training.looks import Part
from sstag.training.methods import METHODS
from sstag.training.objectives.rejection import Rejection


def with_answers(inputs: Inputs, listed: SpanList, method: str, run: Run) -> Inputs:
    """Inputs in which the sentences of raw text that a list speaks of stand behind the labelled ones."""
    raw = inputs.unlabelled
    if raw is None:
        raise ConfigError("rejected spans are those of sentences of raw text: unlabeled (--unlabeled FILE)")
    text = labelled_text_of(inputs, "training") if inputs.labelled else None
    known = text.sets.labels if text else inputs.known
    if not known:
        raise ConfigError(
            f"{listed.path}: nothing tells how the chunks of types are labelled: --train FILE or --init MODEL does"
        )
    tags = _tags(listed, text, known)
    refuse_types(listed, tags)
    for label in tags.labels[len(known) :]:
        run.warn(f"{listed.path}: no labelled sentence has the label '{label}', which accepted spans need")
    marks = inputs.marks.completed()
    said = run.once("span labels", (raw, listed, tags.labels, marks), lambda: span_labels(listed, tags, marks, raw))
    answered = np.zeros(raw.sentences, bool)
    answered[np.array(sorted(listed.by_sentence)) - 1] = True
    labelled, left, answers = run.once(
        "answered",
        (inputs.labelled, raw, said, listed),
        lambda: _moved(inputs, raw, answered, said, known_chunks(listed, raw, tags)),
    )
    if METHODS[method].unlabelled and not left.sentences:
        raise ConfigError(f"{method} learns from raw text, and {listed.path} speaks of every sentence of it")
    return with_labels_read(
        replace(
            inputs,
            template=_with_pairs(inputs.template, answers),
            labelled=labelled,
            unlabelled=left if METHODS[method].unlabelled else None,
            marks=marks,
            named=(*inputs.named, *(label for label in tags.labels if label not in inputs.named)),
            chunks=answers.beside(inputs.chunks),
            answered=int(answered.sum()),
        )
    )


def with_rejected_cells(inputs: Inputs, ambiguous: str | None, run: Run) -> Inputs:
    """Inputs with the chunks that the label column of the labelled sentences rejects, if there are any."""
    if inputs.labelled is None or inputs.template.label not in inputs.labelled.columns:
        return inputs
    text = labelled_text_of(inputs, "training")
    listed = rejected_runs(text)
    if not listed.lines:
        return inputs
    if ambiguous:
        run.warn(
            f"{listed.path}:{listed.lines[0].line}: {counted(len(listed.lines), 'rejected chunk')} in the label column "
            f"tell nothing to --ambiguous {ambiguous}, which looks at single tokens"
        )
        return inputs
    answers = known_chunks(listed, text.corpus, _tags(listed, text, text.sets.labels))
    return replace(inputs, template=_with_pairs(inputs.template, answers), chunks=answers)


def _with_pairs(template: Template, answers: ChunkAnswers) -> Template:
    """The template with weights for all pairs, which what a rejected chunk may be instead needs, unless it chooses."""
    return replace(template, pairs=template.pairs or "all") if answers.beyond_sets.any() else template


def _tags(listed: SpanList, text: LabelledText | None, known: Sequence[str]) -> Tagset:
    """The labels that are known, as the labelled sentences write chunks, and those that accepted spans need."""
    if text and (text.single >= 0).any():
        scheme = guessed_scheme(known, text.single.astype(np.int32), text.corpus.offsets)
    else:
        scheme = scheme_of_labels(known)
    accepted = dict.fromkeys(line.type for line in listed.lines if line.accepted)
    needed = [label for label in labels_of_types(list(accepted), scheme) if label not in known]
    return tolerant_tagset([*known, *needed], scheme)


def _moved(
    inputs: Inputs, raw: Corpus, answered: Bools, said: SpanLabels, answers: ChunkAnswers
) -> tuple[Corpus, Corpus, ChunkAnswers]:
    """The labelled sentences with the answered ones behind them, what is left of the raw text, and the chunks there."""
    moved = selected(with_column(raw, inputs.template.label, said.texts, said.codes), answered)
    missing = [name for name in inputs.labelled.columns if name not in moved.columns] if inputs.labelled else []
    if missing:
        raise DataError(f"no column '{missing[0]}', which the labelled sentences have", raw.path)
    labelled = together(inputs.labelled, moved) if inputs.labelled else moved
    before = inputs.labelled.tokens if inputs.labelled else 0
    lengths = np.diff(raw.offsets)
    sentence = answers.chunks.sentences(raw.offsets)
    skipped = offsets_of(np.where(answered, 0, lengths))[:-1]
    chunks = answers.chunks.part(slice(None), skipped[sentence] - before)
    return labelled, selected(raw, ~answered), replace(answers, chunks=chunks)


def answered_parts(inputs: Inputs, labels: Sequence[str], data: Dataset | None) -> list[Part]:
    """The sentences whose answers sets of labels do not say exactly, with the objective that does.

    `data` begins with the labelled sentences.
    """
    found = None if data is None else answered_sentences(inputs, labels, data.offsets)
    if data is None or found is None:
        return []
    sentences, alone = found
    return [Part(taken(data, sentences), (Rejection(alone),))]


def answered_sentences(inputs: Inputs, labels: Sequence[str], offsets: Longs) -> tuple[Longs, KnownChunks] | None:
    """The sentences whose answers sets of labels do not say exactly, and the chunks of a text of these alone."""
    if inputs.chunks is None:
        return None
    every = inputs.chunks.over(labels)
    concerned = np.unique(every.part(inputs.chunks.beyond_sets, 0).sentences(offsets))
    if not len(concerned):
        return None
    return every.part(np.isin(every.sentences(offsets), concerned), 0).alone(offsets)
