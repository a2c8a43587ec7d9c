"""Doubts about labels: only those that the labels of other sentences support."""

import random

import pytest
from click.testing import CliRunner

from sstag.corpus.corpus import corpus_of
from sstag.corpus.layout import layout_for
from sstag.corpus.reading import read
from sstag.features.reading import load_template
from sstag.foundation.parallel import one_by_one
from sstag.interfaces.cli.sample import command
from sstag.labels.marks import Marks
from sstag.labels.schemes.tagset import tolerant_tagset
from sstag.selection.support import supported_places
from sstag.selection.suspects import out_of_fold
from sstag.training.inputs import Inputs, Run
from sstag.training.methods.completion import completed
from sstag.training.run import Task

NAMES = ["Ann", "Bob", "Lee", "Carla", "Zoe"]


TEMPLATE = """columns: [word, label]
label: label
features:
  - word[-1..1]
  - lower(word[0])
  - short_shape(word[-1..1])
  - suffix(word[0], 2..3)
"""


def doubts(folder, rows):
    """The doubts of models of the other folds about some sentences."""
    path = folder / "template.yaml"
    path.write_text(TEMPLATE)
    inputs = Inputs(load_template(str(path)), corpus_of(rows, ("word", "label")), marks=Marks())
    task = Task(inputs, "partial", completed("partial", {"l2": 1.0}), 1)
    return out_of_fold(task, 5, Run(one_by_one, lambda progress: None))


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """Names that occur often, names that occur once, and a few labels that are wrong."""
    rows = []
    for number in range(60):
        met = (f"Once{number}", "B-ORG") if number % 10 == 9 else (f"thing{number}", "O")
        rows.append([(NAMES[number % 5], "B-PER"), ("met", "O"), met, ("in", "O"), ("Rome", "B-LOC"), (".", "O")])
    rows[7][0] = (NAMES[7 % 5], "O")
    rows[23][0] = (NAMES[23 % 5].upper(), "B-LOC")
    rows[31][1] = ("met", "B-PER")
    rows[44][4] = ("Rome", "?")
    return doubts(tmp_path_factory.mktemp("support"), rows)


def test_a_doubt_about_words_that_no_other_sentence_has_is_none(found):
    places = supported_places(found, tolerant_tagset(found.labels, "iob2").type)
    assert {*found.places[places, 0].tolist()} == {6 * 7, 6 * 23, 6 * 31 + 1}
    assert len(places) < len(found.places), "there are doubts about names that occur once"
    assert places.tolist() == sorted(places.tolist()), "the surest come first still"


def test_what_is_shown_of_sixty_advertisements_is_wrong_and_nothing_where_all_is_right(tmp_path):
    run = CliRunner().invoke(command, ["ads", str(tmp_path), "--train", "61"])
    assert run.exit_code == 0, run.output
    text = read(str(tmp_path / "train.txt"), layout_for(str(tmp_path / "train.txt")))
    rows = [list(zip(*(text.words(name, number) for name in text.columns), strict=True)) for number in range(61)]
    right = doubts(tmp_path, rows)
    assert len(right.places) > 100, "models of sixty texts contradict much"
    assert not len(supported_places(right, tolerant_tagset(right.labels, "plain").type))
    rng, wrong, token = random.Random(1), set(), 0
    for row in rows:
        for at, (word, label) in enumerate(row):
            if label != "O" and rng.random() < 0.02:
                row[at] = (word, "O")
                wrong.add(token + at)
        token += len(row)
    found = doubts(tmp_path, rows)
    shown = found.places[supported_places(found, tolerant_tagset(found.labels, "plain").type)[:10]]
    hits = sum(bool({*range(first, last + 1)} & wrong) for first, last in shown.tolist())
    assert len(shown) >= 5
    assert hits >= 0.8 * len(shown)
