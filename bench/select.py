"""select: seconds to choose the next fifty sentences of newswire, from start-up to the last line written."""

from pathlib import Path

from bench.corpora import corpus, template
from bench.figures import TWO, Bench, Case, Measured, Target, figure
from bench.processes import alternated, run, sstag

WANTED = 50
ITERATIONS = 30


def _quota(bench: Bench) -> Measured:
    """The strategy quota, without a model: n-grams of the pool are counted, and q(x) of its sentences computed."""
    return _measured(bench, "quota", Target(TWO, "most", 5.0))


def _entropy(bench: Bench) -> Measured:
    """The strategy entropy: a forward and a backward pass over the pool."""
    return _measured(bench, "entropy", Target(TWO, "most", 15.0), "--model", _model(bench))


def _measured(bench: Bench, strategy: str, target: Target, *more: object) -> Measured:
    pool = corpus(bench, "reuters")
    words = ["--pool", pool.path, "--strategy", strategy, "--count", WANTED, "--threads", 2, *more]
    side = sstag("select", *words, "--output", bench.scratch / "chosen.txt")
    runs = alternated({TWO: side}, bench.scale.few, bench.tell)
    figures = [
        figure(f"{WANTED} sentences by {strategy}", "s", runs, "seconds", target),
        figure("peak memory of it", "MiB", runs, "MiB"),
    ]
    return Measured(pool.on, runs, figures)


def _model(bench: Bench) -> Path:
    """A model of names that looks at words alone, from a short training."""
    on, path, model = corpus(bench, "conll2003"), bench.scratch / "names.txt", bench.scratch / "names.model"
    if not model.exists():
        bench.tell("a model")
        run(sstag("convert", "--columns", "word,pos,chunk,tag", "--keep", "word,tag", on.path, "--output", path))
        chosen = ["--template", template("genes"), "--set", f"max_iterations={ITERATIONS}"]
        run(sstag("train", *chosen, "--train", path, "--model", model))
    return model


CASES = (Case("quota", _quota, needs=()), Case("entropy", _entropy, needs=()))
