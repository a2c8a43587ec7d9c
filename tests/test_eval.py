"""`sstag eval` as a user meets it: figures, formats, columns, mistakes, models, and arbitrary input."""

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sstag import __version__
from sstag.evaluation.report.markdown import _code, _plain
from sstag.experiments.samples.ads import ads
from sstag.features.reading import template
from sstag.foundation.display import display_width, wrapped
from sstag.foundation.parallel import one_by_one
from sstag.model.model_file import save
from sstag.training.inputs import Inputs, Run
from sstag.training.methods.crf import train
from sstag.training.methods.parameters import Training
from tests.commands import Ran, ran, sstag
from tests.conlleval import VECTORS
from tests.datasets import corpus

GOLD = """\
# id = 1
Ann B-PER
Lee I-PER
met O
Bob B-PER

in O
Oslo B-LOC
? ?
today B-TIME|O
"""
PREDICTED = GOLD.replace("Lee I-PER", "Lee O").replace("B-TIME|O", "O").replace("? ?", "? O")
OTHER = PREDICTED.replace("Oslo B-LOC", "Oslo O")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (("gold", GOLD), ("predicted", PREDICTED), ("other", OTHER)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def test_text_report(files: Path) -> None:
    run = ran("gold", "predicted", "--resamples", "0", "--confusions", "2", "--errors", "1", "--compare", "other")
    assert run.err == "gold: 1 label of the gold is never predicted: I-PER (1 token)\n" + (
        "gold: 2 labels of the gold are never predicted in other: B-LOC (1 token), I-PER (1 token)\n"
    )
    again = ran("gold", "predicted", "--resamples", "0", "--compare", "predicted").err
    assert again == run.err.splitlines(keepends=True)[0]
    signed = " | ".join(f"{name} {digest(files / name)}" for name in ("gold", "predicted", "other"))
    assert (
        run.out
        == f"""\
gold        gold   2 sentences, 8 tokens
predicted   predicted
other       other
scheme      IOB2 (guessed; --scheme names another)
not scored  1 token whose label is unknown; 1 chunk in gold and 1 found that touch one
ambiguous   1 token: right if the prediction is among the labels

                     %  right  of
accuracy         85.71      6   7  tokens
whole sentences  50.00      1   2  sentences
precision        50.00      1   2  chunks found
recall           50.00      1   2  chunks in gold
F1               50.00

                 predicted  other  difference
accuracy             85.71  71.43      +14.29
whole sentences      50.00   0.00      +50.00
precision            50.00  50.00       +0.00
recall               50.00  50.00       +0.00
F1                   50.00  50.00       +0.00

type  gold  found  right  precision  recall     F1
PER      2      2      1      50.00   50.00  50.00

gold   found  tokens  first at line
I-PER  O           1              3

gold:2  sentence 1
  [Ann Lee] met Bob
    Ann Lee  gold PER  found PER “Ann”

sstag {__version__} | scheme iob2 | {signed} | resamples 0 | seed 1
"""
    )


def test_intervals_hold_the_figure_and_a_seed_repeats_them(files: Path) -> None:
    one, again, another = (ran("gold", "predicted", "--compare", "other", "--seed", seed) for seed in "112")
    assert one == again
    assert one != another
    for name, figure in (("accuracy", 85.71), ("F1", 50.0)):
        found = re.search(rf"^{name} +([\d.]+) +([\d.]+) to +([\d.]+)( |$)", one.out, re.MULTILINE)
        assert found
        value, low, high = map(float, found.groups()[:3])
        assert low <= value == figure <= high
    assert re.search(r"^accuracy +85.71 +71.43 +\+14.29 +\+0.00 to \+\d+\.\d\d +[01]\.\d{4}$", one.out, re.MULTILINE)


def test_json_has_everything(files: Path) -> None:
    report = json.loads(ran("gold", "predicted", "--format", "json", "--compare", "other", "--errors", "9").out)
    assert report["predicted"]["counts"] == {
        "tokens": 7, "tokens right": 6, "sentences": 2, "sentences right": 1, "gold": 2, "found": 2, "right": 1,
    }  # fmt: skip
    assert report["predicted"]["figures"]["accuracy"] == 6 / 7
    assert report["predicted"]["not scorable"] == {"gold": 1, "found": 1}
    assert report["types"] == {"PER": {"gold": 2, "found": 2, "right": 1}}
    assert report["confusions"] == {"I-PER": {"O": 1}}
    assert report["differences"]["accuracy"]["value"] == pytest.approx(1 / 7)
    assert 0 < report["differences"]["accuracy"]["p"] <= 1
    assert report["errors"] == [
        {
            "line": 2,
            "sentence": 1,
            "words": ["Ann", "Lee", "met", "Bob"],
            "regions": [
                {"gold": [{"first": 0, "stop": 2, "type": "PER"}], "found": [{"first": 0, "stop": 1, "type": "PER"}]}
            ],
        }
    ]
    assert report["signature"] == {
        "sstag": __version__, "scheme": "iob2", "resamples": 1000, "seed": 1,
        **{name: digest(files / name) for name in ("gold", "predicted", "other")},
    }  # fmt: skip


def test_markdown_shows_what_the_text_shows(files: Path) -> None:
    options = ("gold", "predicted", "--compare", "other", "--confusions", "1", "--errors", "1")
    text, marked = ran(*options).out, ran(*options, "--format", "markdown").out
    cells = [line.strip("| ").split(" | ") for line in marked.splitlines() if line.startswith("| ")]
    rows = [row for row in cells if not set("".join(row)) <= set(":- ")]
    for row in rows:
        assert re.search(r" +".join(re.escape(cell.strip()) for cell in row if cell.strip(" |")), text)
    assert len(rows) == 6 + 6 + 2 + 2
    assert text.splitlines()[-1] in marked


def test_markdown_shows_labels_as_they_are() -> None:
    assert _plain("a|b `_* <x>") == r"a\|b \`\_\* \<x\>"
    assert _code("a ```` b") == "`````\na ```` b\n`````"


@pytest.mark.parametrize("number", range(120))
def test_conlleval_is_printed_to_the_byte(tmp_path: Path, number: int) -> None:
    lines = [
        "".join(f"w x {gold} {guess}\n" for gold, guess in zip(*pair, strict=True))
        for pair in VECTORS[number]["sentences"]
    ]
    (tmp_path / "both").write_text("\n".join(lines), encoding="utf-8")
    assert ran("--format", "conlleval", tmp_path / "both").out == VECTORS[number]["printed"]


def test_the_real_command_prints_bytes(tmp_path: Path) -> None:
    text = "".join(f"w {a} {b}\n" for a, b in zip(*VECTORS[0]["sentences"][0], strict=True))
    text += "\n" + "".join(f"w {a} {b}\n" for a, b in zip(*VECTORS[0]["sentences"][1], strict=True))
    command = [sys.executable, "-m", "sstag", "eval", "--format", "conlleval", "-"]
    run = subprocess.run(command, input=text.encode(), capture_output=True)
    assert run.stdout.decode() == VECTORS[0]["printed"]


# Columns


@pytest.mark.parametrize(
    "options",
    [
        ["--gold", "2", "--predicted", "3"],
        ["--gold", "-3", "--predicted", "-2"],
        ["--gold", "column2", "--predicted", "column3"],
    ],
)
def test_columns_go_by_name_and_number(tmp_path: Path, options: list[str]) -> None:
    (tmp_path / "both").write_text("a A A 0.5\nb B A 0.25\n", encoding="utf-8")
    run = ran(tmp_path / "both", *options)
    assert re.search(r"^accuracy +50\.00 ", run.out, re.MULTILINE)
    assert f"| {options[0]} {options[1]} | {options[2]} {options[3]} | " in run.out
    run = ran(tmp_path / "both")
    assert run.code == 1
    assert run.err.startswith(
        f"{tmp_path / 'both'}:1: the last column holds numbers ('0.5'), not labels (--gold and --predicted"
    )


def test_labels_may_be_numbers_and_two_columns_do_if_they_are_named(tmp_path: Path) -> None:
    (tmp_path / "both").write_text("a 1 1\nb 0 1\n", encoding="utf-8")
    assert re.search(r"^accuracy +50\.00 ", ran(tmp_path / "both").out, re.MULTILINE)
    (tmp_path / "two").write_text("A A\nB A\n", encoding="utf-8")
    assert ran(tmp_path / "two").err.startswith(f"{tmp_path / 'two'}: 2 columns, but words, gold labels and predicted")
    assert re.search(r"^accuracy +50\.00 ", ran(tmp_path / "two", "--gold", "1", "--predicted", "2").out, re.MULTILINE)


def test_conllu_has_a_column_for_labels_and_its_own_mark(tmp_path: Path) -> None:
    lines = ["1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_", "1\ta\t_\tN\tX\t_\t0\t_\t_\t_", "2\tb\t_\t_\tY\t_\t0\t_\t_\t_"]
    gold, guess = tmp_path / "gold.conllu", tmp_path / "guess.conllu"
    gold.write_text("\n".join(lines) + "\n\n", encoding="utf-8")
    guess.write_text(
        "\n".join(lines).replace("\tY\t", "\tX\t").replace("b\t_\t_", "b\t_\tV") + "\n\n", encoding="utf-8"
    )
    assert "not scored  1 token whose label is unknown" in ran(gold, guess).out
    assert re.search(r"^accuracy +100\.00 .* 1   1  tokens", ran(gold, guess).out, re.MULTILINE)
    for called in ("xpos", "pos"):
        assert re.search(r"^accuracy +50\.00 ", ran(gold, guess, "--label", called).out, re.MULTILINE)
    assert re.search(r"^accuracy +0\.00 ", ran(gold, "--gold", "upos", "--predicted", "xpos").out, re.MULTILINE)
    assert ran(gold).code == 2
    run = ran("-", guess, "--from-format", "conllu", "--label", "xpos", stdin=gold.read_bytes())
    assert re.search(r"^accuracy +50\.00 ", run.out, re.MULTILINE)


@pytest.mark.parametrize(
    ("predicted", "message"),
    [
        ("a O\nx O\n\nc O\nd O\n", "p:2: 'x' where g:2 has 'b'"),
        ("a O\n\nb O\nc O\nd O\n", "p:1: sentence 1 ends here, but goes on at g:2"),
        ("a O\nb O\nc O\nd O\n", "p:3: sentence 1 goes on here, but ends at g:2"),
        ("a O\nb O\n", "p:2: the last sentence, where g:4 has another"),
        ("a O\nb O\n\nc O\n", "p:4: sentence 2 ends here, but goes on at g:5"),
        ("a O\nb O\n\nc O\nd O\n\ne O\n", "p:7: a sentence more than in g, which ends after 2"),
        ("a O\nb O\n\nc O\nd O\ne O\n", "p:6: sentence 2 goes on here, but ends at g:5"),
    ],
)
def test_the_first_place_where_the_words_differ(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, predicted: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("g").write_text("a O\nb O\n\nc O\nd O\n", encoding="utf-8")
    Path("p").write_text(predicted, encoding="utf-8")
    assert ran("g", "p") == Ran(1, "", f"{message} (the words must be the same)\n")
    assert ran("g", "g", "--compare", "p").err == f"{message} (the words must be the same)\n"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["gold", "words"], 1, "words: 1 column, but words and their labels are needed"),
        (["words"], 1, "words: 1 column, but words, gold labels and predicted ones are needed"),
        (["gold", "predicted", "--gold", "3"], 1, "gold: 2 columns, so there is no column 3 (--gold)"),
        (["gold", "predicted", "--predicted", "0"], 1, "predicted: 2 columns, so there is no column 0 (--predicted)"),
        (["gold", "predicted", "--label", "lable"], 1, "gold: there is no column 'lable'; did you mean 'label'?"),
        (["gold", "predicted", "--label", "zz"], 1, "gold: there is no column 'zz' (known: word, label) (--label)"),
        (["gold", "predicted", "--gold", "zz"], 1, "gold: there is no column 'zz' (known: word, label) (--gold)"),
        (["gold", "--gold", "2", "--predicted", "-1"], 1, "gold: gold and prediction are one column, 2"),
        (["gold", "none"], 1, "none: no such file or directory"),
        (["open", "open"], 1, "open: no label is decided: nothing to score by"),
        (["-", "-"], 2, "standard input (-) can be read only once"),
        (["gold", "predicted", "--model", "m"], 2, "PREDICTED and --model are two ways"),
        (["gold", "predicted", "--threads", "2"], 2, "--threads is for --model"),
        (["gold", "--model", "m", "--predicted", "2"], 2, "--predicted names a column of PREDICTED or OTHER"),
        (["gold", "--model", "gold"], 1, "gold: not an sstag model"),
        (["gold", "--label", "2"], 2, "--label is for two files"),
        (["gold", "predicted", "--format", "conlleval", "--ambiguous-in", "gold"], 2, "--ambiguous-in has no place"),
        (["gold", "predicted", "-o", "no/such/folder"], 1, "there is no such folder"),
    ],
)
def test_mistakes_are_one_line(files: Path, arguments: list[str], code: int, message: str) -> None:
    (files / "words").write_text("a\nb\n", encoding="utf-8")
    (files / "open").write_text("a ?\nb ?\n", encoding="utf-8")
    run = ran(*arguments)
    assert run.code == code
    assert message in run.err


def test_many_labels_make_few_warnings(tmp_path: Path) -> None:
    gold = "".join(f"w A{i} B\n" for i in range(30)) + "w !C B|D\n"
    (tmp_path / "both").write_text(gold, encoding="utf-8")
    lines = ran(tmp_path / "both", "--scheme", "iob2").err.splitlines()
    assert len(lines) == 15
    assert "both: 31 labels of the gold are never predicted" in lines[0]
    assert lines[0].endswith(", … (are these the columns to compare?)")
    assert lines[11].endswith("both: and 21 more labels like this")
    assert lines[12].endswith("both: the gold label '!C' contains a mark, and was read as it is")
    assert lines[14].endswith("both: the predicted label 'B|D' contains a mark, and was read as it is")


def test_average_precision_for_ambiguous_words(tmp_path: Path) -> None:
    """Of a (1 of 2 right), b (1 of 1; one occurrence is unknown) and c (none): (1/2 + 1) / 2; d is never ambiguous."""
    (tmp_path / "train").write_text("a A|B\na A\nb B|A\nc A|B\nd ?\nd A\n", encoding="utf-8")
    (tmp_path / "both").write_text("a A A\na B A\nb B B\nb ? A\nd A B\n", encoding="utf-8")
    run = ran(tmp_path / "both", "--ambiguous-in", tmp_path / "train")
    assert "APA         75.00 %, the average over 2 of 3 ambiguous words\n" in run.out
    assert f"| ambiguous {digest(tmp_path / 'train')} |" in run.out
    report = json.loads(ran(tmp_path / "both", "--ambiguous-in", tmp_path / "train", "--format", "json").out)
    assert report["predicted"]["ambiguous words"] == {"precision": 0.75, "words": 2, "known": 3}
    (tmp_path / "train").write_text("x A|B\n", encoding="utf-8")
    assert (
        "APA         none of the 1 ambiguous word occurs\n"
        in ran(tmp_path / "both", "--ambiguous-in", tmp_path / "train").out
    )


def test_words_of_a_segmentation_are_shown_without_blanks(tmp_path: Path) -> None:
    rows = zip("東京都に住む", "BIBBBI", "BBIBII", strict=True)
    (tmp_path / "both").write_text("".join(f"{char} {a} {b}\n" for char, a, b in rows), encoding="utf-8")
    out = ran(tmp_path / "both", "--errors", "1").out
    assert "  [東京都][に住む]\n    東京都  gold 東京 都  found 東 京都\n" in out
    assert "    に住む  gold に 住む  found に住む\n" in out
    assert re.search(r"^precision +0\.00 .* 0 +3  words found", out, re.MULTILINE)


def test_wrong_tokens_outside_wrong_chunks_are_shown_with_their_tags(tmp_path: Path) -> None:
    rows = [("a", "B-X", "I-X"), ("b", "O", "O"), ("c", "B-X", "B-Y"), ("d", "I-X", "O"), ("e", "O", "B-Y")]
    (tmp_path / "both").write_text("".join(" ".join(row) + "\n" for row in rows), encoding="utf-8")
    out = ran(tmp_path / "both", "--errors", "5").out
    assert "  [a] b [c d] [e]\n" in out
    assert "    a    gold B-X  found I-X\n    c d  gold X    found Y “c”\n    e    gold –    found Y\n" in out


@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=9), max_size=9), st.integers(1, 20))
def test_wrapping_keeps_the_words_and_the_width(words: list[str], width: int) -> None:
    lines = list(wrapped(words, " ", width))
    assert " ".join(lines) == " ".join(words)
    assert all(display_width(line) <= width or line in words for line in lines)
    assert len(lines) <= max(1, len(words))


def test_display_width() -> None:
    texts = {"": 0, "ab": 2, "é": 1, "e\u0301": 1, "漢字": 4, "ｶﾅ": 2, "Ａ": 2, "\u200b": 0}
    assert {text: display_width(text) for text in texts} == texts


# Models


@pytest.fixture(scope="module")
def model_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = template("columns: [word, label]\nfeatures: [word[0], shape(word[0])]\n", "made.yaml")
    data = corpus(list(ads(10, np.random.default_rng(1))))
    path = tmp_path_factory.mktemp("model") / "model"
    save(
        train(Inputs(made, data), Training(), np.random.default_rng(1), Run(lambda f, items, /: [*map(f, items)])),
        str(path),
    )
    return path


def test_a_model_tags_the_gold(tmp_path: Path, model_path: Path) -> None:
    sentences = list(ads(20, np.random.default_rng(2)))
    gold, guess = tmp_path / "gold", tmp_path / "guess"
    gold.write_text("".join("".join(f"{w} {y}\n" for w, y in s) + "\n" for s in sentences) + "x STRANGE\n")
    report = json.loads(ran(gold, "--model", model_path, "--threads", "2", "--format", "json").out)
    assert report["signature"]["model"] == hashlib.sha256(model_path.read_bytes()).hexdigest()[:12]
    assert report["model"]["method"] == "crf"
    run = ran(gold, "--model", model_path)
    assert re.search(r"of the gold (is|are) never predicted: .*STRANGE \(1 token\)", run.err)
    assert re.search(r" \| model [0-9a-f]{12} \| method crf \| ", run.out)

    from sstag.corpus.reading import read
    from sstag.model.model_file import load

    model = load(str(model_path))
    data = read(str(gold))
    codes = model.tagged(model.dataset(data), one_by_one)
    tags = [model.labels[code] for code in codes]
    words = [data.values[0][code] for code in data.codes[0]]
    ends = set(data.offsets.tolist())
    rows = [f"{w} {y}\n" + "\n" * (i + 1 in ends) for i, (w, y) in enumerate(zip(words, tags, strict=True))]
    guess.write_text("".join(rows))
    by_file = json.loads(ran(gold, guess, "--format", "json", "--compare", guess).out)
    assert by_file["predicted"]["figures"] == report["predicted"]["figures"]
    assert by_file["confusions"] == report["confusions"]
    compared = json.loads(ran(gold, "--model", model_path, "--compare", guess, "--format", "json").out)
    assert all(one["value"] == 0 and one["p"] == 1 for one in compared["differences"].values())


def test_many_labels_of_the_gold_only_are_one_line(files: Path) -> None:
    (files / "gold").write_text("".join(f"a L{i:02}\n" for i in range(12)), encoding="utf-8")
    (files / "predicted").write_text("a L00\n" * 12, encoding="utf-8")
    run = ran("gold", "predicted", "--from-format", "columns")
    named = ", ".join(f"L{i:02} (1 token)" for i in range(1, 11))
    assert run.err == f"gold: 11 labels of the gold are never predicted: {named}, …\n"
    assert " | --from-format columns | " in run.out
    assert "--from-format" not in ran("gold", "predicted").out


def test_a_model_needs_its_columns(tmp_path: Path, model_path: Path) -> None:
    (tmp_path / "words").write_text("a\nb\n", encoding="utf-8")
    run = ran(tmp_path / "words", "--model", model_path)
    assert run.err.startswith(f"{tmp_path / 'words'}: there is no column 'label'")


# Arbitrary input

TAGS = ["O", "B-X", "I-X", "E-X", "S-Y", "B-", "-", "B", "I", "?", "!O", "!B-X|O", "B-X|O"]
CELL = st.sampled_from([*TAGS, "a", "b", "|", "||", "0.5", "é漢", "-DOCSTART-", "#", "\u00a0", "`|*", "!", "_"])
LINE = st.lists(CELL, min_size=0, max_size=4).map(" ".join)
EVEN = st.integers(1, 4).flatmap(lambda n: st.lists(st.just("") | st.lists(CELL, min_size=n, max_size=n).map(" ".join)))
TEXT = (st.lists(LINE) | EVEN).map(lambda lines: "\n".join(lines).encode())
ROWS = st.lists(st.none() | st.tuples(*[CELL] * 4), min_size=1, max_size=12)


def columns(rows: list[tuple[str, ...] | None], *chosen: int) -> bytes:
    return "".join("\n" if row is None else " ".join(row[i] for i in chosen) + "\n" for row in rows).encode()


FILES = (
    st.lists(st.binary(max_size=60) | TEXT, min_size=1, max_size=4)
    | ROWS.map(lambda rows: [columns(rows, 0, 1), columns(rows, 0, 2), columns(rows, 0, 3), columns(rows, 0, 3)])
    | ROWS.map(lambda rows: [columns(rows, 0, 1, 2)])
)
OPTIONS = st.lists(
    st.sampled_from(
        [["--errors", "9"], ["--confusions", "9"], ["--gold", "2"], ["--predicted", "-1"], ["--label", "label"],
         ["--scheme", "iob1"], ["--scheme", "bmes"], ["--scheme", "plain"], ["--no-marks"], ["--from-format", "conllu"],
         ["--mark", "either=/"], ["--resamples", "0"]]
    ), max_size=3,
)  # fmt: skip


@settings(max_examples=150)
@given(FILES, OPTIONS, st.sampled_from(["text", "json", "conlleval", "markdown"]))
def test_any_input_ends_well(
    tmp_path_factory: pytest.TempPathFactory,
    alarm: Callable[[int], AbstractContextManager[None]],
    contents: list[bytes],
    options: list[list[str]],
    form: str,
) -> None:
    folder = tmp_path_factory.getbasetemp()
    paths = []
    for name, content in zip(["gold", "predicted", "other", "known"], contents, strict=False):
        paths.append(str(folder / f"any-{name}"))
        Path(paths[-1]).write_bytes(content)
    more = [x for option, path in zip(["--compare", "--ambiguous-in"], paths[2:], strict=False) for x in (option, path)]
    arguments = [*paths[:2], *(more if form != "conlleval" else []), *chain(*options), "--format", form]
    if form != "conlleval" and "--resamples" not in arguments:
        arguments += ["--resamples", "20"]
    with alarm(20):
        run = ran(*arguments)
    assert run.code in (0, 1, 2)
    if run.code == 1:
        assert run.err.count("\n") == 1
    if run.code == 0 and form == "json":
        assert all(0 <= value <= 1 for value in json.loads(run.out)["predicted"]["figures"].values())


def test_legal_labellings_of_a_model_are_scored_as_sstag_tag_writes_them(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text("columns: [w, t]\nfeatures: ['w[0]']\nedges: []\n", encoding="utf-8")
    (tmp_path / "train.txt").write_text("a B-X\nb I-X\nc O\n\nc O\nd O\n", encoding="utf-8")
    (tmp_path / "test.txt").write_text("c O\nb O\nc O\n", encoding="utf-8")
    here = {"cwd": tmp_path}
    assert sstag("train", "-t", "t.yaml", "--train", "train.txt", "-m", "m", **here).returncode == 0
    figures = {}
    for legal in ([], ["--legal"]):
        tagged = sstag("tag", "-m", "m", *legal, "test.txt", "-o", "tagged.txt", **here)
        assert tagged.returncode == 0
        written = json.loads(sstag("eval", "test.txt", "tagged.txt", "--format", "json", **here).stdout)
        for calibrated in ([], ["--calibration"]):
            run = sstag("eval", "test.txt", "-m", "m", *legal, *calibrated, "--format", "json", **here)
            asked = json.loads(run.stdout)
            assert asked["confusions"] == written["confusions"]
            assert asked["signature"].get("--legal") == ("on" if legal else None)
        figures[bool(legal)] = written["confusions"]
    assert figures[True] != figures[False]
    assert "--legal is for --model" in sstag("eval", "test.txt", "tagged.txt", "--legal", **here).stderr
