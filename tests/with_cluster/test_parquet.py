"""Row groups of Parquet are shared among workers, with the bytes of one machine."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from sstag.corpus import volumes
from sstag.corpus.file_parts import parts_of_file
from sstag.corpus.layout import layout_for
from sstag.corpus.reading import read
from sstag.corpus.stretches import Known, indexed, read_volume
from sstag.corpus.volumes import head_of
from sstag.interfaces import cli
from sstag.interfaces.cluster import density, selecting
from tests.parquet_files import of_texts, of_words
from tests.training import made_ads

AD_WORDS = [made_ads(40, 1).words("word", sentence) for sentence in range(40)]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    for module in (density, selecting):
        monkeypatch.setattr(module, "PART", 1000)
    monkeypatch.setattr(volumes, "VOLUME", 300)
    sentences = [*AD_WORDS[:15], *[[]] * 8, *AD_WORDS[15:]]  # a row group without a word
    return {
        "words": of_words(tmp_path / "w.parquet", sentences, rows=4),
        "texts": of_texts(tmp_path / "t.parquet", [" ".join(one) + "\n" for one in sentences], rows=4),
    }


@pytest.mark.parametrize("kind", ["words", "texts"])
def test_parts_and_stretches_are_the_file(files, kind):
    path = files[kind]
    layout = layout_for(path)
    assert len(parts_of_file(path, layout_for, 1000)) > 3
    index = indexed(path, layout)
    head = head_of([path], [index.columns], dict(zip(index.columns, index.values, strict=True)), [index.digest])
    whole = read(path, layout)
    assert index.digest == whole.digest
    stretches = index.stretches(0, 0, 300)
    assert len(stretches) > 2
    assert stretches[-1].group > 0
    for stretch in stretches:
        part = volumes.whole(read_volume([stretch], [layout], [path], Known(head)), head)
        for sentence in range(part.sentences):
            first = int(part.offsets[sentence]) + stretch.first
            number = whole.offsets.tolist().index(first)
            for name in whole.columns:
                assert part.words(name, sentence) == whole.words(name, number)


def run(*said: object) -> None:
    found = CliRunner().invoke(cli.sstag, [*map(str, said)])
    assert found.exit_code == 0, found.output


@pytest.mark.parametrize("kind", ["words", "texts"])
def test_commands_write_the_bytes_of_one_machine(local, files, tmp_path, kind):
    path = files[kind]
    (tmp_path / "t.yaml").write_text("columns: [word, label]\nfeatures: ['word[0]']\n")
    few = "".join(f"{word} {'AB'[len(word) % 2]}\n" for word in AD_WORDS[0])
    (tmp_path / "few.txt").write_text(few)
    train = (
        "train",
        "-t",
        tmp_path / "t.yaml",
        "--train",
        tmp_path / "few.txt",
        "--unlabeled",
        path,
        "--method",
        "entropy",
    )
    for name, more in (("one", ()), ("two", ("--scheduler", local.scheduler_address))):
        run("density", "--text", path, "--save", tmp_path / f"{name}.d", *more)
        run("select", "--pool", path, "--strategy", "quota", "--count", "9", "--format", "jsonl", "-o",
            tmp_path / f"{name}.s", *more)  # fmt: skip
        run(*train, "-m", tmp_path / f"{name}.m", *more)
        run(
            "tag",
            "-m",
            tmp_path / f"{name}.m",
            path,
            "--format",
            "jsonl",
            "-o",
            tmp_path / f"{name}.j",
            *more,
        )
    for ending in "dsmj":
        assert (tmp_path / f"one.{ending}").read_bytes() == (tmp_path / f"two.{ending}").read_bytes(), ending
