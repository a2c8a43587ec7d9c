"""`constraint-driven`: a round as the paper says it, by every labelling; its limits; and what its model does."""

import json
from collections import Counter
from dataclasses import replace
from itertools import chain, pairwise, product
from math import exp, log

import numpy as np
import pytest
from click.testing import CliRunner

from sstag.features.reading import template
from sstag.foundation.errors import ConfigError, DataError, ModelError
from sstag.foundation.parallel import one_by_one
from sstag.interfaces.cli import sstag
from sstag.model.model_file import load, save
from sstag.model.questions import Question
from sstag.model.tagging import answered, sure_labels
from sstag.training.inputs import Inputs, Run
from tests.datasets import corpus
from tests.model_files import rewritten
from tests.training import accuracy, made_ads, raw, trained, weights_by_name

WORDS = template("columns: [word, label]\nfeatures: [word[0]]\n", "made.yaml")
LABELS = ("X", "Y", "Z")
FEW = [[("a", "X"), ("b", "Y"), ("a", "X")], [("c", "Z"), ("b", "X")], [("a", "Y"), ("d", "Y"), ("e", "Z")]]
RAW = [["a", "b", "f"], ["g", "a"], ["c"], ["f", "f", "b", "a"]]
RULES = """rules:
- once: all
- if: word[0]=f
  then: Z
  penalty: 1.5
- contains: [Y, Z]
- first: X
"""
DELTA, MIXING = 0.1, 0.7


@pytest.fixture
def learned(tmp_path):
    def of(said=RULES, few=FEW, text=RAW, run=None, **given):
        (tmp_path / "rules.yaml").write_text(said, encoding="utf-8")
        raw_text = corpus([[(word,) for word in words] for words in text], ("word",), "raw.txt")
        inputs = Inputs(WORDS, corpus(few), raw_text)
        settings = {"smoothing": DELTA, "mixing": MIXING, "rules": str(tmp_path / "rules.yaml")}
        return trained(inputs, run, "constraint-driven", **settings | given)

    (tmp_path / "rules.yaml").write_text(RULES, encoding="utf-8")
    of.rules = str(tmp_path / "rules.yaml")
    return of


def textbook(text, labelled, every_word):
    """An HMM as {(word, label): p}, {(label, label): p}, None for unknown and the ends, of (words, labels, weight)."""
    times = Counter(word for words in text for word in words)
    emitted, steps = Counter(), Counter()
    for words, labels, weight in labelled:
        for word, label in zip(words, labels, strict=True):
            emitted[word, label] += weight
            emitted[None, label] += weight * (times[word] == 1)
        for step in pairwise([None, *labels, None]):
            steps[step] += weight
    known, unseen = [*times, None], set(every_word) - set(times)
    emission = {}
    for word, y in product([*every_word, None], LABELS):
        whole = sum(emitted[other, y] + DELTA for other in known)
        share = 1 if word in times else len(unseen) + 1
        emission[word, y] = (emitted[word if word in times else None, y] + DELTA) / whole / share
    after = {None: LABELS} | dict.fromkeys(LABELS, (*LABELS, None))
    step = {
        (a, b): (steps[a, b] + DELTA) / sum(steps[a, other] + DELTA for other in after[a])
        for a in after
        for b in after[a]
    }
    return emission, step


def penalty(words, labels, costs):
    """The cost of a labelling under the RULES, counted by hand."""
    blocks = [b for a, b in pairwise([None, *labels]) if a != b]
    violated = (
        len(blocks) - len(set(blocks)),
        sum(word == "f" and label != "Z" for word, label in zip(words, labels, strict=True)),
        {"Y", "Z"}.isdisjoint(labels),
        labels[0] != "X",
    )
    return sum(cost * times for cost, times in zip(costs, violated, strict=True))


def by_hand(rounds, k, costs):
    """The probabilities after some rounds, every labelling written down."""
    every_word = sorted({word for sentence in FEW for word, _ in sentence} | {word for words in RAW for word in words})
    texts = [[word for word, _ in sentence] for sentence in FEW]
    gold = [[label for _, label in sentence] for sentence in FEW]
    start = now = textbook(texts, [(w, y, 1.0) for w, y in zip(texts, gold, strict=True)], every_word)
    for _ in range(rounds):
        found = []
        for words in RAW:
            ranked = []
            for labels in product(LABELS, repeat=len(words)):
                score = sum(log(now[1][step]) for step in pairwise([None, *labels, None]))
                score += sum(log(now[0][pair]) for pair in zip(words, labels, strict=True))
                ranked.append((score - penalty(words, labels, costs), labels))
            best = sorted(ranked, key=lambda one: -one[0])[:k]
            found += [(words, labels, 1 / len(best)) for _, labels in best]
        raw = textbook(RAW, found, every_word)
        now = tuple(
            {key: MIXING * old[key] + (1 - MIXING) * new[key] for key in old}
            for old, new in zip(start, raw, strict=True)
        )
    return now


COSTS = [-log(2 / 9), 1.5, -log(1 / 5), -log(3 / 5)]  # (violations + 1) / (places + 2) in FEW
OF_TOKENS = "rules:\n- if: word[0]=f\n  then: Z\n  penalty: 1.5\n- first: X\n"
COSTS_OF_TOKENS = [0.0, 1.5, 0.0, -log(3 / 5)]


@pytest.mark.parametrize(
    ("rules", "costs", "rounds", "beam"),
    [
        (RULES, COSTS, 0, 5),
        (RULES, COSTS, 2, 100),  # sentences have 3 to 81 labellings
        (OF_TOKENS, COSTS_OF_TOKENS, 3, 1),  # without rules for whole sentences a beam is exact
        (OF_TOKENS, COSTS_OF_TOKENS, 2, 5),
    ],
)
def test_rounds_are_as_by_hand(learned, rules, costs, rounds, beam):
    model = learned(rules, rounds=rounds, beam=beam)
    emission, step = by_hand(rounds, beam, costs)
    weights = weights_by_name(model)
    for (word, y), p in emission.items():
        name = "word[0] else unknown" if word is None else f"word[0]={word}"
        assert exp(weights[name, y]) == pytest.approx(p, rel=1e-9)
    for (a, b), p in step.items():
        name = ("begin", b) if a is None else ("end", a) if b is None else ("step", a, b)
        assert exp(weights[name]) == pytest.approx(p, rel=1e-9)
    assert [len(model.about["rounds"]), model.about["reason"], model.about["converged"]] == [
        rounds, f"{rounds} round{'s' * (rounds != 1)}", True,
    ]  # fmt: skip


def test_a_model_labels_with_the_beam_it_learned_with(tmp_path):
    (tmp_path / "r.yaml").write_text("rules:\n- once: all\n  penalty: 4\n", encoding="utf-8")
    inputs = Inputs(template("columns: [word, label]\nfeatures: [word[0]]\n", "made.yaml"), made_ads(10, 1), raw(5, 4))
    model = trained(inputs, None, "constraint-driven", rules=str(tmp_path / "r.yaml"), rounds=1, beam=30)
    assert model.beam == 30
    test = model.dataset(made_ads(30, 2))
    narrow = replace(model, beam=1)
    assert (model.tagged(test, one_by_one) != narrow.tagged(test, one_by_one)).any()


def test_rules_look_at_their_own_tokens_wherever_a_text_is_cut(learned, monkeypatch):
    model = learned("rules:\n- if: word[0]=f\n  then: Y\n  penalty: 1000\n", rounds=0)
    words = [["a", "b"], ["a"], ["f", "b"], ["b", "a", "f"], ["c"], ["f"]]
    monkeypatch.setattr("sstag.model.batches.CELLS", 6)
    data = model.dataset(corpus([[(word,) for word in sentence] for sentence in words], ("word",)))
    found = [model.labels[label] for label in model.tagged(data, one_by_one)]
    free = [model.labels[label] for label in replace(model, rules=None).tagged(data, one_by_one)]
    assert [label for label, word in zip(found, chain(*words), strict=True) if word == "f"] == ["Y"] * 3
    assert [label for label, word in zip(free, chain(*words), strict=True) if word == "f"] != ["Y"] * 3


def test_sentences_count_for_what_rules_cost(learned):
    few, heavy = [FEW[0], FEW[2]], [FEW[0], FEW[0], FEW[2]]
    told = []
    for sentences, weights in ((few, [2.0, 1.0]), (heavy, None)):
        inputs = Inputs(
            WORDS, replace(corpus(sentences), weights=weights and np.array(weights)), corpus([[("a",)]], ("word",))
        )
        told.append(trained(inputs, None, "constraint-driven", rules=learned.rules).about["rules"])
    assert told[0] == told[1]


@pytest.mark.parametrize("beam", [1, 2, 5])
def test_a_few_labellings_are_those_by_hand_where_rules_are_for_tokens(learned, beam):
    """Then the beam is exact: no rule is for whole sentences."""
    model = learned("rules:\n- first: X\n  penalty: 0\n", rounds=2, beam=beam)
    rules = "rules:\n- once: all\n  penalty: 0\n- contains: Y\n  penalty: 0\n"
    assert weights_by_name(learned(rules, rounds=2, beam=beam)) == pytest.approx(weights_by_name(model), abs=1e-12)
    assert weights_by_name(learned(rules, rounds=2, beam=60)) != pytest.approx(weights_by_name(model), abs=1e-3)


def test_penalties_come_from_the_labelled_sentences(learned):
    told = learned(few=[*FEW, [("a", "X"), ("f", "?")]]).about["rules"]
    assert [one["rule"] for one in told] == ["once: all", "if: word[0]=f, then: Z", "contains: Y, Z", "first: X"]
    assert [(one["violations"], one["places"]) for one in told] == [(1, 7), (0, 0), (0, 3), (2, 3)]
    rates = (2 / 9, None, 1 / 5, 3 / 5)
    assert [one["penalty"] for one in told] == pytest.approx([1.5 if rate is None else -log(rate) for rate in rates])


def test_all_the_share_of_the_labelled_is_an_hmm_that_knows_more_words(learned):
    model = learned(mixing=1.0)
    hmm = trained(Inputs(WORDS, corpus(FEW)), method="hmm")
    ours, theirs = weights_by_name(model), weights_by_name(hmm)
    fewer = {name for name in theirs if name[0] != "word[0] else unknown"}
    assert {name: ours[name] for name in fewer} == pytest.approx({name: theirs[name] for name in fewer}, abs=1e-12)
    for y in LABELS:  # f and g share what unknown words have
        assert ours["word[0]=f", y] == pytest.approx(theirs["word[0] else unknown", y] - log(3))
    assert ours == weights_by_name(learned(rounds=0))


def test_a_model_labels_by_its_rules_wherever_it_is_asked(learned, tmp_path):
    """A model labels, ranks and rates alike in memory and from a file; its probabilities know nothing of rules."""
    model = learned(RULES.replace("contains: [Y, Z]", "contains: [Y, Z]\n  penalty: 20"))
    save(model, str(tmp_path / "m"))
    back = load(str(tmp_path / "m"))
    assert (back.rules, back.beam) == (replace(model.rules, listed=back.rules.listed), 50)
    text = corpus([[("a",)], [("f",), ("a",), ("q",)]], ("word",))
    free = replace(model, rules=None)
    plain = free.tagged(free.dataset(text), one_by_one)
    assert model.labels[plain[0]] == "X"
    for one in (model, back):
        labels = one.tagged(one.dataset(text), one_by_one)
        assert one.labels[labels[0]] in ("Y", "Z")
        asked = answered(one, text, Question(confidence=True, best=30), one_by_one)
        assert (asked.labels == labels).all()
        assert (sure_labels(one, text, one_by_one)[0] == labels).all()
        every = answered(free, text, Question(best=30), one_by_one).best
        for (paths, p), (others, q) in zip(asked.best, every, strict=True):
            probability = {tuple(path): x for path, x in zip(others.tolist(), q, strict=True)}
            assert sorted(probability) == sorted(map(tuple, paths.tolist()))
            assert p == pytest.approx([probability[tuple(path)] for path in paths.tolist()])
        assert asked.confidence == pytest.approx([p[0] for _, p in asked.best])
        assert (asked.best[0][0][0] == labels[:1]).all()


def test_the_command_labels_by_rules_unless_told_not_to(learned, tmp_path):
    rules = RULES.replace("first: X", 'change: "matches(pos[0], x)"')
    how = template("columns: [word, pos, label]\nfeatures: [word[0]]\n", "made.yaml")
    (tmp_path / "rules.yaml").write_text(rules.replace("contains: [Y, Z]", "contains: Z\n  penalty: 30"), "utf-8")
    few = corpus([[(w, "x", y) for w, y in one] for one in FEW], ("word", "pos", "label"))
    text = corpus([[(w, "x") for w in one] for one in RAW], ("word", "pos"))
    inputs = Inputs(how, few, text)
    model = trained(inputs, method="constraint-driven", rules=str(tmp_path / "rules.yaml"))
    assert model.columns_read == ("word", "pos")
    save(model, str(tmp_path / "m"))
    (tmp_path / "in.txt").write_text("a x ?\na x ?\n\n", "utf-8")
    printed = {}
    for options in ((), ("--no-rules",), ("--nbest", "2"), ("--confidence",)):
        found = CliRunner().invoke(sstag, ["tag", "-m", str(tmp_path / "m"), *options, str(tmp_path / "in.txt")])
        assert found.exit_code == 0, found.output
        printed[options] = found.output
    assert "Z" in printed[()]
    assert "Z" not in printed[("--no-rules",)]
    assert printed[("--nbest", "2")].count("# nbest") == 2
    assert "Z" in printed[("--confidence",)]


def test_it_is_judged_on_development_data_by_its_rules():
    dev, rules = made_ads(10, 5), "tests/data/rules.yaml"
    inputs = Inputs(WORDS, made_ads(10, 1), raw(20, 4), development=dev)
    model = trained(inputs, method="constraint-driven", rules=rules)
    assert model.about["development score"] == accuracy(model, dev)


def test_a_training_that_is_stopped_keeps_its_rounds(learned):
    asked = iter([False, False, True])
    model = learned(run=Run(one_by_one, stop=lambda: next(asked)))
    assert (len(model.about["rounds"]), model.about["converged"]) == (1, False)
    assert weights_by_name(model) == weights_by_name(learned(rounds=1))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rules": ""}, "^constraint-driven needs rules"),
        ({"beam": 0}, "'beam' must be a number from 1 to 1000, not 0"),
        ({"mixing": 1.5}, "'mixing' must be a number from 0 to 1, not 1.5"),
    ],
)
def test_what_it_cannot_do(learned, changes, message):
    with pytest.raises(ConfigError, match=message):
        learned(**changes)


def test_a_label_that_only_rules_name_is_learned_from_them(learned):
    """With a warning: it may be mistyped."""
    told: list[str] = []
    rules = "rules:\n- if: word[0]=f\n  then: W\n  penalty: 9\n"
    model = learned(rules, run=Run(one_by_one, warn=told.append), beam=1)
    assert [text.partition("rules.yaml")[2] for text in told] == [
        ":2: no labelled sentence has the label 'W' (known: X, Y, Z)"
    ]
    assert model.labels == ("W", *LABELS)
    text = corpus([[("a",), ("f",)]], ("word",))
    assert [model.labels[y] for y in model.tagged(model.dataset(text), one_by_one)][1] == "W"
    weights = weights_by_name(model)
    assert weights["word[0]=f", "W"] > max(weights["word[0]=f", y] for y in LABELS)


def test_rules_whose_features_never_occur_are_told(learned):
    told: list[str] = []
    rules = "rules:\n  - if: word[0]=a\n    then: X\n  - if: [word[0]=qq, word[0]=zz]\n    then: Y\n  - once: all\n"
    learned(rules, run=Run(one_by_one, warn=told.append))
    (said,) = (text for text in told if "no token" in text)
    assert said.endswith(":4: if: word[0]=qq, word[0]=zz, then: Y: no token has this feature")


def test_what_it_cannot_learn_from(learned):
    with pytest.raises(DataError, match="no label is decided"):
        learned(few=[[("a", "X|Y")]])
    with pytest.raises(ConfigError, match=r"^constraint-driven needs raw text: unlabeled"):
        trained(Inputs(WORDS, corpus(FEW)), method="constraint-driven")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"beam": 0}, "what its rules cost cannot be"),
        ({"beam": 10**9}, "what its rules cost cannot be"),
        ({"penalties": [1.0]}, "what its rules cost cannot be"),
        ({"penalties": [1.0, None, 1.0, 1.0]}, "what its rules cost cannot be"),
        ({"penalties": [1.0, -1.0, 1.0, 1.0]}, "what its rules cost cannot be"),
        ({"text": "rules:\n- once: W\n"}, "what its rules cost cannot be"),
        ({"text": 3}, "its 'text' is missing"),
    ],
)
def test_damaged_rules_are_refused(learned, tmp_path, change, message):
    save(learned(), str(tmp_path / "m"))
    data = rewritten((tmp_path / "m").read_bytes(), lambda parts: _change(parts, change))
    (tmp_path / "m").write_bytes(data)
    with pytest.raises(ModelError, match=message):
        load(str(tmp_path / "m"))


def _change(parts, change):
    document = json.loads(parts["model.json"])
    document["rules"] |= change
    parts["model.json"] = json.dumps(document).encode()
