"""The answers of a model equal those of all labellings, written down one by one."""

from dataclasses import replace
from itertools import chain, pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sstag
from sstag.corpus.corpus import Corpus
from sstag.corpus.reading import joined, read_blocks
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.parallel import one_by_one
from sstag.labels.schemes.rewrite import rewritten
from sstag.labels.schemes.tagset import chunks, tagset
from sstag.model import runs as model_runs
from sstag.model.legality import legality
from sstag.model.model import Model
from sstag.model.questions import Answer, Question, of_confidence
from sstag.model.runs import runs
from sstag.model.tagging import answered
from tests import oracle
from tests.compare import assert_close
from tests.datasets import unlabelled
from tests.models import tiny

Sentences = list[list[str]]
sentences_of = st.lists(st.lists(st.sampled_from("abcdz"), min_size=1, max_size=5), min_size=1, max_size=4)


def everything(model: Model, best: int, legal: bool) -> Question:
    return replace(of_confidence(model), marginals=True, best=best, legality=legality(model) if legal else None)


def all_labellings(model: Model, data: Corpus, legal: bool) -> list[oracle.Sentence]:
    """Every path of every sentence; the ill-formed ones, told by writing their chunks again, weigh nothing."""
    (pot,) = model.asked(model.dataset(data), one_by_one, lambda chunk, lattice: lattice.potentials)
    whole = oracle.sentences(pot)
    if not legal:
        return whole
    tags = tagset(model.labels, model.scheme)

    def weight(path) -> float:
        names, codes, _ = rewritten(tags, tags.scheme, np.array(path), np.array([0, len(path)]))
        return 0.0 if [names[c] for c in codes] == [model.labels[y] for y in path] else -np.inf

    return [replace(s, score=s.score + np.array([weight(path) for path in s.y])) for s in whole]


@settings(max_examples=60)
@given(sentences_of, st.sampled_from(["iob2", "iob1", "bioes"]), st.booleans(), st.integers(1, 7))
def test_everything_asked_equals_enumeration(sentences: Sentences, name: str, legal: bool, best: int) -> None:
    model = tiny(name)
    data = unlabelled(sentences)
    answer = answered(model, data, everything(model, best, legal), one_by_one)
    for s, truth in enumerate(all_labellings(model, data, legal)):
        labels = answer.labels[truth.start : truth.stop]
        path = int(np.flatnonzero((truth.y == labels).all(axis=1))[0])
        assert truth.p[path] == pytest.approx(truth.p.max(), abs=1e-12)
        assert_close(answer.confidence[s], truth.p.max())
        nodes = np.array(
            [[truth.p[truth.y[:, d] == y].sum() for y in range(len(model.labels))] for d in range(len(labels))]
        )
        assert_close(answer.marginals[truth.start : truth.stop], nodes)
        assert_close(answer.token_confidence[truth.start : truth.stop], nodes[np.arange(len(labels)), labels])
        paths, probabilities = answer.best[s]
        assert_close(probabilities, np.exp(oracle.k_best(truth, best) - truth.log_z))
        assert (paths[0] == labels).all()
        assert len({tuple(path) for path in paths.tolist()}) == len(paths)
        for y, p in zip(paths, probabilities, strict=True):
            assert_close(truth.p[(truth.y == y).all(axis=1)].sum(), p)
        assert_close(answer.entropy[s], -oracle.plogp(truth.p).sum())
        assert_close(answer.token_entropy[truth.start : truth.stop], -oracle.plogp(nodes).sum(axis=1))


@settings(max_examples=60)
@given(sentences_of, st.sampled_from(["iob2", "iob1", "bioes"]), st.booleans())
def test_the_confidence_of_a_chunk_is_that_of_all_labellings_that_have_it(
    sentences: Sentences, name: str, legal: bool
) -> None:
    model = tiny(name)
    data, tags = unlabelled(sentences), tagset(model.labels, name)
    answer = answered(model, data, everything(model, 0, legal), one_by_one)
    found = zip(answer.chunks.first, answer.chunks.stop, answer.chunks.type, answer.chunk_confidence, strict=True)
    ours = {(first, stop, kind): sure for first, stop, kind, sure in found}
    expected: dict[tuple[int, int, int], float] = {}
    for truth in all_labellings(model, data, legal):
        for path, p in zip(truth.y, truth.p, strict=True):
            there = chunks(tags, path, np.array([0, len(path)]))
            for first, stop, kind in zip(there.first, there.stop, there.type, strict=True):
                key = (truth.start + first, truth.start + stop, kind)
                expected[key] = expected.get(key, 0.0) + p
            if (path == answer.labels[truth.start : truth.stop]).all():
                assert (truth.start + there.first).tolist() == [a for a, *_ in ours if truth.start <= a < truth.stop]
    for key, sure in ours.items():
        assert_close(sure, expected[key])


def test_labels_without_a_scheme_make_no_chunks() -> None:
    answer = answered(tiny("plain"), unlabelled([["a", "b"]]), of_confidence(tiny("plain")), one_by_one)
    assert (len(answer.entropy), len(answer.chunks.first)) == (1, 0)


def test_chunks_of_several_runs_keep_their_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sstag.model.batches.CELLS", 20)
    model, data = tiny(), unlabelled([["a", "b"], ["c"], ["a", "b", "c", "a"]] * 5)
    answer = answered(model, data, of_confidence(model), one_by_one)
    found = chunks(tagset(model.labels, "iob2"), answer.labels, data.offsets)
    assert answer.chunks.first.tolist() == found.first.tolist()
    assert answer.chunks.stop.tolist() == found.stop.tolist()
    each = answer.chunk_confidence.reshape(5, -1)
    assert_close(each, np.tile(each[0], (5, 1)))


def test_what_was_not_asked_is_not_computed() -> None:
    answer = answered(tiny(), unlabelled([["a", "b"]]), Question(), one_by_one)
    assert len(answer.labels) == 2
    rest = (answer.confidence, answer.token_confidence, answer.marginals, answer.best, answer.entropy)
    more = (answer.token_entropy, answer.chunks.first, answer.chunk_confidence)
    assert [len(part) for part in (*rest, *more)] == [0] * 8


def test_without_legal_some_labelling_here_is_ill_formed() -> None:
    """Else the tests of --legal would not say anything."""
    model = tiny("bioes")
    found = [
        model.labels[y]
        for y in answered(model, unlabelled([["b", "a"]]), Question(best=30), one_by_one).best[0][0].ravel()
    ]
    assert {("I-X", "O"), ("O", "E-X")} & set(zip(found[::2], found[1::2], strict=True))


def test_legal_needs_a_scheme() -> None:
    model = replace(tiny("plain"), scheme="plain")
    with pytest.raises(ConfigError, match="have no scheme"):
        legality(model)


def test_a_label_that_is_no_tag_is_outside_every_chunk() -> None:
    model = replace(tiny("plain"), labels=("B-X", "noise"), scheme="iob2")
    assert np.isfinite(legality(model).step).all()
    model = replace(model, labels=("I-X", "noise"))
    assert np.isneginf(legality(model).step).tolist() == [[False, False], [True, False]]
    assert np.isneginf(legality(model).begin).tolist() == [True, False]


def test_a_sentence_without_a_legal_labelling_is_an_error_with_its_line() -> None:
    model = tiny("pairs", "bioes")  # B-X and E-X: an even number of tokens
    question = Question(legality=legality(model))
    assert [model.labels[y] for y in answered(model, unlabelled([["b", "b"]]), question, one_by_one).labels] == [
        "B-X",
        "E-X",
    ]
    with pytest.raises(DataError) as error:
        answered(model, unlabelled([["a", "b"], ["a"] * 4, ["c", "a", "b"], ["a"]]), question, one_by_one)
    assert (
        str(error.value)
        == "made:7: the model has no labelling of this sentence (3 tokens) that is well-formed in BIOES"
    )


@given(st.lists(st.integers(1, 9), max_size=8), st.integers(1, 12))
def test_runs_are_whole_sentences_and_as_long_as_they_may_be(lengths: list[int], most: int) -> None:
    found = [lengths[run] for run in runs(np.cumsum([0, *lengths]), most)]
    assert list(chain.from_iterable(found)) == lengths
    assert all(sum(run) <= most or len(run) == 1 for run in found)
    assert all(sum(run) + after[0] > most for run, after in pairwise(found))


def test_a_run_is_smaller_where_a_token_takes_more() -> None:
    model = tiny()
    plain = model_runs.tokens_together(model, Question())
    assert plain * 8 * len(model.labels) <= model_runs.RUN < (plain + 1) * 8 * len(model.labels)
    assert model_runs.tokens_together(model, Question(best=1000)) * 1000 * model_runs.LABELLING <= model_runs.RUN


def test_a_sentence_that_needs_too_much_memory_is_refused_before_it_is_tagged(monkeypatch: pytest.MonkeyPatch) -> None:
    data = unlabelled([["a"], ["b"] * 50, ["c"]])
    monkeypatch.setattr(model_runs, "BUDGET", 30_000)
    with pytest.raises(DataError, match=r"^made:2: a sentence of 50 tokens needs .* GiB with this model .*: split it$"):
        answered(tiny(), data, Question(), one_by_one)
    monkeypatch.undo()
    monkeypatch.setattr(model_runs, "MOST_CELLS", 99)
    assert answered(tiny(), data, Question(best=1), one_by_one).best
    with pytest.raises(DataError, match=r"^made:2: a sentence of 50 tokens has room for 1 best labelling$"):
        answered(tiny(), data, Question(best=2), one_by_one)


def test_a_sentence_of_a_hundred_thousand_tokens() -> None:
    sentence = ["a", "b", "c", "z"] * 25_000
    answer = answered(tiny(), unlabelled([sentence]), Question(confidence=True, token_confidence=True), one_by_one)
    short = answered(tiny(), unlabelled([sentence[:40]]), Question(), one_by_one)
    assert (answer.labels[:36] == short.labels[:36]).all()
    assert 0 <= answer.confidence[0] < 1e-9
    assert answer.token_confidence.min() > 0.1


@given(st.lists(st.lists(st.sampled_from(["a", "b", "c", "z", "a b", " ", "\n", "\ud800"]), max_size=4), max_size=6))
def test_tokens_from_python_are_tagged_one_sentence_like_many(sentences: Sentences) -> None:
    model = tiny()
    together = sstag.tag(model, sentences)
    assert [len(labels) for labels in together] == [len(sentence) for sentence in sentences]
    assert together == [sstag.tag(model, [sentence])[0] for sentence in sentences]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model_runs, "RUN", 100)
        assert sstag.tag(model, sentences, threads=2) == together


def test_tokens_from_python_get_the_labels_a_file_gets(saved) -> None:
    model = tiny(columns="pos, word, label")
    sentences = [list(row) for row in product([("A", "a"), ("B", "b"), ("C", "c"), ("A", "z")], repeat=3)]
    text = "".join("".join(f"{pos} {word}\n" for pos, word in sentence) + "\n" for sentence in sentences)
    path = saved(text.encode())
    whole = joined(read_blocks(path, model.template.layout(path)), path)
    answer: Answer = answered(model, whole, Question(), one_by_one)
    expected = [[model.labels[y] for y in row] for row in answer.labels.reshape(-1, 3)]
    assert sstag.tag(model, sentences, threads=2) == expected
    assert sstag.tag(model, [[list(token) for token in sentence] for sentence in sentences]) == expected
    assert len({tuple(labels) for labels in expected}) > 3


def test_a_token_of_one_column_is_a_text_or_a_tuple_with_one() -> None:
    model = tiny(columns="word, label")
    texts = [["a", "b"], ["c"]]
    tuples, lists, mixed = ([[form(word) for word in one] for one in texts] for form in FORMS)
    assert sstag.tag(model, tuples) == sstag.tag(model, lists) == sstag.tag(model, mixed) == sstag.tag(model, texts)
    how = {"columns": ["word", "label"], "features": ["word[0]"]}
    models = [sstag.train(how, given, [["X", "Y"], ["X"]]) for given in (texts, tuples)]
    assert models[0].theta.tobytes() == models[1].theta.tobytes()


FORMS = (lambda word: (word,), lambda word: [word], lambda word: word if word == "a" else (word,))


@pytest.mark.parametrize(
    ("columns", "sentences", "message"),
    [
        ("word, label", ["The cat"], "sentence:1: 'The cat' is no list of tokens"),
        ("word, label", [["a"], None], "sentence:2: None is no list of tokens"),
        ("word, label", [["a"], ["b", ""]], "sentence:2: '' is no token: a token is a text"),
        ("word, label", [[], ["a"], ["b", 3]], "sentence:3: 3 is no token: a token is a text"),
        ("word, label", [[("a", "b")]], "sentence:1: ('a', 'b') is no token: a token is a text"),
        ("word, label", [[()]], "sentence:1: () is no token: a token is a text"),
        ("word, label", [[("",)]], "sentence:1: ('',) is no token: a token is a text"),
        ("word, label", [[(3,)]], "sentence:1: (3,) is no token: a token is a text"),
        ("pos, word, label", [["ab"]], "sentence:1: 'ab' is no token: a token is 2 texts (pos, word)"),
        ("pos, word, label", [[("a", "b", "c")]], "sentence:1: ('a', 'b', 'c') is no token: a token is 2 texts"),
        ("pos, word, label", [[("a", "b")], [("a", "")]], "sentence:2: ('a', '') is no token"),
        ("pos, word, label", [[{"a", "b"}]], "is no token: a token is 2 texts (pos, word)"),
    ],
)
def test_tokens_that_are_none_are_an_error(columns: str, sentences, message: str) -> None:
    with pytest.raises(DataError) as error:
        sstag.tag(tiny(columns=columns), sentences)
    assert message in str(error.value)
