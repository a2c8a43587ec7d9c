"""Columnar extraction agrees with a reference that looks at one token after the other."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sstag.features import attribute_tables
from sstag.features.grammar import features
from sstag.features.incidence import extracted
from sstag.features.reading import template
from sstag.features.template import Edges, Feature, Listed, Source, Template, Text
from sstag.features.term_values import View
from sstag.features.vocabulary import Vocabulary, built
from sstag.foundation.errors import DataError
from sstag.foundation.grouping import distinct
from tests.corpora import COLUMNS, CRFPP_LINES, ENTRIES, LINES, NARROW, corpus, part, sentences
from tests.reference import Sentence, corpus_attributes, corpus_steps, crfpp, known_texts

WIDEST = st.sampled_from([attribute_tables.WIDEST, attribute_tables.WIDEST, 100, 2])  # the smaller, the more stages
FEW = settings(max_examples=150, deadline=None)


@contextmanager
def widest(keys: int) -> Iterator[None]:
    """Keys that must stay below a number: what is wider is folded in stages."""
    with patch.object(attribute_tables, "WIDEST", keys):
        yield


def made(lines: Sequence[str], entries: Sequence[Sequence[str]] = (("a", "b"),)) -> Template:
    """A template with these features for tokens and for steps."""
    some = tuple(feature for line in lines for feature in features(line, COLUMNS, "label"))
    return Template(
        COLUMNS, "label", some, Edges(features=some), lexica={"names": tuple(tuple(entry) for entry in entries)}
    )


TEMPLATES = st.builds(made, st.lists(LINES, min_size=1, max_size=5), ENTRIES)
CRFPP = st.lists(CRFPP_LINES, min_size=1, max_size=5)


def texts(known: Vocabulary, ids: np.ndarray) -> list[Counter[str]]:
    """The attributes of each token, read aloud."""
    names = known.texts()
    return [Counter(names[number] for number in column if number >= 0) for column in ids.T.tolist()]


def bare(found: Sequence[Sequence[tuple[str, float, str | None]]]) -> list[Counter[str]]:
    return [Counter(text for text, _, _ in token) for token in found]


def filtered(found: Sequence[Sequence[tuple[str, float, str | None]]], known: set[str]) -> list[Counter[str]]:
    return [Counter(known_texts(token, known)) for token in found]


def learned(how: Template, *corpora: Sequence[Sentence], minimum_count: int = 1) -> tuple[Vocabulary, list[np.ndarray]]:
    return built(how.features, [View(corpus(one), how) for one in corpora], minimum_count)


def expand(lines: Sequence[str], text: Sequence[Sentence]) -> list[Counter[str]]:
    """CRF++'s attributes of each token."""
    return [Counter(crfpp(lines, sentence, at)) for sentence in text for at in range(len(sentence))]


class TestAgainstTheReference:
    @FEW
    @given(TEMPLATES, sentences(), WIDEST)
    def test_a_new_vocabulary_has_the_attributes_of_the_text(self, how, text, keys):
        with widest(keys):
            known, (ids,) = learned(how, text)
        assert texts(known, ids) == bare(corpus_attributes(how, text))

    @FEW
    @given(TEMPLATES, sentences(), WIDEST)
    def test_steps_have_attributes_from_the_second_token_on(self, how, text, keys):
        with widest(keys):
            known, (ids,) = built(how.edges.features, [View(corpus(text), how)], steps=True)
            again = known.ids(View(corpus(text), how))
        assert texts(known, ids) == bare(corpus_steps(how, text))
        np.testing.assert_array_equal(again, ids)

    @FEW
    @given(TEMPLATES, sentences(), sentences(), st.integers(1, 3), WIDEST)
    def test_a_frozen_vocabulary_knows_what_it_saw_often(self, how, text, other, minimum_count, keys):
        with widest(keys):
            known, _ = learned(how, text, minimum_count=minimum_count)
            ids = known.ids(View(corpus(other), how))
        counts = Counter(name for token in bare(corpus_attributes(how, text)) for name in token.elements())
        often = {name for name, count in counts.items() if count >= minimum_count}
        assert texts(known, ids) == filtered(corpus_attributes(how, other), often)

    @FEW
    @given(TEMPLATES, sentences(), st.integers(1, 3), WIDEST)
    def test_a_frozen_vocabulary_reads_its_own_text_as_when_it_was_new(self, how, text, minimum_count, keys):
        with widest(keys):
            known, (ids,) = learned(how, text, minimum_count=minimum_count)
            np.testing.assert_array_equal(known.ids(View(corpus(text), how)), ids)

    @FEW
    @given(TEMPLATES, st.lists(sentences(), min_size=2, max_size=3), st.integers(1, 3))
    def test_several_corpora_are_one(self, how, corpora, minimum_count):
        together, (whole,) = learned(how, [one for text in corpora for one in text], minimum_count=minimum_count)
        apart, parts = learned(how, *corpora, minimum_count=minimum_count)
        assert apart.texts() == together.texts()
        np.testing.assert_array_equal(np.concatenate(parts, axis=1), whole)

    @FEW
    @given(TEMPLATES, sentences(), st.data())
    def test_part_of_a_corpus_has_the_attributes_of_its_sentences(self, how, text, data):
        begin = data.draw(st.integers(0, len(text) - 1))
        end = data.draw(st.integers(begin + 1, len(text)))
        known, (ids,) = built(how.features, [View(part(corpus(text), begin, end), how)])
        assert texts(known, ids) == bare(corpus_attributes(how, text[begin:end]))
        assert {name for token in texts(known, ids) for name in token} | defaults(how) == set(known.texts())

    @FEW
    @given(TEMPLATES, sentences(least=0), sentences(least=0))
    def test_empty_sentences_change_nothing(self, how, text, other):
        for some, reference, steps in (
            (how.features, corpus_attributes, False),
            (how.edges.features, corpus_steps, True),
        ):
            known, (ids,) = built(some, [View(corpus(text), how)], steps=steps)
            assert texts(known, ids) == bare(reference(how, text))
            names = {name for token in bare(reference(how, text)) for name in token}
            assert texts(known, known.ids(View(corpus(other), how))) == filtered(reference(how, other), names)

    @FEW
    @given(TEMPLATES, sentences())
    def test_attributes_carry_the_product_of_their_numbers(self, how, text):
        view = View(corpus(text), how)
        known, _ = built(how.features, [view])
        incidence = extracted(known, view)
        weights = np.ones(len(incidence.indices)) if incidence.values is None else incidence.values
        all_names = known.texts()
        names = [all_names[number] for number in incidence.indices]
        found = list(zip(names, weights.tolist(), strict=True))
        made = [found[begin:end] for begin, end in pairwise(incidence.indptr.tolist())]
        expected = [[(name, value) for name, value, _ in token] for token in corpus_attributes(how, text)]
        assert made == expected

    @FEW
    @given(CRFPP, CRFPP, sentences(words=NARROW), sentences(words=NARROW), WIDEST)
    def test_crfpp_lines_make_the_texts_that_crfpp_makes(self, unigrams, bigrams, text, other, keys):
        unigrams, bigrams = [f"U{line}" for line in unigrams], [f"B{line}" for line in bigrams]
        how = template("\n".join([*unigrams, *bigrams]), "crfpp.template")
        with widest(keys):
            known, (ids,) = learned(how, text)
            again = known.ids(View(corpus(other), how))
            edge, (step_ids,) = built(how.edges.features, [View(corpus(text), how)], steps=True)
        expected = expand(unigrams, text)
        assert texts(known, ids) == expected
        names = {name for token in expected for name in token}
        assert set(known.texts()) == names
        assert known.size == len(names)
        unknown_left_out = [
            Counter({name: count for name, count in token.items() if name in names})
            for token in expand(unigrams, other)
        ]
        assert texts(known, again) == unknown_left_out
        bare_bigram = [line for line in bigrams if "%" not in line]
        assert how.edges.labels == bool(bare_bigram)
        steps = [
            Counter(crfpp(sorted(set(bigrams) - set(bare_bigram), key=bigrams.index), s, at)) if at else Counter()
            for s in text
            for at in range(len(s))
        ]
        assert [set(token) for token in texts(edge, step_ids)] == [set(token) for token in steps]


def defaults(how: Template) -> set[str]:
    return {feature.default for feature in how.features if feature.default is not None}


class TestNumbering:
    @FEW
    @given(TEMPLATES, sentences(), st.integers(1, 3))
    def test_frequent_attributes_come_first_then_those_used_first(self, how, text, minimum_count):
        known, _ = learned(how, text, minimum_count=minimum_count)
        counts = Counter(name for token in corpus_attributes(how, text) for name, _, _ in token)
        often = [name for name, count in counts.most_common() if count >= minimum_count]
        assert known.texts()[: len(often)] == often
        assert set(known.texts()[len(often) :]) == defaults(how)
        assert known.size == len(often) + len(defaults(how))

    @FEW
    @given(CRFPP, sentences(words=NARROW))
    def test_attributes_that_read_alike_are_counted_together(self, lines, text):
        lines = [f"U{line}" for line in lines]
        known, _ = learned(template("\n".join(lines), "t"), text)
        counts = Counter(
            name for sentence in text for at in range(len(sentence)) for name in crfpp(lines, sentence, at)
        )
        assert known.texts() == [name for name, _ in counts.most_common()]

    def test_the_first_use_of_what_reads_alike_is_that_of_any_feature(self):
        how = template("U:%x[0,0]\nU:%x[0,1]", "t")
        known, _ = learned(how, [[("m", "z", "1", "A"), ("n", "m", "1", "A"), ("z", "n", "1", "A")]])
        assert known.texts() == ["U:m", "U:z", "U:n"]

    def test_rare_attributes_are_left_out_and_their_default_fires_in_training(self):
        how = made(["word[0] else rare"])
        known, (ids,) = learned(how, [words("a b a")], minimum_count=2)
        assert known.texts() == ["word[0]=a", "word[0] else rare"]
        assert ids.tolist() == [[0, 1, 0]]

    def test_a_default_fires_for_the_unknown_not_for_the_absent(self):
        how = made(["suffix(word[1], 2) else new"])
        known, _ = learned(how, [words("x aa")])
        ids = known.ids(View(corpus([words("aa aa bb b aa")]), how))
        assert [known.texts()[number] if number >= 0 else None for number in ids[0]] == [
            "suffix(word[1], 2)=aa",
            "suffix(word[1], 2) else new",
            None,
            "suffix(word[1], 2)=aa",
            None,
        ]

    def test_no_feature_is_no_attribute(self):
        known, (ids,) = learned(made([]), [words("a b")])
        assert known.size == 0
        assert known.texts() == []
        assert ids.shape == (0, 2)

    def test_what_nothing_was_learned_from_is_unknown(self):
        how = made(["prefix(word[0], 2)", "matches(word[0], '^z')", "matches(word[0], '^z') | prefix(word[0], 2)"])
        known, (ids,) = learned(how, [words("a b")])
        assert known.size == 0
        assert (ids == -1).all()
        assert (known.ids(View(corpus([words("aa zz a")]), how)) == -1).all()


class TestReadingAlike:
    def test_a_bag_of_words_is_one_attribute_per_word(self):
        how = template("U:%x[-1,0]\nU:%x[1,0]", "t")
        known, (ids,) = learned(how, [words("a b")])
        assert texts(known, ids) == [Counter(["U:_B-1", "U:b"]), Counter(["U:a", "U:_B+1"])]
        assert texts(known, known.ids(View(corpus([words("b a")]), how))) == [
            Counter(["U:_B-1", "U:a"]),
            Counter(["U:b", "U:_B+1"]),
        ]

    def test_minimum_count_counts_what_reads_alike_together(self):
        how = template("U:%x[-1,0]\nU:%x[1,0]", "t")
        known, _ = learned(how, [words("a b"), words("b a")], minimum_count=2)
        assert sorted(known.texts()) == ["U:_B+1", "U:_B-1", "U:a", "U:b"]

    @pytest.mark.parametrize(
        ("lines", "text", "expected"),
        [
            ("U:%x[0,0]%x[1,0]", "ab c a bc", {"U:abc", "U:ca", "U:bc_B+1"}),
            ("U:%x[0,0]/%x[1,0]", "a/b c a b/c", {"U:a/b/c", "U:c/a", "U:b/c/_B+1"}),
            ("U:%x[-1,0]%x[0,0]\nU:%x[0,0]%x[1,0]", "a b", {"U:_B-1a", "U:ab", "U:b_B+1"}),
            ("U1%x[0,0]\nU%x[0,0]", "1 11", {"U11", "U1", "U111"}),
            ("U%x[0,0]/%x[1,0]\nU%x[0,0]", "a a/_B+1", {"Ua/a/_B+1", "Ua", "Ua/_B+1/_B+1", "Ua/_B+1"}),
            ("U\nU\nU%x[0,0]", "a a", {"U", "Ua"}),
            ("Uab\nU%x[0,0]", "ab b", {"Uab", "Ub"}),
        ],
    )
    def test_the_text_is_the_attribute(self, lines, text, expected):
        how = template(lines, "t")
        known, (ids,) = learned(how, [words(text)])
        assert sorted(known.texts()) == sorted(expected)
        assert texts(known, ids) == expand(lines.split("\n"), [words(text)])

    def test_a_separator_inside_a_value_can_make_two_pairs_one(self):
        known, (ids,) = learned(made(["word[0] | word[1]"]), [words("a|b c"), words("a b|c")])
        assert known.texts()[ids[0, 0]] == "word[0] | word[1]=a|b|c"
        assert ids[0, 0] == ids[0, 2]

    def test_a_known_text_made_in_a_new_way_is_known(self):
        how = made(["word[0] | word[1]"])
        known, _ = learned(how, [words("a|b c")])
        assert known.ids(View(corpus([words("a b|c")]), how))[0, 0] >= 0

    def test_words_that_look_like_the_marks_beyond_a_sentence_are_the_same_text(self):
        known, (ids,) = learned(made(["word[-1]"]), [words("_B-1 a")])
        assert known.texts() == ["word[-1]=_B-1"]
        assert ids.tolist() == [[0, 0]]


class TestValues:
    @pytest.mark.parametrize(
        ("line", "text", "expected"),
        [
            ("word[0]", "The cat", ["word[0]=The", "word[0]=cat"]),
            ("word[-1] | word[0]", "The cat", ["word[-1] | word[0]=_B-1|The", "word[-1] | word[0]=The|cat"]),
            ("lower(word[2])", "The CAT", ["lower(word[2])=_B+1", "lower(word[2])=_B+2"]),
            ("shape(word[-1])", "U.S.-born30 x", ["shape(word[-1])=_B-1", "shape(word[-1])=X.X.-xxxxdd"]),
            ("short_shape(word[0])", "U.S.-born30", ["short_shape(word[0])=X.X.-xd"]),
            ("shape(word[0])", "你好é", ["shape(word[0])=ccx"]),
            ("prefix(word[1], 2)", "a abc", ["prefix(word[1], 2)=ab", None]),
            ("suffix(lower(word[0]), 3)", "ABC AB", ["suffix(lower(word[0]), 3)=abc", None]),
            ("matches(word[0], '^[A-Z]')", "The cat", ["matches(word[0], '^[A-Z]')", None]),
            ("first()", "a b c", ["first()", None, None]),
            ("last()", "a b c", [None, None, "last()"]),
            ("first() | last()", "a", ["first() | last()"]),
            ("first() | word[0]", "a b", ["first() | word[0]=a", None]),
            ("word[0] | first()", "a b", ["word[0] | first()=a", None]),
            ("word[end]", "a b c", ["word[end]=c"] * 3),
            ("prefix(word[end], 2)", "a b", [None, None]),
            ("word[-100]", "a", ["word[-100]=_B-100"]),
            ("word[100]", "a b", ["word[100]=_B+99", "word[100]=_B+100"]),
        ],
    )
    def test_functions(self, line, text, expected):
        known, (ids,) = learned(made([line]), [words(text)])
        assert [known.texts()[number] if number >= 0 else None for number in ids[0]] == expected

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("New York is new", "BE--"),
            ("in New York City Hall", "-BIE-"),
            ("York New York", "SBE"),
            ("New York City", "BIE"),
            ("City New New York", "--BE"),
            ("York York", "SS"),
            ("New", "-"),
        ],
    )
    def test_the_longest_entry_counts_from_left_to_right(self, text, expected):
        how = made(["lexicon(word[0], names)"], [("New", "York"), ("New", "York", "City"), ("York",), ("City", "Hall")])
        known, (ids,) = learned(how, [words(text)])
        assert [known.texts()[number][-1] if number >= 0 else "-" for number in ids[0]] == list(expected)

    def test_entries_end_with_their_sentence(self):
        how = made(["lexicon(word[0], names)"], [("New", "York")])
        _, (ids,) = learned(how, [words("New"), words("York")])
        assert (ids == -1).all()

    def test_entries_go_through_the_functions_of_their_term(self):
        how = made(["lexicon(lower(word[1]), names)"], [("NEW", "York")])
        known, (ids,) = learned(how, [words("in new york")])
        assert known.texts() == ["lexicon(lower(word[1]), names)=B", "lexicon(lower(word[1]), names)=E"]
        assert ids.tolist() == [[0, 1, -1]]

    def test_numbers_out_of_the_sentence_are_absent(self):
        how = made(["value(length[1])", "value(length[-1]) | word[0]", "value(length[end])"])
        view = View(corpus([[("a", "x", "2", "A"), ("b", "x", "-3", "A")]]), how)
        known, _ = built(how.features, [view])
        incidence = extracted(known, view)
        assert incidence.indptr.tolist() == [0, 2, 4]
        assert incidence.values.tolist() == [-3.0, -3.0, 2.0, -3.0]

    @pytest.mark.parametrize("cell", ["two", "1,5", "nan", "inf", "1e999", "0x10", "1_000", "٣", "--1", ""])
    def test_a_cell_that_is_no_number_is_named_with_its_line(self, cell):
        good = ("a", "x", "1", "A")
        text = corpus([[good, good], [good, ("b", "x", cell, "A")]], path="lengths.txt")
        how = made(["value(length)"])
        with pytest.raises(DataError, match=f"'{cell}' in column 'length' is no number") as raised:
            built(how.features, [View(text, how)])
        assert (raised.value.path, raised.value.line) == ("lengths.txt", 5)

    def test_a_column_the_corpus_has_not_is_named(self):
        how = template("U:%x[0,3]", "t")
        text = corpus([[("a", "A")]], ("word", "label"), "two.txt")
        with pytest.raises(DataError, match=r"two\.txt: the template looks at column 3, counted from 0; here are word"):
            learned_from(how, text)

    def test_crfpp_cannot_look_at_the_label(self):
        how = template("U:%x[0,1]", "t")
        with pytest.raises(DataError, match="the template looks at column 1"):
            learned_from(how, corpus([[("a", "A")]], ("word", "label")))

    def test_a_corpus_without_tokens_has_no_attributes(self):
        how = made(["word[0] | word[end]", "value(length[end])", "lexicon(word[1], names)", "last() | word[-1..1]"])
        known, _ = learned(how, [[("a", "x", "1", "A")]])
        assert known.ids(View(part(corpus([words("a")]), 0, 0), how)).shape == (len(how.features), 0)
        assert built(how.features, [View(part(corpus([words("a")]), 0, 0), how)])[0].size == 0


class TestTables:
    @FEW
    @given(
        st.sampled_from([3, 2**16, 2**30, 2**61])
        .flatmap(lambda most: st.lists(st.integers(-2, most) | st.sampled_from([-2, -1, most - 1, most]), max_size=30))
        .map(lambda keys: np.array(keys, np.int64))
    )
    def test_distinct_keys(self, keys):
        first, counts, numbers = distinct(keys)
        expected, places, times = np.unique(keys[keys >= 0], return_index=True, return_counts=True)
        assert keys[first].tolist() == expected.tolist()
        assert first.tolist() == np.flatnonzero(keys >= 0)[places].tolist()
        assert counts.tolist() == times.tolist()
        assert [int(expected[n]) if n >= 0 else None for n in numbers] == [k if k >= 0 else None for k in keys.tolist()]

    @FEW
    @given(st.data(), st.sampled_from([(2, 3), (5,), (300, 300, 300), (2**20, 2**20, 2**20, 2**20)]), WIDEST)
    def test_a_table_finds_its_attributes_and_no_others(self, data, radices, keys):
        rows = st.tuples(*(st.integers(0, radix - 1) for radix in radices))
        known = data.draw(st.lists(rows, unique=True, max_size=8))
        asked = known + data.draw(st.lists(rows, max_size=8))
        numbers = np.arange(len(known), dtype=np.int32)[::-1].copy()
        with widest(keys):
            table = attribute_tables.table(np.array(known, np.int32).reshape(-1, len(radices)), numbers, 99, radices)
            columns = list(np.array(asked, np.int32).reshape(-1, len(radices)).T)
            folded, _ = attribute_tables.folded(columns, radices, table.stages, len(asked))
        expected = dict(zip(known, numbers.tolist(), strict=True))
        assert table.numbers(folded).tolist() == [expected.get(row, 99) for row in asked]
        assert table.numbers(np.array([attribute_tables.UNSEEN, -1])).tolist() == [99, -1]

    def test_few_possible_keys_are_looked_up_directly(self):
        def direct(*radices: int) -> bool:
            components = np.zeros((1, len(radices)), np.int32)
            return attribute_tables.table(components, np.zeros(1, np.int32), -1, radices).direct is not None

        assert direct(10, 10)
        assert not direct(1000, 1000)

    def test_wide_conjunctions_are_folded_in_stages(self):
        text = [[(f"w{i}", f"p{i}", "1", "A") for i in range(40)]]
        how = made([" | ".join(f"word[{k}] | pos[{k}]" for k in range(-7, 8))])
        known, (ids,) = learned(how, text)
        assert known.tables[0].stages
        assert known.tables[0].direct is None
        assert texts(known, ids) == bare(corpus_attributes(how, text))
        np.testing.assert_array_equal(known.ids(View(corpus(text), how)), ids)


def test_features_need_no_grammar():
    """Any literals and terms are a feature, also a lexicon next to a text with nothing between."""
    listed, word = Listed(Source(0), 0, "names"), Text(Source(0), -1)
    how = Template(COLUMNS, "label", (Feature(("", "", ""), (listed, word)),), lexica={"names": (("a",),)})
    known, (ids,) = learned(how, [words("b a")])
    assert known.texts() == ["Sb"]
    assert ids.tolist() == [[-1, 0]]


def words(text: str) -> Sentence:
    return [(word, "x", "1", "A") for word in text.split(" ")]


def learned_from(how: Template, text) -> Vocabulary:
    return built(how.features, [View(text, how)])[0]
