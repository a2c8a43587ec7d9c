"""Parts of a file: disjoint, seeded, with the bytes of the file."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from sstag.corpus.parts import NONE, Amount, amount, dealt
from sstag.foundation.errors import ConfigError
from sstag.interfaces.cli import sstag


def run(*arguments):
    return CliRunner().invoke(sstag, [str(one) for one in arguments])


@pytest.fixture
def text(tmp_path):
    lines = "".join(f"# id = {n}\nw{n} A\n" + "x B\n" * (n % 3) + "\n" for n in range(40))
    (tmp_path / "all.txt").write_text(lines)
    return tmp_path / "all.txt"


def sentences(path):
    return [one for one in path.read_text().split("\n\n") if one.strip()]


def test_parts_are_disjoint_and_together_the_file(text, tmp_path):
    parts = {"a.txt": "50%", "b.txt": "7", "c.txt": "10t", "d.txt": "rest"}
    options = [word for name, size in parts.items() for word in ("--part", f"{tmp_path / name}={size}")]
    done = run("split", text, *options)
    assert done.exit_code == 0, done.output
    found = {name: sentences(tmp_path / name) for name in parts}
    assert [len(found["a.txt"]), len(found["b.txt"])] == [20, 7]
    assert sum(len(one.split("\n")) - 1 for one in found["c.txt"]) <= 10
    assert sorted(one for some in found.values() for one in some) == sorted(sentences(text))
    order = sentences(text)
    for some in found.values():
        assert some == sorted(some, key=order.index)
    assert f"{tmp_path / 'a.txt'}: 20 sentences" in done.stdout
    again = {name: (tmp_path / name).read_bytes() for name in parts}
    assert run("split", text, *options).exit_code == 1
    assert run("split", text, *options, "--force").exit_code == 0
    assert {name: (tmp_path / name).read_bytes() for name in parts} == again
    assert run("split", text, *options, "--force", "--seed", "2").exit_code == 0
    assert {name: (tmp_path / name).read_bytes() for name in parts} != again


def test_a_warning_is_given_once_though_the_file_is_read_twice(tmp_path):
    record = {"text": "Ann left. Bob stays.", "label": [[0, 4, "PER"]]}
    (tmp_path / "in.jsonl").write_text(json.dumps(record))
    done = run("split", tmp_path / "in.jsonl", "--part", f"{tmp_path / 'a'}=1", "--part", f"{tmp_path / 'b'}=rest")
    assert done.stderr.count("1 span is without the blanks at their ends") == 1


def test_in_order_parts_are_runs_of_the_file(text, tmp_path):
    run("split", text, "--part", f"{tmp_path / 'a'}=30", "--part", f"{tmp_path / 'b'}=rest", "--in-order")
    assert (tmp_path / "a").read_bytes() + (tmp_path / "b").read_bytes() == text.read_bytes()


def test_shuffle_keeps_sentences_and_draw_takes_some(text):
    shuffled = run("shuffle", text).stdout
    assert shuffled != text.read_text()
    assert sorted(shuffled.split("\n\n")) == sorted(text.read_text().split("\n\n"))
    assert shuffled == run("shuffle", text, "--seed", "1").stdout
    drawn = [one for one in run("draw", text, "25%").stdout.split("\n\n") if one]
    assert len(drawn) == 10
    assert set(drawn) <= set(sentences(text))


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_sheet_keeps_its_head_in_every_part_and_a_last_sentence_gets_its_end(tmp_path, ending):
    head = "# global.columns = word ner\n# global.label = ner\n"
    body = "# sentence = 1\nAnn A\n\n\n# sentence = 2\nBob A\n\nKim B"
    (tmp_path / "s.txt").write_bytes((head + body).replace("\n", ending).encode())
    for part in (run("shuffle", tmp_path / "s.txt").stdout_bytes, run("draw", tmp_path / "s.txt", "2").stdout_bytes):
        written = part.decode()
        assert written.startswith(head.replace("\n", ending))
        assert written.count("global") == 2
        assert written.endswith(ending * 2)
    run("split", tmp_path / "s.txt", *["--part", f"{tmp_path / 'a'}=1", "--part", f"{tmp_path / 'b'}=rest"])
    assert "columns    word, ner" in run("check", tmp_path / "b").stdout


@given(st.lists(st.integers(1, 9), min_size=1), st.data())
def test_shares_that_are_a_whole_leave_nothing(lengths, data):
    cuts = data.draw(st.lists(st.integers(0, 100), max_size=4).map(sorted))
    shares = np.diff([0, *cuts, 100])
    order = np.random.default_rng(1).permutation(len(lengths))
    part_of = dealt(np.array(lengths), [Amount(share=one / 100) for one in shares], order)
    assert (part_of != NONE).all()
    for number, share in enumerate(shares):
        assert abs((part_of == number).sum() - len(lengths) * share / 100) <= 1


@pytest.mark.parametrize(
    ("size", "message"),
    [("41", "41 sentences, but 40 are left"), ("500t", "500 tokens, but 79 tokens are left"), ("0", "nothing is left"),
     ("many", "'many' is no amount"), ("101%", "more than there is")],
)  # fmt: skip
def test_amounts_that_cannot_be(text, size, message):
    assert message in str(run("draw", text, size).exception)


def test_amounts():
    assert amount("12.5%") == Amount(share=0.125)
    assert (amount("3"), amount("3t"), amount("rest")) == (Amount(sentences=3), Amount(tokens=3), Amount())
    with pytest.raises(ConfigError):
        amount("-1")


def test_sentences_that_leave_their_document_are_documents_of_their_own(tmp_path):
    records = [{"id": n, "text": f"Ann{n} left. Bob{n} met Kim.", "label": [[11, 15, "PER"]]} for n in range(4)]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))

    def spans(path):
        found = [json.loads(line) for line in run("convert", path, "--to-format", "spans").stdout.splitlines()]
        return [(one["id"], one["text"], *(span["text"] for span in one["spans"])) for one in found]

    (tmp_path / "shuffled").write_text(run("shuffle", tmp_path / "in.jsonl").stdout)
    ones = [(f"{n}:0", f"Ann{n} left.") for n in range(4)]
    others = [(f"{n}:11", f"Bob{n} met Kim.", f"Bob{n}") for n in range(4)]
    assert sorted(spans(tmp_path / "shuffled")) == sorted(ones + others)
    parts = ["--part", f"{tmp_path / 'a'}=3", "--part", f"{tmp_path / 'b'}=rest"]
    assert run("split", tmp_path / "in.jsonl", "--in-order", *parts).exit_code == 0
    whole = [(n, f"Ann{n} left. Bob{n} met Kim.", f"Bob{n}") for n in range(4)]
    assert spans(tmp_path / "a") == [whole[0], ones[1]]
    assert spans(tmp_path / "b") == [others[1], *whole[2:]]
