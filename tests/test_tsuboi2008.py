"""The protocol of the experiments after Tsuboi et al. (2008), step by step, on generated text."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sstag.experiments.corpora import Corpora
from sstag.experiments.samples.ads import ads
from sstag.experiments.tsuboi2008 import ambiguous_tags, answers, hidden_labels, segmentation
from sstag.experiments.tsuboi2008.brown_tags import penn_tag
from sstag.experiments.tsuboi2008.domains import ADS, COLUMNS, begins, domains, words
from sstag.foundation.parallel import one_by_one
from tests.corpora import corpus

NOWHERE = Corpora([])
SIZES = (40, 10, 20)


def segmented(*sentences: str):
    """A corpus of words divided by blanks, characters as tokens."""
    return corpus(
        [
            [(char, "x", "BI"[i > 0]) for word in sentence.split() for i, char in enumerate(word)]
            for sentence in sentences
        ],
        COLUMNS,
    )


def texts(data) -> list[str]:
    return ["".join(data.words("char", sentence)) for sentence in range(data.sentences)]


# ---------------------------------------------------------------------- word segmentation


def test_words_are_what_the_labels_cut() -> None:
    data = segmented("ab c", "d efg")
    assert words(data) == ["ab", "c", "d", "efg"]
    assert begins(data).tolist() == [True, False, True, True, True, False, False]


@pytest.mark.parametrize("word_list", [True, False])
def test_a_draw_keeps_apart_what_is_known_from_what_is_tested(word_list: bool) -> None:
    one, again, other = (domains(NOWHERE, ADS, SIZES, draw, word_list) for draw in (1, 1, 2))
    assert [data.sentences for data in (one.source, one.validation, *one.halves)] == [40, 10, 10, 10]
    assert texts(one.source) == texts(other.source)
    assert [texts(half) for half in one.halves] == [texts(half) for half in again.halves]
    assert [texts(half) for half in one.halves] != [texts(half) for half in other.halves]
    whole = Counter(text for part in (*one.halves, one.raw) for text in texts(part))
    assert whole == Counter(text for part in (*other.halves, other.raw) for text in texts(part))
    assert one.terms == set(words(one.raw)) - set(words(one.source))
    assert one.terms


@pytest.mark.parametrize("word_list", [True, False])
def test_the_dictionary_has_what_the_source_has_twice_and_perhaps_the_word_list(word_list: bool) -> None:
    data = domains(NOWHERE, ADS, SIZES, 1, word_list)
    known = {word for word, times in Counter(words(data.source)).items() if times > 1}
    known |= data.terms if word_list else set()
    for part in (data.source, data.validation, *data.halves, data.raw):
        for number, text in enumerate(texts(part)):
            lengths = [
                [length for length in range(1, min(8, len(text) - place) + 1) if text[place : place + length] in known]
                for place in range(len(text))
            ]
            ends = [
                max((n for first, some in enumerate(lengths) for n in some if first + n - 1 == place), default=0)
                for place in range(len(text))
            ]
            assert part.words("terms", number) == [
                "".join(letter for length, letter in enumerate("abc", 1) if length in some)
                + f"s{min(4, max(some, default=0))}e{min(4, end)}"
                for some, end in zip(lengths, ends, strict=True)
            ]


def test_an_occurrence_is_a_listed_word_and_what_follows_it() -> None:
    data = segmented("ab c ab", "ab", "abc c")
    first, last = segmentation.occurrences(data, frozenset({"ab", "c"}))
    assert list(zip(first.tolist(), last.tolist(), strict=True)) == [(0, 2), (2, 3), (3, 4), (5, 6), (10, 10)]


@given(st.lists(st.integers(0, 4), max_size=5, unique=True))
def test_what_is_marked_is_known_and_nothing_else(chosen: list[int]) -> None:
    data = segmented("ab c ab", "ab", "abc c", "xy")
    first, last = segmentation.occurrences(data, frozenset({"ab", "c"}))
    some = segmentation.marked(data, first[chosen], last[chosen])
    known = {token for one in chosen for token in range(first[one], last[one] + 1)}
    left = [
        [data.words("tag", sentence)[token - begin] if token in known else "?" for token in range(begin, end)]
        for sentence, (begin, end) in enumerate(pairwise(data.offsets.tolist()))
        if known.intersection(range(begin, end))
    ]
    assert [some.words("tag", sentence) for sentence in range(some.sentences)] == left


def test_the_entropy_of_spans_is_that_of_each_sentence_alone() -> None:
    data = domains(NOWHERE, ADS, SIZES, 1)
    tagger = segmentation.system_of(data, edges=True, l2=1.0).model
    half = data.halves[0]
    first, last = segmentation.occurrences(half, data.terms)
    found = segmentation.span_entropies(tagger, half, first, last)
    assert len(found) > 5
    for one in range(0, len(first), 5):
        sentence = int(np.searchsorted(half.offsets, first[one], side="right")) - 1
        alone = half.part(slice(sentence, sentence + 1))
        begin = half.offsets[sentence]
        again = segmentation.span_entropies(tagger, alone, first[[one]] - begin, last[[one]] - begin)
        assert again[0] == pytest.approx(found[one])


def test_all_systems_learn_from_the_same_marks_and_more_marks_help() -> None:
    validated = [[{"edges": edges, "l2": l2, "f1": -abs(l2 - 1)} for edges in (True, False) for l2 in (0.1, 1.0)]]
    rows = segmentation.on_target(
        NOWHERE, validated, target=ADS, sizes=(100, 20, 60), counts=(5, 20, 10**6), word_list=True, draw=1
    )
    assert {(row["fold"], row["system"], row["marked"]) for row in rows} == {
        (fold, *what)
        for fold in (0, 1)
        for what in [(one, n) for one in segmentation.SYSTEMS for n in (0, 5, 20)] + [("everything", None)]
    }
    for fold in (0, 1):
        f1 = {(row["system"], row["marked"]): row["f1"] for row in rows if row["fold"] == fold}
        assert f1["marginalised", 0] == f1["argmax", 0]
        assert f1["marginalised", 0] < f1["marginalised", 20] < f1["everything", None]
        assert f1["pointwise", 0] < f1["pointwise", 20]


def test_what_it_depends_on_can_be_changed() -> None:
    validated = [[{"edges": edges, "l2": 1.0, "f1": 0.0} for edges in (True, False)]]
    given = {"target": ADS, "sizes": (60, 10, 40), "counts": (5,), "word_list": True, "draw": 1}
    changes = [{}, {"ranking": "random"}, {"stronger": 10.0}, {"template": "characters"}]
    found = [segmentation.on_target(NOWHERE, validated, **given, **change) for change in changes]
    f1 = [{(row["fold"], row["system"], row["marked"]): row["f1"] for row in rows} for rows in found]
    assert len({tuple(one.items()) for one in f1}) == len(changes)
    unmarked = [{key: value for key, value in one.items() if key[2] == 0} for one in f1]
    assert unmarked[0] == unmarked[1]  # what is marked depends on the ranking, and nothing before
    assert unmarked[0] != unmarked[2]


def test_pointwise_has_no_label_pairs() -> None:
    data = domains(NOWHERE, ADS, SIZES, 1)
    with_edges, without = (segmentation.system_of(data, edges, 1.0) for edges in (True, False))
    sizes = [one.model.weight_map.sizes for one in (with_edges, without)]
    assert [(one["steps"], one["begin"], one["end"]) for one in sizes] == [(4, 2, 2), (0, 0, 0)]
    assert sizes[0]["unary"] == sizes[1]["unary"]


def test_l2_is_the_best_of_the_same_kind_of_system() -> None:
    rows = [{"edges": True, "l2": 1.0, "f1": 3.0}, {"edges": True, "l2": 2.0, "f1": 4.0}]
    rows.append({"edges": False, "l2": 3.0, "f1": 9.0})
    assert [segmentation.best_l2(rows, edges) for edges in (True, False)] == [2.0, 3.0]


# ---------------------------------------------------------------------- ambiguous tags


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(12, 20), st.booleans())
def test_opened_tags_have_the_right_one_and_another_of_the_word(
    seed: int, count: int, sentences: int, by_tokens: bool
) -> None:
    data = list(ads(60, np.random.default_rng(3)))
    case = ambiguous_tags._with_opened(data, count, sentences, np.random.default_rng(seed), by_tokens)
    tags: dict[str, Counter[str]] = {}
    for one in data:
        for word, tag in one:
            tags.setdefault(word, Counter())[tag] += 1
    assert len(case.words) == count
    for word in case.words:
        (_, _), (_, second), *_ = tags[word].most_common()
        assert tags[word].total() >= 10
        assert second >= 0.1 * tags[word].total()
    assert case.gold_first is not None
    having = [one for one in data if any(word in case.words for word, _ in one)]
    assert len(case.ambiguous) == len(case.gold_first) == min(sentences, len(having))
    gold = {tuple(word for word, _ in one): one for one in data}
    for one, first in zip(case.ambiguous, case.gold_first, strict=True):
        for (word, written), (_, ordered), (_, tag) in zip(one, first, gold[tuple(w for w, _ in one)], strict=True):
            assert set(written.split("|")) == set(ordered.split("|"))
            if word in case.words:
                right, other = ordered.split("|")
                assert right == tag
                assert other in set(tags[word]) - {tag}
            else:
                assert written == tag
    opened = {word for one in case.ambiguous for word, tag in one if "|" in tag}
    assert opened == case.words
    trained = {tuple(word for word, _ in one) for one in case.ambiguous}
    left = [one for one in data if tuple(word for word, _ in one) not in trained]
    assert case.others == [one for one in left if any(word in case.words for word, _ in one)]


def test_tags_that_are_open_in_a_corpus_are_taken_as_they_are() -> None:
    sentences = [[("a", "X|Y"), ("b", "Z")], [("a", "X"), ("c", "Y")], [("c", "Y")], [("A", "X")]]
    case = ambiguous_tags._as_it_is(sentences)
    assert (case.words, case.ambiguous, case.gold_first) == ({"a"}, sentences[:1], None)
    assert case.others == [sentences[1]]


def test_symbols_are_one_tag(tmp_path) -> None:
    (tmp_path / "genia_pos").mkdir()
    (tmp_path / "genia_pos/test.txt").write_text("(\t(\n.\t:|NN\n\na\tIN|PRP$\n", encoding="utf-8")
    (tmp_path / "genia_pos/train.txt.gz").write_text("%\tSYM\n", encoding="utf-8")
    found = ambiguous_tags._read(Corpora([str(tmp_path)]), "GENIA")
    assert found == [[("%", "SYM")], [("(", "SYM"), (".", "SYM|NN")], [("a", "IN|PRP$")]]


def test_every_system_is_scored_on_the_same_sentences() -> None:
    rows = ambiguous_tags.tagged(NOWHERE, [], corpus=ambiguous_tags.ADS, made=100, opened=(6, 10), exercise=2, draw=1)
    assert [row["system"] for row in rows] == [ambiguous_tags.OURS, *ambiguous_tags.OTHERS]
    assert len({(row["words 1"], row["words 10"]) for row in rows}) == 1
    p = {row["system"]: row["p"] for row in rows}
    assert p["discarded"] < min(p[ambiguous_tags.GOLD_FIRST], p[ambiguous_tags.OURS])
    again = ambiguous_tags.tagged(NOWHERE, [], corpus=ambiguous_tags.ADS, made=100, opened=(6, 10), exercise=2, draw=1)
    assert again == rows


def test_sizes_that_are_asked_for_are_those_of_the_draw() -> None:
    given = {"corpus": ambiguous_tags.ADS, "made": 150, "opened": (6, 10), "draw": 1, "sizes": (20, 50)}
    for exercise in (1, 2):
        rows = ambiguous_tags.tagged(NOWHERE, [], exercise=exercise, **given)
        assert [rows[0][name] for name in ("open", "others", "tested")] == [10, 20, 50]
        assert rows[0]["over test"]["tested"] == 50
        assert rows[0]["over test"]["gain"] == pytest.approx(rows[0]["p"] - rows[1]["p"], abs=1e-3)
    some, often = Counter[str](), Counter[str]()
    data = list(ads(60, np.random.default_rng(3)))
    for seed in range(30):
        for counted, by_tokens in ((some, False), (often, True)):
            case = ambiguous_tags._with_opened(data, 3, 5, np.random.default_rng(seed), by_tokens)
            counted.update(case.words)
    total = Counter(word for one in data for word, _ in one)
    assert sum(total[word] for word in often.elements()) > sum(total[word] for word in some.elements())


@pytest.mark.parametrize(
    ("brown", "penn"),
    [
        ("nn-tl", "NN"), ("nn$", "NN"), ("np$-tl", "NNP"), ("ppss+bem", "PRP"), ("doz*", "VBZ"), ("pp$", "PRP$"),
        ("wp$", "WP$"), ("fw-nn", "FW"), ("--", "SYM"), (",-hl", "SYM"), ("*", "SYM"), ("bedz", "VBD"), ("vbn", "VBN"),
        ("cs", "IN"), ("jjt", "JJS"), ("to", "TO"),
    ],
)  # fmt: skip
def test_tags_of_brown_are_those_of_the_treebank(brown: str, penn: str) -> None:
    assert penn_tag(brown) == penn


# ---------------------------------------------------------------------- answers


def test_places_of_terms_are_all_of_them_and_words_some() -> None:
    data = segmented("ab c ab", "a b", "abc c")
    first, stop = answers._places(data, frozenset({"ab", "c"}))
    assert list(zip(first.tolist(), stop.tolist(), strict=True)) == [
        (0, 2), (2, 3), (3, 5), (5, 7), (7, 9), (9, 10), (10, 11),
    ]  # fmt: skip
    assert answers._are_words(data, first, stop).tolist() == [True, True, True, False, False, False, True]


def test_noes_are_told_to_one_system_and_it_listens() -> None:
    validated = [[{"edges": edges, "l2": 1.0, "f1": 0.0} for edges in (True, False)]]
    given = {"target": ADS, "sizes": (60, 10, 40), "counts": (5, 20), "general": True, "listed": 1.0, "draw": 1}
    rows = answers.asked(NOWHERE, validated, **given)
    for fold in (0, 1):
        here = {(row["system"], row["answers"]): row for row in rows if row["fold"] == fold}
        assert here[answers.NOES, 0]["f1"] == here["marginalised", 0]["f1"]
        last = here["marginalised", 20]
        assert 0 < last["yes"] < 20 <= last["places"]
        assert last["words"] < last["places"]
    assert any(
        row["f1"] != other["f1"]
        for row in rows
        for other in rows
        if row["system"] == answers.NOES and other["system"] == "marginalised"
        if (row["fold"], row["answers"]) == (other["fold"], other["answers"])
    )


def test_a_rejected_word_becomes_improbable() -> None:
    data = domains(NOWHERE, ADS, SIZES, 1)
    tagger, half = segmentation.system_of(data, edges=True, l2=1.0), data.halves[0]
    first, stop = answers._places(half, data.terms)
    sure = tagger.model.tagged(tagger.model.dataset(half), one_by_one)
    begins = np.append(np.array(tagger.made.labels)[sure] == "B", True)
    said = np.array([begins[a] and begins[b] and not begins[a + 1 : b].any() for a, b in zip(first, stop, strict=True)])
    some = first[said][:5], stop[said][:5]
    nothing = segmentation.opened(half, *(np.zeros(0, np.int64),) * 2)
    after = answers._told(tagger, nothing, some, 0.01)
    now = np.append(
        np.array(tagger.made.labels)[after.model.tagged(after.model.dataset(half), one_by_one)] == "B", True
    )
    assert len(some[0]) == 5
    assert (after.theta != tagger.theta).any()
    assert not any(now[a] and now[b] and not now[a + 1 : b].any() for a, b in zip(*some, strict=True))


def test_a_general_dictionary_takes_words_from_the_list_and_a_share_of_it_is_drawn() -> None:
    whole, less = (domains(NOWHERE, ADS, SIZES, 1, general=True, listed=share) for share in (1.0, 0.5))
    other = domains(NOWHERE, ADS, SIZES, 1)
    assert less.terms < whole.terms <= other.terms
    assert texts(less.halves[0]) == texts(other.halves[0])


# ---------------------------------------------------------------------- hidden labels


@pytest.mark.parametrize("hidden", [0.0, 0.3])
def test_hidden_labels(hidden: float) -> None:
    found = {
        system: hidden_labels.with_hidden(
            NOWHERE, [], corpus=hidden_labels.ADS, made=(40, 20), hidden=hidden, system=system, draw=1
        )[0]["f1"]
        for system in hidden_labels.SYSTEMS
    }
    if hidden:  # ads are long: none is left whole
        assert found["argmax"] is found["discard"] is None
        assert found["partial"] > 10
    else:
        assert found["partial"] == found["argmax"] == found["discard"] > 20
        assert found["maxent"] != found["partial"]
