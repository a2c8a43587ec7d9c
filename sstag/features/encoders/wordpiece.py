"""WordPiece (Wu et al. 2016), as BERT uses it: a word in the longest pieces that a vocabulary has, from the left."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from sstag.features.encoders.contract import Files
from sstag.foundation.errors import DataError
from sstag.foundation.files import as_text, contents
from sstag.foundation.json_values import json_value

LARGEST = 64 * 2**20  # bytes of a vocabulary
LONGEST = 100  # letters of a part of a word; longer ones are unknown, as in BERT
INSIDE = "##"  # before a piece that does not begin a word
UNSEEN = ("Cc", "Cf", "Co", "Cs")  # kinds of characters that are left out, as the package tokenizers does
# Chinese characters stand alone (BERT's `_is_chinese_char`).
CHINESE = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


@dataclass(frozen=True)
class WordPiece:
    """A vocabulary of pieces, and how a word is prepared for it."""

    number: Mapping[str, int]
    lower: bool
    accents: bool  # they are taken away
    chinese: bool
    path: str

    def pieces(self, word: str) -> list[int]:
        """The pieces of a word; one that has nothing to see is unknown."""
        found = [piece for part in self.parts(word) for piece in self.part_pieces(part)]
        return found or [self.special("[UNK]")]

    def parts(self, word: str) -> list[str]:
        """A word cut at punctuation marks, white space and Chinese characters, in lower case if that is asked for."""
        if self.accents:
            word = "".join(one for one in unicodedata.normalize("NFD", word) if unicodedata.category(one) != "Mn")
        if self.lower:
            word = "".join(map(str.lower, word))  # letter by letter, as `tokenizers` does it: Σ has one small letter
        parts = [""]
        for one in word:
            if one in "\0\ufffd" or (unicodedata.category(one) in UNSEEN and one not in "\t\n\r"):
                continue
            if one.isspace():
                parts.append("")
            elif is_punctuation(one) or (self.chinese and is_chinese(one)):
                parts += [one, ""]
            else:
                parts[-1] += one
        return [part for part in parts if part]

    def part_pieces(self, part: str) -> list[int]:
        """The longest pieces from the left, or the unknown one if some rest has none."""
        found = longest_first(self.number, part, INSIDE) if len(part) <= LONGEST else []
        return found or [self.special("[UNK]")]

    def special(self, name: str) -> int:
        """The number of a piece that stands for no text."""
        if name not in self.number:
            raise DataError(f"there is no piece {name} in it", self.path)
        return self.number[name]


def longest_first(number: Mapping[str, int], part: str, inside: str) -> list[int]:
    """The longest pieces from the left, `inside` before all but the first; none if a rest has none."""
    found, begin = [], 0
    while begin < len(part):
        mark = inside if begin else ""
        end = next((end for end in range(len(part), begin, -1) if mark + part[begin:end] in number), None)
        if end is None:
            return []
        found.append(number[mark + part[begin:end]])
        begin = end
    return found


def is_punctuation(one: str) -> bool:
    """Whether a character is a mark by itself: BERT counts every sign of ASCII, such as `$`."""
    return unicodedata.category(one)[0] == "P" or (
        one.isascii() and one.isprintable() and not (one.isalnum() or one == " ")
    )


def is_chinese(one: str) -> bool:
    return any(first <= ord(one) <= last for first, last in CHINESE)


def read_wordpiece(files: Files) -> WordPiece:
    """The vocabulary of an encoder, from its `tokenizer.json` or else its `vocab.txt`."""
    if path := files.named("tokenizer.json"):
        return _of_tokenizer(path)
    path = files.named("vocab.txt")
    if path is None:
        raise DataError("there is no tokenizer.json or vocab.txt beside it", files.weights)
    lines = _text(path).split("\n")
    how = _object(files.named("tokenizer_config.json"))
    lower = how.get("do_lower_case", True) is not False
    accents = how.get("strip_accents")
    number = {line.rstrip("\r"): index for index, line in enumerate(lines) if line}
    return WordPiece(
        number, lower, lower if accents is None else bool(accents), _chinese(how, "tokenize_chinese_chars"), path
    )


def _of_tokenizer(path: str) -> WordPiece:
    said = _object(path)
    model, how = (part if isinstance(part, dict) else {} for part in (said.get("model"), said.get("normalizer")))
    number = model.get("vocab")
    if model.get("type") != "WordPiece" or how.get("type") != "BertNormalizer" or not isinstance(number, dict):
        raise DataError("no WordPiece as BERT has it: the back ends onnx and transformers read other tokenizers", path)
    if not all(type(index) is int and 0 <= index < 2**31 for index in number.values()):
        raise DataError("damaged: the number of a piece is none", path)
    lower, accents = how.get("lowercase") is True, how.get("strip_accents")
    return WordPiece(
        number, lower, lower if accents is None else bool(accents), _chinese(how, "handle_chinese_chars"), path
    )


def _chinese(how: Mapping[str, object], key: str) -> bool:
    return how.get(key) is not False


def _object(path: str | None) -> dict[str, object]:
    """The JSON object in a file, empty if there is no file."""
    if path is None:
        return {}
    try:
        said = json_value(_text(path))
    except ValueError as error:
        raise DataError("cannot be read as JSON", path) from error
    return said if isinstance(said, dict) else {}


def _text(path: str) -> str:
    return as_text(contents(path, LARGEST), path)
