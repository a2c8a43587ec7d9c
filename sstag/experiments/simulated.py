"""A simulated annotation as a trial: rows for its rounds, and for the time that its warm starts save."""

import time
from collections.abc import Sequence
from dataclasses import replace

from sstag.corpus.corpus import Corpus
from sstag.experiments.fitting import judged, percent
from sstag.experiments.trials import Row
from sstag.foundation.errors import ConfigError, counted
from sstag.model.model import Model
from sstag.selection.choosing import Wish
from sstag.selection.simulation.rounds import Round, Scene, learned, rounds


def curve(scene: Scene, wish: Wish, totals: Sequence[int], unit: str, test: Corpus) -> list[Row]:
    """A row for each round: the tokens asked for so far, and the score of the model that was learned from them."""
    made = enumerate(rounds(scene, wish, totals, unit), 1)
    rows = [{"round": number, **labelled_so_far(scene, one), **scored(one.model, test)} for number, one in made]
    if not rows:
        raise ConfigError(f"{wish.strategy}: no sentence fits into {counted(totals[-1], unit.removesuffix('s'))}")
    return rows


def labelled_so_far(scene: Scene, one: Round) -> Row:
    """The numbers of sentences and tokens labelled so far, and of wrong labels among those that the model gave."""
    known = one.known
    own = (known.labels > 0) & ~known.asked
    tokens = own.nonzero()[0]
    right = scene.annotator.labels_of(tokens)
    given = [known.texts[code] for code in known.labels[tokens].tolist()]
    return {
        "sentences": one.sentences,
        "tokens": one.tokens,
        "own": len(tokens),
        "own wrong": sum(a != b for a, b in zip(given, right, strict=True)),
        "iterations": one.model.about["iterations"],
    }


def scored(model: Model, test: Corpus) -> Row:
    """F₁ of chunks, or the accuracy of plain labels."""
    figures = judged(model, test).figures
    measure = "f1" if "f1" in figures else "accuracy"
    return {"measure": measure, "score": percent(figures[measure])}


def warm_and_cold(scene: Scene, wish: Wish, totals: Sequence[int], unit: str, test: Corpus) -> list[Row]:
    """A row for each round after the first: its training from the last model, and from nothing."""
    rows: list[Row] = []
    before: Model | None = None
    for one in rounds(scene, wish, totals, unit):
        if before:
            row: Row = {"tokens": one.tokens}
            for name, start in (("warm", before), ("cold", None)):
                began = time.perf_counter()
                made = learned(replace(scene, warm=True), one.known, start)
                row[f"{name} seconds"] = time.perf_counter() - began
                row[f"{name} iterations"] = made.about["iterations"]
                row[f"{name} objective"] = made.about["objective"]
                row[f"{name} score"] = scored(made, test)["score"]
            rows.append(row)
        before = one.model
    return rows
