"""Rejected and accepted spans of raw text in a training: `--rejected` with every method that learns from labels."""

import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from sstag.chain.lattice import Lattice
from sstag.features.reading import template
from sstag.features.template import NO_EDGES
from sstag.foundation.errors import DataError, SstagError
from sstag.foundation.parallel import one_by_one
from sstag.interfaces.cli import sstag
from sstag.labels.column import labelled_text
from sstag.labels.marks import Marks
from sstag.labels.rejected_runs import rejected_runs, with_rejected_runs
from sstag.labels.schemes.rules import SCHEMES, written_role
from sstag.labels.schemes.tagset import chunks, tolerant_tagset
from sstag.labels.span_list import read_spans, span_labels, tagset_of
from sstag.model.batches import in_batches
from sstag.model.model import model
from sstag.model.weight_map import DataMap, Weights, weight_map
from sstag.training.answered import answered_parts, with_answers, with_rejected_cells
from sstag.training.criterion import Criterion
from sstag.training.inputs import Inputs, Run, compiled_texts, with_labels_read
from sstag.training.methods import METHODS, expected_counts
from sstag.training.methods.expected_counts import counts_of
from sstag.training.objectives.likelihood import Likelihood
from sstag.training.run import trained
from tests import oracle
from tests.compare import assert_close
from tests.datasets import corpus, unlabelled
from tests.training import ads_template, made_ads, needed, raw, task

TEMPLATE = "columns: [word, label]\nfeatures: [word[0], word[-1]]\n"
RAW = [["a", "b", "c", "a"], ["c", "c"], ["b", "a", "d"]]
SPANS = "1\t2\t3\t!X\n1\t2\t2\t!X\n3\t1\t2\tX\n3\t3\t3\t!Y\n"


SEEN = [("X", 1), ("X", 2), ("Y", 3), ("Y", 1)]


def written(scheme, kind, size):
    """A chunk of some tokens, and a token outside."""
    roles = [written_role(scheme, n == 0, n == size - 1, False, False) for n in range(size)]
    return [*(kind if scheme == "plain" else f"{role}-{kind}" for role in roles), "O"]


def answered(tmp_path, scheme, spans=SPANS, method="partial"):
    """Inputs with sentences in a scheme, and what a list says of three raw sentences."""
    (tmp_path / "spans.tsv").write_text(spans)
    sentences = [[(f"w{n}", label) for n, label in enumerate(written(scheme, kind, size))] for kind, size in SEEN]
    labelled = corpus(sentences)
    inputs = Inputs(template(TEMPLATE, "made.yaml"), labelled, unlabelled(RAW))
    return with_answers(inputs, read_spans(str(tmp_path / "spans.tsv")), method, Run())


@pytest.mark.parametrize("scheme", SCHEMES)
def test_spans_and_labels_are_one_likelihood(tmp_path, scheme):
    """log of the share of the labellings that have the accepted chunk and none of the rejected ones, by enumeration."""
    inputs = answered(tmp_path, scheme)
    made = compiled_texts(inputs, Run())
    theta = np.random.default_rng(3).normal(size=weight_map(made).size)
    data = made.labelled
    parts = answered_parts(inputs, made.labels, data)
    (batch,) = in_batches(data, len(made.labels))
    pot = Weights(DataMap(weight_map(made), data), theta, one_by_one).lattice(batch).potentials
    tags = tolerant_tagset(made.labels, inputs.chunks.tags.scheme)
    masked = oracle.sentences(pot, data.allowed[data.sets])
    truth = 0.0
    for sentence, (every, within) in enumerate(zip(oracle.sentences(pot), masked, strict=True)):
        number = sentence - inputs.labelled.sentences + 2  # of the answered sentence, if it is one
        left = [number not in (0, 1) or holds(tags, y, number) for y in every.y]
        truth += oracle.log_sum(np.where(left, within.score, -np.inf)) - every.log_z
    whole, _ = Criterion(weight_map(made), parts, 0.0, one_by_one)(theta)
    likelihood = Likelihood().gather(Lattice(pot), Likelihood().side(data, batch))[0]
    assert_close(whole + likelihood, truth)


def holds(tags, y, number):
    """Whether a labelling of the first or of the third raw sentence, the second of those that are answered, agrees."""
    found = chunks(tags, y.astype(np.int32), np.array([0, len(y)]))
    here = set(zip(found.first.tolist(), found.stop.tolist(), [tags.types[k] for k in found.type], strict=True))
    if number == 0:
        return not {(1, 3, "X"), (1, 2, "X")} & here
    return (0, 2, "X") in here and (2, 3, "Y") not in here


def test_the_labels_of_single_tokens_follow_and_all_pairs_have_weights(tmp_path):
    inputs = answered(tmp_path, "bioes")
    assert inputs.labelled.sentences == len(SEEN) + 2
    assert inputs.chunks.tags.scheme == "bioes"
    column = inputs.labelled.column("label")
    said = [inputs.labelled.values[column][code] for code in inputs.labelled.codes[column][-7:]]
    assert said[4:6] == ["B-X", "E-X"]
    assert "S-X" not in said[1].split("|")
    assert "S-Y" not in said[6].split("|")
    assert said[3] == "?"
    assert inputs.template.pairs == "all"


def test_accepted_spans_alone_are_labels_alone(tmp_path):
    inputs = answered(tmp_path, "iob2", "3\t1\t2\tX\n")
    made = compiled_texts(inputs, Run())
    assert answered_parts(inputs, made.labels, made.labelled) == []
    assert inputs.template.pairs is None


@pytest.mark.parametrize("method", METHODS)
def test_every_method_learns_from_spans(method, tmp_path):
    ads, text = made_ads(6, 1), raw(12, 4)
    labelled = replace(ads, weights=np.ones(6)) if METHODS[method].weights else ads
    (tmp_path / "spans.tsv").write_text("1\t1\t2\t!rent\n2\t1\t1\trent\n2\t2\t3\t!size\n3\t2\t2\t!features\n")
    how = template("columns: [word, label]\nfeatures: [lower(word[0]), shape(word[0])]\n", "made.yaml")
    one = task(Inputs(how, labelled, text), method, needed(method), spans=read_spans(str(tmp_path / "spans.tsv")))
    model = trained(one, Run())
    assert model.about["spans"] | {"sha256": ""} == {"accepted": 1, "rejected": 3, "sentences": 3, "sha256": ""}


def probability(model, text, first, stop, kind):
    """That a model has a field in a text, bounds and type."""
    tags = tolerant_tagset(model.labels, "plain")
    inner, place = slice(0, len(model.labels)), (np.array([first]), np.array([stop]))
    kinds, joined = tags.type[inner], tags.joined

    def of(batch, lattice):
        if not batch.tokens.start <= first < batch.tokens.stop:
            return []
        return lattice.segment_probabilities(*place, np.array([tags.types.index(kind)]), kinds, joined).tolist()

    (found,) = (one for each in model.asked(model.dataset(text), one_by_one, of) for one in each)
    return found


@pytest.mark.parametrize("method", METHODS)
def test_every_method_believes_a_rejected_field_less(method, tmp_path):
    """Than if another one of the same sentence is rejected."""
    ads, text = made_ads(12, 1), raw(12, 4)
    labelled = replace(ads, weights=np.ones(12)) if METHODS[method].weights else ads
    inputs = Inputs(template("columns: [word, label]\nfeatures: [lower(word[0])]\n", "made.yaml"), labelled, text)

    def believed(spans):
        (tmp_path / "spans.tsv").write_text(spans)
        listed = read_spans(str(tmp_path / "spans.tsv"))
        # Under a weaker prior the model is sure already that there is no size, and a rejection has nothing to change.
        prior = {"l2": 1.0} if hasattr(METHODS[method].parameters, "l2") else {}
        model = trained(task(inputs, method, needed(method) | prior, spans=listed), Run())
        return probability(model, text, 0, 3, "size")

    assert believed("1\t1\t3\t!size\n") < believed("1\t4\t5\t!available\n")


def fields(model, text):
    """The fields that a model finds: first and stop as tokens of a text, and type."""
    tags = tolerant_tagset(model.labels, "plain")
    found = chunks(tags, model.tagged(model.dataset(text), one_by_one), text.offsets)
    return list(zip(found.first.tolist(), found.stop.tolist(), [tags.types[k] for k in found.type], strict=True))


def test_a_rejected_field_is_not_found_again(tmp_path):
    labelled, text = made_ads(10, 1), raw(10, 4)
    before = trained(task(Inputs(ads_template(), labelled), "partial"), Run())
    first, stop, kind = fields(before, text)[0]
    (tmp_path / "spans.tsv").write_text(f"1\t{first + 1}\t{stop}\t!{kind}\n")
    spans = read_spans(str(tmp_path / "spans.tsv"))
    after = trained(task(Inputs(ads_template(), labelled, text), "partial", spans=spans), Run())
    assert (first, stop, kind) not in fields(after, text)


@pytest.mark.parametrize(
    ("spans", "message"),
    [
        ("1\t1\t2\tX\n1\t1\t2\t!X\n", "spans.tsv:2: contradicts the lines before it on sentence 1"),
        ("4\t1\t2\tX\n", "spans.tsv:1: there is no sentence 4"),
        ("1\t1\t2\t!Z\n", "spans.tsv:1: no tag has the type 'Z'"),
    ],
)
def test_errors_say_where(tmp_path, spans, message):
    with pytest.raises(SstagError, match=message):
        answered(tmp_path, "iob2", spans)


def test_a_crf_with_answered_sentences_is_the_sum_over_their_labellings(tmp_path):
    """All other labels it wants decided, as ever."""
    inputs = answered(tmp_path, "iob2", method="crf")
    one, other = (trained(task(inputs, method), Run()) for method in ("crf", "partial"))
    assert (one.theta == other.theta).all()
    partly = Inputs(template(TEMPLATE, "made.yaml"), corpus([[("a", "B-X"), ("b", "?")]]), unlabelled(RAW))
    (tmp_path / "spans.tsv").write_text("1\t2\t3\t!X\n")
    listed = read_spans(str(tmp_path / "spans.tsv"))
    with pytest.raises(SstagError, match=r"'\?' is not one label \(1 such token; crf needs every label decided"):
        trained(task(partly, "crf", spans=listed), Run())


def test_a_classifier_with_answered_sentences_is_a_crf_without_edges(tmp_path):
    """The labels of a chunk are independent, so the probability of none is a sum over the labellings of sentences."""
    inputs = answered(tmp_path, "iob2")
    without = replace(inputs, template=replace(inputs.template, edges=NO_EDGES))
    maxent, crf = (
        trained(task(of, name, {"tolerance": 1e-10}), Run()) for of, name in ((inputs, "maxent"), (without, "partial"))
    )
    assert maxent.about["objective"] == pytest.approx(crf.about["objective"], rel=1e-7)
    assert len(answered_parts(inputs, maxent.labels, compiled_texts(inputs, Run()).labelled)) == 1


@pytest.mark.parametrize("scheme", ["iob2", "bioes", "plain"])
def test_an_hmm_counts_answered_sentences_as_likely_as_their_labellings_are(tmp_path, scheme):
    """The expected counts of a round by enumeration; and rounds make what is known more probable."""
    inputs = answered(tmp_path, scheme, method="hmm")
    caught = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(expected_counts, "MOST", 30)
        patch.setattr(expected_counts, "counts_of", lambda *given: caught.append(counts_of(*given)) or caught[-1])
        patch.setattr(
            expected_counts, "model", lambda *given, **kind: caught.append(model(*given, **kind)) or caught[-1]
        )
        trained(task(inputs, "hmm", {"smoothing": 0.5}), Run())
    values = []
    for tagger, counts in zip(caught[::2], caught[1::2], strict=True):
        (pot,) = tagger.asked(replace(counts.data, sets=None), one_by_one, lambda batch, lattice: lattice.potentials)
        tags = tolerant_tagset(tagger.labels, inputs.chunks.tags.scheme)
        nodes, value = [], 0.0
        within = oracle.sentences(pot, counts.data.allowed[counts.data.sets])
        for number, every in enumerate(within):
            left = np.array([holds(tags, y, number) for y in every.y]) & np.isfinite(every.score)
            shares = np.where(left, np.exp(every.score - oracle.log_sum(every.score[left])), 0.0)
            labels = np.arange(len(tagger.labels))
            nodes += [(shares[:, None] * (every.y[:, [t]] == labels)).sum(axis=0) for t in range(every.y.shape[1])]
            value += oracle.log_sum(every.score[left])
        assert_close(counts.weights, np.concatenate(nodes), tolerance=1e-9)
        assert counts.steps.sum() == pytest.approx(len(nodes) - 2)
        values.append(value)
    assert len(values) > 3
    assert values[-1] > values[0]


def test_passes_of_stochastic_gradient_cannot_learn_what_sets_of_labels_do_not_say(tmp_path):
    exact, beyond = answered(tmp_path, "iob2", "1\t1\t2\tX\n"), answered(tmp_path, "iob2")
    assert trained(task(exact, "partial", {"epochs": 1}), Run()).about["iterations"] == 1
    with pytest.raises(SstagError, match="stochastic gradient need labels of tokens, without rejected chunks"):
        trained(task(beyond, "partial", {"epochs": 1}), Run())


def test_the_labels_that_accepted_spans_need_are_warned_of(tmp_path):
    warned = []
    (tmp_path / "spans.tsv").write_text("1\t1\t2\tZ\n")
    inputs = Inputs(template(TEMPLATE, "made.yaml"), corpus([[("a", "B-X"), ("b", "O")]]), unlabelled(RAW))
    made = with_answers(inputs, read_spans(str(tmp_path / "spans.tsv")), "partial", Run(warn=warned.append))
    assert {"B-Z", "I-Z"} <= set(compiled_texts(made, Run()).labels)
    assert len(warned) == 2
    assert "no labelled sentence has the label 'B-Z', which accepted spans need" in warned[0]


def test_from_the_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.yaml").write_text(TEMPLATE)
    (tmp_path / "train.txt").write_text("a B-X\nb I-X\nc O\n\nd O\na B-Y\n\n" * 3)
    (tmp_path / "pool.txt").write_text("\n\n".join("\n".join(one) for one in RAW) + "\n")
    (tmp_path / "spans.tsv").write_text("1\t1\t2\t!X\n2\t1\t2\t!Y\n3\t3\t3\tX\n")
    train = ["train", "-t", "t.yaml", "--train", "train.txt", "--rejected", "spans.tsv", "-m", "my.model"]
    said = CliRunner().invoke(sstag, [*train, "--unlabeled", "pool.txt", "--report", "report.json"])
    assert said.exit_code == 0, said.output
    about = json.loads((tmp_path / "report.json").read_text())
    assert about["run"]["method"] == "partial"
    assert about["run"]["rejected"] == str(tmp_path / "spans.tsv")
    assert about["model"]["spans"]["rejected"] == 2
    missing = CliRunner().invoke(sstag, train)
    assert "--rejected needs --unlabeled, the raw text whose sentences it numbers" in missing.output


def test_an_objective_in_a_list(tmp_path, monkeypatch):
    """Beside the likelihood of labelled sentences, of raw text: without any other thing said of these."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "spans.tsv").write_text("1\t1\t2\t!rent\n2\t1\t1\trent\n")
    listed = [{"likelihood": {}}, {"rejection": {"spans": "spans.tsv"}}]
    inputs = Inputs(ads_template(), made_ads(6, 1), raw(3, 4))
    model = trained(task(inputs, "composed", {"objectives": listed}), Run())
    assert model.about["rejection"] == {"accepted": 1, "rejected": 1, "sentences": 2}
    (tmp_path / "spans.tsv").write_text("1\t1\t1\trent\n")
    label = inputs.labelled.column("label")
    first = inputs.labelled.values[label][inputs.labelled.codes[label][0]]
    (tmp_path / "spans.tsv").write_text(f"1\t1\t1\t{'size' if first != 'size' else 'rent'}\n")
    listed = [{"likelihood": {}}, {"rejection": {"spans": "spans.tsv", "data": "labeled"}}]
    with pytest.raises(SstagError, match="what it says of sentence 1 contradicts the labels of that sentence"):
        trained(task(replace(inputs, unlabelled=None), "composed", {"objectives": listed}), Run())


@pytest.mark.parametrize("scheme", [name for name in SCHEMES if name != "plain"])
def test_a_column_says_what_a_list_says(tmp_path, scheme):
    """`!X` at neighbouring tokens: the chunk of exactly these tokens is not there."""
    cells = [["?", "!X", "!X", "?"], ["!X|Y", "?"], ["!X", "!Y", "?"]]
    spans = "1\t2\t3\t!X\n2\t1\t1\t!X\n2\t1\t1\t!Y\n3\t1\t1\t!X\n3\t2\t2\t!Y\n"
    listed = answered(tmp_path, scheme, spans)
    sentences = [[(f"w{n}", label) for n, label in enumerate(written(scheme, kind, size))] for kind, size in SEEN]
    said = [[*zip(words, labels, strict=True)] for words, labels in zip(RAW, cells, strict=True)]
    inputs = with_labels_read(Inputs(template(TEMPLATE, "made.yaml"), corpus([*sentences, *said])))
    inputs = with_rejected_cells(inputs, None, Run())
    one, other = inputs.chunks.chunks, listed.chunks.chunks
    for name in ("first", "stop", "kind", "accepted"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist()
    assert inputs.template.pairs == "all"
    column = inputs.labelled.column("label")
    assert not inputs.reading.text.sets.marked
    assert inputs.reading.text.sets.unknown[inputs.labelled.codes[column][-9:]].all()


def test_a_column_and_a_list_together(tmp_path):
    """The chunks of both, counted from the beginning of all labelled sentences."""
    (tmp_path / "spans.tsv").write_text("1\t1\t2\t!X\n")
    labelled = corpus([[("a", "B-X"), ("b", "!Y"), ("c", "B-Y")]])
    inputs = with_labels_read(Inputs(template(TEMPLATE, "made.yaml"), labelled, unlabelled(RAW)))
    inputs = with_rejected_cells(inputs, None, Run())
    found = with_answers(inputs, read_spans(str(tmp_path / "spans.tsv")), "partial", Run()).chunks
    assert (found.chunks.first.tolist(), found.chunks.stop.tolist()) == ([1, 3], [2, 5])
    assert [found.tags.types[kind] for kind in found.chunks.kind] == ["Y", "X"]


def test_labels_that_are_decided_beforehand_cannot_say_what_a_column_rejects(tmp_path):
    warned = []
    labelled = corpus([[("a", "B-X"), ("b", "!X"), ("c", "O")]])
    inputs = Inputs(template(TEMPLATE, "made.yaml"), labelled)
    trained(task(inputs, "maxent", {}, ambiguous="random"), Run(warn=warned.append))
    assert any("1 rejected chunk in the label column tell" in text for text in warned)


RUNS = st.lists(st.tuples(st.integers(0, 5), st.integers(1, 3), st.sampled_from(["X", "Y"])), max_size=4, unique=True)


@given(RUNS, st.sampled_from(["iob2", "bioes"]))
def test_a_list_written_as_a_column_and_read_again(saved, runs, scheme):
    """The spans that a column can hold come back; the others are counted."""
    runs = [(first, size, kind) for first, size, kind in runs if first + size <= 6]
    text = "1\t6\t6\tX\n1\t6\t6\t!Y\n" + "".join(
        f"1\t{first + 1}\t{first + size}\t!{kind}\n" for first, size, kind in runs
    )
    listed = read_spans(saved(text.encode()))
    tags = tagset_of(listed, scheme)
    words = [[(f"w{n}",) for n in range(6)]]
    try:
        said = span_labels(listed, tags, Marks(), corpus(words, ("word",)))
    except DataError:  # the chunk X that is there is said not to be
        return
    held = with_rejected_runs(said, tags, Marks())
    cells = [held.texts[code] for code in held.codes]
    again = rejected_runs(
        labelled_text(corpus([[(f"w{n}", cell) for n, cell in enumerate(cells)]]), "label", Marks(), tags.labels)
    )
    found = {(line.tokens, line.type) for line in again.lines}
    missing = {((span.first, span.stop), tags.types[span.type]) for span in held.left}
    before = {((span.first, span.stop), tags.types[span.type]) for span in said.left}
    assert found | missing == before
    assert not found & missing
