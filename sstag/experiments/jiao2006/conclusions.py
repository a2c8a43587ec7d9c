"""What the page on J06 claims, a comparison each, and where it differs from the paper."""

from collections.abc import Iterator

from sstag.experiments.claims import Claim, claimed, deviations
from sstag.experiments.jiao2006 import remedies, threshold
from sstag.experiments.page import Block, Table
from sstag.experiments.spread import by_draw
from sstag.experiments.trials import Row

SHORT = 0.02  # a step, as a share of the length of the weights
GAMMA = 0.1  # the least of the paper's
DEVIATIONS = (
    ("corpus", "184,903 words of BioCreative I", "BioCreative I as public: 4.5 mentions per 100 words, not 5.4"),
    (
        "mentions",
        "perhaps any of GENETAG's alternatives is right",
        "one text for each: the alternatives are not among the corpora",
    ),
    ("draws", "one", "ten"),
    ("start and prior", "the supervised optimum, ‖θ‖²/2", "the same"),
    ("γ", "0 to 50, figures up to 10", "−1 to 50, and what the best on other labelled text would be"),
    ("gradient", "printed with f² = f, without products at one token", "exact; the printed one beside it"),
    ("features", "McDonald and Pereira's", "of the same kinds, without their lexica"),
    ("self-training", "until no label changes", "the same, at most 20 rounds"),
)


def claims(rows: list[Row]) -> Iterator[Block]:
    """The comparisons that the page is about, on E, with D as raw text."""
    rest = [row for row in rows if row["on"] == "rest" and row["raw"] == "D"]
    entropy, zero = (by_draw(rest, "f1", gamma=gamma, per="sentence", steps=None) for gamma in (GAMMA, 0.0))
    shares, alone = (by_draw(rest, "f1", system=name) for name in (remedies.SHARES, threshold.NOTHING))
    biases = by_draw(rest, "f1", system=threshold.LABELLED)
    short, none = (by_draw(rest, "f1", gradient="printed", step=step) for step in (SHORT, 0.0))
    yield "## What is claimed\n\nF on E, with D as raw text; one comparison for each claim, on the same draws."
    yield claimed(
        [
            Claim(f"entropy, γ = {GAMMA:g}, over the supervised CRF", entropy, zero),
            Claim("label regularisation over the supervised CRF", shares, alone),
            Claim("label regularisation over a threshold with the same shares", shares, biases),
            Claim(f"a step of {SHORT:g} along the printed gradient over none", short, none),
        ]
    )


def differing() -> Table:
    """Where the paper and its repetition differ."""
    return deviations(DEVIATIONS)
