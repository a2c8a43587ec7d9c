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


def test_functions_with_a_value_for_every_word_say_so() -> None:
    for function in WORD_FUNCTIONS.values():
        argument = {int: 3, str: "x", None: None}[function.takes]
        assert (function.made(argument)("") is not None) == function.total
