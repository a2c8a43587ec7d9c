"""second: what a second look costs: tagging, one sentence, and training, each beside one look in the same run.

Both models learn from the same 100 sentences. The one that looks twice has read 2,000 raw sentences, and it tags a file
with the labels of the file counted (`--context file`), or without (`--context none`).
"""

from pathlib import Path

from bench.corpora import Corpus, corpus, template
from bench.figures import ONE, THREADS, TWO, Bench, Case, Figure, Measured, Target, figure
from bench.processes import Command, alternated, run, sstag
from sstag.features.choice import OF_WORDS

TEMPLATE = "words"
LOOKS = tuple(line.format("word") for line in OF_WORDS)
LABELLED, RAW = 100, 2000  # sentences
PEER = "sstag, one look, {}"
HAND, ALONE = "text at hand counted", "raw text alone"


def _tagging(bench: Bench) -> Measured:
    """Tokens a second of names in text that is repeated, so that the time of starting is a small part."""
    on = corpus(bench, "conll2003 test")
    words = _words(bench, on, "test")
    text = words.read_bytes()
    times = -(-bench.scale.repeated // on.on["tokens"])
    path, tagged, tokens = bench.scratch / "again.txt", bench.scratch / "tagged.txt", times * on.on["tokens"]
    path.write_bytes(text * times)
    once, twice = _models(bench)

    def tagging(model: Path, threads: int, *more: object) -> Command:
        return sstag("tag", "--model", model, path, "--output", tagged, "--threads", threads, *more)

    figures, runs = [], {}
    for side, threads in THREADS.items():
        peer = PEER.format(side.partition(", ")[2])
        sides = {
            peer: tagging(once, threads),
            f"{side}, {HAND}": tagging(twice, threads, "--context", "file"),
            f"{side}, {ALONE}": tagging(twice, threads, "--context", "none"),
        }
        here = alternated(sides, bench.scale.few, bench.tell)
        runs |= here
        for way in (HAND, ALONE):
            beside = {peer: here[peer], side: here[f"{side}, {way}"]}
            for key, unit in (("seconds", "tokens/s"), ("processor seconds", "tokens/s of a processor")):
                rates = {name: [tokens / one[key] for one in each] for name, each in beside.items()}
                what, target = f"whole tagging with two looks, {way}", [Target(side, "times", 0.45)]
                figures.append(Figure(what, unit, rates, target, peer=peer, rising=True))
            figures.append(figure(f"peak memory of it, {way}", "MiB", beside, "MiB", peer=peer))
    path.unlink()
    return Measured({"corpus": f"{on.name} repeated", "tokens": tokens, **_SAID}, runs, figures)


def _sentence(bench: Bench) -> Measured:
    """One sentence through a pipe, where the raw text alone is counted."""
    once, twice = _models(bench)
    test = _words(bench, corpus(bench, "conll2003 test"), "test")
    path, peer = bench.scratch / "sentence.txt", PEER.format("1 thread")
    path.write_text(test.read_text(encoding="utf-8").partition("\n\n")[0] + "\n\n", encoding="utf-8")
    sides = {peer: once, ONE: twice}
    commands = {side: sstag("tag", "--model", model, "--threads", 1, stdin=path) for side, model in sides.items()}
    runs = alternated(commands, bench.scale.commands, bench.tell)
    what = "one sentence tagged with two looks"
    figures = [
        figure(what, "s", runs, "seconds", Target(ONE, "share", 1.5), peer=peer),
        figure(f"{what}, of a processor", "s", runs, "processor seconds", Target(ONE, "share", 1.5), peer=peer),
    ]
    return Measured({"corpus": "one sentence", **_SAID}, runs, figures)


def _training(bench: Bench) -> Measured:
    """Both stages on two cores, with the reading of the raw text between them."""
    peer = PEER.format("2 threads")
    made = {peer: bench.scratch / "once.model", TWO: bench.scratch / "twice.model"}
    runs = alternated(
        {side: _training_of(bench, path, side == TWO) for side, path in made.items()}, bench.scale.few, bench.tell
    )
    figures = [
        figure("training with two looks", "s", runs, "seconds", Target(TWO, "most", 5.0), peer=peer),
        figure("peak memory of it", "MiB", runs, "MiB", peer=peer),
        Figure(
            "size of the model", "MiB", {side: [path.stat().st_size / 2**20] for side, path in made.items()}, peer=peer
        ),
    ]
    return Measured({"corpus": corpus(bench, "conll2003").name, **_SAID}, runs, figures)


_SAID = {"labelled sentences": LABELLED, "raw sentences": RAW, "template": TEMPLATE, "looks": list(LOOKS)}


def _models(bench: Bench) -> tuple[Path, Path]:
    """A model of one look and a model of two."""
    made = bench.scratch / "once.model", bench.scratch / "twice.model"
    for path, looks in zip(made, (False, True), strict=True):
        if not path.exists():
            bench.tell(f"{path.stem}.model")
            run(_training_of(bench, path, looks))
    return made


def _training_of(bench: Bench, model: Path, looks: bool) -> Command:
    few, raw, how = (bench.scratch / name for name in ("few.txt", "raw.txt", f"{model.stem}.yaml"))
    if not raw.exists():
        sentences = _words(bench, corpus(bench, "conll2003"), "train").read_text(encoding="utf-8").split("\n\n")
        labelled = min(LABELLED, len(sentences) // 2)
        few.write_text("\n\n".join(sentences[:labelled]) + "\n", encoding="utf-8")
        raw.write_text(_without_labels(sentences[labelled : labelled + RAW]), encoding="utf-8")
    lines = "".join(f"\n  - {line}" for line in LOOKS if looks)
    how.write_text(
        template(TEMPLATE).read_text(encoding="utf-8").replace("features:", f"features:{lines}"), encoding="utf-8"
    )
    words = ["train", "--template", how, "--train", few, "--model", model, "--threads", 2]
    return sstag(*words, *(["--unlabeled", raw] if looks else []))


def _without_labels(sentences: list[str]) -> str:
    return "".join("\n".join(line.split()[0] for line in one.splitlines()) + "\n\n" for one in sentences)


def _words(bench: Bench, on: Corpus, part: str) -> Path:
    """A corpus of names with words and labels alone."""
    path = bench.scratch / f"names.{part}.txt"
    if not path.exists():
        run(sstag("convert", "--columns", "word,pos,chunk,tag", "--keep", "word,tag", on.path, "--output", path))
    return path


CASES = (
    Case("tagging", _tagging, needs=()),
    Case("one sentence", _sentence, needs=()),
    Case("training", _training, needs=()),
)
