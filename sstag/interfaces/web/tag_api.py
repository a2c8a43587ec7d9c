"""The requests of `sstag serve` that belong to no tool: texts or tokens in, spans with their probabilities out.

POST tag          {"text": "Kim met Ann."}  or  {"tokens": ["Kim", "met", "Ann", "."]}, one or a list of several,
                  perhaps with "context": the texts of the request that are read before they are tagged
                  → {"model", "version", "results": [{"spans": […]}, …]}
POST tag-stream   such objects, one on each line → a result on each line, while more lines arrive
GET  models       → {"models": [{"name", "labels", "scheme", "version"}, …]}
GET  health       → {"status": "ok"}
"""

import asyncio
import json
from collections.abc import Callable, Sequence
from http import HTTPStatus
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from sstag import __version__
from sstag.corpus.contexts import NO_CONTEXT, OF_DOCUMENT, Context, Read, context_called
from sstag.corpus.text.documents import Document
from sstag.corpus.text.json_keys import a_text, an_object, kind
from sstag.corpus.text.json_records import value_of_line
from sstag.foundation.errors import ConfigError, DataError, SstagError, nearest
from sstag.foundation.json_values import Json
from sstag.interfaces.python.prose import found_spans
from sstag.interfaces.web.answers import JSON, REQUEST, Refused, expect_type, mannerly, said
from sstag.interfaces.web.engine import Engine, engine_called, expect_few, few_enough, labelled, unless
from sstag.interfaces.web.openapi import REQUESTS, description
from sstag.interfaces.web.queueing import Queue
from sstag.interfaces.web.streams import LINES, Stream, Streams
from sstag.model.in_words import FoundChunk
from sstag.model.model import Model
from sstag.model.questions import Question
from sstag.model.tagged_documents import tagged_prose

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

VALUES = 4  # times as many commas and lists as tokens: parsed, these would take 80 bytes each
KEYS = ("text", "tokens", "model", "context")
Over = Callable[[], bool]


class Wanted(NamedTuple):
    """A request: the model that it asks, and documents or the tokens of sentences."""

    name: str
    engine: Engine
    several: bool
    documents: list[Document]
    sentences: list[list[str]]
    context: Context = NO_CONTEXT  # the texts of a request are a file; it says nothing to a model of one stage


def routes(engines: dict[str, Engine], queue: Queue, base: str) -> "list[Route]":
    """The requests, for models by their names."""
    from starlette.responses import Response
    from starlette.routing import Route

    streams = Streams(queue)

    def answer(raw: bytes, over: Over) -> bytes:
        one = _wanted(raw, 1, engines)
        now = one.engine.now
        (results,) = _results(now.model, [one], over, one.context)
        return _json({"model": one.name, "version": now.version, "results": results})

    def answers(lines: Sequence[tuple[int, bytes]], over: Over) -> bytes:
        return b"".join(_json(one) for one in _of_lines(lines, engines, over))

    @mannerly
    async def tag(request: "Request") -> "Response":
        expect_type(request, JSON)
        raw, over = await request.body(), request.state.over
        return Response(await asyncio.to_thread(answer, raw, over.is_set), media_type=JSON)

    @mannerly
    async def tag_stream(request: "Request") -> "Response":
        expect_type(request, *LINES)
        return Stream(streams, answers)

    async def models(request: "Request") -> "Response":
        return said({"models": [_about(name, engine) for name, engine in engines.items()]})

    async def health(request: "Request") -> "Response":
        return said({"status": "ok"})

    async def first(request: "Request") -> "Response":
        return said({"sstag": __version__, "models": list(engines), "requests": REQUESTS})

    async def openapi(request: "Request") -> "Response":
        return said(description(list(engines), __version__, base))

    gets = {"/": first, "/health": health, "/models": models, "/openapi.json": openapi}
    return [
        Route("/tag", tag, methods=["POST"]),
        Route("/tag-stream", tag_stream, methods=["POST"]),
        *(Route(path, handler, methods=["GET"]) for path, handler in gets.items()),
    ]


def _about(name: str, engine: Engine) -> Json:
    now = engine.now
    return {"name": name, "labels": list(now.labels), "scheme": now.model.scheme, "version": now.version}


def _json(value: Json) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _wanted(raw: bytes, number: int, engines: dict[str, Engine]) -> Wanted:
    """The contents of a request, or of a line of a stream."""
    most = max(engine.most_tokens for engine in engines.values())
    if raw.count(b",") + raw.count(b"[") > VALUES * (most + 100):  # each is a token, or stands beside one
        expect_few(most + 1, most)
    try:
        body = an_object(value_of_line(REQUEST, number, raw), REQUEST)
    except DataError as error:
        raise Refused(HTTPStatus.BAD_REQUEST, error.message) from error
    if unknown := next((key for key in body if key not in KEYS), None):
        raise ConfigError(f"unknown key '{unknown:.40}'{nearest(unknown, KEYS)}")
    if ("text" in body) == ("tokens" in body):
        raise ConfigError("a request has a 'text' or 'tokens', one of the two")
    name, engine = engine_called(a_text(body["model"], "'model'") if "model" in body else None, engines)
    context = context_called(body["context"]) if "context" in body else NO_CONTEXT
    if "text" in body:
        text = body["text"]
        texts = [text] if isinstance(text, str) else text
        if not isinstance(texts, list) or not all(isinstance(one, str) for one in texts):
            raise DataError(f"'text' is {kind(text)}, not a text or a list of texts")
        documents = [Document(str(place), one) for place, one in enumerate(texts, 1)]
        return Wanted(name, engine, texts is text, few_enough(documents, engine.most_tokens), [], context)
    tokens = body["tokens"]
    sentences = [tokens] if _are_tokens(tokens) else tokens
    if not isinstance(sentences, list) or not all(map(_are_tokens, sentences)):
        raise DataError(f"'tokens' is {kind(tokens)}, not a list of texts or a list of such lists")
    if any(not word for words in sentences for word in words):
        raise DataError("'tokens' has an empty one")
    expect_few(sum(map(len, sentences)) + len(sentences), engine.most_tokens)
    if context == OF_DOCUMENT:
        raise ConfigError("tokens do not say where documents begin: 'context' is file, a number of sentences, or none")
    return Wanted(name, engine, sentences is tokens, [], sentences, context)


def _are_tokens(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _results(model: Model, every: Sequence[Wanted], over: Over, context: Context = NO_CONTEXT) -> list[list[Json]]:
    """The results of some requests to one model, which is asked about all of them together."""
    documents = [document for one in every for document in one.documents]
    sentences = [words for one in every for words in one.sentences]
    spans = unless(over, tagged_prose(model, Question(), documents, context))
    labels = labelled(model, sentences, over, Read(context))
    return [
        [
            *({"spans": [span._asdict() for span in found_spans(next(spans))]} for _ in one.documents),
            *(_of_tokens(words, *(next(labels) if words else ([], [], []))) for words in one.sentences),
        ]
        for one in every
    ]


def _of_tokens(words: Sequence[str], labels: list[str], sure: list[float], chunks: Sequence[FoundChunk]) -> Json:
    """The result for the tokens of a sentence; its text has a blank between them."""
    text = " ".join(words)
    starts = [*accumulate((len(word) + 1 for word in words), initial=0)]
    spans: list[Json] = []
    for one in chunks:
        start, end = starts[one.first], starts[one.stop] - 1
        place: dict[str, Json] = {"start": start, "end": end, "label": one.type, "text": text[start:end]}
        spans.append({**place, "probability": one.confidence, "first": one.first, "stop": one.stop})
    return {"spans": spans, "labels": labels, "probabilities": sure}


def _of_lines(lines: Sequence[tuple[int, bytes]], engines: dict[str, Engine], over: Over) -> list[Json]:
    """The answers to some lines of a stream; an error stands in the place of its line."""
    answers: dict[int, Json] = {}
    asked: dict[str, dict[int, Wanted]] = {}
    for number, raw in lines:
        try:
            one = _wanted(raw, number, engines)
            if one.context != NO_CONTEXT:
                raise ConfigError("a line of a stream is answered before others come: 'context' is for POST /tag")
        except SstagError as error:
            answers[number] = _fault(number, error)
        else:
            asked.setdefault(one.name, {})[number] = one
    for name, every in asked.items():
        answers |= _together(engines[name].model, every, over)
    return [answers[number] for number, _ in lines]


def _together(model: Model, every: dict[int, Wanted], over: Over) -> dict[int, Json]:
    """The answers of a model to some lines by their numbers; if one of them is an error, each is asked alone."""
    try:
        results = _results(model, list(every.values()), over)
    except SstagError as error:
        if len(every) == 1:
            return {number: _fault(number, error) for number in every}
        return {number: _together(model, {number: one}, over)[number] for number, one in every.items()}
    return {
        number: {"results": found} if one.several else found[0]
        for (number, one), found in zip(every.items(), results, strict=True)
    }


def _fault(number: int, error: SstagError) -> Json:
    return {"error": f"line {number}: {error.message if isinstance(error, DataError | ConfigError) else error}"}
