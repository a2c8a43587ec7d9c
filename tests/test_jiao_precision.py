"""Mentions by GENETAG's alternatives, gene words of raw text, and γ chosen elsewhere (J06)."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sstag.evaluation.scoring import Column, evaluation, figures
from sstag.experiments.corpora import Corpora
from sstag.experiments.jiao2006 import alternatives, chosen_tables, gene_words, precision, printed
from sstag.experiments.jiao2006.draws import ADS
from sstag.experiments.over_sentences import gain_over_sentences
from sstag.foundation.errors import DataError

NOWHERE = Corpora([])
SIZES = {"A": 300, "B": 200, "C": 300, "D": 400}
SETTINGS = {"corpus": ADS, "sizes": SIZES, "made": 50, "raw": "B", "draw": 1}
SPANS = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 3)).map(lambda one: (one[0], one[0] + one[1])), max_size=4)


def as_the_scorer_does(gold, found, others):
    """The counts of the rules in the words of the scorer: inside, around, or over an end."""

    def beside(one, other):
        inside = other[0] >= one[0] and other[1] <= one[1]
        around = one[0] >= other[0] and one[1] <= other[1]
        after = one[0] <= other[0] <= one[1] <= other[1]
        before = other[0] <= one[0] <= other[1] <= one[1]
        return inside or around or after or before

    hit = sum(any(one == ours or (ours in others and beside(one, ours)) for ours in found) for one in gold)
    wrong = sum(not any(ours == one for one in gold) and ours not in others for ours in found)
    return hit, len(gold) - hit, wrong


@given(st.lists(st.tuples(SPANS, SPANS, SPANS), min_size=1, max_size=4))
def test_counts_are_those_of_the_scorer(sentences) -> None:
    gold, found, others = ([sorted(one[place]) for one in sentences] for place in range(3))
    counts = alternatives.counts(gold, found, [frozenset(one) for one in others])
    expected = [as_the_scorer_does(*one) for one in zip(gold, found, others, strict=True)]
    assert counts.tolist() == [list(one) for one in expected]


@given(st.lists(st.lists(st.sampled_from(["B-GENE", "I-GENE", "O"]), min_size=2, max_size=6), min_size=1, max_size=4))
def test_without_alternatives_the_figures_are_those_of_chunks(sentences) -> None:
    texts = ("B-GENE", "I-GENE", "O")
    codes = np.array([texts.index(tag) for one in sentences for tag in one], np.int32)
    offsets = np.cumsum([0, *map(len, sentences)])
    of = evaluation(Column(texts, codes), Column(texts, codes[::-1].copy()), offsets, scheme="iob2")
    gold, found = alternatives.mentions_of(of)
    counts = alternatives.counts(gold, found, [frozenset()] * len(gold)).sum(axis=0)
    assert [counts[0], counts[0] + counts[1], counts[0] + counts[2]] == [
        of.totals[name] for name in ("right", "gold", "found")
    ]
    said = alternatives.figures(counts.astype(float))
    if of.totals["gold"] and of.totals["found"]:
        assert said == pytest.approx([of.figures[name] for name in ("precision", "recall", "f1")])
        assert alternatives.overlapping(gold, found) >= of.figures["precision"] - 1e-12


def test_alternatives_are_read_in_the_order_of_the_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alternatives, "SENTENCES", 2)
    listed, named = (tmp_path / name for name in alternatives.FILES)
    listed.parent.mkdir(parents=True)
    named.write_text("@@2 a/NN b/NN\n@@1 c/NN\n", encoding="utf-8")
    listed.write_text("@@1|0 0|c\n@@2|0 1|a b\n@@2|1 1|b\n@@3|0 0|c\n", encoding="utf-8")
    here = Corpora([str(tmp_path)])
    assert alternatives.listed_alternatives(here) == [{(0, 1), (1, 1)}, {(0, 0)}]
    listed.write_text("@@1|0|c\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"Correct.Data:1: is no mention"):
        alternatives.listed_alternatives(here)
    named.write_text("@@2 a/NN\n", encoding="utf-8")
    with pytest.raises(DataError, match="1 sentences; the corpus has 2"):
        alternatives.listed_alternatives(here)


def test_gene_words_are_those_that_stand_before_genes(tmp_path: Path) -> None:
    text = "Abc gene\nAbc protein\nthe Abc gene\nthe gene\nthe protein\nthe gene\nXyz gene\n" + "the end\n" * 9
    path = tmp_path / gene_words.RAW
    path.parent.mkdir()
    lines = [line.split() for line in text.splitlines()]
    path.write_bytes(gzip.compress("\n\n".join("\n".join(words) for words in lines).encode() + b"\n"))
    how = gene_words.with_gene_words(Corpora([str(tmp_path)]), "window")
    assert how.lexica == {"often.txt": (("Abc",),), "sometimes.txt": (("Abc",), ("the",))}
    assert sum(feature.name.startswith("lexicon(") for feature in how.features) == 6


def test_a_climb_by_the_printed_gradient_leaves_the_supervised_optimum() -> None:
    rows = printed.climbed(NOWHERE, [], **SETTINGS, gammas=[0.1], after=[2, 40])
    rest = {(row["gamma"], row["steps taken"]): row for row in rows if row["on"] == "rest"}
    assert rest.keys() == {(0.0, 0), (0.1, 2), (0.1, 40)}
    assert rest[0.1, 40]["gradient left"] < 0.05 < rest[0.1, 2]["gradient left"]
    assert rest[0.1, 2]["joined"] + rest[0.1, 2]["left"] > 0


def test_gamma_is_chosen_without_the_rest() -> None:
    rows = [
        {"gamma": gamma, "on": on, "draw": draw, "f1": f1}
        for draw in (1, 2)
        for on, scores in (("choosing", {0.0: 1.0, 0.1: draw, -0.1: draw}), ("rest", {0.0: 5.0, 0.1: 4.0, -0.1: 3.0}))
        for gamma, f1 in scores.items()
    ]
    zero, found, gammas = chosen_tables.chosen_f1(rows)
    assert zero == {1: 5.0, 2: 5.0}
    assert gammas[1] == 0.0  # of equals the least
    assert abs(gammas[2]) == 0.1
    assert found == {1: 5.0, 2: 4.0 if gammas[2] > 0 else 3.0}


def test_taggers_are_judged_by_the_same_mentions() -> None:
    rows = precision.judged_twice(NOWHERE, [], **SETTINGS, lexicon=False, others=False)
    assert [row["system"] for row in rows] == [
        precision.WINDOW,
        precision.CONJUNCTIONS,
        precision.LABELLED,
        precision.FEWER,
    ]
    assert all(row["overlapping"] >= row["precision"] for row in rows)
    told = rows[-1]["over test"]
    assert told["gain"] == pytest.approx(rows[2]["f1"] - rows[0]["f1"], abs=1e-3)
    assert told["low"] <= told["gain"] <= told["high"]


def test_a_gain_over_sentences_that_are_all_alike_has_no_width() -> None:
    ours, theirs = (np.tile(row, (7, 1)) for row in ([9, 8, 1, 0, 3, 3, 2], [9, 8, 1, 0, 3, 3, 1]))
    said = gain_over_sentences(ours, theirs, lambda sums: figures(sums)[..., 4])
    assert said["low"] == said["gain"] == said["high"] == pytest.approx(100 / 3, abs=1e-3)
    assert said["tested"] == 7
