"""Doubts about labels: only those that the labels of other sentences support."""

import pytest

from sstag.corpus.corpus import corpus_of
from sstag.features.reading import load_template
from sstag.foundation.parallel import one_by_one
from sstag.labels.marks import Marks
from sstag.labels.schemes.tagset import tolerant_tagset
from sstag.selection.support import supported_places
from sstag.selection.suspects import out_of_fold
from sstag.training.inputs import Inputs, Run
from sstag.training.methods.completion import completed
from sstag.training.run import Task

NAMES = ["Ann", "Bob", "Lee", "Carla", "Zoe"]


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
    path = tmp_path_factory.mktemp("support") / "template.yaml"
    path.write_text("columns: [word, label]\nlabel: label\nfeatures:\n  - word[-1..1]\n  - lower(word[0])\n")
    inputs = Inputs(load_template(str(path)), corpus_of(rows, ("word", "label")), marks=Marks())
    task = Task(inputs, "partial", completed("partial", {}), 1)
    return out_of_fold(task, 5, Run(one_by_one, lambda progress: None))


def test_a_doubt_about_words_that_no_other_sentence_has_is_none(found):
    places = supported_places(found, tolerant_tagset(found.labels, "iob2").type)
    assert {*found.places[places, 0].tolist()} == {6 * 7, 6 * 23, 6 * 31 + 1}
    assert len(places) < len(found.places), "there are doubts about names that occur once"
    assert places.tolist() == sorted(places.tolist()), "the surest come first still"
