"""The table of what to try first, drawn from the pages of experiments in `results` alone."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from docs.tools.registries import table
from docs.tools.result_pages import SIZES, UNKNOWN, Cells, Figures, by_size, each_size, number, row

CORPORA = {
    "names": "names in news, F",
    "genes": "genes, F",
    "web": "parts of speech, accuracy",
    "citations": "citations, accuracy",
    "seminars": "announcements, F",
    "ads": "generated ads, accuracy",
}
ON_PAGE = {  # what a corpus is called on the page of representations
    "names": "CoNLL-2003, names in news",
    "genes": "BioCreAtIvE, genes in abstracts",
    "web": "English Web Treebank, parts of speech",
    "citations": "Fields of citations",
}
HERE = {"names": "CoNLL-2003, English names", "genes": "genes (BioCreAtIvE)"}  # and on that of raw text
ALL = {
    "citations": "citations, 1,000 raw sentences: accuracy;",
    "seminars": "seminars, 100 raw sentences: F of the",
    "ads": "generated ads, 500 raw sentences: accuracy;",
}
HUNDRED = {corpus: title.replace("1,000 raw", "100 raw").replace("500 raw", "100 raw") for corpus, title in ALL.items()}
TIMED, PASSED = "names", 100  # the corpus and the labelled sentences whose seconds are shown


@dataclass(frozen=True)
class Source:
    """Where the figures of something are: on each corpus those of it, and of the plain CRF on the same draws."""

    corpora: Mapping[str, str]
    figures: Callable[[str], Figures]
    plain: Callable[[str], Figures]
    seconds: Cells


def seen(name: str) -> Source:
    """Figures of taggers by what they see besides spellings (representations)."""

    def figures(corpus: str, name: str = name) -> Figures:
        measure = "F₁" if corpus in ("names", "genes") else "Accuracy"
        return by_size(row("representations", f"{measure} by labelled sentences: {ON_PAGE[corpus]}", name), "{}")

    seconds = {"seconds": row("representations", "Seconds of one core to train", name).get(str(PASSED))}
    return Source(ON_PAGE, figures, lambda corpus: figures(corpus, "spellings"), seconds)


def on_top(name: str, *systems: str) -> Source:
    """A method on top of the first of these representations that was measured (representations)."""

    def cells(corpus: str, size: int, name: str) -> Cells:
        return row("representations", f"{ON_PAGE[corpus]}, {size} labelled sentences:", name)

    def figures(corpus: str, name: str = name, systems: tuple[str, ...] = systems) -> Figures:
        found = {size: [cells(corpus, size, name).get(system) for system in systems] for size in SIZES}
        measured = {size: [one["mean"] for one in some if isinstance(one, dict)] for size, some in found.items()}
        return {size: some[0] for size, some in measured.items() if some}

    plain = "labels alone", ("spellings",)
    return Source(ON_PAGE, figures, lambda corpus: figures(corpus, *plain), cells(TIMED, PASSED, name))


def of_fields(name: str, titles: Mapping[str, str] = ALL) -> Source:
    """A system of citations, announcements and ads (mann2008)."""

    def plain(corpus: str) -> Figures:
        return by_size(row("mann2008", titles[corpus], "supervised CRF"), "{} labelled")

    return Source(titles, lambda corpus: by_size(row("mann2008", titles[corpus], name), "{} labelled"), plain, {})


def raw_text(name: str) -> Source:
    """A method that reads 3,000 raw sentences (raw-text); its gain is over the draws that it has."""

    def plain(corpus: str) -> Figures:
        return by_size(row("raw-text", HERE[corpus], "labels alone"), "{} labelled")

    def figures(corpus: str) -> Figures:
        gains = by_size(row("raw-text", HERE[corpus], name), "gain, {}")
        return {size: base + gains[size] for size, base in plain(corpus).items() if size in gains}

    return Source(HERE, figures, plain, row("raw-text", HERE[TIMED], name))


WORDS, RAW, RULES = "a list of words and their labels", "raw text", "rules"
LIST, OWN_LIST = "list (`expectation`)", "list that nobody read"
GLOVE, OWN = "GloVe and Brown", "own clusters and vectors"
MPNET = "MPNet, GloVe and Brown"
SEEN_NEAR = "supervised CRF, similar words"
NEAR, ALL_SAID = "CRF + GE, similar words", "CRF + GE, kinds, fields are runs, similar words"
WITHIN, BIASES = "label regularisation, within an error", "`tag --match-shares`"
LISTED, MARKED, CHOSEN = "expectation, of a list", "partial labels, of a list", "chosen by token entropy"
Line: TypeAlias = tuple[str, str, tuple[Source, ...]]  # what, what a person gives, and where its figures are
PLAIN: Line = ("plain CRF", "nothing more", (of_fields("supervised CRF"), seen("spellings")))
ROWS: tuple[Line, ...] = (
    ("HMM", "nothing more", (of_fields("supervised HMM"), raw_text("hmm (no raw text)"))),
    ("clusters and vectors of one's own", RAW, (seen(OWN),)),
    ("GloVe and Brown clusters", "files that others made", (seen(GLOVE),)),
    ("encoder of 110 million parameters, GloVe, Brown", "files that others made", (seen(MPNET),)),
    ("similar words", f"{WORDS}; {RAW}", (of_fields(SEEN_NEAR), raw_text("similar words, a person's list"))),
    ("rules in labelling", RULES, (of_fields("supervised CRF, under rules"),)),
    ("`constraint-driven`", f"{RULES}; {RAW}", (of_fields("CRR07, rules in labelling too"),)),
    (
        LIST,
        f"{WORDS}; {RAW}",
        (of_fields("CRF + GE"), on_top(LISTED, "spellings"), raw_text("expectation, a person's list")),
    ),
    (
        "list as labels (`partial`)",
        f"{WORDS}; {RAW}",
        (on_top(MARKED, "spellings"), raw_text("partial labels, a person's list")),
    ),
    (
        OWN_LIST,
        RAW,
        (of_fields("CRF + GE, words of these sentences"), raw_text("expectation, words of these sentences")),
    ),
    (
        "`label-regularization`",
        RAW,
        (
            of_fields("CRF + label regularisation, within an error"),
            raw_text("label regularisation"),
            on_top(WITHIN, "spellings"),
        ),
    ),
    (
        "`label-regularization`, known shares",
        f"shares of labels; {RAW}",
        (raw_text("label regularisation, known shares"),),
    ),
    (
        "`label-regularization`, `errors=0`",
        RAW,
        (of_fields("CRF + label regularisation"), raw_text("label regularisation, shares held exactly")),
    ),
    (
        BIASES,
        RAW,
        (
            of_fields(f"supervised CRF, {BIASES}"),
            raw_text("biases, tag --match-shares"),
            on_top(BIASES, "spellings"),
        ),
    ),
    ("`entropy`", RAW, (of_fields("CRF + entropy, γ = 0.001"), raw_text("entropy"))),
    ("`self-training`", RAW, (raw_text("self-training"), on_top("self-training", "spellings"))),
    ("half of the sentences by `token-entropy`", RAW, (on_top(CHOSEN, "spellings"),)),
    ("similar words, rules", f"{WORDS}; {RULES}; {RAW}", (of_fields(f"{SEEN_NEAR}, under rules"),)),
    (
        "similar words, list",
        f"{WORDS}; {RAW}",
        (of_fields(NEAR), raw_text("similar words and expectation, a person's list")),
    ),
    ("similar words, list, rules", f"{WORDS}; {RULES}; {RAW}", (of_fields(f"{NEAR}, under rules"),)),
    ("similar words, list, kinds of tokens, `stay=0.9`", f"{WORDS}; {RAW}", (of_fields(ALL_SAID, HUNDRED),)),
    ("clusters, vectors, list (`expectation`)", f"{WORDS}; {RAW}", (on_top(LISTED, GLOVE, OWN),)),
    ("clusters, vectors, list (`partial`)", f"{WORDS}; {RAW}", (on_top(MARKED, GLOVE, OWN),)),
    ("clusters, vectors, `label-regularization`", RAW, (on_top(WITHIN, GLOVE, OWN),)),
    (f"clusters, vectors, {BIASES}", RAW, (on_top(BIASES, GLOVE, OWN),)),
    ("clusters, vectors, `label-regularization`, `errors=0`", RAW, (on_top("label regularisation", GLOVE, OWN),)),
    ("clusters, vectors, half by `token-entropy`", RAW, (on_top(CHOSEN, GLOVE, OWN),)),
)


def text() -> str:
    """The figures of the plain CRF, and what everything else adds to it."""
    what, given, sources = PLAIN
    lines = [[what, given, *(each_size(_first(sources, corpus)) for corpus in CORPORA), _seconds(sources)]]
    for what, given, sources in ROWS:
        gains = [_gains(sources, corpus) for corpus in CORPORA]
        if any(gains):
            lines.append([what, given, *(each_size(one, "{:+.1f}") for one in gains), _seconds(sources)])
    return table(("what", "what a person gives besides labels", *CORPORA.values(), "seconds"), lines)


def _first(sources: tuple[Source, ...], corpus: str) -> Figures:
    return next((source.figures(corpus) for source in sources if corpus in source.corpora), {})


def _gains(sources: tuple[Source, ...], corpus: str) -> Figures:
    """Gains over the plain CRF, from the first source that has one for a number of sentences."""
    found: dict[int, float] = {}
    for source in sources:
        if corpus in source.corpora:
            own, base = source.figures(corpus), source.plain(corpus)
            found |= {size: own[size] - base[size] for size in own if size in base and size not in found}
    return found


def _seconds(sources: tuple[Source, ...]) -> str:
    cells = [cell for source in sources if isinstance(cell := source.seconds.get("seconds"), dict)]
    return number(cells[0]["mean"]) if cells else UNKNOWN
