"""Labelled features: which tokens have them, what they are labelled, and what is wrong with a list."""

import json
import re

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from sstag.features.reading import template
from sstag.foundation.errors import ConfigError, DataError, SstagError
from sstag.foundation.parallel import one_by_one
from sstag.interfaces.cli.train import command
from sstag.knowledge.labelled_features import hint_of_capitals, labelled, labels_of_lines, read_features, tokens_with
from sstag.labels.marks import PLAIN, Marks
from sstag.model.model_file import load
from sstag.training.inputs import Inputs, Run
from sstag.training.run import trained as run_trained
from tests import reference
from tests.corpora import corpus as corpus_of
from tests.corpora import sentences
from tests.datasets import corpus
from tests.training import accuracy, ads_template, made_ads, raw, task

WORDS = template("columns: [word, label]\nfeatures: [word[0]]\n", "made.yaml")
TEXT = corpus([[("The",), ("rent",), ("is",), ("$",)], [("No",), ("rent=",), ("The",)]], path="raw.txt")


def listed(tmp_path, text, how=WORDS):
    (tmp_path / "f.tsv").write_text(text, encoding="utf-8")
    return read_features(str(tmp_path / "f.tsv"), how)


def labelled_by(features, marks=Marks(), known=()):
    return labelled(features, labels_of_lines(features, marks), TEXT, marks, known)


def labels_of(tmp_path, text, marks=Marks(), known=()):
    made = labelled_by(listed(tmp_path, text), marks, known)
    return [label for s in range(2) for label in made.corpus.words("label", s)], made.warnings


@pytest.mark.parametrize(
    ("feature", "tokens"),
    [
        ("word[0]=rent", [1]),
        ("word[0]=rent=", [5]),
        ("word[1]=rent", [0]),
        ("lower( word[0] )=the", [0, 6]),
        ("word[-1]|word[0]=The|rent", [1]),
        ("word[-1]=_B-1", [0, 4]),
        ("matches(word[0], '=$')", [5]),
        ("matches(word[0], '^[A-Z]') | word[1]=rent", [0]),
        ("first()", [0, 4]),
        ("last() | word[0]=The", [6]),
        ("lexicon(word[0], names.txt)=B", [0]),
        ("shape(word[end])=Xxx", [4, 5, 6]),
    ],
)
def test_a_feature_is_written_as_in_a_template(tmp_path, feature, tokens):
    (tmp_path / "names.txt").write_text("The rent\n", encoding="utf-8")
    assert [found.tolist() for found in tokens_with(listed(tmp_path, f"{feature}\tX\n"), TEXT)] == [tokens]


FEATURES = [
    "word[0]",
    "lower(word[-1])",
    "word[0] | pos[0]",
    "shape(word[0])",
    "prefix(word[1], 1)",
    "first() | pos[0]",
]


@given(sentences(), st.data())
def test_the_tokens_are_those_that_have_the_attribute(tmp_path_factory, data, draw):
    how = template(f"columns: [word, pos, length, label]\nfeatures: ['{FEATURES[0]}']\n", "made.yaml")
    every = template(f"columns: [word, pos, length, label]\nfeatures: {json.dumps(FEATURES)}\n", "made.yaml")
    found = [
        {text for text, _, _ in reference.attributes(every.features, sentence, at, {})}
        for sentence in data
        for at in range(len(sentence))
    ]
    texts = sorted({text for texts in found for text in texts if not text.endswith("=") and "\t" not in text})
    chosen = draw.draw(st.lists(st.sampled_from(texts), min_size=1, max_size=5, unique=True))
    path = tmp_path_factory.mktemp("f") / "f.tsv"
    path.write_text("".join(f"{text}\tX\n" for text in chosen), encoding="utf-8")
    made = tokens_with(read_features(str(path), how), corpus_of(data))
    assert [tokens.tolist() for tokens in made] == [
        [t for t, has in enumerate(found) if text in has] for text in chosen
    ]


def test_tokens_are_labelled_by_what_they_have(tmp_path):
    text = "# fields\nword[0]=rent\trent\n\nlower(word[0])=the\tsize\nmatches(word[0], 'e')\tfeatures\n"
    labels, warnings = labels_of(tmp_path, text)
    assert labels == ["features|size", "features|rent", "?", "?", "?", "features", "features|size"]
    assert warnings == ()
    labels, _ = labels_of(tmp_path, text, Marks(either="/", unknown="*"))
    assert labels[:3] == ["features/size", "features/rent", "*"]


def test_what_is_odd_is_told(tmp_path):
    _, warnings = labels_of(tmp_path, "word[0]=rnt\trent\nword[0]=is\tsise\n", known=("rent", "size"))
    assert [re.sub(r"^.*(?=f.tsv)", "", one) for one in warnings] == [
        "f.tsv:1: 'word[0]=rnt' never occurs in raw.txt",
        "f.tsv:2: no labelled sentence has the label 'sise'; did you mean 'size'?",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("wrod[0]=rent\tX", ":1: wrod[0]=rent: there is no column 'wrod'; did you mean 'word'?"),
        ("\nlwer(word[0])=a\tX", ":2: lwer(word[0])=a: there is no function 'lwer'; did you mean 'lower'?"),
        ("label[0]=a\tX", ":1: label[0]=a: 'label' is the label"),
        ("word[0]\tX", ":1: word[0]: which value? write word[0]=…"),
        ("word[0]= \tX", ":1: word[0]=: which value? write word[0]=…"),
        ("rent\tX", ":1: rent: a feature is written as in a template, such as word[0]=rent"),
        ("word[0]=\tX", ":1: word[0]=: which value? write word[0]=…"),
        ("first()=yes\tX", ":1: first()=yes: '=yes' is not expected"),
        ("word[0..1]=a\tX", ":1: word[0..1]: stands for 2 features; write a line for each"),
        ("word[0] else unknown=a\tX", ":1: word[0] else unknown=a: 'else' has no meaning here"),
        ("word[0]=a X", ":1: a line is a feature, a tab, and its label"),
        ("word[0]=a\tX\tY", ":1: a line is a feature, a tab, and its label"),
        ("word[0]=a\t", ":1: a line is a feature"),
        ("word[0]=a\tX:0.8 Y:0.2", ":1: 'X:0.8 Y:0.2' is not one label"),
        ("word[0]=a\tX|", ":1: 'X|' is no label, and no set of labels"),
        ("word[0]=a\tX|?", ":1: '?' is not one label"),
        ("lexicon(word[0], none.txt)=B\tX", "none.txt: no such file"),
        ("# nothing\n", ": nothing in it"),
        ("word[0]=a\tX\nword[0]=b\tX\0", ":2: a NUL byte"),
    ],
)
def test_mistakes_in_a_list_are_told_with_their_line(tmp_path, text, message):
    with pytest.raises(DataError, match=re.escape(message)):
        labels_of(tmp_path, text)


CELLS = st.sampled_from(
    ["word[0]=a", "word[0]", "first()", "word[0]=", "=", "X", "X|Y", "#", "", "lexicon(word[0], x)=B"]
)


@given(st.lists(st.lists(CELLS, max_size=3).map("\t".join)).map("\n".join) | st.text())
def test_any_text_is_a_list_of_features_or_an_error(saved, text):
    try:
        made = labelled_by(read_features(saved(text.encode("utf-8", "surrogatepass")), WORDS))
    except SstagError:
        return
    assert made.corpus.tokens == TEXT.tokens


PROTOTYPES = """lower(word[0])=rent\trent
lower(word[0])=$\trent
lower(word[0])=call\tcontact
lower(word[0])=bedroom\tsize
lower(word[0])=bath\tsize
lower(word[0])=pets\trestrictions
lower(word[0])=no\trestrictions
lower(word[0])=kitchen\tfeatures
lower(word[0])=parking\tfeatures
lower(word[0])=near\tneighborhood
"""


def test_a_tagger_from_a_list_of_words_alone(tmp_path):
    inputs, list_ = Inputs(ads_template(), None, raw(60, 4)), listed(tmp_path, PROTOTYPES, ads_template())
    model = run_trained(task(inputs, "partial", {"l2": 1.0}, features=list_), Run())
    assert set(model.labels) == {"rent", "contact", "size", "restrictions", "features", "neighborhood"}
    assert accuracy(model, made_ads(30, 2)) > 0.35  # always the most frequent field would be 0.29
    said = model.about["data"]["labelled"]
    assert said["decided"] == sum(map(len, tokens_with(list_, raw(60, 4))))
    assert said["unknown"] == said["tokens"] - said["decided"]
    assert (model.template.pairs, model.about["labelled features"]["features"]) == ("all", 10)


@pytest.mark.parametrize("marks", [Marks(), PLAIN])
def test_it_adds_to_labelled_sentences(tmp_path, marks):
    warned = []
    list_ = listed(tmp_path, PROTOTYPES + "word[0]=xyzzy\tsise\n", ads_template())
    inputs, test = Inputs(ads_template(), made_ads(4, 1), raw(60, 4), marks=marks), made_ads(30, 2)
    model = run_trained(task(inputs, "partial", {}, features=list_), Run(one_by_one, warn=warned.append))
    few = run_trained(task(Inputs(ads_template(), made_ads(4, 1)), "partial"), Run())
    assert accuracy(model, test) > accuracy(few, test)
    assert any(text.endswith("f.tsv:11: 'word[0]=xyzzy' never occurs in raw") for text in warned)
    assert warned[-1].endswith("f.tsv:11: no labelled sentence has the label 'sise'; did you mean 'size'?")
    assert model.about["data"]["labelled"]["sentences"] == 64


def test_methods_that_need_decided_labels_say_that_most_stay_open(tmp_path):
    inputs, list_ = Inputs(ads_template(), made_ads(2, 1), raw(3, 4)), listed(tmp_path, PROTOTYPES, ads_template())
    with pytest.raises(
        ConfigError, match="labelled features leave tokens open, and crf learns from none: partial does"
    ):
        run_trained(task(inputs, "crf", features=list_), Run())
    model = run_trained(task(inputs, "crf", {"max_iterations": 2}, ambiguous="argmax", features=list_), Run())
    assert model.about["data"]["decided"]["sentences"] == 5
    hmm = run_trained(task(inputs, "hmm", ambiguous="argmax", features=list_), Run())  # which has no `l2` itself
    assert hmm.about["reason"].startswith(f"counts {made_ads(2, 1).tokens + raw(3, 4).tokens} tokens")
    with pytest.raises(
        ConfigError, match="self-training learns from raw text by itself: not together with labelled feat"
    ):
        run_trained(task(inputs, "self-training", features=list_), Run())
    with pytest.raises(ConfigError, match="labelled features need raw text"):
        run_trained(task(Inputs(ads_template(), made_ads(2, 1)), "partial", features=list_), Run())


@pytest.fixture
def files(tmp_path):
    (tmp_path / "t.yaml").write_text("columns: [word, field]\nfeatures: [word[-1..1]]\n", encoding="utf-8")
    (tmp_path / "t.crfpp").write_text("U00:%x[0,0]\nU01:%x[-1,0]\nB\n", encoding="utf-8")
    (tmp_path / "f.tsv").write_text("word[0]=a\tX\nword[0]=b\tY\nword[0]=c\tZ\n", encoding="utf-8")
    (tmp_path / "raw.txt").write_text("a\nb\n\nb\na\nd\n", encoding="utf-8")
    (tmp_path / "train.txt").write_text("a X\nd Y\n", encoding="utf-8")
    return tmp_path


def train(files, *more, how="t.yaml"):
    arguments = ["-t", str(files / how), "-m", str(files / "m"), "--threads", "1", *more]
    return CliRunner().invoke(command, [str(files / one) if (files / one).exists() else one for one in arguments])


@pytest.mark.parametrize("how", ["t.yaml", "t.crfpp"])
@pytest.mark.parametrize("labelled_too", [False, True])
def test_the_command_learns_from_a_list(files, how, labelled_too):
    (files / "r.json").write_text("", encoding="utf-8")
    more = ["--train", "train.txt"] if labelled_too else []
    more += ["--unlabeled", "raw.txt", "--labeled-features", "f.tsv", "--method", "partial", "--report", "r.json"]
    run = train(files, *more, how=how)
    assert run.exit_code == 0, run.output
    assert "'word[0]=c' never occurs in" in run.output
    counts = (
        "7 tokens, 6 decided, 0 ambiguous, 1 unknown" if labelled_too else "5 tokens, 4 decided, 0 ambiguous, 1 unk"
    )
    assert counts in run.output
    model = load(str(files / "m"))
    assert model.labels == ("X", "Y")
    (files / "again.yaml").write_text(json.dumps(json.loads((files / "r.json").read_bytes())["run"]), encoding="utf-8")
    before = (files / "m").read_bytes()
    assert CliRunner().invoke(command, ["--config", str(files / "again.yaml")]).exit_code == 0
    assert (files / "m").read_bytes() == before
    tags = model.tagged(model.dataset(corpus([[("a",), ("b",)]], ("word",))), one_by_one)
    assert [model.labels[tag] for tag in tags] == ["X", "Y"]


def test_the_command_trains_itself(files):
    run = train(files, "--train", "train.txt", "--unlabeled", "raw.txt", "--method", "self-training")
    assert run.exit_code == 0, run.output
    assert re.search(
        r"round 1: 5 labels changed, 0 open; \d+ iterations\n\d+ iterations; no label changes\n", run.output
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--train", "train.txt", "--labeled-features", "f.tsv"], "--labeled-features needs --unlabeled"),
        (["--unlabeled", "raw.txt"], "which train? say --train"),
        (["--train", "train.txt", "--unlabeled", "raw.txt"], "crf learns nothing from raw text"),
        (
            ["--train", "train.txt", "--method", "self-training"],
            "self-training needs raw text: unlabeled (--unlabeled FILE)",
        ),
        (["--train", "train.txt", "--method", "hmm", "--init", "train.txt"], "not an sstag model"),
        (["--train", "-", "--unlabeled", "-"], "standard input (-) can be read only once"),
        (["--train", "train.txt", "--report", "raw.txt", "--unlabeled", "raw.txt"], "is an input"),
        (["--train", "train.txt", "--method", "hmm", "--set", "l2=1"], "hmm has no parameter 'l2'"),
        (
            ["--train", "train.txt", "--method", "hmm", "--set", "smoothing=0"],
            "--set: 'smoothing' must be a number from",
        ),
    ],
)
def test_the_command_says_what_it_lacks(files, arguments, message):
    run = train(files, *arguments)
    assert run.exit_code
    assert message in run.output + str(run.exception)
    assert not (files / "m").exists()


def test_how_many_tokens_said_what_is_told(files):
    (files / "train.txt").write_text("a X\nb X|Y\nc !X\nd Y\ne ?\nf Z\n", encoding="utf-8")
    run = train(files, "--train", "train.txt", "--method", "partial")
    assert "train: 6 tokens, 3 decided, 2 ambiguous, 1 unknown\n" in run.output
    said = load(str(files / "m")).about["data"]["train"]
    assert [said[kind] for kind in ("decided", "ambiguous", "unknown")] == [3, 2, 1]
    (files / "train.txt").write_text("a X\nb Y\n", encoding="utf-8")
    assert "decided" not in train(files, "--train", "train.txt").output
    assert load(str(files / "m")).about["data"]["train"]["decided"] == 2
    assert np.isfinite(load(str(files / "m")).theta).all()


def test_a_feature_may_have_several_labels_in_a_line_or_in_several(tmp_path):
    """The commonest case is a list of places, whose words begin a name or go on with one."""
    text = "word[0]=rent\tB-LOC|I-LOC\nword[0]=The\tB-LOC\nword[ 0 ]=The\tO\nword[0]=is\tO\n"
    found, warnings = labels_of(tmp_path, text)
    assert found == ["B-LOC|O", "B-LOC|I-LOC", "O", "?", "?", "?", "B-LOC|O"]
    assert warnings == ()


def test_without_marks_a_label_may_look_like_a_set(tmp_path):
    assert labels_of_lines(listed(tmp_path, "word[0]=rent\tB|I\n"), PLAIN) == [("B|I",)]


@pytest.mark.parametrize(
    ("feature", "hint"),
    [
        ("lower(word[0])=Rent", True),
        ("word[0] | lower(word[-1])=Rent|The", True),
        ("word[0] | lower(word[-1])=Rent|the", False),
        ("lexicon(lower(word[0]), names.txt)=S", False),
        ("lower(word[0]) | lexicon(word[0], Names.txt)=rent|S", False),
        ("word[0]=Rent", False),
    ],
)
def test_a_hint_of_capitals_only_where_there_can_be_none(tmp_path, feature, hint):
    for name in ("names.txt", "Names.txt"):
        (tmp_path / name).write_text("rent\n", encoding="utf-8")
    (line,) = listed(tmp_path, f"{feature}\tX\n").lines
    assert bool(hint_of_capitals(line)) == hint


def test_another_role_of_a_known_type_is_no_mistyped_label(tmp_path):
    _, warnings = labels_of(tmp_path, "word[0]=rent\tI-LOC\nword[0]=is\tB-LOK\n", known=("B-LOC", "O"))
    assert [text.partition("'")[2] for text in warnings] == ["I-LOC'", "B-LOK'; did you mean 'B-LOC'?"]
