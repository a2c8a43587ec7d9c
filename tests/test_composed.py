"""Lists of objectives: how they are written, what they add up to, and where the climb begins."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

import sstag
from sstag.corpus.corpus import Corpus
from sstag.features.template import Template
from sstag.foundation.errors import ConfigError
from sstag.foundation.files import contents
from sstag.foundation.parallel import one_by_one
from sstag.foundation.registry import Where, registered
from sstag.model.compiled import compiled
from sstag.model.model import carried_over
from sstag.model.weight_map import weight_map
from sstag.training.configuration import chosen_parameters, configuration, settings
from sstag.training.criterion import Criterion
from sstag.training.inputs import Inputs, Progress, Run
from sstag.training.label_drift import Drift, drift, found_shares, labelled_shares_of
from sstag.training.looks import Part
from sstag.training.methods import METHODS
from sstag.training.methods.completion import completed
from sstag.training.objectives import OBJECTIVES, RegisteredObjective
from sstag.training.objectives.contract import Ground
from sstag.training.objectives.entropy import Entropy
from sstag.training.objectives.likelihood import Likelihood
from sstag.training.objectives.listing import DATA, listed
from sstag.training.parameter_specs import Parameters, number, path
from tests.commands import sstag as sstag_command
from tests.commands import trained_in
from tests.compare import assert_close
from tests.training import accuracy, ads_template, made_ads, partly, raw, trained

RAW = raw(15, 4)


def inputs(labelled=None, unlabelled=RAW, **more) -> Inputs:
    return Inputs(ads_template(), labelled or made_ads(8, 1), unlabelled, **more)


def listing(**entropy):
    return [{"likelihood": {}}, {"entropy": entropy}]


def test_the_method_is_short_for_a_list():
    short = trained(inputs(), method="entropy", gamma=0.2, per="token")
    long = trained(inputs(), method="composed", objectives=listing(gamma=0.2, per="token"))
    assert short.theta.tobytes() == long.theta.tobytes()
    named = trained(inputs(), method="entropy", **{"entropy.gamma": 0.2, "entropy.per": "token"})
    assert named.theta.tobytes() == short.theta.tobytes()
    changed = trained(inputs(), method="composed", objectives=listing(per="token"), **{"entropy.gamma": 0.2})
    assert changed.theta.tobytes() == short.theta.tobytes()
    assert changed.about["parameters"]["objectives"][1]["entropy"]["gamma"] == 0.2


@pytest.mark.parametrize(
    ("objectives", "why"),
    [
        (listing(), "take none"),
        (
            [{"likelihood": {}}, {"expectation": {"expectations": "own.tsv"}}],
            "have lists of their own (--set expectation.expectations=FILE)",
        ),
    ],
)
def test_a_list_that_no_objective_would_read_is_an_error(objectives, why):
    with pytest.raises(
        ConfigError, match=f"^{re.escape(f'a list of expectations is given, but the objectives {why}')}$"
    ):
        trained(inputs(), method="composed", objectives=objectives, expectations="none.tsv")


@pytest.mark.parametrize("labelled", [made_ads(8, 1), partly(10, 1)], ids=["decided", "partial"])
def test_what_is_climbed_is_the_sum_of_its_objectives(labelled):
    model = trained(inputs(labelled), method="entropy", gamma=0.2, l2=0.5)
    made = compiled(ads_template(), labelled, RAW)
    assert weight_map(made).size == len(model.theta)
    labelled_part = Part(made.labelled, (Likelihood(),))
    both = Criterion(weight_map(made), [labelled_part, Part(made.unlabelled, (Entropy(gamma=0.2),))], 0.5, one_by_one)
    assert both(model.theta)[0] == pytest.approx(model.about["objective"], rel=1e-12)
    start = trained(inputs(labelled), method="entropy", gamma=0.2, l2=0.5, max_iterations=0)
    alone = trained(inputs(labelled, None), method="partial", l2=0.5)
    assert both(start.theta)[0] < both(model.theta)[0]
    supervised = Criterion(weight_map(made), [labelled_part], 0.5, one_by_one)
    assert supervised(model.theta)[0] < supervised(carried_over(alone, model))[0]


@pytest.mark.parametrize("more", [{"sample": 3}, {"steps": 2}])
def test_what_is_for_raw_text_needs_an_objective_that_looks_at_it(more):
    with pytest.raises(ConfigError, match=f"^'{next(iter(more))}' is for raw text, at which no objective looks$"):
        trained(inputs(unlabelled=None), method="composed", **more)


def test_raw_text_that_no_objective_looks_at_is_told():
    told: list[str] = []
    trained(inputs(), Run(one_by_one, warn=told.append), "composed", max_iterations=1)
    assert told == ["no objective looks at the raw text: it only says which attributes have weights for which labels"]


def test_a_factor_counts_a_part_so_often():
    made = compiled(ads_template(), made_ads(8, 1), RAW)
    parts = [Part(made.labelled, (Likelihood(),)), Part(made.unlabelled, (Entropy(gamma=0.2),))]
    theta = np.random.default_rng(1).normal(size=weight_map(made).size)
    one, zero, two = (
        Criterion(weight_map(made), [parts[0], replace(parts[1], factor=factor)], 0.0, one_by_one)(theta)
        for factor in (1.0, 0.0, 2.0)
    )
    for index in (0, 1):
        assert_close(two[index] - one[index], one[index] - zero[index], magnitude=1e3)
    assert one[0] != zero[0]


def test_without_entropy_it_is_partial_with_what_raw_text_adds():
    none = trained(inputs(), method="entropy", gamma=0.0, tolerance=1e-9)
    alone = trained(inputs(unlabelled=None), method="partial", tolerance=1e-9)
    test = made_ads(20, 2)
    assert none.weight_map.size > alone.weight_map.size
    assert accuracy(none, test) == pytest.approx(accuracy(alone, test), abs=0.03)


def test_gamma_says_whether_labels_become_surer():
    def entropy(model):
        return sum(model.asked(model.dataset(RAW), one_by_one, lambda _, lattice: lattice.entropy.sum()))

    found = [entropy(trained(inputs(), method="entropy", gamma=gamma)) for gamma in (-0.1, 0.0, 0.1)]
    assert found[0] > 1.2 * found[1] > 1.2**2 * found[2]


def test_steps_lead_from_the_weights_of_one_to_those_of_the_next():
    told: list[Progress] = []
    model = trained(inputs(), Run(one_by_one, tell=told.append), "entropy", gamma=0.2, steps=2)
    phases = list(dict.fromkeys(progress.phase for progress in told))
    assert phases == ["start", "step 1 of 2", "step 2 of 2"]
    half = trained(inputs(), method="entropy", gamma=0.1)
    whole = trained(inputs(init=half), method="entropy", gamma=0.2)
    assert model.theta.tobytes() == whole.theta.tobytes()
    assert model.about["iterations"] == half.about["iterations"] + whole.about["iterations"]


def test_a_sample_of_the_raw_sentences_is_drawn_by_the_seed():
    def fitted(seed, count):
        return sstag.train(ads_template(), made_ads(8, 1), unlabeled=RAW, method="entropy", sample=count, seed=seed)

    one, again, other, whole = fitted(1, 4), fitted(1, 4), fitted(2, 4), fitted(1, 15)
    assert one.theta.tobytes() == again.theta.tobytes()
    assert one.unary.size == other.unary.size  # labels are decided, so the labelled sentences say which there are
    assert one.theta.tobytes() != other.theta.tobytes()
    assert whole.theta.tobytes() == trained(inputs(), method="entropy").theta.tobytes()


@pytest.mark.parametrize(("more", "start"), [({}, "what is labelled"), ({"start": "zero"}, "zero")])
def test_where_the_climb_begins(more, start):
    model = trained(inputs(), method="entropy", max_iterations=0, **more)
    assert model.about["start"] == start
    assert not model.theta.any()
    earlier = trained(inputs(unlabelled=None))
    onward = trained(inputs(init=earlier), method="entropy", max_iterations=0, **more)
    assert onward.about["start"] == "earlier model"
    assert (onward.theta == carried_over(earlier, onward)).all()


def test_stopped_after_the_start_its_weights_are_kept():
    told: list[Progress] = []
    whole = trained(inputs(), Run(one_by_one, tell=told.append), "entropy")
    of_start = whole.about["iterations of the start"]
    assert [progress.phase for progress in told[:of_start]] == ["start"] * of_start
    told.clear()
    model = trained(inputs(), Run(one_by_one, told.append, lambda: len(told) >= of_start), "entropy")
    assert (model.about["iterations"], model.about["converged"]) == (0, False)
    assert model.about["reason"] == "stopped: as requested"
    alone = trained(inputs(), method="composed")
    assert accuracy(model, RAW_LABELLED) == pytest.approx(accuracy(alone, RAW_LABELLED), abs=0.02)


RAW_LABELLED = made_ads(15, 4)


def test_development_data_choose_among_all_weights():
    dev = made_ads(20, 5)
    bad = trained(inputs(development=dev), method="entropy", gamma=2.0)
    start = trained(inputs(development=dev), method="composed")
    assert bad.about["development score"] >= start.about["development score"]


def test_a_text_that_nobody_gave_is_an_error():
    with pytest.raises(ConfigError, match=r"^entropy needs raw text: unlabeled \(--unlabeled FILE\)$"):
        trained(inputs(unlabelled=None), method="entropy")


# ------------------------------------------------------------------ as it is written

WRONG = {
    "{likelihood: {}}": "'objectives' must be a list such as",
    "[]": "'objectives' must be a list such as",
    "[likelihood]": "an objective is its name and its parameters",
    "[{likelihod: {}}]": "there is no objective 'likelihod'; did you mean 'likelihood'?",
    "[{entropy: 3}]": "entropy: its parameters are names and values",
    "[{entropy: {gama: 3}}]": "entropy has no parameter 'gama'; did you mean 'gamma'?",
    "[{entropy: {gamma: big}}]": "'gamma' must be a number, not 'big'",
    "[{entropy: {per: word}}]": "'per' is sentence or token, not 'word'",
    "[{entropy: {per: 3}}]": "'per' is sentence or token, not 3",
    "[{entropy: {data: raw}}]": "'data' is labeled or unlabeled, not 'raw'",
    "[{likelihood: {data: unlabeled}}]": "likelihood looks at labeled text, not at unlabeled",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_list_that_is_none_is_an_error_with_its_line(tmp_path: Path, text: str):
    path = tmp_path / "c.yaml"
    path.write_text(f"method: composed\nobjectives: {text}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=rf"^{re.escape(str(path))}:2: {re.escape(WRONG[text])}"):
        chosen_parameters("composed", configuration(str(path)).parameters)


def test_a_list_for_another_method_is_an_error(tmp_path: Path):
    path = tmp_path / "c.yaml"
    path.write_text("method: crf\nobjectives: [{likelihood: {}}]\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"c.yaml:2: a list of objectives is for the method composed, not crf$"):
        chosen_parameters("crf", configuration(str(path)).parameters)


def test_the_line_is_that_of_the_entry(tmp_path: Path):
    path = tmp_path / "c.yaml"
    path.write_text("objectives:\n- likelihood: {}\n- entropy:\n    gamma: 0.1\n    pre: 1\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"c.yaml:3: entropy has no parameter 'pre'; did you mean 'per'\?"):
        chosen_parameters("composed", configuration(str(path)).parameters)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("entropy.gama=1", "--set: entropy has no parameter 'gama'; did you mean 'gamma'?"),
        ("algorithm=nested", "--set: 'algorithm' is of an objective: say entropy.algorithm"),
        ("entropi.gamma=1", "--set: entropi.gamma: entropi is not in the list of objectives"),
    ],
)
def test_a_parameter_of_no_objective_is_an_error(said, message):
    documents = [*settings([]), *_list_document(), *settings([said])]
    with pytest.raises(ConfigError, match=f"^{re.escape(message)}"):
        chosen_parameters("composed", documents)


def _list_document():
    from sstag.foundation.documents import Document

    return [Document({"objectives": listing()}, {}, "c.yaml")]


def test_of_an_objective_that_stands_twice_a_parameter_must_be_said_in_the_list():
    twice = [*listing(), {"entropy": {"data": "labeled"}}]
    assert [one.name for one in listed(twice)] == ["likelihood", "entropy", "entropy"]
    with pytest.raises(ConfigError, match=r"^entropy.gamma: entropy stands 2 times in the list of objectives$"):
        completed("composed", {"objectives": twice, "entropy.gamma": 1.0})


def write_ads(folder: Path) -> None:
    (folder / "t.yaml").write_text("columns: [word, label]\nfeatures: [word[-1..1]]\n", encoding="utf-8")
    for name, data, columns in (("train", made_ads(8, 1), ("word", "label")), ("raw", RAW, ("word",))):
        sentences = [
            "\n".join(" ".join(row) for row in zip(*(data.words(column, s) for column in columns), strict=True))
            for s in range(data.sentences)
        ]
        (folder / f"{name}.txt").write_text("\n\n".join(sentences) + "\n", encoding="utf-8")


SURER = (
    "the entropy alone makes labels surer without holding their shares, which costs more often than it gains (beside "
    "label-regularization it costs less, and --tune judges gamma)\n"
)


def test_a_configuration_repeats_itself_from_its_report(tmp_path: Path):
    write_ads(tmp_path)
    (tmp_path / "c.yaml").write_text(
        "unlabeled: raw.txt\nobjectives:\n- likelihood: {}\n- entropy: {gamma: 0.05, data: unlabeled}\n"
        "parameters: {steps: 2}\n",
        encoding="utf-8",
    )
    run = trained_in(tmp_path, ["--config", "c.yaml", "--set", "entropy.per=token", "--report", "r.json"])
    assert (run.returncode, run.stderr) == (0, SURER)
    report = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert report["run"]["method"] == "composed"
    assert report["model"]["parameters"]["objectives"] == [
        {one.name: {**one.told(""), DATA: one.data}} for one in listed(listing(gamma=0.05, per="token"))
    ]
    shown = sstag_command("inspect", tmp_path / "m").stdout
    said = "likelihood (data labeled) + entropy (algorithm covariance, data unlabeled, gamma 0.05, per token)"
    assert re.search(rf"^  objectives +{re.escape(said)}$", shown, flags=re.MULTILINE)
    (tmp_path / "again.yaml").write_text(json.dumps(report["run"] | {"model": "n"}), encoding="utf-8")
    again = trained_in(tmp_path, ["--config", "again.yaml", "--model", "n"])
    assert (again.returncode, again.stderr) == (0, SURER)
    assert (tmp_path / "m").read_bytes() == (tmp_path / "n").read_bytes()
    short = ["--method", "entropy", "--unlabeled", "raw.txt", "--set", "gamma=0.05", "--set", "per=token"]
    trained_in(tmp_path, [*short, "--set", "steps=2", "--model", "s"])
    assert (sstag.load(tmp_path / "s").theta == sstag.load(tmp_path / "m").theta).all()


# ------------------------------------------------------------------ an objective that needs a file and the text


@dataclass(frozen=True)
class Wanted:
    """The expected number of tokens of some words that have the first label."""

    tokens: np.ndarray
    strength: float
    slope = None

    def side(self, data, chunk):
        return self.tokens[chunk.tokens]

    def gather(self, lattice, side):
        return np.array([lattice.nodes[side, 0].sum()])

    def close(self, statistics):
        return self.strength * float(statistics[0]), np.full(1, self.strength)

    def push(self, lattice, side, slope):
        unary = np.zeros_like(lattice.potentials.unary)
        unary[side, 0] = slope[0]
        return lattice.covariance(lattice.potentials.with_values(unary, np.zeros_like(lattice.potentials.edge)))

    def curvature(self, lattice, side):
        return None


class Words:
    """A list of words, and what an objective's file has to say of itself."""

    def __init__(self, path: str, template: Template, text: Corpus) -> None:
        assert template.columns == ("word", "label")
        assert text is RAW
        data = contents(path, 1000)
        self.path, self.digest, self.words = path, sha256(data).hexdigest(), data.decode().split()
        self.labels: set[str] = set()
        self.about = {"words": len(self.words)}

    def odd(self, known: Sequence[str]) -> list[str]:
        return [f"{len(self.words)} words, {len(known)} labels"]


@dataclass(frozen=True)
class WantedParameters(Parameters):
    words: str = path("a list of words")
    strength: float = number(1.0, "how much it counts")


def wanted(parameters: WantedParameters, ground: Ground, opened: Words) -> Wanted:
    assert ground.data is ground.compiled.unlabelled
    texts = [word for s in range(ground.corpus.sentences) for word in ground.corpus.words("word", s)]
    return Wanted(np.array([text in opened.words for text in texts]), parameters.strength)


def test_an_objective_is_given_a_file_and_the_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    entry = RegisteredObjective(
        Where("tests.test_composed:wanted"),
        "words that should have the first label",
        WantedParameters,
        reads=Where("tests.test_composed:Words"),
    )
    monkeypatch.setitem(OBJECTIVES, "wanted", entry)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep/words.txt").write_text("rent\nkitchen\n", encoding="utf-8")
    (tmp_path / "deep/c.yaml").write_text(
        "objectives: [{likelihood: {}}, {wanted: {words: words.txt}}]", encoding="utf-8"
    )
    asked = configuration(str(tmp_path / "deep/c.yaml"))
    assert asked.chosen_method == "composed"
    chosen = chosen_parameters("composed", [*asked.parameters, *settings(["wanted.strength=100"])])
    warned: list[str] = []
    run = Run(one_by_one, warn=warned.append)
    model = registered(METHODS["composed"].where)(inputs(), chosen, np.random.default_rng(1), run)
    assert warned[0] == f"2 words, {len(model.labels)} labels"
    assert [text.partition(":")[0] for text in warned[1:]] == ["the raw text drifts to one label"]
    assert model.about["wanted"] == {"words": 2}
    without = trained(inputs(), method="composed")
    assert model.labels[0] == "address"

    def share(tagger):
        tags = tagger.tagged(tagger.dataset(RAW), one_by_one)
        words = [word for s in range(RAW.sentences) for word in RAW.words("word", s)]
        return np.mean([tags[t] == 0 for t, word in enumerate(words) if word in ("rent", "kitchen")])

    assert share(without) == 0.0
    assert share(model) > 0.9
    told = model.about["parameters"]["objectives"][1]["wanted"]
    assert told == {"words": told["words"], "strength": 100.0, "data": "unlabeled"}
    assert re.fullmatch("[0-9a-f]{64}", told["words"])


# ------------------------------------------------------------------ all labels the same


def test_raw_text_that_drifts_to_one_label_is_warned_of():
    warned: list[str] = []
    run = Run(one_by_one, warn=warned.append)
    model = trained(inputs(), run, "entropy", gamma=3.0, l2=1.0)
    assert model.about["raw text"]["share"] > 0.9
    costs, drifts = warned
    assert costs + "\n" == SURER
    assert re.fullmatch(
        r"the raw text drifts to one label: \d+\.\d % of its tokens are '\w+' now \(\d+\.\d % at the start, "
        r"\d+\.\d % in the labelled text\): gamma is too large \(lower it, or keep the shares: --method "
        r"label-regularization\)",
        drifts,
    )
    warned.clear()
    trained(inputs(made_ads(30, 1)), run, "entropy", gamma=0.01, l2=1.0)
    assert warned == [costs]


def test_shares_are_those_of_the_labels_found():
    model = trained(inputs(), method="entropy", gamma=0.01)
    made = compiled(ads_template(), made_ads(8, 1), RAW)
    found = drift(
        made.labels, found_shares(made, made.unlabelled, model.theta, one_by_one), None, labelled_shares_of(made)
    )
    tags = model.tagged(model.dataset(RAW), one_by_one)
    assert found.share == max(np.bincount(tags)) / len(tags) == model.about["raw text"]["share"]
    assert found.label == model.labels[np.bincount(tags).argmax()]
    assert found.start is None
    gold = [label for s in range(8) for label in made_ads(8, 1).words("label", s)]
    assert found.labelled == gold.count(found.label) / len(gold)


@pytest.mark.parametrize(
    ("share", "start", "labelled", "warns"),
    [
        (0.99, 0.9, 0.9, True),
        (0.96, 0.9, 0.9, True),
        (0.94, 0.9, 0.9, False),
        (0.99, 0.985, 0.9, False),  # it was so from the start
        (0.96, 0.8, 0.95, False),  # and should be
        (0.96, None, 0.9, True),
        (0.99, None, None, False),
        (1.0, 1.0, 1.0, False),
    ],
)
def test_a_drift_leaves_less_than_half_of_the_other_labels(share, start, labelled, warns):
    assert (Drift("O", share, start, labelled).warning("lower it") is not None) == warns
