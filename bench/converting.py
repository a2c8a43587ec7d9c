"""convert: columns as documents and as tokens, beside `spacy convert` on the same file; and a stream of JSON lines.

spaCy is large, and no package that sstag asks for: SSTAG_SPACY names a Python that has it. Without it sstag is measured
alone, and the row says so. Figures are of processor time, since both sides are one process with one thread.
"""

import os
from pathlib import Path
from typing import Any

from bench.corpora import Corpus, corpus
from bench.figures import ONE, Bench, Case, Figure, Measured, Target, figure
from bench.processes import Command, alternated, run, sstag

SPACY, A_TENTH = "spaCy", "a tenth of the lines"
TIMES = 10
TIME = "processor seconds"


def _beside_spacy(bench: Bench) -> Measured:
    """The training part of CoNLL-2000, repeated, as doccano's JSON lines and as Hugging Face's."""
    path, tokens, part = _repeated(bench, bench.scale.repeated)
    name, figures = f"{part.name} repeated", []
    peer: dict[str, Command] = {}
    targets: tuple[Target, ...] = ()
    if program := os.environ.get("SSTAG_SPACY"):
        peer = {SPACY: Command((program, "-m", "spacy", "convert", str(path), str(bench.scratch), "-c", "ner"))}
        targets = (Target(ONE, "times", TIMES),)
    else:
        name += " (spaCy is not measured: SSTAG_SPACY names no Python)"
    every: dict[str, list[dict[str, Any]]] = {}
    for form in ("doccano", "tokens"):
        ours = sstag("convert", path, "--to-format", form, "-o", bench.scratch / "made.jsonl")
        runs = alternated({ONE: ours} | peer, bench.scale.few, bench.tell)
        rates = {side: [tokens / one[TIME] for one in each] for side, each in runs.items()}
        figures.append(Figure(f"columns as {form}", "tokens/s", rates, targets, peer=SPACY, rising=True))
        every |= {f"{side}, {form}": each for side, each in runs.items()}
    path.unlink()
    return Measured({"corpus": name, "tokens": tokens}, every, figures)


def _stream(bench: Bench) -> Measured:
    """JSON lines as columns, and first a tenth of them, which shows whether memory is bounded."""
    columns, _, part = _repeated(bench, 1)
    some, lines, made = (bench.scratch / name for name in ("some.jsonl", "lines.jsonl", "made.txt"))
    run(sstag("convert", columns, "--to-format", "doccano", "-o", some))
    text = some.read_bytes()
    found: dict[str, list[dict[str, Any]]] = {}
    for side, size in ((A_TENTH, bench.scale.streamed // 10), (ONE, bench.scale.streamed)):
        with open(lines, "wb") as file:
            for _ in range(-(-size // len(text))):
                file.write(text)
        bench.tell(f"{side}, {lines.stat().st_size:,} bytes")
        taken = run(sstag("convert", lines, "-o", made))
        found[side] = [taken | {"MB/s": lines.stat().st_size / 1e6 / taken[TIME]}]
    lines.unlink()
    made.unlink()
    figures = [
        figure("doccano as columns", "MB/s", found, "MB/s", peer=A_TENTH, rising=True),
        figure("peak memory of it", "MiB", found, "MiB", peer=A_TENTH),
    ]
    return Measured({"corpus": f"{part.name} as documents, repeated", "bytes": bench.scale.streamed}, found, figures)


def _repeated(bench: Bench, least: int) -> tuple[Path, int, Corpus]:
    """The training part of CoNLL-2000 so often that it has at least so many tokens, in IOB2 whatever it is made of."""
    part, path, well = corpus(bench, "conll2000"), bench.scratch / "columns.txt", bench.scratch / "iob2.txt"
    run(sstag("convert", part.path, "--repair", "--to-scheme", "iob2", "-o", well))
    times = -(-least // part.on["tokens"])
    path.write_bytes(well.read_bytes() * times)
    return path, times * part.on["tokens"], part


CASES = (
    Case("beside spacy convert", _beside_spacy, needs=()),
    Case("1 GB of JSON lines", _stream, quick=False, needs=()),
)
