"""Label regularisation with entropy at several γ, found in the text that may choose γ and on E."""

from collections.abc import Mapping, Sequence

from sstag.experiments.corpora import Corpora
from sstag.experiments.fitting import tagger
from sstag.experiments.jiao2006.draws import drawn
from sstag.experiments.jiao2006.sweep import judged_by, mentions, template
from sstag.experiments.trials import Row


def beside_shares(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    corpus: str,
    sizes: Mapping[str, int],
    made: int,
    raw: str,
    draw: int,
    gammas: Sequence[float],
) -> list[Row]:
    """The mentions that label regularisation finds with entropy at each γ, in the text that chooses and on E."""
    data = drawn(corpora, corpus, sizes, made, raw, draw)
    rows: list[Row] = []
    for gamma in gammas:
        entropy = [{"entropy": {"gamma": gamma}}] if gamma else []
        found = tagger(
            template("window"),
            data.labelled,
            "composed",
            unlabelled=data.raw,
            objectives=[{"likelihood": {}}, {"label-regularization": {}}, *entropy],
        )
        for on, text in (("choosing", data.choosing), ("rest", data.rest)):
            rows.append({"gamma": gamma, "on": on, **mentions(judged_by(found, text, found.dataset(text)))})
    return rows
