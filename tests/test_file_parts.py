"""Parts of files: cut anywhere, they are the file, and their sentences are its sentences."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sstag.corpus.file_parts import FilePart, lines_of_file, part_blocks, part_bytes, parts_of_file
from sstag.corpus.formats.contract import FileHead
from sstag.corpus.layout import Layout, layout_for
from sstag.corpus.reading import read_blocks
from sstag.foundation.errors import DataError

LINES = st.lists(
    st.sampled_from([b"a b", b"c\td", b"", b" \t", b"# key = value", b"# x", b"-DOCSTART- O", b"\xef\xbb\xbf y"]),
    max_size=12,
)


def sentences(blocks):
    """Words and separators, sentence by sentence."""
    found = []
    for block in blocks:
        for begin, end in zip(block.offsets[:-1].tolist(), block.offsets[1:].tolist(), strict=True):
            rows = [[column[at] for at in range(begin, end)] for column in block.fields]
            found.append((block.columns, block.separator, rows))
    return found


@given(LINES, st.booleans(), st.integers(1, 40))
@example([b"a b", b"", b"c\td"], True, 5)
def test_parts_are_the_file(tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], end: bool, most: int) -> None:
    path = tmp_path_factory.mktemp("parts") / "made.txt"
    path.write_bytes(b"\n".join(lines) + b"\n" * end)
    layout = layout_for(str(path))
    try:
        expected = sentences(read_blocks(str(path), layout))
    except DataError:
        return
    parts = parts_of_file(str(path), lambda path: layout, most)
    if parts != [FilePart(str(path))]:
        assert b"".join(piece for part in parts for piece in part_bytes(part)) == path.read_bytes()
    assert [one for part in parts for one in sentences(part_blocks(part, layout))] == expected


@pytest.mark.parametrize("most", [10, 17, 30, 55])
def test_a_fault_has_its_line_in_the_file(tmp_path: Path, most: int) -> None:
    path = tmp_path / "made.txt"
    path.write_text("a b\n\n" * 10 + "c\n\n" + "d e\n\n" * 10)
    with pytest.raises(DataError) as whole:
        list(read_blocks(str(path), Layout()))
    found = []
    size, head = path.stat().st_size, FileHead(("word", "label"), b" ")
    parts = [FilePart(str(path), begin, min(begin + most, size), size, head) for begin in range(0, size, most)]
    for part in parts:
        try:
            with lines_of_file(part):
                list(part_blocks(part, Layout()))
        except DataError as error:
            found.append(str(error))
    assert found == [str(whole.value)]
    assert f"{path}:21: " in found[0]


def test_packed_files_and_those_of_other_formats_are_one_part(tmp_path: Path) -> None:
    import gzip

    path = tmp_path / "a.txt"
    path.write_bytes(gzip.compress(b"a\n\n" * 100))
    assert parts_of_file(str(path), layout_for, 10) == [FilePart(str(path))]
    records = tmp_path / "a.jsonl"
    records.write_text('{"word": ["a"], "label": ["b"]}\n' * 10)
    assert parts_of_file(str(records), layout_for, 10) == [FilePart(str(records))]


def test_a_file_that_changed_meanwhile_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("a b\n\n" * 10)
    last = parts_of_file(str(path), layout_for, 20)[-1]
    path.write_text("a b\n\n" * 11)
    with pytest.raises(DataError, match="another file"):
        list(part_bytes(last))


def test_text_without_blank_lines_is_not_looked_through_to_its_end(tmp_path: Path, monkeypatch) -> None:
    from sstag.corpus import file_parts

    monkeypatch.setattr(file_parts, "LONGEST", 50)
    path = tmp_path / "a.txt"
    path.write_text("a b\n" * 100)
    with pytest.raises(DataError, match="no blank line"):
        list(part_bytes(parts_of_file(str(path), layout_for, 100)[1]))
