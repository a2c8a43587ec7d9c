"""Prose from Python: texts of which a model tells the spans."""

from collections.abc import Iterable
from dataclasses import replace

from sstag.corpus.contexts import NO_CONTEXT, Context
from sstag.corpus.text.documents import Document
from sstag.foundation.errors import ConfigError
from sstag.interfaces.python.texts import as_list
from sstag.model.in_words import FoundSpan
from sstag.model.model import Model
from sstag.model.questions import Question
from sstag.model.tagged_documents import tagged_prose


def spans_of(
    model: Model, texts: Iterable[str], question: Question, context: Context = NO_CONTEXT
) -> list[list[FoundSpan]]:
    """The spans that a model finds in each of some texts, which together are a file."""
    each = as_list(texts, "text is a text, or a list of texts")
    if wrong := next((one for one in each if not isinstance(one, str)), None):
        raise ConfigError(f"text is a text, or a list of texts, in which {wrong!r:.50} is none")
    documents = (Document(str(number), str(one)) for number, one in enumerate(each, 1))
    asked = replace(question, confidence=False, token_confidence=False, chunk_confidence=question.confidence)
    return [found_spans(document) for document in tagged_prose(model, asked, documents, context)]


def found_spans(document: Document) -> list[FoundSpan]:
    """The spans of a document that a model has tagged."""
    return [
        FoundSpan(one.start, one.stop, one.labels[0], document.text[one.start : one.stop], one.probability)
        for spans in document.said
        for one in spans.spans
    ]
