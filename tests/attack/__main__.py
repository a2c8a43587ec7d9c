"""`python -m tests.attack N FOLDER`: N attacks in a random order that the seed 1 decides; a table of what came of them.

Each attack is a line in FOLDER/done.jsonl, so that the next run goes on where this one was ended.
"""

import json
import random
import sys
from collections import Counter
from pathlib import Path

from tests.attack.material import prepare
from tests.attack.matrix import attempts, may_go_on
from tests.attack.runs import Server

EVERY = 50  # attacks between two tables


def attacked(many: int, folder: Path) -> int:
    """Runs attacks until so many are done; the number of failures among all."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "done.jsonl"
    done = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    server = Server()
    prepare(folder, server)
    every = list(attempts(folder))
    random.Random(1).shuffle(every)
    try:
        for attempt in every[len(done) : many]:
            came = server.run(*attempt.arguments(folder), folder=str(folder), endless=attempt.hostile.endless)
            fault = "" if came.late and may_go_on(attempt) else came.fault
            done.append(
                {"name": attempt.name, "command": attempt.words[0], "kind": attempt.kind, "fault": fault,
                 "seconds": came.seconds, "memory": came.memory, "said": came.err[-2000:] if fault else ""}
            )  # fmt: skip
            with log.open("a") as file:
                file.write(json.dumps(done[-1]) + "\n")
            if fault:
                print(f"{fault}: {attempt.name}\n    {came.err.strip().splitlines()[-1:]}", flush=True)
            if not len(done) % EVERY:
                print(_table(done), flush=True)
    finally:
        server.close()
    print(_table(done))
    return sum(bool(one["fault"]) for one in done)


def _table(done: list[dict[str, str]]) -> str:
    tried, failed = Counter(one["command"] for one in done), Counter(one["command"] for one in done if one["fault"])
    rows = [f"{command:<14}{tried[command]:>8,}{failed[command]:>10,}" for command in sorted(tried)]
    return "\n".join([f"{'command':<14}{'tried':>8}{'failures':>10}", *rows, f"{'all':<14}{len(done):>8,}"])


if __name__ == "__main__":
    sys.exit(attacked(int(sys.argv[1]), Path(sys.argv[2]).absolute()) > 0)
