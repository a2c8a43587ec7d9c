"""`sstag tag --match-shares`: the model with biases by which a text has known shares of labels."""

from dataclasses import replace

import click
import numpy as np

from sstag.corpus.layout import Layout
from sstag.corpus.reading import read
from sstag.foundation.display import aligned
from sstag.foundation.parallel import shards
from sstag.interfaces.cli.progress import ProgressLine
from sstag.knowledge.known_shares import read_shares
from sstag.model.model import Model
from sstag.model.model_file import save
from sstag.training.share_matching import Matched, matched, refuse_probabilities

SHOWN = 12  # labels


def with_shares(model: Model, file: str, layout: Layout, shares: str, keep: str | None, threads: int) -> Model:
    """The model with biases; it says what they change, and is written if that is asked."""
    if keep:
        refuse_probabilities(model)
    known = read_shares(shares, model.labels)
    with ProgressLine() as line, shards(threads) as over:

        def tell(step: int, away: float) -> None:
            line.show(f"matching shares: step {step}   {100 * away:.3f} % away")

        found = matched(model, read(file, layout), known, over, tell)
    click.echo("\n".join(aligned([HEAD, *_rows(found)], left=(0,))), err=True)
    beside = found.beside
    click.echo(
        f"without biases {beside.ratio:.2f} of the tokens that should not be '{beside.label}' are found", err=True
    )
    if found.warning:
        click.echo(found.warning, err=True)
    if keep:
        about = {**model.about, "matched shares": {"sha256": known.digest, "shares": dict(known.shares)}}
        save(replace(found.model, about=about), keep)
    return found.model


HEAD = ("label", "found, %", "known, %", "now, %", "bias")


def _rows(found: Matched) -> list[tuple[str, ...]]:
    """A line for each label whose share is known, the largest changes first."""
    assert found.model.biases is not None
    places = np.flatnonzero(~np.isnan(found.wanted))
    order = places[np.argsort(-np.abs(found.after - found.before)[places], kind="stable")]
    rows = [
        (
            found.model.labels[place],
            *(f"{100 * float(of[place]):.2f}" for of in (found.before, found.wanted, found.after)),
            f"{float(found.model.biases[place]):+.2f}",
        )
        for place in order[:SHOWN].tolist()
    ]
    return [*rows, (f"and {len(order) - SHOWN} more", "", "", "", "")] if len(order) > SHOWN else rows
