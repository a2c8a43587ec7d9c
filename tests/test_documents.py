"""The documents: generated parts are up to date, links lead somewhere, and every page can be found."""

import re
import shlex
import subprocess
import sys
import tomllib
from dataclasses import fields
from importlib import metadata
from itertools import takewhile
from pathlib import Path

import pytest

from docs.tools import advice_tables, generated
from docs.tools.result_pages import UNKNOWN, row
from sstag.foundation.errors import installing
from sstag.training.disambiguation import AMBIGUOUS
from sstag.training.methods import METHODS
from sstag.training.objectives import OBJECTIVES

ROOT = generated.ROOT
PAGES = sorted(
    path
    for folder in (ROOT, *(ROOT / name for name in ("bench", "data", "docs", "results")))
    for path in (folder.glob("*.md") if folder == ROOT else folder.rglob("*.md"))
)
LINK = re.compile(r"(?<!\\)\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```$", flags=re.DOTALL | re.MULTILINE)
CODE = re.compile(r"`[^`\n]*`")
HEADING = re.compile(r"^#+ (.+)$", flags=re.MULTILINE)

EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]


def prose(path: Path) -> str:
    """A page without its blocks of code."""
    return FENCE.sub("", path.read_text(encoding="utf-8"))


def anchors(path: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and the site make them."""
    texts = [re.sub(r"\[(.*?)\]\(.*?\)", r"\1", text) for text in HEADING.findall(prose(path))]
    return {re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-") for text in texts}


def links(path: Path) -> list[str]:
    """The targets of a page's links within the repository."""
    return [target for target in LINK.findall(CODE.sub("", prose(path))) if not re.match(r"[a-z]+:", target)]


def test_generated_parts_are_up_to_date() -> None:
    """In a process of its own: click keeps the help option of the first context in which a command ran."""
    run = subprocess.run([sys.executable, "-m", "docs.tools", "stale"], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    stale = run.stdout.splitlines()
    assert not stale, f"{', '.join(stale)}: out of date; run `make documents`"


def test_there_are_pages_with_links() -> None:
    assert len(PAGES) > 90
    assert sum(len(links(path)) for path in PAGES) > 200


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_a_heading(path: Path) -> None:
    for target in links(path):
        name, _, anchor = target.partition("#")
        there = (path.parent / name).resolve() if name else path
        assert there.exists(), f"{path.relative_to(ROOT)}: {target} leads nowhere"
        if anchor and there.suffix == ".md":
            assert anchor in anchors(there), f"{path.relative_to(ROOT)}: there is no heading for {target}"


def test_bars_in_tables_are_written_so_that_every_reader_sees_a_bar() -> None:
    """Within code GitHub drops the backslash of an escaped bar, and the site shows it."""
    escaped = [str(path.relative_to(ROOT)) for path in PAGES if re.search(r"`[^`\n]*\\\|[^`\n]*`", prose(path))]
    assert not [name for name in escaped if not name.startswith("results")]


def test_every_page_of_the_documents_can_be_reached_from_the_readme() -> None:
    found, ahead = set[Path](), [ROOT / "README.md"]
    while ahead:
        path = ahead.pop()
        if path not in found:
            found.add(path)
            there = [(path.parent / target.partition("#")[0]).resolve() for target in links(path)]
            ahead += [one for one in there if one.suffix == ".md"]
    lost = [str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md") if path not in found]
    assert not lost


def test_the_readme_is_short_and_has_a_row_for_every_method() -> None:
    """Besides the rows of methods it has at most 137 lines, so that it had 150 when there were 13 methods."""
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    table = lines.index("| `--method` | learns from | paper |") + 2
    rows = list(takewhile(lambda line: line.startswith("| `"), lines[table:]))
    assert sorted(row.split("`")[1] for row in rows) == sorted(METHODS)
    assert len(lines) - len(rows) <= 137


def test_the_site_lists_every_page_but_those_of_single_decisions() -> None:
    listed = set(re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), flags=re.MULTILINE))
    pages = {str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md") if not path.name[0].isdigit()}
    assert pages - {"docs/README.md"} <= listed
    assert all((ROOT / name).exists() for name in listed)


def test_no_page_and_no_message_installs_sstag_from_an_index() -> None:
    """No index has it."""
    sources = [path for folder in ("sstag", "bench", "docs/tools") for path in (ROOT / folder).rglob("*.py")]
    for path in (*PAGES, ROOT / "Dockerfile", *sources):
        if path != ROOT / "CHANGELOG.md":
            text = path.read_text(encoding="utf-8")
            wrong = re.findall(r"pip install (?:-\S+ )*['\"]?sstag\b[^\n]*", text)
            assert not wrong, f"{path}: {wrong}"
            for names in re.findall(r"'(?:\.|/sstag)\[([a-z,]+)\]'", text):
                assert set(names.split(",")) <= set(EXTRAS), f"{path}: {names}"


def test_the_command_that_a_message_names_installs_the_packages_of_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    named = set()
    for path in (ROOT / "sstag").rglob("*.py"):
        named |= set(re.findall(r"installing\(['\"](\w+)['\"]\)", path.read_text(encoding="utf-8")))
    assert named | {"onnx"} <= set(EXTRAS)  # by the name of a back end
    assert len(named) > 5
    for extra in (*named, "onnx"):
        assert shlex.split(installing(extra)) == ["pip", "install", *EXTRAS[extra]]

    def nowhere(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "requires", nowhere)
    assert installing("annotate") == "pip install '.[annotate]' in its sources"


def test_tables_of_how_to_pages_have_the_figures_of_the_pages_of_results() -> None:
    for part in (advice_tables.under_rules(), advice_tables.biases_alone()):
        assert UNKNOWN not in part
    cells = row("mann2008", "citations, 100 raw sentences: accuracy;", "supervised CRF, under rules")
    assert f"| {cells['10 labelled']['mean']:.1f} | {cells['25 labelled']['mean']:.1f} |" in advice_tables.under_rules()
    cells = row("jiao2006", "Biases by which", "threshold, shares of A, on E")
    assert f"| {cells['R']['mean']:.1f} | {cells['F']['mean']:.1f} |" in advice_tables.biases_alone()


def test_the_templates_of_experiments_read_the_corpora_as_their_page_says(tmp_path: Path) -> None:
    convert, train = re.findall(
        r"^    sstag (.+)$", (ROOT / "data/README.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    folder = tmp_path / "data/citations"
    folder.mkdir(parents=True)
    (folder / "train.txt").write_text("A NN author\n. . author\n\nThe DT title\nend NN title\n", encoding="utf-8")
    (tmp_path / "configs").symlink_to(ROOT / "configs")
    for line in (convert, train):
        run = subprocess.run([sys.executable, "-m", "sstag", *shlex.split(line)], cwd=tmp_path, capture_output=True)
        assert run.returncode == 0, run.stderr
    assert (tmp_path / "citations.txt").read_text(encoding="utf-8").startswith("A author\n. author\n\nThe title\n")
    assert (tmp_path / "citations.model").exists()


LISTS = {  # a page, words in the paragraph that lists them, and what the registries say is in the list
    "how-to/checkpoints.md": ("which count", [name for name, entry in METHODS.items() if entry.counts]),
    "how-to/large-text.md": ("can look at volumes", [name for name, entry in OBJECTIVES.items() if entry.volumes]),
    "reference/train.md": (
        "learn from such lists",
        [
            name
            for name, one in METHODS.items()
            if any(field.name == "expectations" for field in fields(one.parameters))
        ],
    ),
    "reference/train.md#undecided-labels": ("decides them first", list(AMBIGUOUS)),
}


@pytest.mark.parametrize("page", LISTS)
def test_lists_of_names_on_pages_are_those_of_the_registries(page: str) -> None:
    words, names = LISTS[page]
    text = (ROOT / "docs" / page.partition("#")[0]).read_text(encoding="utf-8")
    (paragraph,) = (part for part in text.split("\n\n") if words in " ".join(part.split()))
    assert len(names) > 2
    for name in names:
        assert f"`{name}`" in paragraph or name == "composed", f"{page}: {name}"


SEEN = {  # rows of tables on how-to pages, and what they are called on the page of representations
    "spellings": "spellings",
    "and 128 own clusters": "own clusters",
    "and vectors of 4.1 million words of raw text": "own vectors",
    "these and 128 clusters of the same text": "own clusters and vectors",
    "and own vectors besides": "own clusters and vectors",
    "GloVe 6B, 100 dimensions": "GloVe",
    "GloVe and spaCy's clusters": "GloVe and Brown",
    "and GloVe and clusters": "GloVe and Brown",
    "and MiniLM, 22 million parameters": "MiniLM",
    "and MiniLM, GloVe and clusters": "MiniLM, GloVe and Brown",
    "and MPNet, 110 million parameters": "MPNet",
    "and MPNet, GloVe and clusters": "MPNet, GloVe and Brown",
}


@pytest.mark.parametrize("page", ["clusters", "encoders", "vectors"])
def test_figures_of_representations_are_those_of_their_page(page: str) -> None:
    lines = (ROOT / f"docs/how-to/{page}.md").read_text(encoding="utf-8").splitlines()
    begin = next(number for number, line in enumerate(lines) if line.startswith("| labelled sentences |"))
    rows = [line.strip("| ").split(" | ") for line in takewhile(lambda line: line.startswith("|"), lines[begin:])]
    known = [cells for cells in rows[2:] if cells[0] in SEEN]
    assert len(known) > 2
    for name, *figures in known:
        cells = row("representations", "F₁ by labelled sentences: CoNLL-2003", SEEN[name])
        expected = [cells[size]["mean"] for size in rows[0][1:]]
        assert [*map(float, figures)] == pytest.approx(expected, abs=0.051), name
