"""Pieces that inputs are made of, and changes that leave most of a file as it was."""

import random
from collections.abc import Callable, Sequence

LARGEST = 2**22  # bytes of a file; larger ones are the matter of `make attack-files`
WORDS = ("Ann", "Lee", "Oslo", "in", "met", ".", ",", "1984", "U.S.-born30", "http://a.b", "(", ")", "I-PER", "O", "#")
LABELS = (
    "O",
    "B-PER",
    "I-PER",
    "B-LOC",
    "E-LOC",
    "S-LOC",
    "M-X",
    "PER",
    "B",
    "I",
    "-",
    "B-",
    "B-A-B",
    "?",
    "B-PER|O",
    "!O",
)
ODD = (
    "", " ", "\t", "\u00a0", "\u3000", "\u2028", "\x85", "\x0b", "\x0c", "\x1c", "\0", "\ufeff", "\u200b", "\u0301",
    "e\u0301", "ﬁ", "İ", "ß", "👩‍👩‍👧‍👦", "\U0001f1e6", "\U0010ffff", "\ufffe", "١٢", "½", "²", "a" * 300, "x" * 70000,
    "-1",
    "\x1b[2J", "\x1b]0;owned\x07", "\u202e", "\u2066", "\x9b31m", "\x08", "\r", "_B-1", "_B+1", "|", "||", "?", "!",
    "!!A",
    "A|", "|A", "!A|!B", ":", "=", "word[0]=", ">", "same", "*", "{", "}", "[", "]", "'", '"', "\\", "\\n", "%s", "%",
    "$HOME",
    "--help", "-", "--", "-DOCSTART-", "# text = a", "#\tx", "<b>", "&amp;", "</script>", "~", "null", "true", "NaN",
)  # fmt: skip
NUMBERS = (
    "0", "-0", "1", "2", "-1", "0.5", "1.5", "1e308", "-1e308", "1e309", "1e-320", "nan", "inf", "-inf", "1e15",
    "1e400",
    "9" * 19, "9" * 25, "9" * 400, "1" + "0" * 5000, "0." + "1" * 5000, "0x10", "1_000", "１", "٣", "1,5", "1.", ".5",
    "+1",
    "1e", "2147483648", "4294967296", "9223372036854775808", "0.1-0.2", "1-0", "0.6,0.9", "50%", " 1", "1 ", "",
)  # fmt: skip
BYTES = (
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\xf8\x88\x80\x80\x80",
    b"\0",
    b"\r\n",
    b"\r",
    b"\xef\xbb\xbf",
    b"\x1f\x8b",
    b"PK\x03\x04",
)


def mostly(chance: random.Random, usual: Sequence[str], odd: Sequence[str] = ODD, share: float = 0.03) -> str:
    """A text of the usual ones; seldom an odd one, or both together."""
    if chance.random() >= share:
        return chance.choice(usual)
    return chance.choice(odd) + chance.choice(("", chance.choice(usual)))


def changed(chance: random.Random, data: bytes, pieces: Sequence[bytes], most: int = 3) -> bytes:
    """A file with up to so many changes, often one: in a place that is drawn, something else that such files have."""
    for _ in range(min(most, chance.choice((0, 1, 1, 1, 2, 3)))):
        data = chance.choice(CHANGES)(chance, data, pieces)[:LARGEST]
    return data


def _inserted(chance: random.Random, data: bytes, pieces: Sequence[bytes]) -> bytes:
    at = chance.randrange(len(data) + 1)
    return data[:at] + chance.choice(pieces) + data[at:]


def _replaced(chance: random.Random, data: bytes, pieces: Sequence[bytes]) -> bytes:
    begin = chance.randrange(len(data) + 1)
    return data[:begin] + chance.choice(pieces) + data[begin + chance.randrange(1, 9) :]


def _removed(chance: random.Random, data: bytes, pieces: Sequence[bytes]) -> bytes:
    begin = chance.randrange(len(data) + 1)
    return data[:begin] + data[begin + chance.choice((1, 1, 1, 2, 5, 20)) :]


def _numbered(chance: random.Random, data: bytes, pieces: Sequence[bytes]) -> bytes:
    """Another number in the place of one."""
    places = [at for at, byte in enumerate(data[:100_000]) if 48 <= byte < 58]
    if not places:
        return data
    begin = end = chance.choice(places)
    while data[end : end + 1].isdigit() or data[end : end + 1] == b".":
        end += 1
    return data[:begin] + chance.choice(NUMBERS).encode() + data[end:]


def _lines(
    change: Callable[[random.Random, list[bytes]], None],
) -> Callable[[random.Random, bytes, Sequence[bytes]], bytes]:
    def by_lines(chance: random.Random, data: bytes, pieces: Sequence[bytes]) -> bytes:
        lines = data.split(b"\n")
        change(chance, lines)
        return b"\n".join(lines)

    return by_lines


@_lines
def _line_again(chance: random.Random, lines: list[bytes]) -> None:
    lines.insert(chance.randrange(len(lines) + 1), chance.choice(lines))


@_lines
def _line_many_times(chance: random.Random, lines: list[bytes]) -> None:
    at = chance.randrange(len(lines))
    lines[at:at] = [lines[at]] * chance.choice((2, 10, 1500))


@_lines
def _line_away(chance: random.Random, lines: list[bytes]) -> None:
    lines.pop(chance.randrange(len(lines)))


@_lines
def _words_change_places(chance: random.Random, lines: list[bytes]) -> None:
    at = chance.randrange(len(lines))
    words = lines[at].split(b" ")
    chance.shuffle(words)
    lines[at] = b" ".join(words)


@_lines
def _lines_change_places(chance: random.Random, lines: list[bytes]) -> None:
    one, other = (chance.randrange(len(lines)) for _ in range(2))
    lines[one], lines[other] = lines[other], lines[one]


@_lines
def _longer(chance: random.Random, lines: list[bytes]) -> None:
    at = chance.randrange(len(lines))
    lines[at] = lines[at][:100] * chance.choice((2, 30, 3000))


def _cut(chance: random.Random, data: bytes, pieces: Sequence[bytes]) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def _with_byte(chance: random.Random, data: bytes, pieces: Sequence[bytes]) -> bytes:
    return _inserted(chance, data, BYTES)


def _other_ends(chance: random.Random, data: bytes, pieces: Sequence[bytes]) -> bytes:
    return data.replace(b"\n", chance.choice((b"\r\n", b"\r", b"\n\n", b" \n", b"\t\n")))


CHANGES = (
    _inserted, _inserted, _inserted, _replaced, _replaced, _removed, _removed, _numbered, _numbered, _line_again,
    _line_many_times, _line_away, _words_change_places, _lines_change_places, _longer, _cut, _with_byte, _other_ends,
)  # fmt: skip


def pieces_of(*texts: str) -> list[bytes]:
    """Texts, odd ones and numbers as pieces to put into files."""
    return [text.encode("utf-8", "surrogatepass") for text in (*texts, *texts, *texts, *ODD, *NUMBERS)]
