"""Exports: every text has the name and the characters of its file, and every annotator is named."""

import csv
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from sstag.corpus.formats import Asked, document_names, output_names
from sstag.corpus.layout import layout_for
from sstag.corpus.text.options import TextOptions
from sstag.interfaces.annotate.answers import Answer, thing_of_span
from sstag.interfaces.annotate.exporting import answers_of, export, laid_out
from sstag.interfaces.annotate.importing import File, imported
from sstag.interfaces.annotate.knowledge import allowed_tags, knowledge
from sstag.interfaces.annotate.project import begun, opened
from sstag.interfaces.annotate.review import disagreements
from sstag.interfaces.annotate.saying import Said, Span
from sstag.interfaces.annotate.settings import Settings
from tests.annotators import ran

PROSE = "Ann  met Bob.\nShe left. He\u00a0stayed.\n\nRome\tis far.\n"
NAMED = {
    "prose.txt": (
        Asked("text", TextOptions(pieces="line")),
        PROSE,
        {"prose.txt:1": "Ann  met Bob.", "prose.txt:2:0": "She left.", "prose.txt:2:10": "He\u00a0stayed.",
         "prose.txt:4": "Rome\tis far."},
    ),
    "doccano.jsonl": (
        Asked("doccano"),
        '{"id": 7, "text": " Ann met  Bob. ", "label": []}\n{"id": "b-2", "text": "He left. Go.", "label": []}\n',
        {"7": " Ann met  Bob. ", "b-2:0": "He left.", "b-2:9": "Go."},
    ),
    "prodigy.jsonl": (
        Asked("prodigy"),
        '{"id": 3, "text": "Ann met", "tokens": [{"start": 0, "end": 3}, {"start": 4, "end": 7}], "spans": []}\n',
        {"3": "Ann met"},
    ),
    "studio.json": (Asked("label-studio"), '[{"id": 11, "data": {"text": "Ann met."}}]', {"11": "Ann met."}),
    "rows.jsonl": (Asked("jsonl"), '{"id": "r1", "word": ["Ann", "met"]}\n', {"r1": "Ann met"}),
    "tokens.jsonl": (Asked("tokens"), '{"id": "t1", "tokens": ["Ann", "met"]}\n', {"t1": "Ann met"}),
    "tree.conllu": (
        Asked("conllu"),
        "# newdoc id = d\n# sent_id = s7\n"
        + "".join(f"{n}\t{word}{chr(9)}_" + "\t_" * 6 + f"\t{misc}\n"
                  for n, word, misc in ((1, "Ann", "SpaceAfter=No"), (2, "!", "_"))) + "\n",
        {"s7": "Ann!"},
    ),
    "columns.txt": (
        Asked(),
        "# sent_id = c9\nAnn\nmet\n\nBob\nleft\n\n",
        {"c9": "Ann met", "columns.txt:5": "Bob left"},
    ),
}  # fmt: skip


def project(folder, name, asked, content, annotators=("ann",)):
    """A project on a file, of which everything is answered: a PER of each text's first token."""
    (folder / name).write_text(content)
    path = str(folder / name)
    where = str(folder / "work")
    layout = layout_for(path, format=asked)
    begun(where, path, layout, Settings(("PER", "ORG"), "iob2", "ner", (), (), "random", 1))
    made = opened(where)
    for annotator in annotators:
        say(made, annotator, dict.fromkeys(range(made.pool.texts), "PER"))
    made.close()
    return where


def say(made, annotator, labels):
    """An annotator says of each text that its first token is a name with a label, or nothing."""
    session = made.store.begin(annotator)
    for number, label in labels.items():
        text = made.pool.find(made.pool.hash(number))
        made.store.keep_texts([text])
        said = Said((Span(0, 1, (label,)),) if label else ())
        key = f"{annotator}{number}".replace(" ", "-")
        made.store.keep(session, [Answer(key, "sentence", f"text:{text.hash}", said.json, text.hash)])


def written(where, form, tmp_path, **how):
    """The text of an export; that of a folder is the text of all its files with their names."""
    with tempfile.TemporaryDirectory(dir=tmp_path) as folder:
        target = Path(folder, "out")
        is_folder = form in ("brat", "webanno", "xmi")
        export(answers_of(where), form, f"{target}/" if is_folder else str(target), **how)
        if not is_folder:
            return target.read_text()
        return "".join(f"{path.name}\n{path.read_text()}" for path in sorted(target.iterdir()))


def ids_in(form, text):
    """The names of texts that an export has."""
    lines = text.splitlines()
    match form:
        case "columns":
            return [line.removeprefix("# document = ") for line in lines if line.startswith("# document")]
        case "conllu":
            return [line.removeprefix("# sent_id = ") for line in lines if line.startswith("# sent_id")]
        case "csv":
            return list(dict.fromkeys(row["document"] for row in csv.DictReader(lines)))
        case "label-studio":
            return [str(one["id"]) for one in json.loads(text)]
    return [str(one.get("doc_id") or one["id"]) for one in map(json.loads, lines)]  # CoNLL-U has a column `id`


@pytest.mark.parametrize("name", NAMED)
def test_texts_have_the_names_and_characters_of_their_files(tmp_path, name):
    asked, content, expected = NAMED[name]
    where = project(tmp_path, name, asked, content)
    for form in ("columns", "conllu", "csv", "jsonl", "tokens", "doccano", "prodigy", "label-studio", "spans"):
        assert ids_in(form, written(where, form, tmp_path)) == list(expected), form
    for line in written(where, "doccano", tmp_path).splitlines():
        assert json.loads(line)["text"] == expected[str(json.loads(line)["id"])]
    for form in {*document_names()} - {"text", "inline", "html"}:
        for one in expected:
            assert one.partition(":")[0].partition(".")[0] in written(where, form, tmp_path), form


@pytest.mark.parametrize("name", ["prose.txt", "doccano.jsonl", "prodigy.jsonl", "studio.json"])
def test_texts_are_read_from_conllu_with_all_characters_between_their_words(tmp_path, name):
    asked, content, expected = NAMED[name]
    sheet = tmp_path / "answers.conllu"
    sheet.write_text(written(project(tmp_path, name, asked, content), "conllu", tmp_path))
    run = ran("convert", sheet, "--label", "label", "--to-format", "doccano")
    assert run.returncode == 0, run.stderr
    assert {str(one["id"]): one["text"] for one in map(json.loads, run.stdout.splitlines())} == expected


def test_offsets_count_in_the_document_that_a_sentence_was_taken_from(tmp_path):
    where = project(tmp_path, "prose.txt", *NAMED["prose.txt"][:2])
    lines = iter(PROSE.splitlines())
    by_line = {str(number): line for number, line in enumerate(lines, 1)}
    at = None
    for line in written(where, "columns", tmp_path).splitlines():
        if line.startswith("# document = "):
            at = by_line[line.split(":")[1]]
        elif line and not line.startswith("#"):
            word, start, end, _ = line.split("\t")
            assert at[int(start) : int(end)] == word


def test_one_text_has_the_names_of_all_sentences_that_are_it(tmp_path):
    asked = Asked("doccano")
    content = "".join(f'{{"id": {number}, "text": "Go."}}\n' for number in (5, 6, 7))
    where = project(tmp_path, "a.jsonl", asked, content)
    (tmp_path / "b.jsonl").write_text('{"id": "again", "text": "Go.", "label": [[0, 2, "ORG"]]}\n')
    made = opened(where)
    imported(made, File(str(tmp_path / "b.jsonl"), "b.jsonl", asked, "annotations"), "bob")
    made.close()
    (record,) = map(json.loads, written(where, "doccano", tmp_path).splitlines())
    assert (record["id"], record["also"]) == (5, ["6", "7", "again"])
    assert '# more = {"also": ["6", "7", "again"]}' in written(where, "columns", tmp_path)


def test_the_name_of_an_uploaded_file_is_that_of_the_client(tmp_path):
    where = project(tmp_path, "a.jsonl", Asked("doccano"), '{"id": 5, "text": "Go."}\n')
    (tmp_path / "0f3a").write_text("Ann left.\nHe came.\n")
    made = opened(where)
    imported(made, File(str(tmp_path / "0f3a"), "news.txt", Asked("text", TextOptions(pieces="line")), "pool"), "bob")
    assert [made.pool.text(number).name for number in (1, 2)] == ["news.txt:1", "news.txt:2"]
    made.close()


def test_characters_that_are_not_those_of_the_words_are_left_out(tmp_path):
    """A file, or a project that somebody sent, may say anything of places: the words are what was annotated."""
    sheet = '# global.columns = word start end\n# global.label = predicted\n# document = d\n# text = "Ann met"\n'
    for number, places in enumerate((("0\t3", "5\t8"), ("3\t0", "1\t2"), ("0\t3", "9999999999999\t99999999999999"))):
        folder = tmp_path / str(number)
        folder.mkdir()
        rows = "".join(f"{word}\t{place}\n" for word, place in zip(("Ann", "met"), places, strict=True))
        (folder / "a.txt").write_text(f"{sheet}{rows}\n")
        settings = Settings(("PER",), "iob2", "ner", (), (), "random", 1)
        begun(str(folder / "work"), str(folder / "a.txt"), layout_for(str(folder / "a.txt"), unlabelled=True), settings)
        made = opened(str(folder / "work"))
        say(made, "ann", {0: "PER"})
        assert laid_out(made.pool.text(0)) == ("Ann met", [(0, 3), (4, 7)])
        made.close()
        assert "Ann\tB-PER\nmet\tO\n" in written(str(folder / "work"), "columns", folder)


def test_every_format_names_every_annotator_or_says_that_it_cannot(tmp_path, caplog):
    asked, content, _ = NAMED["prose.txt"]
    where = project(tmp_path, "prose.txt", asked, content, ("vera", "paul c"))
    for form in output_names():
        caplog.clear()
        text = written(where, form, tmp_path)
        if form in document_names() and form not in ("prodigy", "label-studio"):
            assert ("has no names of annotators" in caplog.text) == (form != "text"), form
            assert "vera" not in text
        else:
            assert text.count("vera") == text.count("paul_c" if "paul_c" in text else "paul c"), form
            assert "vera" in text
    records = list(map(json.loads, written(where, "prodigy", tmp_path).splitlines()))
    assert [one["_annotator_id"] for one in records] == ["vera", "paul c"] * 4, "also where they agree"
    assert [one["label"] for one in map(json.loads, written(where, "doccano", tmp_path, together=True).splitlines())]
    only = tmp_path / "only"
    export(answers_of(where).only(["paul c"]), "doccano", str(only))
    assert len(only.read_text().splitlines()) == 4


def annotated(folder, unsure: bool):
    """A project of three annotators who answered different texts; some are unsure, and some said single spans later."""
    lines = "".join(f"Ann{number} met Bob and Lee in Rome .\n" for number in range(40))
    where = project(folder, "a.txt", Asked("text", TextOptions(pieces="line")), lines, ())
    made, rng = opened(where), random.Random(unsure)
    for name in ("vera", "paul c", "eve"):
        session = made.store.begin(name)
        for number in range(made.pool.texts):
            if rng.random() < 0.25:
                continue
            text = made.pool.find(made.pool.hash(number))
            made.store.keep_texts([text])
            places = [place for place in (0, 2, 4, 6) if rng.random() < 0.7]
            spans = [Span(place, place + rng.choice([1, 2]), (rng.choice(["PER", "PER", "ORG"]),)) for place in places]
            said = Said(tuple(spans), (Span(7, 8),) if unsure and rng.random() < 0.3 and 6 not in places else ())
            key = f"{name[0]}{number}"
            made.store.keep(session, [Answer(key, "sentence", f"text:{text.hash}", said.json, text.hash)])
            if rng.random() < 0.2:  # a later word about a span counts instead
                span = Span(0, 1, ("ORG",))
                later = {**span.json, "answer": "yes", "probability": None}
                thing = thing_of_span(text.hash, span)
                made.store.keep(session, [Answer(f"{key}s", "span", thing, later, text.hash)])
            if name == "eve" and number < 3:
                decision = Answer(f"{key}d", "decision", f"decision:{text.hash}", Said().json, text.hash)
                made.store.keep(session, [decision])
    page = disagreements(made, bench_known(made))
    made.close()
    return where, page


def bench_known(made):
    with made.store.reading() as file:
        return knowledge(file)


def run(*arguments):
    done = subprocess.run([sys.executable, "-m", "sstag", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("form", "unsure"),
    [
        *((form, unsure) for form in ("columns", "jsonl", "csv", "tokens") for unsure in (False, True)),
        ("prodigy", False),
        ("label-studio", False),
    ],
)
def test_page_agree_and_merge_give_the_same_figures(tmp_path, form, unsure):
    where, page = annotated(tmp_path, unsure)
    file = tmp_path / "answers"
    run("export", where, "--to-format", form, "-o", file)
    reading = (file, "--from-format", form)
    found = json.loads(run("agree", *reading, "--format", "json", "--resamples", "1"))
    assert page["agreement"] == pytest.approx(found["all"]["Krippendorff's α"]["value"], abs=1e-4)
    assert 0 < page["agreement"] < 1
    assert {one.replace("_", " ") for one in found["annotators"]} == {"vera", "paul c", "eve"}
    if form == "columns" and not unsure:  # to merge, `?` says nothing; in a project it is an answer
        merged = tmp_path / "merged"
        run("merge", *reading, "-o", merged)
        decided = [f"a.txt:{number}" for number in range(1, 4)]
        of_all, of_merge = labels_in(file), labels_in(merged)
        assert {name: labels for name, labels in of_all.items() if name not in decided} == {
            name: labels for name, labels in of_merge.items() if name not in decided
        }
        assert any(of_all[name] == [{"O"}] * 8 != of_merge[name] for name in decided), "a decision is the label of all"


def labels_in(path) -> dict[str, list[set[str]]]:
    """The labels that each token of each text may have, in the last column of a file."""
    found: dict[str, list[set[str]]] = {}
    for line in path.read_text().splitlines():
        if line.startswith("# document = "):
            last = found[line.removeprefix("# document = ")] = []
        elif "\t" in line:
            last.append(allowed_tags(line.split("\t")[-1], ["O", "B-PER", "I-PER", "B-ORG", "I-ORG"]))
    return found


@pytest.mark.parametrize("form", ["columns", "jsonl", "csv", "prodigy", "label-studio"])
def test_an_export_is_imported_as_the_answers_of_its_annotators(tmp_path, form):
    where, page = annotated(tmp_path, unsure=form == "columns")
    file = tmp_path / "answers"
    export(answers_of(where), form, str(file))
    again = tmp_path / "again"
    again.mkdir()
    lines = (tmp_path / "a.txt").read_text()
    other = opened(project(again, "a.txt", Asked("text", TextOptions(pieces="line")), lines, ()))
    imported(other, File(str(file), "answers", Asked(form), "annotations"), "answers")
    known, before = bench_known(other), answers_of(where).known
    found = disagreements(other, known)
    other.close()
    underscored = form in ("columns", "jsonl", "csv")
    for hash, one in before.texts.items():
        expected = {name.replace(" ", "_") if underscored else name: said for name, said in one.by_annotator().items()}
        assert known.texts[hash].by_annotator() == expected
    assert (found["agreement"], found["texts"]) == (page["agreement"], page["texts"])
