"""Parts of a file: its sentences with their bytes, dealt out at random, so that no sentence is in two parts."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from sstag.corpus.blocks import Block
from sstag.corpus.sheets import BOM
from sstag.foundation.arrays import Longs
from sstag.foundation.errors import ConfigError, counted

AMOUNT = re.compile(r"(?:(?P<share>\d+(?:\.\d+)?)%|(?P<count>\d{1,12})(?P<tokens>t?)|(?P<rest>rest))")
GLOBAL = b"# global."  # begins the comments at the head of a sheet, which every part of it needs
NONE = -1


@dataclass(frozen=True)
class Amount:
    """How much of a file: a share of its sentences, so many of them, so many tokens at most, or all that is left."""

    share: float | None = None
    sentences: int | None = None
    tokens: int | None = None


def amount(text: str) -> Amount:
    """The amount in `80%`, `500` (sentences), `20000t` (tokens) or `rest`."""
    found = AMOUNT.fullmatch(text)
    if not found:
        raise ConfigError(f"'{text}' is no amount: write 80%, 500 (sentences), 20000t (tokens) or rest")
    if found["share"]:
        if float(found["share"]) > 100:
            raise ConfigError(f"{text} is more than there is")
        return Amount(share=float(found["share"]) / 100)
    if found["rest"]:
        return Amount()
    return Amount(tokens=int(found["count"])) if found["tokens"] else Amount(sentences=int(found["count"]))


def dealt(lengths: Longs, wishes: Sequence[Amount], order: Longs) -> Longs:
    """The number of the part that each sentence is in, or NONE; sentences are dealt in this order, part by part.

    Shares are of all sentences. A part by tokens takes sentences as long as they fit; more than there is, is an error.
    """  # (S,)
    result = np.full(len(lengths), NONE, np.int64)
    place = 0
    shares = 0.0
    for number, wish in enumerate(wishes):
        left = order[place:]
        if wish.tokens is not None:
            size = int(np.searchsorted(np.cumsum(lengths[left]), wish.tokens, side="right"))
            if size == len(left) and int(lengths[left].sum()) < wish.tokens:
                raise ConfigError(f"{wish.tokens:,} tokens, but {counted(int(lengths[left].sum()), 'token')} are left")
        elif wish.sentences is not None:
            size = wish.sentences
        elif wish.share is not None:
            before, shares = round(shares * len(lengths)), shares + wish.share
            size = round(shares * len(lengths)) - before  # so that shares of 100 % together are the whole
        else:
            size = len(left)
        if size > len(left):
            raise ConfigError(f"{counted(size, 'sentence')}, but {len(left):,} are left")
        result[left[:size]] = number
        place += size
    return result


def head_of(block: Block) -> bytes:
    """The comments at the head of a sheet, which name its columns; nothing if the block is not that of a sheet."""
    if block.first_line != 1:
        return b""
    text = block.text.removeprefix(BOM)
    lines = text[: 2**16].split(b"\n")
    count = next((place for place, line in enumerate(lines) if not line.startswith(GLOBAL)), len(lines))
    return b"".join(line + b"\n" for line in lines[:count])


def sentence_texts(block: Block) -> Iterator[bytes]:
    """The bytes of each sentence of a block with the lines around it, but for a sheet's head.

    Empty lines go with the sentence before them, comments with the one behind, and every sentence ends with an empty
    line.
    """
    lines, starts = block.body.split(b"\n"), block.line_starts
    bounds = [0]
    for line in block.spans[1][:-1]:  # the line after a sentence; empty ones still go with it
        while not lines[line].strip():
            line += 1
        bounds.append(int(starts[line]))
    end = b"\r\n" if b"\r\n" in block.text[:4096] else b"\n"
    for place, (begin, stop) in enumerate(pairwise([*bounds, len(block.text)])):
        text = block.text[begin:stop]
        if place == 0 and block.first_line == 1:
            text = text.removeprefix(BOM).removeprefix(head_of(block))
        text = text if text.endswith(b"\n") else text + end
        last = text[: -len(end)].rsplit(b"\n", 1)[-1]
        yield text if not last.strip() else text + end
