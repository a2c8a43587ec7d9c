"""Which weights exist, against sets of (attribute, label) made by hand."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sstag.features.grammar import features
from sstag.features.template import BY_SHARE, Edges, Template
from sstag.foundation.errors import DataError
from sstag.labels import label_sets
from sstag.model import compiled as compiling
from sstag.model.batches import selected
from sstag.model.compiled import Compiled, compiled
from sstag.model.dataset import Dataset
from sstag.model.sparse_weights import Pairs
from tests.corpora import ALLOWED, COLUMNS, ENTRIES, LINES, corpus, sentences
from tests.datasets import random_dataset, row, unfolded
from tests.reference import Sentence, corpus_attributes, corpus_steps, known_texts

LABELS = "ABC"
FEW = settings(max_examples=150, deadline=None)
CHOICES = st.fixed_dictionaries(
    {
        "pairs": st.sampled_from([None, "observed", "all"]),
        "vocabulary": st.sampled_from([None, "labelled", "all"]),
        "edge_pairs": st.sampled_from(["observed", "all"]),
        "minimum_count": st.integers(1, 2),
    }
)
Texts = list[list[str]]  # the attributes of each token


def made(lines: Sequence[str], steps: Sequence[str], entries: Sequence[Sequence[str]] = (), **choices) -> Template:
    some, edges = (
        tuple(feature for line in several for feature in features(line, COLUMNS, "label")) for several in (lines, steps)
    )
    return Template(COLUMNS, "label", some, Edges(features=edges), lexica={"names": entries}, **choices)


TEMPLATES = st.builds(
    lambda lines, steps, entries, choices: made(lines, steps, entries, **choices),
    st.lists(LINES, max_size=3),
    st.lists(LINES, max_size=2),
    ENTRIES,
    CHOICES,
)


def with_labels(how: Template, labelled: Sequence[Sentence] | None, raw: Sequence[Sentence] | None = None) -> Compiled:
    """Compiled with the labels A, B and C."""
    unlabelled = None if raw is None else corpus([[token[:3] for token in one] for one in raw], COLUMNS[:3])
    return compiled(how, None if labelled is None else corpus(labelled), unlabelled, known=tuple(LABELS))


def often(how: Template, found: Sequence) -> set[str]:
    every = [text for token in found for text, _, _ in token]
    return {text for text in every if every.count(text) >= how.minimum_count}


def both(how: Template, reference, labelled, raw) -> tuple[Texts, Texts]:
    """The attributes of the labelled and of the raw tokens."""
    first, second = reference(how, labelled or []), reference(how, raw or [])
    undecided = how.vocabulary is None and not any(choices_of(labelled or []))
    known = often(how, first + second if how.vocabulary == "all" or labelled is None or undecided else first)
    return [known_texts(token, known) for token in first], [known_texts(token, known) for token in second]


def choices_of(labelled: Sequence[Sentence]) -> list[str]:
    """The labels of each token that are observed: none where all are allowed."""
    sets = [ALLOWED[token[-1]] for sentence in labelled for token in sentence]
    return ["" if len(one) == len(LABELS) else one for one in sets]


def all_texts(found: Texts) -> set[str]:
    return {text for token in found for text in token}


def named(texts: Sequence[str], pairs: Pairs, labels: Sequence[str]) -> set[tuple[str, str]]:
    assert all((np.diff(pairs.labels[begin:end]) > 0).all() for begin, end in pairwise(pairs.indptr.tolist()))
    return {
        (text, labels[label])
        for text, (begin, end) in zip(texts, pairwise(pairs.indptr.tolist()), strict=True)
        for label in pairs.labels[begin:end]
    }


@FEW
@given(TEMPLATES, sentences(), sentences() | st.none(), st.booleans())
def test_pairs_and_origins(how, labelled, raw, small):
    with patch.object(compiling, "BITMAP", 1 if small else compiling.BITMAP):
        found = with_labels(how, labelled, raw)
    texts = found.unary.texts()
    mine, others = both(how, corpus_attributes, labelled, raw)
    observed = {
        (text, label)
        for token, labels in zip(mine, choices_of(labelled), strict=True)
        for text in token
        for label in labels
    }
    full: set[str] = set()
    if how.pairs == "all" or (how.pairs is None and not any(choices_of(labelled))):
        full = set(texts)
    elif how.pairs is None:
        twice = [text for token in others for text in token]
        full = {text for text in twice if twice.count(text) >= 2}
    expected = observed | {(text, label) for text in full for label in LABELS}
    assert named(texts, found.pairs, LABELS) == expected
    assert found.origins == {
        "attributes in labelled text only": len(all_texts(mine) - all_texts(others)),
        "attributes in both": len(all_texts(mine) & all_texts(others)),
        "attributes in unlabelled text only": len(all_texts(others) - all_texts(mine)),
        "weights of observed pairs": len(observed),
        "weights of other pairs": len(expected - observed),
    }


@FEW
@given(TEMPLATES, sentences(), sentences() | st.none(), st.booleans())
def test_pairs_of_steps(how, labelled, raw, small):
    with patch.object(compiling, "BITMAP", 1 if small else compiling.BITMAP):
        found = with_labels(how, labelled, raw)
    texts = found.edge.texts()
    steps = [left + right for left in LABELS for right in LABELS]
    if how.edge_pairs == "all":
        assert named(texts, found.edge_pairs, steps) == {(text, step) for text in texts for step in steps}
        assert found.label_pairs.all()
        return
    mine, _ = both(how, corpus_steps, labelled, raw)
    choices = iter(choices_of(labelled))
    inside = [[next(choices) for _ in sentence] for sentence in labelled]
    seen = [
        {left + right for left in before for right in now}
        for sentence in inside
        for before, now in zip(["", *sentence], sentence, strict=False)
    ]
    assert named(texts, found.edge_pairs, steps) == {
        (text, step) for token, possible in zip(mine, seen, strict=True) for text in token for step in possible
    }
    marked = {LABELS[left] + LABELS[right] for left, right in np.argwhere(found.label_pairs)}
    assert marked == set().union(*seen)


@FEW
@given(TEMPLATES, sentences(), sentences())
def test_datasets_hold_the_attributes_of_their_tokens(how, labelled, raw):
    found = with_labels(how, labelled, raw)
    texts, steps = found.unary.texts(), found.edge.texts()
    attributes = both(how, corpus_attributes, labelled, raw)
    of_steps = both(how, corpus_steps, labelled, raw)
    for data, expected, expected_steps in zip((found.labelled, found.unlabelled), attributes, of_steps, strict=True):
        held = [sorted(texts[number] for number in one) for one in unfolded(data, found.unary.size)]
        assert held == [sorted(one) for one in expected]
        assert [[steps[number] for number in row(data.edge, token)] for token in range(len(held))] == expected_steps
    allowed = found.labelled.allowed[found.labelled.sets]
    sets = ["".join(np.array(list(LABELS))[row]) for row in allowed]
    assert sets == [ALLOWED[token[-1]] for sentence in labelled for token in sentence]
    assert found.unlabelled.sets is None


@FEW
@given(TEMPLATES, sentences())
def test_without_a_labelled_sentence_all_pairs_exist(how, raw):
    found = with_labels(how, None, raw)
    texts = found.unary.texts()
    expected = set() if how.pairs == "observed" else {(text, label) for text in texts for label in LABELS}
    assert named(texts, found.pairs, LABELS) == expected
    assert found.label_pairs.all()
    assert found.labelled is None


@FEW
@given(TEMPLATES, sentences(labels=("?", "C|B|A")))
def test_without_a_decided_token_all_pairs_exist(how, labelled):
    found = with_labels(how, labelled)
    if how.pairs != "observed":
        assert len(found.pairs.labels) == found.unary.size * len(LABELS)
    assert found.origins["weights of observed pairs"] == 0


def test_labels_are_those_of_the_file_and_the_known_ones_first():
    text = [[("a", "x", "1", "B"), ("b", "x", "1", "A|D"), ("c", "x", "1", "!B")]]
    assert compiled(made(["word[0]"], []), corpus(text), known=("Z", "B")).labels == ("Z", "B", "A", "D")


def test_edges_without_label_pairs():
    how = Template(COLUMNS, "label", (), Edges(labels=False), edge_pairs="observed")
    assert not with_labels(how, [[("a", "x", "1", "A")] * 3]).label_pairs.any()
    how = Template(COLUMNS, "label", (), Edges(labels=False))
    assert not with_labels(how, [[("a", "x", "1", "A")] * 3]).label_pairs.any()


def test_steps_lead_from_token_to_token_not_from_sentence_to_sentence():
    how = made([], ["word[0]"], edge_pairs="observed")
    found = with_labels(how, [[("a", "x", "1", "A"), ("b", "x", "1", "B")], [("c", "x", "1", "C")]])
    assert np.argwhere(found.label_pairs).tolist() == [[0, 1]]
    assert found.edge.texts() == ["word[0]=b"]


def test_a_set_that_leaves_no_label_is_named_with_its_line():
    text = [[("a", "x", "1", "A"), ("b", "x", "1", "B")], [("c", "x", "1", "!A|B")]]
    with pytest.raises(DataError, match="leaves no label") as raised:
        compiled(made(["word[0]"], []), corpus(text, path="labels.txt"))
    assert (raised.value.path, raised.value.line) == ("labels.txt", 4)


def test_a_labelled_file_without_its_label_column():
    with pytest.raises(DataError, match=r"raw\.txt: there is no column 'label'"):
        compiled(made(["word[0]"], []), corpus([[("a", "x", "1")]], COLUMNS[:3], "raw.txt"))


def test_too_many_labels_are_a_wrong_column():
    with patch.object(label_sets, "MOST_LABELS", 2), pytest.raises(DataError, match="is this the label column"):
        with_labels(made([], []), [[("a", "x", "1", label) for label in ("A", "B", "C")]])


def test_labelled_text_used_again_as_raw_text_has_no_labels_there():
    both = corpus([[("a", "x", "1", "A"), ("b", "x", "1", "B")]])
    found = compiled(made(["word[0]"], []), both, both)
    assert found.labelled.sets is not None
    assert found.unlabelled.sets is None


@pytest.mark.parametrize(("more", "least"), [(16, 1), (15, 2)])
def test_attributes_that_occur_once_are_left_out_where_they_are_more_than_a_tenth(more, least):
    """Two words of 20 tokens occur once, or of 19; this decides for raw text and for attributes of steps, too."""
    how = made(["word[0]"], ["word[0]"], minimum_count=BY_SHARE)
    often = [[("a", "x", "1", "A")] * 2] * (more // 2) + [[("a", "x", "1", "A")]] * (more % 2)
    labelled = [*often, [(word, "x", "1", "B") for word in ("a", "once", "a", "b")]]
    raw = [[(word, "x", "1", "?") for word in ("here", "b")]]
    found = with_labels(replace(how, vocabulary="all"), labelled, raw)
    assert found.template.minimum_count == least
    assert set(found.unary.texts()) == {f"word[0]={word}" for word in ("a", "b", *(["once", "here"] * (least == 1)))}
    assert set(found.edge.texts()) == {f"word[0]={word}" for word in ("a", *(["once", "b"] * (least == 1)), "b")}
    assert with_labels(how, None, raw).template.minimum_count == 2
    assert with_labels(replace(how, minimum_count=3), labelled).template.minimum_count == 3


def test_observed_pairs_of_a_small_text():
    how = made(["word[0]"], [])
    found = with_labels(how, [[("a", "x", "1", "A"), ("a", "x", "1", "A|B"), ("b", "x", "1", "?")]])
    assert named(found.unary.texts(), found.pairs, LABELS) == {("word[0]=a", "A"), ("word[0]=a", "B")}


def test_sentences_of_many_blocks_of_tokens():
    """SOME tokens are looked at together: the pairs do not depend on how many."""
    text = [[(f"w{i % 7}", "x", "1", "ABC"[i % 3]) for i in range(50)]]
    how = made(["word[0]", "word[-1] | word[0]"], ["word[0]"], edge_pairs="observed")
    whole = with_labels(how, text)
    with patch.object(compiling, "SOME", 3):
        cut = with_labels(how, text)
    for one, other in ((whole.pairs, cut.pairs), (whole.edge_pairs, cut.edge_pairs)):
        np.testing.assert_array_equal(one.indptr, other.indptr)
        np.testing.assert_array_equal(one.labels, other.labels)


@given(st.integers(0, 2**32 - 1), st.lists(st.booleans(), min_size=1, max_size=6))
def test_selected_sentences_are_as_they_were(seed, chosen):
    rng = np.random.default_rng(seed)
    data = random_dataset(rng, 3, rng.integers(1, 4, len(chosen)), steps=2)
    part = selected(data, np.array(chosen))

    def told(some: Dataset) -> list:
        """Everything about each sentence."""
        sentences = enumerate(pairwise(some.offsets))
        return [
            (
                [row(some.unary, t) for t in range(begin, end)],
                [row(some.edge, t) for t in range(begin, end)],
                some.allowed[some.sets[begin:end]].tolist(),
                some.weights[s],
            )
            for s, (begin, end) in sentences
        ]

    sentences = told(data)
    assert told(part) == [one for one, wanted in zip(sentences, chosen, strict=True) if wanted]
    assert data.full.tolist() == [all(sum(row) == 1 for row in rows) for _, _, rows, _ in sentences]
    assert data.free.tolist() == [all(sum(row) == 3 for row in rows) for _, _, rows, _ in sentences]
