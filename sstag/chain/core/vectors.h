// The vector arithmetic of the optimiser, in one fixed order: BLAS would split its sums by its own number of threads.
//
// With up to 10⁷ weights the time is that of reading memory, so each function does in one pass all that can be done in
// one. Everything is in terms of maximising f(θ) - l1·Σ|θ_i|; g is the gradient of f, a the pseudo-gradient of the whole,
// and `penalised` says over which i the sum goes, or is null: then over all.
#pragma once

#include "functions.h"
#include "arrays.h"

namespace LEVEL {

constexpr int64_t BLOCK = 1024;  // numbers of each array that are still in the nearest cache when they are read again

// Calls use(at, count) for every vector of begin ≤ i < end; only the last may have fewer than eight numbers.
template <class Use>
INLINE void along(int64_t begin, int64_t end, Use use) {
    int64_t i = begin;
    for (; i + LANES <= end; i += LANES) use(i, LANES);
    if (i < end) use(i, (int)(end - i));
}
INLINE Lanes some(const double *from, int count) { return count == LANES ? load(from) : load_first(from, count); }
INLINE void put(double *to, Lanes a, int count) {
    if (count == LANES)
        store(to, a);
    else
        store_first(to, a, count);
}

INLINE Lanes some(const float *from, int count) {
    if (count == LANES) return load_single(from);
    float padded[LANES] = {0, 0, 0, 0, 0, 0, 0, 0};
    memcpy(padded, from, (size_t)count * sizeof(float));
    return load_single(padded);
}
// Rounds numbers to what a float holds, puts them there, and returns them.
INLINE Lanes put_rounded(float *to, Lanes a, int count) {
    float padded[LANES];
    store_single(padded, a);
    memcpy(to, padded, (size_t)count * sizeof(float));
    return load_single(padded);
}

// Σ_i a_i b_i over begin ≤ i < end.
static double dot(const double *a, const double *b, int64_t begin, int64_t end) {
    Lanes total[4] = {each(0.0), each(0.0), each(0.0), each(0.0)};
    int64_t i = begin;
    for (; i + 4 * LANES <= end; i += 4 * LANES)
        for (int n = 0; n < 4; ++n)
            total[n] = fused(load(a + i + n * LANES), load(b + i + n * LANES), total[n]);
    along(i, end, [&](int64_t at, int count) { total[0] = fused(some(a + at, count), some(b + at, count), total[0]); });
    return sum((total[0] + total[1]) + (total[2] + total[3]));
}

// out_k += s_kᵀa, y_kᵀHa, s_kᵀy and y_kᵀHy with the newest y and H = diag(inverse), each over begin ≤ i < end; out
// (memory, 4).
static void products_of_pairs(const Pairs &pairs, const double *inverse, const double *a, int64_t newest, int64_t begin,
                              int64_t end, double *out) {
    const float *last = pairs.y + newest * pairs.size;
    for (int64_t start = begin; start < end; start += BLOCK)
        for (int64_t k = 0; k < pairs.memory; ++k) {
            const float *s = pairs.s + k * pairs.size, *y = pairs.y + k * pairs.size;
            Lanes s_a = each(0.0), y_a = each(0.0), s_y = each(0.0), y_y = each(0.0);
            along(start, start + BLOCK < end ? start + BLOCK : end, [&](int64_t i, int count) {
                Lanes own = some(s + i, count), weighed = some(inverse + i, count) * some(y + i, count);
                Lanes uphill = some(a + i, count), other = some(last + i, count);
                s_a = fused(own, uphill, s_a), y_a = fused(weighed, uphill, y_a);
                s_y = fused(own, other, s_y), y_y = fused(weighed, other, y_y);
            });
            out[4 * k] += sum(s_a), out[4 * k + 1] += sum(y_a), out[4 * k + 2] += sum(s_y), out[4 * k + 3] += sum(y_y);
        }
}

// out_kj += y_kᵀHy_j over begin ≤ i < end; out (memory, memory).
static void weighed_squares(const Pairs &pairs, const double *inverse, int64_t begin, int64_t end, double *out) {
    for (int64_t start = begin; start < end; start += BLOCK)
        for (int64_t k = 0; k < pairs.memory; ++k)
            for (int64_t j = 0; j <= k; ++j) {
                const float *a = pairs.y + k * pairs.size, *b = pairs.y + j * pairs.size;
                Lanes total = each(0.0);
                along(start, start + BLOCK < end ? start + BLOCK : end, [&](int64_t i, int count) {
                    total = fused(some(inverse + i, count) * some(a + i, count), some(b + i, count), total);
                });
                const double found = sum(total);
                out[k * pairs.memory + j] += found;
                if (j < k) out[j * pairs.memory + k] += found;
            }
}

// α and γ of the direction, by the two loops of L-BFGS on numbers: of pair k, where there was y_kᵀx or s_kᵀx with
// x = a - Σ α_j y_j or scale·Hx + Σ γ_j s_j, stands the sum of the products that x is made of. products (memory, 4), s_y
// and y_y (memory, memory), taken and added (memory,).
static void coefficients(int64_t memory, const double *products, const double *s_y, const double *y_y, double scale,
                         int64_t newest, int64_t count, double *taken, double *added) {
    auto row = [&](int64_t back) { return (newest - back + memory) % memory; };
    for (int64_t back = 0; back < count; ++back) {
        const int64_t k = row(back);
        double value = products[4 * k];
        for (int64_t newer = 0; newer < back; ++newer) value -= taken[row(newer)] * s_y[k * memory + row(newer)];
        taken[k] = value / s_y[k * memory + k];
    }
    for (int64_t back = count - 1; back >= 0; --back) {
        const int64_t k = row(back);
        double value = products[4 * k + 1];
        for (int64_t other = 0; other < count; ++other) value -= taken[row(other)] * y_y[k * memory + row(other)];
        value *= scale;
        for (int64_t older = back + 1; older < count; ++older) value += added[row(older)] * s_y[row(older) * memory + k];
        added[k] = taken[k] - value / s_y[k * memory + k];
    }
}

// d += Σ_k factors_k x_k over the `count` newest rows of x, and begin ≤ i < end.
INLINE void add_multiples(const Pairs &pairs, const float *x, const double *factors, double sign, int64_t newest,
                          int64_t count, int64_t begin, int64_t end, double *d) {
    for (int64_t back = 0; back < count; ++back) {
        const int64_t k = (newest - back + pairs.memory) % pairs.memory;
        const Lanes factor = each(sign * factors[k]);
        const float *row = x + k * pairs.size;
        along(begin, end, [&](int64_t i, int numbers) {
            put(d + i, fused(factor, some(row + i, numbers), some(d + i, numbers)), numbers);
        });
    }
}

// d = scale·H(a - Σ α_k y_k) + Σ γ_k s_k over the `count` newest pairs and begin ≤ i < end; returns its share of aᵀd.
static double combined(const Pairs &pairs, const double *inverse, const double *a, double scale, int64_t newest,
                       int64_t count, const double *taken, const double *added, int64_t begin, int64_t end, double *d) {
    double slope = 0.0;
    for (int64_t start = begin; start < end; start += BLOCK) {
        const int64_t stop = start + BLOCK < end ? start + BLOCK : end;
        memcpy(d + start, a + start, (size_t)(stop - start) * sizeof(double));
        add_multiples(pairs, pairs.y, taken, -1.0, newest, count, start, stop, d);
        along(start, stop, [&](int64_t i, int numbers) {
            put(d + i, some(d + i, numbers) * (each(scale) * some(inverse + i, numbers)), numbers);
        });
        add_multiples(pairs, pairs.s, added, 1.0, newest, count, start, stop, d);
        slope += dot(d, a, start, stop);
    }
    return slope;
}

// s = θ' - θ and y = g - g', into row `row` of the pairs, rounded; products of these: sᵀy, sᵀs and yᵀy; all over begin ≤ i < end.
static void add_pair(const Pairs &pairs, const double *theta, const double *next_theta, const double *g,
                     const double *next_g, int64_t row, int64_t begin, int64_t end, double *products) {
    float *s = pairs.s + row * pairs.size, *y = pairs.y + row * pairs.size;
    Lanes s_y = each(0.0), s_s = each(0.0), y_y = each(0.0);
    along(begin, end, [&](int64_t i, int count) {
        Lanes own = put_rounded(s + i, some(next_theta + i, count) - some(theta + i, count), count);
        Lanes change = put_rounded(y + i, some(g + i, count) - some(next_g + i, count), count);
        s_y = fused(own, change, s_y), s_s = fused(own, own, s_s), y_y = fused(change, change, y_y);
    });
    products[0] = sum(s_y), products[1] = sum(s_s), products[2] = sum(y_y);
}

// out = θ + step · d.
static void move(int64_t size, const double *theta, const double *d, double step, double *out) {
    along(0, size, [&](int64_t i, int count) {
        put(out + i, fused(each(step), some(d + i, count), some(theta + i, count)), count);
    });
}

// out = θ + step · d, with 0 for every penalised weight that would leave its orthant, which is the sign of θ_i or, at
// θ_i = 0, of a_i; totals: Σ|out_i| over the penalised, and aᵀ(out - θ).
static void move_in_orthant(int64_t size, const double *theta, const double *d, double step, const double *a,
                            const uint8_t *penalised, double *out, double *totals) {
    double absolute = 0.0, gain = 0.0;
    for (int64_t i = 0; i < size; ++i) {
        double value = fma(step, d[i], theta[i]);
        if (!penalised || penalised[i]) {
            const double sign = theta[i] != 0.0 ? theta[i] : a[i];
            const bool inside = (value > 0.0 && sign > 0.0) || (value < 0.0 && sign < 0.0) || value != value;
            if (!inside) value = 0.0;
            absolute += fabs(value);
        }
        out[i] = value;
        gain += a[i] * (value - theta[i]);
    }
    totals[0] = absolute, totals[1] = gain;
}

// Σ|θ_i| over the penalised.
static double penalised_size(int64_t size, const double *theta, const uint8_t *penalised) {
    double total = 0.0;
    for (int64_t i = 0; i < size; ++i)
        if (!penalised || penalised[i]) total += fabs(theta[i]);
    return total;
}

// a_i = g_i - l1·sign(θ_i); at θ_i = 0 the steepest of all slopes upwards, g_i - l1, g_i + l1 or 0 (Andrew & Gao 2007,
// equation 4).
static void pseudo_gradient(int64_t size, const double *theta, const double *g, const uint8_t *penalised, double l1,
                            double *a) {
    for (int64_t i = 0; i < size; ++i) {
        double value = g[i];
        if (!penalised || penalised[i]) {
            if (theta[i] > 0.0)
                value -= l1;
            else if (theta[i] < 0.0)
                value += l1;
            else
                value = larger(value - l1, 0.0) + smaller(value + l1, 0.0);
        }
        a[i] = value;
    }
}

// d_i ← 0 for every penalised i, or every one with θ_i = 0, at which d points against a; returns the slope aᵀd.
static double align(int64_t size, double *d, const double *a, const double *theta, const uint8_t *penalised,
                    bool zeros_only) {
    for (int64_t i = 0; i < size; ++i)
        if (!(d[i] * a[i] > 0.0) && (!penalised || penalised[i]) && (theta[i] == 0.0 || !zeros_only)) d[i] = 0.0;
    return dot(d, a, 0, size);
}

}  // namespace LEVEL
