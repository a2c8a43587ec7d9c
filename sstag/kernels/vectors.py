"""The vector arithmetic of the optimiser, in one fixed order: BLAS would split its sums by its own number of threads.

With up to 10⁷ weights the time is that of reading memory, so each kernel does in one pass all that can be done in one.
But what is stored and what is summed are loops of their own, BLOCK numbers at a time: a loop of both is compiled twice,
in vectors for arrays that lie apart and number by number for those that do not, and the two add up in another order.

Everything is in terms of maximising f(θ) - l1·Σ|θ_i|; g is the gradient of f, a the pseudo-gradient of the whole, and
`penalised` (n,) says over which i the sum goes, or has no entries: then over all.
"""

from sstag.arrays import Bools, Floats
from sstag.kernel import kernel

BLOCK = 1024  # 8 kB of each array: still in the nearest cache when it is read again


def inner(a: Floats, b: Floats) -> float:
    """Σ_i a_i b_i."""
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i] * b[i]
    return total


@kernel
def dot(a: Floats, b: Floats) -> float:
    """Σ_i a_i b_i."""
    return inner(a, b)


def fold(q: Floats, factor: float, x: Floats, z: Floats) -> float:
    """q ← q + factor · x; returns zᵀq."""
    total = 0.0
    for begin in range(0, q.shape[0], BLOCK):
        part, added = q[begin : begin + BLOCK], x[begin : begin + BLOCK]
        for i in range(part.shape[0]):
            part[i] += factor * added[i]
        total += inner(part, z[begin : begin + BLOCK])
    return total


def scaled(q: Floats, scale: float, inverse: Floats, z: Floats) -> float:
    """q ← scale · inverse ∘ q; returns zᵀq."""
    total = 0.0
    for begin in range(0, q.shape[0], BLOCK):
        part, factors = q[begin : begin + BLOCK], inverse[begin : begin + BLOCK]
        for i in range(part.shape[0]):
            part[i] = scale * factors[i] * part[i]
        total += inner(part, z[begin : begin + BLOCK])
    return total


@kernel
def direction(
    s: Floats, y: Floats, curvature: Floats, scale: float, inverse: Floats, newest: int, count: int, taken: Floats,
    a: Floats, d: Floats,
) -> float:  # fmt: skip
    """d = H a by the two loops of L-BFGS, H_0 = scale · diag(inverse); returns the slope aᵀd.

    The `count` newest pairs are the rows newest, newest - 1, … of the rings s and y; curvature_k = s_kᵀy_k.
    """
    rows = s.shape[0]
    for i in range(d.shape[0]):
        d[i] = a[i]
    product = inner(d, s[newest])
    for back in range(count):
        k = (newest - back) % rows
        taken[back] = product / curvature[k]
        product = fold(d, -taken[back], y[k], s[(k - 1) % rows])
    product = scaled(d, scale, inverse, y[(newest - count + 1) % rows] if count > 0 else a)
    for back in range(count - 1, -1, -1):
        k = (newest - back) % rows
        factor = taken[back] - product / curvature[k]
        product = fold(d, factor, s[k], y[(k + 1) % rows] if back > 0 else a)
    return product


def difference(a: Floats, b: Floats, out: Floats) -> None:
    """out = a - b."""
    for i in range(out.shape[0]):
        out[i] = a[i] - b[i]


@kernel
def pair(
    theta: Floats, next_theta: Floats, g: Floats, next_g: Floats, s: Floats, y: Floats, row: int
) -> tuple[float, float, float]:
    """s = θ' - θ and y = g - g', into their rows; returns sᵀy, sᵀs and yᵀy."""
    s_y, s_s, y_y = 0.0, 0.0, 0.0
    for begin in range(0, theta.shape[0], BLOCK):
        some = slice(begin, begin + BLOCK)
        s_part, y_part = s[row, some], y[row, some]
        difference(next_theta[some], theta[some], s_part)
        difference(g[some], next_g[some], y_part)
        s_y += inner(s_part, y_part)
        s_s += inner(s_part, s_part)
        y_y += inner(y_part, y_part)
    return s_y, s_s, y_y


@kernel
def weighed_square(inverse: Floats, y: Floats) -> float:
    """Σ_i inverse_i y_i²."""
    total = 0.0
    for i in range(y.shape[0]):
        total += inverse[i] * y[i] * y[i]
    return total


@kernel
def move(theta: Floats, d: Floats, step: float, out: Floats) -> None:
    """out = θ + step · d."""
    for i in range(theta.shape[0]):
        out[i] = theta[i] + step * d[i]


@kernel
def move_in_orthant(
    theta: Floats, d: Floats, step: float, a: Floats, penalised: Bools, out: Floats
) -> tuple[float, float]:
    """out = θ + step · d, with 0 for every penalised weight that would leave its orthant, which is the sign of θ_i or,
    at θ_i = 0, of a_i; returns Σ|out_i| over the penalised, and aᵀ(out - θ)."""
    everywhere = penalised.shape[0] == 0
    size, gain = 0.0, 0.0
    for i in range(theta.shape[0]):
        value = theta[i] + step * d[i]
        if everywhere or penalised[i]:
            sign = theta[i] if theta[i] != 0.0 else a[i]
            inside = (value > 0.0 and sign > 0.0) or (value < 0.0 and sign < 0.0) or value != value
            value = value if inside else 0.0
        out[i] = value
    for i in range(theta.shape[0]):
        size += abs(out[i]) if everywhere or penalised[i] else 0.0
        gain += a[i] * (out[i] - theta[i])
    return size, gain


@kernel
def penalised_size(theta: Floats, penalised: Bools) -> float:
    """Σ|θ_i| over the penalised."""
    everywhere = penalised.shape[0] == 0
    total = 0.0
    for i in range(theta.shape[0]):
        total += abs(theta[i]) if everywhere or penalised[i] else 0.0
    return total


@kernel
def pseudo_gradient(theta: Floats, g: Floats, penalised: Bools, l1: float, a: Floats) -> None:
    """a_i = g_i - l1·sign(θ_i); at θ_i = 0 the steepest of all slopes upwards, g_i - l1, g_i + l1 or 0 (Andrew & Gao
    2007, equation 4)."""
    everywhere = penalised.shape[0] == 0
    for i in range(theta.shape[0]):
        value = g[i]
        if everywhere or penalised[i]:
            if theta[i] > 0.0:
                value -= l1
            elif theta[i] < 0.0:
                value += l1
            else:
                value = max(value - l1, 0.0) + min(value + l1, 0.0)
        a[i] = value


@kernel
def align(d: Floats, a: Floats, theta: Floats, penalised: Bools, zeros_only: bool) -> float:
    """d_i ← 0 for every penalised i, or every one with θ_i = 0, at which d points against a; returns the slope aᵀd."""
    everywhere = penalised.shape[0] == 0
    for i in range(d.shape[0]):
        if not d[i] * a[i] > 0.0 and (everywhere or penalised[i]) and (theta[i] == 0.0 or not zeros_only):
            d[i] = 0.0
    return inner(d, a)
