// Entropies of a chain: of each label given the one before, and M07's Hα and Hβ (methods §2.2).
//
// None of them takes a logarithm per edge: log p(y', y) = log α(y') + log P(y', y) + log v(y), so Σ p log p is three
// products that the chain has anyway.
#pragma once

#include "covariance.h"

namespace LEVEL {

// p log p, 0 for p = 0.
INLINE double p_log_p(double p) { return p > 0.0 ? p * logarithm(p) : 0.0; }
INLINE Lanes p_log_p(Lanes p) { return choose(each(0.0) < p, p * logarithm(p), each(0.0)); }

// H(Y_t) = -Σ_y p_t(y) log p_t(y), of marginals mu (T, L).
static void token_entropies(int64_t tokens, int64_t labels, const double *mu, double *out) {
    for (int64_t t = 0; t < tokens; ++t) {
        Lanes total = each(0.0);
        for (int n = 0; n < vectors_of(labels); ++n) total = total - p_log_p(load_row(mu + t * labels, labels, n));
        out[t] = larger(sum(total), 0.0);
    }
}

// P ∘ log P of every matrix, in tiles, [from, to] or [to, from]; 0 where P is 0.
static void fill_p_log_p(const Chain &chain, const Edges &e, bool transposed, double *out) {
    const int64_t labels = chain.labels, tiled = labels * chain.width;
    const int vectors = (int)(chain.width / LANES);
    memset(out, 0, (size_t)(chain.matrices * tiled) * sizeof(double));
    for (int64_t k = 0; k < chain.matrices; ++k)
        for (int64_t i = 0; i < labels; ++i)
            for (int64_t j = 0; j < labels; ++j) {
                const double log_p = e.log_p[(k * labels + i) * labels + j];
                if (log_p == -INFINITE) continue;
                const double p = e.p[k * tiled + place_in_tiles(labels, vectors, i, j)];
                const int64_t place = transposed ? place_in_tiles(labels, vectors, j, i) : place_in_tiles(labels, vectors, i, j);
                out[k * tiled + place] = p * log_p;
            }
}

// out[t] = rows[t + by] · matrices[k_t] at every position that a step leads into; by is 0 or -1.
static void multiply_steps(const Chain &chain, const double *rows, int64_t by, const double *matrices, double *out) {
    const int64_t width = chain.width, tiled = chain.labels * width;
    for (int64_t s = 0; s < chain.sentences; ++s)
        for (int64_t t = chain.offsets[s] + 1; t < chain.offsets[s + 1]; ++t) {
            const double *row = rows + (t + by) * width, *matrix = matrices + chain.edge_index[t] * tiled;
            double *to = out + t * width;
            products<1, true, 1>({{&row, &matrix}}, chain.labels, (int)(width / LANES), &to);
        }
}

// H(Y_t | Y_{t-1}) = -Σ_{ij} p_t(i, j) log p(j | i), and H(Y_1) at the start of a sentence.
//
// Scaled: p(j | i) = P_ij v_j / β_{t-1}(i), so the sum is
// Σ_i α_{t-1}(i) Σ_j (P ∘ log P)_ij v_j  +  Σ_j p_t(j) log v_j  -  Σ_i p_{t-1}(i) log β_{t-1}(i).
static int64_t conditional_entropies(const Chain &chain, const Edges &e, const Forward &f, const Backward &b,
                                     double *out) {
    const int64_t labels = chain.labels, width = chain.width;
    Scratch matrices(chain.matrices * labels * width), rows(chain.tokens * width);
    if (!matrices.at || !rows.at) return NO_MEMORY;
    fill_p_log_p(chain, e, true, matrices.at);
    multiply_steps(chain, b.v, 0, matrices.at, rows.at);
    for (int64_t s = 0; s < chain.sentences; ++s)
        for (int64_t t = chain.offsets[s]; t < chain.offsets[s + 1]; ++t) {
            const int64_t at = t * width;
            double total = 0.0;
            if (f.in_log[s] && t > chain.offsets[s]) {
                const double *alpha = f.alpha + at - width, *before = b.beta + at - width;
                for (int64_t i = 0; i < labels; ++i) {
                    if (alpha[i] + before[i] == -INFINITE) continue;
                    const double *log_p = e.log_p + (chain.edge_index[t] * labels + i) * labels;
                    for (int64_t j = 0; j < labels; ++j) {
                        const double given = log_p[j] + f.w[at + j] + b.beta[at + j] - f.c[t] - before[i];
                        const double edge = exponential(alpha[i] + before[i] + given);
                        if (edge > 0.0) total += edge * given;
                    }
                }
            } else {
                Lanes sums = each(0.0);
                for (int64_t j = at; j < at + width; j += LANES) {
                    Lanes alpha = load(f.alpha + j), beta = load(b.beta + j);
                    if (t == chain.offsets[s]) {
                        Lanes p = f.in_log[s] ? exponential(alpha + beta) : alpha * beta;
                        sums = sums + choose(are_labels(labels, (int)((j - at) / LANES)), p_log_p(p), each(0.0));
                        continue;
                    }
                    Lanes before = load(f.alpha + j - width), beta_before = load(b.beta + j - width);
                    Lanes here = alpha * beta, there = before * beta_before;
                    sums = sums + before * load(rows.at + j);
                    sums = sums + choose(each(0.0) < here, here * logarithm(load(b.v + j)), each(0.0));
                    sums = sums - choose(each(0.0) < there, there * logarithm(beta_before), each(0.0));
                }
                total = sum(sums);
            }
            out[t] = larger(-total, 0.0);
        }
    return NONE;
}

// The recursion of Hα (from the left) and Hβ (from the right), (T, W). With the share of each label in a sum, α or v, and
// the sum itself, `mass`,
//
//     own_t = share_t (h_t - log share_t)      h_next = (own_t · matrix - logs_next) / mass_next + log mass_next
//
// and 0 for a label on no path. `in_logs` finds h of a sentence in logs.
template <bool LEFTWARDS, class InLogs>
INLINE void entropies_from_one_side(const Chain &chain, const Forward &f, const Backward &b, const double *matrices,
                                    const double *share, const double *mass, const double *logs, double *own,
                                    double *weighted, double *h, InLogs in_logs) {
    const int64_t width = chain.width;
    auto settle = [&](int64_t s, int64_t t) {
        const bool first = t == (LEFTWARDS ? chain.offsets[s + 1] - 1 : chain.offsets[s]);
        for (int64_t j = t * width; j < (t + 1) * width; j += LANES) {
            Lanes part = load(share + j), result = each(0.0);
            if (!first) {
                Lanes there = load(mass + j);
                Lanes value = (load(weighted + j) - load(logs + j)) / there + logarithm(there);
                value = choose(each(0.0) < load(f.alpha + j), value, each(0.0));
                value = choose(each(0.0) < load(b.beta + j), value, each(0.0));
                result = larger(value, each(0.0));
            }
            store(h + j, result);
            store(own + j, choose(each(0.0) < part, part * (result - logarithm(part)), each(0.0)));
        }
        return true;
    };
    side_by_side<LEFTWARDS>(
        chain,
        [&](int64_t s, int64_t t) {
            if (!f.in_log[s]) return settle(s, t);
            memset(h + t * width, 0, (size_t)width * sizeof(double));
            in_logs(s);
            return false;
        },
        [&](const Front &front) {
            multiply<LEFTWARDS>(chain, front, {{own, matrices}}, weighted);
            for (int m = 0; m < front.walking; ++m) settle(front.sentence[m], front.at[m]);
        });
}

// Hα_t(j) = H(Y_1..Y_{t-1} | Y_t=j) = Σ_i b (Hα_{t-1}(i) - log b), b = p(y_{t-1}=i | y_t=j), Hα_1 = 0 (M07 §4), (T, W).
//
// Scaled: b = α_{t-1}(i) P_ij / s_j with s = α_{t-1} P. A label on no path gets 0.
// Differs: M07's recursion sums p log p ≤ 0 and starts at 0 log 0; here entropies are ≥ 0, and start as an empty sum.
static int64_t alpha_entropies(const Chain &chain, const Edges &e, const Forward &f, const Backward &b, double *h) {
    const int64_t labels = chain.labels, width = chain.width, rows = chain.tokens * width;
    Scratch memory(4 * rows + chain.matrices * labels * width);
    if (!memory.at) return NO_MEMORY;
    double *own = memory.at, *weighted = own + rows, *logs = weighted + rows, *mass = logs + rows, *matrices = mass + rows;
    fill_p_log_p(chain, e, false, matrices);
    multiply_steps(chain, f.alpha, -1, matrices, logs);
    multiply_steps(chain, f.alpha, -1, e.p, mass);
    auto in_logs = [&](int64_t s) {
        for (int64_t t = chain.offsets[s] + 1; t < chain.offsets[s + 1]; ++t) {
            const double *log_p = e.log_p + chain.edge_index[t] * labels * labels, *alpha = f.alpha + (t - 1) * width;
            for (int64_t j = 0; j < labels; ++j) {
                double total = 0.0, peak = -INFINITE, whole = 0.0;
                if (f.alpha[t * width + j] + b.beta[t * width + j] > -INFINITE) {
                    for (int64_t i = 0; i < labels; ++i) peak = larger(peak, alpha[i] + log_p[i * labels + j]);
                    for (int64_t i = 0; i < labels; ++i) whole += exponential(alpha[i] + log_p[i * labels + j] - peak);
                    for (int64_t i = 0; i < labels; ++i) {
                        const double given = alpha[i] + log_p[i * labels + j] - peak - logarithm(whole);
                        if (given > -INFINITE) total += exponential(given) * (h[(t - 1) * width + i] - given);
                    }
                }
                h[t * width + j] = larger(total, 0.0);
            }
        }
    };
    entropies_from_one_side<false>(chain, f, b, e.p, f.alpha, mass, logs, own, weighted, h, in_logs);
    return NONE;
}

// Hβ_{t-1}(i) = H(Y_t..Y_n | Y_{t-1}=i) = Σ_j d (Hβ_t(j) - log d), d = p(y_t=j | y_{t-1}=i), Hβ_n = 0 (M07 §4), (T, W).
//
// Scaled: d = P_ij v_t(j) / β_{t-1}(i). A label on no path gets 0.
static int64_t beta_entropies(const Chain &chain, const Edges &e, const Forward &f, const Backward &b, double *h) {
    const int64_t labels = chain.labels, width = chain.width, rows = chain.tokens * width;
    Scratch memory(3 * rows + chain.matrices * labels * width);
    if (!memory.at) return NO_MEMORY;
    double *own = memory.at, *weighted = own + rows, *logs = weighted + rows, *matrices = logs + rows;
    fill_p_log_p(chain, e, true, matrices);
    multiply_steps(chain, b.v, 0, matrices, logs);
    auto in_logs = [&](int64_t s) {
        for (int64_t t = chain.offsets[s + 1] - 1; t > chain.offsets[s]; --t) {
            const double *before = b.beta + (t - 1) * width, *beta = b.beta + t * width, *w = f.w + t * width;
            for (int64_t i = 0; i < labels; ++i) {
                const double *log_p = e.log_p + (chain.edge_index[t] * labels + i) * labels;
                double total = 0.0;
                if (f.alpha[(t - 1) * width + i] + before[i] > -INFINITE)
                    for (int64_t j = 0; j < labels; ++j) {
                        const double given = log_p[j] + w[j] + beta[j] - f.c[t] - before[i];
                        if (given > -INFINITE) total += exponential(given) * (h[t * width + j] - given);
                    }
                h[(t - 1) * width + i] = larger(total, 0.0);
            }
        }
    };
    // What `multiply_steps` finds for a step into t belongs to the label before it.
    entropies_from_one_side<true>(chain, f, b, e.p_transposed, b.v, b.beta, logs + width, own, weighted, h, in_logs);
    return NONE;
}

// M07's H^σ of every clique, times ω: nodes and edge get p log p - p (Hα + Hβ).
//
// H^σ_t(i, j) = p log p - p (Hα_{t-1}(i) + Hβ_t(j))
//             = P_ij [x_{t-1}(i) v_t(j) + α_{t-1}(i) z_t(j) + log P_ij α_{t-1}(i) v_t(j)]
// with x = α (log α - Hα), z = v (log v - Hβ); in logs x = -Hα, z = -Hβ, to be added to log p.
static int64_t subsequence_entropies(const Chain &chain, const Edges &e, const Forward &f, const Backward &b,
                                     const double *omega, const double *h_alpha, const double *h_beta, double *nodes,
                                     double *edge) {
    const int64_t labels = chain.labels, width = chain.width, rows = chain.tokens * width;
    const int64_t tiles = chain.matrices * labels * width;
    Scratch memory(2 * rows + 3 * tiles + 2 * Outer::need(width));
    if (!memory.at) return NO_MEMORY;
    double *x = memory.at, *z = x + rows, *of_p = z + rows, *of_g = of_p + tiles, *g = of_g + tiles, *scaled = g + tiles;
    memset(of_p, 0, (size_t)tiles * sizeof(double));
    Outer first(labels, width, of_p, scaled), second(labels, width, of_p, scaled + Outer::need(width));
    for (int64_t s = 0; s < chain.sentences; ++s)
        for (int64_t t = chain.offsets[s]; t < chain.offsets[s + 1]; ++t) {
            for (int n = 0; n < (int)(width / LANES); ++n) {
                const int64_t j = t * width + n * LANES;
                Lanes alpha = load(f.alpha + j), beta = load(b.beta + j), v = load(b.v + j);
                Lanes before = load(h_alpha + j), after = load(h_beta + j), p;
                if (f.in_log[s]) {
                    p = exponential(alpha + beta);
                    store(x + j, each(0.0) - before);
                    store(z + j, each(0.0) - after);
                } else {
                    p = alpha * beta;
                    store(x + j, choose(each(0.0) < alpha, alpha * (logarithm(alpha) - before), each(0.0)));
                    store(z + j, choose(each(0.0) < v, v * (logarithm(v) - after), each(0.0)));
                }
                store_row(nodes + t * labels, labels, n, each(omega[s]) * (p_log_p(p) - p * (before + after)));
            }
            if (f.in_log[s] || t == chain.offsets[s]) continue;
            first.add(chain.edge_index[t], omega[s], x + (t - 1) * width, b.v + t * width);
            second.add(chain.edge_index[t], omega[s], f.alpha + (t - 1) * width, z + t * width);
        }
    first.flush(), second.flush();
    if (!edge_products(chain, f, b, omega, of_g)) return NO_MEMORY;
    fill_p_log_p(chain, e, false, g);
    memset(edge, 0, (size_t)(chain.matrices * labels * labels) * sizeof(double));
    add_from_tiles(chain, of_p, e.p, edge);
    add_from_tiles(chain, of_g, g, edge);
    add_log_edges(chain, e, f, b, omega, 0.0, 1.0, x, z, nullptr, edge);
    return NONE;
}

}  // namespace LEVEL
