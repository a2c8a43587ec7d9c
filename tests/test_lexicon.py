"""Lists of names, and where their entries stand: leftmost, longest, within sentences."""

import gzip
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sstag.features.lexicon import LONGEST, read_lexicon
from sstag.features.lexicon_places import PLACES, lexicon_places
from sstag.foundation.errors import DataError

Saved = Callable[[bytes], str]
Entry = tuple[str, ...]


def reference(entries: Sequence[Entry], sentence: Sequence[str]) -> str:
    """A letter for each token, `-` outside every entry."""
    result = ""
    while len(result) < len(sentence):
        rest = tuple(sentence[len(result) :])
        longest = max((len(entry) for entry in entries if rest[: len(entry)] == entry), default=0)
        result += "-S"[longest] if longest < 2 else "B" + "I" * (longest - 2) + "E"
    return result


def found(entries: Sequence[Entry], sentences: Sequence[Sequence[str]], words: str) -> list[str]:
    """The answer of `places`; a word that is not among the words has no code."""
    codes = np.array([words.find(word) for sentence in sentences for word in sentence], np.int32)
    offsets = np.cumsum([0, *map(len, sentences)])
    letters = [(*PLACES, "-")[place] for place in lexicon_places(tuple(entries), list(words), codes, offsets).tolist()]
    return ["".join(letters[begin:end]) for begin, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)]


@given(
    st.lists(st.text("abc", min_size=1, max_size=5).map(tuple), max_size=6),
    st.lists(st.text("abc?", min_size=1, max_size=12), min_size=1, max_size=4),
)
@example([], ["abc"])
@example([tuple("ab")], ["a", "b"])
@example([tuple("abc"), tuple("bc"), tuple("a")], ["abab", "abc"])
def test_places_agree_with_the_reference(entries: list[Entry], sentences: list[str]) -> None:
    assert found(entries, sentences, "abc") == [reference(entries, sentence) for sentence in sentences]


@pytest.mark.parametrize(
    ("entries", "sentence", "letters"),
    [
        (["ab", "abc"], "abcabx", "BIEBE-"),
        (["ab", "bcd"], "abcd", "BE--"),  # the first to begin, though shorter
        (["aa"], "aaaaa", "BEBE-"),
        (["abc", "a"], "abac", "S-S-"),  # a longer one that breaks off leaves the shorter
        (["abcd", "ab"], "abcx", "BE--"),
        (["a"], "a?a", "S-S"),  # a token without a word
        (["ab"], "a?b", "---"),
        (["ad"], "ad", "--"),  # a word that is in no sentence
    ],
)
def test_places_written_out(entries: list[str], sentence: str, letters: str) -> None:
    assert found([tuple(entry) for entry in entries], [sentence], "abcx") == [letters]


def test_entries_do_not_reach_into_the_next_sentence() -> None:
    assert found([("a", "b")], ["a", "b", "ab"], "ab") == ["-", "-", "BE"]


def test_entries_are_sorted_and_stand_once(saved: Saved) -> None:
    data = "\ufeffNew  York\r\n\n# a comment\n York\t New\na\u00a0b \nNew York\n#\n ##x #\nlast".encode()
    entries = (("##x", "#"), ("New", "York"), ("York", "New"), ("a\u00a0b",), ("last",))
    assert read_lexicon(saved(data)) == entries
    assert read_lexicon(saved(gzip.compress(data))) == entries


def test_entries_have_a_longest_length_and_comments_have_none(saved: Saved) -> None:
    fits = b"w " * LONGEST
    assert read_lexicon(saved(b"#" + fits * 2 + b"\n" + fits)) == (("w",) * LONGEST,)
    path = saved(b"a\n" + fits + b"w")
    with pytest.raises(DataError, match="more than 64 words") as error:
        read_lexicon(path)
    assert (error.value.path, error.value.line) == (path, 2)


@pytest.mark.parametrize(
    ("data", "message"), [(b"", "no entry"), (b"# only\n\n \t\n", "no entry"), (b"a\n\xff", "not UTF-8")]
)
def test_what_is_no_list_is_an_error(saved: Saved, data: bytes, message: str) -> None:
    path = saved(data)
    with pytest.raises(DataError, match=message) as error:
        read_lexicon(path)
    assert error.value.path == path
