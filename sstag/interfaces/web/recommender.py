"""INCEpTION's external recommender: two requests with documents as CAS XMI inside JSON.

    POST predict   {"metadata": {"layer", "feature", "anchoringMode", …}, "document": {"xmi", …}, "typeSystem"}
                   → {"document": XMI with suggestions}
    POST train     {"metadata", "documents": [{"xmi", "documentId", "userId"}, …], "typeSystem"}
                   → 204; 429 while a training is on its way

A suggestion is an annotation of the layer with `inception_internal_predicted` set, and `FEATURE_score` if the types
have it. Sentences in which nobody annotated anything are not learned from: they may not have been read yet.
"""

import asyncio
import re
from http import HTTPStatus
from io import BytesIO
from typing import TYPE_CHECKING

from sstag.corpus.formats.xmi import check_cassis, document_of_cas
from sstag.corpus.text.documents import Document, Span
from sstag.corpus.text.json_keys import Object, a_list, a_text, an_object
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.json_values import Json
from sstag.interfaces.web.answers import Refused, asked, mannerly, said
from sstag.interfaces.web.engine import Engine
from sstag.interfaces.web.learning import INCEPTION, Learning

if TYPE_CHECKING:
    from cassis import Cas, TypeSystem
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

PREDICTED, SCORE = "inception_internal_predicted", "_score"
DECLARATION = re.compile(r"^\ufeff?\s*<\?xml\s[^>]*\?>")
ANCHORS = ("tokens", "singleToken", "characters")


def routes(engine: Engine, learning: Learning | None) -> "list[Route]":
    """The two requests that INCEpTION sends."""
    from starlette.routing import Route

    @mannerly
    async def predict(request: "Request") -> "Response":
        body = await asked(request)
        return said({"document": await asyncio.to_thread(_predicted, engine, body)})

    @mannerly
    async def train(request: "Request") -> "Response":
        from starlette.responses import Response

        body = await asked(request)
        if learning is None:
            raise Refused(HTTPStatus.NOT_IMPLEMENTED, "this server does not learn (sstag serve --learned FILE)")
        if learning.trainer.is_busy:
            raise Refused(HTTPStatus.TOO_MANY_REQUESTS, "a training is on its way")
        project, documents = await asyncio.to_thread(_training_documents, body)
        learning.told.keep(INCEPTION, project, documents, all_of_it=True)
        learning.trainer.start()
        return Response(status_code=HTTPStatus.NO_CONTENT)

    return [Route("/predict", predict, methods=["POST"]), Route("/train", train, methods=["POST"])]


def _predicted(engine: Engine, body: Object) -> str:
    """The document of a request with the suggestions of the model, as XMI."""
    layer, feature, anchor = _asked_for(body)
    types = _types(body)
    cas = _cas(an_object(body.get("document"), "'document'"), types)
    (found,) = engine.tagged([document_of_cas(cas, "document", f"{layer}.{feature}", "'document'.'xmi'")])
    kind = types.get_type(layer)
    known = {one.name for one in kind.all_features}
    if PREDICTED not in known or feature not in known:
        raise DataError(f"the layer {layer} has no features {feature} and {PREDICTED}")
    for span in _anchored(found, anchor):
        values: dict[str, object] = {"begin": span.start, "end": span.stop, PREDICTED: True, feature: span.labels[0]}
        if feature + SCORE in known:
            values[feature + SCORE] = span.probability
        cas.add(kind(**values))
    return str(cas.to_xmi())


def _anchored(document: Document, anchor: str) -> list[Span]:
    """The spans that a model found; single tokens where a layer holds nothing else."""
    spans = [span for one in document.said for span in one.spans]
    if anchor != "singleToken":
        return spans
    return [
        Span(start, stop, span.labels, span.probability)
        for span in spans
        for start, stop in document.tokens or ()
        if span.start <= start and stop <= span.stop
    ]


def _training_documents(body: Object) -> tuple[str, list[Document]]:
    """The project of a request to learn, and its documents; each person's version of a document is one."""
    layer, feature, _ = _asked_for(body)
    types = _types(body)
    documents = []
    for number, value in enumerate(a_list(body.get("documents"), "'documents'")):
        one = an_object(value, f"'documents'[{number}]")
        name = f"{one.get('documentId')} {one.get('userId')}"
        documents.append(document_of_cas(_cas(one, types), name, f"{layer}.{feature}", f"'documents'[{number}]"))
    project = an_object(body.get("metadata"), "'metadata'").get("projectId")
    return f"{project} {layer}.{feature}", documents


def _asked_for(body: Object) -> tuple[str, str, str]:
    """The layer and the feature of a request, and what the annotations of the layer stand on."""
    metadata = an_object(body.get("metadata"), "'metadata'")
    layer, feature = (a_text(metadata.get(key), f"'metadata'.'{key}'") for key in ("layer", "feature"))
    anchor = a_text(metadata.get("anchoringMode", ANCHORS[0]), "'metadata'.'anchoringMode'")
    if anchor not in ANCHORS:
        raise DataError(f"a layer on {anchor} cannot be suggested: sstag labels tokens and spans of them")
    return layer, feature, anchor


def _types(body: Object) -> "TypeSystem":
    check_cassis()
    from cassis import load_typesystem

    data = _xml(body.get("typeSystem"), "'typeSystem'")
    try:
        return load_typesystem(BytesIO(data))
    except Exception as error:  # whatever lxml and cassis raise of a text that is none
        raise DataError(f"'typeSystem' cannot be read: {error}") from error


def _cas(document: Object, types: "TypeSystem") -> "Cas":
    from cassis import load_cas_from_xmi

    data = _xml(document.get("xmi"), "'xmi'")
    try:
        return load_cas_from_xmi(BytesIO(data), typesystem=types, lenient=True)
    except Exception as error:  # whatever lxml and cassis raise of a text that is none
        raise DataError(f"'xmi' cannot be read: {error}") from error


def _xml(value: Json, key: str) -> bytes:
    """A text in XML; one that declares entities of its own could stand for any amount of text, or for files."""
    text = a_text(value, key)
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ConfigError(f"{key} declares a document type: no tool sends that")
    return DECLARATION.sub("", text, count=1).encode()  # so that what was looked at is what is parsed
