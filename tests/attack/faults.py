"""`python -m tests.attack.faults`: every command that writes, once for each call with which it does, which fails.

And once for each with a signal there, and once with a disk that is full after so large a part of the bytes.
"""

import os
import shutil
import signal
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.attack.inputs import Input, Trouble, disk, signals
from tests.attack.many import preloaded
from tests.attack.material import good_files
from tests.attack.worker import Attacks

SENT = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM)
MOST = 60  # calls of a command that are tried one by one; of a longer one as many, evenly


def every_trouble(calls: int) -> list[Trouble]:
    """The misfortunes of a command that makes so many calls: each place with one error after the other."""
    tried = min(calls, MOST)
    shares = [(at + 0.5) / tried for at in range(tried)]
    found = [Trouble("fault", share, disk.ERRORS[at % len(disk.ERRORS)]) for at, share in enumerate(shares)]
    found += [Trouble("room", share) for share in shares]
    return found + [Trouble("signal", share, int(SENT[at % len(SENT)])) for at, share in enumerate(shares)]


def main() -> int:
    """The number of failures."""
    preloaded("tests.attack.faults")
    shown = os.fdopen(os.dup(1), "w", buffering=1)
    folder = Path(tempfile.mkdtemp(prefix="sstag-faults-")).resolve()
    count: Counter[str] = Counter()
    try:
        attacks = Attacks(folder / "work", good_files(folder / "good"))
        for words in [*signals.writers()[0], *signals.writers()[1]]:
            for trouble in every_trouble(attacks.calls(words)):
                fault, came = attacks.attacked(0, Input(words, trouble=trouble))
                count[trouble.kind] += 1
                if fault:
                    count["failures"] += 1
                    print(f"{' '.join(words)}, {trouble}: {fault}\n{came.err[-1500:]}", file=shown)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(", ".join(f"{number:,} {name}" for name, number in count.items()), file=shown)
    return count["failures"]


if __name__ == "__main__":
    sys.exit(main() > 0)
