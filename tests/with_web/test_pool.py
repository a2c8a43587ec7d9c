"""The texts of a project: terms that stand in them, beside a search by hand."""

import random

import pytest

from sstag.corpus.layout import layout_for
from sstag.interfaces.annotate.building import added
from sstag.interfaces.annotate.gazetteers import LONGEST, features_of, known_terms
from sstag.interfaces.annotate.pool import opened
from sstag.interfaces.annotate.provenance import FileName


def pool_of(folder, *files):
    """A pool with a part for each file of texts, which are given as lines."""
    for number, texts in enumerate(files):
        path = folder / f"{number}.txt"
        path.write_text("".join("".join(f"{word}\n" for word in text.split()) + "\n" for text in texts))
        added(str(folder / "pool"), FileName(str(path)), layout_for(str(path), ["word"], unlabelled=True))
    return opened(str(folder / "pool"))


@pytest.mark.parametrize("seed", range(5))
def test_terms_are_found_as_by_a_search_through_every_text(tmp_path, seed):
    rng = random.Random(seed)
    files = [[" ".join(rng.choices("abcd", k=rng.randint(1, 6))) for _ in range(20)] for _ in range(2)]
    terms = [" ".join(rng.choices("abcde", k=rng.randint(1, 4))) for _ in range(60)]
    texts = [f" {text} " for part in files for text in part]
    expected = [term for term in dict.fromkeys(terms) if any(f" {term} " in text for text in texts)]
    assert known_terms(pool_of(tmp_path, *files), terms) == expected
    assert 0 < len(expected) < len({*terms})


def test_terms_have_one_blank_between_words_and_no_more_than_so_many_words(tmp_path):
    pool = pool_of(tmp_path, [" ".join(["a"] * (LONGEST + 1))])
    longest = " ".join(["a"] * LONGEST)
    assert known_terms(pool, ["  a   a ", "a a", "", longest, f"{longest} a"]) == ["a a", longest]
    assert known_terms(pool, []) == known_terms(pool, ["b", "b a"]) == []


def test_a_term_is_a_feature_of_each_of_its_words():
    assert [*features_of("Rome", "word")] == ["word[0]=Rome"]
    assert [*features_of("New York City", "form")] == [
        "form[0] | form[1] | form[2]=New|York|City",
        "form[-1] | form[0] | form[1]=New|York|City",
        "form[-2] | form[-1] | form[0]=New|York|City",
    ]


def test_pools_of_few_texts_open_again(tmp_path):
    """Fingerprints of two texts may be farther apart than the largest integer."""
    for number in range(30):
        (tmp_path / str(number)).mkdir()
        assert pool_of(tmp_path / str(number), [f"a{number}", f"b{number}"]).texts == 2
