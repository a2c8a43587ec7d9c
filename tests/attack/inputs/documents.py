"""Every format that can be read: files that sstag wrote, in which some things are others."""

import json
import random
from typing import Any

from sstag.corpus.formats import FORMATS, input_names
from tests.attack.inputs import Good, Input
from tests.attack.inputs.options import some_options
from tests.attack.inputs.pieces import LABELS, WORDS, changed, mostly, pieces_of
from tests.attack.inputs.values import changed_value

FOLDERS = ("xmi",)  # needs a library of others
NAMES = tuple(name for name in input_names() if name not in FOLDERS)
PIECES = pieces_of(
    *WORDS, *LABELS, "\t", "\t", "\n", "_", "*", "*[1]", "PER[1]|LOC[2]", "1-1", "2-1", "0-3", "3-0", "1-1.1",
    "#Text=", "#FORMAT=WebAnno TSV 3.3",
    "#T_SP=webanno.custom.X|value", "(PER*", "*)", "(PER)", "#begin document (a); part 000", "#end document",
    "# sent_id = 1", "1-2", "1.1", ",", ";",
    '"', '""', "{", "}", "[", "]", ":", "null", "\\ud800", "\\u0000", "T1\tPER 0 3\tAnn", "R1\tX Arg1:T1 Arg2:T1",
    "A1\tN T1", "T2\tPER 0 3;5 6\tx",
)  # fmt: skip
USES = (
    "convert {F} --to-format columns --output {>o}",
    "convert {F} --to-format columns --output {>o}",
    "convert {F} --to-format jsonl --output {>o}",
    "convert {F} --to-scheme bioes --output {>o}",
    "convert {F} --to-format NAME --output {>o}",
    "check {F}",
    "tag {F} --model {model} --output {>o}",
    "tag {F} --model {model} --format OUT --output {>o}",
    "eval {F} --model {model} --resamples 3",
    "split {F} --part {>p}=1 --part {>q}=rest --force",
    "shuffle {F} --output {>o}",
    "eval {train} {F} --resamples 3",
    "merge {F} {F} --output {>o}",
    "features {F} --template {template}",
    "select --pool {F} --model {model} --count 1 --output {>o}",
)


def text(chance: random.Random, data: bytes) -> bytes:
    """A file with some changes: of its values if it is made of JSON, and of its bytes."""
    try:
        values: list[Any] = [json.loads(data)]
        whole = True
    except ValueError:
        try:
            values, whole = [json.loads(line) for line in data.splitlines() if line.strip()], False
        except ValueError:
            return changed(chance, data, PIECES)
    for _ in range(chance.choice((1, 1, 2))):
        at = chance.randrange(len(values)) if values else 0
        values[at : at + 1] = [changed_value(chance, values[at])]
    ascii_only, indent = chance.random() < 0.5, 1 if whole and chance.random() < 0.2 else None
    texts = [json.dumps(value, ensure_ascii=ascii_only, indent=indent) for value in values]
    made = "\n".join(texts).encode("utf-8", "surrogatepass")
    return made if chance.random() < 0.8 else changed(chance, made, PIECES, 1)


def made(chance: random.Random, good: Good) -> Input:
    """A command that reads a file of a format, with one that is changed."""
    name = chance.choice(NAMES)
    keys = [one for one in good if one.startswith(f"as-{name}.")]
    key = chance.choice(keys)
    outputs = [one for one, entry in FORMATS.items() if entry.writes and one not in (*FOLDERS, "brat")]
    line = chance.choice(USES).replace("NAME", chance.choice(outputs)).replace("OUT", chance.choice(outputs))
    words = [word.replace("{F}", f"{{{key}}}") for word in line.split()]
    if chance.random() < 0.8:
        words += ["--from-format", mostly(chance, [name], NAMES, 0.05)]
    data = text(chance, good[key]) if chance.random() < 0.95 else changed(chance, good[key], PIECES, 5)
    return some_options(chance, Input(tuple(words), {key: data}), 0.2)
