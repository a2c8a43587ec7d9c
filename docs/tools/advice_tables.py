"""Tables of the page on choosing a method, drawn from the pages of experiments in `results`."""

from typing import Any

from docs.tools.registries import table
from docs.tools.result_pages import SIZES, UNKNOWN, number, row, tables

WORDS_ALONE = {  # corpus, by the beginning of the table's title, and the column that is shown
    "citations, accuracy": ("citations: words alone", "accuracy, 100 raw"),
    "announcements, F": ("seminars: words alone", "F of the fields, 100 raw"),
    "generated ads, accuracy": ("generated ads: words alone", "accuracy, 100 raw"),
}
SYSTEMS = {  # what is said of the words, and what else; the row's name on the page
    "their usual label": "CRF + GE, λ = 100, usual label, {}",
    "the shares of all their occurrences": "CRF + GE, λ = 100, all occurrences, {}",
    "usual label, similar words": "CRF + GE, similar words, usual label, {}",
    "usual label, fields are runs (`stay=0.9`)": "CRF + GE, λ = 100, fields are runs, usual label, {}",
    "the same, with kinds of tokens": "CRF + GE, λ = 100, kinds, fields are runs, usual label, {}",
    "usual label, λ of 25 labelled sentences, `stay=0.9`": "CRF + GE, fields are runs, usual label, {}",
    "the same, with kinds of tokens and similar words": (
        "CRF + GE, kinds, fields are runs, similar words, usual label, {}"
    ),
    "usual label, `prototype` with similar words": "prototypes (HK06), similar words, usual label, {}",
}
CURVES = {
    "citations, accuracy": ("citations: the supervised CRF", "accuracy"),
    "announcements, F": ("seminars: the supervised CRF", "F of the fields"),
    "generated ads, accuracy": ("generated ads: the supervised CRF", "accuracy"),
}
SETS = ("1 set", "3 sets")


def words_alone() -> str:
    """Accuracy or F without a labelled sentence, by what is said of one set of words and of three."""
    lines = []
    for said, name in SYSTEMS.items():
        found = [[row("mann2008", title, name.format(sets)).get(head) for sets in SETS] for title, head in
                 WORDS_ALONE.values()]  # fmt: skip
        if any(cell for cells in found for cell in cells):
            lines.append([said, *(" / ".join(map(_shown, cells)) for cells in found)])
    for sentences in ("1", "2", "5"):
        cells = [row("mann2008", title, sentences).get(head) for title, head in CURVES.values()]
        lines.append([f"no words: {sentences} labelled instead (`crf`)", *map(_shown, cells)])
    return table(("said of words", *WORDS_ALONE), lines)


UNDER_RULES = {  # corpus, by the beginning of the table's title
    "citations, accuracy": "citations, 100 raw sentences: accuracy;",
    "announcements, F": "seminars, 100 raw sentences: F of the",
    "generated ads, accuracy": "generated ads, 100 raw sentences: accuracy;",
}
BIASED = {  # what is said of the labels, and the row's name on the page
    "labels alone": "supervised",
    "label regularisation": "label regularisation",
    "biases alone, `--match-shares`": "threshold, shares of A, on E",
}


def under_rules() -> str:
    """A CRF that labels with and without rules, by corpus and labelled sentences."""
    lines = []
    for corpus, title in UNDER_RULES.items():
        plain, ruled = (row("mann2008", title, f"supervised CRF{more}") for more in ("", ", under rules"))
        for name, cells in (("without rules", plain), ("under rules", ruled)):
            lines.append([f"{corpus}, {name}", *(_shown(cells.get(f"{size} labelled")) for size in SIZES)])
    return table(("", *(f"{size} labelled" for size in SIZES)), lines)


def biases_alone() -> str:
    """Label regularisation and biases on gene mentions, by the shares of the labelled sentences."""
    lines = []
    for words, name in BIASED.items():
        title = "Biases by which" if name.startswith("threshold") else "On E"
        cells = row("jiao2006", title, name)
        lines.append([words, *(_shown(cells.get(head)) for head in ("P", "R", "F"))])
    return table(("gene mentions", "precision", "recall", "F"), lines)


def raw_text_ways() -> str:
    """On how many corpora and sizes each way to read raw text gains and loses, and where training does not warn."""
    for one in tables("raw-text"):
        if one["title"].startswith("Each way"):
            return table(one["head"], [[_shown(cell) for cell in cells] for cells in one["rows"]])
    return "Not measured yet."


def _shown(cell: Any) -> str:
    if isinstance(cell, dict):
        return number(cell["mean"])
    return UNKNOWN if cell is None else number(cell, "{:+.1f}") if isinstance(cell, float) else str(cell)
