"""Column files that Hypothesis draws, and a reader of them in a few lines."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import assume
from hypothesis import strategies as st

from sstag.corpus import token_lines
from sstag.foundation import files

Sentence = list[tuple[int, list[str]]]  # line and fields of each token
BOM = "\ufeff"


def reference(data: bytes) -> list[Sentence]:
    """The sentences of a column file, read line by line."""
    sentences: list[Sentence] = [[]]
    for number, line in enumerate(data.decode("utf-8-sig").split("\n"), 1):
        fields = re.findall(r"[^ \t\r\n\v\f]+", line)
        if not fields or fields[0] == "-DOCSTART-":
            sentences.append([])
        elif sentences[-1] or not re.match(r"[ \t\v\f]*#[ \t]+[A-Za-z_][\w.:-]*[ \t]+=(\s|$)", line, re.ASCII):
            sentences[-1].append((number, fields))
    return [sentence for sentence in sentences if sentence]


@contextmanager
def small_blocks(block: int, piece: int) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(token_lines, "BLOCK", block)
        patch.setattr(files, "PIECE", piece)
        yield


ODD = (
    "#",
    "-",
    "=",
    "-DOCSTART-x",
    "##",
    "a\u00a0b",
    "\u3000",
    "\u0085",
    "\u2028",
    "\ufeff",
    "é",
    "字",
    "🙂",
    "\x1c",
    "O",
)
NAMED = ("sent_id", "text", "a.b:c-d")
tokens = st.one_of(
    st.sampled_from([*ODD, *NAMED]),
    st.text(st.characters(codec="utf-8", exclude_characters="\0 \t\r\n\v\f"), min_size=1, max_size=4),
)
separators = st.sampled_from([" ", "\t", "  ", " \t", "\v"])
blanks = st.sampled_from(["", "", "", " ", "\t", "  "])
ends = st.sampled_from(["\n", "\r\n"])
comments = st.builds("# {} = {}".format, st.sampled_from(NAMED), st.sampled_from(["", "1", "-DOCSTART- a b  c", "#"]))


@st.composite
def rows(draw: st.DrawFn, width: int) -> str:
    fields = [draw(tokens) for _ in range(width)]
    assume(fields[0] != "-DOCSTART-")
    return draw(blanks) + "".join(field + draw(separators) for field in fields[:-1]) + fields[-1] + draw(blanks)


@st.composite
def column_files(draw: st.DrawFn, min_sentences: int = 0, width: int | None = None) -> bytes:
    """Files that can be read, and nearly everything that may stand in them."""
    width = width or draw(st.integers(1, 4))
    lines: list[str] = draw(st.lists(blanks, max_size=2))
    for _ in range(draw(st.integers(min_sentences, 4))):
        lines += draw(st.lists(comments, max_size=2))
        lines += draw(st.lists(rows(width), min_size=1, max_size=4))
        lines += draw(st.sampled_from([[""], [" \t"], ["", "", ""], ["-DOCSTART- -X- O"], [" -DOCSTART-"]]))
    text = "".join(line + draw(ends) for line in lines)
    assume(not text.startswith(BOM))  # as a token it would be lost
    text = draw(st.sampled_from(["", BOM])) + text
    return (text.rstrip("\r\n") if draw(st.booleans()) else text).encode()
