"""Two looks at a text: counts of what a first model predicts, by their definition; the same bytes from any parts."""

import itertools
import json
import math
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest

import sstag
from sstag.corpus.corpus import Corpus
from sstag.corpus.volumes import in_volumes
from sstag.features import predictions
from sstag.features.predictions import FLOOR, PRIOR, UNIT, CountsOfParts, LabelCounts, largest_counts
from sstag.features.reading import load_template
from sstag.features.template import Template
from sstag.foundation.archive import Archive, write_archive
from sstag.foundation.errors import ConfigError, ModelError
from sstag.foundation.parallel import one_by_one, shards
from sstag.interfaces.cli.tuning import tuning_report
from sstag.model import model_file
from sstag.model.model import Model
from sstag.model.second_look import in_own_context, predicted_counts
from sstag.training.checkpoint import Checkpoint
from sstag.training.inputs import Inputs, Run
from sstag.training.judge import scorer
from sstag.training.run import trained as run_trained
from sstag.training.tuning.search import tuned
from tests.commands import ran, trained_in
from tests.commands import sstag as run_sstag
from tests.corpora import part
from tests.datasets import corpus
from tests.training import accuracy, made_ads, raw, task

TEMPLATE = """columns: [word, label]
features:
  - word[-1..1]
  - suffix(word[0], 2)
"""
LOOKS = "  - predicted(lower(word[-1..1]))\n  - predicted(suffix(word[0], 2))\n"


def trained(inputs: Inputs, run: Run | None = None, **parameters: float) -> Model:
    return run_trained(task(inputs, given=parameters), run or Run())


@pytest.fixture(scope="module")
def templates(tmp_path_factory):
    """A template of one look, and of two."""
    folder = tmp_path_factory.mktemp("templates")
    for name, text in (("one", TEMPLATE), ("two", TEMPLATE + LOOKS)):
        (folder / f"{name}.yaml").write_text(text)
    return [load_template(str(folder / f"{name}.yaml")) for name in ("one", "two")]


@pytest.fixture(scope="module")
def two(templates) -> Model:
    return trained(Inputs(templates[1], made_ads(20, 1), raw(60, 2)))


def marginals_by_word(model: Model, text: Corpus) -> dict[str, list[float]]:
    """The definition: for each lower-cased word, the sum of p(y) of all its tokens."""
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0] * len(model.labels))
    for sentence in range(text.sentences):
        words = text.words("word", sentence)
        (tagged,) = sstag.tag(model, [words], marginals=True)
        for word, shares in zip(words, tagged.marginals, strict=True):
            for place, label in enumerate(model.labels):
                sums[word.lower()][place] += shares[label]
    return sums


def test_counts_are_the_sums_of_the_marginals_of_each_word(two):
    text = raw(30, 3)
    assert list(two.template.predicted) == ["predicted(lower(word[0]))", "predicted(suffix(word[0], 2))"]
    counts = predicted_counts(two.first, two.template, text, one_by_one)["predicted(lower(word[0]))"]
    truth = marginals_by_word(two.first, text)
    assert counts.rows.keys() == truth.keys()
    for word, sums in truth.items():
        np.testing.assert_allclose(counts.sums[counts.rows[word]] * UNIT, sums, atol=1e-7)
    np.testing.assert_allclose(counts.totals * UNIT, np.sum(list(truth.values()), axis=0), atol=1e-6)


PAIRS = "  - predicted(lower(word[-1]) | word[0])\n  - predicted(word[0] | word[1], 0.2)\n"


@pytest.fixture(scope="module")
def pairs(tmp_path_factory) -> Template:
    path = tmp_path_factory.mktemp("pairs") / "t.yaml"
    path.write_text(TEMPLATE + LOOKS + PAIRS)
    return load_template(str(path))


@pytest.fixture(scope="module")
def of_pairs(pairs) -> Model:
    return trained(Inputs(pairs, made_ads(20, 1), raw(60, 2)))


def test_labels_are_counted_by_pairs_of_words(of_pairs):
    """By the definition: the label of a token, by the pair that it stands in; beyond a sentence is a place like any."""
    text = raw(30, 3)
    counts = predicted_counts(of_pairs.first, of_pairs.template, text, one_by_one)
    before, after = counts["predicted(lower(word[-1]) | word[0])"], counts["predicted(word[0] | word[1])"]
    truth: dict[tuple[int, str], list[float]] = defaultdict(lambda: [0.0] * len(of_pairs.labels))
    for sentence in range(text.sentences):
        words = text.words("word", sentence)
        (tagged,) = sstag.tag(of_pairs.first, [words], marginals=True)
        for place, shares in enumerate(tagged.marginals):
            left = words[place - 1].lower() if place else "_B-1"
            right = words[place + 1] if place + 1 < len(words) else "_B+1"
            for key in ((0, f"{left}|{words[place]}"), (1, f"{words[place]}|{right}")):
                for label, share in shares.items():
                    truth[key][of_pairs.labels.index(label)] += share
    for which, table in enumerate((before, after)):
        assert {*table.rows} == {value for side, value in truth if side == which}
        for value, row in table.rows.items():
            np.testing.assert_allclose(table.sums[row] * UNIT, truth[which, value], atol=1e-7)


def test_pairs_whose_texts_are_alike_are_one_value(of_pairs):
    """A token may have the sign in it that stands between the words of a pair."""
    text = corpus([[("a|b",), ("c",)], [("a",), ("b|c",)]], path="raw")
    counts = predicted_counts(of_pairs.first, of_pairs.template, text, one_by_one)["predicted(word[0] | word[1])"]
    assert {*counts.rows} == {"a|b|c", "c|_B+1", "b|c|_B+1"}
    assert counts.sums[counts.rows["a|b|c"]].sum() * UNIT == pytest.approx(2.0)


def test_a_model_of_pairs_is_the_same_by_threads_from_volumes_and_from_its_file(pairs, of_pairs, tmp_path):
    first, second = str(tmp_path / "first"), str(tmp_path / "second")
    model_file.save(of_pairs, first)
    labelled, text = made_ads(20, 1), raw(60, 2)
    in_parts = Inputs(pairs, labelled, large=in_volumes(text, one_by_one, most=500))
    assert len(in_parts.large.volumes) > 3
    with shards(3) as over:
        for model in (trained(Inputs(pairs, labelled, text), Run(over)), trained(in_parts)):
            model_file.save(model, second)
            assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()
    text, labels = raw(20, 5), []
    for model in (of_pairs, model_file.load(first)):
        own = in_own_context(model, text, one_by_one)
        labels.append(own.tagged(own.dataset(text), one_by_one).tolist())
    assert labels[0] == labels[1]


def test_the_scores_of_pairs_are_their_numbers_with_weights(of_pairs):
    """Attributes that come together are looked up as one; the scores are those of each token by itself."""
    text = raw(10, 5)
    (scores,) = of_pairs.asked(of_pairs.dataset(text), one_by_one, lambda batch, lattice: lattice.potentials.unary)
    none = replace(of_pairs, theta=of_pairs.theta.copy())
    parts = none.weight_map.dense_parts(none.weight_map.parts(none.theta)["dense"])
    names = [one.name for one in of_pairs.template.dense]
    place = names.index("predicted(lower(word[-1]) | word[0])")
    parts[place][:] = 0.0
    (without,) = none.asked(none.dataset(text), one_by_one, lambda batch, lattice: lattice.potentials.unary)
    table = of_pairs.template.vectors[names[place]]
    standard, theta = (
        of_pairs.weight_map.dense[place],
        of_pairs.weight_map.dense_parts(of_pairs.weight_map.parts(of_pairs.theta)["dense"])[place],
    )
    expected = np.zeros_like(scores)
    words = [text.words("word", sentence) for sentence in range(text.sentences)]
    values = [
        f"{sentence[at - 1].lower() if at else '_B-1'}|{word}" for sentence in words for at, word in enumerate(sentence)
    ]
    places, numbers = table.of(values)
    expected[places] = standard.factor * (numbers - standard.mean) @ theta
    assert len(places) > 100
    np.testing.assert_allclose(scores - without, expected, atol=1e-6)


def test_values_of_pairs_alone_can_be_counted(tmp_path):
    (tmp_path / "t.yaml").write_text(TEMPLATE + PAIRS)
    template, labelled, text = load_template(str(tmp_path / "t.yaml")), made_ads(20, 1), raw(60, 2)
    in_parts = Inputs(template, labelled, large=in_volumes(text, one_by_one, most=500))
    np.testing.assert_array_equal(trained(in_parts).theta, trained(Inputs(template, labelled, text)).theta)


@pytest.mark.parametrize("beside", [None, "scale: 0.6\n"])
def test_predicted_labels_have_a_scale_of_their_own(tmp_path, beside):
    """Whatever the words are: vectors of single characters have a smaller one; a template's holds for all."""
    ads = made_ads(8, 1)
    words, labels = ([ads.words(name, one) for one in range(8)] for name in ("word", "label"))
    characters = [[(word[0], y) for word, y in zip(*pair, strict=True)] for pair in zip(words, labels, strict=True)]
    (tmp_path / "t.yaml").write_text(TEMPLATE + LOOKS + "  - predicted(word[0], 0.7)\n" + (beside or ""))
    model = trained(Inputs(load_template(str(tmp_path / "t.yaml")), corpus(characters), raw(20, 2)))
    assert [one.scale for one in model.template.dense] == [*[0.6 if beside else 0.25] * 4, 0.7]


def test_numbers_are_logarithms_of_shares_with_a_prior():
    counts = LabelCounts({"a": 0, "b": 1}, np.array([[3, 1], [0, 2]]) << 30, np.array([5, 5]) << 30)
    places, numbers = counts.of(["b", "x", "a"])
    assert places.tolist() == [0, 2]  # what was never counted has no numbers
    for row, (own, tokens) in zip(numbers, [((0, 2), 2), ((3, 1), 4)], strict=True):
        expected = [math.log((n + PRIOR * 0.5) / (tokens + PRIOR) + FLOOR) for n in own]
        np.testing.assert_allclose(row, expected, rtol=1e-6)


def test_counts_of_a_text_at_hand_are_added_to_those_of_raw_text():
    below = LabelCounts({"a": 0, "b": 1}, np.array([[3, 1], [0, 2]]) << 30, np.array([3, 3]) << 30)
    above = LabelCounts({"b": 0, "c": 1}, np.array([[1, 0], [1, 1]]) << 30, np.array([2, 1]) << 30)
    both = LabelCounts({"a": 0, "b": 1, "c": 2}, np.array([[3, 1], [1, 2], [1, 1]]) << 30, np.array([5, 4]) << 30)
    for words in itertools.permutations("abcx"):
        for got, expected in zip(above.above(below).of(words), both.of(words), strict=True):
            np.testing.assert_array_equal(got, expected)
    assert sorted(above.above(below).listed()[0]) == ["a", "b", "c"]


@pytest.mark.parametrize("seed", range(5))
def test_counts_do_not_depend_on_the_parts_of_a_text(of_pairs, seed):
    text, two = raw(40, 4), of_pairs
    whole = predicted_counts(two.first, two.template, text, one_by_one)
    rng = np.random.default_rng(seed)
    bounds = [0, *sorted(rng.choice(np.arange(1, 40), 4, replace=False).tolist()), 40]
    parts = [part(text, begin, end) for begin, end in itertools.pairwise(bounds)]
    for name, expected in whole.items():
        together = CountsOfParts(len(two.labels))
        for some in rng.permutation(len(parts)).tolist():
            together.add(predicted_counts(two.first, two.template, parts[some], one_by_one)[name])
        assert together.counts.digest == expected.digest


def test_a_model_of_two_looks_is_the_same_from_memory_from_volumes_and_by_threads(templates, two, tmp_path):
    def saved(model: Model) -> bytes:
        model_file.save(model, str(tmp_path / "m"))
        return (tmp_path / "m").read_bytes()

    labelled, text = made_ads(20, 1), raw(60, 2)
    in_parts = Inputs(templates[1], labelled, large=in_volumes(text, one_by_one, most=500))
    assert len(in_parts.large.volumes) > 3
    with shards(3) as over:
        by_threads = trained(Inputs(templates[1], labelled, text), Run(over))
    assert saved(two) == saved(by_threads) == saved(trained(in_parts))


def test_where_raw_text_has_no_word_of_the_labelled_the_second_stage_is_the_first(templates):
    """A table that knows no word adds nothing: the weights of everything else are those of one look."""
    unknown = corpus([[("ζζζ",), ("ηηη",)]], path="raw")
    inputs = Inputs(templates[1], made_ads(20, 1), unknown)
    model, alone = trained(inputs), trained(Inputs(templates[0], made_ads(20, 1)))
    size = alone.weight_map.sizes["unary"] + alone.weight_map.sizes["steps"]
    np.testing.assert_array_equal(model.first.theta, alone.theta)
    np.testing.assert_allclose(model.theta[:size], alone.theta[:size], atol=1e-4)  # another path to the optimum
    assert not model.weight_map.parts(model.theta)["dense"].any()


def test_sentences_that_are_labelled_are_not_counted_as_raw_text(templates, two):
    """The first model knows their labels by heart: in memory and in volumes the counts are of the other sentences."""
    sentences = [made_ads(20, 1).words("word", place) for place in (3, 0, 19)]
    others = [raw(60, 2).words("word", place) for place in range(60)]
    both = corpus([[(word,) for word in words] for words in (*sentences, *others, sentences[0])], path="raw")
    in_memory = trained(Inputs(templates[1], made_ads(20, 1), both))
    in_parts = Inputs(templates[1], made_ads(20, 1), large=in_volumes(both, one_by_one, most=500))
    for model in (in_memory, trained(in_parts)):
        np.testing.assert_array_equal(model.theta, two.theta)
        assert {name: table.digest for name, table in model.template.vectors.items()} == {
            name: table.digest for name, table in two.template.vectors.items()
        }


@pytest.mark.parametrize("on_shelf", [False, True])
def test_a_text_that_is_labelled_already_is_no_raw_text(templates, on_shelf):
    warnings: list[str] = []
    labelled = made_ads(20, 1)
    inputs = Inputs(templates[1], labelled, None if on_shelf else labelled)
    if on_shelf:
        inputs = replace(inputs, large=in_volumes(labelled, one_by_one))
    model = trained(inputs, Run(warn=warnings.append))
    assert ["among the labelled ones" in text for text in warnings] == [True]
    assert (model.first, model.template.predicted) == (None, {})
    np.testing.assert_array_equal(model.theta, trained(Inputs(templates[0], labelled)).theta)


def test_without_raw_text_there_is_one_stage(templates):
    warnings: list[str] = []
    model = trained(Inputs(templates[1], made_ads(20, 1)), Run(warn=warnings.append))
    assert (model.first, model.template.predicted) == (None, {})
    assert ["predicted(…) is left out" in text for text in warnings] == [True]
    np.testing.assert_array_equal(model.theta, trained(Inputs(templates[0], made_ads(20, 1))).theta)


def test_without_raw_text_an_earlier_model_lends_its_counts(templates, two):
    """A training that goes on from a model, as a server's does, loses no feature of it."""
    warnings: list[str] = []
    more = Inputs(templates[1], made_ads(30, 31), init=two)
    model = trained(more, Run(warn=warnings.append), l2=1.0)  # with a weaker prior optima are farther apart
    assert model.first is not None
    assert not [text for text in warnings if "left out" in text]
    for name in two.template.predicted:
        assert model.template.vectors[name].digest == two.template.vectors[name].digest
    alone = trained(Inputs(templates[0], made_ads(30, 31)), l2=1.0)
    np.testing.assert_allclose(model.first.theta, alone.theta, atol=0.05)
    of_others = replace(more, named=("ζ",))
    assert trained(of_others, Run(warn=warnings.append)).first is None
    assert "of other labels" in warnings[-1]
    assert trained(replace(more, init=two.first), Run(warn=warnings.append)).first is None


def test_two_looks_are_better_than_one_on_generated_ads(templates):
    labelled, text, test = made_ads(15, 11), raw(300, 12), made_ads(150, 13)
    one = trained(Inputs(templates[0], labelled), l2=0.1)
    two = trained(Inputs(templates[1], labelled, text), l2=0.1)
    assert accuracy(two, test) > accuracy(one, test) + 0.02
    assert accuracy(in_own_context(two, test, one_by_one), test) > accuracy(one, test) + 0.02


@pytest.mark.parametrize("method", ["crf", "self-training", "maxent", "entropy"])
def test_development_data_are_judged_in_their_own_context(templates, method):
    """The figure of the second stage is the one that `sstag eval` has; the report of the first stage has its own."""
    labelled, dev, text = made_ads(15, 21), made_ads(40, 22), raw(60, 23)
    inputs = Inputs(templates[1], labelled, text, development=dev)
    model = run_trained(task(inputs, method), Run())
    own = in_own_context(model, dev, one_by_one)
    assert model.about["development score"] == pytest.approx(accuracy(own, dev))
    assert model.first.about["development score"] == pytest.approx(accuracy(model.first, dev))
    assert accuracy(own, dev) != accuracy(model, dev)
    figure = scorer(inputs, model, Run())(model.theta)
    assert figure == pytest.approx(accuracy(own, dev))


def test_training_says_what_each_stage_brought(tmp_path):
    """With development data a figure for each stage, in the lines and in the report."""
    for name, text in (("train", made_ads(15, 21)), ("dev", made_ads(30, 22)), ("raw", raw(60, 23))):
        rows = [zip(*(text.words(column, s) for column in text.columns), strict=True) for s in range(text.sentences)]
        lines = ["".join("\t".join(row) + "\n" for row in sentence) for sentence in rows]
        (tmp_path / f"{name}.txt").write_text("\n".join(lines))
    (tmp_path / "t.yaml").write_text(TEMPLATE + LOOKS)
    more = {"--unlabeled": "raw.txt", "--dev": "dev.txt", "--report": "r.json"}
    got = trained_in(tmp_path, [], **more)
    assert got.returncode == 0, got.stderr
    report = json.loads((tmp_path / "r.json").read_text())
    for name, key in (("first look", "first look"), ("second look", "model")):
        score = report[key]["development score"]
        (line,) = [line for line in got.stdout.splitlines() if line.startswith(f"{name}: ")]
        assert f"; dev accuracy {100 * score:.2f} at iteration {report[key]['best iteration']:,}" in line
        shown = ran(tmp_path / "dev.txt", "-m", tmp_path / "m", "--format", "json", "--resamples", "0")
        if key == "model":
            assert json.loads(shown.out)["predicted"]["figures"]["accuracy"] == pytest.approx(score)
    plain = trained_in(tmp_path, [], **{"--unlabeled": "raw.txt"})
    assert [line.split(":")[0] for line in plain.stdout.splitlines()[-2:]] == ["first look", "second look"]


@pytest.mark.parametrize("judges", ["dev", "folds"])
def test_tuning_shows_the_first_look_beside_the_second(templates, judges):
    """Where values are judged, so is each stage; a template of one look has an empty place."""
    dev = made_ads(30, 22)
    inputs = [Inputs(one, made_ads(16, 21), raw(60, 23)) for one in templates[::-1]]
    inputs[1] = replace(inputs[1], unlabelled=None)
    inputs = [replace(one, development=dev) for one in inputs] if judges == "dev" else inputs
    points = [{"template": "two"}, {"template": "one"}]
    found = tuned([task(one) for one in inputs], points, 2 if judges == "folds" else 0, Run(), lambda trying: None)
    two_looks, one_look = found.tried
    assert one_look.first is None
    head, rows = found.table.head, found.table.rows
    assert head[-1] == "first look"
    assert [row[-1] for row in rows] == [f"{100 * two_looks.first:.2f}", ""]
    assert two_looks.first == pytest.approx(one_look.score)  # the first look is the template without predicted(…)
    assert two_looks.score != two_looks.first
    said = tuning_report(found)["tried"]
    assert [one.get("first look") for one in said] == [two_looks.first, None]


def test_a_model_keeps_both_stages_and_forgets_the_text_at_hand(two, tmp_path):
    before, after = tmp_path / "before", tmp_path / "after"
    model_file.save(two, str(before))
    read = model_file.load(str(before))
    assert read.first is not None
    assert read.first.template.predicted == {}
    text = raw(20, 5)
    again = in_own_context(read, text, one_by_one)
    assert (
        again.tagged(again.dataset(text), one_by_one)
        == in_own_context(two, text, one_by_one).tagged(in_own_context(two, text, one_by_one).dataset(text), one_by_one)
    ).all()
    model_file.save(again, str(after))
    assert before.read_bytes() == after.read_bytes()
    model_file.save(read.first, str(after))  # a first stage is a model like any other
    assert model_file.load(str(after)).first is None


def damaged(counts: dict, change: str) -> dict:
    name = next(name for name in counts if name.startswith("predicted_0_") and name.endswith(change.split()[0]))
    array = counts[name].copy()
    match change:
        case "sums negative":
            array[0, 0] = -1
        case "sums above totals":
            array[0] = 2**62
        case "sums of other labels":
            array = np.ascontiguousarray(array[:, :-1])
        case "totals too many":
            array[:] = 2**61
        case "values twice":
            array[:] = array[0]
    return counts | {name: array}


@pytest.mark.parametrize(
    "change", ["sums negative", "sums above totals", "sums of other labels", "totals too many", "values twice"]
)
def test_damaged_counts_are_refused(two, tmp_path, change):
    document, arrays = model_file._contents(two)
    path = str(tmp_path / "m")
    document["first"], first = model_file._contents(two.first)
    arrays = damaged(arrays, change) | {f"{model_file.FIRST}{name}": one for name, one in first.items()}
    write_archive(path, document, arrays, lambda path: Archive(path, "a model"))
    with pytest.raises(ModelError, match="damaged"):
        model_file.load(path)


@pytest.mark.parametrize("names", [["predicted(lower(word[0]))"], ["predicted(shape(word[0]))"]])
def test_tables_that_are_not_those_of_the_template_are_refused(two, tmp_path, names):
    path = str(tmp_path / "m")
    document, arrays = model_file._contents(two)
    first, own = model_file._contents(two.first)
    document |= {"first": first, "predicted": names}
    arrays |= {f"{model_file.FIRST}{name}": one for name, one in own.items()}
    write_archive(path, document, arrays, lambda path: Archive(path, "a model"))
    with pytest.raises(ModelError, match="does not fit its template"):
        model_file.load(path)


def test_a_model_without_its_first_stage_is_refused(two, tmp_path):
    path = str(tmp_path / "m")
    document, arrays = model_file._contents(two)
    write_archive(path, document, arrays, lambda path: Archive(path, "a model"))
    with pytest.raises(ModelError, match="its stages do not fit together"):
        model_file.load(path)


def test_rare_values_go_first_and_totals_stay():
    rows = {f"word{i}": i for i in range(100)}
    sums = np.arange(1, 201).reshape(100, 2)
    counts = LabelCounts(rows, sums, sums.sum(axis=0))
    kept = largest_counts(counts, 30 * 10)
    assert 5 <= len(kept.rows) <= 15
    assert list(kept.rows) == [f"word{i}" for i in range(100 - len(kept.rows), 100)]
    for word, row in kept.rows.items():
        np.testing.assert_array_equal(kept.sums[row], sums[rows[word]])
    np.testing.assert_array_equal(kept.totals, counts.totals)
    assert largest_counts(counts, 10**6) is counts


def test_of_more_values_than_there_is_room_for_the_first_are_counted(monkeypatch):
    monkeypatch.setattr(predictions, "MOST_VALUES", 3)
    together = CountsOfParts(1)
    for words in (["a", "b"], ["c", "d", "a"], ["d", "b"]):
        rows = {word: row for row, word in enumerate(words)}
        together.add(LabelCounts(rows, np.ones((len(words), 1), np.int64), np.array([len(words)])))
    assert dict(zip(together.counts.rows, together.counts.sums[:, 0].tolist(), strict=True)) == {"a": 2, "b": 2, "c": 1}
    assert together.counts.totals.tolist() == [7]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("predicted(word[end])", "looks at an offset"),
        ("predicted(word[0], 0)", "scale"),
        ("predicted(word[0] | word[end])", "looks at an offset"),
        ("predicted(word[0] | first())", "takes a column or a function of one"),
        ("predicted(word[-50..50] | word[-50..50])", "stands for 10201 features"),
        ("predicted(word[0]) | word[1]", "stands alone"),
        ("predicted(matches(word[0], 'a'))", "takes a column or a function of one"),
        ("predicted[0]", "is a function"),
    ],
)
def test_lines_that_are_none(tmp_path, line, says):
    (tmp_path / "t.yaml").write_text(f"columns: [word, label]\nfeatures:\n  - word[0]\n  - {line}\n")
    with pytest.raises(ConfigError, match=says):
        load_template(str(tmp_path / "t.yaml"))


def test_the_shell_and_python_read_a_text_once_before_they_tag_it(two, tmp_path):
    text = raw(25, 6)
    (tmp_path / "t.txt").write_text(
        "".join("".join(f"{w}\n" for w in text.words("word", s)) + "\n" for s in range(text.sentences))
    )
    model_file.save(two, str(tmp_path / "m"))
    known = in_own_context(two, text, one_by_one)
    ways = {
        "file": known.tagged(known.dataset(text), one_by_one).tolist(),
        "none": two.tagged(two.dataset(text), one_by_one).tolist(),
    }
    assert ways["file"] != ways["none"]

    def labels(*options: str, stdin: str = "") -> list[int]:
        got = run_sstag("tag", "-m", tmp_path / "m", *options, stdin=stdin)
        assert got.returncode == 0, got.stderr
        return [two.labels.index(line.split()[-1]) for line in got.stdout.splitlines() if line]

    path, content = str(tmp_path / "t.txt"), (tmp_path / "t.txt").read_text()
    assert labels(path) == labels(path, "--threads", "2") == labels("--context", "file", stdin=content) == ways["file"]
    assert labels(stdin=content) == labels(path, "--context", "none") == ways["none"]
    assert labels("--stream", stdin=content) == ways["none"]
    for context, way in ((None, "file"), ("file", "file"), ("none", "none")):
        got = sstag.tag(str(tmp_path / "m"), path, context=context)
        assert [two.labels.index(label) for sentence in got for label in sentence] == ways[way]
    refused = run_sstag("tag", "-m", tmp_path / "m", "--stream", "--context", "file", stdin=content)
    assert (refused.returncode, "--stream answers before" in refused.stderr) == (2, True)


def test_a_context_is_for_models_of_two_stages(two, tmp_path):
    model_file.save(two.first, str(tmp_path / "m"))
    (tmp_path / "t.txt").write_text("a\nb\n")
    got = run_sstag("tag", "-m", tmp_path / "m", "--context", "file", tmp_path / "t.txt")
    assert got.returncode == 1
    assert "no feature of this one is predicted" in got.stderr


def test_counting_raw_text_is_told_and_can_be_interrupted(templates):
    inputs, told, warnings = Inputs(templates[1], made_ads(20, 1), raw(60, 2)), list[str](), list[str]()
    trained(inputs, Run(doing=told.append))
    assert told == [f"first look: counting {inputs.unlabelled.tokens:,} tokens of raw text, part 1"]
    told.clear()
    stopped = trained(inputs, Run(doing=told.append, stop=lambda: bool(told), warn=warnings.append))
    assert stopped.first is None
    assert "before the second stage" in warnings[-1]
    np.testing.assert_array_equal(stopped.theta, trained(Inputs(templates[0], made_ads(20, 1))).theta)


def test_a_training_in_two_stages_goes_on_from_its_checkpoint(templates, two, tmp_path):
    inputs = Inputs(templates[1], made_ads(20, 1), raw(60, 2))
    model_file.save(two, str(tmp_path / "whole"))
    warnings: list[str] = []
    for limit in (5, 25, 60, 90):
        seen = itertools.count()
        run = Run(
            stop=lambda seen=seen, limit=limit: next(seen) >= limit,
            checkpoint=Checkpoint(str(tmp_path / "c"), 1),
            warn=warnings.append,
        )
        stopped = trained(inputs, run)
        assert (stopped.first is None) == ("before the second stage" in warnings[-1])
    assert sum("before the second stage" in text for text in warnings) in (1, 2, 3)
    again = trained(inputs, Run(checkpoint=Checkpoint(str(tmp_path / "c"), 1)))
    model_file.save(again, str(tmp_path / "again"))
    assert (tmp_path / "again").read_bytes() == (tmp_path / "whole").read_bytes()
