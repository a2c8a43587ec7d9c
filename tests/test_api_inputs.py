"""Templates and labelled sentences in every form that Python may give them: all forms of the same come to the same."""

from collections.abc import Callable
from pathlib import Path

import pytest

import sstag
from sstag.foundation.errors import ConfigError, DataError
from sstag.interfaces.python.texts import labelled_text

KEYS = {"columns": ["word", "pos", "field"], "features": ["word[-1..1]", "pos[0] | word[0]"], "minimum_count": 1}
YAML = "columns: [word, pos, field]\nfeatures: [word[-1..1], 'pos[0] | word[0]']\nminimum_count: 1\n"
WORDS = [[("a", "p"), ("b", "q")], [("b", "p")], [("c", "q"), ("a", "q"), ("b", "q")]]
LABELS = [["X", "Y"], ["X"], ["Y", "X", "Y"]]


def merged(place: int = 2) -> list[list[tuple[str, ...]]]:
    """The sentences with their labels in the tokens."""
    return [
        [(*token[:place], label, *token[place:]) for token, label in zip(sentence, labels, strict=True)]
        for sentence, labels in zip(WORDS, LABELS, strict=True)
    ]


def test_a_template_is_the_same_in_every_form(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text(YAML, encoding="utf-8")
    forms = [tmp_path / "t.yaml", str(tmp_path / "t.yaml"), YAML, KEYS, {**KEYS, "features": tuple(KEYS["features"])}]
    read = [sstag.load_template(form) for form in forms]
    assert all(one == read[0] for one in read)
    assert sstag.load_template(read[0]) is read[0]
    models = [sstag.train(form, merged(), max_iterations=3) for form in forms]
    assert len({model.theta.tobytes() for model in models}) == 1
    assert sstag.load_template("ner").columns == ("word", "pos", "chunk", "ner")


AWKWARD = [
    "NO", "08", "1e-3", "12:30", "~", "a'b", 'a"b', "a, b[0]", "# x", "- x", "[0]", "a\\", "ß \u2028", "\x85\x7f", "𝔘",
]  # fmt: skip


@pytest.mark.parametrize("text", AWKWARD)
def test_texts_of_a_mapping_are_read_as_they_are(text: str) -> None:
    how = sstag.load_template({"columns": ["word", text], "features": ["word[0]"], "edges": []})
    assert how.columns == ("word", text)


def test_a_model_keeps_a_template_that_has_no_file(tmp_path: Path) -> None:
    for form in (YAML, KEYS):
        model = sstag.train(form, WORDS, LABELS, max_iterations=3)
        sstag.save(model, tmp_path / "m")
        assert sstag.load(tmp_path / "m").template == model.template


def test_lexica_of_a_template_without_a_file_are_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "places.txt").write_text("New York\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    how = sstag.load_template({"columns": ["word", "label"], "features": ["lexicon(word[0], places.txt)"]})
    assert list(how.lexica) == ["places.txt"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (3, "a template is wanted: the path of a file, a name of `sstag template`, text, or a mapping, not 3"),
        (None, "a template is wanted"),
        ("nerr", "there is no template 'nerr', and no such file; did you mean 'ner'?"),
        ("columns: [word, label]\nfeature: [word[0]]\n", "template:2: unknown key 'feature'; did you mean 'features'?"),
        ({**KEYS, "feature": []}, "template: unknown key 'feature'; did you mean 'features'?"),
        ({**KEYS, "features": ["wrod[0]"]}, "template: wrod[0]: there is no column 'wrod'"),
        ({**KEYS, "features": []}, "template: no feature in it"),
        ({**KEYS, "features": [1]}, "template: quote this line"),
        ({**KEYS, "features": {"word[0]"}}, "a template in a mapping is made of texts"),
        ({**KEYS, "minimum_count": float("nan")}, "a template in a mapping is made of texts"),
        ({}, "template: no settings here"),
    ],
)
def test_what_is_no_template_is_said(given, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        sstag.load_template(given)
    assert str(error.value).startswith(message), str(error.value)


@pytest.mark.parametrize("columns", [["word", "pos", "field"], ["word", "field", "pos"], ["field", "word", "pos"]])
def test_labels_of_their_own_are_those_in_the_tokens(columns: list[str]) -> None:
    how = sstag.load_template({**KEYS, "columns": columns, "label": "field"})
    tokens = merged(columns.index("field"))
    ours, theirs = (labelled_text(*given, how) for given in ((WORDS, LABELS), (tokens, None)))
    for name in columns:
        assert [ours.words(name, s) for s in range(3)] == [theirs.words(name, s) for s in range(3)]
    models = [
        sstag.train(how, WORDS, LABELS, dev=WORDS, dev_labels=LABELS),
        sstag.train(how, tokens, dev=tokens),
        sstag.train(how, iter(WORDS), iter(LABELS), dev=tuple(WORDS), dev_labels=tuple(map(tuple, LABELS))),
    ]
    assert len({model.theta.tobytes() for model in models}) == 1
    assert sstag.tag(models[0], WORDS) == LABELS


def test_a_column_of_words_needs_no_tuples() -> None:
    how = {"columns": ["word", "label"], "features": ["word[0]"]}
    model = sstag.train(how, [["a", "b"], [], ["a"]], [["X", "Y"], [], ["X"]])
    assert sstag.tag(model, [["a", "b"], ["a"]]) == [["X", "Y"], ["X"]]
    assert sstag.train(how, [["a", "b"]], [["X", "?"]], method="partial").labels == ("X",)


HOW = {"columns": ["word", "label"], "features": ["word[0]"]}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: sstag.train(HOW, [["a"], ["b", "c"]], [["X"], ["Y"]]), "sentence:2: 2 tokens, but 1 label"),
        (lambda: sstag.train(HOW, [["a"], []], [["X"], ["Y"]]), "sentence:2: 0 tokens, but 1 label"),
        (lambda: sstag.train(HOW, [["a"], ["b"]], [["X"]]), "2 sentences, but 1 list of labels"),
        (lambda: sstag.train(HOW, [["a"]], [["X"], ["Y"]]), "1 sentence, but 2 lists of labels"),
        (lambda: sstag.train(HOW, [["a"]], ["X"]), "sentence:1: 'X' is no list of labels"),
        (lambda: sstag.train(HOW, [["a"]], [[3]]), "sentence:1: 3 is no label: a label is a text, and not empty"),
        (lambda: sstag.train(HOW, [["a"]], [[""]]), "sentence:1: '' is no label"),
        (lambda: sstag.train(HOW, [[3]], [["X"]]), "sentence:1: 3 is no token"),
        (lambda: sstag.train(HOW, [[]], [[]]), "sentence: no sentence in it"),
        (lambda: sstag.train(HOW, [["a"]], "X"), "labels are a list for each sentence, not 'X'"),
        (lambda: sstag.train(HOW, [["a"]], 3), "labels are a list for each sentence, not 3"),
        (lambda: sstag.train(HOW, 3, [["X"]]), "sentences with labels of their own are lists of tokens, not 3"),
        (lambda: sstag.train(HOW, 3), "sentences are a corpus, paths of files or lists of tokens, not 3"),
        (lambda: sstag.train(HOW, "a.txt", [["X"]]), "labels in lists of their own are for sentences in lists"),
        (lambda: sstag.train(HOW, None, [["X"]]), "labels, but no sentences"),
        (lambda: sstag.train(HOW, [["a"]], [["X"]], dev_labels=[["X"]]), "dev_labels, but no sentences: dev"),
        (
            lambda: sstag.train(HOW, [["a"]], [["X"]], dev=[["a"]], dev_labels=[["X", "X"]]),
            "sentence:1: 1 token, but 2 labels",
        ),
        (lambda: sstag.train("U00:%x[0,0]\nB\n", [["a"]], [["X"]]), "sentences in memory need a template that names"),
    ],
)
def test_sentences_and_labels_that_do_not_fit_are_said(wrong: Callable[[], object], message: str) -> None:
    with pytest.raises((ConfigError, DataError)) as error:
        wrong()
    assert str(error.value).startswith(message), str(error.value)
