"""Patterns: the useful ones are accepted and mean what `re` means, and none that is accepted runs away."""

import re
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sstag.features.safe_patterns import LARGEST, LONGEST, safe_pattern
from sstag.foundation.errors import ConfigError

Alarm = Callable[[int], AbstractContextManager[None]]

USEFUL = [
    r"^(?:[A-Z]\.)+$",
    r"^\d+([.,]\d+)*$",
    r"^[A-Z][a-z]+(-[A-Z][a-z]+)*$",
    r"^(ab|cd)+$",
    "",
    "a",
    "^[A-Z]",
    "^[A-Z][a-z]+$",
    "^[A-Z]+$",
    "^[A-Z]\\.$",
    "[0-9]",
    "\\d",
    "^\\d+$",
    "^[0-9]+[.,][0-9]+$",
    "^\\d{1,3}(,\\d{3})?(\\.\\d+)?$",
    "^\\d{4}$",
    "^(19|20)\\d\\d$",
    "^[^\\w\\s]+$",
    "^\\W$",
    "-",
    "^.*-.$",
    "^[a-z]+-[a-z]+$",
    "^[a-z]+-.+$",
    "^.+-[a-z]+$",
    "^\\w+@\\w+\\.com$",
    "^\\$?\\d+$",
    "(ing|ed|s)$",
    "(?:alpha|beta|gamma)",
    "^(?:Mr|Mrs|Dr)\\.?$",
    "[aeiou]{2,}",
    "^[ACGT]{3,}$",
    "^[IVXLCDM]+$",
    "^a?b?c?$",
    "[\\u0400-\\u04ff]",
    "^[\\u4e00-\\u9fff]+$",
    "^\\d+(st|nd|rd|th)$",
    "^https?://",
    "\\bno\\b",
    "(?P<name>x)y",
    "a+?b",
    "^.{5,20}$",
    "[]^-]",
]
TEXT = """
A a Ab ABC U.S. U. 1 1998 2,000 1,234.56 3.14 -- , well-known a-b me@x.com $5 running walked alphabet Mr. Dr
beautiful ACGTT XIV abc Ж Москва 漢字 21st http://x no piano xy aab ! ] ^ … é ٣ a_b
"""
WORDS = [*TEXT.split(), "", " ", "a b", "\n", "x\n", "\u00a0"]

CATASTROPHIC = [
    "(a+)+$",
    "(a*)*b",
    "(a|a)*b",
    "(a|aa)+$",
    "(a|b|ab)*c",
    "([a-z]+)*!",
    "(.*a){20}",
    "(x+x+)+y",
    "(?:a?){50}a{50}",
    ".*.*.*=",
    "a*a*a*a*b",
    "a*b?a*b?a*c",
    "\\w+\\w+\\w+!",
    "b*a*b*a*b*a*b*!",
    "\\d*[0-9]*x",
    "[\\u0531-\\u0556][\\u0531-\\u0556]*[\\u0531-\\u0556][\\u0531-\\u0556]*!",
    "[^\\u0000-\\u0530\\u0557-\\U0010ffff]*[\\u0532-\\u0555]*x",
    "[\\u0660-\\u0669]+\\d+x",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "(a{1,100}){1,100}b",
    "a{0,50}a{0,50}a{0,50}b",
    "(a?b?c?d?){4}e",
    "(?:(?:a{0,4}){0,4}){0,4}b",
    "(.)*(.)*\\1",
    "(a)\\1*",
    "(?=a*)a*",
    "(?!a)",
    "(?<=a)b",
    "(?<!a)b",
    "(a)?(?(1)b|c)",
    "a++",
    "(?>a*)",
]


@pytest.mark.parametrize("pattern", USEFUL)
def test_useful_patterns_mean_what_they_mean_to_python(pattern: str) -> None:
    test = safe_pattern(pattern)
    for word in WORDS:
        assert test(word) == (re.search(pattern, word) is not None)


@pytest.mark.parametrize("pattern", CATASTROPHIC)
def test_patterns_that_run_away_are_refused(pattern: str) -> None:
    re.compile(pattern)  # Python takes it
    with pytest.raises(ConfigError, match="run away"):
        safe_pattern(pattern)


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("(", "no regular expression"),
        ("[", "no regular expression"),
        ("*", "no regular expression"),
        ("a**", "no regular expression"),
        ("[[a]", "no regular expression"),  # a warning of Python's
        ("\\", "no regular expression"),
        ("\\8", "no regular expression"),
        ("[z-a]", "no regular expression"),
        ("a{5,2}", "no regular expression"),
        ("a{99999999999}", "no regular expression"),
        ("\\N{no such name}", "no regular expression"),
        ("(?i)a", "flags are not read"),
        ("(?i:a)", "flags are not read"),
        ("(?-i:a)", "flags are not read"),
        ("(?s).", "flags are not read"),
        ("a" * (LARGEST + 1), f"longer than {LARGEST}"),
        ("a" * (LONGEST + 1), f"more than {LONGEST} characters"),
        ("(?:a{200}){2}", f"more than {LONGEST} characters"),
        ("(?:a?){7}", "more than 64 ways"),
        ("(?:ab|c){7}", "more than 64 ways"),
    ],
)
def test_what_is_no_pattern_of_ours_is_an_error(pattern: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        safe_pattern(pattern)


def test_brackets_nest_as_deep_as_they_like() -> None:
    depth = (LARGEST - 1) // 2
    assert safe_pattern("(" * depth + "a" + ")" * depth)("xax")


def test_words_are_looked_at_up_to_a_length() -> None:
    test = safe_pattern("b")
    assert test("a" * (LONGEST - 1) + "b")
    assert not test("a" * LONGEST + "b")


@given(st.text(max_size=30) | st.text("ab*+?()[]{},\\|^$.-:<>=!P12\\dwWu", max_size=20))
def test_any_text_is_a_pattern_or_a_config_error(pattern: str) -> None:
    try:
        test = safe_pattern(pattern)
    except ConfigError:
        return
    for word in ("", "ab", "1"):
        assert test(word) == (re.search(pattern, word) is not None)


# Characters written plainly and with escapes, in a Latin and in an Armenian disguise.
ALPHABETS = ("abc", "\u0531\u0532\u0533")
CLASSES = ["{0}", "{1}", "{2}", "[{0}{1}]", "[{1}-{2}]", "[^{0}]", "[^{1}]", "[^{0}{1}]", ".", "\\w", "\\D"]
REPEATS = ["", "", "", "*", "+", "*?", "+?", "?", "{{0,2}}", "{{2}}", "{{3,}}", "{{1,9}}"]


def sequences(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(st.builds("{}{}".format, inner, st.sampled_from(REPEATS)), min_size=1, max_size=5).map("".join)


grammar = sequences(
    st.recursive(
        st.sampled_from(CLASSES),
        lambda inner: st.one_of(
            st.builds("(?:{})".format, sequences(inner)),
            st.builds("(?:{}|{})".format, sequences(inner), sequences(inner)),
        ),
        max_leaves=6,
    )
)


@given(
    pattern=st.builds("{}{}{}".format, st.sampled_from(["", "^"]), grammar, st.sampled_from(["", "!", "$", "{0}"])),
    alphabet=st.sampled_from(ALPHABETS),
    escaped=st.booleans(),
    parts=st.lists(st.tuples(st.text("012", min_size=1, max_size=4), st.integers(0, LONGEST)), min_size=1, max_size=2),
    last=st.sampled_from(["", "?"]),
)
def test_accepted_patterns_end_soon_on_any_word(
    alarm: Alarm, pattern: str, alphabet: str, escaped: bool, parts: list[tuple[str, int]], last: str
) -> None:
    pattern = pattern.format(*(f"\\u{ord(char):04x}" if escaped else char for char in alphabet))
    word = "".join((unit * times)[:times] for unit, times in parts).translate({48 + i: alphabet[i] for i in range(3)})
    word = word[: LONGEST - 1] + last
    try:
        test = safe_pattern(pattern)
    except ConfigError:
        return
    with alarm(20):
        assert test(word) == (re.search(pattern, word) is not None)
