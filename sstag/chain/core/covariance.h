// E[r] and Cov(r, clique indicators) for an additive r, O(n L²) (methods §2.1).
//
// Differs: ρ and σ are centred at every position, so that no covariance is a small difference of two sums over the whole
// sentence: by m_t, the mean of ρ_t under the forward distribution α_t alone, and then E[r] = Σ m_t needs no β; and by
// s_t, that of σ. Each is taken away where the next position uses it, κ_t, the mean of ρ_t, where β is there:
//
//     ρ_t = (ρ_{t-1} P + α_{t-1} G) ∘ w_t / c_t + α_t ∘ (f_t - m_{t-1})     m_t = Σ_y ρ_t, κ_t = Σ_y ρ_t β_t
//     z_t = σ_t ∘ w_t / c_t + (f_t - s_t) ∘ v_t
//     σ_{t-1} = P z_t + G v_t,  σ_n = 0
//     x_t = ρ_t - (κ_t + s_t) α_t
//     Cov(r, y_t=j)            = ρ_t(j) β_t(j) + α_t(j) (σ_t(j) - (κ_t + s_t) β_t(j))
//     Cov(r, y_{t-1}=i, y_t=j) = P_ij [x_{t-1}(i) v_t(j) + α_{t-1}(i) z_t(j)] + G_ij α_{t-1}(i) v_t(j)
//
// with f_t = r_t(y), g = r_t(y', y), G = P ∘ g. A sentence in logs keeps A - Σ m and B themselves (as rho and sigma) and
// z = f + B, in the conditional form, where every factor is a probability. Where r is log p(y|x) itself,
// f_t = u_t - shift_t and g = log P; then E[r] - Σ log c_t = -H, and Cov is the gradient of -H.
#pragma once

#include "marginals.h"
#include "vectors.h"

namespace LEVEL {

constexpr int64_t RUN = 24 * 512, FEW = 16;  // numbers of a row of all positions; sentences of a run

// What lies in between: rows for the positions of a run, sums for the whole batch.
struct Moments {
    Scratch memory;
    double *f, *rho, *z;                // (T, W); ω x comes into the place of ρ, and z into that of σ
    double *m;                          // (T,) m_t
    double *g;                          // (K, L, L), or null
    double *p_g, *p_g_transposed;       // (K, L · W) in tiles, or null
    double *of_p, *of_g;                // (K, L · W) in tiles

    // Room for runs of at most so many positions; without covariances for the mean alone.
    Moments(const Chain &like, int64_t positions, bool has_covariances, bool has_edges)
        : memory((has_covariances ? 3 : 2) * positions * like.width + positions +
                 (has_edges ? 4 : 1) * like.matrices * like.labels * like.width +
                 (has_edges ? like.matrices * like.labels * like.labels : 0)) {
        if (!memory.at) return;
        const int64_t rows = positions * like.width, tiles = like.matrices * like.labels * like.width;
        double *next = memory.at;
        auto take = [&next](bool is_wanted, int64_t numbers) {
            double *taken = is_wanted ? next : nullptr;
            if (is_wanted) next += numbers;
            return taken;
        };
        f = take(true, rows), rho = take(true, rows);
        z = take(has_covariances, rows);
        of_p = take(true, tiles);
        p_g = take(has_edges, tiles), p_g_transposed = take(has_edges, tiles), of_g = take(has_edges, tiles);
        g = take(has_edges, like.matrices * like.labels * like.labels);
        m = take(true, positions);
        memset(of_p, 0, (size_t)tiles * sizeof(double));
        if (has_edges) memset(of_g, 0, (size_t)tiles * sizeof(double));
    }
};

// Vector n of f_t, which is 0 where α is 0 in scaled sentences, and -∞ in logs: `nothing` is either.
INLINE Lanes moment(const Chain &chain, const Additive &r, int64_t t, int n, Lanes alpha, double nothing, double away) {
    Lanes value = load_row((r.unary ? r.unary : chain.unary) + t * chain.labels, chain.labels, n);
    return r.unary ? value : choose(each(nothing) < alpha, value - each(away), each(0.0));
}

// f_t of a sentence in logs.
static void fill_moments(const Chain &chain, const Forward &f, const Additive &r, const Moments &a, int64_t s) {
    for (int64_t t = chain.offsets[s]; t < chain.offsets[s + 1]; ++t)
        for (int n = 0; n < (int)(chain.width / LANES); ++n) {
            const int64_t j = t * chain.width + n * LANES;
            Lanes value = moment(chain, r, t, n, load(f.alpha + j), -INFINITE, f.shift[t] + f.c[t]);
            store(a.f + j, choose(are_labels(chain.labels, n), value, each(0.0)));
        }
}

// g, and G, where r has a part at edges.
static void fill_edge_moments(const Chain &chain, const Edges &e, const Additive &r, const Moments &a) {
    const int64_t labels = chain.labels, cells = labels * labels, tiled = labels * chain.width;
    const int vectors = (int)(chain.width / LANES);
    if (!a.g) return;
    memset(a.p_g_transposed, 0, (size_t)(chain.matrices * tiled) * sizeof(double));
    for (int64_t k = 0; k < chain.matrices; ++k)
        for (int64_t i = 0; i < labels; ++i)
            for (int n = 0; n < vectors; ++n) {
                double *g = a.g + k * cells + i * labels;
                Lanes value = load_row((r.unary ? r.edge : e.log_p) + k * cells + i * labels, labels, n);
                if (!r.unary) value = choose(each(-INFINITE) < value, value, each(0.0));
                store_row(g, labels, n, value);
                const int64_t place = k * tiled + place_in_tiles(labels, vectors, i, n * LANES);
                store(a.p_g + place, load(e.p + place) * value);
                for (int64_t j = n * LANES; j < labels && j < (n + 1) * LANES; ++j)
                    a.p_g_transposed[k * tiled + place_in_tiles(labels, vectors, j, i)] = a.p_g[place + j - n * LANES];
            }
}

// ρ_t and m_t, when ρ_t holds the sum of the products.
template <class Count>
INLINE void settle_rho(const Chain &chain, const Forward &f, const Additive &r, const Moments &a, int64_t t, bool first,
                       Count vectors) {
    const int64_t labels = chain.labels, at = t * vectors * LANES;
    const double *alpha = f.alpha + at, *w = f.w + at, *values = (r.unary ? r.unary : chain.unary) + t * labels;
    double *rho = a.rho + at;
    const Lanes scale = each(1.0 / f.c[t]), before = each(first ? 0.0 : a.m[t - 1]);
    const Lanes shift = each(r.unary ? 0.0 : f.shift[t]);
    Lanes total = each(0.0);
    for (int n = 0; n < vectors; ++n) {
        const Lanes there = load(alpha + n * LANES);
        const Lanes value = (load_row(values, labels, n, vectors) - shift) - before;
        Lanes x = choose(each(0.0) < there, there * value, each(0.0));
        if (!first) x = fused(load(rho + n * LANES), load(w + n * LANES) * scale, x);
        store(rho + n * LANES, x);
        total = total + x;
    }
    a.m[t] = sum(total);
}

// A_t(j) = f_t(j) - m_t + Σ_i p(y_{t-1}=i | y_t=j) (A_{t-1}(i) + g_ij) of one sentence; returns E[r].
static double log_rho(const Chain &chain, const Edges &e, const Forward &f, const Moments &a, int64_t s) {
    const int64_t labels = chain.labels, width = chain.width, start = chain.offsets[s];
    double mean = 0.0;
    for (int64_t t = start; t < chain.offsets[s + 1]; ++t) {
        const int64_t matrix = t > start ? chain.edge_index[t] * labels * labels : 0;
        const double *alpha = f.alpha + t * width, *before = alpha - width;
        double *rho = a.rho + t * width, m = 0.0;
        for (int64_t j = 0; j < labels; ++j) {
            double value = 0.0;
            if (alpha[j] > -INFINITE) {
                value = a.f[t * width + j];
                if (t > start) {
                    double peak = -INFINITE, total = 0.0, weighted = 0.0;
                    for (int64_t i = 0; i < labels; ++i)
                        peak = larger(peak, before[i] + e.log_p[matrix + i * labels + j]);
                    for (int64_t i = 0; i < labels; ++i) {
                        const int64_t cell = matrix + i * labels + j;
                        const double share = exponential(before[i] + e.log_p[cell] - peak);
                        if (share > 0.0) {
                            total += share;
                            weighted += share * (rho[i - width] + (a.g ? a.g[cell] : 0.0));
                        }
                    }
                    value += weighted / total;
                }
                m += exponential(alpha[j]) * value;
            }
            rho[j] = value;
        }
        for (int64_t j = 0; j < labels; ++j) rho[j] -= m;
        mean += m;
    }
    return mean;
}

// ρ and m of the scaled sentences, beside the forward pass or after it.
struct Rho {
    const Chain &chain;
    const Edges &e;
    const Forward &f;
    const Additive &r;
    const Moments &a;

    INLINE_MEMBER void begin(int64_t, int64_t t) const {
        settle_rho(chain, f, r, a, t, true, (int)(chain.width / LANES));
    }

    INLINE_MEMBER void step(const Front &front) const {
        if (a.g)
            multiply<false>(chain, front, {{f.alpha, a.p_g}, {a.rho, e.p}}, a.rho);
        else
            multiply<false>(chain, front, {{a.rho, e.p}}, a.rho);
        with_vectors(chain.width, [&](auto vectors) {
            for (int m = 0; m < front.walking; ++m)
                if (front.goes_on[m]) settle_rho(chain, f, r, a, front.at[m], false, vectors);
        });
    }
};

// mean_s = E[r], and ρ of the sentences in logs, when that of the others is known.
static void finish_rho(const Chain &chain, const Edges &e, const Forward &f, const Additive &r, const Moments &a,
                       double *mean) {
    for (int64_t s = 0; s < chain.sentences; ++s) {
        mean[s] = 0.0;
        if (f.in_log[s]) {
            fill_moments(chain, f, r, a, s);
            mean[s] = log_rho(chain, e, f, a, s);
            continue;
        }
        for (int64_t t = chain.offsets[s]; t < chain.offsets[s + 1]; t += LANES) {
            double own[LANES];
            const int count = (int)(chain.offsets[s + 1] - t < LANES ? chain.offsets[s + 1] - t : LANES);
            Lanes m = load_first(a.m + t, count);
            store(own, r.unary ? m : m - logarithm(load_first(f.c + t, count)));
            for (int i = 0; i < count; ++i) mean[s] += own[i];
        }
    }
}

// Σ_j p(y_t=j | y_{t-1}=i) (z_t(j) + g_ij).
INLINE double conditional_mean(const Chain &chain, const Edges &e, const Forward &f, const Backward &b,
                               const Moments &a, int64_t t, int64_t i) {
    const int64_t labels = chain.labels, row = (chain.edge_index[t] * labels + i) * labels, at = t * chain.width;
    double peak = -INFINITE, total = 0.0, weighted = 0.0;
    for (int64_t j = 0; j < labels; ++j) peak = larger(peak, e.log_p[row + j] + f.w[at + j] + b.beta[at + j]);
    if (peak > -INFINITE)
        for (int64_t j = 0; j < labels; ++j) {
            const double share = exponential(e.log_p[row + j] + f.w[at + j] + b.beta[at + j] - peak);
            if (share > 0.0) {
                total += share;
                weighted += share * (a.z[at + j] + (a.g ? a.g[row + j] : 0.0));
            }
        }
    return total > 0.0 ? weighted / total : 0.0;
}

// nodes and edge of one sentence in logs, from B_{t-1}(i) = Σ_j p(y_t=j | y_{t-1}=i) (z_t(j) + g_ij) - s_{t-1}.
static void log_sigma(const Chain &chain, const Edges &e, const Forward &f, const Backward &b, const Moments &a,
                      int64_t s, double omega, double *nodes, double *edge) {
    const int64_t labels = chain.labels, width = chain.width, start = chain.offsets[s];
    double *sigma = a.z + start * width;  // one row serves all positions
    for (int64_t j = 0; j < labels; ++j) sigma[j] = 0.0;
    for (int64_t t = chain.offsets[s + 1] - 1; t >= start; --t) {
        const int64_t at = t * width;
        const double *alpha = f.alpha + at, *beta = b.beta + at, *rho = a.rho + at;
        double kappa = 0.0;
        for (int64_t j = 0; j < labels; ++j) kappa += exponential(alpha[j] + beta[j]) * rho[j];
        for (int64_t j = 0; j < labels; ++j) {
            nodes[t * labels + j] = omega * exponential(alpha[j] + beta[j]) * (rho[j] + sigma[j] - kappa);
            a.z[at + j] = a.f[at + j] + sigma[j];
        }
        if (t == start) break;
        double away = 0.0, left = 0.0;  // κ_{t-1} + s_{t-1}; s_{t-1}
        for (int64_t i = 0; i < labels; ++i) {
            sigma[i] = conditional_mean(chain, e, f, b, a, t, i);
            away += exponential(alpha[i - width] + beta[i - width]) * (sigma[i] + rho[i - width]);
        }
        for (int64_t i = 0; i < labels; ++i)
            for (int64_t j = 0; j < labels; ++j) {
                const int64_t cell = (chain.edge_index[t] * labels + i) * labels + j;
                const double share = exponential(alpha[i - width] + e.log_p[cell] + f.w[at + j] + beta[j] - f.c[t]);
                if (share > 0.0) {
                    const double value = rho[i - width] + a.z[at + j] + (a.g ? a.g[cell] : 0.0);
                    edge[cell] += omega * share * (value - away);
                }
            }
        for (int64_t i = 0; i < labels; ++i) left += exponential(alpha[i - width] + beta[i - width]) * sigma[i];
        for (int64_t i = 0; i < labels; ++i) sigma[i] -= left;
    }
}

// x and z of the scaled sentences, and ω Cov(r, ·) at their nodes: after the backward pass, or, with HAS_V false, beside it.
// Then v takes the place of β.
template <bool HAS_V>
struct Sigma {
    const Chain &chain;
    const Edges &e;
    const Forward &f;
    const Backward &b;
    const Additive &r;
    const Moments &a;
    const double *omega;
    double *nodes;

    INLINE_MEMBER void begin(int64_t s, int64_t t) const {
        memset(a.z + t * chain.width, 0, (size_t)chain.width * sizeof(double));
        settle(s, t, (int)(chain.width / LANES));
    }

    INLINE_MEMBER void multiply_more(const Front &front) const {
        if (a.g)
            multiply<true>(chain, front, {{b.v, a.p_g_transposed}, {a.z, e.p_transposed}}, a.z);
        else
            multiply<true>(chain, front, {{a.z, e.p_transposed}}, a.z);
    }

    INLINE_MEMBER void step(const Front &front) const {
        multiply_more(front);
        with_vectors(chain.width, [&](auto vectors) {
            for (int m = 0; m < front.walking; ++m) settle(front.sentence[m], front.at[m], vectors);
        });
    }

    // nodes_t(j) = ω Cov(r, y_t=j), v_t, z_t and ω x_t, when z_t holds σ_t.
    template <class Count>
    INLINE_MEMBER void settle(int64_t s, int64_t t, Count vectors) const {
        const int64_t labels = chain.labels, at = t * vectors * LANES;
        const double *alpha = f.alpha + at, *w = f.w + at, *beta = b.beta + at;
        const double *values = (r.unary ? r.unary : chain.unary) + t * labels;
        double *v = b.v + at, *rho = a.rho + at, *z = a.z + at, *out = nodes + t * labels;
        const Lanes shift = each(r.unary ? 0.0 : f.shift[t]), scale = each(1.0 / f.c[t]), weight = each(omega[s]);
        Lanes both = each(0.0), mean = each(0.0);
        for (int n = 0; n < vectors; ++n) {
            both = fused(load(rho + n * LANES), load(beta + n * LANES), both);
            mean = fused(load(alpha + n * LANES), load(z + n * LANES), mean);
        }
        const double left = sum(mean);
        const Lanes away = each(sum(both) + left), centre = each(left);
        for (int n = 0; n < vectors; ++n) {
            const Lanes there = load(alpha + n * LANES), after = load(beta + n * LANES), sigma = load(z + n * LANES);
            const Lanes x = load(rho + n * LANES), onwards = load(w + n * LANES) * scale;
            const Lanes value = (load_row(values, labels, n, vectors) - shift) - centre;
            const Mask reached = each(0.0) < there;  // v = 0 where no path comes from the left, and so is z
            const Lanes next = HAS_V ? load(v + n * LANES) : choose(reached, onwards * after, each(0.0));
            if (!HAS_V) store(v + n * LANES, next);
            store(z + n * LANES, choose(reached, fused(value, next, sigma * onwards), each(0.0)));
            store_row(out, labels, n, weight * fused(x, after, there * (sigma - away * after)), vectors);
            store(rho + n * LANES, weight * (x - away * there));
        }
    }
};

// What ω Cov(r, ·) is made of into the sums at edges, when z of the scaled sentences is known; and all of those in logs.
static void finish_sigma(const Chain &chain, const Edges &e, const Forward &f, const Backward &b, const Moments &a,
                         const double *omega, double *nodes, double *edge) {
    const int64_t width = chain.width;
    Outer of_p(chain.labels, width, a.of_p, nullptr), of_g(chain.labels, width, a.of_g, nullptr);
    for (int64_t s = 0; s < chain.sentences; ++s) {
        const int64_t start = chain.offsets[s], stop = chain.offsets[s + 1];
        if (f.in_log[s]) {
            log_sigma(chain, e, f, b, a, s, omega[s], nodes, edge);
            continue;
        }
        const double *alpha = f.alpha;  // ω α
        if (omega[s] != 1.0) {
            alpha = a.f;
            for (int64_t j = start * width; j < stop * width; j += LANES)
                store(a.f + j, each(omega[s]) * load(f.alpha + j));
        }
        for (int64_t t = start + 1; t < stop; ++t) {
            const int64_t k = chain.edge_index[t], at = t * width, before = at - width;
            of_p.add(k, a.rho + before, b.v + at), of_p.add(k, alpha + before, a.z + at);
            if (a.g) of_g.add(k, alpha + before, b.v + at);
        }
    }
    of_p.flush();
    if (a.g) of_g.flush();
}

// Some sentences of a batch with all that belongs to them, numbered from their own beginning.
struct Run {
    Chain chain;
    Forward f;
    Backward b;
    Additive r;
};

// Sentences first ≤ s < stop; `offsets` has room for the bounds of all sentences.
INLINE Run run_of(const Chain &chain, const Forward &f, const Backward &b, const Additive &r, int64_t first,
                  int64_t stop, int64_t *offsets) {
    const int64_t start = chain.offsets[first], at = start * chain.width, cells = start * chain.labels;
    for (int64_t s = first; s <= stop; ++s) offsets[s - first] = chain.offsets[s] - start;
    Run run{chain, f, b, r};
    run.chain.tokens = chain.offsets[stop] - start, run.chain.sentences = stop - first;
    run.chain.offsets = offsets, run.chain.edge_index += start, run.chain.unary += cells;
    run.f.w += at, run.f.alpha += at, run.f.shift += start, run.f.c += start, run.f.in_log += first;
    run.b.beta += at, run.b.v += at;
    if (r.unary) run.r.unary += cells;
    return run;
}

// ω Cov(r, ·) at edges: what of_p and of_g stand for is added, when all runs are done.
static void finish_covariance(const Chain &chain, const Edges &e, const Moments &a, double *edge) {
    add_from_tiles(chain, a.of_p, e.p, edge);
    if (a.g) add_from_tiles(chain, a.of_g, a.p_g, edge);
}

// What is found along a walk, of the scaled sentences.
template <bool LEFTWARDS, class Found>
INLINE void walk(const Chain &chain, const Forward &f, const Found &found) {
    side_by_side<LEFTWARDS>(
        chain,
        [&](int64_t s, int64_t t) {
            if (!f.in_log[s]) found.begin(s, t);
            return !f.in_log[s];
        },
        [&](const Front &front) { found.step(front); });
}

// mean_s = E[r]; and unless `nodes` is null, ω Cov(r, ·). Some sentences at a time, whose rows stay in the cache.
static int64_t covariance(const Chain &chain, const Edges &e, const Forward &f, const Backward &b, const Additive &r,
                          const double *omega, double *mean, double *nodes, double *edge) {
    auto stop_of = [&](int64_t first) {
        int64_t stop = first + 1;
        while (stop < chain.sentences &&
               (stop - first < FEW || (chain.offsets[stop + 1] - chain.offsets[first]) * chain.width <= RUN))
            ++stop;
        return stop;
    };
    int64_t longest = 0;
    for (int64_t s = 0, stop; s < chain.sentences; s = stop) {
        stop = stop_of(s);
        const int64_t positions = chain.offsets[stop] - chain.offsets[s];
        if (positions > longest) longest = positions;
    }
    Moments a(chain, longest, nodes, !r.unary || r.edge);
    Scratch bounds(chain.sentences + 1);
    if (!a.memory.at || !bounds.at) return NO_MEMORY;
    fill_edge_moments(chain, e, r, a);
    if (nodes) memset(edge, 0, (size_t)(chain.matrices * chain.labels * chain.labels) * sizeof(double));
    for (int64_t s = 0, stop; s < chain.sentences; s = stop) {
        stop = stop_of(s);
        const Run run = run_of(chain, f, b, r, s, stop, (int64_t *)bounds.at);
        const Rho rho{run.chain, e, run.f, run.r, a};
        double *own = nodes ? nodes + chain.offsets[s] * chain.labels : nullptr;
        const Sigma<true> sigma{run.chain, e, run.f, run.b, run.r, a, omega + s, own};
        walk<false>(run.chain, run.f, rho);
        finish_rho(run.chain, e, run.f, run.r, a, mean + s);
        if (!nodes) continue;
        walk<true>(run.chain, run.f, sigma);
        finish_sigma(run.chain, e, run.f, run.b, a, omega + s, own, edge);
    }
    if (nodes) finish_covariance(chain, e, a, edge);
    return NONE;
}

}  // namespace LEVEL
