"""`make data-check`: which corpora and representations are here, and are they the ones that were measured?"""

import csv
import hashlib
import os
import sys
from pathlib import Path

from sstag.corpus.layout import layout_for
from sstag.labels.checking import checked
from sstag.labels.marks import Marks

HERE = Path(__file__).parent


def main() -> None:
    folders = [HERE, *(Path(folder) for folder in [os.environ.get("SSTAG_DATA", "")] if folder)]
    print(f"looking in {' and '.join(map(str, folders))}")
    wrong = 0
    with open(HERE / "corpora.tsv", encoding="utf-8") as table:
        for row in csv.DictReader(table, delimiter="\t"):
            path = next((folder / row["path"] for folder in folders if (folder / row["path"]).exists()), None)
            verdict = "absent" if path is None else _verdict(path, row)
            wrong += verdict.startswith("other")
            print(f"  {row['path']:<47}{verdict}")
    if wrong:
        sys.exit(f"{wrong} files differ from those that were measured")


def _verdict(path: Path, row: dict[str, str]) -> str:
    if hashlib.sha256(path.read_bytes()).hexdigest() != row["sha256"]:
        return "other bytes than those measured"
    if not row["tokens"]:
        return f"present: {path.stat().st_size / 2**20:>6,.1f} MiB"
    report = checked(str(path), layout_for(str(path), unlabelled=row["labels"] == "0"), Marks())
    counts = (report.sentences, report.tokens, len(report.labels) + report.undecided_values)
    if counts != (int(row["sentences"]), int(row["tokens"]), int(row["labels"])):
        return f"other counts: {counts[0]} sentences, {counts[1]} tokens, {counts[2]} labels"
    return f"present: {counts[0]:>6,} sentences {counts[1]:>9,} tokens {counts[2]:>3} labels"


if __name__ == "__main__":
    main()
