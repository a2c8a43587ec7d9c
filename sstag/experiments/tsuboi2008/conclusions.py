"""The claims of the page on T08, a comparison each, and which of them were named before their figures were known."""

from collections.abc import Iterator, Mapping

from sstag.experiments.claims import Claim, claimed, over_test
from sstag.experiments.page import Block
from sstag.experiments.spread import by_draw
from sstag.experiments.trials import Row
from sstag.experiments.tsuboi2008.ambiguous_tags import OURS
from sstag.experiments.tsuboi2008.answers import NOES
from sstag.experiments.tsuboi2008.segmentation import SYSTEMS

SAID = """## What is claimed

One comparison for each claim, on the same draws: F of words, accuracy of the ambiguous words (APA, at least 10
occurrences) or of all tokens (P), F of phrases. The figures by marked words and by hidden labels were known when these
comparisons were written down; all others were named before their runs."""
APA, P = "apa 10", "p"


def claims(marked: int, answers: int, hidden: float, rows: list[Row]) -> Iterator[Block]:
    """The comparisons of the page, at one number of marked words, of answers and of hidden labels."""
    yield SAID
    first = next(row for row in rows if "word_list" in row)  # the first target domain, as it is
    same = {name: first[name] for name in ("target", "sizes", "word_list", "counts")}
    plain = [row for row in rows if "word_list" in row and not {"template", "ranking", "stronger"}.intersection(row)]
    said = [row for row in rows if "answers" in row]
    at_sizes = [row for row in rows if "exercise" in row and len(row.get("sizes") or ()) == 2]

    def on_target(system: str) -> Mapping[int, float]:
        return by_draw(plain, "f1", system=system, marked=marked, **same)

    def told(system: str) -> Mapping[int, float]:
        return by_draw(said, "f1", system=system, answers=answers)

    def ambiguous(system: str, figure: str = APA) -> Mapping[int, float]:
        return by_draw(at_sizes, figure, system=system, exercise=1)

    def with_hidden(system: str) -> Mapping[int, float]:
        return by_draw([row for row in rows if "hidden" in row], "f1", system=system, hidden=hidden)

    ours, argmax, pointwise = SYSTEMS
    yield claimed(
        [
            Claim(f"marginalised over argmax, {marked:,} marked words", on_target(ours), on_target(argmax)),
            Claim(f"marginalised over pointwise, {marked:,} marked words", on_target(ours), on_target(pointwise)),
            Claim(f"noes told over yes alone, {answers:,} answers", told(NOES), told(ours)),
            *(
                Claim(f"ambiguous tags, exercise 1 at the paper's sizes: marginalised over {other}", *both)
                for other in ("random", "first", "frequent", "discarded")
                for both in [(ambiguous(OURS), ambiguous(other))]
            ),
            Claim("the same, of all tokens (P): marginalised over random", ambiguous(OURS, P), ambiguous("random", P)),
            Claim(
                f"partial over argmax, {100 * hidden:.0f} % of labels hidden",
                with_hidden("partial"),
                with_hidden("argmax"),
            ),
        ]
    )
    over = next((row["over test"] for row in at_sizes if "over test" in row), None)
    if over:
        yield over_test("for marginalised over random choice, exercise 1 at the paper's sizes, of all tokens", over)
