"""Models, densities, checkpoints and vectors of sstag: archives in which one thing is another than it should be.

Their checksums are made anew, so that the change is met by what reads it, and not at the door.
"""

import json
import random
import zipfile
from hashlib import sha256
from io import BytesIO
from typing import Any

from sstag.foundation.archive import DATE, DOCUMENT, UNIX
from tests.attack.inputs import Good, Input, drawn
from tests.attack.inputs.pieces import changed, pieces_of
from tests.attack.inputs.values import changed_value

PIECES = pieces_of("PK\x01\x02", "PK\x05\x06", "\x93NUMPY", "(3,)", "<f8", "<i4", "|u1", "|O", "{", "}", '"')
NUMBERS = (
    b"\0" * 8,
    b"\xff" * 8,
    b"\xff" * 4,
    b"\0\0\xf0\x7f" * 2,
    b"\0\0\0\0\0\0\xf8\x7f",
    b"\x80" * 4,
    b"\1\0\0\0",
    b"\xff\xff\xff\x7f",
)


def parts(data: bytes) -> dict[str, bytes]:
    """The parts of an archive."""
    with zipfile.ZipFile(BytesIO(data)) as archive:
        return {one.filename: archive.read(one) for one in archive.infolist()}


def packed(entries: dict[str, bytes]) -> bytes:
    """An archive of such parts, with the checksum that it should have."""
    checksum, file = sha256(), BytesIO()
    with zipfile.ZipFile(file, "w", allowZip64=False) as archive:
        for name, data in entries.items():
            checksum.update(f"{name}\n{len(data)}\n".encode())
            checksum.update(data)
            info = zipfile.ZipInfo(name, DATE)
            info.create_system = UNIX
            archive.writestr(info, data)
        archive.comment = f"sha256:{checksum.hexdigest()}".encode()
    return file.getvalue()


def _other_array(chance: random.Random, data: bytes) -> bytes:
    """An array with other numbers, another shape or another type."""
    head = 10 + int.from_bytes(data[8:10], "little")
    way = chance.randrange(4)
    if way < 2 and len(data) > head:
        at = head + chance.randrange(max(1, (len(data) - head) // 4)) * 4
        piece = chance.choice(NUMBERS)
        return (data[:at] + piece + data[at + len(piece) :])[: len(data)]
    if way == 2:
        return changed(chance, data[:head], PIECES, 1) + data[head:]
    return changed(chance, data, PIECES, 2)


def made(chance: random.Random, good: Good) -> Input:
    """A command that reads an archive, with one that is changed."""
    words, name = drawn(chance, "model", "model", "model", "density")
    if name == "model":
        name = chance.choice(("model", "hmm-model", "dense-model", "prototype-model"))
        words = tuple(word.replace("{model}", f"{{{name}}}") for word in words)
    if chance.random() < 0.1:
        words, name = ("vectors", "--load", "{own-vectors}", "--near", "Ann"), "own-vectors"
    data = good[name]
    if chance.random() < 0.1:
        return Input(words, {name: changed(chance, data, PIECES, 2)})
    entries = parts(data)
    document: Any = json.loads(entries[DOCUMENT])
    for _ in range(chance.choice((1, 1, 1, 2))):
        which = chance.choice(list(entries))
        if which == DOCUMENT or chance.random() < 0.5:
            document = changed_value(chance, document)
        elif chance.random() < 0.1:
            del entries[which]
        else:
            entries[which] = _other_array(chance, entries[which])
    text = json.dumps(document, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")
    entries[DOCUMENT] = text if chance.random() < 0.97 else changed(chance, text, PIECES, 2)
    return Input(words, {name: packed(entries)})
