"""Comments in columns that keep what a document is besides its tokens: its name, its text, other keys of its record.

    # document = letter-1
    # text = "Ann Lee met Bob."
    # more = {"source": "post"}

A sentence that has left its document has a comment more, which says where its text begins: `# from = 23`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sstag.corpus.blocks import Block
from sstag.corpus.formats.columns import DOCSTART
from sstag.corpus.parts import NONE
from sstag.corpus.sheets import BOM
from sstag.corpus.text.documents import Document
from sstag.foundation.json_values import Json, json_value
from sstag.foundation.whole_numbers import whole_number

DOCUMENT, FROM, TEXT, MORE = "# document = ", "# from = ", "# text = ", "# more = "
COMMENTS = tuple(comment.encode() for comment in (DOCUMENT, FROM, TEXT, MORE))
BEGINS = (COMMENTS[0], b"# newdoc", DOCSTART)  # how lines begin with which a document does


@dataclass(frozen=True)
class Head:
    """The comments at the head of a document, and the number of the document in its file, or NONE."""

    number: int = NONE
    name: str = ""
    text: str | None = None
    begin: int = 0  # where the text begins in the one that the columns count in
    more: Mapping[str, Json] = field(default_factory=dict)

    def after(self, line: bytes) -> "Head":
        """The head with what one more line says, if that is a comment about a document."""
        if line.startswith(BEGINS):
            return Head(self.number + 1, text_said(line) if line.startswith(b"#") else "")
        if line.startswith(COMMENTS[1]):
            return replace(self, begin=place_said(line))
        if line.startswith(COMMENTS[2] + b'"'):
            return replace(self, text=text_said(line))
        return replace(self, more=object_said(line)) if line.startswith(COMMENTS[3]) else self

    def after_all(self, lines: bytes) -> "Head":
        """The head with what some lines say."""
        head = self
        for line in lines.split(b"\n") if b"#" in lines or DOCSTART in lines else ():
            head = head.after(line)
        return head

    @property
    def comments(self) -> list[str]:
        """The lines that say all this."""
        found = [DOCUMENT + name_text(self.name), *self.of_text]
        return [*found, MORE + json.dumps(self.more, ensure_ascii=False)] if self.more else found

    @property
    def of_text(self) -> list[str]:
        """The lines that say the text, and where it begins if that is not where columns begin to count."""
        begin = [f"{FROM}{self.begin}"] if self.begin else []
        return begin if self.text is None else [*begin, TEXT + json.dumps(self.text, ensure_ascii=False)]


NO_HEAD = Head()


def may_have_comments(block: Block) -> bool:
    """Whether something may stand between the sentences of a block; false of most, which need not be looked at."""
    return block.text.startswith((b"#", BOM + b"#")) or b"\n#" in block.text or DOCSTART in block.text


def comments_of(document: Document) -> list[str]:
    """The comments of a document."""
    return Head(name=document.id, text=document.text, more=document.more).comments


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
    return whole_number(value_said(line)) or 0


def _json(text: str) -> Json:
    try:
        return json_value(text)
    except ValueError:
        return None
