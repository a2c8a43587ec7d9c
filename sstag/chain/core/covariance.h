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
// f_t = u_t - shift_t - log c_t and g = log P; then E[r] = -H, and Cov is the gradient of -H.
#pragma once

#include "marginals.h"
#include "vectors.h"

namespace LEVEL {

constexpr int64_t RUN = 24 * 512, FEW = 16;  // numbers of a row of all positions; sentences of a run

// What lies in between: rows for the positions of a run, sums for the whole batch.
struct Moments {
    Scratch memory;
    double *f, *rho, *sigma, *z;        // (T, W); ω α comes into the place of f, ω x into that of ρ
    double *m, *left;                   // (T,) m_t and s_t
    double *g;                          // (K, L, L), or null
    double *p_g, *p_g_transposed;       // (K, L · W) in tiles, or null
    double *of_p, *of_g;                // (K, L · W) in tiles

    // Room for runs of at most so many positions; without covariances for the mean alone.
    Moments(const Chain &like, int64_t positions, bool has_covariances, bool has_edges)
        : memory((has_covariances ? 4 : 2) * positions * like.width + 2 * positions +
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
        sigma = take(has_covariances, rows), z = take(has_covariances, rows);
        of_p = take(true, tiles);
        p_g = take(has_edges, tiles), p_g_transposed = take(has_edges, tiles), of_g = take(has_edges, tiles);
        g = take(has_edges, like.matrices * like.labels * like.labels);
        m = take(true, positions), left = take(true, positions);
        memset(of_p, 0, (size_t)tiles * sizeof(double));
        if (has_edges) memset(of_g, 0, (size_t)tiles * sizeof(double));
    }
};

// Vector n of f_t, when log c_t is where s_t comes later. In scaled sentences, where α is 0 beyond the labels.
INLINE Lanes moment(const Chain &chain, const Additive &r, int64_t t, int n, Lanes alpha, double nothing, double away) {
    Lanes value = load_row((r.unary ? r.unary : chain.unary) + t * chain.labels, chain.labels, n);
    return r.unary ? value : choose(each(nothing) < alpha, value - each(away), each(0.0));
}

// The logarithms of c_t, into the place of s_t.
static void take_logs(const Chain &chain, const Forward &f, const Moments &a) {
    along(0, chain.tokens, [&](int64_t t, int count) { put(a.left + t, logarithm(some(f.c + t, count)), count); });
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

// f_t, ρ_t and m_t, when ρ_t holds the sum of the products; adds m_t to the sentence's mean.
INLINE void settle_rho(const Chain &chain, const Forward &f, const Additive &r, const Moments &a, int64_t t, bool first,
                       double &mean) {
    const Lanes scale = each(1.0 / f.c[t]), before = each(first ? 0.0 : a.m[t - 1]);
    const double away = r.unary ? 0.0 : f.shift[t] + a.left[t];
    Lanes total = each(0.0);
    for (int n = 0; n < (int)(chain.width / LANES); ++n) {
        const int64_t j = t * chain.width + n * LANES;
        const Lanes alpha = load(f.alpha + j), value = moment(chain, r, t, n, alpha, 0.0, away);
        store(a.f + j, value);
        Lanes own = alpha * (value - before);
        Lanes x = first ? own : fused(load(a.rho + j), load(f.w + j) * scale, own);
        store(a.rho + j, x);
        total = total + x;
    }
    mean += a.m[t] = sum(total);
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

// mean_s = E[r], and ρ.
static void add_up_rho(const Chain &chain, const Edges &e, const Forward &f, const Additive &r, const Moments &a,
                       double *mean) {
    if (!r.unary) take_logs(chain, f, a);
    auto begin = [&](int64_t s, int64_t t) {
        mean[s] = 0.0;
        if (f.in_log[s]) {
            fill_moments(chain, f, r, a, s);
            mean[s] = log_rho(chain, e, f, a, s);
            return false;
        }
        settle_rho(chain, f, r, a, t, true, mean[s]);
        return true;
    };
    auto step = [&](int64_t s, int64_t t) {
        settle_rho(chain, f, r, a, t, false, mean[s]);
        return true;
    };
    if (a.g) {
        const Term terms[2] = {{f.alpha, a.p_g}, {a.rho, e.p}};
        side_by_side<2, false>(chain, terms, a.rho, begin, step);
    } else {
        const Term terms[1] = {{a.rho, e.p}};
        side_by_side<1, false>(chain, terms, a.rho, begin, step);
    }
}

// nodes_t(j) = ω Cov(r, y_t=j), z_t, ω x_t and ω α_t, when σ_t is known.
INLINE void settle_sigma(const Chain &chain, const Forward &f, const Backward &b, const Moments &a, int64_t t,
                         double omega, double *nodes) {
    const int64_t labels = chain.labels, at = t * chain.width;
    Lanes both = each(0.0), mean = each(0.0);
    for (int64_t j = at; j < at + chain.width; j += LANES) {
        both = fused(load(a.rho + j), load(b.beta + j), both);
        mean = fused(load(f.alpha + j), load(a.sigma + j), mean);
    }
    const double left = a.left[t] = sum(mean);
    const Lanes away = each(sum(both) + left), scale = each(1.0 / f.c[t]), weight = each(omega);
    for (int n = 0; n < (int)(chain.width / LANES); ++n) {
        const int64_t j = at + n * LANES;
        Lanes rho = load(a.rho + j), beta = load(b.beta + j), alpha = load(f.alpha + j), sigma = load(a.sigma + j);
        store_row(nodes + t * labels, labels, n, weight * (rho * beta + alpha * (sigma - away * beta)));
        // v = 0 where no path comes from the left, and nothing may come from there here either.
        Lanes reached = choose(each(0.0) < alpha, sigma * (load(f.w + j) * scale), each(0.0));
        store(a.z + j, reached + (load(a.f + j) - each(left)) * load(b.v + j));
        store(a.rho + j, weight * (rho - away * alpha));
        store(a.f + j, weight * alpha);
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
    double *sigma = a.sigma + start * width;  // one row serves all positions
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

// σ, x and z of every sentence; ω Cov(r, ·) into nodes, and what it is made of into the sums at edges.
static void add_up_covariance(const Chain &chain, const Edges &e, const Forward &f, const Backward &b,
                              const Moments &a, const double *omega, double *nodes, double *edge) {
    const int64_t width = chain.width;
    auto begin = [&](int64_t s, int64_t t) {
        if (f.in_log[s]) {
            log_sigma(chain, e, f, b, a, s, omega[s], nodes, edge);
            return false;
        }
        memset(a.sigma + t * width, 0, (size_t)width * sizeof(double));
        settle_sigma(chain, f, b, a, t, omega[s], nodes);
        return true;
    };
    auto step = [&](int64_t s, int64_t t) {
        settle_sigma(chain, f, b, a, t, omega[s], nodes);
        return true;
    };
    if (a.g) {
        const Term terms[2] = {{b.v, a.p_g_transposed}, {a.z, e.p_transposed}};
        side_by_side<2, true>(chain, terms, a.sigma, begin, step);
    } else {
        const Term terms[1] = {{a.z, e.p_transposed}};
        side_by_side<1, true>(chain, terms, a.sigma, begin, step);
    }
    Outer of_p(chain.labels, width, a.of_p, nullptr), of_g(chain.labels, width, a.of_g, nullptr);
    for (int64_t s = 0; s < chain.sentences; ++s) {
        if (f.in_log[s]) continue;
        for (int64_t t = chain.offsets[s] + 1; t < chain.offsets[s + 1]; ++t) {
            const int64_t k = chain.edge_index[t];
            const double *x = a.rho + (t - 1) * width, *alpha = a.f + (t - 1) * width, *v = b.v + t * width;
            of_p.add(k, x, v), of_p.add(k, alpha, a.z + t * width);
            if (a.g) of_g.add(k, alpha, v);
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
        add_up_rho(run.chain, e, run.f, run.r, a, mean + s);
        if (nodes)
            add_up_covariance(run.chain, e, run.f, run.b, a, omega + s, nodes + chain.offsets[s] * chain.labels, edge);
    }
    if (nodes) finish_covariance(chain, e, a, edge);
    return NONE;
}

}  // namespace LEVEL
