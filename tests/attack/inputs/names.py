"""Names of files that are no text, or that a terminal would obey."""

import os
import random

from tests.attack.inputs import Good, Input, any_use
from tests.attack.material import is_file

NAMES = (
    b"caf\xe9", b"\xff", b"\xed\xa0\x80", b"a\x1b[2Jb", b"a\nb", b" ", b"-", b"--model", b"a\tb", b"\xe2\x80\xae",
    b"a" * 250, b"a" * 256, b"~", b"*",
    b".gz", b"x.gz", b"x.conllu", b"x.jsonl", b"x.xmi", b"x.ann", b"x.csv", b".", b"..", b"a\rb", b"\x7f", b"=",
    b"a=b", b"a,b", b"{", b"\\", b"'",
)  # fmt: skip


def made(chance: random.Random, good: Good) -> Input:
    """Any good command; one of its files has such a name."""
    one = Input(any_use(chance))
    places = [at for at, word in enumerate(one.words) if "{" in word]
    if not places:
        return one
    at = chance.choice(places)
    word, name = one.words[at], os.fsdecode(chance.choice(NAMES))
    inner = word[word.index("{") + 1 : word.index("}")]
    new = word.replace(f"{{{inner}}}", name.replace("{", "") or "x")
    files = (
        {name: good[inner]}
        if is_file(word) and inner in good and name not in (".", "..", "") and len(os.fsencode(name)) < 256
        else {}
    )
    return Input((*one.words[:at], new, *one.words[at + 1 :]), files)
