"""Labels hidden at random: what is left of F, by the share that is hidden and by what is made of the rest."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from sstag.corpus.corpus import Corpus, corpus_of, with_column
from sstag.experiments.corpora import Corpora, shipped_template
from sstag.experiments.fitting import judged, percent, tagger
from sstag.experiments.page import Block, Line, Plot, Table
from sstag.experiments.samples.ads import ads
from sstag.experiments.spread import by_draw, spread
from sstag.experiments.trials import Row, Section, Trial
from sstag.features.word_functions import short_shape

ADS = "generated ads"
FILES = ("conll2000/train.txt", "conll2000/test.txt")
COLUMNS = ("word", "pos", "chunk")
OPEN = "?"
SEED = 2008
SYSTEMS = {  # method and preparation, and about how many seconds they take
    "partial": ("partial", None, 45.0),
    "argmax": ("crf", "argmax", 40.0),
    "maxent": ("maxent", None, 8.0),
    "discard": ("crf", "discard", 1.0),
}
SHARES = {"full": (0.1, 0.3, 0.5, 0.7, 0.9, 0.95), "smoke": (0.02, 0.5)}
DRAWS = {"full": 3, "smoke": 2}
MADE = {"full": (1_500, 500), "smoke": (40, 40)}  # ads to train on, and to test on

PROTOCOL = """## Hidden labels

Of {corpus} every label is hidden with the same probability, alike for all systems; template and settings are those
that sstag ships. `partial` sums over what is hidden, `argmax` fills it in by a CRF of the sentences in which nothing is
hidden, `maxent` ignores it and has no label pairs, `discard` leaves out every sentence in which something is. Where no
sentence is left whole, argmax and discard have nothing to begin with (–)."""


def sections(scale: str, corpora: Corpora) -> Iterator[Section]:
    """A trial for each share, system and draw."""
    generated = scale == "smoke" or bool(corpora.absent(FILES))
    settings: Row = {"corpus": ADS, "made": MADE[scale]} if generated else {"corpus": "CoNLL-2000", "made": (0, 0)}
    trials = [
        Trial(
            "sstag.experiments.tsuboi2008.hidden_labels:with_hidden",
            {**settings, "hidden": share, "system": system, "draw": draw},
            () if generated else FILES,
            cost=cost / 20 if generated else cost,
        )
        for share in SHARES[scale]
        for system, (_, _, cost) in SYSTEMS.items()
        for draw in range(1, DRAWS[scale] + 1)
    ]
    yield Section(trials, _report)


def with_hidden(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    corpus: str,
    made: tuple[int, int],
    hidden: float,
    system: str,
    draw: int,
) -> list[Row]:
    """F of a system when so large a share of the labels is hidden."""
    if corpus == ADS:
        train, test = (_generated(count, part) for part, count in enumerate(made))
    else:
        train, test = (corpora.read(name, COLUMNS) for name in FILES)
    label = train.column("chunk")
    texts = train.values[label]
    hide = np.random.default_rng([SEED, draw]).random(train.tokens) < hidden
    method, preparation, _ = SYSTEMS[system]
    if preparation and np.logical_or.reduceat(hide, train.offsets[:-1]).all():
        return [{"f1": None}]
    left = with_column(train, "chunk", [*texts, OPEN], np.where(hide, len(texts), train.codes[label]))
    every = replace(shipped_template("templates/chunking"), minimum_count=1)  # attributes count as in the paper
    model = tagger(every, left, method, preparation, seed=draw)
    return [{"f1": percent(judged(model, test).figures["f1"])}]


def _generated(count: int, part: int) -> Corpus:
    """Ads whose fields are chunks; the shape of a word stands for its part of speech."""
    sentences = []
    for ad in ads(count, np.random.default_rng([SEED, part])):
        before = ["", *(field for _, field in ad)]
        sentences.append(
            [
                (word, short_shape(word), f"{'I' if field == last else 'B'}-{field}")
                for (word, field), last in zip(ad, before, strict=False)
            ]
        )
    return corpus_of(sentences, COLUMNS)


def _report(rows: list[Row]) -> Iterator[Block]:
    corpus = rows[0]["corpus"]
    yield PROTOCOL.format(corpus=corpus)
    shares = sorted({row["hidden"] for row in rows})
    found = {(one, share): by_draw(rows, "f1", system=one, hidden=share) for one in SYSTEMS for share in shares}
    spreads = {key: spread([*values.values()]) for key, values in found.items()}
    table = [[f"{100 * share:.0f} %", *(spreads[one, share] for one in SYSTEMS)] for share in shares]
    yield Table(f"F on {corpus}", ("hidden", *SYSTEMS), table)
    drawn = [(one, [share for share in shares if spreads[one, share]]) for one in SYSTEMS]
    lines = [
        Line(one, [100 * share for share in some], [value for share in some if (value := spreads[one, share])])
        for one, some in drawn
    ]
    yield Plot("hidden-labels", f"Labels of {corpus} hidden at random", "% of the labels hidden", "F", lines)
