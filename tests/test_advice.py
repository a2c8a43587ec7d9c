"""The page on choosing a method: whatever figure its prose states follows from the tables on the pages of results."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from docs.tools.generated import PART, ROOT
from docs.tools.result_pages import tables
from docs.tools.what_to_try import ALL, HUNDRED

PAGE = ROOT / "docs" / "explanation" / "choosing-a-method.md"
LEARNED = tuple(f"{size} labelled" for size in (10, 25, 100))
OPENED = ("Penn Treebank", "English Web Treebank", "Brown corpus at the paper's sizes")
NEWS = "CoNLL-2003, names in news, 100 labelled sentences"
FINE_TUNED = f"{NEWS}, beside the same encoder fine-tuned"
MINILM = "MiniLM, GloVe and Brown"
CONDITIONS = (  # numbers that are no findings: how much is labelled, settings, and what is code
    "10 to 100 whole sentences",
    "with 10, 25 and 100 labelled sentences",
    "of one core for 100 sentences",
    "all 14,041 with spellings",
    "with 100 sentences of names",
    "warns above 0.6",
    "one set of words and three, 100 raw sentences",
    "with 1,000 raw citations the γ of another paper (0.001)",
    "(10 sentences)",
    "every γ > 0",
    "with λ = 100",
    "is 3 beside labelled sentences",
    "1 to 3 is best with 25 of them and 100 is",
    "Without labelled sentences it is 100",
    "can bear 10 to 100",
)


def column(experiment: str, title: str, head: str, right: int = 0) -> dict[str, Any]:
    """By rows, the cells of the column with a head, or so many columns right of it; means of what was drawn."""
    table = next(one for one in tables(experiment) if one["title"].startswith(title))
    place = list(table["head"]).index(head) + right
    cells = {row[0]: row[place] for row in table["rows"]}
    return {name: cell["mean"] if isinstance(cell, dict) else cell for name, cell in cells.items()}


def ends(values: Iterable[float]) -> tuple[float, float]:
    """The least and the greatest."""
    found = sorted(values)
    return found[0], found[-1]


def gains(titles: Iterable[str], ours: str, theirs: str) -> list[float]:
    """How much higher one system of citations, announcements and ads is than another, at each number of sentences."""
    found = [column("mann2008", title, head) for title in titles for head in LEARNED]
    return [one[ours] - one[theirs] for one in found]


def claimed(what: str) -> float:
    gain: float = column("mann2008", "What is claimed", "gain")[
        f"{what} labelled: CRF + GE, similar words over supervised CRF, similar words"
    ]
    return gain


def over_argmax() -> tuple[float, float]:
    found = column("tsuboi2008", "F on web pages", "gain over argmax")
    return ends(found[marked] for marked in ("100", "300", "500"))


def over_choices() -> tuple[float, float]:
    """How much better the sum over open tags is on the words in question than each way to choose one."""
    found = [column("tsuboi2008", f"{name}, exercise {number}", "APA ≥ 1") for name in OPENED for number in (1, 2)]
    others = ("random", "first", "frequent", "discarded")
    return ends(one["marginalised"] - one[other] for one in found for other in others)


def saved(unit: str, strategies: Sequence[str], corpora: Sequence[str] = ("NetTalk", "CoNLL-2003")) -> list[float]:
    """How many per cent strategies save at the end of the curves, where they come so far."""
    found = [column("learning-curves", f"{corpus}: {unit} until", "saved, %", 2) for corpus in corpora]
    return [one[name] for one in found for name in strategies if one[name] is not None]


def of_strength(value: int) -> list[float]:
    """How far a strength of expectation is above no list, on the development sets with 25 labelled sentences."""
    heads = {"citations: accuracy": "accuracy", "seminars: F": "F of the fields", "generated ads: accuracy": "accuracy"}
    found = [column("mann2008", f"{title} o", head) for title, head in heads.items()]
    chosen = [
        next(figure for name, figure in one.items() if name.startswith("l2") and "chosen" in name) for one in found
    ]
    of = [next(one[name] for name in one if name in (f"λ = {value}", f"λ = {value} (chosen)")) for one in found]
    return [ours - alone for ours, alone in zip(of, chosen, strict=True)]


def by_runs() -> list[float]:
    """One set of words, no sentence labelled, before and after it is said that fields are runs, on each corpus."""
    heads = {"citations": "accuracy", "generated ads": "accuracy", "seminars": "F of the fields"}
    found = [column("mann2008", f"{name}: words alone", f"{head}, 100 raw") for name, head in heads.items()]
    strong = "CRF + GE, λ = 100{}, usual label, 1 set"
    return [one[strong.format(said)] for one in found for said in ("", ", fields are runs")]


def on_top(name: str) -> float:
    gain: float = column("representations", f"{NEWS}: F", MINILM, 1)[name]
    return gain


def lost_elsewhere() -> tuple[float, float]:
    """The least and the greatest loss on E by self-training from all of the raw text."""
    table = next(one for one in tables("jiao2006") if one["title"] == "Self-training")
    found = [dict(zip(table["head"], row, strict=True)) for row in table["rows"]]
    return ends(-row["gain in F"]["mean"] for row in found if row["on"] == "E" and len(row["raw text"]) == 1)


CITATIONS = [ALL["citations"], HUNDRED["citations"]]
ANYWHERE = [*dict.fromkeys([*ALL.values(), *HUNDRED.values()])]
SAID = {
    "similar words alone were worth {:.1f} to {:.1f} points": lambda: ends(
        gains(ALL.values(), "supervised CRF, similar words", "supervised CRF")
    ),
    "expectation beside them another {:.1f} with ten citations and {:.1f} with ten announcements, and nothing that is "
    "sure on ads": lambda: (claimed("citations, 10"), claimed("seminars, 10")),
    "{:.1f} to {:.1f} points above filling in what is open": over_argmax,
    "sums over what is open: {:.1f} to {:.1f} points better": over_argmax,
    "{:.1f} to {:.1f} points better on the words in question": over_choices,
    "({:.1f} on names) hardly anything adds more: self-training {:.1f}, lists −{:.1f} to {:.1f}, and label "
    "regularisation costs {:.1f}": lambda: (
        column("representations", f"{NEWS}: F", MINILM)["labels alone"],
        on_top("self-training"),
        -on_top("partial labels, of a list"),
        on_top("expectation, of a list"),
        -on_top("label regularisation"),
    ),
    "MiniLM's frozen vectors were {:.1f} points better than MiniLM fine-tuned ({:.1f} with GloVe and clusters)": (
        lambda: [column("representations", FINE_TUNED, "over fine-tuned")[name] for name in ("MiniLM", MINILM)]
    ),
    "costs ten labelled sentences {:.0f} points": lambda: [
        -gains([ALL["citations"]], "CRF + entropy, γ = 0.001", "supervised CRF")[0]
    ],
    "{:.1f} to {:.1f} points of F lost elsewhere": lost_elsewhere,
    "{:.0f} to {:.0f} points below the supervised CRF on citations": lambda: ends(
        -gain for gain in gains(CITATIONS, "expected gradient", "supervised CRF")
    ),
    "{:.0f} to {:.0f} points above it beside sentences": lambda: ends(gains(ANYWHERE, "CRF + GE", "expected gradient")),
    "takes one set from {:.1f} to {:.1f} % on citations, from {:.1f} to {:.1f} on ads and from F {:.1f} to {:.1f} on "
    "announcements": by_runs,
    "the error grew by up to {:.1f} points": lambda: [
        -column("sokolovska2011", "Error on test sequences, l2 = 1", "less with natural")["10"]
    ],
    "{:.0f} to {:.0f} %, since they choose long sentences": lambda: ends(
        saved("sentences", ("fusal", "margin", "entropy"))
    ),
    "{:.0f} to {:.0f} %; at 2,000 tokens": lambda: ends(saved("tokens", ["token-entropy"])),
    "{:.0f} to {:.0f} %: the model labels": lambda: ends(
        saved("tokens", ("sesal", "sesal:confidence=0.9"), ["CoNLL-2003"])
    ),
    "{:.0f} to {:.0f} points below no list": lambda: ends(-gain for gain in of_strength(100)),
}


@pytest.fixture(scope="module")
def prose() -> str:
    """The page without generated parts, code and addresses, in one line."""
    text = PART.sub("", PAGE.read_text(encoding="utf-8"))
    text = re.sub(r"`[^`\n]*`", "", re.sub(r"\]\([^)]*\)", "]", text))
    return re.sub(r"\s+", " ", text)


@pytest.mark.parametrize("sentence", SAID)
def test_a_sentence_says_what_was_found(sentence: str, prose: str) -> None:
    assert sentence.format(*SAID[sentence]()) in prose


def test_no_other_figure_is_stated(prose: str) -> None:
    for sentence, found in SAID.items():
        prose = prose.replace(sentence.format(*found()), "")
    for condition in CONDITIONS:
        assert condition in prose
        prose = prose.replace(condition, "")
    assert not re.findall(r".{20}(?<![\w-])\d.{20}", prose)
