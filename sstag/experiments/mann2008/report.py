"""Tables 2, 3 and 4 of M08 beside ours, corpus by corpus."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from sstag.experiments.claims import Claim, claimed, over_test
from sstag.experiments.corpora import Corpora
from sstag.experiments.mann2008 import figures, held_shares
from sstag.experiments.mann2008.grid import Sizes, corpora_of, gain_over_test, trials
from sstag.experiments.mann2008.labelled_words import ALL, HEURISTIC
from sstag.experiments.mann2008.listed import listed
from sstag.experiments.mann2008.system_list import GE, GE_SIMILAR, HK06, OWN, SIMILAR, STRONG, SUPERVISED, SYSTEMS
from sstag.experiments.mann2008.systems import best
from sstag.experiments.mann2008.texts import ADS, CITATIONS, SEMINARS
from sstag.experiments.mann2008.under_rules import CALLED
from sstag.experiments.page import Block, Cell, Table
from sstag.experiments.spread import by_draw, comparison, spread
from sstag.experiments.trials import Row, Section
from sstag.foundation.json_values import Json

CLAIMED = (GE, SUPERVISED, GE_SIMILAR, SIMILAR)  # each pair a comparison, on each corpus at each size
RULED = (CALLED[GE_SIMILAR], GE_SIMILAR)  # on the first corpus, with the fewest sentences
IN_PAPER = (10, 25, 100)  # labelled sentences
PAPER_2 = {
    HK06: 53.7,
    f"{HK06}, similar words": 71.5,
    GE: 66.9,
    f"{GE}, similar words": 68.3,
}
PAPER_3 = {
    "supervised HMM": (61.6, 70.0, 76.3),
    SUPERVISED: (64.6, 72.9, 79.4),
    "CRR07": (70.9, 74.8, 78.6),
    "CRR07, rules in labelling too": (74.7, 78.5, 81.7),
    "CRF + entropy, γ = 0.001": (67.3, 73.7, 79.5),
    GE: (72.6, 76.3, 80.1),
}
PAPER_4 = {HEURISTIC: (68.3, 72.6, 76.3, 80.1), ALL: (73.0, 74.6, 77.2, 80.5)}
NAMES = {"accuracy": "accuracy", "f1": "F of the fields", "inside": "accuracy inside fields"}
FIGURES = {SEMINARS: ("f1", "inside")}  # elsewhere accuracy
TARGETS = {HEURISTIC: "usual label", ALL: "all occurrences"}

PROTOCOL = """A list of words with their labels takes the place of labelled sentences, or stands beside them: the three
most frequent words of each label in the sentences to train on that no other label has more often (one set), six (two),
nine (three). What is said of a word is its usual label (heuristic: 0.99 of the share), or the shares among some of its
occurrences in the sentences to train on and to choose by, smoothed by 0.1 (sampled). Words of these sentences are a
set that `sstag expectations` makes of the very sentences that are learned from: nobody is asked anything more. Labelled
sentences, the raw ones if not all are taken, and occurrences are drawn {draws} times; figures are means ± standard
deviations; where nothing is drawn there is one run. Kinds, runs, and similar words under entropy, label regularisation
and expected gradient are tried with 100 raw sentences alone. Gains are over the same draws; p is of Wilcoxon's signed
ranks.

l2 = 1/σ², then λ, the strength of a word, and γ are chosen on the development set with 25 labelled sentences, once for
all rows: l2 by the supervised CRF, the largest within a standard error of the best; λ with 100 raw sentences, γ with
each number of them. HK06 takes no sentences: its l2 is chosen with a set of words and 100 raw ones. λ = 100 is what
sstag takes without labelled sentences. All CRFs have the same features and weights (`configs/mann2008/fields.yaml`).
`Kinds` are numbers by their digits, years, months, initials and so on (`kind(word[0])`): features, and listed beside
words by the same rule. `Fields are runs` says that nine of ten steps in the raw text keep their label (`stay=0.9`).
Label regularisation counts each raw token, and holds the shares exactly (`errors=0`).
`Similar words` are features, too: to which listed words a word is similar, by a singular value decomposition of what
stands around it (HK06) in all raw text there is, also where a system learns from 100 sentences of it. CRR07 learns
under the rules of `configs/rules`, and may label under them, as other systems whose rows say so; HK06 sees words alone
(`configs/mann2008/prototypes.yaml`).

Label regularisation within an error holds the shares within one standard error, as it does when nothing is
set; `tag --match-shares` holds the same shares by biases of the supervised CRF."""
ABOUT = {
    CITATIONS: """## Citations

300 citations to train on, 100 to choose by, 100 for the test, 1,000 raw ones, with 13 fields: the other corpus of Chang
et al. (2007), since the paper's apartment ads are not to be had. Its figures stand beside ours for what is higher than
what; 11 fields, 33 words a set, 100 ads in each part there.""",
    SEMINARS: """## Announcements of seminars

199 announcements to train on, 40 to choose by, 145 for the test, 100 raw ones; four fields, and `others`, which is the
label of 95 % of the tokens. So what counts is F of the fields (by token, the mean of the four), and the accuracy of
tokens that are in one; parameters are chosen by the first. No listed word is punctuation.""",
    ADS: """## Generated ads

300 ads of `sstag sample ads` to train on, 100 to choose by, 100 for the test, 500 raw ones: 11 fields, 33 words a set,
as in the paper. They are generated, so what is found in them is how the methods work, and not how real ads are; but
unlike those of citations their fields have words of their own, which is what the paper is about.""",
}


def sections(scale: str, corpora: Corpora) -> Iterator[Section]:
    """A part for each corpus, and what is claimed of all."""
    there = corpora_of(scale, corpora)
    for place, sizes in enumerate(there):
        yield Section(trials(sizes), partial(_report, sizes, corpora, first=not place))
    every = [trial for sizes in there for trial in trials(sizes) if trial.settings.get("system") in CLAIMED]
    yield Section([*every, gain_over_test(there[0])], partial(_claims, there))


def _claims(there: Sequence[Sizes], rows: list[Row]) -> Iterator[Block]:
    """Expectation of words over the supervised CRF with and without similar words, and rules over neither."""
    yield """## What is claimed

Words with their usual label beside labelled sentences, one set, with all raw sentences, over a supervised CRF that has
the same features; and, on citations with the fewest labelled, both and rules in labelling over both without rules,
which was written down before it was run. The first figure of each corpus decides: F of the fields of announcements,
elsewhere accuracy."""
    pairs = [
        (sizes, n, *pair)
        for sizes in there
        for n in sizes.instances
        for pair in zip(CLAIMED[::2], CLAIMED[1::2], strict=True)
    ]
    pairs.append((there[0], there[0].instances[0], *RULED))
    yield claimed(
        [
            Claim(f"{sizes.corpus}, {n:,} labelled: {ours} over {theirs}", *both)
            for sizes, n, ours, theirs in pairs
            if all(both := [_claimed_of(sizes, rows, system, n) for system in (ours, theirs)])
        ]
    )
    over = next(row for row in rows if "over test" in row)
    says = f"for {' over '.join(over['pair'])} with {over['instances']} sentences of {over['corpus']}, in accuracy"
    yield over_test(says, over["over test"])


def _claimed_of(sizes: Sizes, rows: Sequence[Row], system: str, instances: int) -> dict[int, float]:
    """The figure of each draw of a system with a set of words and all raw sentences, if it takes such."""
    one = SYSTEMS[next((name for name, called in CALLED.items() if called == system), system)]
    said: dict[str, Json] = {"sets": 1, "targets": HEURISTIC} if one.words else {}
    measure = FIGURES.get(sizes.corpus, ("accuracy",))[0]
    here = {"system": system, "corpus": sizes.corpus, "instances": instances, "punctuation": True, **said}
    return by_draw(rows, measure, raw=sizes.raw[-1] if one.raw else 0, **here)


def _report(sizes: Sizes, corpora: Corpora, rows: list[Row], first: bool) -> Iterator[Block]:
    if first:
        yield PROTOCOL.format(draws=sizes.draws)
    yield ABOUT[sizes.corpus]
    yield _chosen(sizes, [row for row in rows if "what" in row])
    described = [row for row in rows if "summed" in row]
    yield figures.described(sizes, described)
    yield from listed(sizes, corpora)
    run = [row for row in rows if "system" in row]
    measures = FIGURES.get(sizes.corpus, ("accuracy",))
    papers = sizes.corpus != SEMINARS and sizes.instances == IN_PAPER
    yield "### Words alone (Table 2)"
    yield _words_alone(sizes, run, [row for row in rows if row.get("label")], papers)
    for raw in sizes.raw:
        yield f"### With labelled sentences, {raw:,} raw ones (Tables 3 and 4)"
        for measure in measures:
            here = [row for row in run if row["raw"] in (0, raw)]
            yield from _with_sentences(sizes, here, measure, papers and raw == sizes.raw[0])
    yield "### Words or sentences (Figures 2 and 3)"
    yield from figures.figure2(sizes, run, measures[0], described[0]["words"])
    yield figures.figure3(sizes, described)


def _chosen(sizes: Sizes, rows: Sequence[Row]) -> Table:
    """Every value that was tried, and the best of each parameter."""
    table: list[list[Cell]] = []
    for what, raw in dict.fromkeys((row["what"], row["raw"]) for row in rows):
        here = [row for row in rows if (row["what"], row["raw"]) == (what, raw)]
        found = best([here], what)
        for value in sizes.values[what]:
            mark = " (chosen)" if value == found else ""
            figure = spread([row["figure"] for row in here if row["value"] == value])
            table.append([f"{what} = {value:g}{mark}", f"{raw:,}" if raw else None, figure])
    measure = NAMES[FIGURES.get(sizes.corpus, ("accuracy",))[0]]
    return Table(f"{sizes.corpus}: {measure} on the development set", ("parameter", "raw sentences", measure), table)


def _words_alone(sizes: Sizes, rows: Sequence[Row], usual: Sequence[Row], papers: bool) -> Table:
    """No labelled sentence: every system that learns from words with labels, by the number of its words."""
    measures = ("accuracy", *(one for one in FIGURES.get(sizes.corpus, ()) if one != "accuracy"))
    columns = [(raw, measure) for raw in sizes.raw for measure in measures]
    table: list[list[Cell]] = [
        ["always the most frequent label", *(usual[0][measure] for _, measure in columns), *([None] * papers)]
    ]
    kinds = [
        (name, said)
        for name, one in SYSTEMS.items()
        if one.words and one.listed and not one.own
        for said in ((HEURISTIC, ALL) if name in (GE, STRONG) else (HEURISTIC,))
    ]
    for name, said in kinds:
        for punctuation in sizes.punctuation:
            for sets in sizes.sets:
                here: dict[str, Json] = {
                    "system": name,
                    "targets": said,
                    "punctuation": punctuation,
                    "sets": sets,
                    "instances": 0,
                }
                title = f"{name}, {TARGETS[said]}, {figures.sets_of(sets)}" + (
                    "" if punctuation else ", no punctuation"
                )
                cells = [spread([*by_draw(rows, measure, raw=raw, **here).values()]) for raw, measure in columns]
                paper = PAPER_2.get(name) if said == HEURISTIC and sets == 1 and punctuation else None
                if any(cells):
                    table.append([title, *cells, *([paper] if papers else [])])
    head = [f"{NAMES[measure]}, {raw:,} raw" for raw, measure in columns]
    return Table(f"{sizes.corpus}: words alone", ("system", *head, *(["paper's"] if papers else [])), table)


def _with_sentences(sizes: Sizes, rows: Sequence[Row], measure: str, papers: bool) -> Iterator[Table]:
    """Table 3, the gains over the supervised CRF, and Table 4."""
    found: dict[str, dict[int, dict[int, float]]] = {}
    for name, system in SYSTEMS.items():
        if system.instances:
            sets: dict[str, Json] = {"sets": 1, "targets": HEURISTIC} if system.words else {}
            for called in filter(None, (system.freed, name)):
                found[called] = _by_instances(rows, measure, sizes, False, system=called, **sets)
    for called in held_shares.WAYS:
        found[called] = {n: by_draw(rows, measure, instances=n, system=called) for n in sizes.instances}
    for called in CALLED.values():
        found[called] = _by_instances(rows, measure, sizes, False, system=called, sets=1, targets=HEURISTIC)
    raw = f"{sizes.corpus}, {max(row['raw'] for row in rows):,} raw sentences"
    yield _compared(f"{raw}: {NAMES[measure]}", found, SUPERVISED, PAPER_3 if papers else {})
    most = sizes.sets[-1]
    said = {
        f"GE, {TARGETS[targets]}, {text}": _by_instances(
            rows, measure, sizes, with_none=True, system=system, targets=targets, sets=sets
        )
        for system, sets, text in (
            (GE, 1, figures.sets_of(1)),
            (GE, most, figures.sets_of(most)),
            (OWN, 1, "words of these sentences"),
        )
        for targets in (HEURISTIC, ALL)
    }
    said[SIMILAR] = _by_instances(rows, measure, sizes, with_none=True, system=SIMILAR)
    paper = {f"GE, {TARGETS[targets]}, 1 set": row for targets, row in PAPER_4.items()} if papers else {}
    yield _compared(f"{raw}: {NAMES[measure]} by what is said of the words", said, next(iter(said)), paper)


def _by_instances(
    rows: Sequence[Row], measure: str, sizes: Sizes, with_none: bool = False, **wanted: object
) -> dict[int, dict[int, float]]:
    counts = (0, *sizes.instances) if with_none else sizes.instances
    return {n: by_draw(rows, measure, instances=n, punctuation=True, **wanted) for n in counts}


def _compared(
    title: str,
    found: Mapping[str, Mapping[int, Mapping[int, float]]],
    against: str,
    papers: Mapping[str, Sequence[float]],
) -> Table:
    """A row for each system: its figures, their gains over one of the rows with p, and the paper's."""
    counts = list(found[against])
    table: list[list[Cell]] = []
    for name, by_count in found.items():
        if not any(by_count.values()):
            continue
        line: list[Cell] = [name, *(spread([*by_count[n].values()]) for n in counts)]
        for n in counts:
            gain = comparison(by_count[n], found[against][n]) if name != against else None
            line.append(f"{gain.gain.mean:+.2f} (p {gain.verdict})" if gain else None)
        table.append([*line, *(papers.get(name, [None] * len(counts)) if papers else [])])
    head = ["system", *(f"{n:,} labelled" for n in counts), *(f"gain, {n:,}" for n in counts)]
    return Table(f"{title}; gains are over {against}", [*head, *(f"paper's {n}" for n in counts if papers)], table)
