"""A curve of precision and recall as a table and as JSON."""

from collections.abc import Iterator
from dataclasses import asdict

from sstag.evaluation.curve import Curve
from sstag.evaluation.figure_tables import percent
from sstag.foundation.json_values import Json
from sstag.foundation.tables import Table


def curve_tables(curve: Curve | None) -> Iterator[Table]:
    """The table of a curve, if there is one."""
    if curve is None:
        return
    yield Table(
        (f"bias of {curve.label}", "share, %", "precision", "recall", "F1"),
        [
            (f"{one.bias:+.1f}", *(percent(figure) for figure in (one.share, one.precision, one.recall, one.f1)))
            for one in curve.points
        ],
        (),
    )


def curve_json(curve: Curve) -> dict[str, Json]:
    """The label and the points of a curve, in full precision."""
    return {"label": curve.label, "points": [asdict(one) for one in curve.points]}
