"""Words cut into the pieces of a `tokenizer.json`: by WordPiece, the longest first, or by Unigram, the likeliest."""

import json
import re
import unicodedata

from sstag.features.encoders.wordpiece import INSIDE, longest_first
from sstag.foundation.errors import DataError
from sstag.foundation.files import as_text, contents
from sstag.foundation.json_values import Json, refuse_halves

LARGEST = 256 * 2**20  # bytes of a tokenizer
MOST = 2**31  # pieces
LONGEST = 100  # letters of a word that is cut into pieces
PARTS = re.compile(r"\w+|[^\w\s]")  # pieces of WordPiece do not reach over punctuation
BEGIN = "▁"  # before the first letter of a word, in Unigram


class Cutter:
    """A tokenizer, as far as single words need one."""

    def __init__(self, path: str) -> None:
        try:
            text = as_text(contents(path, LARGEST), path)
            said = json.loads(text)
            refuse_halves(said, text)
            model = said["model"]
            self._kind, vocabulary = model["type"], model["vocab"]
            self._lower, self._bare = _normalised(said.get("normalizer"))
            self._inside = str(model.get("continuing_subword_prefix", INSIDE))
            if self._kind == "WordPiece":
                self._number = {str(piece): int(number) for piece, number in vocabulary.items()}
            elif self._kind == "Unigram":
                self._number = {str(piece): number for number, (piece, _) in enumerate(vocabulary)}
                self._score = [float(score) for _, score in vocabulary]
            else:
                raise DataError(f"cuts words by {self._kind}, and only WordPiece and Unigram are known here", path)
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            raise DataError("is no tokenizer that can be read", path) from error
        self._longest = max(map(len, self._number), default=0)
        if not all(0 <= number < MOST for number in self._number.values()):
            raise DataError(f"has pieces with numbers that are not from 0 to {MOST - 1:,}", path)

    @property
    def words(self) -> list[str]:
        """The pieces that are whole words."""
        if self._kind == "Unigram":
            return [piece[len(BEGIN) :] for piece in self._number if piece.startswith(BEGIN) and piece != BEGIN]
        return [piece for piece in self._number if not piece.startswith(self._inside)]

    def cut(self, word: str) -> list[int]:
        """The numbers of the pieces of a word; none if it cannot be made of pieces."""
        word = word.lower() if self._lower else word
        if self._bare:
            word = "".join(one for one in unicodedata.normalize("NFD", word) if unicodedata.category(one) != "Mn")
        if len(word) > LONGEST:
            return []
        if self._kind == "Unigram":
            return self._likeliest(BEGIN + word)
        parts = [longest_first(self._number, part, self._inside) for part in PARTS.findall(word)]
        return [number for part in parts for number in part] if all(parts) else []

    def _likeliest(self, text: str) -> list[int]:
        best: list[tuple[float, list[int]] | None] = [(0.0, [])]
        for end in range(1, len(text) + 1):
            ways = []
            for begin in range(max(end - self._longest, 0), end):
                number, before = self._number.get(text[begin:end]), best[begin]
                if number is not None and before is not None:
                    ways.append((before[0] + self._score[number], [*before[1], number]))
            best.append(max(ways, default=None))
        last = best[-1]
        return last[1] if last else []


def _normalised(said: Json) -> tuple[bool, bool]:
    """Whether words are taken in lower case, and without accents."""
    every = json.dumps(said)
    lower = '"lowercase": true' in every or '"Lowercase"' in every
    bare = '"StripAccents"' in every or '"strip_accents": true' in every
    return lower, bare or (lower and '"strip_accents": null' in every)
