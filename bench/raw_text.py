"""`python -m bench.raw_text FOLDER TOKENS [OPTIONS]`: entropy and expectations over generated text of any size.

The text, a template and a list of expectations are made in FOLDER if they are not there; OPTIONS are those of `sstag
train`, such as `--workers 2` or `--on-disk FOLDER`. Prints as JSON the seconds of the whole command and of a pass, its
processor time, the memory of all its processes together, and the digest of the model.
"""

import json
import os
import re
import statistics
import subprocess
import sys
import time
from collections import Counter, defaultdict
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

from bench.corpora import Language
from bench.generated import text
from bench.writing import write_generated
from sstag.foundation.child_python import child_environment, module_command

LANGUAGE = Language(labels=8, words=500_000, columns=1, length=24)
LABELLED = 800  # sentences
LISTED = 20  # words whose shares of labels are given
COUNT = {10**6: 5, 10**7: 20, 10**8: 50}  # how often an attribute must occur at so many tokens
TEMPLATE = "columns: [word, label]\nfeatures:\n  - word[-1..1]\n  - suffix(word[0], 2)\n"
LOOK = 0.5  # seconds from one look at the memory to the next


def made(folder: Path, tokens: int) -> Path:
    """The configuration of a training, beside everything that it reads."""
    folder.mkdir(parents=True, exist_ok=True)
    raw, config = folder / f"{tokens}.txt", folder / f"{tokens}.yaml"
    labelled = text(LANGUAGE, LABELLED, 2)
    (folder / "train.txt").write_text(labelled, encoding="utf-8")
    (folder / "template.yaml").write_text(TEMPLATE, encoding="utf-8")
    shares: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for line in filter(None, labelled.split("\n")):
        word, label = line.split()
        shares[word][label] += 1
    frequent = sorted(shares, key=lambda word: -shares[word].total())[:LISTED]
    with open(folder / "list.tsv", "w", encoding="utf-8") as file:
        for word in frequent:
            own = shares[word]
            file.write(f"word[0]={word}\t" + " ".join(f"{one}:{own[one] / own.total()}" for one in own) + "\n")
    if not raw.exists():
        part = raw.with_suffix(".part")
        write_generated(str(part), vars(LANGUAGE), tokens, labelled=False)
        part.rename(raw)
    least = COUNT[min(COUNT, key=lambda size: abs(size - tokens))]
    config.write_text(
        f"template: template.yaml\ntrain: train.txt\nunlabeled: {raw.name}\nmethod: composed\nobjectives:\n"
        "  - likelihood: {}\n  - entropy: {gamma: 0.001, data: unlabeled}\n  - expectation: {expectations: list.tsv}\n"
        f"parameters: {{max_iterations: 4, tolerance: 0, minimum_count: {least}}}\n",
        encoding="utf-8",
    )
    return config


def trained(config: Path, options: list[str]) -> dict[str, Any]:
    """Measurements of a training."""
    model, report = (config.with_name(f"{config.stem}-{os.getpid()}.{end}") for end in ("model", "json"))
    command = module_command("sstag", "train", "-c", config, "-m", model, "--report", report, *options)
    began = time.perf_counter()
    process = subprocess.Popen(command, env=child_environment())
    together = alone = 0
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        sizes = [_private(one) for one in _family(process.pid)]
        together, alone = max(together, sum(sizes)), max(alone, *sizes)
        time.sleep(LOOK)
    seconds = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(process.returncode)
    told = json.loads(report.read_text(encoding="utf-8"))
    times = [one["seconds"] for one in told["iterations"] if one["phase"] != "start"]
    passes = [after - before for before, after in pairwise(times)]
    found = {
        "options": options,
        "seconds": round(seconds, 1),
        "processor seconds": round(usage.ru_utime + usage.ru_stime, 1),
        "seconds before the first pass": round(times[0], 1),
        "seconds of an iteration": {"median": round(statistics.median(passes), 2), "least": round(min(passes), 2)},
        "MiB of all processes": together // 1024,
        "MiB of the largest process": alone // 1024,
        "model": sha256(model.read_bytes()).hexdigest()[:16],
    }
    model.unlink()
    report.unlink()
    return found


def _family(pid: int) -> list[int]:
    """A process and all that it started."""
    found = [pid]
    for one in found:
        try:
            for path in Path(f"/proc/{one}/task").glob("*/children"):
                found += map(int, path.read_text().split())
        except OSError:
            pass
    return found


def _private(pid: int) -> int:
    """KiB of a process that are no pages of files, which the system can take back."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return sum(map(int, re.findall(r"^Rss(?:Anon|Shmem):\s+(\d+)", status, re.MULTILINE)))


if __name__ == "__main__":
    print(json.dumps(trained(made(Path(sys.argv[1]), int(sys.argv[2])), sys.argv[3:])))
