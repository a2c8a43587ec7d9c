"""Files that are not in UTF-8: every command reads them as if they were, with --encoding."""

import random
from encodings.aliases import aliases
from itertools import pairwise
from pathlib import Path

import pytest

from sstag.corpus.file_parts import parts_of_file
from sstag.corpus.formats import Asked, input_format
from sstag.corpus.layout import Layout, layout_for
from sstag.corpus.reading import read, read_blocks
from sstag.corpus.stretches import Known, indexed, read_volume
from sstag.corpus.text.encodings import ORDERED, encoding_called, in_utf8
from sstag.corpus.text.options import TextOptions
from sstag.foundation.errors import ConfigError, DataError
from tests.commands import sstag
from tests.systems import posix

WORDS = "Łódź Ægir Zoë naïve 東京 Ωμέγα дом"
NO_TEXTS = ["hex", "zip", "bz2", "base64", "rot13", "idna", "punycode", "unicode_escape", "raw_unicode_escape", "utf-7"]
SAMPLES = {
    "t.txt": "# id = Zoë\nZoë B-PER\nlacht O\n\nÆgir B-PER\nnaïve O\n",
    "t.conllu": "1\tZoë\t_\tPROPN\t_\t_\t_\t_\t_\t_\n\n",
    "t.jsonl": '{"word": ["Zoë", "lacht"], "ner": ["B-PÉR", "O"]}\n',
    "d.jsonl": '{"text": "Zoë lacht", "label": [[0, 3, "PÉR"]]}\n',
    "t.csv": "word,label\nZoë,PÉR\nlacht,O\n",
    "p.txt": "Zoë lacht. Ægir naïve.\n",
    "w.tsv": "#FORMAT=WebAnno TSV 3.3\n#T_SP=NE|value\n\n\n#Text=Zoë lacht\n1-1\t0-3\tZoë\tPÉR\n1-2\t4-9\tlacht\t_\n",
}


def encodings() -> list[str]:
    """Every encoding of texts that Python has here, but for UTF-8."""
    found = []
    for name in sorted({*aliases.values()}):
        try:
            found.append(encoding_called(name))
        except ConfigError:
            assert name in NO_TEXTS or name.endswith("_codec") or name in ("mbcs", "oem", "utf_7", "rot_13"), name
    return [one for one in found if one]


def expected(data: bytes, encoding: str) -> bytes | None:
    """The bytes in UTF-8 as a whole, or None if they are no text."""
    try:
        return data.decode(encoding).encode()
    except UnicodeError:
        return None


def found(data: bytes, cuts: list[int], encoding: str) -> bytes | None:
    """The bytes that the boundary makes of the data in pieces."""
    try:
        parts = [data[begin:end] for begin, end in pairwise([0, *cuts, len(data)])]
        return b"".join(in_utf8(parts, encoding, "f"))
    except DataError:
        return None


def test_whatever_pieces_a_file_comes_in_it_is_the_same_text():
    chance = random.Random(1)
    assert {"iso8859-1", "cp1252", "utf-16", "utf-32-be", "shift_jis", "gb18030", "cp037"} < {*encodings()}
    right = 0
    for encoding in encodings():
        mark = "\ufeff".encode(f"{encoding}-le") if encoding in ORDERED else b""
        for _ in range(12):
            text = " ".join(chance.sample(WORDS.split(), 3)) + "\n\n"
            noise = bytes(chance.choice([chance.randrange(256), 10]) for _ in range(chance.randrange(30)))
            for data in (text.encode(encoding, "ignore"), mark + noise):
                cuts = sorted(chance.randrange(len(data) + 1) for _ in range(chance.randrange(5)))
                assert found(data, cuts, encoding) == expected(data, encoding), (encoding, data, cuts)
                right += expected(data, encoding) is not None
    assert right > 1000


@pytest.mark.parametrize(
    ("data", "encoding", "message"),
    [
        (b"a\nb\n\x81 c\n", "cp1252", "f:3: not cp1252 (byte 0x81)"),
        ("a\n\u0a0a\n".encode("utf-16-le") + b"\x00\xdc", "utf-16-le", "f:3: not utf-16-le (byte 0x00)"),
        ("a\nb".encode("utf-16") + b"\n", "utf-16", "f:2: not utf-16 (byte 0x0a)"),
        ("a\n".encode("cp037") * 3, "ascii", "f:1: not ascii (byte 0x81)"),
        ("a\n".encode("utf-16-le"), "utf-16", "f: no mark at its beginning tells the order of bytes: "),
        (b"\xef\xbb\xbfa", "latin-1", "f: begins with the mark of UTF-8, so it is not latin-1: leave out --encoding"),
        ("a".encode("utf-16"), "latin-1", "f: begins with the mark of UTF-16, so it is not latin-1: --encoding utf-16"),
        ("a".encode("utf-32"), "utf-16", "f: begins with the mark of UTF-32, so it is not utf-16: --encoding utf-32"),
        (b"\xfe\xff\0a", "utf-16-le", "f: begins with the mark of UTF-16, so it is not utf-16-le"),
    ],
)
def test_what_an_encoding_does_not_have_is_told_with_its_line(data, encoding, message):
    for size in (1, 2, 3, 100):
        parts = [data[begin : begin + size] for begin in range(0, len(data), size)]
        with pytest.raises(DataError) as raised:
            list(in_utf8(parts, encoding, "f"))
        assert str(raised.value).startswith(message)


@pytest.mark.parametrize("name", [*NO_TEXTS, "", "../x", "a\0b", "\ud800", "latinone", "aliases"])
def test_names_of_no_encoding_are_refused(name):
    with pytest.raises(ConfigError, match="is no encoding of files"):
        encoding_called(name)


def test_names_that_are_nearly_right_and_those_of_utf_8():
    with pytest.raises(ConfigError, match=r"; did you mean 'windows-1252'\?"):
        encoding_called("windows-12522")
    assert [encoding_called(name) for name in ("UTF-8", "utf8", "utf_8_sig")] == [None] * 3


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-be"])
def test_a_file_in_another_encoding_is_read_as_the_same_one_in_utf_8(tmp_path: Path, name, encoding):
    form = ["--from-format", "text"] if name == "p.txt" else []
    outcome = {}
    for folder, called in (("utf-8", []), (encoding, ["--encoding", encoding])):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_bytes(SAMPLES[name].encode(folder))
        run = sstag("convert", name, "--to-format", "tokens", *form, *called, cwd=tmp_path / folder)
        outcome[folder] = run.stdout, run.returncode
    assert outcome[encoding] == outcome["utf-8"]
    assert "Zoë" in outcome["utf-8"][0]


def test_folders_and_pairs_of_brat_are_read_in_it(tmp_path: Path):
    for folder, encoding in (("new", "utf-8"), ("old", "latin-1")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.txt").write_text("Zoë lacht", encoding=encoding)
        (tmp_path / folder / "a.ann").write_text("T1\tPÉR 0 3\tZoë\n", encoding=encoding)
    for path in ("", "/a.ann"):
        new = sstag("convert", f"new{path}", cwd=tmp_path)
        old = sstag("convert", f"old{path}", "--encoding", "latin-1", cwd=tmp_path)
        assert "PÉR" in new.stdout
        assert old.stdout == new.stdout, old.stderr
    bad = sstag("convert", "old", cwd=tmp_path)
    assert "old/a.ann:1: not UTF-8 (byte 0xc9); if it is latin-1, --encoding latin-1 reads it" in bad.stderr


def test_every_way_to_read_gives_the_same_corpus(tmp_path: Path):
    path = tmp_path / "t.txt"
    path.write_text("Zoë O\nlacht O\n\n" * 2000, encoding="utf-16")
    layout = layout_for(str(path), format=Asked(options=TextOptions(encoding="utf-16")))
    corpus = read(str(path), layout)
    assert (corpus.sentences, corpus.values[0]) == (2000, ["Zoë", "lacht"])
    index = indexed(str(path), layout)
    (stretch, *_) = index.stretches(0, 0, 100)
    last = index.stretches(0, 0, 100)[-1]
    for one in (stretch, last):
        volume = read_volume([one], [layout], [str(path)], Known(corpus))
        begin = one.first
        assert volume.corpus.codes[0].tolist() == corpus.codes[0][begin : begin + volume.corpus.tokens].tolist()
        assert volume.corpus.lines.tolist() == corpus.lines[begin : begin + volume.corpus.tokens].tolist()
    assert len(parts_of_file(str(path), lambda _: layout, 1000)) == 1  # bytes of it are not where a reader is


def test_columns_that_a_sheet_names_are_read_in_it(tmp_path: Path):
    text = "# global.columns = word né predicted\n# global.label = né\nZoë PER O\n"
    (tmp_path / "s.txt").write_text(text, encoding="utf-16")
    layout = layout_for(str(tmp_path / "s.txt"), format=Asked(options=TextOptions(encoding="utf-16")))
    assert (layout.names, layout.label) == (("word", "né", "predicted"), "né")


def test_commands_that_write_the_input_again_write_utf_8(tmp_path: Path):
    (tmp_path / "t.txt").write_text(SAMPLES["t.txt"], encoding="latin-1")
    (tmp_path / "u.txt").write_text(SAMPLES["t.txt"], encoding="utf-8")
    for words in (["convert"], ["shuffle"], ["draw", "1"], ["check"], ["select", "--no-label", "--sentences", "1"]):
        command, *rest = words
        new = sstag(command, "u.txt", *rest, cwd=tmp_path)
        old = sstag(command, "t.txt", *rest, "--encoding", "latin-1", cwd=tmp_path)
        assert old.returncode == new.returncode
        assert old.stdout == new.stdout.replace("u.txt", "t.txt"), old.stderr


def test_a_configuration_says_it_as_the_other_ways_to_read(tmp_path: Path):
    (tmp_path / "t.txt").write_text(SAMPLES["t.txt"], encoding="latin-1")
    (tmp_path / "words.yaml").write_text("columns: [word, label]\nfeatures:\n  - word[0]\n")
    run = "template: words.yaml\ntrain: t.txt\nmodel: {}\nreading:\n  encoding: {}\n"
    (tmp_path / "run.yaml").write_text(run.format("a.model", "latin-1"))
    (tmp_path / "bad.yaml").write_text(run.format("a.model", "hex"))
    made = sstag("train", "--config", "run.yaml", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    again = sstag(
        "train", "-t", "words.yaml", "--train", "t.txt", "-m", "b.model", "--encoding", "latin-1", cwd=tmp_path
    )
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "a.model").read_bytes() == (tmp_path / "b.model").read_bytes()
    tagged = sstag("tag", "-m", "a.model", "t.txt", "--encoding", "latin-1", cwd=tmp_path)
    assert "Zoë B-PER B-PER" in tagged.stdout
    bad = sstag("train", "--config", "bad.yaml", cwd=tmp_path)
    assert "bad.yaml:5: 'hex' is no encoding of files" in bad.stderr


def test_files_that_tell_their_encoding_have_no_use_for_it():
    with pytest.raises(ConfigError, match="'xmi' has no use for --encoding"):
        input_format("f", Asked("xmi", TextOptions(encoding="cp1252")))
    assert input_format("f", Asked("conllu", TextOptions(encoding="cp1252"))) == input_format("f", "conllu")


@posix
def test_endless_files_end(tmp_path: Path):
    run = sstag("convert", "/dev/zero", "--encoding", "utf-16-le", cwd=tmp_path)
    assert "/dev/zero:1: no blank line in the next 64 MiB" in run.stderr
    endless = (b"\xff" * 2**16 for _ in iter(int, 1))
    with pytest.raises(DataError, match="no blank line in the next 64 MiB"):
        list(read_blocks("f", Layout(), data=in_utf8(endless, "iso8859-1", "f")))
