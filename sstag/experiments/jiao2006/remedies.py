"""Entropy regularisation with a remedy: the shares of the labels, or labels of a few words, are known, too (M08).

All are climbed from the same supervised optimum. What they are told comes from A alone, apart from one system that is
told the true shares, which shows what that knowledge could be worth.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from tempfile import TemporaryDirectory
from typing import TypeAlias

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.experiments.corpora import Corpora
from sstag.experiments.fitting import judged, percent, tagger
from sstag.experiments.jiao2006.draws import drawn
from sstag.experiments.jiao2006.sweep import OUTSIDE, template
from sstag.experiments.page import Block, Cell, Table
from sstag.experiments.spread import by_draw, comparison, spread
from sstag.experiments.trials import Row
from sstag.features.grammar import features
from sstag.foundation.json_values import Json
from sstag.knowledge.proposals import chosen_proposals, every_proposal, majority_labels, with_features
from sstag.knowledge.target_shares import counted_shares, shares_text
from sstag.labels.marks import Marks

SHARES = "label regularisation"
TRUE_SHARES = "label regularisation, true shares of D"
FIGURES = ("outside", "precision", "recall", "f1")
WORDS = "gene words"
COUNTED_WORDS = "gene words, counted"
Objective: TypeAlias = Mapping[str, Mapping[str, Json]]  # its name, and its parameters by name

SYSTEMS: Mapping[str, Sequence[Objective]] = {
    "supervised": [],
    SHARES: [{"label-regularization": {}}],
    f"{SHARES}, λ a tenth": [{"label-regularization": {"strength": 0.1}}],
    f"{SHARES}, λ ten times": [{"label-regularization": {"strength": 10.0}}],
    TRUE_SHARES: [{"label-regularization": {"expectations": "shares"}}],
    **{
        f"{SHARES}, entropy γ = {gamma:g}": [{"label-regularization": {}}, {"entropy": {"gamma": gamma}}]
        for gamma in (-0.1, 0.01, 0.1, 1.0)
    },
    **{
        f"{listed}, λ = {strength:g}{also}": [{"expectation": {"expectations": listed, "strength": strength}}, *more]
        for strength in (3.0, 100.0)  # what sstag takes beside labelled sentences, and without
        for listed, also, more in (
            (WORDS, "", ()),
            (COUNTED_WORDS, "", ()),
            (COUNTED_WORDS, f", and {SHARES}", ({"label-regularization": {}},)),
        )
    },
}
TOLD = """## Telling more than to be sure

With D, from the same supervised optimum. Label regularisation asks that D has the shares of labels that A has, with λ
the number of its tokens, or a tenth or ten times that; `true shares` are those of D, which nobody would know. Gene
words are the {words} words that each label of a mention has most often in A, unless another label has them more often,
with 0.99 for that label, or with the shares that they have in A; λ is the strength of each. Means ± standard deviations
over the draws; p is of Wilcoxon's signed ranks against the supervised CRF, or against label regularisation alone."""


def remedied(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    corpus: str,
    sizes: Mapping[str, int],
    made: int,
    raw: str,
    draw: int,
    words: int,
    systems: Mapping[str, Sequence[Objective]],
) -> list[Row]:
    """The mentions that each system finds in the raw text and in the rest."""
    data = drawn(corpora, corpus, sizes, made, raw, draw)
    rows: list[Row] = []
    with TemporaryDirectory() as folder:
        for name, lines in _lists(data.labelled, data.raw, words).items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(lines)
        for name, objectives in systems.items():
            found = tagger(
                template("window"),
                data.labelled,
                "composed",
                unlabelled=data.raw,
                objectives=[{"likelihood": {}}, *(_in_folder(one, folder) for one in objectives)],
            )
            for on, text in (("raw", data.raw), ("rest", data.rest)):
                scores = judged(found, text)
                figures = {figure: percent(scores.figures[figure]) for figure in ("precision", "recall", "f1")}
                outside = percent((scores.predicted == scores.labels.index(OUTSIDE)).mean())
                rows.append({"system": name, "on": on, **figures, "outside": outside})
    return rows


def _in_folder(objective: Objective, folder: str) -> Objective:
    """The objective with the paths of its files; shares are held exactly, as they are in the literature."""
    exactly: dict[str, Json] = {"errors": 0.0} if "label-regularization" in objective else {}
    return {
        name: {
            **exactly,
            **{key: os.path.join(folder, str(value)) if key == "expectations" else value for key, value in own.items()},
        }
        for name, own in objective.items()
    }


def _lists(labelled: Corpus, raw: Corpus, count: int) -> dict[str, str]:
    """The lists of expectations that systems name: of words, and of the true shares."""
    how = template("word")
    how = with_features(how, features("lower(word[0])", labelled.columns, how.label))
    known = every_proposal(how, labelled, raw, Marks())
    words = [
        word
        for word in chosen_proposals(known, "prototypes", count, 1, 0.0)
        if OUTSIDE not in majority_labels(known, word)
    ]
    texts = known.texts(words)
    targets = counted_shares(known.counts[words].astype(np.float64), 0.1)
    column = raw.column(how.label)
    shares = np.bincount(raw.codes[column], minlength=len(raw.values[column])) / raw.tokens
    return {
        WORDS: "".join(
            f"{text}\t{' '.join(majority_labels(known, word))}\n" for word, text in zip(words, texts, strict=True)
        ),
        COUNTED_WORDS: "".join(
            f"{text}\t{shares_text(known.labels, target)}\n" for text, target in zip(texts, targets, strict=True)
        ),
        "shares": f"*\t{shares_text(list(raw.values[column]), shares)}\n",
    }


def report(rows: list[Row]) -> Iterator[Block]:
    """Each system on D itself and on E."""
    yield TOLD.format(words=rows[0]["words"])
    for on, where in (("raw", "D itself"), ("rest", "E")):
        here = [row for row in rows if row["on"] == on]
        first, regular = (by_draw(here, "f1", system=system) for system in ("supervised", SHARES))
        table: list[list[Cell]] = []
        for system in dict.fromkeys(row["system"] for row in here):
            some = [row for row in here if row["system"] == system]
            line: list[Cell] = [system, *(spread([row[name] for row in some]) for name in FIGURES)]
            for other in (first, regular):
                against = comparison(by_draw(some, "f1"), other)
                same = by_draw(some, "f1") == other
                line += [against.gain, against.verdict] if against and not same else [None, None]
            table.append(line)
        head = ("system", "outside, %", "P", "R", "F", "gain in F", "p", f"gain over {SHARES}", "p")
        yield Table(f"On {where}", head, table)
