"""The protocol of the experiment after Mann & McCallum (2008), step by step, on generated text."""

from collections import Counter
from itertools import pairwise
from math import exp, log
from pathlib import Path

import numpy as np
import pytest

from sstag.experiments.corpora import Corpora, shipped_template, shipped_text
from sstag.experiments.fitting import judged, percent, tagger
from sstag.experiments.mann2008 import figures, grid, held_shares, system_list, systems, under_rules, words_told
from sstag.experiments.mann2008.labelled_words import ALL, HEURISTIC, entropies, own, with_similar, word_list, words
from sstag.experiments.mann2008.system_list import GE, SIMILAR, SUPERVISED, SYSTEMS
from sstag.experiments.mann2008.texts import ADS, CITATIONS, COLUMNS, LABELLED, RAW, SEMINARS, Texts, some, texts
from sstag.experiments.spread import Spread
from sstag.features.template import MOST_SIMILAR
from sstag.foundation.parallel import one_by_one
from sstag.knowledge.expectations import placed
from sstag.knowledge.known_shares import KnownShares
from sstag.knowledge.target_shares import MAJORITY
from sstag.training.share_matching import matched
from tests.corpora import corpus

NOWHERE = Corpora([])
MADE = (20, 5, 10, 12)
TEMPLATE = shipped_template("mann2008/fields")
SETTINGS = {"corpus": ADS, "made": MADE}
CHOSEN = [[{"what": what, "value": 0.1, "figure": 0.0}] for what in system_list.TUNED]


def spoken(data) -> list[str]:
    return [" ".join(data.words("word", sentence)) for sentence in range(data.sentences)]


def tiny() -> Texts:
    """Labels a and b; `x` is as often a as b, `.` always b and most frequent."""
    train = corpus(
        [[("x", "a"), ("x", "b"), ("one", "a"), ("one", "a"), ("one", "b")], [(".", "b"), (".", "b"), ("two", "b")]],
        ("word", "field"),
    )
    other = corpus([[("one", "b"), ("two", "b"), ("three", "a")]], ("word", "field"))
    return Texts(ADS, train, other, other, corpus([[("one",), ("two",)]], ("word",)))


# ---------------------------------------------------------------------- texts


def test_larger_choices_have_the_sentences_of_smaller_ones() -> None:
    data = texts(NOWHERE, ADS, MADE)
    chosen = [spoken(some(data.train, count, 1, LABELLED)) for count in (1, 5, 20, 100)]
    assert [len(one) for one in chosen] == [1, 5, 20, 20]
    assert all(set(few) <= set(many) for few, many in pairwise(chosen))
    assert chosen[1] != spoken(some(data.train, 5, 2, LABELLED))
    assert chosen[1] != spoken(some(data.train, 5, 1, RAW))


def test_parts_are_different_texts_and_the_raw_one_has_no_labels() -> None:
    data = texts(NOWHERE, ADS, MADE)
    parts = [data.train, data.development, data.test, data.raw]
    assert [part.sentences for part in parts] == list(MADE)
    assert len({text for part in parts for text in spoken(part)}) == sum(MADE)
    assert [part.columns for part in parts] == [("word", "field")] * 3 + [("word",)]


def test_announcements_are_cut_once_and_for_all(tmp_path: Path) -> None:
    (tmp_path / "seminars").mkdir()
    for name, count in (("labeled25", 25), ("rest", 314), ("test", 3)):
        lines = "".join(f"{name}{number}\tNN\tothers\n\n" for number in range(count))
        (tmp_path / f"seminars/{name}.txt").write_text(lines, encoding="utf-8")
    one, again = (texts(Corpora([str(tmp_path)]), SEMINARS, ()) for _ in range(2))
    assert [part.sentences for part in (one.train, one.development, one.test, one.raw)] == [199, 40, 3, 100]
    assert len({*spoken(one.train), *spoken(one.development), *spoken(one.raw)}) == 339
    assert spoken(one.raw) == spoken(again.raw)
    assert one.raw.columns == ("word",)


def test_citations_are_in_their_files(tmp_path: Path) -> None:
    (tmp_path / "citations").mkdir()
    for name, tail in (("train", "\tauthor"), ("dev", "\tdate"), ("test", "\ttitle"), ("unlabeled", "")):
        (tmp_path / f"citations/{name}.txt").write_text(f"{name}\tNN{tail}\n\n", encoding="utf-8")
    data = texts(Corpora([str(tmp_path)]), CITATIONS, ())
    parts = [data.train, data.development, data.test, data.raw]
    assert [spoken(part) for part in parts] == [["train"], ["dev"], ["test"], ["unlabeled"]]
    assert data.raw.columns == ("word",)
    assert COLUMNS[1] not in data.train.columns


# ---------------------------------------------------------------------- words


def test_prototypes_are_frequent_words_of_their_label_with_or_without_punctuation() -> None:
    data = tiny()
    with_marks, without = (words(TEMPLATE, data, 1, punctuation) for punctuation in (True, False))
    assert with_marks.texts == ["word[0]=one", "word[0]=x", "word[0]=.", "word[0]=two"]  # of a, and then of b
    assert with_marks.missing == 2
    assert [with_marks.majority(place) for place in range(4)] == [["a"], ["a", "b"], ["b"], ["b"]]
    assert without.texts == ["word[0]=one", "word[0]=x", "word[0]=two"]
    assert without.missing == 3


def test_a_set_can_be_of_the_sentences_that_are_learned_from() -> None:
    data = tiny()
    of = own(TEMPLATE, data.train, corpus([[("one",), ("one",), ("x",), ("two",), (".",), (".",)]], ("word",)))
    assert of.texts == ["word[0]=one", "word[0]=."]  # the others occur once in the raw text
    assert [of.majority(place) for place in range(2)] == [["a"], ["b"]]
    assert of.counts(None, 1).tolist() == [[2, 1], [0, 2]]


def test_shares_are_of_the_occurrences_that_are_looked_at(tmp_path: Path) -> None:
    data = tiny()
    of = words(TEMPLATE, data, 1, True)
    assert of.counts(None, 1).tolist() == [[2, 2], [1, 1], [0, 2], [0, 2]]
    assert entropies(of)[:2] == pytest.approx(log(2))
    for samples in (1, 3):
        assert of.counts(samples, 1).sum(axis=1).tolist() == [min(samples, 4), *[min(samples, 2)] * 3]
        assert (of.counts(samples, 1) <= of.counts(None, 1)).all()
    for said, shares, looked_at in (
        (HEURISTIC, [[MAJORITY, 1 - MAJORITY], [0.5, 0.5], [1 - MAJORITY, MAJORITY], [1 - MAJORITY, MAJORITY]], 0),
        (ALL, [[0.5, 0.5], [0.5, 0.5], [0.1 / 2.2, 2.1 / 2.2], [0.1 / 2.2, 2.1 / 2.2]], 10),
    ):
        text, tokens = word_list(of, said, 1)
        (tmp_path / "words.tsv").write_text(text, encoding="utf-8")
        read = placed(str(tmp_path / "words.tsv"), TEMPLATE, data.raw)
        assert read.distributions(("a", "b")) == pytest.approx(np.array(shares), abs=1e-5)
        assert tokens == looked_at


def test_draws_look_at_other_occurrences() -> None:
    of = words(TEMPLATE, texts(NOWHERE, ADS, MADE), 2, True)
    assert (of.counts(1, 1) == of.counts(1, 1)).all()
    assert (of.counts(1, 1) != of.counts(1, 2)).any()


def test_words_are_similar_to_listed_ones_by_the_raw_text() -> None:
    data = texts(NOWHERE, ADS, MADE)
    of = words(TEMPLATE, data, 1, True)
    how = with_similar(TEMPLATE, data.raw, of)
    assert how.features[: len(TEMPLATE.features)] == TEMPLATE.features
    assert len(how.features) == len(TEMPLATE.features) + MOST_SIMILAR
    (near,) = how.similar.values()
    listed = {text.partition("=")[2] for text in of.texts}
    times = Counter(word for sentence in range(data.raw.sentences) for word in data.raw.words("word", sentence))
    assert {word: near[word][0] for word in listed & near.keys()} == {w: w for w in listed if times[w] >= 2}
    assert listed.issuperset(word for some_ in near.values() for word in some_)
    assert near.keys() - listed


def test_of_sets_it_is_told_what_is_new_in_each() -> None:
    rows = [words_told.told(NOWHERE, [], **SETTINGS, sets=sets, punctuation=True)[0] for sets in (1, 2)]
    assert sum(row["words"] for row in rows) == len(words(TEMPLATE, texts(NOWHERE, ADS, MADE), 2, True).texts)
    for row in rows:
        assert row["summed"] == pytest.approx(row["words"] * row["entropy"])
        few, some_, every = (np.array(row["shown"][samples]) for samples in words_told.SHOWN)
        assert [shares[0].sum() for shares in (few, some_, every)] == pytest.approx([1.0] * 3)
        assert few[1].max() > every[1].max()  # standard errors


# ---------------------------------------------------------------------- trials


@pytest.mark.parametrize("sizes", [*grid.REAL, *grid.GENERATED.values()], ids=lambda one: one.corpus)
def test_only_what_is_drawn_has_several_draws(sizes: grid.Sizes) -> None:
    runs = [{**one.settings, "by": one.function} for one in grid.trials(sizes) if one.function.endswith(":run")]
    draws: dict[tuple, set[int]] = {}
    for one in runs:
        draws.setdefault(tuple((key, str(value)) for key, value in one.items() if key != "draw"), set()).add(
            one["draw"]
        )
    assert sum(map(len, draws.values())) == len(runs)
    every = set(range(1, sizes.draws + 1))
    for said, found in draws.items():
        row = dict(said)
        fixed = row["instances"] == "0" and row["targets"] in (HEURISTIC, ALL) and int(row["raw"]) == sizes.raw[-1]
        assert found == ({grid.ONCE} if fixed else every)
    assert draws[next(said for said in draws if dict(said)["system"] == SUPERVISED)] == every


def test_a_system_under_rules_is_judged_by_what_rules_cost_its_own_sentences(tmp_path: Path) -> None:
    said = {"system": SIMILAR, "raw": 0, "instances": 10, "sets": 1, "punctuation": True, "targets": HEURISTIC}
    (found,) = under_rules.run(NOWHERE, CHOSEN, **SETTINGS, **said, draw=1)
    data = texts(NOWHERE, ADS, MADE)
    few = some(data.train, 10, 1, LABELLED)
    how = with_similar(TEMPLATE, data.raw, words(TEMPLATE, data, 1, True))
    (tmp_path / "rules.yaml").write_text(shipped_text("rules/ads"), encoding="utf-8")
    made = tagger(how, few, "crf", l2=0.1, rules=str(tmp_path / "rules.yaml"))
    assert found["accuracy"] == percent(judged(made, data.test).figures["accuracy"])
    assert found["system"] == f"{SIMILAR}, under rules"


def test_biases_give_the_raw_text_the_shares_of_the_labelled_sentences() -> None:
    said = {"system": held_shares.BIASES, "raw": 12, "instances": 20, "draw": 1}
    (found,) = held_shares.run(NOWHERE, CHOSEN, **SETTINGS, **said)
    data = texts(NOWHERE, ADS, MADE)
    few = some(data.train, 20, 1, LABELLED)
    plain = tagger(TEMPLATE, few, "crf", l2=0.1)
    times = Counter(label for sentence in range(few.sentences) for label in few.words("field", sentence))
    known = {label: (times[label] + 0.1) / (few.tokens + 0.1 * len(plain.labels)) for label in plain.labels}
    given = KnownShares("", "", known)
    model = matched(plain, some(data.raw, 12, 1, RAW), given, one_by_one, lambda step, away: None).model
    assert found["accuracy"] == percent(judged(model, data.test).figures["accuracy"])
    (within,) = held_shares.run(NOWHERE, CHOSEN, **SETTINGS, **said | {"system": held_shares.WITHIN})
    made = tagger(TEMPLATE, few, "label-regularization", unlabelled=data.raw, l2=0.1)
    assert within["accuracy"] == percent(judged(made, data.test).figures["accuracy"])


def test_of_l2_the_largest_within_a_standard_error_of_the_best() -> None:
    figures = {0.1: (60, 62, 70, 72), 1.0: (62, 63, 64, 65), 10.0: (62, 62, 62, 62)}  # 66 ± 2.97, 63.5, 62
    rows = [{"what": "l2", "value": value, "figure": one} for value, some in figures.items() for one in some]
    assert systems.best([rows], "l2") == 1.0
    assert systems.best([[{**row, "what": "λ"} for row in rows]], "λ") == 0.1


def test_the_best_value_has_the_highest_mean() -> None:
    rows = [
        {"what": what, "value": value, "figure": figure}
        for what, value, figure in (("γ", 1, 5), ("γ", 2, 6), ("γ", 2, 6), ("γ", 1, 7), ("λ", 3, 9), ("γ", 3, 6))
    ]
    assert systems.best([rows[:2], rows[2:]], "γ") == 1
    assert systems.best([rows], "λ") == 3


def test_a_value_is_tried_with_what_was_chosen_before_it() -> None:
    rows = systems.tuned(NOWHERE, CHOSEN[:1], **SETTINGS, what="λ", values=(0.001, 10.0), raw=12, draws=(1, 2))
    assert [(row["value"], row["draw"]) for row in rows] == [(0.001, 1), (10.0, 1), (0.001, 2), (10.0, 2)]
    assert rows[0]["figure"] != rows[1]["figure"]


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_beats_the_usual_label(name: str) -> None:
    system = SYSTEMS[name]
    said = {"raw": 12 if system.raw else 0, "sets": 2 if system.words else 0, "targets": HEURISTIC, "punctuation": True}
    chosen = [
        [{"what": what, "value": 0.1 if what == "l2" else 0.001 if what == "γ" else 10.0, "figure": 0.0}]
        for what in system_list.TUNED
    ]
    row, *freed = systems.run(
        NOWHERE, chosen, **SETTINGS, **said, system=name, instances=20 if system.instances else 0, draw=1
    )
    (usual,) = systems.usual(NOWHERE, [], **SETTINGS)
    data = texts(NOWHERE, ADS, MADE)
    fields = [field for sentence in range(10) for field in data.test.words("field", sentence)]
    assert usual["accuracy"] == pytest.approx(100 * fields.count(usual["label"]) / len(fields), abs=1e-4)
    assert row["accuracy"] > usual["accuracy"] + 10
    assert row["f1"] > usual["f1"]
    assert row["tokens"] == (data.train.tokens if system.instances else 0)
    assert [one["system"] for one in freed] == [system.freed][: bool(system.freed)]
    assert all(one["accuracy"] != row["accuracy"] for one in freed)


def test_tokens_are_those_of_sentences_and_those_looked_at() -> None:
    said = {"raw": 6, "instances": 0, "sets": 1, "punctuation": True}
    (row,) = systems.run(NOWHERE, CHOSEN, **SETTINGS, **said, system=GE, targets="2", draw=3)
    of = words(TEMPLATE, texts(NOWHERE, ADS, MADE), 1, True)
    assert row["tokens"] == of.counts(2, 3).sum()
    assert row["chosen"] == {"l2": 0.1, "strength": 0.1}


# ---------------------------------------------------------------------- what is told


def test_what_a_token_is_worth_is_read_off_the_curve() -> None:
    curve = [(10.0, Spread(20.0, 0, 1)), None, (100.0, Spread(40.0, 0, 1)), (1000.0, Spread(30.0, 0, 1))]
    assert figures._tokens_for(curve, 30.0) == pytest.approx(exp((log(10) + log(100)) / 2))
    assert figures._tokens_for(curve, 40.0) == pytest.approx(100)
    assert figures._tokens_for(curve, 41.0) is None
    assert figures._tokens_for(curve, 19.0) is None
