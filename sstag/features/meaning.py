"""Where the meaning of sentences comes from: a template with dense features, or a file of vectors."""

import os

from sstag.features.dense_sources import Encoder, Vectors
from sstag.features.encoders.settings import Settings
from sstag.features.encoders.token_vectors import opened as opened_tokens
from sstag.features.encoders.vector_log import MARK
from sstag.features.reading import load_template
from sstag.features.shipped import is_name
from sstag.features.template import Dense, Source, Template
from sstag.features.words.vector_files import opened as opened_words
from sstag.foundation.files import translated_errors

ENDINGS = (".yaml", ".yml")


def meaning_in(path: str, word: str) -> Template:
    """The template of this name; or one that looks at the vectors in a file, those of words for a column of words."""
    if path.endswith(ENDINGS) or is_name(path):
        return load_template(path)
    words: dict[str, Vectors] = {}
    tokens: dict[str, Encoder] = {}
    if _is_of_tokens(path):
        tokens[path] = opened_tokens(Settings(vectors=path, column=word), "")
    else:
        words[path] = opened_words(path)
    feature = Dense(path, path, Source(0) if words else None, 0, None)
    return Template((word,), "", (), dense=(feature,), vectors=words, encoders=tokens)


def _is_of_tokens(path: str) -> bool:
    """Whether a file was written by `sstag encode`."""
    if os.path.isdir(path):
        return False
    with translated_errors(path), open(path, "rb") as file:
        return file.read(len(MARK)) == MARK
