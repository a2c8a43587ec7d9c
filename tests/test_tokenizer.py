"""Tokens know their place: nothing but blanks and unseen characters is between them, and the text comes back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sstag.corpus.text.options import SENTENCES, TOKENS
from sstag.corpus.text.sentences import first_tokens, sentence_starts
from sstag.corpus.text.tokenizer import is_unseen, token_places
from sstag.foundation.errors import ConfigError
from tests.spans_texts import TEXTS


def tokens(text: str, how: str = "rule") -> list[str]:
    return [text[start:stop] for start, stop in token_places(text, how)]


@given(TEXTS, st.sampled_from(list(TOKENS)))
def test_what_can_be_seen_is_in_exactly_one_token(text: str, how: str) -> None:
    places = token_places(text, how)
    bounds = [0, *(place for one in places for place in one), len(text)]
    assert bounds == sorted(bounds)
    assert all(start < stop for start, stop in places)
    assert all(is_unseen(text[at]) for gap in zip(bounds[::2], bounds[1::2], strict=True) for at in range(*gap))
    assert all(not any(map(str.isspace, token)) and "\0" not in token for token in tokens(text, how))


@given(TEXTS, st.sampled_from(list(SENTENCES)))
def test_every_token_is_in_one_sentence(text: str, how: str) -> None:
    starts, places = sentence_starts(text, how), token_places(text)
    assert starts[0] == 0
    assert starts == sorted(set(starts))
    firsts = first_tokens(starts, places)
    assert firsts == sorted(set(firsts))
    assert firsts[:1] == [0] * bool(places)


RULE = [
    ("Dr. Lee paid $3,500.50 at 12:30.", ["Dr", ".", "Lee", "paid", "$", "3,500.50", "at", "12:30", "."]),
    ("in the U.S. (z.B. 2nd)", ["in", "the", "U.S.", "(", "z.B.", "2nd", ")"]),
    ("See https://a.b/c?d=e. Or me.x@a-b.org!", ["See", "https://a.b/c?d=e", ".", "Or", "me.x@a-b.org", "!"]),
    ("don't x_y A4", ["don", "'", "t", "x", "_", "y", "A4"]),
    ("東京タワーに2人", ["東", "京", "タ", "ワ", "ー", "に", "2", "人"]),
    ("नमस्ते e\u0301te\u0301 한국어", ["नमस्ते", "e\u0301te\u0301", "한국어"]),
    ("👩\u200d👩\u200d👧🇩🇪🇫🇷❤\ufe0f👍🏽", ["👩\u200d👩\u200d👧", "🇩🇪", "🇫🇷", "❤\ufe0f", "👍🏽"]),
    ("a\u200fb\u00a0c\0d\ufeff", ["a", "b", "c", "d"]),
    ("co\u00adop می\u200cروم", ["co\u00adop", "می\u200cروم"]),
]


@pytest.mark.parametrize(("text", "found"), RULE)
def test_the_rule(text: str, found: list[str]) -> None:
    assert tokens(text) == found


def test_other_ways() -> None:
    assert tokens("a-b c.\td", "blank") == ["a-b", "c.", "d"]
    assert tokens("ae\u0301 🇩🇪x", "char") == ["a", "e\u0301", "🇩🇪", "x"]
    with pytest.raises(ConfigError, match="no way 'rules' to make tokens; did you mean 'rule'"):
        token_places("", "rules")
    with pytest.raises(ConfigError, match="no way 'lines' to find sentences; did you mean 'line'"):
        sentence_starts("", "lines")


SENTENCE_LISTS = [
    ("rule", ["He met J. Smith in the U.S. army. ", "He left! ", '"Really?" she asked. ', "3 men came.\n\n", "New"]),
    ("rule", ["A title\r\n\r\n", "One. ", "Mr. X (e.g. y) is 3.5 m. and no… ", "Wait"]),
    ("rule", ["東京。", "大阪！」", "x"]),
    ("line", ["a. B\n", "c\r\n\n ", "d"]),
    ("blank", ["a. B\nc\n \n", "d"]),
    ("none", ["a. B\n\nc"]),
]


@pytest.mark.parametrize(("how", "found"), SENTENCE_LISTS)
def test_sentences(how: str, found: list[str]) -> None:
    text = "".join(found)
    starts = sentence_starts(text, how)
    joined = [text[start:stop] for start, stop in zip(starts, [*starts[1:], len(text)], strict=True)]
    assert joined == found


def test_a_long_run_takes_linear_time() -> None:
    for text in ("a." * 200_000 + "@", "www." * 100_000 + "@", "x@" * 100_000):
        assert token_places(text)
