"""Whatever a command writes with exit code 0 is read again by the next one, with the same words and labels."""

import csv
import io
import json
import re
import tempfile
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sstag.corpus.column_names import word_place
from sstag.corpus.formats import FORMATS, Asked
from sstag.corpus.layout import Layout, layout_for
from sstag.corpus.reading import read_blocks
from sstag.features.shipped import shipped_names
from tests.annotators import ran

NAMES = [
    "word", "label", "label.vera", "label.paul", "pos", "ner", "sentence", "document", "text", "predicted", "start",
    "end", "a b", "ü", "a|b", "x,y", "x;y", "id", "misc", "upos", "form", "doc", "label.", "SpacesAfter", "a=b", '"q"',
    "#", "sent_id", "document_text", "global.label", "\u00a0", "x\u3000y", "tokens", "ner_tags",
]  # fmt: skip
WORDS = [
    "Ann", "#", "# a = b", "-DOCSTART-", "|", "\\", '"', '""', ",", "a,b", "née", "😀", "_", "1-2", "=", "x=y",
    "[", "{", "\u00a0", "a\u00a0b", "\u3000", "\u200b", "\u2028", "\x85", "\x7f", "#FORMAT=WebAnno", "PAR1",
    "?", "O",
]  # fmt: skip
LABELS = ["O", "B-PER", "I-PER", "B-LOC", "?", "B-PER|B-LOC", "!B-PER", "B-a\u00a0b", "_", "I-PER|O", "\\p", "B-x=y"]
COMMENTS = ["# source = post", "# sent_id = 7", "# document = d", "# text = x", '# more = {"a": 1}', "# score = 0.5"]
OUTPUTS = [name for name, entry in FORMATS.items() if entry.writes and entry.reads and name != "xmi"]
OF_TOKENS = [name for name in OUTPUTS if not FORMATS[name].documents]
ENDINGS = {"conllu": ".conllu", "csv": ".csv", "jsonl": ".jsonl", "tokens": ".jsonl"}


@dataclass(frozen=True)
class Table:
    """Sentences with a value of each token for each column, and comments before them."""

    names: tuple[str, ...]
    sentences: tuple[tuple[tuple[str, ...], ...], ...]
    comments: tuple[tuple[str, ...], ...]


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """A table whose first column holds words and whose others hold labels."""
    names = tuple(draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=5, unique=True)))
    word = st.sampled_from(WORDS)
    token = st.tuples(word, *(st.sampled_from(LABELS) for _ in names[1:]))
    sentences = draw(st.lists(st.lists(token, min_size=1, max_size=4).map(tuple), min_size=1, max_size=4))
    comments = draw(
        st.lists(
            st.lists(st.sampled_from(COMMENTS), max_size=2).map(tuple), min_size=len(sentences), max_size=len(sentences)
        )
    )
    return Table(names, tuple(sentences), tuple(comments))


def written(table: Table, form: str, label: str | None) -> str:
    """A file in a format; columns name themselves if there is a label."""
    if form == "columns":
        head = f"# global.columns = {' '.join(table.names)}\n# global.label = {label}\n" if label else ""
        parts = [
            "".join(f"{line}\n" for line in comments) + "".join("\t".join(token) + "\n" for token in sentence) + "\n"
            for sentence, comments in zip(table.sentences, table.comments, strict=True)
        ]
        return head + "".join(parts)
    if form == "csv":
        out = io.StringIO()
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(["sentence", *table.names])
        for number, sentence in enumerate(table.sentences):
            rows.writerows([number, *token] for token in sentence)
        return out.getvalue()
    keys = table.names
    records = [dict(zip(keys, map(list, zip(*sentence, strict=True)), strict=True)) for sentence in table.sentences]
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records)


def content(path: Path, layout: Layout) -> tuple[list[list[str]], list[list[str]] | None]:
    """The words of the sentences of a file, and their labels if it has some."""
    words, labels = list[list[str]](), list[list[str]]()
    has_label = False
    for block in read_blocks(str(path), layout):
        if not len(block.rows):
            continue
        columns = [[value.decode() for value in column] for column in block.fields]
        place = word_place(block.columns)
        has_label = layout.label in block.columns
        for begin, end in zip(block.offsets[:-1].tolist(), block.offsets[1:].tolist(), strict=True):
            words.append(columns[place][begin:end])
            if has_label:
                labels.append(columns[block.columns.index(str(layout.label))][begin:end])
    return words, labels if has_label else None


def output_of(folder: Path, form: str) -> Path:
    """The path of a file that is to be written in a format; its name has the ending of the format."""
    return folder / f"out{ENDINGS.get(form, '.txt')}"


@pytest.mark.parametrize(("before", "after"), list(product(["columns", "csv", "jsonl"], OF_TOKENS)))
@settings(max_examples=30)
@given(data=st.data())
def test_converted_files_are_read_again(before: str, after: str, data: st.DataObject) -> None:
    table = data.draw(tables())
    head = data.draw(st.booleans()) and before == "columns"
    blank = any(" " in name or name != name.strip() for name in table.names)
    assume(not (head and blank))
    label = data.draw(st.sampled_from([*table.names, "predicted"])) if head else None
    options = list[str]()
    kept = list(table.names)
    if before == "columns" and not head and data.draw(st.booleans()):
        assume(not any("," in name or name != name.strip() for name in table.names))
        options += ["--columns", ",".join(table.names)]
    elif before == "columns" and not head:
        kept = []
    if kept and data.draw(st.booleans()) and not any("," in name or name != name.strip() for name in kept):
        kept = data.draw(st.permutations(kept))[: data.draw(st.integers(1, len(kept)))]
        options += ["--keep", ",".join(kept)]
    if data.draw(st.booleans()) and len(table.names) > 1:
        options += ["--label", data.draw(st.sampled_from(table.names))]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source, target = folder / "in", output_of(folder, after)
        source.write_text(written(table, before, label), encoding="utf-8")
        run = ran("convert", source, "--from-format", before, "--to-format", after, *options, "-o", target)
        if run.returncode:
            return
        names = options[options.index("--columns") + 1].split(",") if "--columns" in options else None
        asked = options[options.index("--label") + 1] if "--label" in options else None
        layout = layout_for(str(source), names, asked, format=Asked(before))
        words, labels = content(source, layout)
        assume(words)
        again = layout_for(str(target), format=Asked(after))
        found, found_labels = content(target, again)
        assert [len(one) for one in found] == [len(one) for one in words]
        is_changed = target.read_bytes() != source.read_bytes()  # what is not asked to change stays as it is
        if "--keep" not in options and is_changed:
            assert found == words
        checked = ran("check", target, "--from-format", after, "--scheme", "plain", "--no-marks")
        assert checked.returncode == 0, checked.stderr
        named = target.read_text(encoding="utf-8").startswith("# global.columns") or after == "conllu"
        named &= is_changed
        named &= layout.label not in ("misc", "id") or after != "conllu"  # which CoNLL-U has for something else
        if named and labels is not None and (not kept or layout.label in kept) and layout.label != table.names[0]:
            assert found_labels == labels


MISREAD = {
    "CSV": [["a,b"], ["a,b", "c,d"]],
    "JSON": [['{"a":', "1}"], ["Ann"]],
    "a list": [['["a",{"b"'], ["Ann"]],
    "XMI": [["<xmi:XMI", "x"], ["Ann"]],
    "prose": [["これは文です。これも", "それは何ですか。はい"], ["そうです。そして"]],
}  # fmt: skip


@pytest.mark.parametrize("words", MISREAD.values(), ids=MISREAD)
def test_columns_that_look_like_another_format_are_told_apart(words: list[list[str]], tmp_path: Path) -> None:
    """Where words alone would mislead a reader, comments name the columns; also in parts of a file that did not."""
    rows = "".join(json.dumps({"word": one}, ensure_ascii=False) + "\n" for one in words)
    (tmp_path / "rows.jsonl").write_text(rows, encoding="utf-8")
    safe = [["x"] * 10, *words]
    (tmp_path / "safe.txt").write_text("".join(f"{word}\n" for one in safe for word in [*one, ""]), encoding="utf-8")
    (tmp_path / "wide.txt").write_text("".join(f"x\t{word}\n" for one in words for word in one), encoding="utf-8")
    outs = [tmp_path / name for name in ("made", "part", "rest", "kept")]
    made, part, rest, kept = outs
    for arguments in (
        ["convert", tmp_path / "rows.jsonl", "--to-format", "columns", "-o", made],
        ["split", tmp_path / "safe.txt", "--in-order", "--part", f"{part}=1", "--part", f"{rest}=rest", "--no-label"],
        ["convert", tmp_path / "wide.txt", "--keep", "label", "-o", kept],
    ):
        run = ran(*arguments)
        assert run.returncode == 0, run.stderr
    assert rest.read_text(encoding="utf-8").startswith("# global.columns = word\n# global.label = predicted\n")
    for out in outs:
        assert ran("check", out).returncode == 0, out
    for out in (made, rest):
        assert content(out, layout_for(str(out))) == (words, None)


def test_words_of_lists_are_those_under_their_own_key(tmp_path: Path) -> None:
    """Whatever other lists and columns are called."""
    for names in (
        ["form", "word"],
        ["word", "form", "token"],
        ["token", "form", "word"],
        ["x", "word", "form", "token"],
    ):
        for words in ("tokens", "x"):
            values = {words: ["Ann"], **{name: ["wrong"] for name in names if name != words}, "ner_tags": ["B-PER"]}
            path = tmp_path / "rows.jsonl"
            path.write_text(json.dumps(values) + "\n", encoding="utf-8")
            key = ["--key", f"tokens={words}"]
            run = ran(
                "convert", path, "--from-format", "tokens", *key, "--to-format", "columns", "-o", tmp_path / "out"
            )
            assert run.returncode == 0, run.stderr
            assert (tmp_path / "out").read_text().splitlines()[0].split("\t")[0] == "Ann"
            run = ran("convert", path, "--from-format", "tokens", *key, "--to-format", "doccano")
            assert json.loads(run.stdout)["text"] == "Ann", names


@st.composite
def annotated(draw: st.DrawFn) -> str:
    """A column file that names its columns, with labels in a scheme, and perhaps documents and annotators."""
    by = draw(st.sampled_from([(), ("vera",), ("vera", "paul"), ("a_b", "ü", "label")]))
    others = tuple(draw(st.lists(st.sampled_from(["pos", "a|b", "sentence", "#"]), max_size=2, unique=True)))
    names = ["word", *others, *(f"label.{name}" for name in by), *([] if by and draw(st.booleans()) else ["label"])]
    label = draw(st.sampled_from(names[1 + len(others) :]))
    lines = [f"# global.columns = {' '.join(names)}", f"# global.label = {label}"]
    for number in range(draw(st.integers(2, 5))):
        comments = ["# document = d", '# text = "x"', "# sent_id = s", "# source = post"]
        lines += draw(st.lists(st.sampled_from(comments), max_size=2, unique=True))
        for _ in range(draw(st.integers(1, 3))):
            values = [draw(st.sampled_from(["NNP", "#", "|"])) for _ in others]
            labels = [draw(st.sampled_from(["O", "B-PER", "?", "B-LOC"])) for _ in names[1 + len(others) :]]
            lines.append("\t".join([draw(st.sampled_from(["Ann", "é", f"w{number}"])), *values, *labels]))
        lines.append("")
    return "\n".join([*lines, ""])


COMMANDS = {
    "split": lambda file, out: ["split", file, "--part", f"{out}=50%", "--part", f"{out}.rest=rest"],
    "shuffle": lambda file, out: ["shuffle", file, "-o", out],
    "draw": lambda file, out: ["draw", file, "1", "-o", out],
    "select": lambda file, out: ["select", "--pool", file, "--strategy", "random", "--count", "1", "-o", out],
    "select as JSON": lambda file, out: [
        "select", "--pool", file, "--strategy", "random", "--count", "1", "--format", "jsonl", "-o", out
    ],
    "merge": lambda file, out: ["merge", file, "-o", out],
    "agree": lambda file, out: ["agree", file, "--resamples", "0", "--sheet", out],
    "convert --to-scheme": lambda file, out: ["convert", file, "--to-scheme", "bioes", "-o", out],
    "convert --keep": lambda file, out: ["convert", file, "--keep", "word", "-o", out],
    "convert --separator": lambda file, out: ["convert", file, "--separator", " ", "-o", out],
}  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
@settings(max_examples=15)
@given(text=annotated())
def test_files_of_other_commands_are_read_again(command: str, text: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        source, target = Path(name, "in.txt"), Path(name, "out.txt")
        source.write_text(text, encoding="utf-8")
        run = ran(*COMMANDS[command](source, target))
        if run.returncode or not target.exists():
            return
        checked = ran("check", target, "--scheme", "plain", "--no-marks")
        assert checked.returncode == 0 or "no sentence in it" in checked.stdout, checked.stdout
        if checked.returncode == 0:
            words, _ = content(target, layout_for(str(target)))
            assert {tuple(one) for one in words} <= {tuple(one) for one in content(source, layout_for(str(source)))[0]}
            again = ran("convert", target, "--to-format", "jsonl")
            assert again.returncode == 0, again.stderr


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of words."""
    folder = tmp_path_factory.mktemp("model")
    (folder / "t.yaml").write_text("columns: [word, label]\nfeatures: ['word[0]']\n", encoding="utf-8")
    (folder / "train.txt").write_text("Ann B-PER\nmet O\n\nOslo B-LOC\n\n", encoding="utf-8")
    run = ran("train", "-t", folder / "t.yaml", "--train", folder / "train.txt", "-m", folder / "m.model")
    assert run.returncode == 0, run.stderr
    return folder / "m.model"


@pytest.mark.parametrize("form", ["columns", "jsonl", "doccano", "prodigy", "label-studio", "webanno"])
@settings(max_examples=15)
@given(text=annotated())
def test_tagged_files_are_read_again(model: Path, form: str, text: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        source, target = Path(name, "in.txt"), Path(name, "out.txt")
        source.write_text(text, encoding="utf-8")
        run = ran("tag", "-m", model, source, "--format", form, "-o", target)
        if run.returncode:  # a file without the columns of the model, or one document too many for WebAnno
            assert not target.exists()
            return
        again = ran("convert", target, "--from-format", form, "--to-format", "jsonl")
        assert again.returncode == 0, again.stderr


@pytest.mark.parametrize("form", ["conllu", "csv", "jsonl", "tokens", "doccano", "prodigy"])
@settings(max_examples=15)
@given(text=annotated(), scheme=st.sampled_from(["bioes", "iob1", "ioe2"]), named=st.booleans())
def test_files_in_another_scheme_and_format_are_read_again(form: str, text: str, scheme: str, named: bool) -> None:
    """Also with the labels of one annotator alone, where the columns name some."""
    with tempfile.TemporaryDirectory() as name:
        source, between, target = (Path(name, one) for one in ("in.txt", "between.txt", "out"))
        source.write_text(text, encoding="utf-8")
        run = ran("convert", source, "--to-scheme", scheme, "-o", between)
        if not run.returncode:
            chosen = ["--annotators", "vera"] if named and form in ("doccano", "prodigy") else []
            run = ran("convert", between, "--to-format", form, *chosen, "-o", target)
        if run.returncode:
            assert not target.exists()
            return
        read = ["convert", target, "--from-format", form, "--to-format", "jsonl"]
        again = ran(*read)
        if advice := re.search(r"--annotators (\S+) makes", again.stderr):  # several annotators: a column of each
            again = ran(*read, "--annotators", advice[1])
        assert again.returncode == 0, again.stderr


@pytest.mark.parametrize("sample", ["ads", "hmm"])
def test_generated_corpora_are_read_again(sample: str, tmp_path: Path) -> None:
    assert ran("sample", sample, tmp_path / "made", "--train", "5", "--unlabeled", "5").returncode == 0
    for part in ("train", "dev", "test", "unlabeled"):
        options = ["--no-label"] if part == "unlabeled" else []
        checked = ran("check", tmp_path / f"made/{part}.txt", *options)
        assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize("name", shipped_names())
@pytest.mark.parametrize("columns", ["word label", "word pos label", "word pos chunk ner", "form upos tag"])
def test_templates_for_a_file_read_it(name: str, columns: str, tmp_path: Path) -> None:
    head, token = columns.replace(" ", "\t"), "\t".join(["Ann", "NNP", "B-NP", "B-PER"][: len(columns.split())])
    label = columns.split()[-1]
    (tmp_path / "in.txt").write_text(f"# global.columns = {columns}\n# global.label = {label}\n{token}\n\n", "utf-8")
    run = ran("template", name, "--for", tmp_path / "in.txt", "-o", tmp_path / "t.yaml")
    if run.returncode:  # of a template whose words the file does not have
        assert not (tmp_path / "t.yaml").exists(), head
        return
    shown = ran("features", "-t", tmp_path / "t.yaml", tmp_path / "in.txt")
    assert shown.returncode == 0, shown.stderr


@pytest.mark.parametrize(("word", "other"), [("-DOCSTART-", "O"), ("#", "id"), ("#", "7")])
@pytest.mark.parametrize("form", ["columns", "tokens", "jsonl"])
def test_what_becomes_the_word_of_a_token_can_be_one(tmp_path, word, other, form):
    """A column that --keep puts first may hold what a reader of columns takes for a mark or a comment."""
    record = {"form": ["a", "b"], "tag": [word, "O"], "name": [other, "x"], "sign": ["=", "y"], "label": ["O", "O"]}
    (tmp_path / "in.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    run = ran("convert", tmp_path / "in.jsonl", "--keep", "tag,name,sign", "--to-format", form, "-o", tmp_path / "out")
    if other == "7":  # neither
        assert not run.returncode
        assert "tokens     2" in ran("check", tmp_path / "out", "--from-format", form, "--no-label").stdout
    else:
        assert "cannot be a token" in run.stderr
        assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("form", ["doccano", "prodigy", "label-studio"])
def test_labels_with_blanks_of_other_kinds_come_back(tmp_path, form):
    """Columns are separated by ASCII white space alone, and so a label may have, or be, a blank of another kind."""
    labels = ["B-\u3000", "O", "B-\u00a0", "B-a\u00a0\u00a0b", "I-a\u00a0\u00a0b", "B-x\u2003"]
    rows = "".join(f"w{place}\t{label}\n" for place, label in enumerate(labels)) + "\n"
    (tmp_path / "in").write_text(rows, encoding="utf-8")
    assert not ran("convert", tmp_path / "in", "--to-format", form, "-o", tmp_path / "spans").returncode
    back = ran("convert", tmp_path / "spans", "--from-format", form, "--to-format", "columns")
    assert [line.split("\t")[-1] for line in back.stdout.split("\n") if "\t" in line] == labels
