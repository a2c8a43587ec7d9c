"""The protocol of the experiments after Sokolovska (2011), step by step; exact risks against enumeration."""

import json
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sstag.corpus.corpus import selected as some_of
from sstag.experiments import plots
from sstag.experiments.corpora import Corpora, shipped_template
from sstag.experiments.fitting import ALONE
from sstag.experiments.page import Boxes, Excerpt, Page, Series, as_json, as_markdown, as_text
from sstag.experiments.publication import published
from sstag.experiments.refitting import fitted_to
from sstag.experiments.samples.hmm import LENGTH, Matrices, errors
from sstag.experiments.sokolovska2011 import annotating, quota_tables, simulation, tasks
from sstag.experiments.sokolovska2011.annotating import BY_LENGTH, BY_Q, BY_Q_PER_TOKEN, SENTENCES, TOKENS
from sstag.experiments.sokolovska2011.tasks import CONLL, NETTALK, Prepared, prepared
from sstag.experiments.sokolovska2011.worlds import EXACT, UNIGRAMS, World, world
from sstag.experiments.variances import unlike_spread
from sstag.foundation.parallel import one_by_one
from sstag.labels.marks import PLAIN
from sstag.model.batches import selected, taken
from sstag.training.inputs import Inputs
from sstag.training.run import trained
from tests import oracle
from tests.compare import assert_close
from tests.small_hmm import SMALL, joint
from tests.training import task as completed_task

NOWHERE = Corpora([])


@pytest.fixture(scope="module")
def small() -> World:
    return world(SMALL)


@pytest.fixture(scope="module", params=[NETTALK, CONLL])
def task(request: pytest.FixtureRequest) -> Prepared:
    return prepared(NOWHERE, request.param, (40, 20))


# ---------------------------------------------------------------------- HMMs of which everything is known


def test_the_risk_is_that_of_all_inputs_and_labellings(small: World) -> None:
    every = list(product(range(2), repeat=LENGTH))
    for template, risk in small.risks.items():
        theta = np.random.default_rng(1).normal(size=risk.inputs.size)
        ((_, lattice),) = risk.inputs.text.lattices(theta)
        paths = oracle.sentences(lattice.potentials)
        expected = -sum(
            joint(SMALL, x, tuple(y)) * np.log(p)
            for x, one in zip(every, paths, strict=True)
            for y, p in zip(one.y.tolist(), one.p, strict=True)
        )
        assert risk(theta) == pytest.approx(expected), template
        step = np.random.default_rng(2).normal(size=len(theta)) * 1e-5
        slope = risk.inputs.expected(theta, risk.q) - risk.expected
        assert risk(theta + step) - risk(theta - step) == pytest.approx(2 * slope @ step, rel=1e-4)
    assert_close(np.exp(small.log_q), [sum(joint(SMALL, x, y) for y in every) for x in every])


def test_the_best_weights_are_those_of_the_hmm_or_of_single_symbols(small: World) -> None:
    exact, unigrams = small.risks[EXACT], small.risks[UNIGRAMS]
    given_x = -(np.exp(small.log_q) * small.log_q).sum()
    every = list(product(range(2), repeat=LENGTH))
    both = [joint(SMALL, x, y) for x in every for y in every]
    assert exact.least == pytest.approx(-(np.array(both) * np.log(both)).sum() - given_x)  # H(Y|X)
    for risk in (exact, unigrams):
        assert_close(risk.inputs.expected(risk.best, risk.q), risk.expected)
    assert unigrams.least > exact.least
    found = errors(SMALL, LENGTH)
    assert found is not None
    assert small.error(exact.inputs.best(exact.best)) == pytest.approx(found.of_best_paths)
    assert small.error(unigrams.inputs.best(unigrams.best)) > found.of_best_paths


@pytest.mark.parametrize("template", [EXACT, UNIGRAMS])
def test_weights_of_least_norm_make_the_same_distributions(small: World, template: str) -> None:
    inputs = small.risks[template].inputs
    theta = np.random.default_rng(3).normal(size=inputs.size)
    least = inputs.least_norm(theta)
    assert np.linalg.norm(least) < np.linalg.norm(theta)
    ours, theirs = ([lattice.nodes for _, lattice in inputs.text.lattices(one)] for one in (least, theta))
    assert_close(ours[0], theirs[0])
    assert small.risks[template](least) == pytest.approx(small.risks[template](theta))
    assert_close(inputs.least_norm(least), least)
    # Whatever is added and changes no distribution only makes the norm larger.
    away = theta - least
    assert abs(away @ least) < 1e-9


def test_some_inputs_tell_all_directions() -> None:
    names = [tuple(f"{letter}{i}" for i in range(size)) for letter, size in (("y", 2), ("x", 4))]
    inputs = world(Matrices(*names, np.full(2, 0.5), np.full((2, 2), 0.5), np.full((2, 4), 0.25))).risks[EXACT].inputs
    some, every = inputs.identified(), inputs.identified(4**LENGTH)
    assert some.shape == every.shape
    assert_close(some @ some.T, every @ every.T)


@pytest.mark.parametrize("template", [EXACT, UNIGRAMS])
def test_a_prior_leads_to_weights_of_least_norm(small: World, template: str) -> None:
    risk = small.risks[template]
    theta = risk.shrunk(0.1)
    assert_close(risk.expected - risk.inputs.expected(theta, risk.q), 0.1 * theta, tolerance=1e-4)
    assert_close(risk.inputs.least_norm(theta), theta)
    near, far = (np.linalg.norm(risk.shrunk(strength) - risk.best) for strength in (0.001, 0.1))
    assert near < far


def test_what_is_fitted_to_many_sequences_is_near_the_hmm(small: World) -> None:
    sample = simulation._sample(small, 3000, [1])
    risk = small.risks[EXACT]
    figures = [simulation._figures(small, risk, sample, risk.best, theta) for theta in _all(small, sample)]
    for _, exact, excess, *_ in figures:
        assert exact == pytest.approx(100 * small.error(risk.inputs.best(risk.best)), abs=0.3)
        assert 0 <= excess < 0.01


def _all(small: World, sample: simulation._Sample):
    return list(simulation._fitted(small, small.risks[EXACT], sample, 0.1))


def test_weights_that_are_alike_change_nothing(small: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "_omega", lambda of, sample, scale: np.ones(len(sample.inputs)))
    standard, *weighted = _all(small, simulation._sample(small, 30, [1]))
    for theta in weighted:
        assert_close(theta, standard)


def test_the_weight_of_an_input_is_its_probability_however_often_it_stands(small: World) -> None:
    sample = simulation._sample(small, 60, [1])
    omega = simulation._omega(small, sample, "natural")
    for number in np.unique(sample.inputs).tolist():
        assert omega[sample.inputs == number].sum() == pytest.approx(60 * np.exp(small.log_q[number]))
    assert simulation._omega(small, sample, "mean1").mean() == pytest.approx(1)


def test_draws_do_not_depend_on_each_other_nor_on_what_is_run_with_them() -> None:
    needed = [simulation.known(NOWHERE, [], hmm=2)]
    row = needed[0][0]
    assert 5 <= row["error"] <= 7
    said = {"hmm": 2, "template": EXACT, "size": 5, "l2": 1.0, "test": 50}
    both = simulation.simulated(NOWHERE, needed, draws=[1, 2], **said)
    apart = [simulation.simulated(NOWHERE, needed, draws=[draw, draw], **said)[0] for draw in (1, 2)]
    assert both == apart
    assert both[0]["error"] != both[1]["error"]
    of = world(simulation.of_row(row), row["best"])
    longer = simulation._sample(of, 8, [2, 1, 1])
    assert longer.inputs[:5].tolist() == simulation._sample(of, 5, [2, 1, 1]).inputs.tolist()


# ---------------------------------------------------------------------- many small taggers of one text


@given(st.lists(st.integers(0, 39), min_size=1, max_size=6))
@settings(max_examples=15)
def test_sentences_by_number_are_those_of_the_text(numbers: list[int]) -> None:
    of = prepared(NOWHERE, NETTALK, (40, 5))
    theta = np.random.default_rng(0).normal(size=of.text.weight_map.size)
    data = taken(of.text.data, np.array(numbers))
    assert data.sets is not None
    assert of.text.data.sets is not None
    scores = _scores(of, data, theta)
    whole = _scores(of, of.text.data, theta)
    assert_close(scores, [whole[number] for number in numbers])
    begins = of.text.data.offsets
    gold = np.concatenate([of.text.data.sets[begins[n] : begins[n + 1]] for n in numbers])
    assert data.sets.tolist() == gold.tolist()
    some = np.isin(np.arange(40), numbers)
    assert _scores(of, selected(of.text.data, some), theta).tolist() == whole[some].tolist()


def _scores(of: Prepared, data, theta) -> np.ndarray:
    text = replace(of.text, data=data)
    return np.concatenate([lattice.log_z for _, lattice in text.lattices(theta)])


def test_what_is_fitted_to_some_sentences_is_what_training_finds(task: Prepared) -> None:
    numbers = np.array([3, 7, 8, 20])
    test = next(iter(task.tests.values()))
    theta = fitted_to(task.text, numbers, 0.5, np.zeros(task.text.weight_map.size), 1e-12).theta
    part = some_of(task.corpus, np.isin(np.arange(40), numbers))
    how = shipped_template(task.task.template_name)
    inputs = Inputs(how, part, marks=PLAIN, named=test.labels)
    model = trained(completed_task(inputs, "crf", {"l2": 0.5, "tolerance": 1e-12}), ALONE)
    theirs = model.asked(model.dataset(test.corpus), one_by_one, lambda chunk, lattice: lattice.nodes)
    ours = [lattice.nodes for _, lattice in test.text.lattices(theta)]
    assert model.labels == test.labels
    assert_close(np.concatenate(ours), np.concatenate(theirs), tolerance=1e-3)


# ---------------------------------------------------------------------- what is annotated


@pytest.mark.parametrize(("strategy", "values"), [(BY_Q, "log_q"), (BY_LENGTH, "lengths"), (BY_Q_PER_TOKEN, None)])
def test_a_quota_has_one_sentence_of_each_group(task: Prepared, strategy: str, values: str | None) -> None:
    by = getattr(task, values) if values else task.log_q / task.lengths
    for draw in range(1, 4):
        found = dict(annotating._drawn(task, strategy, 8, draw))
        ordered = np.sort(-by).reshape(8, 5)
        for number, (low, high) in zip(found[SENTENCES], ordered[:, [0, -1]], strict=True):
            assert low <= -by[number] <= high


def test_steps_of_q_are_equally_wide() -> None:
    values = np.array([0.0, 0.1, 0.2, 0.3, 5.1, 5.2, 9.8, 10.0])
    for seed in range(20):
        rng = np.random.default_rng(seed)
        found = annotating._one_of_each_step(values, 5, rng).tolist()
        assert len(set(found)) == 5
        in_step = [sum(number in step for number in found) for step in ({0, 1, 2, 3}, {4, 5}, {6, 7})]
        assert sorted(in_step) == [1, 2, 2]  # two steps have none
        both = annotating._one_of_each_step(values, 2, rng)
        assert sorted(values[both] >= 5) == [False, True]


@pytest.mark.parametrize("strategy", annotating.SEEDS)
def test_as_many_tokens_are_as_near_as_can_be(task: Prepared, strategy: str) -> None:
    found = dict(annotating._drawn(task, strategy, 8, 1))
    assert len(found[SENTENCES]) == 8
    wanted = annotating._tokens(task, 8)
    tokens = task.lengths[found[TOKENS]].sum()
    assert abs(tokens - wanted) <= task.lengths.max()
    assert abs(tokens - wanted) <= abs(task.lengths[found[SENTENCES]].sum() - wanted)
    assert len(set(found[TOKENS].tolist())) == len(found[TOKENS])


def test_every_draw_is_another_one(task: Prepared) -> None:
    for strategy in annotating.DRAWN:
        drawn = [dict(annotating._drawn(task, strategy, 8, draw))[SENTENCES].tolist() for draw in (1, 1, 2)]
        assert drawn[0] == drawn[1] != drawn[2]


def test_fusal_asks_for_the_sentence_whose_best_labels_are_the_least_probable(task: Prepared) -> None:
    order, _ = annotating._fusal(task, 5, np.random.default_rng(4), warm=True)
    assert len(set(order.tolist())) == 5
    for count in range(1, 5):
        theta = fitted_to(task.text, order[:count], task.l2, np.zeros(task.text.weight_map.size), 1e-10).theta
        p = np.concatenate([np.exp(one.viterbi()[1] - one.log_z) for _, one in task.text.lattices(theta)])
        left = np.setdiff1d(np.arange(40), order[:count])
        assert p[order[count]] <= 1.05 * p[left].min()
    cold, _ = annotating._fusal(task, 5, np.random.default_rng(4), warm=False)
    assert cold.tolist() == order.tolist()


def test_closed_fusal_is_what_training_and_asking_find(task: Prepared) -> None:
    order, _ = annotating._closed_fusal(task, 3, np.random.default_rng(4))
    part = some_of(task.corpus, np.isin(np.arange(40), order[:2]))
    model = trained(
        completed_task(Inputs(shipped_template(task.task.template_name), part), "crf", {"l2": task.l2}), ALONE
    )
    assert len(model.labels) < len(next(iter(task.tests.values())).labels)
    asked = model.asked(model.dataset(task.corpus), one_by_one, lambda _, one: np.exp(one.viterbi()[1] - one.log_z))
    p = np.concatenate(asked)
    assert p[order[2]] == p[np.setdiff1d(np.arange(40), order[:2])].min()


def test_rows_say_what_was_learned_from_and_how_well(task: Prepared) -> None:
    name = NETTALK if task.task.words else CONLL
    said = {"task": name, "made": (40, 20), "sizes": (2, 5)}
    rows = annotating.drawn(NOWHERE, [], draws=[2, 2], **said)
    rows += annotating.active(NOWHERE, [], draws=[2, 2], warm=True, **said)
    keys = [(row["strategy"], row["budget"], row["size"], row["test"]) for row in rows]
    assert len(set(keys)) == len(keys) == 5 * 2 * 2 * len(task.tests)
    for row in rows:
        assert 0 < row["error"] < 100
        assert ("f1" in row) == task.task.chunks
        assert ("alike" in row) == (task.task.words and row["size"] == 2)
        assert row["sentences"] == row["size"] or row["budget"] == TOKENS
    again = annotating.drawn(NOWHERE, [], draws=[1, 2], **said)
    assert [row for row in again if row["draw"] == 2] == rows[: len(rows) * 4 // 5]


def test_errors_and_f_are_those_of_the_labels(task: Prepared) -> None:
    test = next(iter(task.tests.values()))
    theta = fitted_to(task.text, np.arange(10), 1.0, np.zeros(task.text.weight_map.size)).theta
    column = task.task.columns[-1]
    gold = [label for sentence in range(20) for label in test.corpus.words(column, sentence)]
    found = [test.labels[label] for label in test.text.best(theta)]
    wrong = sum(one != other for one, other in zip(gold, found, strict=True))
    assert test.figures(theta)["error"] == pytest.approx(100 * wrong / len(gold), abs=1e-3)


def test_what_of_a_generated_word_is_silent() -> None:
    assert [sound for _, sound in tasks._spoken("appeal")] == ["a", "p", "-", "e", "A", "l"]
    assert [sound for _, sound in tasks._spoken("see")] == ["s", "e", "-"]


@pytest.mark.parametrize(
    ("one", "other", "edits"), [("", "abc", 3), ("kitten", "sitting", 3), ("flaw", "lawn", 2), ("same", "same", 0)]
)
def test_edits(one: str, other: str, edits: int) -> None:
    assert annotating._edits(one, other) == annotating._edits(other, one) == edits


def test_words_are_alike_in_pairs() -> None:
    assert annotating._alike(["ab", "ab", "cd"]) == pytest.approx(1 / 3)
    assert annotating._alike(["ab"]) == 1.0


# ---------------------------------------------------------------------- what is said


def test_words_of_a_corpus_are_not_in_the_page_but_in_a_file_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "nettalk/parts").mkdir(parents=True)
    for number in range(10):
        text = "".join(f"{letter}\t{letter}\n" for letter in "secret")
        (tmp_path / f"nettalk/parts/part{number}.txt").write_text(f"{text}\n", encoding="utf-8")
    of = quota_tables.Scale(NETTALK, 1, (3, 6), ((), 0), (0, 0))
    rows = [{"strategy": BY_Q, "budget": SENTENCES, "chosen": [0, 8]}]
    excerpt = quota_tables.examples(of, Corpora([str(tmp_path)]), rows)
    assert isinstance(excerpt, Excerpt)
    page = Page("Title", [excerpt], {"command": "sstag experiment e", "sstag": "0"}, {})
    assert "quota by q: secret, secret\n" in as_text(page)
    assert "`words.excerpt.txt`" in as_markdown(page, True, "")
    folder = tmp_path / "out"
    folder.mkdir()
    assert published(page, str(folder), False) == ["README.md", "page.json", "words.excerpt.txt"]
    having = [path.name for path in folder.iterdir() if b"secret" in path.read_bytes()]
    assert having == ["words.excerpt.txt"]
    ignored = (Path(__file__).parent.parent / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert "/results/*/*.excerpt.txt" in ignored
    generated = quota_tables.examples(quota_tables.Scale(NETTALK, 1, (3, 6), ((), 0), (9, 9)), NOWHERE, rows)
    assert not isinstance(generated, Excerpt)


def test_boxes_are_drawn_the_same_every_time(tmp_path: Path) -> None:
    values = [[1.0, 2.0, 4.0, -1.0], [2.0, 3.0, 9.0]]
    boxes = Boxes("boxes", "Some boxes", "n", "error", ["10", "20"], [Series("ours", values), Series("theirs", values)])
    seen = []
    for _ in range(2):
        plots.draw(boxes, str(tmp_path / "boxes"))
        seen.append([(tmp_path / f"boxes.{kind}").read_bytes() for kind in ("png", "svg")])
    assert seen[0] == seen[1]
    for text in (b"Some boxes", b"ours", b"theirs", b"10"):
        assert text in seen[0][1]
    said = as_json(Page("Title", [boxes], {}, {}))
    assert json.loads(said)["blocks"][0]["series"][0] == {"name": "ours", "values": values}


def test_unlike_spread() -> None:
    rng = np.random.default_rng(1)
    narrow, wide = rng.normal(size=50), 5 + 3 * rng.normal(size=50)
    assert unlike_spread(narrow, wide) < 0.001
    assert unlike_spread(wide, narrow) < 0.001
    assert unlike_spread(narrow, narrow + 7) == 1.0
    p = [unlike_spread(*rng.normal(size=(2, 12))) for _ in range(200)]
    assert 1 <= sum(one < 0.05 for one in p) <= 20  # ten, if there is nothing to find
