"""Templates that come with sstag, by name: taken, listed, shown, and rewritten for the columns of a file."""

import json
import os
import sys
from pathlib import Path

import pytest

import sstag as library
from sstag.corpus.layout import Layout, layout_for
from sstag.features.adapted import adapted
from sstag.features.proposals import proposals
from sstag.features.reading import load_template, template
from sstag.features.shipped import shipped_names, template_path
from sstag.foundation.errors import ConfigError
from tests.commands import sstag
from tests.encoder_models import model as encoder_model

TEMPLATES = Path(__file__).parent.parent / "configs/templates"
THREE = "Ann NNP B-PER\nmet VBD O\n"
NER = (TEMPLATES / "ner.yaml").read_text(encoding="utf-8")


def test_the_names_are_those_of_the_files() -> None:
    assert list(shipped_names()) == sorted(path.stem for path in TEMPLATES.glob("*.yaml"))
    assert load_template("ner") == load_template(str(TEMPLATES / "ner.yaml"))
    assert load_template("ner").text == NER


def test_a_file_of_that_name_is_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ner").write_text("columns: [a, b]\nfeatures: ['a[0]']\n", encoding="utf-8")
    assert load_template("ner").columns == ("a", "b")
    assert template_path("./pos") == "./pos"
    assert template_path("pos.yaml") == "pos.yaml"


OTHERS = {  # files that lack columns of a template, and what is said of them
    ("ner", "my train.txt", "a X\nb Y\n"): "my train.txt: without pos, chunk: 5 lines of ner left out\n",
    ("ner", "a.conllu", "1\ta\ta\tX\tX\t_\t0\troot\t_\t_\n\n"): (
        "a.conllu: without chunk: 1 line of ner left out; the label is upos\n"
    ),
    ("ner", "a.jsonl", '{"text": "a b", "label": [[0, 1, "X"]]}\n'): (
        "a.jsonl: without pos, chunk: 5 lines of ner left out\n"
    ),
    ("ner", "three.txt", THREE): (
        "three.txt: without pos, chunk: 5 lines of ner left out\nthree.txt: no feature looks at column2\n"
    ),
    ("chunking", "two.txt", "a X\nb Y\n"): "two.txt: without pos: 8 lines of chunking left out\n",
    ("pos", "two.txt", "a X\nb Y\n"): "",
}


@pytest.mark.parametrize(("template", "name", "text"), OTHERS)
def test_a_template_fits_the_file_and_makes_the_model_of_the_fitted_template(
    tmp_path: Path, template: str, name: str, text: str
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    run = sstag("train", "--train", name, "-t", template, "-m", "own.model", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, OTHERS[template, name, text])
    assert sstag("template", template, "--for", name, "-o", "fitted.yaml", cwd=tmp_path).returncode == 0
    assert sstag("train", "--train", name, "-t", "fitted.yaml", "-m", "fitted.model", cwd=tmp_path).returncode == 0
    assert (tmp_path / "own.model").read_bytes() == (tmp_path / "fitted.model").read_bytes()
    if not name.endswith(".conllu"):  # which is told by its name
        run = sstag("train", "--train", "-", "-t", template, "-m", "piped.model", cwd=tmp_path, stdin=text)
        said = OTHERS[template, name, text].replace(name, "<stdin>")
        assert (run.returncode, run.stderr) == (0, said)


@pytest.mark.parametrize("command", [["features"], ["expectations", "--least", "1", "--train"], ["check", "--suspect"]])
def test_other_commands_fit_a_template_as_well(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "t.txt").write_text("a X\nb Y\n\n" * 4, encoding="utf-8")
    run = sstag(*command, "t.txt", "--template", "ner", *["--folds", "2"] * (command[0] == "check"), cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert run.stderr.count("t.txt: without pos, chunk: 5 lines of ner left out\n") == 1


def test_raw_text_without_labels_fits_as_well(tmp_path: Path) -> None:
    (tmp_path / "raw.txt").write_text("a\nb\n\nb\na\n", encoding="utf-8")
    (tmp_path / "list.tsv").write_text("word[0]=a\tX:0.9 Y:0.1\nword[0]=b\tX:0.2 Y:0.8\n", encoding="utf-8")
    words = ["train", "--unlabeled", "raw.txt", "-t", "ner", "--expectations", "list.tsv", "-m", "m"]
    run = sstag(*words, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "raw.txt: without pos, chunk: 5 lines of ner left out\n" in run.stderr


SENTENCES = [["Kim", "met", "Ann"], ["Bob", "left"]]
LABELS = [["B-PER", "O", "B-PER"], ["B-PER", "O"]]
TUPLES = [list(zip(words, labels, strict=True)) for words, labels in zip(SENTENCES, LABELS, strict=True)]


@pytest.mark.parametrize("name", ["ner", "chunking"])
def test_sentences_in_memory_fit_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "\n".join("".join(f"{word} {label}\n" for word, label in sentence) for sentence in TUPLES)
    Path("t.txt").write_text(text, encoding="utf-8")
    ways = [
        library.train(name, SENTENCES, LABELS),
        library.train(name, TUPLES),
        library.train(name, "t.txt"),
        library.train(name, library.read("t.txt", "ner")) if name == "ner" else library.train(name, TUPLES),
    ]
    assert all(" left out" in record.message for record in caplog.records)
    assert len(caplog.records) == 5 if name == "ner" else 4
    assert sstag("template", name, "--for", "t.txt", "-o", "fitted.yaml", cwd=tmp_path).returncode == 0
    fitted = library.train("fitted.yaml", SENTENCES, LABELS)
    for model in ways:
        assert model.template.text == fitted.template.text
        assert model.theta.tobytes() == fitted.theta.tobytes()
    assert library.tag(ways[0], SENTENCES) == LABELS


def test_a_file_of_that_name_that_is_no_template_tells_how_to_get_the_template(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ner").write_text("hi\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"^ner:1: no settings here.*'ner' is a file here; `sstag template ner -o "):
        load_template("ner")


def test_a_wrong_name_has_a_nearest_one() -> None:
    with pytest.raises(ConfigError, match="there is no template 'chunkin', and no such file; did you mean 'chunking'"):
        load_template("chunkin")


def test_a_name_stands_in_options_configurations_reports_and_python(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("a X\nb Y\n", encoding="utf-8")
    run = sstag("train", "-t", "ads", "--train", "train.txt", "-m", "m", "--report", "r.json", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    did = json.loads((tmp_path / "r.json").read_bytes())["run"]
    assert did["template"] == "ads"
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/run.yaml").write_text(json.dumps(did | {"model": "../n"}), encoding="utf-8")
    assert sstag("train", "--config", "sub/run.yaml", cwd=tmp_path).returncode == 0
    library.save(library.train("ads", str(tmp_path / "train.txt")), str(tmp_path / "o"))
    assert (tmp_path / "m").read_bytes() == (tmp_path / "n").read_bytes() == (tmp_path / "o").read_bytes()


def test_the_command_lists_and_shows() -> None:
    listed = sstag("template").stdout
    assert all(f"\n  {name} " in listed for name in shipped_names())
    assert sstag("template", "ner").stdout == NER
    assert "did you mean 'ner'?" in sstag("template", "nre").stderr
    assert "--for" in sstag("template", "ner", "--columns", "a,b").stderr


@pytest.mark.parametrize("name", shipped_names())
@pytest.mark.parametrize("columns", [("token", "tag"), ("word", "label"), ("x", "pos", "y", "gold"), ("letter", "z")])
def test_every_template_fits_every_file_with_a_column_of_words(name: str, columns: tuple[str, ...]) -> None:
    text = (TEMPLATES / f"{name}.yaml").read_text(encoding="utf-8")
    made = adapted(text, name, columns, layout_for("a.txt", columns))
    assert template(made.text, name).columns == columns
    assert template(made.text, name).label == columns[-1]
    lines = [line for line in text.split("\n") if line.startswith("  -")]
    left = [line for line in made.text.split("\n") if line.startswith("  -")]
    assert len(lines) - len(left) == made.dropped


def test_what_a_file_lacks_is_left_out_and_told(tmp_path: Path) -> None:
    (tmp_path / "three.txt").write_text(THREE, encoding="utf-8")
    run = sstag("template", "ner", "--for", "three.txt", "--columns", "tok,xpos,ent", "-o", "t.yaml", cwd=tmp_path)
    assert run.stderr == "three.txt: without chunk: 1 line of ner left out\n"
    made = (tmp_path / "t.yaml").read_text(encoding="utf-8")
    expected = NER.replace("  - chunk[-1..1]\n", "").replace("[word, pos, chunk, ner]", "[tok, xpos, ent]")
    expected = expected.replace("label: ner", "label: ent").replace("word[", "tok[").replace("pos[", "xpos[")
    assert made.split("columns:")[1] == expected.split("columns:")[1]
    assert sstag("features", "-t", "t.yaml", "three.txt", cwd=tmp_path).returncode == 0
    run = sstag("template", "ner", "--for", "three.txt", cwd=tmp_path)
    assert run.stderr.splitlines()[1] == "three.txt: no feature looks at column2 (--columns names columns)"
    assert "\ncolumns: [word, column2, ner]\nlabel: ner\n" in run.stdout


def test_a_file_with_as_many_columns_has_these() -> None:
    made = adapted(NER, "ner", ("word", "column2", "column3", "label"), Layout())
    assert (made.text, made.lacking, made.unread) == (NER, (), ())


def test_the_names_of_conllu_are_the_templates() -> None:
    layout = layout_for("a.conllu")
    made = adapted(NER, "ner", layout.columns(10, "a.conllu", 1), layout)
    assert made.lacking == ("chunk",)
    assert template(made.text, "ner").columns == ("form", "upos", "xpos")
    assert template(made.text, "ner").label == "upos"


def test_quoted_patterns_are_no_columns() -> None:
    text = "columns: [word, pos, tag]\nlabel: tag\nfeatures:\n  - \"matches(word[0], 'pos[a-z]')\"\n  - pos[0]\n"
    text += "edges: [labels, begin, pos[0], word[0]]\n"
    made = adapted(text, "t", ("w", "t"), layout_for("a", ("w", "t")))
    assert made.text.split("\n")[2:] == [
        "features:",
        "  - \"matches(w[0], 'pos[a-z]')\"",
        "edges: [labels, begin, w[0]]",
        "",
    ]
    assert made.dropped == 2
    with pytest.raises(ConfigError, match="no feature is left"):
        adapted("columns: [a, b, c]\nlabel: c\nfeatures:\n  - b[0]\n", "t", ("w", "t"), layout_for("a", ("w", "t")))


def test_files_of_raw_text_get_a_line(tmp_path: Path) -> None:
    (tmp_path / "my clusters").write_text("01\tAnn\t3\n10\tmet\t2\n", encoding="utf-8")
    (tmp_path / "train.txt").write_text("Ann B-PER\nmet O\n", encoding="utf-8")
    (tmp_path / "made").mkdir()
    words = ["template", "ner", "--for", "train.txt", "--clusters", "my clusters", "-o", "made/t.yaml"]
    assert sstag(*words, cwd=tmp_path).returncode == 0
    made = load_template(str(tmp_path / "made/t.yaml"))
    assert made.files == ("../my clusters",)
    assert "  - cluster(word[-1..1], '../my clusters', 4, 6, 10, 20)\n" in made.text
    absent = sstag("template", "ner", "--vectors", "absent", cwd=tmp_path)
    assert (absent.returncode, absent.stderr) == (1, "absent: no such file or directory\n")


def test_encoders_get_a_name_and_a_line(tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    encoder_model(tmp_path / "My-Encoder.2")
    words = ["template", "pos", "--encoder", "My-Encoder.2", "-o", "made/t.yaml"]
    assert sstag(*words, cwd=tmp_path).returncode == 0
    made = load_template(str(tmp_path / "made/t.yaml"))
    assert "encoders:\n  my_encoder_2: {model: ../My-Encoder.2}\nfeatures:\n  - encoded(my_encoder_2[0])\n" in made.text
    assert [one.name for one in made.dense] == ["encoded(my_encoder_2[0])"]
    (tmp_path / "other").mkdir()
    encoder_model(tmp_path / "other" / "my-encoder.2")
    paths = ("My-Encoder.2", "other/my-encoder.2", str(tmp_path / "My-Encoder.2"))
    words = ["template", "pos", *(word for path in paths for word in ("--encoder", path)), "-o", "made/t.yaml"]
    assert sstag(*words, cwd=tmp_path).returncode == 0
    text = (tmp_path / "made/t.yaml").read_text(encoding="utf-8")
    assert "my_encoder_2_2: {model: ../other/my-encoder.2}" in text
    assert f"my_encoder_2_3: {{model: {tmp_path}/My-Encoder.2}}" in text  # a path from the root stays one
    absent = sstag("template", "ner", "--encoder", "absent", cwd=tmp_path)
    assert (absent.returncode, "absent: there is no such encoder" in absent.stderr) == (1, True)


def test_what_helps_beside_a_template_is_listed_with_what_is_installed(tmp_path: Path) -> None:
    (tmp_path / "models--some--encoder").mkdir()
    (tmp_path / "spacy_lookups_data/data").mkdir(parents=True)
    (tmp_path / "spacy_lookups_data/__init__.py").touch()
    table = tmp_path / "spacy_lookups_data/data/en_lexeme_cluster.json.gz"
    table.touch()
    found = dict(proposals(str(tmp_path)))
    assert {"--clusters FILE", "--vectors FILE", "--encoder MODEL", "some/encoder"} <= found.keys()
    assert "beside a template" in sstag("template").stdout.lower()
    sys.path.insert(0, str(tmp_path))
    try:
        assert str(table) in dict(proposals(str(tmp_path)))
    finally:
        sys.path.remove(str(tmp_path))


def test_what_is_in_the_folders_of_the_environment_is_proposed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "encoders/mini").mkdir(parents=True)
    (tmp_path / "encoders/mini/model.safetensors").touch()
    (tmp_path / "encoders/not one").mkdir()
    (tmp_path / "encoders/single.onnx").touch()
    (tmp_path / "words").mkdir()
    (tmp_path / "words/glove.txt").touch()
    monkeypatch.setenv("SSTAG_ENCODERS", os.pathsep.join((str(tmp_path / "absent"), str(tmp_path / "encoders"))))
    monkeypatch.setenv("SSTAG_VECTORS", str(tmp_path / "words"))
    found = [name for name, _ in proposals(str(tmp_path / "hub")) if name.startswith(str(tmp_path))]
    assert found == [str(tmp_path / name) for name in ("encoders/mini", "encoders/single.onnx", "words/glove.txt")]
