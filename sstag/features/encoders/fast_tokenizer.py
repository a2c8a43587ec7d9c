"""The pieces of words by the package `tokenizers`, from the `tokenizer.json` of any encoder."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sstag.features.encoders.contract import Files
from sstag.features.encoders.wordpiece import LARGEST
from sstag.foundation.errors import DataError
from sstag.foundation.files import contents

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PROBE = "a"
UNKNOWN = ("[UNK]", "<unk>", "<|unk|>")


@dataclass(frozen=True)
class FastTokenizer:
    """A tokenizer, and the pieces that it puts around a sentence."""

    tokenizer: "Tokenizer"
    ends: tuple[Sequence[int], Sequence[int]]
    unknown: int

    def pieces(self, word: str) -> list[int]:
        """The pieces of a word after a blank, by which some tokenizers know where words begin."""
        return list(self.tokenizer.encode(f" {word}", add_special_tokens=False).ids) or [self.unknown]


def read_tokenizer(files: Files) -> FastTokenizer:
    """The tokenizer beside an encoder's weights."""
    from tokenizers import Tokenizer

    path = files.named("tokenizer.json")
    if path is None:
        raise DataError("there is no tokenizer.json beside it, which says how words become pieces", files.weights)
    try:
        tokenizer = Tokenizer.from_buffer(contents(path, LARGEST))
    except DataError:
        raise
    except Exception as error:  # the package raises nothing more exact
        raise DataError(f"the package tokenizers cannot read it: {error}", path) from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True  # `[SEP]` in a text is text
    inner = tokenizer.encode(PROBE, add_special_tokens=False).ids
    whole = tokenizer.encode(PROBE).ids
    place = next((at for at in range(len(whole)) if whole[at : at + len(inner)] == inner), None)
    if place is None or not inner:
        raise DataError(f"makes nothing of the word '{PROBE}'", path)
    ends = (whole[:place], whole[place + len(inner) :])
    known = [number for name in UNKNOWN if (number := tokenizer.token_to_id(name)) is not None]
    return FastTokenizer(tokenizer, ends, (known or [*ends[0], *inner])[0])
