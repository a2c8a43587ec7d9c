"""Files that sstag writes, read by the libraries of the tools whose formats these are; and theirs read by sstag.

`make test-formats` runs this in an environment of its own: other tests need none of these libraries.
"""

import json
import re
import sys
import tempfile
import textwrap
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner
from hypothesis import assume, given, settings

from sstag.foundation.errors import DataError
from sstag.interfaces import cli
from tests.annotators import ran
from tests.hostile_texts import Rows, saved, texts
from tests.spans_texts import documents
from tests.test_format_fixtures import FOLDER, LABELS, NAMES, SPANS, TEXT
from tests.test_span_formats import again, kept, said

WORDS = TEXT.split()


def sstag(*arguments: object) -> str:
    run = CliRunner().invoke(cli.sstag, [*map(str, arguments)])
    assert run.exit_code == 0, run.output
    return run.stdout


def rows(text: str) -> list[tuple[str, str]]:
    """The first and the last column of each line of a token."""
    lines = [line.split() for line in text.splitlines() if line.strip() and not line.startswith(("-DOCSTART-", "#"))]
    return [(cells[0], cells[-1]) for cells in lines]


def test_doccano_transformer_reads_what_is_written(tmp_path: Path) -> None:
    from spacy.training import offsets_to_biluo_tags

    gold = ModuleType("spacy.gold")  # where spaCy 2 had it, which doccano-transformer asks for
    gold.biluo_tags_from_offsets = offsets_to_biluo_tags  # type: ignore[attr-defined]
    sys.modules["spacy.gold"] = gold
    from doccano_transformer.datasets import NERDataset

    sstag("convert", FOLDER / "webanno.tsv", "--to-format", "doccano", "-o", tmp_path / "out.jsonl")
    record = json.loads((tmp_path / "out.jsonl").read_text(encoding="utf-8"))
    record["labels"] = record.pop("label")  # as doccano called it when the library was written
    (tmp_path / "old.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    (found,) = NERDataset.from_jsonl(filepath=tmp_path / "old.jsonl").to_conll2003(tokenizer=str.split)
    assert rows(found["data"]) == list(zip(WORDS, LABELS, strict=True))


CONFIG = """<View><Labels name="label" toName="text"><Label value="PER"/><Label value="LOC"/></Labels>
<Text name="text" value="$text"/></View>"""


@pytest.mark.parametrize("name", ["label-studio.json", "webanno.tsv"])
def test_label_studio_converts_what_is_written(tmp_path: Path, name: str) -> None:
    from label_studio_sdk.converter import Converter

    path = FOLDER / name
    if not name.startswith("label-studio"):
        path = tmp_path / "out.json"
        sstag("convert", FOLDER / name, "--to-format", "label-studio", "-o", path)
    folder = tmp_path / "conll"
    Converter(CONFIG, project_dir=None).convert_to_conll2003(str(path), str(folder), is_dir=False)
    (made,) = folder.iterdir()
    assert rows(made.read_text(encoding="utf-8")) == list(zip(WORDS, LABELS, strict=True))


def test_datasets_reads_what_is_written(tmp_path: Path) -> None:
    from datasets import Dataset

    text = sstag("convert", FOLDER / "kaggle.csv", "--keep", "word,label", "--to-format", "tokens")
    (tmp_path / "out.jsonl").write_text(text, encoding="utf-8")
    (row,) = Dataset.from_json(str(tmp_path / "out.jsonl"), cache_dir=str(tmp_path))
    assert (row["tokens"], row["ner_tags"]) == (WORDS, LABELS)


def test_what_datasets_writes_is_read(tmp_path: Path) -> None:
    from datasets import ClassLabel, Dataset, Features, Sequence, Value

    names = NAMES.split(",")
    features = Features({"tokens": Sequence(Value("string")), "ner_tags": Sequence(ClassLabel(names=names))})
    made = Dataset.from_dict({"tokens": [WORDS], "ner_tags": [[names.index(one) for one in LABELS]]}, features=features)
    made.to_json(str(tmp_path / "made.jsonl"))
    found = sstag("convert", tmp_path / "made.jsonl", "--tag-names", ",".join(made.features["ner_tags"].feature.names))
    assert rows(found) == list(zip(WORDS, LABELS, strict=True))


@given(documents())
def test_spacy_sees_the_same_tags(document) -> None:
    from spacy.tokens import Doc
    from spacy.training import biluo_to_iob, offsets_to_biluo_tags
    from spacy.vocab import Vocab

    with tempfile.NamedTemporaryFile("wb", suffix=".jsonl") as file:
        file.write(kept("doccano", [document]))
        file.flush()
        lines = sstag("convert", file.name, "--cut", "split", "--from-format", "doccano").splitlines()
    tokens = [line.split("\t") for line in lines if "\t" in line]
    words, spaces, at = list[str](), list[bool](), 0
    for word, start, end, _ in tokens:  # spaCy knows one blank between tokens; anything else is a token
        gap = document.text[at : int(start)]
        if gap.startswith(" ") and words:
            spaces[-1], gap = True, gap[1:]
        if gap:
            words.append(gap)
            spaces.append(False)
        words.append(document.text[int(start) : int(end)])
        spaces.append(False)
        at = int(end)
        assert word.replace("\u00a0", " ") == words[-1].replace("\u00a0", " ")
    if rest := document.text[at:]:
        words.append(rest)
        spaces.append(False)
    doc = Doc(Vocab(), words=words, spaces=spaces)
    assert doc.text == document.text
    ours = [(span.start, span.stop, span.labels[0]) for span in document.said[0].spans]
    theirs = biluo_to_iob(offsets_to_biluo_tags(doc, ours))
    places = {token.idx: tag for token, tag in zip(doc, theirs, strict=True)}
    assert [row[3].replace("\u00a0", " ") for row in tokens] == [places[int(row[1])] for row in tokens]


def test_the_scripts_for_spacy_lose_no_span_and_no_undecided_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from spacy.tokens import DocBin
    from spacy.vocab import Vocab

    page = (Path(__file__).parents[2] / "docs/how-to/from-spacy.md").read_text(encoding="utf-8")
    into_sstag, of_prodigy, into_spacy = (
        "".join(textwrap.dedent(block).partition("import")[1:])
        for block in re.findall(r"(?:^    .*\n|^\n(?=    ))+", page, re.MULTILINE)
        if "import spacy" in block
    )
    monkeypatch.chdir(tmp_path)
    rows = [
        "Kim B-PER",
        "Lee I-PER",
        "met O",
        "Ann ?",
        "",
        "Bob B-PER|B-ORG",
        "'s !LOC",
        "Rome B-LOC",
        "Oslo B-LOC",
        "",
    ]
    Path("train.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")
    sstag("convert", "train.txt", "--to-scheme", "iob2", "--to-format", "jsonl", "-o", "train.jsonl")
    exec(into_spacy, {})
    exec(into_sstag, {})
    open_labels = {"B-PER|B-ORG": "?", "!LOC": "?"}
    expected = [" ".join(open_labels.get(cell, cell) for cell in row.split()) for row in rows]
    assert capsys.readouterr().out.split("\n")[:-1] == expected
    Path("d.jsonl").write_text(json.dumps({"text": "Ann's house.", "label": [[0, 3, "PER"]]}) + "\n", encoding="utf-8")
    for name, script, form in (("train", into_spacy, "jsonl"), ("labelled", of_prodigy, "prodigy")):
        sstag("convert", "d.jsonl", "--to-format", form, "-o", f"{name}.jsonl")
        exec(script, {})
        (doc,) = DocBin().from_disk(f"{name}.spacy").get_docs(Vocab())
        assert (doc.text, [(one.text, one.label_) for one in doc.ents]) == ("Ann's house.", [("Ann", "PER")])


def test_cassis_reads_what_is_written(tmp_path: Path) -> None:
    from cassis import load_cas_from_xmi, load_typesystem

    sstag("convert", FOLDER / "webanno.tsv", "--to-format", "xmi", "-o", tmp_path / "out")
    with open(tmp_path / "out" / "TypeSystem.xml", "rb") as file:
        types = load_typesystem(file)
    with open(tmp_path / "out" / "webanno.xmi", "rb") as file:
        cas = load_cas_from_xmi(file, typesystem=types)
    entities = cas.select("de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity")
    assert cas.sofa_string == TEXT
    assert [(one.get_covered_text(), one.begin, one.end, one.value) for one in entities] == SPANS
    assert '"29"' in (tmp_path / "out" / "webanno.xmi").read_text(encoding="utf-8")  # units of UTF-16
    tokens = cas.select("de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token")
    assert [one.get_covered_text() for one in tokens] == WORDS


def test_xmi_is_read_and_its_faults_are_told(tmp_path: Path) -> None:
    sstag("convert", FOLDER / "webanno.tsv", "--to-format", "xmi", "-o", tmp_path / "out")
    for path in (tmp_path / "out", tmp_path / "out" / "webanno.xmi"):
        found = json.loads(sstag("convert", path, "--to-format", "spans"))
        assert [(one["text"], one["start"], one["end"], one["label"]) for one in found["spans"]] == SPANS
    (tmp_path / "out" / "webanno.xmi").write_text("<xmi:XMI", encoding="utf-8")
    run = CliRunner().invoke(cli.sstag, ["check", str(tmp_path / "out")])
    assert run.exit_code == 1
    assert "webanno.xmi: cannot be read as XMI" in run.output


def test_texts_come_back_through_xmi() -> None:
    @given(documents().filter(lambda one: one.text))
    def through(document) -> None:
        controls = {char for char in document.text if char < " "} - {*"\t\n\r"}
        if absent := [char for char in document.text if char in controls | {*"\ufffe\uffff"}]:
            with pytest.raises(DataError, match=rf"U\+{ord(absent[0]):04X}, which XML cannot hold"):
                kept("xmi", [document])
        else:
            assert said(again("xmi", kept("xmi", [document]))) == said([document])

    through()


def test_sentences_in_xmi_are_read_again(tmp_path: Path) -> None:
    """Whatever their words and labels are, they come back, or the command says why it writes nothing."""

    @settings(max_examples=40)
    @given(rows=texts())
    def through(rows: Rows) -> None:
        rows = [[(word, label) for word, label in row if label.split() == [label]] for row in rows]  # no blanks alone
        assume(any(rows))
        with tempfile.TemporaryDirectory() as name:
            text, out = saved(Path(name, "in.txt"), rows), Path(name, "out")
            if ran("convert", text, "--to-format", "xmi", "-o", out).returncode:
                assert not out.exists()
                return
            again = ran("convert", out, "--from-format", "xmi", "--to-format", "jsonl")
            assert again.returncode == 0, again.stderr
            words = [word for line in again.stdout.split("\n") if line for word in json.loads(line)["word"]]
            assert sorted(words) == sorted(word for row in rows for word, _ in row)

    through()


def test_annotations_of_other_layers_of_xmi_are_counted(tmp_path: Path) -> None:
    from cassis import Cas, TypeSystem

    types = TypeSystem()
    layer = types.create_type(name="de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity")
    types.create_feature(domainType=layer, name="value", rangeType="uima.cas.String")
    other = types.create_type(name="custom.Mood")
    cas = Cas(types)
    cas.sofa_string = "Ann met Bob."
    cas.add_all([layer(begin=0, end=3, value="PER"), other(begin=4, end=7), other(begin=8, end=11)])
    (tmp_path / "TypeSystem.xml").write_text(types.to_xml(), encoding="utf-8")
    (tmp_path / "a.xmi").write_text(str(cas.to_xmi()), encoding="utf-8")
    run = CliRunner().invoke(cli.sstag, ["convert", str(tmp_path / "a.xmi"), "--to-format", "doccano"])
    assert json.loads(run.stdout)["label"] == [[0, 3, "PER"]]
    assert run.stderr == "not written: 2 annotations of the layer Mood\n"
