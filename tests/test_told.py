"""The file of documents that tools have sent: somebody may have sent it, so it is looked through as it is opened."""

import os
import random
import sqlite3
from contextlib import closing, suppress

import pytest

from sstag.corpus.text.documents import Document, Span, Spans
from sstag.foundation.errors import SstagError
from sstag.interfaces.web.told import Told

DOCUMENT = Document("a", "Ann met Bob.", (Spans((Span(0, 3, ("PER",)),)),), 1, [(0, 3), (4, 7)], [0])


@pytest.fixture
def path(tmp_path):
    told = Told(str(tmp_path / "m.told"))
    told.keep("tool", "project", [DOCUMENT])
    told.close()
    return tmp_path / "m.told"


def test_documents_come_back(path):
    told = Told(str(path))
    assert told.documents("tool") == [DOCUMENT]
    told.forget("tool", "project", "a")
    assert told.documents("tool") == []
    told.close()


@pytest.mark.parametrize(
    "said",
    ["", "{", "[]", "null", "{}", "[" * 100_000, '{"text": 1, "said": []}', '{"text": "a", "said": 7}',
     '{"text": "a", "said": [[[0, 9, ["PER"]]]]}', '{"text": "a", "said": [[[1, 0, ["PER"]]]]}',
     '{"text": "a", "said": [[[0, 1, [7]]]]}', '{"text": "a", "said": [[7]]}',
     '{"text": "a", "said": [], "tokens": [[0]]}',
     '{"text": "a", "said": [], "tokens": [[0, 5]]}', '{"text": "a", "said": [], "starts": "x"}', '{"text": NaN}'],
)  # fmt: skip
def test_a_document_that_is_none_is_a_message(path, said):
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("update document set said = ?", [said])
    with pytest.raises(SstagError, match="move it away"):
        Told(str(path))


@pytest.mark.parametrize(
    "script",
    ["create trigger more after insert on document begin select 1; end", "create view more as select 1",
     "drop table document; create view document as with recursive n(x) as (select 1 union all select x + 1 from n)"
     " select x as tool, x as project, x as name, x as said from n", "drop table document", "pragma user_version = 7"],
)  # fmt: skip
def test_other_tables_are_a_message(path, script):
    with closing(sqlite3.connect(path)) as file:
        file.executescript(script)
    with pytest.raises(SstagError):
        Told(str(path))


def test_what_is_no_file_is_a_message(path, tmp_path):
    whole, chance = path.read_bytes(), random.Random(1)
    for kind in ("pipe", "link", "folder", "empty", "noise", "journal", *range(30)):
        for left in tmp_path.glob("m.told*"):
            left.rmdir() if left.is_dir() else left.unlink()
        data = bytearray(whole)
        match kind:
            case "pipe":
                os.mkfifo(path)
            case "link":
                path.symlink_to(tmp_path / "elsewhere")
            case "folder":
                path.mkdir()
            case "empty":
                path.write_bytes(b"")
            case "noise":
                path.write_bytes(chance.randbytes(9000))
            case "journal":
                path.write_bytes(whole)
                (tmp_path / "m.told-journal").write_bytes(b"noise")
            case _:
                for _ in range(chance.randrange(1, 200)):
                    data[chance.randrange(len(data))] = chance.randrange(256)
                path.write_bytes(data[: chance.randrange(len(data))] if chance.random() < 0.3 else data)
        with suppress(SstagError):
            Told(str(path)).close()
            assert not isinstance(kind, str), kind
    assert not (tmp_path / "elsewhere").exists()
