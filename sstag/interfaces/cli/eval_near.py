"""`sstag eval --near`: the labelled sentence that means most nearly what a wrong one means."""

import numpy as np

from sstag.corpus.corpus import Corpus, selected
from sstag.corpus.reading import read
from sstag.evaluation.alignment import LabelColumn, label_column, named_column
from sstag.evaluation.report.neighbours import Near, Neighbours
from sstag.features.meaning import meaning_in
from sstag.features.sentence_vectors import cosines, fitted
from sstag.features.template import Template
from sstag.foundation.parallel import shards
from sstag.interfaces.cli.encoding import watched_template
from sstag.interfaces.cli.options import Reading
from sstag.interfaces.cli.progress import ProgressLine
from sstag.model.model_file import load


def neighbours_of(
    gold: Corpus,
    wrong: list[int],
    near: str,
    model: str | None,
    meaning: str | None,
    label: str | None,
    how: Reading,
    threads: int,
    line: ProgressLine,
) -> Neighbours:
    """The sentence of the file `near` that is nearest to each wrong one, by a model's vectors or by others."""
    made = load(model).template if model else None
    of = _labelled(near, made, label, how)
    template = meaning_in(meaning, of.corpus.columns[of.corpus.word_column]) if meaning else made
    assert template is not None  # one of both is there: the command looks
    vectors, rows = fitted(watched_template(template, threads, line), of.corpus)
    is_wrong = np.isin(np.arange(gold.sentences), wrong)
    with shards(threads) as over:
        cosine = cosines(rows, vectors.of(selected(gold, is_wrong)), over)
    best, place = cosine.max(axis=0), cosine.argmax(axis=0)
    found = zip(np.flatnonzero(is_wrong).tolist(), place.tolist(), best.tolist(), strict=True)
    return Neighbours(of, {sentence: Near(other, value) for sentence, other, value in found if value > 0})


def _labelled(path: str, model: Template | None, label: str | None, how: Reading) -> LabelColumn:
    """The labelled sentences of a file, whose columns are those of the model, if there is one."""
    if model:
        return named_column(read(path, model.layout(path, how.asked)), label or model.label, "--label")
    layout = how.layout(path)
    return label_column(read(path, layout), layout, label, "--label")
