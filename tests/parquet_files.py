"""Parquet files for tests, as Hugging Face's datasets writes them."""

import json
from collections.abc import Sequence
from pathlib import Path

import pyarrow
from pyarrow import parquet

NAMES = ["O", "B-PER", "I-PER", "B-ORG"]


def of_words(
    path: Path, sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[int]] | None = None, rows: int = 7
) -> str:
    """Writes sentences, with numbers of labels that the file names, in row groups of so many."""
    columns = {"tokens": [list(one) for one in sentences]}
    columns |= {"numbers": [[5] * 3 for _ in sentences]}
    table = pyarrow.table({**columns, "ner_tags": pyarrow.array([list(one) for one in tags])} if tags else columns)
    label = {"feature": {"names": NAMES, "_type": "ClassLabel"}, "_type": "Sequence"}
    about = {"huggingface": json.dumps({"info": {"features": {"ner_tags": label}}})}
    parquet.write_table(table.replace_schema_metadata(about), path, row_group_size=rows)
    return str(path)


def of_texts(path: Path, texts: Sequence[str | None], rows: int = 7) -> str:
    """Writes texts in row groups of so many."""
    parquet.write_table(pyarrow.table({"text": list(texts), "label": [0] * len(texts)}), path, row_group_size=rows)
    return str(path)
