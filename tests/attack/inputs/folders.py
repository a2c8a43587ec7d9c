"""Folders that somebody sent: documents, encoders and vectors of model2vec, with links and pipes among their files."""

import json
import os
import random
import struct

from tests.attack.inputs import Good, Input, Odd
from tests.attack.inputs.documents import PIECES, USES
from tests.attack.inputs.models import NUMBERS
from tests.attack.inputs.options import some_options
from tests.attack.inputs.pieces import changed
from tests.attack.inputs.values import changed_value

NAMES = (
    ".hidden", "a b", "é" * 100, "a" * 240, "..a", "a\nb", "a\x1b[2Jb", "caf\udce9", "inner/deep", "-", "~", "a.txt",
    "__proto__", "CON", "a:b",
)  # fmt: skip
ODDITIES = (
    Odd("link", "/etc/passwd"), Odd("link", "../train"), Odd("link", "/dev/zero"), Odd("link", "nothing"),
    Odd("link", "."), Odd("link", ".."), Odd("link", "one.txt"), Odd("pipe"), Odd("folder"),
)  # fmt: skip
DOCUMENTS = {"brat": ("as-brat.txt", "as-brat.ann"), "webanno": ("as-webanno.tsv",), "text": ("as-brat.txt",)}


def _documents(chance: random.Random, good: Good) -> Input:
    """A folder of documents, of which one file is odd, changed, missing, or called strangely."""
    form = chance.choice(list(DOCUMENTS))
    files: dict[str, bytes | Odd] = {}
    for stem in ("one", "two", chance.choice(NAMES)):
        for key in DOCUMENTS[form]:
            files[f"folder/{stem}{os.path.splitext(key)[1]}"] = good[key]
    name = chance.choice(list(files))
    way = chance.randrange(5)
    if way < 2:
        files[name] = chance.choice(ODDITIES)
    elif way == 2:
        del files[name]
    elif way == 3:
        before = files[name]
        files[name] = changed(chance, before if isinstance(before, bytes) else b"", PIECES)
    else:
        files[f"folder/{chance.choice(NAMES)}"] = chance.choice(ODDITIES)
    use = chance.choice(USES).replace("NAME", "columns").replace("OUT", "columns").replace("{F}", "folder")
    return some_options(chance, Input((*use.split(), "--from-format", form), files), 0.1)


def _head(chance: random.Random, data: bytes) -> bytes:
    """A safetensors file with another value in its head, or another number."""
    length = int.from_bytes(data[:8], "little")
    if chance.random() < 0.4:
        at = chance.randrange(len(data))
        piece = chance.choice(NUMBERS)
        return (data[:at] + piece + data[at + len(piece) :])[: len(data)]
    text = json.dumps(changed_value(chance, json.loads(data[8 : 8 + length]))).encode("utf-8", "surrogatepass")
    return struct.pack("<Q", len(text)) + text + data[8 + length :]


def _tensors(chance: random.Random, good: Good, before: str, words: tuple[str, ...]) -> Input:
    """A folder of an encoder or of model2vec, of which a file is another."""
    files: dict[str, bytes | Odd] = {
        f"folder/{name.removeprefix(before)}": data for name, data in good.items() if name.startswith(before)
    }
    for _ in range(chance.choice((1, 1, 2))):
        name = chance.choice(list(files))
        data = files[name]
        assert isinstance(data, bytes)
        if name.endswith(".safetensors"):
            files[name] = _head(chance, data)
        elif name.endswith(".json") and chance.random() < 0.9:
            said = changed_value(chance, json.loads(data))
            files[name] = json.dumps(said).encode("utf-8", "surrogatepass")
        else:
            files[name] = changed(chance, data, PIECES, 1)
        if chance.random() < 0.03:
            files[name] = chance.choice(ODDITIES)
            break
        files = {key: one for key, one in files.items() if key != name} | {name: files[name]}
        if not _is_json(files[name], name):
            break
    return Input(words, files)


def _is_json(data: bytes | Odd, name: str) -> bool:
    """Whether a file can be changed once more."""
    if not isinstance(data, bytes) or not name.endswith(".json"):
        return False
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True


def made(chance: random.Random, good: Good) -> Input:
    """A command that reads a folder."""
    way = chance.random()
    if way < 0.5:
        return _documents(chance, good)
    if way < 0.8:
        return _tensors(chance, good, "encoder%", ("encode", "{train}", "--encoder", "folder"))
    return _tensors(chance, good, "model2vec%", ("vectors", "--load", "folder", "--near", "the"))
