"""Rules for whole labellings: the file, what is counted, and the labellings found under them, against every path."""

from itertools import groupby, pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sstag.chain.lattice import Lattice
from sstag.chain.penalty_arrays import Penalties
from sstag.chain.potentials import Potentials
from sstag.features.reading import template
from sstag.foundation.errors import ConfigError, NoPathError, SstagError
from sstag.knowledge.rule_costs import estimated, penalties, refuse_many, violations
from sstag.knowledge.rules import read_rules, rules_in
from tests import oracle
from tests.batches import Batch, batches
from tests.compare import assert_close
from tests.datasets import corpus

WORDS = template("columns: [word, pos, label]\nfeatures: [word[0]]\n", "made.yaml")
KINDS = ("once", "first", "change", "if", "contains", "order", "length 2 3", "length 1 1", "between")
CUE = {"if": "if: word[0]=a, then", "change": "change: word[0]=a"}


def violated(kind, named, cues, y) -> tuple[int, int]:
    """How often one sentence violates a rule, and how often it could: as its file says it."""
    everywhere = range(len(y))
    match kind:
        case "once":
            blocks = [label for t, label in enumerate(y) if label in named and (t == 0 or y[t - 1] != label)]
            return len(blocks) - len(set(blocks)), len(blocks)
        case "first":
            return int(y[0] not in named), 1
        case "change":
            places = [t for t in everywhere if t and not cues[t]]
            return sum(y[t] != y[t - 1] for t in places), len(places)
        case "if":
            places = [t for t in everywhere if cues[t]]
            return sum(y[t] not in named for t in places), len(places)
        case "between":  # of words a and b those after an a and before the next b
            places = [t for t in everywhere if t and cues[t - 1] and cues[t] and not all(cues[t:])]
            return sum(y[t] not in named for t in places), len(places)
        case "order":
            order = sorted(named)
            starts = [t for t in everywhere if y[t] in named and (t == 0 or y[t - 1] != y[t])]
            return sum(not set(y[:t]).isdisjoint(order[order.index(y[t]) + 1 :]) for t in starts), len(starts)
    if kind.startswith("length"):
        least, most = map(int, kind.split()[1:])
        lengths = [len(list(block)) for label, block in groupby(y) if label in named]
        return sum(not least <= length <= most for length in lengths), len(lengths)
    return int(named.isdisjoint(y)), 1


def drawn(rng, labels, count):
    """Rules as text, and as (kind, labels, penalty)."""
    lines, made = [], []
    for _ in range(count):
        kind = KINDS[rng.integers(0, len(KINDS))]
        named = {f"L{y}" for y in range(labels) if rng.random() < 0.5} or {"L0"}
        if kind == "order":
            named |= {"L0", "L1"}  # of which the second may be a label that there is not
        penalty = round(float(rng.uniform(0, 3)), 3)
        text = f"[{', '.join(sorted(named))}]"
        if kind == "once" and rng.random() < 0.5:
            text, named = "all", {f"L{y}" for y in range(labels)}
        said = {
            "if": f"if: word[0]=a\n    then: {text}",
            "change": "change: word[0]=a",
            "between": f"between: [word[0]=a, word[0]=b]\n    then: {text}",
            "length 2 3": f"length: {text}\n    least: 2\n    most: 3",
            "length 1 1": f"length: {text}\n    most: 1",
        }.get(kind, f"{kind}: {text}")
        lines.append(f"  - {said}\n    penalty: {penalty}\n")
        made.append((kind, named, penalty))
    return "rules:\n" + "".join(lines), made


def case(batch: Batch, count: int):
    """Rules for a batch, what they are, which tokens have their feature, and what labellings cost."""
    rng = np.random.default_rng(batch.seed)
    labels, offsets = batch.potentials.unary.shape[1], batch.potentials.offsets
    text, made = drawn(rng, labels, count)
    words = rng.choice(["a", "b"], offsets[-1])
    data = corpus([[(word, "x") for word in words[a:b]] for a, b in pairwise(offsets)], ("word", "pos"))
    rules = rules_in(text, "r.yaml", WORDS)
    names = [f"L{y}" for y in range(labels)]
    cues = rules.cues(data)
    looking = [(row.any(), kind) for row, (kind, *_) in zip(cues.T, made, strict=True) if kind != "between"]
    assert all(found == (kind in ("if", "change") and "a" in words) for found, kind in looking)
    return rules, made, words == "a", cues, names, penalties(rules, names, cues, offsets)


def costs_of(made, cue, names, sentence) -> np.ndarray:
    """The cost of each path of a sentence under the rules."""
    here = cue[sentence.start : sentence.stop]
    return np.array(
        [sum(cost * violated(kind, named, here, [names[i] for i in y])[0] for kind, named, cost in made)
         for y in sentence.y]
    )  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(batch=batches(scales=(1.0, 30.0), max_labels=3, max_length=4), count=st.integers(1, 4), data=st.data())
def test_a_wide_beam_finds_the_best_of_all_labellings(batch, count, data):
    _, made, cue, _, names, cost = case(batch, count)
    lattice = Lattice(batch.potentials, batch.allowed)
    k = data.draw(st.sampled_from([3**4, 100]))
    y, scores, found = lattice.penalised(cost, k)
    for s, sentence in enumerate(oracle.sentences(batch.potentials, batch.allowed)):
        whole = sentence.score - costs_of(made, cue, names, sentence)
        possible = whole > -np.inf
        assert found[s] == possible.sum()
        assert_close(scores[: found[s], s], -np.sort(-whole[possible]), magnitude=batch.magnitude)
        ours = [tuple(path) for path in y[: found[s], sentence.start : sentence.stop].tolist()]
        assert set(ours) == {tuple(path) for path in sentence.y[possible].tolist()}
        told = {tuple(path): value for path, value in zip(sentence.y.tolist(), whole, strict=True)}
        assert_close(scores[: found[s], s], [told[path] for path in ours], magnitude=batch.magnitude)
        assert (y[found[s] :, sentence.start : sentence.stop] == y[0, sentence.start : sentence.stop]).all()


@settings(max_examples=200, deadline=None)
@given(batch=batches(scales=(1.0, 30.0), max_labels=3, max_length=4), k=st.integers(1, 5))
def test_a_narrow_beam_is_exact_where_no_rule_is_for_whole_sentences(batch, k):
    """Rules for tokens and steps add to the scores, and what they add is looked ahead at."""
    _, made, cue, _, names, cost = case(batch, 4)
    made = [one for one in made if one[0] in ("first", "change", "if", "between")]
    cost = Penalties(cost.nodes, cost.steps, cost.bits * 0, cost.again * 0, cost.wanted[:0], cost.missing[:0])
    _, scores, found = Lattice(batch.potentials, batch.allowed).penalised(cost, k)
    for s, sentence in enumerate(oracle.sentences(batch.potentials, batch.allowed)):
        whole = -np.sort(costs_of(made, cue, names, sentence) - sentence.score)
        assert_close(scores[: found[s], s], whole[whole > -np.inf][:k], magnitude=batch.magnitude)


@settings(max_examples=100, deadline=None)
@given(batch=batches(max_labels=4))
def test_without_rules_a_beam_of_one_is_viterbi(batch):
    lattice = Lattice(batch.potentials, batch.allowed)
    y, scores, found = lattice.penalised(nothing(batch.potentials), 1)
    best, best_scores = lattice.viterbi()
    assert_close(scores[0], best_scores, magnitude=batch.magnitude)
    assert (found == 1).all()
    if batch.whole:  # then sums are exact, and so are ties
        assert (y[0] == best).all()


def nothing(pot: Potentials) -> Penalties:
    tokens, labels = pot.unary.shape
    none = np.zeros(0)
    return Penalties(
        np.zeros((tokens, labels)), np.zeros(tokens), np.zeros(labels, np.int64), np.zeros(labels),
        none.astype(np.int64), none,
    )  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(batch=batches(scales=(1.0,), infinities=(0.0,), max_labels=3, max_length=5), k=st.integers(1, 30))
def test_what_a_beam_finds_are_labellings_with_their_scores_best_first(batch, k):
    rules, made, cue, cues, names, cost = case(batch, 3)
    y, scores, found = Lattice(batch.potentials).penalised(cost, k)
    wider = Lattice(batch.potentials).penalised(cost, 3 * k)[1]
    for s, sentence in enumerate(oracle.sentences(batch.potentials)):
        whole = sentence.score - costs_of(made, cue, names, sentence)
        told = {tuple(path): value for path, value in zip(sentence.y.tolist(), whole, strict=True)}
        ours = [tuple(path) for path in y[: found[s], sentence.start : sentence.stop].tolist()]
        assert found[s] == min(k, len(told)) == len(set(ours))
        assert_close(scores[: found[s], s], [told[path] for path in ours])
        assert (np.diff(scores[: found[s], s]) <= 0).all()
        assert scores[0, s] <= max(told.values()) + 1e-9
        assert wider[0, s] <= max(told.values()) + 1e-9
    labels = np.random.default_rng(batch.seed).integers(0, len(names), len(cue))
    counted = [
        [
            violated(kind, named, cue[a:b], [names[y] for y in labels[a:b]])
            for a, b in pairwise(batch.potentials.offsets)
        ]
        for kind, named, _ in made
    ]
    omega = np.random.default_rng(batch.seed).uniform(0.1, 2.0, len(batch.potentials.offsets) - 1)
    told = violations(rules, names, cues, batch.potentials.offsets, labels, omega)
    assert_close(told, np.einsum("rsc,s->rc", np.array(counted, float), omega))


def test_of_equal_labellings_the_smaller_labels_come_first():
    pot = Potentials(np.zeros((3, 2)), np.zeros((1, 2, 2)), np.zeros(3, np.int32), np.array([0, 3]))
    for k in (1, 3, 8):
        y, _, _ = Lattice(pot).penalised(nothing(pot), k)
        assert [tuple(path) for path in y.tolist()] == [*product(range(2), repeat=3)][:k]


def test_an_impossible_sentence_is_an_error():
    pot = Potentials(np.array([[0.0], [-np.inf]]), np.zeros((1, 1, 1)), np.zeros(2, np.int32), np.array([0, 1, 2]))
    with pytest.raises(NoPathError, match="sentence 1"):
        Lattice(pot).penalised(nothing(pot), 3)
    with pytest.raises(ValueError, match="at least 1"):
        Lattice(pot).penalised(nothing(pot), 0)


def test_penalties_are_those_given_or_what_labels_say():
    text = "penalty: 7\nrules:\n- first: X\n  penalty: 0.5\n- if: [word[0]=a, pos[-1]=q]\n  then: [X, Y]\n"
    data = corpus([[("a", "p", "X"), ("b", "q", "Z")], [("c", "q", "Y"), ("d", "p", "Z")]], ("word", "pos", "label"))
    rules = rules_in(text, "r.yaml", WORDS)
    assert rules.penalties == [0.5, 7.0]
    assert rules.cues(data).tolist() == [[False, True], [False, False], [False, False], [False, True]]
    assert rules.labels == {"X", "Y"}
    assert rules.odd(("Y", "XX")) == [
        "r.yaml:3: no labelled sentence has the label 'X', named in 1 more line; did you mean 'XX'?"
    ]
    assert rules.columns_read == ("word", "pos")
    assert [rule.text for rule in rules.rules] == ["first: X", "if: word[0]=a, pos[-1]=q, then: X, Y"]
    free, labels = rules_in(text.replace("penalty: 7\n", ""), "r.yaml", WORDS), ("X", "Y", "Z")
    assert free.penalties == [0.5, None]
    found = np.array([0, 2, 1, 2])
    told, counts = estimated(free, labels, rules.cues(data), data.offsets, found, np.ones(2))
    assert counts.tolist() == [[1, 2], [1, 2]]
    assert told.penalties == [0.5, pytest.approx(-np.log(2 / 4))]
    told, counts = estimated(free, labels, rules.cues(data), data.offsets, found, np.array([3.0, 0.5]))
    assert counts.tolist() == [[0.5, 3.5], [0.5, 3.5]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "r.yaml:1: no settings here|r.yaml: no settings here"),
        ("rules: []\n", "r.yaml:1: 'rules' must be a list"),
        ("constraints: [x]\n", "r.yaml:1: unknown key 'constraints'"),
        ("rules:\n  - once: all\n  - frist: [X]\n", "r.yaml:3: this is no rule; did you mean 'first'"),
        ("rules:\n  - once\n", "r.yaml:2: this is no rule; did you mean 'once'"),
        ("rules:\n  - 3\n", "r.yaml:2: this is no rule .known: once, "),
        ("rules:\n  - if: word[0]=a\n    than: X\n", "r.yaml:3: unknown key 'than'; did you mean 'then'"),
        ("rules:\n  - if: word[0]=a\n", "r.yaml:2: 'then' is missing: a text or a list"),
        ("rules:\n  - once: [X, X]\n", "r.yaml:2: 'X' stands here twice"),
        ("rules:\n  - once: 3\n", "r.yaml:2: 'once' must be a list"),
        ("rules:\n  - once: []\n", "r.yaml:2: 'once' needs a text or a list"),
        ("rules:\n  - first: X\n    penalty: -1\n", "r.yaml:3: 'penalty' must be a number from 0 to 1,000,000"),
        ("rules:\n  - first: X\n    penalty: 1e9\n", "r.yaml:3: 'penalty' must be"),
        ("rules:\n  - first: all\n", "r.yaml:2: 'all' stands alone, and only in once"),
        ("rules:\n  - once: [all, X]\n", "r.yaml:2: 'all' stands alone, and only in once"),
        ("rules:\n  - first: X\npenalty: true\n", "r.yaml:3: 'penalty' must be a number from 0 to 1,000,000"),
        ("rules:\n  - change: wrod[0]=a\n", "r.yaml:2: .*there is no column 'wrod'; did you mean 'word'"),
        ("rules:\n  - change: label[0]=a\n", "r.yaml:2: .*'label' is the label"),
        ("rules:\n  - change: word[0]\n", "r.yaml:2: .*which value"),
        ("rules:\n  - change: \"matches(word[0], '(a*)*')\"\n", "r.yaml:2: .*can run away"),
        ("rules:\n  - change: lexicon(word[0], l.txt)=B\n", "r.yaml:2: .*rules look at words"),
        ("rules:\n  - change: value(pos)\n", "r.yaml:2: .*rules look at words"),
    ],
)
def test_what_is_no_rule_is_an_error_at_its_line(text, message):
    with pytest.raises(ConfigError, match=f"^({message})"):
        rules_in(text, "r.yaml", WORDS)


def test_only_so_many_labels_can_be_kept_in_mind():
    labels = tuple(f"L{y}" for y in range(63))
    refuse_many(rules_in("rules:\n- once: all\n", "r.yaml", WORDS), labels[:62])
    two = f"rules:\n- once: [{', '.join(labels[:40])}]\n- contains: [{', '.join(labels[30:])}]\n"
    with pytest.raises(ConfigError, match=r"^r.yaml:3: with this rule, .* have more than 62 labels"):
        refuse_many(rules_in(two, "r.yaml", WORDS), labels)


def test_the_last_label_that_can_be_kept_is():
    """62 bits of 64: no sign, nothing lost."""
    labels = tuple(f"L{y}" for y in range(62))
    rules = rules_in("rules:\n- once: all\n  penalty: 5\n", "r.yaml", WORDS)
    unary = np.full((3, 62), -100.0)
    unary[0, 61], unary[1, 0], unary[2, 61], unary[2, 60] = 0, 0, 0, -3
    offsets = np.array([0, 3])
    pot = Potentials(unary, np.zeros((1, 62, 62)), np.zeros(3, np.int32), offsets)
    y, scores, _ = Lattice(pot).penalised(penalties(rules, labels, np.zeros((3, 1), bool), offsets), 9)
    assert (y[0].tolist(), scores[0, 0], scores[1, 0]) == ([61, 0, 60], -3.0, -5.0)


@pytest.mark.parametrize("name", ["citations", "seminars"])
def test_the_shipped_rules_can_be_read(name):
    how = template("columns: [word, pos, field]\nlabel: field\nfeatures: [word[0]]\n", "made.yaml")
    rules = read_rules(f"configs/rules/{name}.yaml", how)
    assert len(rules.rules) > 5
    assert all(rule.penalty is None for rule in rules.rules)


@given(st.text() | st.lists(st.sampled_from(["rules:", "- once:", "- if: ", "then: ", "all", "a[0]=b", "\n", " "])))
def test_any_text_is_rules_or_an_error(text):
    try:
        made = rules_in("".join(text), "r.yaml", WORDS)
    except SstagError:
        return
    assert made.rules
