"""Answers as the API takes them, checked and brought into the one form that the store keeps."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sstag.corpus.text.json_keys import Object, a_probability, a_text, a_whole, an_object
from sstag.foundation.errors import DataError
from sstag.foundation.json_values import Json, check_plain_json
from sstag.interfaces.annotate.saying import OUTSIDE, PLAIN, Span, labels_in, said_in, span_in

KEY = re.compile(r"[A-Za-z0-9_-]{1,64}")
LONGEST_SHOWN = 10_000  # characters
LONGEST_FEATURE = 1_000
LONGEST_PAUSE = 86_400.0  # seconds
VERDICTS = ("yes", "no", "open", "skip")
WRONG = 0.02  # the largest difference of a sum of shares from 1


@dataclass(frozen=True)
class Answer:
    """An answer: what it is about (`thing`), and what it says. A later one about the same thing counts instead."""

    key: str
    kind: str
    thing: str
    said: Json
    text: str | None = None  # the hash of a text
    question: int | None = None
    model: int | None = None
    shown: Json = None
    seconds: float = 0.0


@dataclass(frozen=True)
class Ground:
    """The labels and the scheme of the project, and the length of texts by their hash: answers are checked on these."""

    labels: Sequence[str]
    scheme: str
    length: Callable[[str], int]
    feature: Callable[[str], str]  # as a list has it; one that cannot be labelled is an error


def answer_in(value: Json, ground: Ground) -> Answer:
    """An answer in a body."""
    body = an_object(value, "an answer")
    kind = a_text(body.get("kind"), "'kind'")
    if kind not in KINDS:
        raise DataError(f"there is no answer of the kind '{kind:.40}' (known: {', '.join(KINDS)})")
    return KINDS[kind](kind, body, ground)


def key_in(body: Object) -> str:
    """The key of an answer."""
    key = a_text(body.get("key"), "'key'")
    if not KEY.fullmatch(key):
        raise DataError("'key' is 1 to 64 letters, digits, - and _")
    return key


def _sentence(kind: str, body: Object, ground: Ground) -> Answer:
    text, tokens = _text(body, ground)
    said = said_in(body, tokens, ground.labels).json
    return _made(kind, body, f"{'decision' if kind == 'decision' else 'text'}:{text}", said, text)


def _skip(kind: str, body: Object, ground: Ground) -> Answer:
    text, _ = _text(body, ground)
    return _made(kind, body, f"text:{text}", None, text)


def _span(kind: str, body: Object, ground: Ground) -> Answer:
    text, tokens = _text(body, ground)
    span = span_in(body, tokens, ground.labels, "the answer")
    verdict = a_text(body.get("answer"), "'answer'")
    if verdict not in VERDICTS:
        raise DataError(f"'answer' is one of {', '.join(VERDICTS)}")
    said = {**span.json, "answer": verdict, "probability": a_probability(body.get("probability"), "'probability'")}
    return _made(kind, body, thing_of_span(text, span), said, text)


def thing_of_span(text: str, span: Span) -> str:
    """The name of what an answer about a span is about."""
    return f"span:{text}:{span.first}:{span.stop}:{'|'.join(span.labels)}"


def _feature(kind: str, body: Object, ground: Ground) -> Answer:
    feature = a_text(body.get("feature"), "'feature'")
    if not feature or len(feature) > LONGEST_FEATURE or set(feature) & set("\t\r\n"):
        raise DataError(f"'feature' is a text of at most {LONGEST_FEATURE:,} characters on one line")
    target = _target(body, ground)
    feature = ground.feature(feature)
    return _made(kind, body, f"feature:{feature}", {"feature": feature, **target})


def _target(body: Object, ground: Ground) -> dict[str, Json]:
    """The labels of a feature, as an answer has them."""
    labels = ground.labels if ground.scheme == PLAIN else [OUTSIDE, *ground.labels]
    given = [name for name in ("shares", "labels", "nothing") if body.get(name) is not None]
    if given == ["labels"]:
        return {"labels": list(labels_in(body, labels, "the feature"))}
    if given == ["shares"]:
        shares: dict[str, float] = {}
        for label, share in an_object(body["shares"], "'shares'").items():
            number = a_probability(share, f"the share of '{label:.60}'")
            if label not in labels or number is None or not 0 <= number <= 1:
                raise DataError(f"'shares': '{label:.60}' is no label of the project, or its share is not from 0 to 1")
            shares[label] = number
        if abs(sum(shares.values()) - 1) > WRONG:
            raise DataError(f"'shares' add up to {sum(shares.values()):g}, not to 1")
        return {"shares": {**shares}}
    if given == ["nothing"] and body["nothing"] is True:
        return {"nothing": True}
    raise DataError("a feature has 'labels', 'shares', or 'nothing': true, and one of these alone")


def _text(body: Object, ground: Ground) -> tuple[str, int]:
    text = a_text(body.get("text"), "'text'")
    return text, ground.length(text)


def _made(kind: str, body: Object, thing: str, said: Json, text: str | None = None) -> Answer:
    question = body.get("question")
    model = body.get("model")
    shown = body.get("shown")
    try:
        check_plain_json(shown)
    except ValueError as error:
        raise DataError(f"'shown': {error}") from error
    if len(json.dumps(shown)) > LONGEST_SHOWN:
        raise DataError(f"'shown' has more than {LONGEST_SHOWN:,} characters")
    seconds = a_probability(body.get("seconds"), "'seconds'") or 0.0
    if not 0 <= seconds <= LONGEST_PAUSE:
        raise DataError(f"'seconds' is a number from 0 to {LONGEST_PAUSE:,.0f}")
    return Answer(
        key_in(body),
        kind,
        thing,
        said,
        text,
        None if question is None else a_whole(question, "'question'"),
        None if model is None else a_whole(model, "'model'"),
        shown,
        seconds,
    )


KINDS: dict[str, Callable[[str, Object, Ground], Answer]] = {
    "sentence": _sentence,
    "decision": _sentence,
    "skip": _skip,
    "span": _span,
    "feature": _feature,
}
