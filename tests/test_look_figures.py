"""The experiment on second looks: its draws, which corpora chose nothing, and whether its claims hold."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from docs.tools import second_look
from sstag.experiments.corpora import Corpora
from sstag.experiments.page import Table
from sstag.experiments.representations.eyes import SPELLINGS, lines_of
from sstag.experiments.second_look import experiment
from sstag.experiments.second_look.claims import Aim, aims, bounds
from sstag.experiments.second_look.texts import ALL, APART, DEVELOPMENT, HALVES, TASKS, drawn
from sstag.experiments.second_look.ways import AT_HAND, ONE, RAW_TEXT, looked
from sstag.experiments.trials import Row

ROOT = Path(__file__).parent.parent
PLACES = "abcdefghijklmnopqrst"


def rows_of(gains: dict[str, tuple[float, float]], size: int, seen: str = SPELLINGS, raw: float = 0.5) -> list[Row]:
    """Two draws of each corpus with these gains of the text at hand, and others of the raw text alone."""
    return [
        {"task": task, "sentences": size, "lines": lines_of(seen), "draw": draw, "way": way, "figure": 50.0 + more}
        for task, of_draws in gains.items()
        for draw, gain in enumerate(of_draws, 1)
        for way, more in ((ONE, 0.0), (RAW_TEXT, raw), (AT_HAND, gain))
    ]


def verdicts(rows: list[Row]) -> dict[str, tuple[object, object]]:
    (table,) = bounds(DEVELOPMENT, (100, 500), rows)
    assert isinstance(table, Table)
    return {str(name): (found, holds) for name, _, _, found, holds in table.rows}


def test_a_bound_on_the_mean_holds_from_there_on() -> None:
    exact = verdicts(rows_of({"de": (3.0, 4.0), "fr": (4.0, 5.0)}, 100))
    below = verdicts(rows_of({"de": (3.0, 4.0), "fr": (4.0, 4.9)}, 100))
    name = f"{SPELLINGS}, 100 labelled, {AT_HAND}: mean gain"
    assert exact[name] == (4.0, "yes")
    assert below[name] == (pytest.approx(3.975), "**no**")
    assert verdicts(rows_of({"de": (1.9, 1.9)}, 500))[f"{SPELLINGS}, 500 labelled, {AT_HAND}: mean gain"][1] == "**no**"


def test_a_loss_counts_if_it_is_more_than_a_standard_error() -> None:
    """The errors of these two draws are 1 and 0.25: a loss of 1 is chance, and one of 0.5 is none."""
    chance = {"de": (-2.0, 0.0), "fr": (9.0, 9.0)}
    loss = {**chance, "lener": (-0.75, -0.25)}
    least = f"{SPELLINGS}, 100 labelled, {AT_HAND}: least gain ({{}})"
    assert verdicts(rows_of(chance, 100))[least.format(TASKS["de"].title)] == (-1.0, "yes")
    assert verdicts(rows_of(loss, 100))[least.format(TASKS["lener"].title)] == (-0.5, "**no**")
    raw = verdicts(rows_of({"de": (9.0, 9.0)}, 100, raw=-0.1))
    assert raw[f"{SPELLINGS}, 100 labelled, {RAW_TEXT}: least gain ({TASKS['de'].title})"][1] == "**no**"


def test_an_aim_is_reached_by_the_mean_of_two_looks() -> None:
    rows = rows_of({"conll2003": (20.0, 21.0)}, 100)
    wanted = [Aim(SPELLINGS, 100, 2, 70.5, 60.0), Aim(SPELLINGS, 100, 2, 70.6, 60.0)]
    (table,) = aims(DEVELOPMENT[0], wanted, rows)
    assert isinstance(table, Table)
    assert [row[-1] for row in table.rows] == ["yes", "**no**"]
    assert [row[2:5] for row in table.rows] == [[60.0, 50.0, 70.5]] * 2


def written(folder: Path, name: str, sentences: int) -> None:
    """A corpus of sentences of one word each, no word twice."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    words = map("".join, product(PLACES, repeat=2))
    path.write_text("".join(f"{word}\tN\tX\n\n" for word, _ in zip(words, range(sentences), strict=False)))


def test_raw_sentences_are_none_of_the_labelled_ones(tmp_path: Path) -> None:
    for part in ("train", "dev"):
        written(tmp_path, f"ewt/{part}.txt", 40)
    draws = {size: drawn(Corpora([str(tmp_path)]), TASKS["ewt"], "development", size, 20, 1) for size in (10, 15, ALL)}
    labelled, raw = ({size: {*one.values[0]} for size, one in parts.items()} for parts in (
        {size: data.labelled for size, data in draws.items()}, {size: data.raw for size, data in draws.items()}
    ))  # fmt: skip
    assert labelled[10] < labelled[15] < labelled[ALL]
    assert raw[10] == raw[15]
    assert not raw[15] & labelled[15]
    assert raw[ALL] <= labelled[ALL]
    assert {len(of) for of in raw.values()} == {20}
    assert draws[10].raw.columns == ("word", "upos")


def test_halves_share_no_sentence(tmp_path: Path) -> None:
    written(tmp_path, "seminars/rest.txt", 30)
    data = drawn(Corpora([str(tmp_path)]), TASKS["seminars"], HALVES, 10, 20, 1)
    used = [{*one.values[0]} for one in (data.labelled, data.raw, data.judged)]
    assert [len(one) for one in used] == [10, 5, 15]
    assert len(set.union(*used)) == 30


def test_what_chose_nothing_is_in_no_development_table_and_is_named_with_its_origin(tmp_path: Path) -> None:
    """Their files are read by trials on tests alone, each of a corpus that data/README.md lists."""
    nothing = Corpora([str(tmp_path)])
    names = (file for file in experiment("full", nothing).absent)
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    sections = experiment("full", nothing).sections
    trials = [trial for section in sections for trial in section.trials]
    apart = [trial for trial in trials if any(file.startswith("second-look/") for file in trial.data)]
    assert {trial.settings["task"] for trial in apart} == {task.name for task in APART}
    assert {trial.settings["on"] for trial in apart} == {"test"}
    tests = [trial for trial in trials if trial.settings["on"] == "test" and trial not in apart]
    assert {trial.settings["task"] for trial in tests} == {"conll2003"}  # whose test B has aims
    section = (ROOT / "data/README.md").read_text(encoding="utf-8").partition("## Looked at for the second look")[2]
    assert all(f"| `{task.name}` |" in section for task in APART)


def test_a_look_at_the_text_at_hand_is_that_of_the_commands() -> None:
    """Ads: two looks know more than one, and the rows of a trial are those of three ways to tag."""
    settings = {"task": "ads", "on": "development", "lines": [], "sentences": 10, "raw": 30, "draw": 1, "l2": 0.1}
    rows = looked(Corpora([]), [], **settings, looks=["predicted(lower(WORD[-1..1]))"])
    assert [row["way"] for row in rows] == [ONE, RAW_TEXT, AT_HAND]
    figures = np.array([row["figure"] for row in rows])
    assert (figures[1:] > figures[0] + 2).all()
    assert rows[1]["size"] == rows[2]["size"] > rows[0]["size"]
    without = looked(Corpora([]), [], **settings, looks=[])
    assert without[0]["figure"] == without[1]["figure"] == without[2]["figure"] == figures[0]


def test_the_table_of_the_documents_is_that_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Corpora of both kinds, with a size that was not run, and tables of other things."""

    def made(title: str, first: str, rows: dict[str, tuple[float, float]]) -> dict[str, object]:
        cells = [[name, {"mean": one}, {"mean": one + 1}, {"mean": two}] for name, (one, two) in rows.items()]
        return {"kind": "table", "title": title, "head": [first, ONE, RAW_TEXT, AT_HAND], "rows": cells}

    page = [
        made("Spellings: F₁, or accuracy", "", {"names, old, 100": (10.0, 20.25), "names, old, 500": (30.0, 40.0)}),
        made("Spellings and a frozen MiniLM: F₁", "", {"names, old, 100": (77.0, 78.0)}),
        made("slots (x: y): F₁", "labelled", {"10": (1.0, 2.0), "100": (50.0, 60.0), "all": (80.0, 81.0)}),
        made("Seconds: accuracy", "", {"slots": (3.0, 4.0)}),
    ]
    monkeypatch.setattr(second_look, "tables", lambda name: page)
    rows = second_look.text().split("\n")[2:]
    assert [[cell.strip() for cell in row.strip("|").split("|")] for row in rows] == [
        ["names, old", "10.0", "20.2", "30.0", "40.0"],
        ["slots (x: y), F", "50.0", "60.0", "·", "·"],
    ]
    monkeypatch.setattr(second_look, "tables", lambda name: [])
    assert second_look.text() == "Not measured yet."
