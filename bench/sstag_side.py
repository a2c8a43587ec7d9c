"""Runs of sstag: extraction, passes, whole climbs, and a large corpus held in memory."""

import resource
import sys
import time
from dataclasses import replace
from typing import Any

import numpy as np

import sstag
from bench.corpora import Language
from bench.generated import text
from bench.random_numbers import with_numbers
from sstag.chain.chunk_automaton import KnownChunks
from sstag.corpus.corpus import Corpus
from sstag.corpus.reading import read
from sstag.features import reading
from sstag.features.incidence import Incidence
from sstag.features.template import Edges, Template
from sstag.foundation.arrays import Floats
from sstag.foundation.parallel import one_by_one, shards
from sstag.knowledge.target_shares import counted_shares
from sstag.labels.marks import PLAIN
from sstag.labels.schemes.tagset import chunks, tolerant_tagset
from sstag.model.batches import taken
from sstag.model.compiled import Compiled, compiled
from sstag.model.dataset import Dataset
from sstag.model.model_file import load
from sstag.model.weight_map import weight_map
from sstag.training.criterion import Criterion
from sstag.training.looks import Part
from sstag.training.objectives.entropy import Entropy
from sstag.training.objectives.expectation import Expectation
from sstag.training.objectives.likelihood import Likelihood
from sstag.training.objectives.rejection import Rejection
from sstag.training.optimiser.lbfgs import Function, maximised


def like_crfsuite(
    template: str, transitions: str, steps: bool = False, pairs: str = "observed", numbers: str = ""
) -> Template:
    """A template with the weights that CRFsuite has: no scores for both ends, and observed pairs and steps, or all.

    With `steps` it keeps the template's attributes of steps, which CRFsuite lacks, and `numbers` are what each word, or
    each token, has besides (`random_numbers`).
    """
    made = with_numbers(reading.load_template(template), numbers)
    edges = Edges(labels=True, begin=False, end=False, features=made.edges.features if steps else ())
    return replace(made, edges=edges, edge_pairs=transitions, pairs=pairs)


def prepared(path: str, **choices: Any) -> tuple[Corpus, Compiled]:
    """A corpus, and its compiled form."""
    made = like_crfsuite(**choices)
    corpus = read(path, made.layout(path))
    return corpus, compiled(made, corpus, marks=PLAIN)


def warm() -> None:
    """Calls every kernel that the measurements need, so that none of them waits for the compiler."""
    made = reading.template(
        "columns: [word, pos, label]\nfeatures: [word[-1..1], pos[0]]\nedges: [labels, pos[0]]\n", "warm"
    )
    tokens = [tuple(line.split()) for line in text(Language(10, 100, 2, 10.0), 50, 1).split("\n") if line]
    sstag.tag(sstag.train(made, [tokens], max_iterations=3), [[token[:2] for token in tokens]])


def extraction(problem: dict[str, Any]) -> dict[str, Any]:
    """Seconds to read a file and extract all arrays of a training."""
    began = time.perf_counter()
    _, made = prepared(**problem)
    seconds = time.perf_counter() - began
    return {"seconds": seconds, "attributes": made.unary.size, "pairs": len(made.pairs.labels)}


def passes(problem: dict[str, Any], threads: int, l2: float, iterations: int, masked: float = 0.0) -> dict[str, Any]:
    """Seconds for a value and gradient, and for an iteration divided by its evaluations, at the start of a climb.

    In a share `masked` of the sentences half of the labels are open; the weights are those of all labels.
    """
    _, made = prepared(**problem)
    assert made.labelled is not None
    data = half_open(made.labelled, masked)
    spent = []
    with shards(threads) as over:
        criterion = Criterion(weight_map(made), [Part(data, (Likelihood(),))], l2, over)

        def timed(theta: Floats) -> tuple[float, Floats]:
            start = time.perf_counter()
            result = criterion(theta)
            spent.append(time.perf_counter() - start)
            return result

        start = np.zeros(criterion.weight_map.size)
        criterion(start)  # loads the kernels, and sets up what is set up once
        began = time.perf_counter()
        maximised(timed, start, value_tolerance=0.0, max_iterations=iterations)
        seconds = time.perf_counter() - began
    return {
        "seconds": sum(spent) / len(spent),
        "iteration": seconds / len(spent),
        "attributes": made.unary.size,
        "pairs": len(made.pairs.labels),
        "weights": len(start),
    }


def evaluations(
    problem: dict[str, Any],
    threads: int,
    l2: float,
    count: int,
    expectations: int | None = None,
    rejected: int | None = None,
) -> dict[str, Any]:
    """Seconds for a value and gradient of the likelihood, of expectations about the most frequent words, or of
    rejecting so many chunks of each sentence, at most, the longest first.

    The targets are the labels that the words have. The weights follow the gradient in steps of a fixed length.
    """
    corpus, made = prepared(**problem)
    assert made.labelled is not None
    what = Likelihood() if expectations is None else _on_words(corpus, made, expectations)
    part = Part(made.labelled, (what,)) if rejected is None else _without_chunks(made, rejected)
    spent = []
    with shards(threads) as over:
        criterion = Criterion(weight_map(made), [part], l2, over)
        theta = np.zeros(criterion.weight_map.size)
        _, gradient = criterion(theta)
        for _ in range(count):
            theta += gradient / max(float(np.abs(gradient).max()), 1.0)
            began = time.perf_counter()
            _, gradient = criterion(theta)
            spent.append(time.perf_counter() - began)
    return {"seconds": sum(spent) / len(spent), "weights": len(theta)}


def _on_words(corpus: Corpus, made: Compiled, count: int) -> Expectation:
    assert made.labelled is not None
    assert made.labelled.sets is not None
    words = corpus.codes[0]
    rank = np.argsort(np.argsort(-np.bincount(words), kind="stable"), kind="stable")[words]
    has = rank < count
    labels = made.labelled.allowed.argmax(axis=1)[made.labelled.sets]
    counts = np.zeros((min(count, len(corpus.values[0])), len(made.labels)))
    np.add.at(counts, (rank[has], labels[has]), 1.0)
    return Expectation(
        targets=counted_shares(counts, 0.1),
        strengths=np.ones(len(counts)),
        active=Incidence(np.concatenate([[0], np.cumsum(has)]), rank[has].astype(np.int32), None),
        names=tuple(map(str, range(len(counts)))),
        labels=made.labels,
    )


def _without_chunks(made: Compiled, most: int) -> Part:
    """The sentences that have chunks, as raw text in which these are rejected."""
    data = made.labelled
    assert data is not None
    assert data.sets is not None
    tags = tolerant_tagset(made.labels, made.scheme)
    found = chunks(tags, data.allowed.argmax(axis=1)[data.sets], data.offsets)
    sentence = np.searchsorted(data.offsets, found.first, side="right") - 1
    order = np.lexsort((found.first - found.stop, sentence))
    place = np.arange(len(order)) - np.searchsorted(sentence[order], sentence[order])
    kept = np.sort(order[place < most])
    inner = slice(0, len(made.labels))
    nothing = np.zeros(len(kept), bool)
    known = KnownChunks(found.first[kept], found.stop[kept], found.type[kept], nothing, tags.type[inner], tags.joined)
    sentences, alone = known.alone(data.offsets)
    return Part(replace(taken(data, sentences), sets=None), (Rejection(alone),))


def looks(problem: dict[str, Any], l2: float, iterations: int, objective: str, **settings: Any) -> dict[str, Any]:
    """Seconds for a value and gradient of an objective on words without labels, at the end of a supervised climb.

    The likelihood is measured with the labels. Both run in one thread.
    """
    _, made = prepared(**problem)
    assert made.labelled is not None
    supervised = Criterion(weight_map(made), [Part(made.labelled, (Likelihood(),))], l2, one_by_one)
    theta = maximised(supervised, np.zeros(supervised.weight_map.size), max_iterations=iterations).theta
    criterion = supervised
    if objective != "likelihood":
        part = Part(replace(made.labelled, sets=None), (Entropy(**settings),))
        criterion = Criterion(weight_map(made), [part], l2, one_by_one)
    criterion(theta)  # loads the kernels, and sets up what is set up once
    began = time.perf_counter()
    for _ in range(iterations):
        criterion(theta)
    return {"seconds": (time.perf_counter() - began) / iterations, "weights": len(theta)}


def climb_by(
    problem: dict[str, Any], l2: float, iterations: int, scipys: bool = False, tolerance: float = 1e-5
) -> dict[str, Any]:
    """A climb of the likelihood from 0 by scipy's L-BFGS-B or by the project's optimiser, with ten pairs each.

    It ends when ten iterations have added no more than `tolerance` of the value; scipy's has 1e-5.
    """
    _, made = prepared(**problem)
    assert made.labelled is not None
    criterion = Criterion(weight_map(made), [Part(made.labelled, (Likelihood(),))], l2, one_by_one)
    start = np.zeros(criterion.weight_map.size)
    criterion(start)  # sets up what is set up once
    within = 0.0
    evaluations = 0

    def timed(theta: Floats) -> tuple[float, Floats]:
        nonlocal within, evaluations
        began = time.process_time()
        result = criterion(theta)
        within += time.process_time() - began
        evaluations += 1
        return result

    memory, began = _peak(), time.process_time()
    if scipys:
        value = _climbed_by_scipy(timed, start, iterations)
    else:
        climbed = maximised(
            timed, start, metric=criterion.curvature, value_tolerance=tolerance, max_iterations=iterations
        )
        value = climbed.value
    spent = time.process_time() - began
    return {
        "objective": value,
        "evaluations": evaluations,
        "processor": spent,
        "besides": spent - within,
        "more MiB": _peak() - memory,
    }


def _climbed_by_scipy(function: Function, start: Floats, iterations: int) -> float:
    from scipy.optimize import OptimizeResult, minimize

    def downhill(theta: Floats) -> tuple[float, Floats]:
        value, gradient = function(theta)
        return -value, -gradient

    values: list[float] = []

    def is_over(intermediate_result: OptimizeResult) -> None:
        values.append(-intermediate_result.fun)
        if len(values) > 10 and values[-1] - values[-11] <= 1e-5 * abs(values[-1]):
            raise StopIteration

    most = {"maxcor": 10, "maxiter": iterations, "maxfun": 10 * iterations, "ftol": 0.0, "gtol": 0.0}
    minimize(downhill, start, jac=True, method="L-BFGS-B", callback=is_over, options=most)
    return values[-1]


def _peak() -> float:
    """The most memory that this process has taken, in MiB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


def half_open(data: Dataset, share: float) -> Dataset:
    """The data with half of the labels, drawn at random, open in a share of the sentences."""
    if not share:
        return data
    rng = np.random.default_rng(1)
    lengths = np.diff(data.offsets)
    here = np.repeat(rng.random(len(lengths)) < share, lengths) & (rng.random(lengths.sum()) < 0.5)
    sets = np.where(here, len(data.allowed), data.sets).astype(np.int32)
    return replace(data, sets=sets, allowed=np.vstack([data.allowed, np.ones_like(data.allowed[:1])]))


def climb(problem: dict[str, Any], threads: int, test: str | None = None, **parameters: Any) -> dict[str, Any]:
    """The objective of every iterate of a training, its seconds since the first pass, and its score if there is a test.

    Scores take time but change no iterate.
    """
    choices = {name: value for name, value in problem.items() if name != "path"}
    told: list[sstag.training.Progress] = []
    sstag.train(
        like_crfsuite(**choices),
        problem["path"],
        dev=test,
        marks=PLAIN,
        threads=threads,
        tell=told.append,
        patience=0,
        **parameters,
    )
    return {
        "objective": [progress.objective for progress in told],
        "seconds": [progress.seconds for progress in told],
        **({"score": [progress.score for progress in told]} if test else {}),
    }


def training(path: str, template: str, threads: int, iterations: int, model: str) -> dict[str, Any]:
    """Seconds to read, extract, and climb for a number of iterations."""
    began = time.perf_counter()
    made = sstag.train(template, path, threads=threads, max_iterations=iterations, tolerance=0.0)
    seconds = time.perf_counter() - began
    sstag.save(made, model)
    return {"seconds": seconds}


def whole(path: str, model: str, threads: int) -> dict[str, Any]:
    """Seconds to read, extract and tag a corpus whose attributes are all in memory at once."""
    tagger = load(model)
    began = time.perf_counter()
    corpus = read(path, tagger.template.layout(path))
    data = tagger.dataset(corpus)
    extracted = time.perf_counter()
    with shards(threads) as over:
        labels = tagger.tagged(data, over)
    return {
        "seconds": time.perf_counter() - began,
        "of these extraction": extracted - began,
        "tokens": len(labels),
        "attributes in all": len(data.unary.indices),
    }
