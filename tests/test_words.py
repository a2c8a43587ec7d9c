"""The values that a template gives one word."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sstag.features.word_functions import LONGEST_AFFIX, WORD_FUNCTIONS, YES, Argument, shape, short_shape
from sstag.foundation.errors import ConfigError


def of(name: str, word: str, argument: Argument = None) -> str | None:
    return WORD_FUNCTIONS[name].made(argument)(word)


@pytest.mark.parametrize(
    ("word", "whole", "short"),
    [
        ("U.S.-born30", "X.X.-xxxxdd", "X.X.-xd"),
        ("Straße", "Xxxxxx", "Xx"),
        ("ÉÀé", "XXx", "Xx"),
        ("漢字カナ", "cccc", "c"),
        ("١٢٣", "ddd", "d"),
        ("--", "--", "-"),
        ("a...b", "x...x", "x.x"),
        ("$1,000.00", "$d,ddd.dd", "$d,d.d"),
        ("x\n\n", "x\n\n", "x\n"),
        ("", "", ""),
        ("ABBA", "XXXX", "X"),
    ],
)
def test_shapes(word: str, whole: str, short: str) -> None:
    assert shape(word) == whole
    assert short_shape(word) == short
    assert (of("shape", word), of("short_shape", word)) == (whole, short)


@given(st.text())
def test_a_shape_has_a_character_for_each_and_a_short_one_no_two_alike(word: str) -> None:
    assert len(shape(word)) == len(word)
    short = short_shape(word)
    assert all(a != b for a, b in pairwise(short))
    assert set(short) == set(shape(word))


@given(st.text(max_size=40), st.integers(1, LONGEST_AFFIX))
def test_affixes_are_of_their_length_or_absent(word: str, length: int) -> None:
    prefix, suffix = of("prefix", word, length), of("suffix", word, length)
    if len(word) < length:
        assert prefix is suffix is None
        return
    assert prefix is not None
    assert suffix is not None
    assert len(prefix) == len(suffix) == length
    assert word.startswith(prefix)
    assert word.endswith(suffix)


@pytest.mark.parametrize("name", ["prefix", "suffix"])
@pytest.mark.parametrize("length", [0, -1, LONGEST_AFFIX + 1])
def test_affixes_of_other_lengths_are_an_error(name: str, length: int) -> None:
    with pytest.raises(ConfigError, match=f"1 to {LONGEST_AFFIX} characters, not {length}"):
        WORD_FUNCTIONS[name].made(length)


def test_lower_and_matches() -> None:
    assert of("lower", "ÀB字") == "àb字"
    assert of("matches", "Abc", "^[A-Z]") == YES
    assert of("matches", "abc", "^[A-Z]") is None
    assert of("matches", "x1", "1") == YES
    with pytest.raises(ConfigError, match="no regular expression"):
        of("matches", "x", "(")


KINDS = {
    "initial": "J J. J.-P. J.R.R. Å",
    "digits-1": "3",
    "digits-2": "12",
    "digits-4": "1066 3000",
    "digits-9": "123456789012",
    "year": "1997 2024 1890 1997a '97",
    "month": "March may Sept. DEC",
    "ordinal": "2nd 41st Third",
    "price": "$450 $1,200 US$5 €9.99 450€ $2m",
    "phone": "555-123-4567 (415)555-1234 +41.44.123.45 412.268.7085",
    "email": "a.b@cs.cmu.edu x@y.org",
    "url": "http://x.org/a www.x.org ftp://x",
    "time": "10:30 9:05pm 24:00 3pm 12:15:30 Noon",
    "range": "12-34 101--110 1–9",
    "number": "3.5 12,500 -4 50% .5",
}


def test_kinds() -> None:
    for kind, words in KINDS.items():
        assert {of("kind", word) for word in words.split()} == {kind}, kind
    for word in ["", "Smith", "the", "j", "a.", "B2B", "12th-century", "1e5", "x@", "@y", "$", "-", "v2.0", "9" * 201]:
        assert of("kind", word) is None, word


@given(st.text(max_size=300))
def test_every_text_has_a_kind_or_none(word: str) -> None:
    assert of("kind", word) in {None, *KINDS, *(f"digits-{n}" for n in range(1, 10))}


def test_functions_with_a_value_for_every_word_say_so() -> None:
    for function in WORD_FUNCTIONS.values():
        argument = {int: 3, str: "x", None: None}[function.takes]
        assert (function.made(argument)("") is not None) == function.total
