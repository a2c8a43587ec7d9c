"""Comments in columns that keep what a document is besides its tokens: its name, its text, other keys of its record.

# document = letter-1
# text = "Ann Lee met Bob."
# more = {"source": "post"}
"""

import json
from collections.abc import Mapping

from sstag.corpus.text.documents import Document
from sstag.foundation.json_values import Json

DOCUMENT, FROM, TEXT, MORE = "# document = ", "# from = ", "# text = ", "# more = "


def comments_of(document: Document) -> list[str]:
    """The comments of a document."""
    found = [DOCUMENT + name_text(document.id), TEXT + json.dumps(document.text, ensure_ascii=False)]
    return [*found, MORE + json.dumps(document.more, ensure_ascii=False)] if document.more else found


def name_text(name: str) -> str:
    """The name of a document as a comment can hold it."""
    return name if name.isprintable() and name == name.strip() and not name.startswith('"') else json.dumps(name)


def value_said(line: bytes) -> str:
    """The value of a comment."""
    return line.decode().partition("=")[2].strip()


def text_said(line: bytes) -> str:
    """The text that a comment says, which is JSON if it begins with a quote."""
    text = value_said(line)
    value = _json(text) if text.startswith('"') else None
    return value if isinstance(value, str) else text


def object_said(line: bytes) -> Mapping[str, Json]:
    """The object that a comment says; none if it says something else."""
    value = _json(value_said(line))
    return value if isinstance(value, dict) else {}


def place_said(line: bytes) -> int:
    """The place in a text that a comment says; 0 if it says something else."""
    value = value_said(line)
    return int(value) if value.isascii() and value.isdigit() else 0


def _json(text: str) -> Json:
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value
