"""Clusters of words: their files, the feature `cluster`, models that keep them, and the command."""

import gzip
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sstag.features.clusters import Clusters, read_clusters, write_clusters
from sstag.features.reading import load_template
from sstag.features.template import Clustered, Source
from sstag.features.term_values import View
from sstag.features.vocabulary import built
from sstag.foundation.errors import ConfigError, DataError, NotReadAgain
from sstag.foundation.parallel import one_by_one
from sstag.knowledge.labelled_features import read_features
from sstag.model.model_file import load as load_model
from sstag.model.model_file import save as save_model
from sstag.training.inputs import Inputs, Run
from sstag.training.run import trained
from tests.commands import sstag
from tests.datasets import corpus
from tests.systems import posix
from tests.training import task

ROWS = [
    ("00", "the", 50),
    ("01", "cat", 9),
    ("01", "Dog", 7),
    ("10", "1987", 5),
    ("110", "Paris", 4),
    ("110", "1988", 3),
]
TEXT = "the cat sleeps / the dog sleeps / a cat eats / a dog eats / the bird sleeps / a bird eats"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_clusters(str(tmp_path / "raw.clusters"), ROWS)
    (tmp_path / "raw.txt").write_text("\n\n".join(one.replace(" ", "\n").strip() for one in TEXT.split(" / ")) + "\n")
    return tmp_path


def test_files_of_paths_come_back(folder):
    assert (folder / "raw.clusters").read_text() == (
        "00\tthe\t50\n01\tcat\t9\n01\tDog\t7\n10\t1987\t5\n110\tParis\t4\n110\t1988\t3\n"
    )
    found = read_clusters(str(folder / "raw.clusters"))
    assert list(found.paths.items()) == [(word, path) for path, word, _ in ROWS]  # the most frequent first
    assert dict(found.times) == {word: count for _, word, count in ROWS}
    write_clusters(str(folder / "again.gz"), [(path, word, found.times[word]) for word, path in found.paths.items()])
    assert gzip.decompress((folder / "again.gz").read_bytes()) == (folder / "raw.clusters").read_bytes()
    (folder / "windows").write_bytes((folder / "raw.clusters").read_bytes().replace(b"\n", b"\r\n"))
    assert read_clusters(str(folder / "windows")) == found


def test_tables_of_spacy_are_read(tmp_path):
    """The lowest bit is the first step; prefix k of a path is the number modulo 2^k."""
    table = {"Monday": 6, "the": 11, ".": 8, "rare": 0, "The": 3}
    (tmp_path / "t.json.gz").write_bytes(gzip.compress(json.dumps(table).encode()))
    found = read_clusters(str(tmp_path / "t.json.gz"))
    assert list(found.paths.items()) == [("the", "1101"), (".", "0001"), ("Monday", "0110"), ("The", "1100")]
    for word, path in found.paths.items():
        for length in range(1, 5):
            assert int(path[:length][::-1], 2) == table[word] % 2**length


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no word in it"),
        (b"\n \n", "no word in it"),
        (b"{}", "no word in it"),
        (b'{"a": 0}', "no word in it"),
        (b"01\tcat\t3\n01 dog 2\n", ":2: a line is a path of 0 and 1, a word and a count, with tabs between them"),
        (b"012\tcat\t3\n", ":1: a line is a path"),
        (b"01\tcat\t-3\n", ":1: a line is a path"),
        (b"01\tcat\t3\t4\n", ":1: a line is a path"),
        (b"01\tcat\t" + b"9" * 30, ":1: a line is a path"),
        (b"01\t\t3\n", ":1: a line is a path"),
        ("01\tcat\t٣\n".encode(), ":1: a line is a path"),
        (b"01\tcat\t3\n10\tcat\t2\n", ":2: 'cat' stands here twice"),
        (b"0" * 5001 + b"\tcat\t3\n", ":1: a path of more than 5,000 steps"),
        (b"01\tc\xfft\t3\n", r":1: not UTF-8 \(byte 0xff\)"),
        (b'{"a": 1', "not JSON"),
        (b'{"a": ' * 100_000, "not JSON"),
        (b'{"a": "01"}', "the cluster of 'a' is no number of at most 64 bits"),
        (b'{"a": true}', "the cluster of 'a' is no number"),
        (b'{"a": -1}', "the cluster of 'a' is no number"),
        (b'{"a": 1.5}', "the cluster of 'a' is no number"),
        (b'{"a": 18446744073709551616}', "the cluster of 'a' is no number"),
        (b'{"a": ' + b"9" * 5000 + b"}", "not JSON"),
        (b'{"\\ud800": 1}', "is no text"),
        (gzip.compress(b"01\tcat\t3\n", mtime=0)[:-3], "damaged gzip data"),
    ],
)
def test_damaged_files_are_said(tmp_path, data, message):
    (tmp_path / "c").write_bytes(data)
    with pytest.raises(DataError, match=message):
        read_clusters(str(tmp_path / "c"))


def test_a_word_that_is_no_line_is_not_written(tmp_path):
    with pytest.raises(DataError, match="cannot be written in a line"):
        write_clusters(str(tmp_path / "c"), [("0", "a\tb", 1)])
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize(
    ("word", "path"),
    [
        ("cat", "01"),
        ("THE", "00"),  # by lower case
        ("dog", "01"),
        ("DOG", "01"),
        ("2024", "10"),  # by its shape: of 1987 and 1988 the cluster of the more frequent
        ("Texas", "110"),
        ("Berlin", None),
        ("", None),
    ],
)
def test_unknown_words_have_the_cluster_of_like_ones(folder, word, path):
    assert read_clusters(str(folder / "raw.clusters")).path(word) == path


def test_of_a_shape_the_cluster_with_most_words_counts():
    of = Clusters({"Rome": "0", "Oslo": "10", "Bern": "10", "Lima": "0", "Kiev": "10"})
    assert of.path("Bonn") == "10"


def attributes(folder: Path, line: str, sentence: str) -> list[set[str]]:
    (folder / "t.yaml").write_text(f"columns: [word, label]\nfeatures:\n  - word[0]\n  - {line}\n")
    how = load_template(str(folder / "t.yaml"))
    text = corpus([[(word,) for word in sentence.split()]], ("word",))
    known, (ids,) = built(how.features[1:], [View(text, how)])
    names = known.texts()
    return [{names[one] for one in column if one >= 0} for column in ids.T.tolist()]


def test_prefixes_are_attributes(folder):
    found = attributes(folder, "cluster(word[0], raw.clusters, 2, 3..4)", "the Paris Berlin")
    name = "cluster(word[0], raw.clusters, {})={}"
    assert found == [
        {name.format(2, "00"), name.format(3, "00"), name.format(4, "00")},
        {name.format(2, "11"), name.format(3, "110"), name.format(4, "110")},
        set(),
    ]


def test_the_whole_path_and_neighbours_and_conjunctions(folder):
    assert attributes(folder, "cluster(word[-1..1], raw.clusters)", "the cat") == [
        {"cluster(word[0], raw.clusters)=00", "cluster(word[1], raw.clusters)=01"},
        {"cluster(word[-1], raw.clusters)=00", "cluster(word[0], raw.clusters)=01"},
    ]
    both = "cluster(word[-1], raw.clusters, 1) | cluster(lower(word[0]), raw.clusters, 2)"
    assert attributes(folder, both, "the Dog Paris") == [
        set(),
        {both + "=0|01"},
        {both + "=0|11"},
    ]
    assert attributes(folder, "cluster(word[end], raw.clusters, 1) | word[0]", "the cat") == [
        {"cluster(word[end], raw.clusters, 1) | word[0]=0|the"},
        {"cluster(word[end], raw.clusters, 1) | word[0]=0|cat"},
    ]


def test_a_template_says_which_files_it_looks_into(folder):
    (folder / "t.yaml").write_text(
        "columns: [word, label]\nfeatures:\n  - cluster(word[0], raw.clusters, 2..3)\n  - word[0]\n"
    )
    how = load_template(str(folder / "t.yaml"))
    assert how.files == ("raw.clusters",)
    assert how.columns_read == ("word",)
    assert [term for one in how.features for term in one.terms][:2] == [
        Clustered(Source(0), 0, "raw.clusters", 2),
        Clustered(Source(0), 0, "raw.clusters", 3),
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("cluster[0]", "'cluster' is a function: write cluster(word[0], raw.clusters, 4, 6, 10, 20)"),
        ("cluster(word[0])", "',' is missing (write cluster(word[0], raw.clusters"),
        ("cluster(word[0], raw.clusters, x)", "'x' is no number, and no range"),
        ("cluster(word[0], raw.clusters, 0)", "'0' is not within 1..100"),
        ("cluster(word[0], raw.clusters, 4 6)", "')' is missing"),
        ("cluster(word[0], raw.clusters, 4, 3..5)", "a length stands here twice"),
        ("cluster(first(), raw.clusters, 4)", "cluster(...) takes a column or a function of one"),
        ("cluster(label[0], raw.clusters, 4)", "'label' is the label"),
        ("lower(cluster(word[0], raw.clusters, 4))", "lower(...) takes a column or a function of one"),
        ("cluster(word[0], absent, 4)", "absent: no such file"),
        ("cluster(word[0], t.yaml, 4)", "t.yaml:1: a line is a path of 0 and 1"),
    ],
)
def test_mistakes_in_templates_are_said(folder, line, message):
    with pytest.raises(ConfigError) as error:
        attributes(folder, line, "the cat")
    assert message in str(error.value)


def test_a_list_of_features_can_name_clusters(folder):
    (folder / "list").write_text("cluster(word[0], raw.clusters, 2)=01\tN\n")
    (folder / "t.yaml").write_text("columns: [word, label]\nfeatures: [word[0]]\n")
    listed = read_features(str(folder / "list"), load_template(str(folder / "t.yaml")))
    assert [line.attribute for line in listed.lines] == ["cluster(word[0], raw.clusters, 2)=01"]


def test_a_model_keeps_its_clusters(folder):
    (folder / "t.yaml").write_text(
        "columns: [word, label]\nfeatures:\n  - cluster(word[0], raw.clusters, 1..2)\nedges: []\n"
    )
    how = load_template(str(folder / "t.yaml"))
    sentences = [[("the", "D"), ("cat", "N")], [("the", "D"), ("Dog", "N")], [("1987", "C")], [("Paris", "P")]]
    inputs = Inputs(how, corpus(sentences, ("word", "label")))
    model = trained(task(inputs, given={"l2": 0.01}), Run())
    assert set(model.about["clusters"]) == {"raw.clusters"}
    save_model(model, str(folder / "m"))
    (folder / "raw.clusters").unlink()
    back = load_model(str(folder / "m"))
    assert back.template == model.template
    test = corpus([[("THE",), ("dog",), ("2024",), ("Texas",)]], ("word",))
    labels = [back.labels[one] for one in back.tagged(back.dataset(test), one_by_one)]
    assert labels == ["D", "N", "C", "P"]
    save_model(back, str(folder / "again"))
    assert (folder / "again").read_bytes() == (folder / "m").read_bytes()


def test_a_model_without_its_clusters_is_damaged(folder):
    (folder / "t.yaml").write_text("columns: [word, label]\nfeatures:\n  - cluster(word[0], raw.clusters, 1)\n")
    how = load_template(str(folder / "t.yaml"))
    model = trained(task(Inputs(how, corpus([[("the", "D"), ("cat", "N")]], ("word", "label")))), Run())
    object.__setattr__(model.template, "clusters", {})
    with pytest.raises(NotReadAgain, match=r"damaged: .*the clusters 'raw.clusters' are missing"):
        save_model(model, str(folder / "m"))


def test_the_command_makes_the_clusters_of_several_files(folder):
    (folder / "more.txt.gz").write_bytes(gzip.compress(b"a\ndog\nsleeps\n\na\nBird\nsleeps\n"))
    files = ("raw.txt", "more.txt.gz")
    ran = sstag("clusters", *files, "--count", "4", "--least", "2", "-o", "c", cwd=folder)
    assert (ran.returncode, ran.stdout) == (0, "")
    assert ran.stderr == "c: 7 words in 4 clusters, 95.8 % of 24 tokens\n"
    found = read_clusters(str(folder / "c"))
    assert found.times == {"sleeps": 5, "a": 5, "the": 3, "dog": 3, "eats": 3, "cat": 2, "bird": 2}
    assert found.paths["dog"] == found.paths["cat"] == found.paths["bird"]
    for threads in ("1", "2"):
        again = sstag("clusters", *files, "--count", "4", "--least", "2", "--threads", threads, "-o", "d", cwd=folder)
        assert again.returncode == 0
        assert (folder / "d").read_bytes() == (folder / "c").read_bytes()


def test_the_command_reads_every_format(folder):
    lines = "".join(
        f"{number}\t{word}\t{word.lower()}\tNOUN\tNN\t_\t0\troot\t_\t_\n" + ("\n" if number == 3 else "")
        for one in TEXT.split(" / ") for number, word in enumerate(one.title().split(), 1)
    )  # fmt: skip
    (folder / "t.conllu").write_text(lines)
    made = sstag("clusters", "t.conllu", "--column", "lemma", "--count", "3", "-o", "lemmas", cwd=folder)
    same = sstag("clusters", "raw.txt", "--count", "3", "-o", "words", cwd=folder)
    assert (made.returncode, same.returncode) == (0, 0)
    assert (folder / "lemmas").read_bytes() == (folder / "words").read_bytes()
    sstag("clusters", "t.conllu", "--count", "3", "-o", "forms", cwd=folder)
    assert "Cat" not in (folder / "words").read_text()
    assert "The" in (folder / "forms").read_text()


def test_clusters_are_shown_as_a_table(folder):
    shown = sstag("clusters", "--show", "raw.clusters", cwd=folder)
    assert shown.stdout.splitlines() == [
        "cluster  words   tokens  the most frequent",
        "00           1  64.10 %  the",
        "01           2  20.51 %  cat Dog",
        "10           1   6.41 %  1987",
        "110          2   8.97 %  Paris 1988",
    ]
    (folder / "t.json").write_text(json.dumps({"Monday": 6, "the": 11}))
    shown = sstag("clusters", "--show", "t.json", cwd=folder)
    assert shown.stdout.splitlines() == [
        "cluster  words  some of them",
        "0110         1  Monday",
        "1101         1  the",
    ]


@pytest.mark.parametrize(
    ("arguments", "message", "code"),
    [
        ([], "which text? FILE; or --show", 2),
        (["raw.txt"], "where to write the clusters? --output", 2),
        (["raw.txt", "--show", "raw.clusters"], "--show makes nothing", 2),
        (["--show", "raw.clusters", "-o", "x"], "--show makes nothing", 2),
        (["raw.txt", "-o", "raw.txt"], "raw.txt: is an input, and would be overwritten", 1),
        (["raw.txt", "-o", "x", "--count", "1"], "1 is not in the range", 2),
        (["raw.txt", "-o", "x", "--least", "100"], "fewer than two words occur 100 times", 1),
        (["absent.txt", "-o", "x"], "absent.txt: no such file", 1),
        (["--show", "raw.txt"], "raw.txt:1: a line is a path", 1),
    ],
)
def test_mistakes_on_the_command_line_are_said(folder, arguments, message, code):
    ran = sstag("clusters", *arguments, cwd=folder)
    assert (ran.returncode, message in ran.stderr) == (code, True), ran.stderr
    assert not (folder / "x").exists()


@posix
def test_an_interrupted_run_leaves_nothing(folder):
    """A pipe that nobody closes keeps it reading until Ctrl-C."""
    command = [sys.executable, "-m", "sstag", "clusters", "-", "-o", "c"]
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdin is not None
        run.stdin.write(b"a\nb\n\n" * 2**15)  # more than a pipe holds: this ends when somebody reads
        run.stdin.flush()
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=20)
    assert run.returncode == 130
    assert b"interrupted" in said
    assert b"Traceback" not in said
    assert not (folder / "c").exists()
    assert not [name for name in os.listdir(folder) if name.startswith(".c")]
