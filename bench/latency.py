"""latency: seconds of commands that have next to nothing to do."""

from bench.corpora import corpus
from bench.figures import ONE, TWO, Bench, Case, Measured, Target, figure
from bench.processes import alternated, run, sstag
from bench.train import sstag_training


def _help(bench: Bench) -> Measured:
    runs = alternated({ONE: sstag("--help")}, bench.scale.commands, bench.tell)
    return Measured({}, runs, [figure("sstag --help", "s", runs, "seconds", Target(ONE, "most", 0.15))])


def _sentence(bench: Bench) -> Measured:
    """One sentence tagged through a pipe, with a model of the whole corpus."""
    on, model = corpus(bench, "conll2000"), bench.scratch / f"{TWO}.model"
    if not model.exists():
        bench.tell("a model")
        run(sstag_training(on, model, 2))
    path = bench.scratch / "sentence.txt"
    path.write_text(corpus(bench, "conll2000 test").path.read_text(encoding="utf-8").partition("\n\n")[0] + "\n\n")
    runs = alternated({TWO: sstag("tag", "--model", model, stdin=path)}, bench.scale.commands, bench.tell)
    return Measured(on.on, runs, [figure("one sentence tagged", "s", runs, "seconds", Target(TWO, "most", 0.15))])


CASES = (Case("--help", _help, needs=()), Case("one sentence", _sentence, needs=()))
