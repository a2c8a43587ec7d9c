"""Results as JSON, which are written after every case so that none is lost, and as a Markdown table."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.figures import CRFSUITE, ONE, TWO
from sstag.foundation.files import output

HEAD = ("what", "corpus", "CRFsuite", "sstag, 1 thread", "sstag, 2 threads", "times better", "target", "met")
LINE = ("---", "---", "---:", "---:", "---:", "---:", "---", "---")
SIDES = {ONE: "1 thread", TWO: "2 threads"}
NUMBERS = re.compile(r"\[[-+.\deE,\s]+\]")

Results = dict[str, dict[str, dict[str, Any]]]  # by measurement and case


def load(path: Path) -> Results:
    """The results that were measured before, if there are any."""
    return json.loads(path.read_bytes()) if path.exists() else {}


def save(results: Results, path: Path) -> None:
    """Writes the results to `path` with the endings .json and .md; a list of numbers is one line."""
    text = NUMBERS.sub(lambda found: " ".join(found[0].split()), json.dumps(results, ensure_ascii=False, indent=1))
    for ending, content in ((".json", text + "\n"), (".md", table(results))):
        with output(str(path.with_suffix(ending))) as file:
            file.write(content.encode())


def table(results: Results) -> str:
    """A Markdown table of all figures: the best run of each side, and how much worse its worst one was."""
    rows = [row for key, cases in results.items() for name, case in cases.items() for row in _rows(key, name, case)]
    machines = dict.fromkeys(case["machine"]["what"] for cases in results.values() for case in cases.values())
    lines = ["| " + " | ".join(row) + " |" for row in (HEAD, LINE, *rows)]
    return "\n".join([*lines, "", *(f"Measured on {machine}." for machine in machines)]) + "\n"


def _rows(measurement: str, name: str, case: Mapping[str, Any]) -> list[Sequence[str]]:
    if "not measured" in case:
        return [(measurement, name, f"not measured: {case['not measured']}", *[""] * 5)]
    return [_row(case["on"].get("corpus", ""), one) for one in case["figures"]]


def _row(corpus: str, one: Mapping[str, Any]) -> Sequence[str]:
    peer = one["peer"]
    named = "" if peer == CRFSUITE else f" ({peer})"
    cells = [_cell(one, peer) + (named if peer in one["runs"] else ""), *(_cell(one, side) for side in SIDES)]
    ratios = ", ".join(f"{one['ratio'][side]:.3g}" for side in SIDES if side in one["ratio"])
    met = {None: "", True: "yes", False: "**no**"}[one["met"]]
    return one["what"], corpus, *cells, ratios, _targets(one), met


def _cell(one: Mapping[str, Any], side: str) -> str:
    """The best run, and by how much the worst differs from it: `0.238 s (+5 %)`."""
    if side not in one["runs"]:
        return ""
    best, worst = one["best"][side], one["worst"][side]
    if best is None:
        return "never"
    if len(one["runs"][side]) == 1 or not best:
        return _number(best, one["unit"])
    spread = "not in all runs" if worst is None else f"{100 * (worst / best - 1):+.0f} %"
    return f"{_number(best, one['unit'])} ({spread})"


def _number(value: float, unit: str) -> str:
    return f"{value:,.0f} {unit}" if abs(value) >= 1000 else f"{value:.4g} {unit}".strip()


def _targets(one: Mapping[str, Any]) -> str:
    """The targets as text, `1 thread ≥ 2, 2 threads ≥ 4`; a target that both have is said once."""
    said: dict[str, list[str]] = {}
    for side, kind, bound in one["targets"]:
        text = {
            "times": f"≥ {bound:g} times better",
            "share": f"≤ {bound:g} times as much",
            "most": f"≤ {_number(bound, one['unit'])}",
            "least": f"≥ {_number(bound, one['unit'])}",
        }[kind]
        said.setdefault(text, []).append(SIDES[side])
    return ", ".join(text if len(said) == 1 else f"{' and '.join(sides)} {text}" for text, sides in said.items())
