// Forward and backward: the scaled recursions, the check that they lost nothing, and their log-domain twins.
//
// Every sentence is either scaled or, where that would lose a path, in logs (in_log[s]), and its rows then mean:
//
//     array    scaled                                        in logs
//     w        w_t(y) = exp(u_t(y) - shift_t)                log w_t(y)
//     c        c_t = Σ_y of the unnormalised α_t             log c_t
//     alpha    α_t = (α_{t-1} P) ∘ w_t / c_t                 log α_t
//     beta     β_{t-1} = P v_t                               log β_{t-1}
//     v        v_t = β_t ∘ w_t / c_t                         unused
//
// with P = exp(e - max e), so that p_t = α_t ∘ β_t and p_t(y', y) = α_{t-1}(y') P(y', y) v_t(y). Rows are W wide; what
// lies beyond L is 0, in logs nothing.
//
// What the scaled recursion can lose, and why the check finds it. A number below 2.2e-308 is zero or has lost digits: a
// weight exp(e) or exp(u), or a product of such with α or β. A path may go through it that is the only one left some
// positions later, while no α that lives and no scale is zero (the other paths die at an -∞). So the rule is for every
// label, not for the sum. As long as the α of every reachable label, before it is divided by the scale, is at least
// 1e-200, what was lost on the way to it was smaller by a factor of 1e-108. It follows that v ≤ 1e200, that nothing
// overflows, and that β loses less than 1e-108: enough for every marginal; and β ≥ 1e-90 at every label that reaches the
// end makes it enough for every conditional probability. Reachable means through weights that are not exactly zero. It is
// looked at only where a number is below the bound, so a sentence without -∞ pays for one comparison per label.
#pragma once

#include "product.h"

namespace LEVEL {

constexpr double ALPHA_FLOOR = 1e-200, BETA_FLOOR = 1e-90;

alignas(64) static const double INDEX[LANES] = {0, 1, 2, 3, 4, 5, 6, 7};

// The lanes of vector n that are labels.
INLINE Mask are_labels(int64_t labels, int n) { return load(INDEX) < each((double)(labels - n * LANES)); }

// Whether position t may have label y: u_t(y) > -∞, and y is allowed there. Where the scores are not there, it may.
INLINE bool is_possible(const Chain &chain, int64_t t, int64_t y) {
    int64_t cell = t * chain.labels + y;
    return (!chain.unary || chain.unary[cell] > -INFINITE) && (!chain.allowed || chain.allowed[cell]);
}

// P = exp(e - max e) of every matrix. Returns NONE or UNFIT.
static int64_t factor_edges(const Chain &chain, const Edges &e) {
    const int64_t labels = chain.labels, cells = labels * labels, tiled = labels * chain.width;
    const int vectors = (int)(chain.width / LANES);
    for (int64_t k = 0; k < chain.matrices; ++k) {
        const double *edge = chain.edge + k * cells;
        double *log_p = e.log_p + k * cells, top = -INFINITE;
        for (int64_t cell = 0; cell < cells; ++cell) {
            if (!(edge[cell] < INFINITE)) return UNFIT - k;
            top = larger(top, edge[cell]);
        }
        double shift = e.shift[k] = top > -INFINITE ? top : 0.0;
        for (int64_t cell = 0; cell < cells; ++cell) log_p[cell] = edge[cell] - shift;
        double *p = e.p + k * tiled, *p_transposed = e.p_transposed + k * tiled;
        memset(p_transposed, 0, (size_t)tiled * sizeof(double));
        for (int64_t i = 0; i < labels; ++i)
            for (int n = 0; n < vectors; ++n) {
                Lanes weight = exponential(load_row(log_p + i * labels, labels, n));
                weight = choose(are_labels(labels, n), weight, each(0.0));
                double *place = p + place_in_tiles(labels, vectors, i, n * LANES);
                store(place, weight);
                for (int64_t j = n * LANES; j < labels && j < (n + 1) * LANES; ++j)
                    p_transposed[place_in_tiles(labels, vectors, j, i)] = place[j - n * LANES];
            }
    }
    return NONE;
}

// The sentence of a position.
INLINE int64_t sentence_of(const Chain &chain, int64_t t) {
    int64_t s = 0;
    while (chain.offsets[s + 1] <= t) ++s;
    return s;
}

constexpr int64_t BLOCK_OF_WEIGHTS = 32;  // positions

// w_t(y) = exp(u_t(y) - shift_t), shift_t = max_y u_t(y); 0 where not allowed. Returns NONE or UNFIT.
//
// Exponentials wait for nothing but their argument, and those of some positions are computed together.
INLINE int64_t weigh(const Chain &chain, const Forward &f) {
    const int64_t labels = chain.labels, width = chain.width;
    const int vectors = (int)(width / LANES);
    for (int64_t begin = 0; begin < chain.tokens; begin += BLOCK_OF_WEIGHTS) {
        const int64_t end = begin + BLOCK_OF_WEIGHTS < chain.tokens ? begin + BLOCK_OF_WEIGHTS : chain.tokens;
        for (int64_t t = begin; t < end; ++t) {
            const double *unary = chain.unary + t * labels;
            double *w = f.w + t * width;
            Lanes top = each(-INFINITE), unfit = each(0.0);
            for (int n = 0; n < vectors; ++n) {
                Lanes u = load_row(unary, labels, n, vectors);
                unfit = choose(u < each(INFINITE), unfit, each(1.0));
                if (n == vectors - 1) u = choose(are_labels(labels, n), u, each(-INFINITE));
                store(w + n * LANES, u);
                if (chain.allowed) {
                    const uint8_t *allowed = chain.allowed + t * labels;
                    for (int64_t y = n * LANES; y < labels && y < (n + 1) * LANES; ++y)
                        if (!allowed[y]) w[y] = -INFINITE;
                    u = load(w + n * LANES);
                }
                top = larger(top, u);
            }
            if (any(each(0.0) < unfit)) return UNFIT - sentence_of(chain, t);
            // Zero is added because -0 is as large as 0, and the larger of the two is either.
            double highest = largest(top), shift = f.shift[t] = highest > -INFINITE ? highest + 0.0 : 0.0;
            for (int n = 0; n < vectors; ++n) store(w + n * LANES, load(w + n * LANES) - each(shift));
        }
        for (int64_t i = begin * width; i < end * width; i += LANES) store(f.w + i, exponential(load(f.w + i)));
    }
    return NONE;
}

enum State : uint8_t { DONE, LOST, NO_PATH };

// α_t = α_t ∘ w_t / c_t, c_t = Σ_y of what stands before the division.
template <class Count>
INLINE State settle_alpha(const Chain &chain, const Edges &e, const Forward &f, int64_t t, bool first, Count vectors) {
    const int64_t labels = chain.labels, width = vectors * LANES;
    double *alpha = f.alpha + t * width;
    const double *w = f.w + t * width;
    Lanes total = each(0.0), least = each(1.0);
    for (int n = 0; n < vectors; ++n) {
        Lanes x = load(w + n * LANES);
        if (!first) x = load(alpha + n * LANES) * x;
        store(alpha + n * LANES, x);
        total = total + x;
        least = smaller(least, n < vectors - 1 ? x : choose(are_labels(labels, n), x, each(1.0)));
    }
    double c = f.c[t] = sum(total);
    if (any(least < each(ALPHA_FLOOR))) {
        for (int64_t j = 0; j < labels; ++j)
            if (alpha[j] < ALPHA_FLOOR && is_possible(chain, t, j)) {
                if (first) return LOST;
                const double *log_p = e.log_p + chain.edge_index[t] * labels * labels;
                for (int64_t i = 0; i < labels; ++i)
                    if (alpha[i - width] > 0.0 && log_p[i * labels + j] > -INFINITE) return LOST;
            }
        if (c == 0.0) return NO_PATH;
    }
    Lanes scale = each(1.0 / c);
    for (int n = 0; n < vectors; ++n) store(alpha + n * LANES, load(alpha + n * LANES) * scale);
    return DONE;
}

// Back from w to log w, exactly: taken from u, since exp has lost what is looked for.
static void restore_logs(const Chain &chain, const Forward &f, int64_t s) {
    for (int64_t t = chain.offsets[s]; t < chain.offsets[s + 1]; ++t)
        for (int64_t y = 0; y < chain.labels; ++y)
            f.w[t * chain.width + y] =
                is_possible(chain, t, y) ? chain.unary[t * chain.labels + y] - f.shift[t] : -INFINITE;
}

// log α_t(j) = log w_t(j) + log Σ_i exp(log α_{t-1}(i) + log P(i, j)) - log c_t.
static State forward_log(const Chain &chain, const Edges &e, const Forward &f, int64_t s) {
    const int64_t labels = chain.labels, width = chain.width, start = chain.offsets[s];
    for (int64_t t = start; t < chain.offsets[s + 1]; ++t) {
        const double *log_p = t > start ? e.log_p + chain.edge_index[t] * labels * labels : nullptr;
        double *alpha = f.alpha + t * width, top = -INFINITE;
        for (int64_t j = 0; j < labels; ++j) {
            double x = 0.0;
            if (t > start) {
                const double *before = alpha - width;
                double peak = -INFINITE;
                for (int64_t i = 0; i < labels; ++i) peak = larger(peak, before[i] + log_p[i * labels + j]);
                x = peak;
                if (peak > -INFINITE) {
                    double total = 0.0;
                    for (int64_t i = 0; i < labels; ++i)
                        total += exponential(before[i] + log_p[i * labels + j] - peak);
                    x = peak + logarithm(total);
                }
            }
            alpha[j] = x + f.w[t * width + j];
            top = larger(top, alpha[j]);
        }
        if (top == -INFINITE) return NO_PATH;
        double total = 0.0;
        for (int64_t j = 0; j < labels; ++j) total += exponential(alpha[j] - top);
        double c = f.c[t] = top + logarithm(total);
        for (int64_t j = 0; j < labels; ++j) alpha[j] -= c;
    }
    return DONE;
}

// What else is found along a walk: of one sentence where it begins, and of those that go on at every step.
struct NothingElse {
    void begin(int64_t, int64_t) const {}
    void step(const Front &) const {}
};

// w, α and c of every sentence; those that in_log names beforehand are in logs. Returns the first sentence without a path,
// NONE or UNFIT.
//
// Without scores (`unary`) the weights w are there already. Then it returns NO_SCORES where a sentence may have to be in
// logs.
template <class Also>
INLINE int64_t walk_forward(const Chain &chain, const Edges &e, const Forward &f, const Also &also) {
    const int64_t fit = chain.unary ? weigh(chain, f) : NONE;
    if (fit != NONE) return fit;
    // in_log keeps the state of each sentence for as long as the walk takes.
    side_by_side<false>(
        chain,
        [&](int64_t s, int64_t t) {
            f.in_log[s] = f.in_log[s] ? LOST : settle_alpha(chain, e, f, t, true, (int)(chain.width / LANES));
            if (f.in_log[s] == DONE) also.begin(s, t);
            return f.in_log[s] == DONE;
        },
        [&](Front &front) {
            multiply<false>(chain, front, {{f.alpha, e.p}}, f.alpha);
            with_vectors(chain.width, [&](auto vectors) {
                const Chain own = chain;  // copies, because a byte that is written might be a part of anything else
                const Forward rows = f;
                for (int m = 0; m < front.walking; ++m) {
                    const State state = settle_alpha(own, e, rows, front.at[m], false, vectors);
                    rows.in_log[front.sentence[m]] = state, front.goes_on[m] = state == DONE;
                }
            });
            also.step(front);
        });
    for (int64_t s = 0; s < chain.sentences; ++s) {
        if (f.in_log[s] == NO_PATH) return s;
        if (f.in_log[s] == LOST) {
            if (!chain.unary) return NO_SCORES;
            restore_logs(chain, f, s);
            if (forward_log(chain, e, f, s) == NO_PATH) return s;
        }
    }
    return NONE;
}

// The same, and log Z = Σ_t log c_t + the shifts, which is not wanted where there are no scores.
static int64_t forward(const Chain &chain, const Edges &e, const Forward &f) {
    const int64_t failed = walk_forward(chain, e, f, NothingElse());
    if (failed != NONE) return failed;
    for (int64_t s = 0; chain.unary && s < chain.sentences; ++s) {
        const int64_t start = chain.offsets[s], stop = chain.offsets[s + 1];
        double total = 0.0, logs[LANES];
        for (int64_t t = start; t < stop; t += LANES) {
            int count = (int)(stop - t < LANES ? stop - t : LANES);
            Lanes c = load_first(f.c + t, count);
            store(logs, f.in_log[s] ? c : logarithm(c));
            for (int i = 0; i < count; ++i) {
                total += logs[i] + f.shift[t + i];
                if (t + i > start) total += e.shift[chain.edge_index[t + i]];
            }
        }
        f.log_z[s] = total;
    }
    return NONE;
}

// v_t = β_t ∘ w_t / c_t; 0 for a label that no path reaches: its β has no bound, and would meet α = 0 as ∞ · 0.
struct V {
    const Chain &chain;
    const Forward &f;
    const Backward &b;

    INLINE_MEMBER void begin(int64_t s, int64_t t) const { settle(s, t, (int)(chain.width / LANES)); }
    INLINE_MEMBER void multiply_more(const Front &) const {}

    template <class Count>
    INLINE_MEMBER void settle(int64_t s, int64_t t, Count vectors) const {
        const int64_t at = t * vectors * LANES;
        const double *w = f.w + at, *alpha = f.alpha + at, *beta = b.beta + at;
        double *v = b.v + at;
        const Lanes scale = each(t > chain.offsets[s] ? 1.0 / f.c[t] : 0.0);  // nothing leads into the first position
        for (int n = 0; n < vectors; ++n) {
            const int j = n * LANES;
            store(v + j, choose(each(0.0) < load(alpha + j), (load(w + j) * scale) * load(beta + j), each(0.0)));
        }
    }
};

// Whether β_t is precise enough at every label that is reached and goes on to the end.
//
// v may have taken the place of β_{t+1}: at a label that follows one with α > 0 both are 0 or neither is, since its α was
// kept.
template <class Count>
INLINE bool is_beta_kept(const Chain &chain, const Edges &e, const Forward &f, const Backward &b, int64_t t,
                         Count vectors) {
    const int64_t labels = chain.labels, width = vectors * LANES;
    const double *beta = b.beta + t * width, *alpha = f.alpha + t * width;
    Lanes least = each(1.0);
    for (int n = 0; n < vectors; ++n) {
        Lanes x = load(beta + n * LANES);
        least = smaller(least, n < vectors - 1 ? x : choose(are_labels(labels, n), x, each(1.0)));
    }
    if (!any(least < each(BETA_FLOOR))) return true;
    const double *log_p = e.log_p + chain.edge_index[t + 1] * labels * labels;
    for (int64_t i = 0; i < labels; ++i)
        if (beta[i] < BETA_FLOOR && alpha[i] > 0.0)
            for (int64_t j = 0; j < labels; ++j)
                if (beta[width + j] > 0.0 && log_p[i * labels + j] > -INFINITE && is_possible(chain, t + 1, j))
                    return false;
    return true;
}

// log β_{t-1}(i) = log Σ_j exp(log P(i, j) + log w_t(j) + log β_t(j)) - log c_t.
static void backward_log(const Chain &chain, const Edges &e, const Forward &f, const Backward &b, int64_t s) {
    const int64_t labels = chain.labels, width = chain.width, start = chain.offsets[s], stop = chain.offsets[s + 1];
    for (int64_t j = 0; j < labels; ++j) b.beta[(stop - 1) * width + j] = 0.0;
    for (int64_t t = stop - 1; t > start; --t) {
        const double *log_p = e.log_p + chain.edge_index[t] * labels * labels;
        const double *w = f.w + t * width, *beta = b.beta + t * width;
        for (int64_t i = 0; i < labels; ++i) {
            double peak = -INFINITE;
            for (int64_t j = 0; j < labels; ++j) peak = larger(peak, log_p[i * labels + j] + w[j] + beta[j]);
            double result = peak;
            if (peak > -INFINITE) {
                double total = 0.0;
                for (int64_t j = 0; j < labels; ++j)
                    total += exponential(log_p[i * labels + j] + w[j] + beta[j] - peak);
                result = peak + logarithm(total) - f.c[t];
            }
            b.beta[(t - 1) * width + i] = result;
        }
    }
}

// β and what `found` makes of it for every sentence. One whose β was lost goes over to logs, α and all. Returns NONE, or
// NO_SCORES where there are no scores for that: then in_log names such sentences.
template <class Found>
INLINE int64_t walk_backward(const Chain &chain, const Edges &e, const Forward &f, const Backward &b, const Found &found) {
    constexpr uint8_t LOST_NOW = 2;
    const int64_t width = chain.width;
    side_by_side<true>(
        chain,
        [&](int64_t s, int64_t t) {
            if (f.in_log[s]) return false;
            for (int n = 0; n < (int)(width / LANES); ++n)
                store(b.beta + t * width + n * LANES, choose(are_labels(chain.labels, n), each(1.0), each(0.0)));
            found.begin(s, t);
            return true;
        },
        [&](Front &front) {
            multiply<true>(chain, front, {{b.v, e.p_transposed}}, b.beta);
            found.multiply_more(front);
            with_vectors(width, [&](auto vectors) {
                for (int m = 0; m < front.walking; ++m) {
                    const int64_t s = front.sentence[m], t = front.at[m];
                    if (is_beta_kept(chain, e, f, b, t, vectors))
                        found.settle(s, t, vectors);
                    else
                        f.in_log[s] = LOST_NOW, front.goes_on[m] = false;
                }
            });
        });
    for (int64_t s = 0; s < chain.sentences; ++s) {
        if (!f.in_log[s]) continue;
        if (f.in_log[s] == LOST_NOW) {
            if (!chain.unary) return NO_SCORES;
            f.in_log[s] = 1;
            restore_logs(chain, f, s);
            forward_log(chain, e, f, s);
        }
        backward_log(chain, e, f, b, s);
    }
    return NONE;
}

// β and v of every sentence.
static int64_t backward(const Chain &chain, const Edges &e, const Forward &f, const Backward &b) {
    return walk_backward(chain, e, f, b, V{chain, f, b});
}

}  // namespace LEVEL
