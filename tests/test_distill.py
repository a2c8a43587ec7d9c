"""Distilling: what a student keeps of its teacher, the labels it has, its limits, and what is refused."""

import numpy as np

from sstag.chain.potentials import Potentials
from sstag.corpus.corpus import Corpus
from sstag.features.reading import template
from sstag.foundation.parallel import one_by_one
from sstag.model.batches import in_batches
from sstag.model.model import Model
from sstag.model.model_file import load, save
from sstag.model.second_look import in_own_context
from sstag.training.inputs import Inputs, Run
from sstag.training.objectives.distillation import Distillation
from sstag.training.run import trained as run_trained
from tests.commands import trained_in
from tests.compare import assert_close
from tests.datasets import corpus, random_dataset, random_potentials
from tests.definitions import evaluated, likelihood
from tests.training import TWO_LOOKS, accuracy, ads_template, made_ads, raw, task, teacher, trained


def probabilities(model: Model, text: Corpus) -> np.ndarray:
    """The probability of each label at each token, the labels in their order."""
    found = np.concatenate(model.asked(model.dataset(text), one_by_one, lambda _, lattice: lattice.nodes.copy()))
    return found[:, np.argsort(model.labels)]


def labelled_by(model: Model, text: Corpus) -> Corpus:
    """A text with the best labels of a model."""
    labels = iter(model.tagged(model.dataset(text), one_by_one).tolist())
    words = [text.words("word", sentence) for sentence in range(text.sentences)]
    return corpus([[(word, model.labels[next(labels)]) for word in own] for own in words])


def test_a_student_is_as_sure_as_its_teacher():
    wise, text = load(teacher()), raw(40, 11)
    student = trained(Inputs(ads_template(), None, text), method="distill", l2=1e-3)
    hard = trained(Inputs(ads_template(), labelled_by(wise, text)), l2=1e-3)
    assert student.labels == hard.labels == tuple(sorted(wise.labels))
    far, farther = (np.abs(probabilities(one, text) - probabilities(wise, text)).mean() for one in (student, hard))
    assert far < 0.01 < farther


def test_a_teacher_of_two_looks_reads_the_text_before_it_labels_it(tmp_path):
    inputs, text = Inputs(template(TWO_LOOKS, "two.yaml"), made_ads(20, 1), raw(60, 2)), raw(40, 11)
    wise = run_trained(task(inputs), Run())
    save(wise, str(tmp_path / "two"))
    asked = {"teacher": str(tmp_path / "two"), "l2": 1e-3}
    student = trained(Inputs(ads_template(), None, text), method="distill", **asked)
    own = in_own_context(wise, text, one_by_one)
    near, far = (np.abs(probabilities(student, text) - probabilities(one, text)).mean() for one in (own, wise))
    assert near < 0.5 * far


def test_a_student_with_few_labels_gains_from_its_teacher():
    test, few = made_ads(60, 2), made_ads(4, 5)
    alone = trained(Inputs(ads_template(), few))
    both = trained(Inputs(ads_template(), few, raw(40, 12)), method="distill")
    none = trained(Inputs(ads_template(), few, raw(40, 12)), method="distill", strength=0.0)
    assert accuracy(both, test) > max(accuracy(alone, test), accuracy(none, test)) + 0.05


def test_labels_of_the_sentences_and_of_the_teacher_are_known():
    labelled = corpus([[("New", "other"), ("rent", "more")]])
    said: list[str] = []
    made = trained(
        Inputs(ads_template(), labelled, raw(5, 1)), Run(warn=said.append), method="distill", max_iterations=3
    )
    assert set(made.labels) == {"other", "more"} | set(load(teacher()).labels)
    assert [one for one in said if "most labels of the teacher are in no labelled sentence (" in one]


def test_a_student_that_says_what_its_teacher_says_has_no_gradient():
    rng = np.random.default_rng(3)
    data = random_dataset(rng, 3, [4, 1, 2], steps=2)
    batches = in_batches(data, 3)
    potentials = [random_potentials(rng, data, batch) for batch in batches]
    made = Distillation(0.6, lambda some: potentials, np.arange(3))
    value, pushed = evaluated(made, data, batches, potentials)
    assert abs(value) < 1e-12
    for d in pushed:
        assert np.abs(d.unary).max() < 1e-12
        assert np.abs(d.edge).max() < 1e-12


def test_a_sure_teacher_is_the_likelihood_of_its_labels():
    rng = np.random.default_rng(4)
    data = random_dataset(rng, 3, [5, 2, 3], masks="single")
    batches = in_batches(data, 3)
    potentials = [random_potentials(rng, data, batch) for batch in batches]

    def sure(some: slice):
        tokens = slice(data.offsets[some.start], data.offsets[some.stop])
        unary = np.where(data.allowed[data.sets[tokens]], 0.0, -100.0)
        offsets = data.offsets[some.start : some.stop + 1] - tokens.start
        yield Potentials(unary, np.zeros((1, 3, 3)), np.zeros(len(unary), np.int32), offsets)

    value, _ = evaluated(Distillation(1.0, sure, np.arange(3)), data, batches, potentials)
    assert_close(value, likelihood(data, batches, potentials))


def test_the_command_distils(tmp_path):
    save(load(teacher()), str(tmp_path / "wise"))
    (tmp_path / "t.yaml").write_text("columns: [word, label]\nfeatures: [word[0]]\n")
    text = raw(5, 1)
    words = ("\n".join(text.words("word", sentence)) for sentence in range(text.sentences))
    (tmp_path / "raw.txt").write_text("\n\n".join(words) + "\n")
    (tmp_path / "train.txt").write_text("New size\n\n")
    asked = ["--method", "distill", "--unlabeled", "raw.txt", "--set", "max_iterations=3"]
    ran = trained_in(tmp_path, asked)
    assert (ran.returncode, "distill needs a teacher: a model" in ran.stderr) == (1, True)
    ran = trained_in(tmp_path, [*asked, "--set", "teacher=wise"])
    assert ran.returncode == 0, ran.stderr
    assert load(str(tmp_path / "m")).about["method"] == "distill"
    ran = trained_in(tmp_path, [*asked, "--set", "teacher=train.txt"])
    assert (ran.returncode, "train.txt: not an sstag model" in ran.stderr) == (1, True)
