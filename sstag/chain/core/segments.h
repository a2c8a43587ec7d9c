// The probability that exactly this segment is there: labels of one kind, and nothing that goes on at either end.
//
// A step (i, j) is joined if the segment of i goes on at j; then both are of one kind. The segment a..b-1 of kind k is the
// event that y_a is of kind k, the steps within it are joined and those into and out of it are not:
//
//     x_a(j) = (Σ_{i: not joined} α_{a-1}(i) P_ij) w_a(j) / c_a        α_1(j) where the sentence begins
//     x_t(j) = (Σ_{i: joined} x_{t-1}(i) P_ij) w_t(j) / c_t            j of kind k
//     p      = Σ_i x_{b-1}(i) Σ_{j: not joined} P_ij v_b(j)            Σ_i x_{b-1}(i) where it ends
//
// With R labels of that kind it costs O((b - a) R² + L R).
#pragma once

#include "chain.h"
#include "memory.h"

namespace LEVEL {

struct Segment {
    int64_t first, stop, size;
    const int64_t *kind;  // (size,) its labels
    const uint8_t *joined;
    bool begins, ends;  // with the sentence
    double *now, *before;  // (size,) x_t and x_{t-1}
};

// Σ over the paths with the segment; x_t(j) is the part of α_t(j) whose paths have had it so far.
static double scaled_segment(const Chain &chain, const Edges &e, const Forward &f, const Backward &b, Segment g) {
    const int64_t labels = chain.labels, width = chain.width, tiled = labels * width;
    const int vectors = (int)(width / LANES);
    auto p = [&](int64_t t, int64_t i, int64_t j) {
        return e.p[chain.edge_index[t] * tiled + place_in_tiles(labels, vectors, i, j)];
    };
    for (int64_t t = g.first; t < g.stop; ++t) {
        double *swap = g.before;
        g.before = g.now, g.now = swap;
        const double scale = 1.0 / f.c[t];
        for (int64_t n = 0; n < g.size; ++n) {
            const int64_t j = g.kind[n];
            double total = 0.0;
            if (t > g.first) {
                for (int64_t m = 0; m < g.size; ++m)
                    if (g.joined[g.kind[m] * labels + j]) total += g.before[m] * p(t, g.kind[m], j);
            } else if (!g.begins) {
                for (int64_t i = 0; i < labels; ++i)
                    if (!g.joined[i * labels + j]) total += f.alpha[(t - 1) * width + i] * p(t, i, j);
            }
            const bool opens = t == g.first && g.begins;
            g.now[n] = opens ? f.alpha[t * width + j] : total * (f.w[t * width + j] * scale);
        }
    }
    double result = 0.0;
    for (int64_t m = 0; m < g.size; ++m) {
        const int64_t i = g.kind[m];
        double total = g.ends ? 1.0 : 0.0;
        for (int64_t j = 0; !g.ends && j < labels; ++j)
            if (!g.joined[i * labels + j]) total += p(g.stop, i, j) * b.v[g.stop * width + j];
        result += g.now[m] * total;
    }
    return result;
}

// That sum where x is log x.
static double log_segment(const Chain &chain, const Edges &e, const Forward &f, const Backward &b, Segment g) {
    const int64_t labels = chain.labels, width = chain.width;
    auto log_p = [&](int64_t t, int64_t i, int64_t j) {
        return e.log_p[(chain.edge_index[t] * labels + i) * labels + j];
    };
    for (int64_t t = g.first; t < g.stop; ++t) {
        double *swap = g.before;
        g.before = g.now, g.now = swap;
        for (int64_t n = 0; n < g.size; ++n) {
            const int64_t j = g.kind[n];
            if (t == g.first && g.begins) {
                g.now[n] = f.alpha[t * width + j];
                continue;
            }
            const int64_t many = t == g.first ? labels : g.size;
            const bool goes_on = t > g.first;
            double peak = -INFINITE, total = 0.0;
            for (int pass = 0; pass < 2 && (pass == 0 || peak > -INFINITE); ++pass)
                for (int64_t m = 0; m < many; ++m) {
                    const int64_t i = goes_on ? g.kind[m] : m;
                    if ((bool)g.joined[i * labels + j] != goes_on) continue;
                    const double x = (goes_on ? g.before[m] : f.alpha[(t - 1) * width + i]) + log_p(t, i, j);
                    if (pass == 0)
                        peak = larger(peak, x);
                    else
                        total += exponential(x - peak);
                }
            g.now[n] = peak > -INFINITE ? peak + logarithm(total) + f.w[t * width + j] - f.c[t] : -INFINITE;
        }
    }
    double result = 0.0;
    for (int64_t m = 0; m < g.size; ++m) {
        const int64_t i = g.kind[m];
        if (g.ends) result += exponential(g.now[m]);
        for (int64_t j = 0; !g.ends && j < labels; ++j)
            if (!g.joined[i * labels + j])
                result += exponential(g.now[m] + log_p(g.stop, i, j) + f.w[g.stop * width + j] +
                                      b.beta[g.stop * width + j] - f.c[g.stop]);
    }
    return result;
}

// The probability of each segment.
static int64_t segment_probabilities(const Chain &chain, const Edges &e, const Forward &f, const Backward &b,
                                     const Segments &segments, double *out) {
    Scratch x(2 * chain.labels);
    if (!x.at) return NO_MEMORY;
    int64_t s = 0;
    for (int64_t n = 0; n < segments.count; ++n) {
        Segment g;
        g.first = segments.first[n], g.stop = segments.stop[n];
        while (chain.offsets[s + 1] <= g.first) ++s;
        const int64_t kind = segments.kind[n];
        g.kind = segments.members + segments.bounds[kind];
        g.size = segments.bounds[kind + 1] - segments.bounds[kind];
        g.joined = segments.joined, g.now = x.at, g.before = x.at + chain.labels;
        g.begins = g.first == chain.offsets[s], g.ends = g.stop == chain.offsets[s + 1];
        out[n] = f.in_log[s] ? log_segment(chain, e, f, b, g) : scaled_segment(chain, e, f, b, g);
    }
    return NONE;
}

}  // namespace LEVEL
