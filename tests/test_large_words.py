"""Words of a text in volumes: the same bigrams, clusters and vectors as of a text in memory."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sstag.corpus.corpus import in_lower_case
from sstag.corpus.layout import Layout
from sstag.corpus.reading import read
from sstag.corpus.volumes import in_volumes
from sstag.experiments.samples.ads import ads
from sstag.features.words.bigrams import bigrams_of, read_bigrams
from sstag.features.words.context_vectors import Contexts, context_vectors
from sstag.features.words.large_words import only_words
from sstag.foundation.errors import DataError
from sstag.foundation.parallel import one_by_one

SIZES = [7, 100, 10**6]


@pytest.fixture
def path(tmp_path: Path) -> str:
    path = tmp_path / "raw.txt"
    path.write_text("\n\n".join("\n".join(word for word, _ in ad) for ad in ads(700, np.random.default_rng(2))))
    return str(path)


@pytest.mark.parametrize("size", SIZES)
def test_bigrams_of_volumes_are_those_of_the_file(size, path):
    expected = read_bigrams([path], lambda path: Layout(), None, 2, lambda text: None)
    found = bigrams_of(only_words(in_volumes(read(path, Layout()), one_by_one, size), None, "word"), "word", 2)
    assert (found.words, found.tokens) == (expected.words, expected.tokens)
    for name in ("times", "first", "second", "counts"):
        assert_array_equal(getattr(found, name), getattr(expected, name))
        assert getattr(found, name).dtype == getattr(expected, name).dtype


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("size", SIZES[:2])
def test_vectors_of_volumes_have_the_bytes_of_those_of_a_text_in_memory(size, together, lower, path):
    text, contexts = read(path, Layout()), Contexts(3, 40, together)
    name = text.columns[text.word_column]
    expected = context_vectors(in_lower_case(text, name) if lower else text, name, 5, contexts, 2)
    found = context_vectors(only_words(in_volumes(text, one_by_one, size), None, "word", lower), "word", 5, contexts, 2)
    assert found.words == expected.words
    assert found.vectors.tobytes() == expected.vectors.tobytes()


def test_words_that_are_too_rare_are_said(path):
    large = only_words(in_volumes(read(path, Layout()), one_by_one, 100), None, "word")
    with pytest.raises(DataError, match="fewer than two words occur 100000 times"):
        bigrams_of(large, "word", 100_000)
