"""The vector arithmetic of the optimiser, in one fixed order: BLAS would split its sums by its own number of threads.

With up to 10⁷ weights the time is that of reading memory, so each kernel does in one pass all that can be done in one.
But what is stored and what is summed are loops of their own, BLOCK numbers at a time: a loop of both is compiled twice,
in vectors for arrays that lie apart and number by number for those that do not, and the two add up in another order.

Everything is in terms of maximising f(θ) - l1·Σ|θ_i|; g is the gradient of f, a the pseudo-gradient of the whole, and
`penalised` (n,) says over which i the sum goes, or has no entries: then over all.
"""

from sstag.chain.compiler.kernel import kernel
from sstag.foundation.arrays import Bools, Floats

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


def four_products(s: Floats, y: Floats, inverse: Floats, a: Floats, other: Floats) -> tuple[float, float, float, float]:
    """sᵀa, yᵀHa, sᵀy' and yᵀHy', H = diag(inverse) and y' the other."""
    s_a, y_a, s_other, y_other = 0.0, 0.0, 0.0, 0.0
    for i in range(s.shape[0]):
        weighed = inverse[i] * y[i]
        s_a += s[i] * a[i]
        y_a += weighed * a[i]
        s_other += s[i] * other[i]
        y_other += weighed * other[i]
    return s_a, y_a, s_other, y_other


@kernel
def products(
    s: Floats, y: Floats, inverse: Floats, a: Floats, newest: int, begin: int, end: int, out: Floats
) -> None:  # fmt: skip
    """out_k += s_kᵀa, y_kᵀHa, s_kᵀy and y_kᵀHy with the newest y, each over begin ≤ i < end."""
    for start in range(begin, end, BLOCK):
        some = slice(start, min(start + BLOCK, end))
        for k in range(s.shape[0]):
            s_a, y_a, s_y, y_y = four_products(s[k, some], y[k, some], inverse[some], a[some], y[newest, some])
            out[k, 0] += s_a
            out[k, 1] += y_a
            out[k, 2] += s_y
            out[k, 3] += y_y


@kernel
def weighed_squares(y: Floats, inverse: Floats, begin: int, end: int, out: Floats) -> None:
    """out_kj += y_kᵀHy_j over begin ≤ i < end."""
    for start in range(begin, end, BLOCK):
        some = slice(start, min(start + BLOCK, end))
        for k in range(y.shape[0]):
            for j in range(k + 1):
                found = weighed_product(inverse[some], y[k, some], y[j, some])
                out[k, j] += found
                if j < k:
                    out[j, k] += found


def weighed_product(inverse: Floats, a: Floats, b: Floats) -> float:
    """Σ_i inverse_i a_i b_i."""
    total = 0.0
    for i in range(a.shape[0]):
        total += inverse[i] * a[i] * b[i]
    return total


@kernel
def coefficients(
    products: Floats, s_y: Floats, y_y: Floats, scale: float, newest: int, count: int, taken: Floats, added: Floats
) -> None:
    """α and γ of the direction, by the two loops of L-BFGS on numbers: of pair k, where there was y_kᵀx or s_kᵀx with
    x = a - Σ α_j y_j or scale·Hx + Σ γ_j s_j, stands the sum of the products that x is made of."""
    rows = s_y.shape[0]
    for back in range(count):
        k = (newest - back) % rows
        value = products[k, 0]
        for newer in range(back):
            j = (newest - newer) % rows
            value -= taken[j] * s_y[k, j]
        taken[k] = value / s_y[k, k]
    for back in range(count - 1, -1, -1):
        k = (newest - back) % rows
        value = products[k, 1]
        for other in range(count):
            j = (newest - other) % rows
            value -= taken[j] * y_y[k, j]
        value *= scale
        for older in range(back + 1, count):
            j = (newest - older) % rows
            value += added[j] * s_y[j, k]
        added[k] = taken[k] - value / s_y[k, k]


@kernel
def combined(
    s: Floats, y: Floats, inverse: Floats, a: Floats, scale: float, newest: int, count: int, taken: Floats,
    added: Floats, begin: int, end: int, d: Floats,
) -> float:  # fmt: skip
    """d = scale·H(a - Σ α_k y_k) + Σ γ_k s_k over the `count` newest pairs and begin ≤ i < end; returns the share of
    the slope aᵀd."""
    slope = 0.0
    for start in range(begin, end, BLOCK):
        some = slice(start, min(start + BLOCK, end))
        part, uphill, factors = d[some], a[some], inverse[some]
        for i in range(part.shape[0]):
            part[i] = -uphill[i]
        add_multiples(part, taken, y, newest, count, some)
        for i in range(part.shape[0]):
            part[i] *= -scale * factors[i]
        add_multiples(part, added, s, newest, count, some)
        slope += inner(part, uphill)
    return slope


def add_multiples(q: Floats, factors: Floats, x: Floats, newest: int, count: int, some: slice) -> None:
    """q ← q + Σ_k factors_k · x_k, four at a time: q is loaded and stored once."""
    rows = x.shape[0]
    back = 0
    while back + 4 <= count:
        k0, k1, k2, k3 = (
            (newest - back) % rows, (newest - back - 1) % rows, (newest - back - 2) % rows, (newest - back - 3) % rows,
        )  # fmt: skip
        f0, f1, f2, f3 = factors[k0], factors[k1], factors[k2], factors[k3]
        x0, x1, x2, x3 = x[k0, some], x[k1, some], x[k2, some], x[k3, some]
        for i in range(q.shape[0]):
            q[i] += (f0 * x0[i] + f1 * x1[i]) + (f2 * x2[i] + f3 * x3[i])
        back += 4
    while back < count:
        k0 = (newest - back) % rows
        f0, x0 = factors[k0], x[k0, some]
        for i in range(q.shape[0]):
            q[i] += f0 * x0[i]
        back += 1


def difference(a: Floats, b: Floats, out: Floats) -> None:
    """out = a - b."""
    for i in range(out.shape[0]):
        out[i] = a[i] - b[i]


@kernel
def pair(
    theta: Floats, next_theta: Floats, g: Floats, next_g: Floats, row: int, begin: int, end: int, s: Floats, y: Floats
) -> tuple[float, float, float]:
    """s = θ' - θ and y = g - g', into their rows; returns sᵀy, sᵀs and yᵀy; all over begin ≤ i < end."""
    s_y, s_s, y_y = 0.0, 0.0, 0.0
    for start in range(begin, end, BLOCK):
        some = slice(start, min(start + BLOCK, end))
        s_part, y_part = s[row, some], y[row, some]
        difference(next_theta[some], theta[some], s_part)
        difference(g[some], next_g[some], y_part)
        s_y += inner(s_part, y_part)
        s_s += inner(s_part, s_part)
        y_y += inner(y_part, y_part)
    return s_y, s_s, y_y


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
