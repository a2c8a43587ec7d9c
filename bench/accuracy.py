"""Accuracy of the shipped templates on the real corpora that are present.

A row is one `sstag train` and one `sstag eval --model`, as a user runs them. Seconds and memory are those of the
training, reading included. Arguments choose tasks by a word in their names; the results are written only if all ran.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.corpora import FOLDERS, template
from bench.processes import RESULTS
from sstag.foundation.child_python import child_environment, module_command

NETTALK = [f"nettalk/parts/part{part}.txt" for part in range(10)]


@dataclass(frozen=True)
class Task:
    """A corpus, its files to train and test on, and the options of the training."""

    name: str
    template: str
    train: Sequence[str]  # several files are concatenated
    tests: Sequence[str]
    keep: str = ""  # the columns to keep, if not all: names of all, then names of those
    options: Sequence[str] = ()


TASKS = [
    Task("CoNLL-2000, phrases", "chunking", ["conll2000/train.txt"], ["conll2000/test.txt"]),
    Task(
        "CoNLL-2003, names",
        "ner",
        ["conll2003/eng.train.gz"],
        ["conll2003/eng.testa", "conll2003/eng.testb"],
        options=["--no-marks"],  # a part of speech there is `NN|SYM`
    ),
    Task("BioCreative II, genes", "genes", ["bc2gm/train.txt"], ["bc2gm/test.txt"]),
    Task(
        "GENIA, parts of speech", "pos", ["genia_pos/train.txt.gz"], ["genia_pos/test.txt"],
        options=["--method", "partial"],  # 114 tokens have more than one label
    ),
    Task("EWT, parts of speech", "pos", ["ewt/train.txt"], ["ewt/test.txt"], "word,upos,tag word,tag"),
    Task("NETtalk, phonemes", "letters", NETTALK[1:], NETTALK[:1], options=["--no-marks"]),
    Task("KWDLC, Japanese words", "segmentation", ["jws/kwdlc.train.txt.gz"], ["jws/kwdlc.test.txt"]),
]  # fmt: skip


def main() -> None:
    folder = next((one for one in FOLDERS if (one / "conll2000/train.txt").exists()), None)
    if folder is None:
        sys.exit("no corpora: put them into data/, or name their folder in SSTAG_DATA (data/README.md)")
    chosen = [task for task in TASKS if not sys.argv[1:] or any(word in task.name for word in sys.argv[1:])]
    with tempfile.TemporaryDirectory() as scratch:
        rows = [row for task in chosen for row in _rows(task, folder, Path(scratch))]
    table = _table(rows)
    print(table)
    if not sys.argv[1:]:
        (RESULTS / "accuracy.json").write_text(json.dumps(rows, indent=1) + "\n")
        (RESULTS / "accuracy.md").write_text(table)


def _rows(task: Task, folder: Path, scratch: Path) -> list[dict[str, Any]]:
    """The results of a task, a row for each test file."""
    train = _prepared(task, [folder / name for name in task.train], scratch / "train.txt")
    print(f"{task.name}: training", file=sys.stderr)
    model, report = str(scratch / "model"), scratch / "report.json"
    shipped = str(template(task.template))
    _run("train", "-t", shipped, "--train", train, "-m", model, "--report", str(report), *task.options)
    said = json.loads(report.read_bytes())
    rows = []
    for name in task.tests:
        test = _prepared(task, [folder / name], scratch / "test.txt")
        marks = [option for option in task.options if option == "--no-marks"]
        found = json.loads(_run("eval", "--model", model, test, "--format", "json", *marks))
        rows.append(
            {
                "corpus": task.name,
                "test": name,
                "template": task.template,
                "labels": len(said["labels"]),
                "tokens": said["model"]["data"]["train"]["tokens"],
                "weights": said["weights"],
                "iterations": said["model"]["iterations"],
                "seconds": said["seconds"],
                "memory": said["peak memory in bytes"],
                "figures": {key: found[key] for key in ("unit", "scheme", "types", "signature")}
                | {"predicted": {key: value for key, value in found["predicted"].items() if key != "name"}},
            }
        )
    return rows


def _prepared(task: Task, paths: Sequence[Path], target: Path) -> str:
    """The path of one file with the columns of the template."""
    if len(paths) == 1 and not task.keep:
        return str(paths[0])
    names, _, kept = task.keep.partition(" ")
    columns = ["--columns", names, "--keep", kept] if task.keep else []
    parts = [_run("convert", str(path), "--no-marks", *columns) for path in paths]
    target.write_bytes(b"".join(parts))
    return str(target)


def _run(*arguments: str) -> bytes:
    command = module_command("sstag", *arguments)
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, env=child_environment()).stdout


def _table(rows: Sequence[dict[str, Any]]) -> str:
    lines = [
        "| corpus | test | labels | tokens to learn from | figure | seconds | memory |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in rows:
        lines.append(
            f"| {row['corpus']} | `{row['test']}` | {row['labels']} | {row['tokens']:,} | {_figure(row['figures'])} "
            f"| {row['seconds']:.1f} | {row['memory'] / 2**20:,.0f} MiB |"
        )
    return "\n".join(lines) + "\n"


def _figure(found: dict[str, Any]) -> str:
    """The accuracy of plain labels, or F₁ of chunks or words, with its interval."""
    name = "accuracy" if found["unit"] == "labels" else "f1"
    said = {"labels": "accuracy", "chunks": "F", "words": "word F"}[found["unit"]]
    low, high = found["predicted"]["intervals"][name]
    return f"{said} {100 * found['predicted']['figures'][name]:.2f} ({100 * low:.2f}–{100 * high:.2f})"


if __name__ == "__main__":
    main()
