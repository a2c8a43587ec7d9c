"""The chunks that each way of `sstag merge` recovers of simulated annotators, by panels of known reliability."""

from collections.abc import Iterator, Sequence

import numpy as np

from sstag.corpus.corpus import corpus_of, selected
from sstag.evaluation.gold import f_score
from sstag.experiments.annotators.people import FAIR, GOOD, POOR, Habits, Truth, labelled_by, truth_of
from sstag.experiments.claims import Claim, claimed
from sstag.experiments.corpora import Corpora
from sstag.experiments.fitting import percent
from sstag.experiments.page import Block, Table
from sstag.experiments.samples.ads import ads
from sstag.experiments.spread import by_draw, spread
from sstag.experiments.trials import Row, Section, Trial
from sstag.foundation.arrays import Bools, Ints
from sstag.foundation.registry import registered
from sstag.knowledge.annotators import WAYS
from sstag.knowledge.annotators.combining import merged
from sstag.knowledge.annotators.votes import Source, Votes, votes_of
from sstag.knowledge.annotators.worth import worths
from sstag.labels.marks import Marks

PANELS: dict[str, Sequence[Habits]] = {
    "three fair": [FAIR] * 3,
    "five fair": [FAIR] * 5,
    "one good, four poor": [GOOD, POOR, POOR, POOR, POOR],
    "good, two fair, two poor": [GOOD, FAIR, FAIR, POOR, POOR],
}
TOKENWISE, BEST = "votes by token", "the best annotator"
COMPARED = (BEST, TOKENWISE, "majority", "dawid-skene", "sequence")


def text(corpora: Corpora, file: str | None, sentences: int) -> Truth:
    """The first sentences of a corpus of names, or generated ads."""
    if file is None:
        return truth_of(corpus_of(list(ads(sentences, np.random.default_rng(1))), ("word", "field")), "field")
    corpus = corpora.read(file, ("word", "pos", "chunk", "ner"))
    return truth_of(selected(corpus, np.arange(corpus.sentences) < sentences), "ner")


def recovered(
    corpora: Corpora, needed: Sequence[Sequence[Row]], *, file: str | None, sentences: int, panel: str, draw: int
) -> list[Row]:
    """F₁ of the chunks that each way recovers, and how far off its estimates of the annotators' accuracy are."""
    truth = text(corpora, file, sentences)
    rng = np.random.default_rng([draw, sorted(PANELS).index(panel)])
    columns = [labelled_by(truth, habits, rng) for habits in PANELS[panel]]
    sources = [Source(str(place), truth.with_labels(codes), truth.label) for place, codes in enumerate(columns)]
    votes = votes_of(sources, Marks(), "iob2")
    gold = _gold(votes, truth)
    alone = [_f(votes, gold, row) for row in votes.single]
    rows: list[Row] = [{"way": BEST, "f": max(alone), "off": None}]
    rows.append({"way": TOKENWISE, "f": _f(votes, gold, votes.counts.argmax(axis=1).astype(np.int32)), "off": None})
    truly = [float((row == gold).mean()) for row in votes.single]
    for way in COMPARED[2:]:
        made = merged(votes, registered(WAYS[way].where))
        guess = [one.accuracy for one in worths(votes, made)]
        off = float(np.mean([abs(a - b) for a, b in zip(guess, truly, strict=True) if a is not None]))
        rows.append({"way": way, "f": _f(votes, gold, _decided(made.allowed, rng)), "off": percent(off)})
    return rows


def _gold(votes: Votes, truth: Truth) -> Ints:
    """The true labels in the numbering of the votes."""
    number = {label: index for index, label in enumerate(votes.labels)}
    return np.array([number.get(label, 0) for label in truth.tags.labels], np.int32)[truth.codes]


def _decided(allowed: Bools, rng: np.random.Generator) -> Ints:
    """One of the labels of each set, drawn at random."""
    result: Ints = (allowed * rng.random(allowed.shape)).argmax(axis=1).astype(np.int32)
    return result


def _f(votes: Votes, gold: Ints, found: Ints) -> float:
    return percent(f_score(votes.tags, gold, found, votes.offsets))


def combining(file: str | None, scale: str) -> Section:
    """The trials of all panels, and the tables on them."""
    sentences, draws = (500, 10) if scale == "full" else (20, 2)
    trials = [
        Trial(
            f"{__name__}:recovered",
            {"file": file, "sentences": sentences, "panel": panel, "draw": draw},
            [file] if file else [],
            cost=15.0,
        )
        for panel in PANELS
        for draw in range(1, draws + 1)
    ]

    def report(rows: list[Row]) -> Iterator[Block]:
        yield (
            "Annotators who overlook chunks, give them another type, move their ends and see some that are not there, "
            "each with habits of his own; labels that are equally allowed are drawn at random."
        )
        head = ("", *PANELS)
        f = {
            way: [spread([*by_draw(rows, "f", panel=panel, way=way).values()]) for panel in PANELS] for way in COMPARED
        }
        yield Table("F₁ of the chunks that are recovered", head, [(way, *cells) for way, cells in f.items()])
        off = {
            way: [spread([*by_draw(rows, "off", panel=panel, way=way).values()]) for panel in PANELS]
            for way in COMPARED[2:]
        }
        yield Table(
            "Mean error of the estimated accuracy of annotators, in points", head, [(w, *c) for w, c in off.items()]
        )
        yield "The claim of this page: to learn how reliable each annotator is recovers more than the answer of most."
        yield claimed(
            [
                Claim(
                    f"{panel}: sequence over majority",
                    *(by_draw(rows, "f", panel=panel, way=way) for way in ("sequence", "majority")),
                )
                for panel in PANELS
            ]
        )

    return Section(trials, report)
