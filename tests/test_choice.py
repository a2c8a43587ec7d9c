"""The template that is chosen where none is named: by which rules, what raw text adds, and what is told of it."""

import random
from pathlib import Path

import pytest

import sstag as library
from sstag.features import raw_lines
from sstag.features.choice import choice_for, sample_of_file
from sstag.features.reading import template
from sstag.features.template import Joined
from tests.commands import sstag

Sentences = list[list[tuple[str, ...]]]
NOUNS, VERBS = ["walk", "talk", "look", "plant"], ["the", "of", "in"]


def written(path: Path, sentences: Sentences, blank: str = "\t") -> str:
    path.write_text(
        "".join("".join(f"{blank.join(token)}\n" for token in one) + "\n" for one in sentences), encoding="utf-8"
    )
    return str(path)


def chosen(path: str) -> str:
    return choice_for(sample_of_file(path, None, True)).name


def names(rng: random.Random, label: str = "B-PER") -> Sentences:
    return [[("we", "O"), ("met", "O"), (rng.choice(["Ann", "Kim", "Bob"]), label), ("here", "O")] for _ in range(30)]


def addresses(rng: random.Random) -> Sentences:
    return [
        [(str(rng.randrange(99)), "Number"), *[(rng.choice(["Oak", "Elm", "Hill"]), "Street")] * 2, ("Rome", "Town")]
        for _ in range(30)
    ]


def parts_of_speech(rng: random.Random) -> Sentences:
    stems = ["".join(rng.choices("bcdfgklmnprst", k=5)) for _ in range(200)]
    endings = {"ing": "VBG", "ly": "RB", "ness": "NN", "able": "JJ"}
    return [
        [(rng.choice(stems) + ending, endings[ending]) for ending in rng.choices(list(endings), k=8)] for _ in range(50)
    ]


def no_endings(rng: random.Random) -> Sentences:
    stems = ["".join(rng.choices("bcdfgklmnprst", k=5)) for _ in range(200)]
    return [[(rng.choice(stems), rng.choice("ABC")) for _ in range(9)] for _ in range(50)]


def characters(rng: random.Random) -> Sentences:
    return [[(rng.choice("あいうえお漢字"), rng.choice("BI")) for _ in range(12)] for _ in range(30)]


def announcements(rng: random.Random) -> Sentences:
    return [
        [(rng.choice(["at", "noon", "talk", "room"]), rng.choice(["others"] * 9 + ["time"])) for _ in range(40)]
        for _ in range(20)
    ]


TEXTS = {
    "names": (names, "words"),
    "fields": (addresses, "records"),
    "parts of speech": (parts_of_speech, "morphology"),
    "no endings": (no_endings, "words"),
    "characters": (characters, "characters"),
    "announcements": (announcements, "words"),
}


@pytest.mark.parametrize("what", TEXTS)
@pytest.mark.parametrize("seed", range(4))
def test_the_sentences_decide(tmp_path: Path, what: str, seed: int) -> None:
    make, name = TEXTS[what]
    sentences = make(random.Random(seed))
    assert chosen(written(tmp_path / "t.txt", sentences)) == name
    if what != "no endings":  # which a few words can have by chance
        assert chosen(written(tmp_path / "u.txt", sentences[:12])) == name


@pytest.mark.parametrize("what", ["fields", "parts of speech", "names"])
def test_undecided_labels_do_not_count(tmp_path: Path, what: str) -> None:
    make, name = TEXTS[what]
    marked = make(random.Random(1))
    labels = sorted({label for one in marked for _, label in one})
    undecided = {3: "|".join(labels[:2]), 5: "?"}
    partial: Sentences = [
        [(w, undecided.get(place % 7, label)) for place, (w, label) in enumerate(one)] for one in marked
    ]
    assert chosen(written(tmp_path / "t.txt", partial)) == name
    assert chosen(written(tmp_path / "o.txt", [[(w, "?") for w, _ in one] for one in marked])) == "words"


def test_fields_in_tags_are_fields(tmp_path: Path) -> None:
    tags = {"Number": "B-Number", "Town": "B-Town"}
    sentences: Sentences = []
    for one in addresses(random.Random(1)):
        first = True
        tagged: list[tuple[str, ...]] = []
        for word, label in one:
            tagged.append((word, tags.get(label) or ("B-Street" if first else "I-Street")))
            first = first and label != "Street"
        sentences.append(tagged)
    assert chosen(written(tmp_path / "t.txt", sentences)) == "records"


def test_columns_with_few_values_get_lines(tmp_path: Path) -> None:
    tagged = [[(w, "NNP" if w[0].isupper() else "X", label) for w, label in one] for one in names(random.Random(1))]
    numbered: Sentences = [
        [(w, tag, f"{w}{number}", label) for w, tag, label in one] for number, one in enumerate(tagged)
    ]
    choice = choice_for(sample_of_file(written(tmp_path / "t.txt", numbered), None, True))
    assert choice.others == ("column2",)
    assert "  - column2[-1] | column2[0]\n" in choice.template.text
    assert "column3[" not in choice.template.text
    assert choice.template.columns == ("word", "column2", "column3", "label")


def ads(folder: Path, raw: int = 100) -> None:
    run = sstag("sample", "ads", ".", "--train", "8", "--dev", "4", "--test", "4", "--unlabeled", str(raw), cwd=folder)
    assert run.returncode == 0, run.stderr


def test_three_lines_say_what_why_and_how_to_see_it(tmp_path: Path) -> None:
    ads(tmp_path)
    run = sstag("train", "--train", "train.txt", "-m", "m", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    what, why, how = run.stderr.splitlines()[:3]
    assert what == "template: words"
    assert why.startswith("because every word has a label")
    assert "--unlabeled" in why
    assert "sstag inspect MODEL --write-template FILE" in how
    assert "--encoder" in how
    run = sstag("train", "--train", "train.txt", "--unlabeled", "unlabeled.txt", "-m", "n", cwd=tmp_path)
    assert run.stderr.splitlines()[0] == "template: words with predicted(…)"
    assert "unlabeled.txt has 5," in run.stderr.splitlines()[1]
    run = sstag("train", "-t", "words", "--train", "train.txt", "-m", "o", cwd=tmp_path)
    assert run.stderr == ""
    assert (tmp_path / "m").read_bytes() == (tmp_path / "o").read_bytes()


@pytest.fixture
def small_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raw_lines, "CLUSTERS_FROM", 1000)
    monkeypatch.setattr(raw_lines, "VECTORS_FROM", 2000)


@pytest.mark.usefixtures("small_tables")
def test_a_model_is_trained_again_from_its_written_template(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ads(tmp_path)
    monkeypatch.chdir(tmp_path)
    model = library.train(sentences="train.txt", unlabeled="unlabeled.txt", max_iterations=5)
    assert {"raw.clusters"} == set(model.template.clusters)
    assert "raw.vectors" in model.template.vectors
    library.save(model, "m")
    threaded = library.train("auto", "train.txt", unlabeled="unlabeled.txt", max_iterations=5, threads=3)
    library.save(threaded, "threaded")
    (tmp_path / "t").mkdir()
    run = sstag("inspect", "m", "--write-template", "t/t.yaml", cwd=tmp_path)
    assert run.stderr.splitlines() == ["t/t.yaml", "t/raw.clusters", "t/raw.vectors"]
    again = library.train("t/t.yaml", "train.txt", unlabeled="unlabeled.txt", max_iterations=5)
    library.save(again, "again")
    assert Path("m").read_bytes() == Path("threaded").read_bytes() == Path("again").read_bytes()
    run = sstag("inspect", "m", "--write-template", "t/t.yaml", cwd=tmp_path)
    assert (run.returncode, run.stderr.strip()) == (
        1,
        "t/t.yaml: is there already: write the template into another folder",
    )
    assert sstag("inspect", "m", "--write-template", "-", cwd=tmp_path).stdout == model.template.text


def test_python_chooses_for_files_lists_and_corpora(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sentences = names(random.Random(1))
    written(tmp_path / "t.txt", sentences)
    words, labels = ([[token[place] for token in one] for one in sentences] for place in (0, 1))
    ways = [
        library.train(sentences="t.txt"),
        library.train(None, ["t.txt"]),
        library.train("auto", words, labels),
        library.train(None, iter(words), iter(labels)),
        library.train(None, sentences),
        library.train("words", "t.txt"),
    ]
    assert len({model.theta.tobytes() for model in ways}) == 1
    assert {model.template.columns for model in ways} == {("word", "label")}


def test_all_templates_for_such_a_text_are_tried(tmp_path: Path) -> None:
    written(tmp_path / "t.txt", names(random.Random(1)))
    options = ["--train", "t.txt", "--folds", "2", "--set", "max_iterations=3", "-m", "m"]
    run = sstag("train", *options, "--tune", "template=auto", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    tried = [line.split()[0] for line in run.stdout.splitlines() if "%" not in line]
    assert {"words", "records", "morphology", "ner", "genes", "pos"} <= {*tried}
    assert not {"characters", "letters", "segmentation"} & {*tried}
    tuned = library.tune(None, str(tmp_path / "t.txt"), values={"template": ["auto"]}, folds=2, max_iterations=3)
    assert {one.values["template"] for one in tuned.tried} <= {*tried}


FAULTS = {
    "nothing to choose by": (["--expectations", "list.tsv"], "which template? there is no text to choose one by"),
    "an encoder beside a template": (
        ["-t", "words", "--train", "t.txt", "--encoder", "e"],
        "--encoder is for a template",
    ),
    "an empty file": (["--train", "empty.txt"], "empty.txt: no sentence in it"),
    "no file": (["--train", "none.txt"], "none.txt: "),
}


@pytest.mark.parametrize("what", FAULTS)
def test_faults_are_told(tmp_path: Path, what: str) -> None:
    written(tmp_path / "t.txt", names(random.Random(1)))
    (tmp_path / "empty.txt").write_text("\n", encoding="utf-8")
    (tmp_path / "list.tsv").write_text("word[0]=a\tX:0.9 Y:0.1\n", encoding="utf-8")
    options, message = FAULTS[what]
    run = sstag("train", *options, "-m", "m", cwd=tmp_path)
    assert run.returncode != 0
    assert message in run.stderr
    assert "Traceback" not in run.stderr


def test_other_formats_and_pipes(tmp_path: Path) -> None:
    sentences = names(random.Random(1))
    written(tmp_path / "t.txt", sentences)
    (tmp_path / "raw.txt").write_text("We met Ann here. Bob met Kim.\n" * 20, encoding="utf-8")
    lines = ['{"text": "we met Ann here", "label": [[7, 10, "PER"]]}'] * 20
    (tmp_path / "t.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for train in ("t.txt", "t.jsonl"):
        run = sstag("train", "--train", train, "--unlabeled", "raw.txt", "-m", train + ".m", cwd=tmp_path)
        assert run.returncode == 0, run.stderr
        assert "template: words with predicted(…)" in run.stderr
    text = (tmp_path / "t.txt").read_text(encoding="utf-8")
    run = sstag("train", "--train", "-", "--unlabeled", "raw.txt", "-m", "piped", cwd=tmp_path, stdin=text)
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "piped").read_bytes() == (tmp_path / "t.txt.m").read_bytes()


def test_an_hmm_counts_and_has_no_numbers(tmp_path: Path) -> None:
    written(tmp_path / "t.txt", names(random.Random(1)))
    run = sstag("train", "--train", "t.txt", "--method", "hmm", "-m", "m", cwd=tmp_path)
    assert run.returncode == 0, run.stderr


def test_templates_that_call_the_label_otherwise_compare(tmp_path: Path) -> None:
    written(tmp_path / "t.txt", names(random.Random(1)))
    for name in ("ner", "pos"):
        assert sstag("template", name, "--for", "t.txt", "-o", f"{name}.yaml", cwd=tmp_path).returncode == 0
    options = ["--train", "t.txt", "--folds", "2", "--set", "max_iterations=3", "-m", "m"]
    run = sstag("train", *options, "--tune", "template=ner.yaml,pos.yaml", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    one = sstag("train", *options[:2], "-s", "max_iterations=3", "-t", "pos.yaml", "-m", "one", cwd=tmp_path)
    assert one.returncode == 0, one.stderr
    values = {"template": [str(tmp_path / "ner.yaml"), str(tmp_path / "pos.yaml")]}
    tuned = library.tune("ner", str(tmp_path / "t.txt"), values=values, folds=2, max_iterations=3)
    assert len(tuned.tried) == 2
    (tmp_path / "wide.yaml").write_text("columns: [a, b, c]\nfeatures: ['a[0]']\n", encoding="utf-8")
    run = sstag("train", *options, "--tune", "template=ner.yaml,wide.yaml", cwd=tmp_path)
    assert "wide.yaml: its columns are not those of ner.yaml" in run.stderr


def test_of_characters_pairs_are_counted_and_of_words_their_ends(tmp_path: Path) -> None:
    """The lines are those of a template that can be read, over the column of words."""
    for what, pairs in (("characters", True), ("names", False)):
        path = written(tmp_path / f"{what}.txt", TEXTS[what][0](random.Random(1)))
        choice = choice_for(sample_of_file(path, None, True))
        lines = [line.format(choice.word) for line in choice.predicts]
        text = f"columns: [{choice.word}, label]\nfeatures:\n" + "".join(f"  - {line}\n" for line in lines)
        joined = [isinstance(source, Joined) for source in template(text, "t.yaml").predicted.values()]
        assert (any(joined), len(joined)) == (pairs, 3 if pairs else 8)
