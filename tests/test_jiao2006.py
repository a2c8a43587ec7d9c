"""The protocol of the experiments after Jiao et al. (2006), step by step, on generated text."""

import numpy as np
import pytest

from sstag.experiments.corpora import Corpora
from sstag.experiments.fitting import judged, tagger
from sstag.experiments.jiao2006 import draws, sweep, tables, variants
from sstag.experiments.jiao2006.draws import ADS, Draw, drawn

NOWHERE = Corpora([])
SIZES = {"A": 400, "B": 300, "C": 500, "D": 700}
MADE = 80
SETTINGS = {"corpus": ADS, "sizes": SIZES, "made": MADE, "raw": "C", "draw": 1}


def texts(data) -> list[str]:
    return [" ".join(data.words("word", sentence)) for sentence in range(data.sentences)]


def draw(raw: str, number: int = 1) -> Draw:
    return drawn(NOWHERE, ADS, SIZES, MADE, raw, number)


@pytest.mark.parametrize("raw", ["B", "C", "D"])
def test_sets_are_disjoint_whole_sentences_that_pass_their_size(raw: str) -> None:
    data = draw(raw)
    everything = texts(draws._generated(MADE))
    assert len(set(everything)) == MADE
    parts = [texts(part) for part in (data.labelled, data.raw, data.choosing, data.rest)]
    together = [text for part in parts for text in part]
    assert len(together) == len(set(together)) < MADE  # two of the sets are neither raw text nor the rest
    assert set(together) < set(everything)
    for part, size in ((data.labelled, SIZES["A"]), (data.raw, SIZES[raw])):
        assert part.tokens - max(np.diff(part.offsets)) < size <= part.tokens
    assert texts(data.choosing) == texts(draw("C" if raw == "B" else "D").raw if raw == "B" else draw("B").raw)


def test_a_draw_is_the_same_for_every_raw_text_and_differs_from_others() -> None:
    one, other = draw("B"), draw("D")
    assert texts(one.labelled) == texts(other.labelled)
    assert texts(one.rest) == texts(other.rest)
    assert texts(one.raw) == texts(other.choosing)
    assert texts(draw("B", 2).labelled) != texts(one.labelled)


def test_the_features_are_those_of_a_window_of_more_or_of_less() -> None:
    window, conjunctions, word = (sweep.template(name).features for name in sweep.TEMPLATES)
    names = {one.name for one in window}
    assert {one.name for one in conjunctions} - names == {"word[-1] | word[0]", "word[0] | word[1]"}
    assert {one.name for one in word} < names
    assert all("[-" not in one.name and "[1]" not in one.name for one in word)
    assert "word[2]" in names
    assert "prefix(word[0], 4)" in {one.name for one in word}


def swept(**changes):
    known = {**SETTINGS, **variants.BASE, "gammas": [-0.1, 0.0, 0.3]}
    return sweep.swept(NOWHERE, [], **{**known, **changes})


def rows_by(rows):
    return {(row["gamma"], row["on"]): row for row in rows}


def test_gamma_zero_is_the_supervised_crf() -> None:
    rows, data = rows_by(swept()), draw("C")
    supervised = tagger(sweep.template("window"), data.labelled, "partial")
    for name, text in (("raw", data.raw), ("choosing", data.choosing), ("rest", data.rest)):
        totals = judged(supervised, text).totals
        row = rows[0.0, name]
        assert [row[one] for one in ("gold", "found", "right")] == [totals[one] for one in ("gold", "found", "right")]
    rest = rows[0.0, "rest"]
    assert rest["joined"] == rest["left"] == 0
    assert rest["unsure in gold"] <= rest["unsure"]


def test_what_changes_is_counted_by_what_becomes_surer() -> None:
    rows = rows_by(swept())
    entropies = [rows[gamma, "raw"]["entropy"] for gamma in (-0.1, 0.0, 0.3)]
    assert entropies == sorted(entropies, reverse=True)
    tokens = draw("C").rest.tokens
    for gamma in (-0.1, 0.3):
        row, zero = rows[gamma, "rest"], rows[0.0, "rest"]
        moved = (zero["outside"] - row["outside"]) / 100 * tokens
        assert row["joined"] - row["left"] == pytest.approx(moved, abs=0.1)
        assert row["joined"] + row["left"] > 0
        assert row["joined rightly"] <= row["joined"]
        assert row["left rightly"] <= row["left"]
        assert row["unsure"] == zero["unsure"]


@pytest.mark.parametrize("changes", [{"per": "token"}, {"pairs": "all"}, {"vocabulary": "all"}, {"iterations": 2}])
def test_a_variant_is_something_else(changes) -> None:
    one, other = (rows_by(rows)[0.3, "raw"]["entropy"] for rows in (swept(), swept(**changes)))
    assert one != other


def test_the_gamma_that_is_chosen_is_that_of_the_other_text() -> None:
    """Never of the test: of these two draws one would choose worse than nothing."""
    rows = [
        {"gamma": gamma, "on": on, "draw": draw, "f1": f1}
        for draw, figures in ((1, {0.0: (50, 50), 0.1: (60, 45)}), (2, {0.0: (50, 40), 0.1: (49, 70)}))
        for gamma, both in figures.items()
        for on, f1 in zip(("choosing", "rest"), both, strict=True)
    ]
    supervised, gain, chosen, _ = variants._gains(rows, [0.1])
    assert supervised.mean == 45
    assert gain.mean == (-5 + 30) / 2
    assert chosen.mean == (-5 + 0) / 2


def test_the_papers_figures_are_those_of_its_tables() -> None:
    """F from P and R, and its supervised P and R from the counts."""
    for table in tables.TABLE1.values():
        for p, r, f in table.values():
            assert abs(2 * p * r / (p + r) - f) < 1.5
    for counts in tables.TABLE2.values():
        assert round(counts[0][1] / counts[0][0], 2) == 0.73
