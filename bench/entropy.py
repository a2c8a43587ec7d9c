"""entropy: seconds for one value and gradient of the entropy, beside the supervised pass over the same tokens.

Both are measured at the weights where a short supervised climb ends. CRFsuite has no entropy, so its likelihood is
measured beside it, on the first sentences of CoNLL-2000 with all pairs. The last case is a training with few labels and
a million words of raw text.
"""

from functools import partial
from pathlib import Path

from bench.corpora import corpus, template
from bench.figures import CRFSUITE, ONE, TWO, Bench, Case, Figure, Measured, Target, figure
from bench.processes import alternated, function, run, sstag

L2 = 1.0
LIKELIHOOD = "sstag, likelihood, 1 thread"
CONSTRAINED = "sstag, 1 thread, by constrained entropies"
LABELLED = 200  # sentences


def _measured(key: str, bound: float, bench: Bench) -> Measured:
    on, scale = corpus(bench, key), bench.scale
    problem = {"path": on.path, "template": template(on.template), "transitions": "all"}
    one = partial(function, "bench.sstag_side:looks", problem=problem, l2=L2, iterations=scale.passes)
    sides = {
        LIKELIHOOD: one(objective="likelihood"),
        ONE: one(objective="entropy", gamma=1.0),
        CONSTRAINED: one(objective="entropy", gamma=1.0, algorithm="constrained"),
    }
    runs = alternated(sides, scale.runs, bench.tell)
    figures = [
        figure("value and gradient of the entropy", "s", runs, "seconds", Target(ONE, "share", bound), peer=LIKELIHOOD)
    ]
    settings = {"template": on.template, "pairs": "observed", "transitions": "all", "l2": L2}
    return Measured(on.on | settings | {"iterations": scale.passes}, runs, figures)


def _all_pairs(bench: Bench) -> Measured:
    """The entropy beside an iteration of CRFsuite with the same weights."""
    on, scale = corpus(bench, "conll2000 first"), bench.scale
    problem = {"path": on.path, "template": template(on.template), "transitions": "all", "pairs": "all"}
    run_ = partial(function, l2=L2, iterations=scale.passes)
    sides = {
        CRFSUITE: run_("bench.crfsuite_side:passes", problem=problem),
        ONE: run_("bench.sstag_side:looks", problem=problem, objective="entropy", gamma=1.0),
    }
    runs = alternated(sides, scale.runs, bench.tell)
    figures = [
        figure(
            "value and gradient of the entropy; CRFsuite: of the likelihood", "s", runs, "seconds",
            Target(ONE, "share", 1.0),
        ),
        figure("peak memory", "MiB", runs, "MiB"),
    ]  # fmt: skip
    settings = {"template": on.template, "pairs": "all", "transitions": "all", "l2": L2}
    return Measured(on.on | settings | {"iterations": scale.passes}, runs, figures)


def _training(bench: Bench) -> Measured:
    """A whole `sstag train --method entropy`."""
    on, raw = corpus(bench, "bc1gm"), corpus(bench, "bc2gm")
    few, much, model = (bench.scratch / name for name in ("few.txt", "much.txt", "entropy.model"))
    first_sentences(on.path, few, LABELLED)
    tokens = raw_text(raw.path, much, bench.scale.raw, without=on.path)
    words = ["train", "--template", template(on.template), "--train", few, "--unlabeled", much, "--model", model]
    bench.tell("training")
    one = run(sstag(*words, "--method", "entropy", "--threads", 2))
    figures = [
        Figure("training with raw text", "s", {TWO: [one["seconds"]]}),
        figure("peak memory of it", "MiB", {TWO: [one]}, "MiB"),
    ]
    said = {"labelled sentences": LABELLED, "raw tokens": tokens, "template": on.template}
    return Measured({"corpus": f"{on.name}; {raw.name} without its sentences, repeated"} | said, {TWO: [one]}, figures)


def first_sentences(path: Path, target: Path, sentences: int) -> None:
    """Writes the first sentences of a corpus to a file."""
    target.write_text("\n\n".join(path.read_text(encoding="utf-8").split("\n\n")[:sentences]) + "\n", encoding="utf-8")


def raw_text(path: Path, target: Path, least: int, without: Path) -> int:
    """The number of words written to a file: those of a corpus without the sentences of another, repeated to `least`.

    Sentences are compared by their characters, because the two corpora cut words differently.
    """
    known = {"".join(words) for words in _sentences(without)}
    taken = [words for words in _sentences(path) if "".join(words) not in known]
    once = sum(map(len, taken))
    times = -(-least // once)
    with target.open("w", encoding="utf-8") as file:
        for _ in range(times):
            file.writelines("\n".join(words) + "\n\n" for words in taken)
    return times * once


def _sentences(path: Path) -> list[list[str]]:
    """The words of each sentence."""
    blocks = path.read_text(encoding="utf-8").split("\n\n")
    return [[line.split()[0] for line in block.split("\n") if line.strip()] for block in blocks if block.strip()]


CASES = (
    Case("3 labels", partial(_measured, "bc1gm", 1.3), needs=()),
    Case("22 labels", partial(_measured, "conll2000", 1.3), needs=()),
    Case("51 labels", partial(_measured, "nettalk", 2.8), needs=()),
    Case("all pairs", _all_pairs),
    Case("raw text", _training, needs=()),
)
