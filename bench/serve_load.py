"""`sstag serve` under load: clients that all ask at once, how long an answer takes, and how many are errors.

    python -m bench.serve_load [CLIENTS] [SECONDS]

Prints JSON: the number of answers, of errors, and how long half of the answers and 99 in 100 took. A process of its own
sends the requests, each client over one connection; a text has two sentences of a generated advertisement.
"""

import json
import subprocess
import sys
import tempfile
import threading
import time
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from bench.workbench import quantile
from sstag.foundation.child_python import child_environment, module_command

CLIENTS, SECONDS = 64, 60.0
SIZES = ("--train", "200", "--dev", "0", "--test", "50", "--unlabeled", "0")


def asked(port: int, texts: list[str], until: float, seconds: list[float], errors: list[str]) -> None:
    """Asks again and again until a moment."""
    connection, number = HTTPConnection("127.0.0.1", port, timeout=60), 0
    while time.monotonic() < until:
        body = json.dumps({"text": texts[number % len(texts)]})
        number += 1
        began = time.perf_counter()
        try:
            connection.request("POST", "/tag", body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            said = answer.read()
        except (OSError, HTTPException) as error:
            errors.append(repr(error))
            connection.close()
            continue
        seconds.append(time.perf_counter() - began)
        if answer.status != 200:
            errors.append(f"{answer.status} {said.decode()}")


def texts_of(path: Path) -> list[str]:
    """Texts of a file of columns, with a blank between words."""
    blocks = path.read_text(encoding="utf-8").split("\n\n")
    return [" ".join(line.split("\t")[0] for line in one.splitlines()) for one in blocks if one.strip()]


def measured(clients: int, duration: float, folder: Path) -> dict[str, object]:
    """The figures of so many clients."""
    environment = child_environment()
    sample = module_command("sstag", "sample", "ads", "ads", *SIZES)
    subprocess.run(sample, cwd=folder, env=environment, check=True, capture_output=True)
    train = module_command("sstag", "train", "-t", "ads", "--train", "ads/train.txt", "--model", "ads.model")
    subprocess.run(train, cwd=folder, env=environment, check=True, capture_output=True)
    texts = texts_of(folder / "ads/test.txt")
    serve = module_command("sstag", "serve", "ads.model", "--port", "0")
    server = subprocess.Popen(serve, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    assert server.stdout
    port = int([server.stdout.readline() for _ in range(3)][-1].rpartition(":")[2].strip("/\n"))
    seconds: list[float] = []
    errors: list[str] = []
    try:
        asked(port, texts, time.monotonic() + 1, [], [])
        alone: list[float] = []
        asked(port, texts, time.monotonic() + 5, alone, errors)
        until = time.monotonic() + duration
        each = [threading.Thread(target=asked, args=(port, texts, until, seconds, errors)) for _ in range(clients)]
        for one in each:
            one.start()
        for one in each:
            one.join()
    finally:
        server.terminate()
        server.wait()
    return {
        "clients": clients,
        "answers": len(seconds),
        "errors": len(errors),
        "first error": errors[:1],
        "answers a second": round(len(seconds) / duration, 1),
        "median, ms": round(1000 * quantile(seconds, 0.5), 1),
        "p99, ms": round(1000 * quantile(seconds, 0.99), 1),
        "median of one client, ms": round(1000 * quantile(alone, 0.5), 1),
        "p99 of one client, ms": round(1000 * quantile(alone, 0.99), 1),
    }


if __name__ == "__main__":
    chosen = sys.argv[1:]
    with tempfile.TemporaryDirectory() as place:
        figures = measured(
            int(chosen[0]) if chosen else CLIENTS, float(chosen[1]) if chosen[1:] else SECONDS, Path(place)
        )
    sys.stdout.write(json.dumps(figures, indent=1) + "\n")
