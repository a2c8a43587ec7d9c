"""`sstag select`: quotas are what they say, scores equal an enumeration, nothing is asked for twice."""

import json
import subprocess
import sys
from collections import Counter
from inspect import getsource, signature
from itertools import pairwise
from pathlib import Path
from textwrap import indent

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sstag.corpus.corpus import Corpus
from sstag.corpus.layout import Layout
from sstag.corpus.reading import read
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.parallel import one_by_one, shards
from sstag.foundation.registry import registered
from sstag.interfaces import cli
from sstag.labels.schemes.tagset import chunks, tolerant_tagset
from sstag.model import model_file
from sstag.selection import strategies
from sstag.selection.budget import Basket, Budget, groups, ranked
from sstag.selection.candidates import Candidates, Pool, whole_sentences
from sstag.selection.choosing import Choice, Wish, chosen
from sstag.selection.density.file import density_of_text, save
from sstag.selection.sheet import Sheet, column_text, json_text, sheet_columns, suggestions
from sstag.selection.strategies import BY, CHANCE, QUOTA, STRATEGIES, scores
from sstag.training.inputs import Inputs
from tests import oracle
from tests.compare import assert_close
from tests.contracts import broken
from tests.datasets import unlabelled
from tests.models import tiny
from tests.recipes import pieces
from tests.training import ads_template, made_ads, trained

POOL = unlabelled([list("abcab"), list("cab"), list("bb"), list("acbba"), list("c"), list("abab")])
MODEL = tiny("iob2")
WITHOUT_MODEL = [name for name, entry in STRATEGIES.items() if not entry.model]
every_strategy = pytest.mark.parametrize("strategy", STRATEGIES)


def pool(corpus: Corpus = POOL, **more) -> Pool:
    return Pool(corpus, "label", one_by_one, MODEL, **more)


def spans_of(choice: Choice) -> list[tuple[int, int]]:
    return list(zip(choice.candidates.first.tolist(), choice.candidates.stop.tolist(), strict=True))


# ---------------------------------------------------------------------- quotas


@given(values=st.lists(st.sampled_from([0.0, 1.0, 2.5, -np.inf]), min_size=1, max_size=30), count=st.integers(1, 30))
def test_groups_are_a_partition_by_value_into_equal_parts(values, count):
    count = min(count, len(values))
    made = groups(np.array(values), count, np.random.default_rng(1))
    assert len(made) == count
    assert sorted(np.concatenate(made).tolist()) == list(range(len(values)))
    assert max(map(len, made)) - min(map(len, made)) <= 1
    for left, right in pairwise(made):
        assert min(values[i] for i in left) >= max(values[i] for i in right)


def test_a_quota_draws_exactly_one_from_each_group_uniformly():
    """23 sentences of different lengths in 5 groups, many draws: one from each, and all of a group alike."""
    data = unlabelled([["a"] * n for n in range(1, 24)])
    case, draws = pool(data), 2000
    members = [group.tolist() for group in groups(np.arange(1.0, 24), 5, np.random.default_rng(0))]
    assert sorted(map(len, members)) == [4, 4, 5, 5, 5]
    seen, pairs = Counter[int](), Counter[tuple[int, int]]()
    for seed in range(draws):
        one = chosen(case, Wish(QUOTA, Budget(5), by="length", seed=seed)).candidates.sentence.tolist()
        assert [sum(s in group for s in one) for group in members] == [1] * 5
        seen.update(one)
        pairs[one[0], one[4]] += 1
    for group in members:
        assert stats.chisquare([seen[s] for s in group]).pvalue > 1e-4
    both = [pairs[a, b] for a in members[0] for b in members[4]]  # the draws of two groups are independent
    assert sum(both) == draws
    assert stats.chisquare(both).pvalue > 1e-4


def test_ties_are_broken_by_chance():
    case = pool(unlabelled([["a"]] * 6))
    draws = [chosen(case, Wish(QUOTA, Budget(2), seed=seed)).candidates.sentence.tolist() for seed in range(1000)]
    pairs = Counter(map(tuple, draws))
    assert len(pairs) == 30
    assert stats.chisquare(list(pairs.values())).pvalue > 1e-4
    orders = Counter(
        tuple(ranked(np.array([1.0, 1.0, -np.inf, 2.0]), np.random.default_rng(s)).tolist()) for s in range(400)
    )
    assert set(orders) == {(3, 0, 1), (3, 1, 0)}
    assert stats.chisquare(list(orders.values())).pvalue > 1e-4


@pytest.mark.parametrize("by", BY)
def test_a_quota_goes_by_probability_or_length_or_both(by):
    q = density_of_text([POOL]).log_q(POOL, one_by_one)
    lengths = np.diff(POOL.offsets)
    expected = {"q": q, "length": lengths, "q-per-token": q / lengths}[by]
    found = chosen(pool(), Wish(QUOTA, Budget(6), by=by))
    assert_close(found.scores, expected[found.candidates.sentence])
    assert (np.diff(found.scores) <= 0).all()
    other = density_of_text([unlabelled(["ab"])])
    found = chosen(pool(density=other), Wish(QUOTA, Budget(6)))
    assert_close(found.scores, other.log_q(POOL, one_by_one)[found.candidates.sentence])


@given(tokens=st.integers(1, 25), seed=st.integers(0, 20), diverse=st.sampled_from([None, 0.7]))
def test_a_quota_of_tokens_is_a_quota_within_it(tokens, seed, diverse):
    found = chosen(pool(), Wish(QUOTA, Budget(tokens=tokens), by="length", seed=seed, alike=diverse)).candidates
    assert found.lengths.sum() <= tokens
    if diverse is None:
        parts = np.array_split(np.sort(np.diff(POOL.offsets))[::-1], max(len(found), 1))
        assert all(part.min() <= n <= part.max() for part, n in zip(parts, found.lengths, strict=False))
    if tokens >= 20:
        assert len(found)


# ---------------------------------------------------------------------- scores


def truth(strategy: str, data: Corpus, spans=None) -> list[float]:
    """Every score, by writing down all labellings."""
    (potentials,) = MODEL.asked(MODEL.dataset(data), one_by_one, lambda chunk, lattice: lattice.potentials)
    result = []
    q = density_of_text([data], label="label").log_q(data, one_by_one)
    for number, one in enumerate(oracle.sentences(potentials)):
        p = np.sort(one.p)[::-1]
        n = one.stop - one.start
        entropy = oracle.entropy([one])[0]
        marginals = [np.bincount(one.y[:, t], one.p) for t in range(n)]
        inside = [oracle.span_entropy(one, a, b - 1) for a, b in spans or [] if one.start <= a < one.stop]
        result.append(
            {
                "fusal": -np.log(p[0]),
                "sesal": -np.log(p[0]),
                "margin": p[1] - p[0],
                "entropy": entropy,
                "entropy-rate": entropy / (1.6 + 0.25 * n),
                "n-best-entropy": -oracle.plogp(p[:10] / p[:10].sum()).sum(),
                "token-entropy": -sum(oracle.plogp(p_t).sum() for p_t in marginals) / n,
                "span-entropy": max(inside, default=-np.inf),
                "density": entropy * np.exp(q[number] / n),
            }[strategy]
        )
    return result


def found_spans(data: Corpus) -> list[tuple[int, int]]:
    labels = MODEL.tagged(MODEL.dataset(data), one_by_one)
    found = chunks(tolerant_tagset(MODEL.labels, "iob2"), labels, data.offsets)
    return list(zip(found.first.tolist(), found.stop.tolist(), strict=True))


@pytest.mark.parametrize(
    "where", {entry.where.name: entry.where for entry in (*STRATEGIES.values(), *BY.values())}.values()
)
def test_what_is_registered_is_a_function_of_the_pool_the_candidates_and_chance(where):
    assert list(signature(registered(where)).parameters) == ["pool", "candidates", "rng"]


@pytest.mark.parametrize("strategy", [name for name, entry in STRATEGIES.items() if entry.model])
def test_scores_equal_an_enumeration_and_the_largest_come_first(strategy):
    spans = found_spans(POOL)
    assert len(spans) > 4
    expected = np.array(truth(strategy, POOL, spans))
    given = registered(STRATEGIES[strategy].where)(pool(), whole_sentences(pool()), np.random.default_rng(1))
    assert_close(given[np.isfinite(expected)], expected[np.isfinite(expected)], tolerance=1e-9)
    assert (np.isneginf(given) == np.isneginf(expected)).all()
    best = chosen(pool(), Wish(strategy, Budget(3)))
    for found in (best.scores, expected[best.candidates.sentence]):  # which of equal scores comes first is chance
        assert_close(found, np.sort(expected)[::-1][:3], tolerance=1e-9)


def test_the_recipe_for_a_strategy_works_word_by_word(monkeypatch):
    """Its definitions go to `truth` as they would in this file."""
    first, second, entries, definitions = pieces("Add a selection strategy")
    end = "            }[strategy]"
    source = getsource(truth).replace(end, indent(definitions, " " * 16) + end)
    made = dict(vars(scores))
    exec(first + second, made)
    for name in ("fusal_per_token", "least_sure_token"):
        monkeypatch.setattr(scores, name, made[name], raising=False)
    exec(source, names := dict(globals()))
    monkeypatch.setitem(globals(), "truth", names["truth"])
    for name, entry in eval("{" + entries + "}", vars(strategies)).items():
        monkeypatch.setitem(STRATEGIES, name, entry)
        assert list(broken(registered(entry.where), strategies.Scores)) == []
        test_scores_equal_an_enumeration_and_the_largest_come_first(name)


def test_spans_are_ranked_by_their_entropy():
    (potentials,) = MODEL.asked(MODEL.dataset(POOL), one_by_one, lambda chunk, lattice: lattice.potentials)
    sentences = oracle.sentences(potentials)

    def entropy(first, stop):
        return next(oracle.span_entropy(s, first, stop - 1) for s in sentences if s.start <= first < s.stop)

    def best(spans):
        return sorted(((entropy(*span), span) for span in spans), reverse=True)

    for strategy, terms, spans in [
        ("span-entropy", None, found_spans(POOL)),
        (
            "span-entropy",
            (("a", "b"), ("c",)),
            [(0, 2), (2, 3), (3, 5), (5, 6), (6, 8), (11, 12), (15, 16), (16, 18), (18, 20)],
        ),
        ("token-entropy", None, [(t, t + 1) for t in range(POOL.tokens)]),
        ("token-entropy", (("a", "b"),), [(t, t + 1) for t in (0, 1, 3, 4, 6, 7, 16, 17, 18, 19)]),
    ]:
        found = chosen(pool(terms=terms), Wish(strategy, Budget(len(spans)), spans=True))
        assert sorted(spans_of(found)) == sorted(spans)
        assert_close(found.scores, [score for score, _ in best(spans)], tolerance=1e-9)
        assert_close(found.scores, [entropy(*span) for span in spans_of(found)], tolerance=1e-9)
        assert found.of == len(spans)


@every_strategy
def test_with_terms_only_their_sentences_are_candidates(strategy):
    found = chosen(pool(terms=(("b", "b"),)), Wish(strategy, Budget(9)))
    assert set(found.candidates.sentence.tolist()) <= {2, 3}
    assert found.of == 2


@pytest.fixture(scope="module")
def ads_model():
    return trained(Inputs(ads_template(), made_ads(5, 1)))


@every_strategy
@pytest.mark.parametrize("threads", [2, 5])
def test_threads_change_nothing_and_seeds_only_chance(strategy, threads, ads_model):
    data = made_ads(60, 2)
    with shards(threads) as over:
        many = chosen(Pool(data, "label", over, ads_model), Wish(strategy, Budget(20)))
    case = Pool(data, "label", one_by_one, ads_model)
    one = chosen(case, Wish(strategy, Budget(20)))
    assert spans_of(one) == spans_of(many)
    assert one.scores is None or (one.scores == many.scores).all()
    other = chosen(case, Wish(strategy, Budget(20), seed=2))
    if strategy in (CHANCE, QUOTA):
        assert spans_of(other) != spans_of(one)
    else:  # a seed decides only which of equal scores comes first
        assert other.scores is not None
        assert (other.scores == one.scores).all()


@pytest.mark.parametrize("confidence", [0.3, 0.6, 0.9, 0.99, 1.0])
def test_sesal_asks_for_what_the_model_is_unsure_of_and_labels_the_rest(confidence):
    """Against all labellings of the pool: which tokens are asked, of which sentences, in which order."""
    (potentials,) = MODEL.asked(MODEL.dataset(POOL), one_by_one, lambda chunk, lattice: lattice.potentials)
    labels = MODEL.tagged(MODEL.dataset(POOL), one_by_one)
    unsure, ranks = np.zeros(POOL.tokens, bool), truth("sesal", POOL)
    for one in oracle.sentences(potentials):
        for t in range(one.start, one.stop):
            p = one.p[one.y[:, t - one.start] == labels[t]].sum()
            unsure[t] = p < confidence
    found = chosen(pool(), Wish("sesal", Budget(99), confidence=confidence))
    where = found.candidates
    assert where.asked is not None
    assert (where.asked == unsure).all()
    open_in = [unsure[POOL.offsets[s] : POOL.offsets[s + 1]].sum() for s in range(POOL.sentences)]
    expected = [s for s in np.argsort(-np.array(ranks), kind="stable").tolist() if open_in[s]]
    assert where.sentence.tolist() == expected
    assert where.lengths.tolist() == [open_in[s] for s in expected]
    few = chosen(pool(), Wish("sesal", Budget(tokens=4), confidence=confidence)).candidates
    assert unsure[few.tokens].all()
    assert len(few.tokens) <= 4
    if not expected:
        return
    rows = [block.split("\n") for block in written(found).strip().split("\n\n")]
    told = [json.loads(line) for line in written(found, form=json_text).splitlines()]
    for sentence, lines, one in zip(expected, rows, told, strict=True):
        inside = range(POOL.offsets[sentence], POOL.offsets[sentence + 1])
        cells = [line.split("\t") for line in lines if not line.startswith("# ")]
        assert [row[1] for row in cells] == ["?" if unsure[t] else MODEL.labels[labels[t]] for t in inside]
        assert [row[2] for row in cells] == one["predicted"] == [MODEL.labels[labels[t]] for t in inside]
        assert one["asked"] == [t - inside[0] + 1 for t in inside if unsure[t]]
        (asked,) = (line.removeprefix("# asked = ").split() for line in lines if line.startswith("# asked"))
        spans = [range(int(a), int(b) + 1) for a, b in (span.split("-") for span in asked)]
        assert [t for span in spans for t in span] == one["asked"]
        assert all(left.stop < right.start for left, right in pairwise(spans))


# ---------------------------------------------------------------------- budgets


def jaccard(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other)


@given(
    data=st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=6), min_size=1, max_size=25),
    alike=st.sampled_from([0.01, 0.25, 1 / 3, 0.5, 2 / 3, 0.9, 1.0]),
)
def test_diversity_leaves_out_what_is_like_something_chosen_before(data, alike):
    basket = Basket(unlabelled(data), whole_sentences(Pool(unlabelled(data), None, one_by_one)), alike)
    taken: list[set[str]] = []
    for number, sentence in enumerate(data):
        new = all(jaccard(set(sentence), one) < alike for one in taken)
        assert basket.add(number) == new
        taken += [set(sentence)] if new else []
    assert basket.tokens == sum(len(data[one]) for one in basket.chosen)


def test_spans_are_alike_by_what_stands_around_them_too():
    data = unlabelled([list("xyaz"), list("xyaz"), list("uvaw")])
    found = chosen(pool(data, terms=(("a",),)), Wish("random", Budget(9), spans=True, alike=0.9))
    assert sorted(found.candidates.sentence.tolist()) in ([0, 2], [1, 2])
    assert len(chosen(pool(data, terms=(("a",),)), Wish("random", Budget(9), spans=True, alike=0.1)).candidates) == 1


@given(tokens=st.integers(1, 30))
def test_a_budget_of_tokens_takes_the_first_that_fit(tokens):
    order = np.argsort(-np.array(truth("entropy", POOL)), kind="stable").tolist()
    expected, left = [], tokens
    for sentence in order:
        if (length := int(np.diff(POOL.offsets)[sentence])) <= left:
            expected.append(sentence)
            left -= length
    assert chosen(pool(), Wish("entropy", Budget(tokens=tokens))).candidates.sentence.tolist() == expected


# ---------------------------------------------------------------------- never twice


@every_strategy
@pytest.mark.parametrize("spans", [False, True])
def test_rounds_never_ask_the_same_twice_and_leave_nothing(strategy, spans, tmp_path):
    if spans and not STRATEGIES[strategy].spans:
        return
    case, before, seen = pool(), [], []
    while True:
        wish = Wish(strategy, Budget(2), spans=spans, seed=len(before))
        found = chosen(case, wish, [read(str(path), sheet_layout()) for path in before])
        if not len(found.candidates):
            break
        seen += spans_of(found)
        sheet = Sheet(POOL, found, "label", "?", suggestions(MODEL, POOL, found, one_by_one))
        annotated = [
            f"{cells[0]}\t{cells[2]}\t{cells[2]}" if len(cells := line.split("\t")) == 3 else line
            for line in "".join(column_text(sheet)).split("\n")
        ]
        before.append(tmp_path / f"{len(before)}.txt")
        before[-1].write_text("\n".join(annotated), encoding="utf-8")
    assert len(seen) == len(set(seen))
    everything = chosen(case, Wish(strategy, Budget(99), spans=spans))
    assert sorted(seen) == sorted(spans_of(everything))


def sheet_layout() -> Layout:
    columns = sheet_columns(POOL, "label")
    return Layout(columns[:-1], "label", enough=columns)


def test_the_same_words_are_not_asked_again_whatever_the_file():
    data = unlabelled([list("ab"), list("ab"), list("ba")])
    raw = unlabelled([list("ab")])
    found = chosen(pool(data), Wish("random", Budget(9)), [raw])
    assert found.candidates.sentence.tolist() == [2]
    assert len(chosen(pool(data), Wish("token-entropy", Budget(9), spans=True), [raw]).candidates) == 2


# ---------------------------------------------------------------------- sheets


def written(choice: Choice, suggest: bool = True, form=column_text, data: Corpus = POOL) -> str:
    sheet = Sheet(data, choice, "label", "?", suggestions(MODEL, data, choice, one_by_one) if suggest else None)
    return "".join(form(sheet))


def test_a_sheet_of_sentences():
    choice = Choice(whole_sentences(pool()).where(np.arange(6) == 2), np.array([0.12345678]), 6)
    labels = [MODEL.labels[y] for y in MODEL.tagged(MODEL.dataset(POOL), one_by_one)][8:10]
    head = "# global.columns = word label predicted\n# global.label = label\n"
    assert written(choice) == f"{head}# sentence = 3\n# score = 0.123457\nb\t?\t{labels[0]}\nb\t?\t{labels[1]}\n\n"
    head = head.replace(" predicted", "")
    assert written(choice, suggest=False) == f"{head}# sentence = 3\n# score = 0.123457\nb\t?\nb\t?\n\n"
    assert json.loads(written(choice, form=json_text)) == {
        "sentence": 3, "line": 9, "score": 0.12345678, "word": ["b", "b"], "predicted": labels,
    }  # fmt: skip


def test_sentences_of_a_sheet_keep_the_names_of_their_documents(tmp_path):
    records = [
        {"id": "a", "text": "Ann left. Bob met Kim.", "label": [], "page": 3},
        {"id": "b", "text": "Oslo is cold.", "label": []},
    ]
    (tmp_path / "pool.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    call = ["select", "--pool", str(tmp_path / "pool.jsonl"), "--strategy", "random", "--count", "9"]
    sheet = tmp_path / "sheet.txt"
    assert CliRunner().invoke(cli.sstag, [*call, "-o", str(sheet)]).exit_code == 0
    sheet.write_text(sheet.read_text().replace("\t?", "\tB-PER"))
    done = CliRunner().invoke(cli.sstag, ["convert", str(sheet), "--to-format", "doccano"])
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert sorted((one["id"], one["text"], one.get("page"), one["label"][0]) for one in found) == [
        ("a:0", "Ann left.", 3, [0, 3, "PER"]),
        ("a:10", "Bob met Kim.", 3, [0, 3, "PER"]),
        ("b", "Oslo is cold.", None, [0, 4, "PER"]),
    ]
    told = [
        json.loads(line) for line in CliRunner().invoke(cli.sstag, [*call, "--format", "jsonl"]).stdout.splitlines()
    ]
    assert sorted(one["id"] for one in told) == ["a:0", "a:10", "b"]


@pytest.mark.parametrize(
    ("pool", "comments"),
    [
        ("# sent_id = s-1\na\n\nb\n\n", {"a": ["# sent_id = s-1"], "b": []}),
        ("# document = d\na\n\nb\n\n# document = e\nc\n\n",
         {"a": ["# document = d"], "b": ["# document = d"], "c": ["# document = e"]}),
        ("-DOCSTART-\n\na\n\n# sentence = 7\nb\n\n", {"a": [], "b": []}),
    ],
)  # fmt: skip
def test_names_of_a_pool_stand_in_its_sheets(tmp_path, pool, comments):
    (tmp_path / "pool.txt").write_text(pool)
    call = ["select", "--pool", str(tmp_path / "pool.txt"), "--no-label", "--strategy", "random", "--count", "9"]
    found = {}
    for sentence in CliRunner().invoke(cli.sstag, call).stdout.split("\n\n"):
        lines = [line for line in sentence.split("\n") if line and not line.startswith(("# global", "# sentence"))]
        found |= {lines[-1].split("\t")[0]: lines[:-1]} if lines else {}
    assert found == comments


def test_a_sheet_of_spans_suggests_only_there():
    spans = Candidates(np.array([3, 13, 0]), np.array([5, 14, 1]), np.array([0, 3, 0]), False)
    choice = Choice(spans, np.array([3.0, 2.0, -np.inf]), 9)
    lines = written(choice).split("\n")[2:]
    assert lines[:3] == ["# sentence = 1", "# score = 3 -inf", "# asked = 4-5 1-1"]
    labels = [MODEL.labels[y] for y in MODEL.tagged(MODEL.dataset(POOL), one_by_one)]
    assert [line.split("\t") for line in lines[3:8]] == [
        [word, "?", labels[t] if t in (0, 3, 4) else "?"] for t, word in enumerate("abcab")
    ]
    assert [line for line in lines if line.startswith("# asked")] == ["# asked = 4-5 1-1", "# asked = 4-4"]
    told = [json.loads(line) for line in written(choice, suggest=False, form=json_text).splitlines()]
    assert [(one["sentence"], one["first"], one["last"], one["score"]) for one in told] == [
        (1, 4, 5, 3.0), (4, 4, 4, 2.0), (1, 1, 1, None),
    ]  # fmt: skip
    assert told[0]["word"] == list("abcab")


def test_a_label_column_is_emptied_where_it_stands():
    data = made_ads(3, 1)
    choice = chosen(Pool(data, "label", one_by_one), Wish("random", Budget(1)))
    lines = written(choice, suggest=False, data=data).strip().split("\n")[2:]
    assert lines[0] == f"# sentence = {choice.candidates.sentence[0] + 1}"
    assert all(line.split("\t")[1:] == ["?"] for line in lines[1:])
    assert sheet_columns(data, "word") == ("word", "label", "predicted")
    with pytest.raises(DataError, match="a column is called 'predicted'"):
        sheet_columns(data, "predicted")


# ---------------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    ("case", "wish", "message"),
    [
        ({}, {"strategy": "entropi"}, "there is no strategy 'entropi'; did you mean 'entropy'?"),
        ({}, {"by": "lenght"}, "a quota cannot go by 'lenght'; did you mean 'length'?"),
        (
            {"model": None},
            {"strategy": "fusal"},
            rf"fusal asks a model, and there is none \(without one: {', '.join(WITHOUT_MODEL)}\)",
        ),
        ({}, {"spans": True}, r"quota asks for whole sentences, not for spans \(those that do: random, "),
        ({"model": None}, {"strategy": "random", "spans": True}, "which spans?"),
        ({}, {"strategy": "sesal", "confidence": 0.0}, "a confidence is a probability above 0, not 0.0"),
        ({}, {"alike": 0.0}, "two candidates share from 0 to 1 of their words, not 0.0"),
    ],
)
def test_wishes_that_cannot_be(case, wish, message):
    with pytest.raises(ConfigError, match=message):
        chosen(
            Pool(**{"corpus": POOL, "label": None, "over": one_by_one, "model": MODEL} | case),
            Wish(**{"strategy": QUOTA, "budget": Budget(1)} | wish),
        )


def test_a_budget_is_one_number():
    for wrong in ({}, {"count": 1, "tokens": 1}, {"count": 0}, {"tokens": -1}):
        with pytest.raises(ConfigError, match="a budget is a number of candidates or of tokens"):
            Budget(**wrong)


# ---------------------------------------------------------------------- the command


def sstag(*arguments: str, cwd: Path, stdin: str = "") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "sstag", *arguments], cwd=cwd, input=stdin, capture_output=True, text=True
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    raw = "\n\n".join("\n".join(POOL.words("word", s)) for s in range(POOL.sentences))
    (tmp_path / "raw.txt").write_text(raw + "\n", encoding="utf-8")
    model_file.save(MODEL, str(tmp_path / "m"))
    save(density_of_text([POOL]), str(tmp_path / "d"))
    (tmp_path / "terms.txt").write_text("a b\nc\n", encoding="utf-8")
    return tmp_path


def test_from_nothing_to_a_model_and_on(folder):
    run = sstag("select", "--pool", "raw.txt", "--strategy", "quota", "--count", "3", "-o", "first.txt", cwd=folder)
    assert (run.returncode, run.stdout) == (0, "")
    assert run.stderr.startswith("3 of 6 sentences, ")
    sheet = (folder / "first.txt").read_text(encoding="utf-8")
    assert all(line.split("\t")[1:] == ["?"] for line in sheet.splitlines() if line and line[0] != "#")
    (folder / "first.txt").write_text(
        sheet.replace("a\t?", "a\tX").replace("b\t?", "b\tY").replace("c\t?", "c\tX"), encoding="utf-8"
    )
    (folder / "t.yaml").write_text("columns: [word, label]\nfeatures: [word[0]]\n", encoding="utf-8")
    trained = sstag("train", "--template", "t.yaml", "--train", "first.txt", "--model", "new", cwd=folder)
    assert trained.returncode == 0, trained.stderr
    more = ["--strategy", "entropy", "--tokens", "99", "--model", "new", "--exclude", "first.txt", "--format", "jsonl"]
    run = sstag("select", "--pool", "raw.txt", *more, cwd=folder)
    told = [json.loads(line) for line in run.stdout.splitlines()]
    asked = {int(line.split()[-1]) for line in sheet.splitlines() if line.startswith("# sentence")}
    assert {one["sentence"] for one in told} == set(range(1, 7)) - asked
    assert [one["score"] for one in told] == sorted((one["score"] for one in told), reverse=True)
    assert all(set(one["predicted"]) <= {"X", "Y"} for one in told)
    again = sstag("select", "--pool", "raw.txt", *more, "--threads", "3", cwd=folder)
    assert again.stdout == run.stdout
    spans = ["--strategy", "span-entropy", "--spans", "--terms", "terms.txt", "--count", "99", "--model", "new"]
    run = sstag("select", "--pool", "raw.txt", *spans, cwd=folder)
    assert run.stderr == "9 of 9 spans in 5 sentences, 14 tokens; there are no others\n"
    run = sstag("select", "--pool", "raw.txt", *spans, "--exclude", "first.txt", "--exclude", "raw.txt", cwd=folder)
    assert (run.returncode, run.stderr) == (1, "raw.txt: nothing is left to ask for within this budget\n")


def test_the_pool_may_have_labels_or_be_conllu_or_a_stream(folder):
    (folder / "gold.txt").write_text("a B-X\nb O\n\nb O\n", encoding="utf-8")
    run = sstag(
        *("select", "--pool", "gold.txt", "--strategy", "random", "--count", "2"),
        *("--label", "label", "--mark", "unknown=TODO"),
        cwd=folder,
    )
    assert sorted(line for line in run.stdout.splitlines() if "\t" in line) == ["a\tTODO", "b\tTODO", "b\tTODO"]
    run = sstag(
        "select", "--pool", "-", "--strategy", "fusal", "--count", "1", "-m", "m", cwd=folder, stdin="a O\nb O\n"
    )
    rows = [line.split("\t")[:2] for line in run.stdout.splitlines() if line and line[0] != "#"]
    assert rows == [["a", "?"], ["b", "?"]]
    cells = ["1", "a b", "a", "X", "Y", "_", "0", "root", "_", "_"]
    (folder / "c.conllu").write_text("# text = a b\n" + "\t".join(cells) + "\n\n", encoding="utf-8")
    run = sstag("select", "--pool", "c.conllu", "--strategy", "quota", "--count", "1", "-o", "c.txt", cwd=folder)
    assert run.returncode == 0, run.stderr
    line = (folder / "c.txt").read_text(encoding="utf-8").splitlines()[-2]
    assert line.split("\t") == ["1", "a\u00a0b", "a", "?", *cells[4:]]
    for earlier in ("c.conllu",):
        run = sstag(
            "select", "--pool", "c.conllu", "--strategy", "quota", "--count", "1", "--exclude", earlier, cwd=folder
        )
        assert "nothing is left to ask for" in run.stderr


def test_no_column_is_lost_that_nobody_called_the_label(folder):
    """Raw text with parts of speech: these stay, or an error says how the label column is named."""
    (folder / "pos.txt").write_text("a N\nb V\n\nb V\n", encoding="utf-8")
    (folder / "open.txt").write_text("a ?\nb ?\n", encoding="utf-8")
    (folder / "named.txt").write_text("# global.columns = word pos\na N\nb V\n", encoding="utf-8")

    def rows(pool: str, *more: str) -> list[list[str]]:
        run = sstag("select", "--pool", pool, "--strategy", "random", "--count", "2", *more, cwd=folder)
        assert run.returncode == 0, run.stderr
        return sorted(line.split("\t") for line in run.stdout.splitlines() if line and line[0] != "#")

    kept = [["a", "N", "?"], ["b", "V", "?"], ["b", "V", "?"]]
    assert rows("pos.txt", "--no-label") == rows("pos.txt", "--columns", "word,pos,ner") == kept
    assert rows("pos.txt", "--label", "label") == [["a", "?"], ["b", "?"], ["b", "?"]]
    assert rows("pos.txt", "--columns", "word,pos") == [["a", "?"], ["b", "?"], ["b", "?"]]
    assert rows("open.txt") == rows("named.txt") == [["a", "?"], ["b", "?"]]
    run = sstag("select", "--pool", "pos.txt", "--strategy", "random", "--count", "2", cwd=folder)
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.startswith("pos.txt: is column 2 (N, V) the label? --label label says ")
    run = sstag("select", "--pool", "pos.txt", "--strategy", "entropy", "--count", "2", "-m", "m", cwd=folder)
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.endswith("but holds none of its: `sstag convert --keep word` drops it\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--strategy", "random"], "how much? --count, or --tokens"),
        (["--strategy", "random", "--count", "1", "--tokens", "1"], "how much? --count, or --tokens"),
        (["--strategy", "random", "--count", "1", "--by", "q"], "--by is for --strategy quota"),
        (["--strategy", "fusal", "--count", "1", "--confidence", "0.9"], "--confidence is for --strategy sesal"),
        (
            ["--strategy", "random", "--count", "1", "--density", "d"],
            "--density is for --strategy quota (by q) and density",
        ),
        (
            ["--strategy", "quota", "--by", "length", "--count", "1", "--density", "d"],
            "--density is for --strategy quota (by q)",
        ),
        (["--strategy", "fusal", "--count", "1", "-m", "m", "--no-label"], "the model knows its columns"),
        (["--strategy", "fusal", "--count", "1"], "fusal asks a model, and there is none"),
        (
            ["--strategy", "random", "--count", "1", "--no-marks"],
            "without a mark for it, an open label cannot be written",
        ),
        (["--strategy", "random", "--count", "1", "--exclude", "none.txt"], "none.txt: no such file or directory"),
        (
            ["--strategy", "random", "--count", "1", "--output", "raw.txt"],
            "raw.txt: is an input, and would be overwritten",
        ),
        (["--strategy", "random", "--tokens", "1", "--terms", "raw2.txt"], "raw2.txt: no such file or directory"),
    ],
)
def test_mistakes_are_one_line(folder, arguments, message):
    run = sstag("select", "--pool", "raw.txt", *arguments, cwd=folder)
    assert run.returncode in (1, 2)
    assert message in run.stderr.splitlines()[-1]
    assert "Traceback" not in run.stderr
