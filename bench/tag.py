"""tag: seconds of the whole command, from start-up to the last line, beside a script with python-crfsuite."""

from bench.corpora import Corpus, corpus
from bench.figures import CRFSUITE, ONE, THREADS, TWO, Bench, Case, Figure, Measured, Target, figure
from bench.processes import alternated, module, run, sstag
from bench.train import crfsuite_training, sstag_training


def _measured(bench: Bench) -> Measured:
    test = corpus(bench, "conll2000 test")
    runs = _runs(bench, test, bench.scale.runs)
    figures = [
        figure("whole tagging", "s", runs, "seconds", *(Target(side, "times", 1.0) for side in THREADS)),
        figure("peak memory", "MiB", runs, "MiB"),
    ]
    return Measured(test.on, runs, figures)


def _repeated(bench: Bench) -> Measured:
    """The training and the test part, repeated many times."""
    parts = [corpus(bench, key) for key in ("conll2000", "conll2000 test")]
    times = -(-bench.scale.repeated // sum(part.on["tokens"] for part in parts))
    path = bench.scratch / "repeated.txt"
    path.write_bytes(b"".join(part.path.read_bytes() for part in parts) * times)
    tokens = times * sum(part.on["tokens"] for part in parts)
    on = {"corpus": f"{parts[0].name} repeated", "tokens": tokens}
    runs = _runs(bench, Corpus(on["corpus"], path, parts[0].template, on), bench.scale.few)
    path.unlink()
    rates = {side: [tokens / one["seconds"] for one in each] for side, each in runs.items()}
    targets = [Target(ONE, "least", 700_000), Target(TWO, "least", 1_200_000)]
    return Measured(on, runs, [Figure("whole tagging", "tokens/s", rates, targets, rising=True)])


def _runs(bench: Bench, on: Corpus, runs: int) -> dict[str, list[dict[str, float]]]:
    train, tagged = corpus(bench, "conll2000"), bench.scratch / "tagged.txt"
    models = {CRFSUITE: bench.scratch / f"{CRFSUITE}.model", TWO: bench.scratch / f"{TWO}.model"}
    makers = {CRFSUITE: crfsuite_training(train, models[CRFSUITE]), TWO: sstag_training(train, models[TWO], 2)}
    for side, maker in makers.items():
        if not models[side].exists():  # `train` leaves them
            bench.tell(f"a model of {side}")
            run(maker)
    sides = {CRFSUITE: module("bench.crfsuite_script", "tag", models[CRFSUITE], on.path, tagged)}
    for side, threads in THREADS.items():
        sides[side] = sstag("tag", "--model", models[TWO], on.path, "--output", tagged, "--threads", threads)
    return alternated(sides, runs, bench.tell)


CASES = (Case("CoNLL-2000 test", _measured), Case("CoNLL-2000 repeated", _repeated))
