"""How two numbers are held against each other, and what the reader sees when they differ."""

import numpy as np

from sstag.chain.potentials import Potentials


def assert_close(ours, truth, *, magnitude: float = 1.0, tolerance: float = 1e-10) -> None:
    """Every element within tolerance · max(1, magnitude) of the truth; both sides are printed when one is not.

    `magnitude` is that of the numbers which were added up (scores of 3000 leave 3000 · 1e-16 in each sum).
    """
    for name, a, b in _parts(ours, truth):
        assert a.shape == b.shape, f"{name}: shape {a.shape}, not {b.shape}"
        bound = tolerance * max(1.0, magnitude)
        # Not `difference > bound`: a NaN would pass.
        wrong = ~(np.abs(a - b) <= bound)
        if wrong.any():
            lines = [
                f"{name}{list(map(int, at))}: {a[tuple(at)]!r}, not {b[tuple(at)]!r}" for at in np.argwhere(wrong)[:10]
            ]
            raise AssertionError(f"{wrong.sum()} of {wrong.size} differ by more than {bound:.1e}\n" + "\n".join(lines))


def _parts(ours, truth):
    if isinstance(truth, Potentials):
        return [("unary", ours.unary, truth.unary), ("edge", ours.edge, truth.edge)]
    return [("", np.asarray(ours, dtype=float), np.asarray(truth, dtype=float))]


def assert_gradient(
    function, at: Potentials, gradient: Potentials, *, step: float = 1e-5, tolerance: float = 1e-7
) -> None:
    """`gradient` equals central differences of `function` at every finite potential."""
    unary, edge = np.zeros_like(at.unary), np.zeros_like(at.edge)
    for part, (values, out) in enumerate(((at.unary, unary), (at.edge, edge))):
        for place in map(tuple, np.argwhere(np.isfinite(values))):
            sides = []
            for sign in (1, -1):
                moved = values.copy()
                moved[place] += sign * step
                sides.append(function(at.with_values(moved, at.edge) if part == 0 else at.with_values(at.unary, moved)))
            out[place] = (sides[0] - sides[1]) / (2 * step)
    assert_close(gradient, at.with_values(unary, edge), tolerance=tolerance)
