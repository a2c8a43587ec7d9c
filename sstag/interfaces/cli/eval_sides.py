"""The gold and the predicted labels of `sstag eval`, from files or from a model."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import NamedTuple, TypeVar

import click
import numpy as np

from sstag.corpus.column_names import PREDICTED
from sstag.corpus.contexts import NO_CONTEXT, NOT_READ, OF_DOCUMENT, Context, DocumentStarts, Read, undivided
from sstag.corpus.formats import format_of
from sstag.corpus.reading import read
from sstag.evaluation.alignment import (
    LabelColumn,
    ambiguous_words,
    check_labels,
    check_words,
    gold_and_predicted,
    label_column,
    named_column,
)
from sstag.evaluation.calibration import Confidences
from sstag.evaluation.prediction_lines import read_predictions
from sstag.evaluation.scoring import Column
from sstag.foundation.arrays import Ints
from sstag.foundation.files import translated_errors
from sstag.foundation.json_values import Json
from sstag.interfaces.cli.encoding import watched_model
from sstag.interfaces.cli.notices import say
from sstag.interfaces.cli.options import Reading, context_of
from sstag.interfaces.cli.progress import ProgressLine

A = TypeVar("A")
R = TypeVar("R")

DIGITS = 12  # of a SHA-256, in the signature


class Said(NamedTuple):
    """A column that an option names, if one does, and this option."""

    column: str | None
    option: str


def said_column(columns: Mapping[str, str | None], side: str) -> Said:
    """The column of a side, `gold` or `predicted`: the one of its own option, else the one of --label."""
    own, both = columns[side], columns["label"]
    return Said(both, "--label") if both and not own else Said(own, f"--{side}")


def two_sides(
    gold: str, predicted: str | None, how: Reading, columns: Mapping[str, str | None]
) -> tuple[LabelColumn, LabelColumn, Confidences | None]:
    """The gold and the predicted column, of one file or of two; and how sure the predictions are, if that is said."""
    layout = how.layout(gold)
    ours, theirs = said_column(columns, "gold"), said_column(columns, "predicted")
    if predicted is not None:
        true = label_column(read(gold, layout), layout, *ours)
        return true, *predictions(predicted, true, how, theirs)
    if (fixed := layout.format.fixed) and not (ours.column and theirs.column):
        raise click.UsageError(
            f"in {fixed.title} --gold and --predicted have to name the columns, or there are two files"
        )
    true, guess = gold_and_predicted(read(gold, layout), ours.column, theirs.column)
    if not theirs.column:
        check_labels(true, guess)
    return true, guess, None


def predictions(path: str, true: LabelColumn, how: Reading, said: Said) -> tuple[LabelColumn, Confidences | None]:
    """The predicted column of a file of its own, or the labels in JSON lines and how sure they are."""
    if format_of(path, how.asked) == "jsonl":
        corpus, sure = read_predictions(path)
        check_words(true.corpus, corpus)
        return LabelColumn(corpus, corpus.column(PREDICTED)), sure
    layout = how.layout(path)
    guess = label_column(read(path, layout), layout, *said)
    check_words(true.corpus, guess.corpus)
    if not said.column:
        check_labels(true, guess)
    return guess, None


def ambiguous(path: str, how: Reading, column: str | None) -> tuple[set[str], str]:
    """The ambiguous words of a file, and its digest."""
    layout = how.layout(path)
    one = label_column(read(path, layout), layout, column, "--label")
    return ambiguous_words(one, how.marks_of(layout)), one.corpus.digest[:DIGITS]


class OfModel(NamedTuple):
    """The labels that a model gives to the sentences of a file, beside the gold ones."""

    true: LabelColumn
    guess: Column
    sure: Confidences | None
    signed: dict[str, str]  # what signs for the model
    about: Mapping[str, Json]  # how it was trained
    read: Read  # what it has read before it tagged
    without: Column | None  # what it says where it has not read anything, if it has


def tagged(
    gold: str,
    path: str,
    legal: bool,
    threads: int,
    how: Reading,
    said: Said,
    calibrated: bool,
    line: ProgressLine,
    context: Context | None = None,
) -> OfModel:
    """The labels of a model, and the gold column of a file."""
    from sstag.foundation.parallel import shards
    from sstag.model.legality import legality
    from sstag.model.model_file import load  # it imports the kernels
    from sstag.model.questions import Question
    from sstag.model.second_look import in_contexts
    from sstag.model.tagging import answered_corpus, sure_labels

    model = watched_model(load(path), threads, line)
    with translated_errors(path), open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    documents, reads = DocumentStarts(), context_of(model, context, [gold])
    corpus = read(gold, model.template.layout(gold, how.asked), documents.noted)
    if reads == OF_DOCUMENT and not documents.starts:
        say(undivided(corpus.path))
    true = named_column(corpus, said.column or model.template.label, said.option)
    signed = {"model": digest[:DIGITS], "method": str(model.about.get("method", "unknown"))}
    signed |= {"context": str(reads)} if model.first else {}
    allowed, first = legality(model) if legal else None, Read(reads, documents.starts)
    with shards(threads) as over:

        def watched(function: Callable[[A], R], items: Sequence[A], /) -> list[R]:
            done = count(1)

            def one(item: A) -> R:
                result = function(item)
                if not reads.is_held:  # of which each is done in a moment
                    line.show(f"{corpus.path}: tagged {100 * next(done) // len(items)} %")
                return result

            return over(one, items)

        def labels(read: Read) -> Ints:
            if allowed:
                return answered_corpus(model, corpus, Question(legality=allowed), watched, read).labels
            found, done = list[Ints](), 0
            for own, part in in_contexts(model, corpus, read, watched):
                found.append(own.tagged(own.dataset(part), watched))
                done += part.tokens
                if read.context.is_held:
                    line.show(f"{corpus.path}: tagged {100 * done // corpus.tokens} %")
            return np.concatenate(found)

        codes, sure = sure_labels(model, corpus, watched, allowed, first) if calibrated else (labels(first), None)
        without = Column(model.labels, labels(NOT_READ)) if reads != NO_CONTEXT else None
    return OfModel(true, Column(model.labels, codes), sure, signed, model.about, first, without)
