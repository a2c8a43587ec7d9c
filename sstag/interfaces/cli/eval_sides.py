"""The gold and the predicted labels of `sstag eval`, from files or from a model."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import NamedTuple, TypeVar

import click

from sstag.corpus.column_names import PREDICTED
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
from sstag.foundation.files import translated_errors
from sstag.foundation.json_values import Json
from sstag.interfaces.cli.encoding import watched_model
from sstag.interfaces.cli.options import FILE_CONTEXT, NO_CONTEXT, Reading, reads_text_first
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


def tagged(
    gold: str,
    path: str,
    legal: bool,
    threads: int,
    how: Reading,
    said: Said,
    calibrated: bool,
    line: ProgressLine,
    context: str | None = None,
) -> tuple[LabelColumn, Column, Confidences | None, dict[str, str], Mapping[str, Json]]:
    """The gold column, what a model says instead and how sure it is, what signs for the model, how it was trained."""
    from sstag.foundation.parallel import shards
    from sstag.model.legality import legality
    from sstag.model.model_file import load  # it imports the kernels
    from sstag.model.questions import Question
    from sstag.model.second_look import in_own_context
    from sstag.model.tagging import answered_corpus, sure_labels

    model = watched_model(load(path), threads, line)
    with translated_errors(path), open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    corpus = read(gold, model.template.layout(gold, how.asked))
    true = named_column(corpus, said.column or model.template.label, said.option)
    signed = {"model": digest[:DIGITS], "method": str(model.about.get("method", "unknown"))}
    with shards(threads) as over:

        def watched(function: Callable[[A], R], items: Sequence[A], /) -> list[R]:
            done = count(1)

            def one(item: A) -> R:
                result = function(item)
                line.show(f"{corpus.path}: tagged {100 * next(done) // len(items)} %")
                return result

            return over(one, items)

        if model.first or context:
            reads_first = reads_text_first(model, context, [gold])
            signed["context"] = FILE_CONTEXT if reads_first else NO_CONTEXT
            model = in_own_context(model, corpus, watched) if reads_first else model
        codes, sure, allowed = None, None, legality(model) if legal else None
        if calibrated:
            codes, sure = sure_labels(model, corpus, watched, allowed)
        elif allowed:
            codes = answered_corpus(model, corpus, Question(legality=allowed), watched).labels
        else:
            codes = model.tagged(model.dataset(corpus), watched)
    return true, Column(model.labels, codes), sure, signed, model.about
