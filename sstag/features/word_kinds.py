"""The kind of a token by its looks: number, year, month, ordinal, initial, price, phone, e-mail, URL or time.

The first kind of `KINDS` that fits the whole word counts; a number without a closer kind is told by its digits, so that
`3` is `digits-1` and `1024` is `digits-4`. Names of months and of places in an order are English.
"""

import re
from functools import cache

LONGEST = 200  # characters: nothing longer has a kind
MOST_DIGITS = 9  # more are as many

_MONTH = (
    "january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug"
    "|sept?|oct|nov|dec"
)
_PLACE = (
    "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth"
    "|sixteenth|seventeenth|eighteenth|nineteenth|twentieth"
)
_CURRENCY = r"[$€£¥₹]|us\$|usd|eur|gbp|chf"
_AMOUNT = r"[0-9][0-9,.']*"
_LOCAL = r"[0-9]{2,4}[/\-][0-9]{3,4}[/\-][0-9]{3,5}|[0-9]{3}\.[0-9]{3}\.[0-9]{4}"
_NOON = r"[ap]m|[ap]\.m\.?"

KINDS = {  # patterns of whole words in lower case
    "url": r"[a-z][a-z0-9+.\-]*://\S+|www\.\S+",
    "email": r"[^@\s]+@[^@\s.]+(\.[^@\s.]+)+",
    "year": r"(1[5-9]|20)[0-9][0-9][a-z]?|'[0-9][0-9]",
    "time": rf"([01]?[0-9]|2[0-4]):[0-5][0-9](:[0-5][0-9])?({_NOON})?|([01]?[0-9])({_NOON})|noon|midnight",
    "price": rf"({_CURRENCY}){_AMOUNT}[km]?|{_AMOUNT}[km]?({_CURRENCY})",
    "phone": rf"(\+[0-9]|\([0-9]{{2,5}}\))[0-9()./\-]{{5,}}|{_LOCAL}",
    "ordinal": rf"[0-9]+(st|nd|rd|th)|{_PLACE}",
    "month": rf"({_MONTH})\.?",
    "range": r"[0-9]+(-{1,3}|–)[0-9]+",
    "number": r"[+\-]?[0-9]*[,.][0-9][0-9,.]*%?|[+\-][0-9]+%?|[0-9]+%",
}
_INITIAL = re.compile(r"[^\W\d_](\.(-?[^\W\d_]\.){0,3})?")
_DIGITS = re.compile(r"[0-9]+")


@cache
def _kinds() -> dict[str, re.Pattern[str]]:
    """The patterns, made when the first word is looked at: few templates ask for kinds."""
    return {name: re.compile(pattern) for name, pattern in KINDS.items()}


def kind(word: str) -> str | None:
    """`1997` → year, `$450` → price, `J.` → initial; None for what has no kind, as most words."""
    if len(word) > LONGEST:
        return None
    if _INITIAL.fullmatch(word) and word[0].isupper():
        return "initial"
    small = word.lower()
    found = next((name for name, pattern in _kinds().items() if pattern.fullmatch(small)), None)
    if found is None and _DIGITS.fullmatch(word):
        return f"digits-{min(len(word), MOST_DIGITS)}"
    return found
