"""Files of word vectors in each format that is read, with the same words and numbers in all of them."""

import gzip
import io
import json
import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sstag.features.words.vector_files.own import WordVectors, save

FORMS = ["sstag", "word2vec text", "glove", "gzipped", "word2vec binary", "wink", "npy", "safetensors", "fasttext"]
FORMS.append("model2vec")
WORDS = ("the", "Paris", "été", "x", "1")
NUMBERS = np.array([[1, 2.5, -3e-3], [0, 0, 0], [-1, 1e-3, 7], [2, 2, 2], [0.5, -0.25, 4]], np.float32)


def npy(array: np.ndarray) -> bytes:
    """The bytes of a file `.npy`."""
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


LINES = "".join(f"{w} {' '.join(repr(float(n)) for n in row)}\n" for w, row in zip(WORDS, NUMBERS, strict=True))


def written(folder: Path, name: str) -> str:
    """The path of a file in a format, with these words and vectors, and others that stand beside it."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    match name:
        case "sstag":
            save(WordVectors(WORDS, NUMBERS.astype(np.float64)), str(path))
        case "word2vec text":
            path.write_text(f"5 3\n{LINES}", encoding="utf-8")
        case "glove":
            path.write_text(LINES, encoding="utf-8")
        case "gzipped":
            path.write_bytes(gzip.compress(f"5 3\n{LINES}".encode(), mtime=0))
        case "word2vec binary":
            rows = zip(WORDS, NUMBERS, strict=True)
            path.write_bytes(b"5 3\n" + b"".join(word.encode() + b" " + row.tobytes() + b"\n" for word, row in rows))
        case "wink":
            vectors = {word: [*map(float, row), 1.0, 7] for word, row in zip(WORDS, NUMBERS, strict=True)}
            said = {"precision": 8, "size": 5, "dimensions": 3, "words": WORDS, "vectors": vectors, "unkVector": [0]}
            path.write_text(json.dumps(said, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
        case "npy":
            path = folder / "v.npy"
            np.save(path, NUMBERS.astype(np.float64))
            (folder / "v.txt").write_text("\n".join(WORDS), encoding="utf-8")
        case "safetensors":
            path = folder / "v.safetensors"
            path.write_bytes(safetensors(matrix=NUMBERS))
            (folder / "v.vocab").write_text("".join(f"{word}\n" for word in WORDS), encoding="utf-8")
        case "fasttext":
            path.write_bytes(fasttext(WORDS, NUMBERS, 0))
        case "model2vec":
            path.mkdir()
            mapping = np.array([0, 4, 3, 2, 1])
            weights = np.array([1.0, 1.0, 2.0, 0.5, 1.0])
            order = [WORDS[place] for place in (0, 4, 3, 2, 1)]  # piece i has row mapping[i], which is that of its word
            matrix = NUMBERS / np.array([1.0, 1.0, 0.5, 2.0, 1.0])[:, None]
            tensors = {"embeddings": matrix.astype(np.float32), "mapping": mapping, "weights": weights}
            (path / "model.safetensors").write_bytes(safetensors(**tensors))
            model = {"type": "WordPiece", "vocab": {word: number for number, word in enumerate(order)}}
            (path / "tokenizer.json").write_text(json.dumps({"model": model}), encoding="utf-8")
    return str(path)


def safetensors(**tensors: np.ndarray) -> bytes:
    """The bytes of a file with these arrays."""
    kinds, said, at = {"f4": "F32", "f8": "F64", "i8": "I64", "i1": "I8", "f2": "F16", "u2": "BF16"}, {}, 0
    for name, tensor in tensors.items():
        kind = kinds[tensor.dtype.str[1:]]
        said[name] = {"dtype": kind, "shape": tensor.shape, "data_offsets": [at, at + tensor.nbytes]}
        at += tensor.nbytes
    head = json.dumps({"__metadata__": {"by": "hand"}, **said}).encode()
    return struct.pack("<Q", len(head)) + head + b"".join(tensor.tobytes() for tensor in tensors.values())


def fasttext(words: Sequence[str], numbers: np.ndarray, bucket: int, least: int = 3, most: int = 6) -> bytes:
    """A file as fastText 0.9 writes it: arguments, dictionary with a label at its end, and the matrix."""
    dimensions = numbers.shape[1]
    head = struct.pack("<ii12id", 793712314, 12, dimensions, 5, 5, 5, 5, 1, 1, 2, bucket, least, most, 100, 1e-4)
    counts = struct.pack("<iiiqq", len(words) + 1, len(words), 1, 99, -1)
    entries = b"".join(word.encode() + b"\0" + struct.pack("<qb", 9, 0) for word in words) + b"__label__x\0"
    matrix = struct.pack("<bqq", 0, *numbers.shape) + numbers.astype("<f4").tobytes()
    return head + counts + entries + struct.pack("<qb", 1, 1) + matrix
