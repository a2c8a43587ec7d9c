"""Templates and configurations."""

import random

from sstag.features.word_functions import WORD_FUNCTIONS
from tests.attack.inputs import Good, Input, drawn
from tests.attack.inputs.pieces import NUMBERS, changed, mostly, pieces_of

OFFSETS = ("0", "-1", "1", "-2..2", "0..1", "end", "begin", "-1..1", "5", "-30", "1..0", "0..9999", "-99999999999")
PATTERNS = (
    "^[A-Z]",
    "[0-9]+",
    "(a|b)c?$",
    "(a+)+$",
    "a{1,9999}",
    "(?i)x",
    "\\d",
    "[",
    "(",
    "",
    "(?=x)",
    "\\1",
    "é",
    "." * 500,
    "(" * 90,
)
LINES = (
    "columns: [word, label]", "columns: [word, pos, label]", "label: word", "edges: [labels]",
    "edges: [labels, begin, end]",
    "edges: []", "edge_pairs: all", "edge_pairs: observed", "minimum_count: 1", "minimum_count: 3",
    "pairs: all", "pairs: observed", "vocabulary: all", "vocabulary: labelled", "scale: 0.1", "vectors_kept: all",
    "scheme: iob2",
    "encoders: {mini: {model: minilm}}", "features: []", "train: train", "model: out/m", "parameters: {l2: 1}",
    "method: crf",
)  # fmt: skip
PIECES = pieces_of(
    *WORD_FUNCTIONS, *OFFSETS, "word[0]", "(", ")", "[", "]", " | ", "else unknown", "prior 2", ": ", "- ", "  ",
    "\n", "|", "&a", "*a",
    "!!python/object:os.system", "%YAML 1.1", "---", "...", "{", "}", "?", "'", '"', ", ", "..", "-", "features:",
    "columns:", "<<: *a",
    "U00:%x[0,0]", "B", "B01:%x[-1,0]/%x[0,0]", "%x[99,9]", "U:%x[", "lexicon(word[0], lexicon)",
    "cluster(word[0], clusters, 1, 2)",
    "vector(word[0], vectors)", "similar(word[0], terms, vectors, 0.5)",
)  # fmt: skip


def feature(chance: random.Random, deep: int = 0) -> str:
    """A feature, most often one that there can be."""
    source = f"{mostly(chance, (*('word',) * 20, 'label', 'pos'))}[{mostly(chance, OFFSETS, NUMBERS, 0.05)}]"
    found = source
    way = chance.randrange(8)
    if way < 4:
        name = mostly(chance, sorted(WORD_FUNCTIONS))
        inner = feature(chance, deep + 1) if deep < 3 and chance.random() < 0.3 else source
        takes = WORD_FUNCTIONS[name].takes if name in WORD_FUNCTIONS else None
        number = mostly(chance, ("1", "2", "3", "1..3"), NUMBERS, 0.1)
        more = {int: f", {number}", str: f", '{chance.choice(PATTERNS)}'"}.get(takes, "") if takes else ""  # type: ignore[call-overload]
        found = f"{name}({inner}{more})"
    elif way == 4:
        found = chance.choice(("first()", "last()", "lexicon(word[0], lexicon)", "cluster(word[0], clusters, 1, 2)",
                               "vector(word[0], vectors)", "similar(word[0], terms, vectors, 0.5)"))  # fmt: skip
    if not deep and chance.random() < 0.2:
        found += " | " + feature(chance, 1)
    if not deep and chance.random() < 0.1:
        found += chance.choice((" else unknown", f" prior {mostly(chance, ('2', '0.5'), NUMBERS, 0.3)}"))
    return found


def text(chance: random.Random) -> bytes:
    """A template, most often one that there can be."""
    if chance.random() < 0.1:
        names = []
        for number in range(chance.randrange(1, 6)):
            places = [f"%x[{chance.randrange(-2, 3)},{chance.choice('0000123')}]" for _ in range(chance.randrange(4))]
            names.append(f"U{number:02}:" + "/".join(places))
        return "\n".join([*names, chance.choice(("B", "", "B01:%x[0,0]"))]).encode()
    lines = chance.sample(LINES, chance.choice((0, 0, 1, 2)))
    lines += [] if chance.random() < 0.3 or any("columns" in one for one in lines) else ["columns: [word, label]"]
    lines += ["features:"]
    for _ in range(chance.choice((1, 2, 3, 6))):
        one = feature(chance)
        lines.append(
            f"  - {one!r}" if any(mark in one for mark in "'#:{}|&*") and chance.random() < 0.9 else f"  - {one}"
        )
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogatepass")


def made(chance: random.Random, good: Good) -> Input:
    """A command that reads a template, with one that is made or changed."""
    words, name = drawn(chance, "template", "template", "template", "with-lexicon", "config")
    if words[0] != "features" and chance.random() < 0.7:
        words, name = ("features", "{train}", "--template", "{template}"), "template"
    begin = text(chance) if name != "config" and chance.random() < 0.7 else good[name]
    return Input(words, {name: begin if chance.random() < 0.5 else changed(chance, begin, PIECES, 2)})
