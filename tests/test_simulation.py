"""Simulated annotation: nothing is known but what was asked, nothing is asked twice, warm starts change no optimum."""

import json
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import click
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sstag.corpus.corpus import Corpus, with_column
from sstag.experiments.curves import PoolRows, needed, starts, tables
from sstag.experiments.page import Table
from sstag.foundation.errors import ConfigError
from sstag.interfaces.cli.curve import totals_in
from sstag.selection.budget import Budget
from sstag.selection.candidates import Pool
from sstag.selection.choosing import Wish
from sstag.selection.density.file import density_of_text
from sstag.selection.simulation import rounds as simulation
from sstag.selection.simulation.annotator import OPEN, Annotator, nothing_known
from sstag.selection.simulation.rounds import SENTENCES, TOKENS, Round, Scene, learned, next_round, rounds
from sstag.selection.simulation.variant import variant
from sstag.selection.strategies import BY, STRATEGIES
from sstag.training.methods.parameters import Training
from tests.datasets import corpus
from tests.models import PLAIN
from tests.training import ads_template, made_ads

EVERY = [
    *STRATEGIES,
    *(f"quota:by={by}" for by in BY),
    *(f"{name}:spans" for name, entry in STRATEGIES.items() if entry.spans),
    "entropy:diverse=0.4",
    "sesal:confidence=0.2",
]
every_variant = pytest.mark.parametrize("text", EVERY)
TERMS = ((".",), ("no", "pets"))


def scene(data: Corpus, **more) -> Scene:
    annotator = Annotator(data, "label")
    return Scene(ads_template(), annotator, density=density_of_text([annotator.text]), **more)


def few_ads() -> Corpus:
    return made_ads(12, 3)


def simulated(data: Corpus, text: str, totals=(60, 90, 130, 200), unit=TOKENS, **more) -> list[Round]:
    terms = TERMS if "spans" in text else None
    return list(rounds(scene(data, terms=terms, **more), variant(text, 4).wish, totals, unit))


# ---------------------------------------------------------------------- what is known


@every_variant
@pytest.mark.parametrize("unit", [TOKENS, SENTENCES])
def test_nothing_is_known_but_what_was_asked_and_nothing_is_asked_twice(text, unit):
    data = few_ads()
    totals = (90, 130, 200) if unit == TOKENS else (2, 4, 7)
    column = data.column("label")
    gold = np.array(data.values[column], object)[data.codes[column]]
    asked, count, before = np.zeros(data.tokens, bool), 0, None
    made = simulated(data, text, totals, unit)
    assert made
    for one in made:
        tokens = one.choice.candidates.tokens
        assert len(tokens) == len(set(tokens.tolist()))
        assert not asked[tokens].any()
        asked[tokens] = True
        count += len(one.choice.candidates)
        said = np.array(one.known.texts, object)[one.known.labels]
        assert (one.known.asked == asked).all()
        assert (said[asked] == gold[asked]).all()
        own = (one.known.labels != OPEN) & ~asked
        assert own.any() <= text.startswith("sesal")
        if before:  # what a model labelled itself stays as it was
            known = before.known.labels != OPEN
            assert (said[known] == np.array(before.known.texts, object)[before.known.labels[known]]).all()
        labelled = one.known.labelled
        assert labelled.sentences == one.sentences
        assert one.tokens == int(asked.sum())
        assert (one.tokens if unit == TOKENS else count) <= totals[-1]
        before = one


@every_variant
def test_labels_that_were_not_asked_for_change_nothing(text):
    """Other labels at every token that is not asked for change neither choices nor weights."""
    data = few_ads()
    made = simulated(data, text)
    column = data.column("label")
    labels = [data.values[column][code] for code in data.codes[column].tolist()]
    hidden = ~made[-1].known.asked
    assert hidden.any()
    others = ["unheard-of" if hide else label for hide, label in zip(hidden.tolist(), labels, strict=True)]
    texts = list(dict.fromkeys(others))
    changed = with_column(data, "label", texts, np.array([texts.index(label) for label in others], np.int32))
    again = simulated(changed, text)
    assert len(made) == len(again)
    for one, other in zip(made, again, strict=True):
        assert (one.choice.candidates.tokens == other.choice.candidates.tokens).all()
        assert one.model.labels == other.model.labels
        assert (one.model.theta == other.model.theta).all()


def test_strategies_see_no_labels(monkeypatch):
    seen: list[Pool] = []
    chosen = simulation.chosen
    monkeypatch.setattr(simulation, "chosen", lambda pool, *rest: seen.append(pool) or chosen(pool, *rest))
    simulated(few_ads(), "entropy")
    assert len(seen) == 4
    assert all("label" not in pool.corpus.columns for pool in seen)


def test_strategies_of_a_draw_begin_alike_and_draws_do_not():
    data = few_ads()
    first = {text: simulated(data, text, (60,))[0].choice.candidates.sentence.tolist() for text in EVERY}
    alike = [text for text in EVERY if not text.startswith("quota")]
    assert {tuple(first[text]) for text in alike} == {tuple(first["random"])}
    other = next(rounds(scene(data), variant("random", 5).wish, [60], TOKENS))
    assert other.choice.candidates.sentence.tolist() != first["random"]
    quota = simulated(data, "entropy", (60,), first="quota")[0]
    assert quota.choice.candidates.sentence.tolist() == first["quota"]


def test_a_total_without_room_has_no_round_and_an_end_is_an_end():
    data = corpus([[("a", "A"), ("b", "B")], [("c", "A"), ("d", "B")], [("e", "A"), ("f", "B")]], ["word", "label"])
    case = replace(scene(data), template=letters())
    assert [one.tokens for one in rounds(case, Wish("random", Budget(1)), [1, 2, 3, 4, 9, 10], TOKENS)] == [2, 4, 6]
    assert [one.sentences for one in rounds(case, Wish("random", Budget(1)), [2, 9], SENTENCES)] == [2, 3]
    for wrong in ([], [0, 1], [2, 2], [3, 1]):
        with pytest.raises(ConfigError, match="the totals of a curve"):
            list(rounds(case, Wish("random", Budget(1)), wrong, TOKENS))


# ---------------------------------------------------------------------- a pool whose best answer is known


def letters():
    return replace(ads_template(), features=ads_template().features[:1])


@pytest.mark.parametrize("text", ["fusal", "sesal", "margin", "entropy", "token-entropy", "span-entropy"])
def test_what_teaches_something_is_asked_for_first(text):
    """Of 21 sentences 20 say what is known already; the model needs the other one, and is never wrong after it."""
    known = [[("a", "A"), ("b", "B")] * (n + 1) for n in range(20)]
    data = corpus([*known, [("x", "B"), ("y", "A"), ("x", "B"), ("y", "A")]], ["word", "label"])
    case = replace(scene(data, marks=PLAIN_BUT_OPEN, parameters=Training(l2=0.01)), template=letters())
    first = told(case, [0, 1, 2, 3, 4, 5, 6])
    found = next_round(case, replace(variant(text).wish, budget=Budget(1), seed=1), first)
    assert found is not None
    assert found.choice.candidates.sentence.tolist() == [20]
    labels = [found.model.labels[y] for y in found.model.tagged(found.model.dataset(data), case.over)]
    assert labels[-4:] == ["B", "A", "B", "A"] or text == "sesal"  # which keeps what it was wrongly sure of


PLAIN_BUT_OPEN = replace(PLAIN, unknown="?")


def told(case: Scene, sentences: list[int]) -> Round:
    """A round in which some sentences were asked for."""
    known = nothing_known(case.annotator, "?")
    tokens = np.flatnonzero(np.isin(np.repeat(np.arange(known.text.sentences), np.diff(known.text.offsets)), sentences))
    known = known.with_labels(tokens, case.annotator.labels_of(tokens), asked=True)
    model = learned(case, known, None)
    return Round(known, model, None)  # type: ignore[arg-type]  # nobody asks how they were chosen


def test_sesal_learns_from_its_own_labels_and_pays_for_none():
    data = few_ads()
    made = simulated(data, "sesal:confidence=0.2")
    last = made[-1]
    own = (last.known.labels != OPEN) & ~last.known.asked
    assert own.sum() > 20
    before = made[-2].model
    where = replace(last.choice.candidates, asked=None).tokens
    rest = where[~last.choice.candidates.asked[where]]
    guessed = np.array(before.labels, object)[before.tagged(before.dataset(data), lambda f, i: list(map(f, i)))]
    assert (np.array(last.known.texts, object)[last.known.labels[rest]] == guessed[rest]).all()
    column = last.known.labelled.column("label")
    assert "?" not in last.known.labelled.values[column]


# ---------------------------------------------------------------------- warm starts


@pytest.mark.parametrize("text", ["entropy", "sesal:confidence=0.2"])
def test_warm_starts_find_the_optimum_of_cold_ones(text):
    """Every label of what is learned from is decided, so the criterion is concave and there is one optimum."""
    strict = Training(l2=1.0, tolerance=1e-13)
    made = simulated(few_ads(), text, parameters=strict)
    for before, one in pairwise(made):
        case = scene(few_ads(), parameters=strict)
        cold = learned(case, one.known, None)
        assert one.model.about["start"] == "earlier model"
        assert cold.about["start"] == "zero"
        assert one.model.about["objective"] == pytest.approx(cold.about["objective"], rel=1e-9)
        assert one.model.about["carried over"] > 0
        assert weights(one.model) == pytest.approx(weights(cold), abs=1e-3)
        assert before.model is not one.model


def weights(model) -> dict:
    """Each attribute's weights by their names, which stand in another order if labels were known before."""
    pairs, theta = model.weight_map.unary.pairs, model.theta
    owner = np.repeat(np.arange(len(pairs.indptr) - 1), np.diff(pairs.indptr))
    names = list(model.unary.texts())
    return {
        (names[a], model.labels[y]): float(theta[i])
        for i, (a, y) in enumerate(zip(owner.tolist(), pairs.labels.tolist(), strict=True))
    }


def test_cold_starts_can_be_asked_for():
    made = simulated(few_ads(), "random", (60, 120), warm=False)
    assert [one.model.about["start"] for one in made] == ["zero", "zero"]


# ---------------------------------------------------------------------- strategies in a word


def test_strategies_in_a_word():
    assert variant("entropy").wish == Wish("entropy", Budget(1))
    made = variant("span-entropy:spans,diverse=0.5,terms=names.txt", 7)
    assert made.wish == Wish("span-entropy", Budget(1), spans=True, alike=0.5, seed=7)
    assert made.files == ["names.txt"]
    assert variant("quota:by=q-per-token,density=d").files == ["d"]
    assert variant("sesal:confidence=0.5").wish.confidence == 0.5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("entropi", "there is no strategy 'entropi'; did you mean 'entropy'"),
        ("entropy:spans", "entropy asks for whole sentences"),
        ("quota:by=lenght", "did you mean 'length'"),
        ("entropy:by=length", "by is nothing that entropy goes by"),
        ("fusal:confidence=0.5", "confidence is nothing that fusal goes by"),
        ("quota:by=length,density=d", "density is nothing that quota goes by"),
        ("entropy:divers=0.5", "there is no option 'divers'; did you mean 'diverse'"),
        ("entropy:diverse=much", "'much' is no number"),
        ("entropy:diverse", "write diverse=…"),
        ("token-entropy:spans=yes", "write spans"),
        ("sesal:confidence=0", "a confidence is a probability above 0"),
    ],
)
def test_words_that_stand_for_nothing(text, message):
    with pytest.raises(ConfigError, match=message):
        variant(text)


def test_totals_are_lists_and_ranges():
    assert totals_in("5") == [5]
    assert totals_in("5, 10,20:41:10") == [5, 10, 20, 30, 40]
    for wrong in ("", "x", "1:2", "3,2", "2,2", "0", "1:9:0", "1:999999999:1", "-1"):
        with pytest.raises(click.BadParameter):
            totals_in(wrong)


# ---------------------------------------------------------------------- what is said of curves


@given(st.lists(st.floats(0, 100), min_size=1, max_size=6), st.floats(0, 100))
def test_where_a_height_is_first_reached(y, target):
    x = [10.0 * (i + 1) for i in range(len(y))]
    found = needed(x, y, target)
    assert (found is None) == (max(y) < target)
    if y[0] >= target:
        assert found == x[0]
    elif found is not None:
        assert np.interp(found, x, y) == pytest.approx(target, abs=1e-6)
        fine = np.linspace(x[0], found, 50)[:-1]
        assert (np.interp(fine, x, y) <= target + 1e-6).all()


def test_tables_of_curves_by_hand():
    def row(strategy, draw, number, tokens, score, own=0, wrong=0):
        return {"strategy": strategy, "draw": draw, "round": number, "tokens": tokens, "sentences": tokens // 10,
                "score": score, "own": own, "own wrong": wrong, "measure": "f1"}  # fmt: skip

    rows = [row("random", d, n, 100 * n, 20.0 * n + d) for d in (1, 2) for n in (1, 2, 3)]
    rows += [row("sesal", d, n, 100 * n, 30.0 * n + d, 10 * n, n) for d in (1, 2) for n in (1, 2, 3)]
    scores, tokens, sentences, last, own = (one for one in tables(PoolRows(rows, "Pool"), made_curves(rows)))
    assert all(isinstance(one, Table) for one in (scores, tokens, sentences, last, own))
    assert scores.head == ("strategy", "≈ 100", "≈ 200", "≈ 300")
    assert [cell.mean for cell in scores.rows[0][1:]] == [21.5, 41.5, 61.5]
    assert tokens.head == ["strategy", "F₁ 41.50: tokens", "saved, %", "F₁ 61.50: tokens", "saved, %"]
    assert tokens.rows[0] == ["random", 200, 0.0, 300, 0.0]
    assert tokens.rows[1][:2] == ["sesal", 133]
    assert tokens.rows[1][2] == pytest.approx(100 * (1 - (100 + 1000 / 30) / 200))
    assert tokens.rows[1][3:] == [200, pytest.approx(100 / 3)]
    assert sentences.rows[1][3:] == [20, pytest.approx(100 / 3)]
    assert last.rows[1][4].mean == 30.0
    assert last.rows[1][5:] == ["2 of 2", "too few draws"]
    assert [cell.mean for cell in own.rows[0][1:]] == [300.0, 30.0, 10.0]


def test_a_cold_start_without_an_iteration_has_no_ratio():
    row = {"tokens": 5, "warm seconds": 0.1, "cold seconds": 0.2, "warm iterations": 0, "cold iterations": 0}
    (table,) = starts([row | {"warm score": 40.0, "cold score": 41.0}], "Pool")
    assert table.rows == [["5 tokens", 0.1, 0.2, 0.5, 0, 0, None, 1.0], ["all", 0.1, 0.2, 0.5, 0, 0, None, 1.0]]


def made_curves(rows):
    from sstag.experiments.curves import curves

    return curves(PoolRows(rows, "Pool"))


# ---------------------------------------------------------------------- the command


def sstag(*arguments: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-m", "sstag", *arguments], cwd=cwd, capture_output=True, text=True)


TEMPLATE = 'columns: [word, field]\nfeatures: ["word[0]", "lexicon(word[0], terms.txt)"]\n'
FILES = ["--pool", "ads/train.txt", "--test", "ads/test.txt", "--template", "t.yaml"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("curve")
    (made / "t.yaml").write_text(TEMPLATE, encoding="utf-8")
    (made / "terms.txt").write_text(".\nno pets\n", encoding="utf-8")
    run = sstag("sample", "ads", "ads", "--train", "25", "--dev", "0", "--test", "5", "--unlabeled", "0", cwd=made)
    assert run.returncode == 0, run.stderr
    return made


def test_every_strategy_has_a_curve(folder):
    every = [*EVERY, "span-entropy:spans,terms=terms.txt", "random:spans,terms=terms.txt"]
    every = [text for text in every if text not in ("random:spans", "span-entropy:spans")]
    asked = [word for text in every for word in ("--strategy", text)]
    line = [
        "experiment",
        "curve",
        *FILES,
        *asked,
        "--tokens",
        "100,140",
        "--draws",
        "2",
        "--out",
        "out",
        "--set",
        "l2=2",
    ]
    run = sstag(*line, cwd=folder)
    assert run.returncode == 0, run.stderr
    assert {"README.md", "page.json", "runs.jsonl"} <= {path.name for path in (folder / "out").iterdir()}
    log = [json.loads(one) for one in (folder / "out/runs.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [one["settings"]["strategy"] for one in log[:-1]] == 2 * every
    assert all(one["settings"]["parameters"] == {"l2": 2} for one in log)
    page = json.loads((folder / "out/page.json").read_text(encoding="utf-8"))
    assert set(page["data"]) == {"ads/train.txt", "ads/test.txt", "t.yaml", "terms.txt"}
    assert "warm, s" in run.stdout
    before = (folder / "out/runs.jsonl").read_bytes()
    again = sstag(*line, "--processes", "1", cwd=folder)  # what is kept is not run again: seconds would differ
    assert (again.stdout, (folder / "out/runs.jsonl").read_bytes()) == (run.stdout, before)
    (folder / "out/runs.jsonl").write_bytes(b"\n".join(before.split(b"\n")[3:]))
    sstag(*line, cwd=folder)
    assert (folder / "out/runs.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("more", "code", "message"),
    [
        ([], 2, "how much in each round? --tokens, or --count"),
        (["--tokens", "9", "--count", "9"], 2, "how much in each round?"),
        (["--tokens", "9,8"], 2, "each total is above the one before"),
        (["--tokens", "9", "--strategy", "entropi"], 1, "there is no strategy 'entropi'"),
        (["--tokens", "9", "--strategy", "random"], 1, "a strategy is given twice"),
        (["--tokens", "9", "--first", "entropy"], 1, "entropy asks a model, and at first there is none"),
        (["--tokens", "9", "--set", "l3=1"], 1, "no parameter 'l3'"),
        (["--tokens", "1"], 1, "no sentence fits"),
    ],
)
def test_mistakes_of_the_command(folder, more, code, message):
    run = sstag("experiment", "curve", *FILES, "--strategy", "random", "--out", "wrong", *more, cwd=folder)
    assert (run.returncode, message in run.stderr) == (code, True), run.stderr
    assert "Traceback" not in run.stderr


def test_rounds_without_an_iteration_have_no_ratio():
    row = {"tokens": 5, "warm seconds": 0.0, "cold seconds": 0.5, "warm iterations": 0, "cold iterations": 0}
    (table,) = starts([row | {"warm score": 50.0, "cold score": 52.0}], "pool")
    assert table.rows[0] == ["5 tokens", 0.0, 0.5, 0.0, 0, 0, None, 2.0]
