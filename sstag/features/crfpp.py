"""CRF++ template files: `U05:%x[-1,0]/%x[0,0]` and `B` lines, making exactly the attributes CRF++ makes.

Rows outside the sentence read `_B-1`, `_B-2`, … before it and `_B+1`, … after it. Every `U` line is a feature of the
label, every `B` line one of the pair of labels; a `B` line without a macro is the pair alone. CRF++ has no scores for
the beginning and the end of a sentence. Lines may repeat: their attributes then count twice.
"""

import re

from sstag.features.template import Edges, Feature, Source, Template, Text
from sstag.foundation.errors import ConfigError

MACRO = re.compile(r"%x\[\s*([-+]?\d{1,4})\s*,\s*(\d{1,4})\s*\]")
FARTHEST = 100  # rows away; CRF++ itself allows 8
MOST_COLUMNS = 1000


def template(text: str, path: str) -> Template:
    """The template that a CRF++ template file says."""
    unigrams: list[Feature] = []
    bigrams: list[Feature] = []
    for number, written in enumerate(text.split("\n"), 1):
        line = written.rstrip("\r")
        if not line.strip() or line.startswith("#"):
            continue
        if line[0] not in "UB":
            raise ConfigError(f"'{line[:60]}': a CRF++ template line begins with U or B", path, number)
        try:
            (unigrams if line[0] == "U" else bigrams).append(_feature(line))
        except ConfigError as error:
            raise ConfigError(error.message, path, number) from error
    if not unigrams and not bigrams:
        raise ConfigError("no feature in it", path)
    return Template(
        columns=None,
        label="label",
        features=tuple(unigrams),
        edges=Edges(
            labels=any(not feature.terms for feature in bigrams),
            begin=False,
            end=False,
            features=tuple(feature for feature in bigrams if feature.terms),
        ),
    )


def _feature(line: str) -> Feature:
    literals, terms = [], []
    at = 0
    for match in MACRO.finditer(line):
        row, column = int(match[1]), int(match[2])
        if abs(row) > FARTHEST or column >= MOST_COLUMNS:
            raise ConfigError(f"{match[0]} looks too far ({FARTHEST} rows, {MOST_COLUMNS} columns)")
        literals.append(line[at : match.start()])
        terms.append(Text(Source(column), row))
        at = match.end()
    literals.append(line[at:])
    if "%" in "".join(literals):
        raise ConfigError(f"'{line[:60]}': % begins a macro, written %x[row,column]")
    return Feature(tuple(literals), tuple(terms))
