// Stochastic gradient: sentences whose labels are known, wholly or in part, move the weights one after another (Bottou 2010,
// Large-scale machine learning with stochastic gradient descent).
//
//     θ_t = θ_{t-1} + η_t (ω_s ∂gain_s/∂θ - λ θ_{t-1}),     η_t = η / (1 + λη t)          s is the sentence of visit t
//
// The prior would move every weight at every visit. But what it does to a weight over many visits is one product, and with
// these η_t the product telescopes, so that numbers w stand for the weights of which a visit changes those of its sentence:
//
//     θ_t = w_t / (1 + λη t)          w_t = w_{t-1} + η ω_s ∂gain_s/∂θ
//
// The mean of θ over visits m + 1 to n needs no look at every weight either. What visit t adds to w stands in w_t and all
// that follow, so with C_t = Σ_{m < u ≤ t} 1 / (1 + λη u) and numbers a that begin with 0
//
//     Σ_{m < t ≤ n} θ_t = C_n w_n - a_n          a_t = a_{t-1} + C_{t-1} η ω_s ∂gain_s/∂θ
//
// Everything is done in the order of the visits by one thread, so its bits depend on nothing else.
#pragma once

#include "likelihood.h"

namespace LEVEL {

INLINE void ask_for_weights(const Attributes &a, int64_t i, const double *theta, int64_t labels) {
    if (i < a.first[a.count]) ask_for_row<0>(theta + a.pair_bounds[a.indices[i]], labels);
}

// out_t(y) += Σ_{a at t} value · θ_{a,y} for `count` rows from t on; out (count, labels).
static void add_weights(const Attributes &a, int64_t t, int64_t count, const double *theta, int64_t labels, double *out) {
    const int vectors = vectors_of(labels);
    for (int64_t i = a.first[t]; i < a.first[t] + AHEAD; ++i) ask_for_weights(a, i, theta, labels);
    for (const int64_t stop = t + count; t < stop; ++t, out += labels)
        for (int64_t i = a.first[t]; i < a.first[t + 1]; ++i) {
            ask_for_weights(a, i + AHEAD, theta, labels);
            const int64_t begin = a.pair_bounds[a.indices[i]], end = a.pair_bounds[a.indices[i] + 1];
            const double value = a.values ? a.values[i] : 1.0;
            if (end - begin < labels) {
                for (int64_t p = begin; p < end; ++p) out[a.pair_labels[p]] += value * theta[p];
                continue;
            }
            for (int n = 0; n < vectors; ++n) {
                const Lanes own = each(value) * load_row(theta + begin, labels, n);
                store_row(out, labels, n, load_row(out, labels, n) + own);
            }
        }
}

// θ_{a,y} += value · d_t(y) for every attribute of these rows; d (count, labels).
static void move_weights(const Attributes &a, int64_t t, int64_t count, const double *d, int64_t labels, double *theta) {
    const int vectors = vectors_of(labels);
    for (const int64_t stop = t + count; t < stop; ++t, d += labels)
        for (int64_t i = a.first[t]; i < a.first[t + 1]; ++i) {
            const int64_t begin = a.pair_bounds[a.indices[i]], end = a.pair_bounds[a.indices[i] + 1];
            const double value = a.values ? a.values[i] : 1.0;
            if (end - begin < labels) {
                for (int64_t p = begin; p < end; ++p) theta[p] += value * d[a.pair_labels[p]];
                continue;
            }
            for (int n = 0; n < vectors; ++n) {
                const Lanes own = each(value) * load_row(d, labels, n);
                store_row(theta + begin, labels, n, load_row(theta + begin, labels, n) + own);
            }
        }
}

INLINE void multiply(double *numbers, int64_t count, double factor) {
    for (int64_t i = 0; i < count; ++i) numbers[i] *= factor;
}

// The sentence of a visit as a chain of its own, with memory for the longest. Each of its steps has a matrix if steps have
// attributes, else all have one together.
struct Visited {
    Chain chain;
    Edges e{};
    double *edge, *slope, *masked_slope;  // (K, L, L) scores of steps; ∂/∂ these, of all and of masked sentences

    Visited(const Chain &like, int64_t longest, bool steps_differ)
        : chain(like),
          steps_differ(steps_differ),
          most(steps_differ && longest > 1 ? longest - 1 : 1),
          cells(like.labels * like.labels),
          tiled(like.labels * like.width),
          numbers(most * (4 * cells + 2 * tiled + 1)),
          indices(longest) {
        if (!is_made()) return;
        edge = numbers.at, slope = edge + most * cells, masked_slope = slope + most * cells;
        e.log_p = masked_slope + most * cells, e.p = e.log_p + most * cells;
        e.p_transposed = e.p + most * tiled, e.shift = e.p_transposed + most * tiled;
        int32_t *index = (int32_t *)indices.at;
        for (int64_t t = 0; t < longest; ++t) index[t] = steps_differ && t > 0 ? (int32_t)(t - 1) : 0;
        chain.edge = edge, chain.edge_index = index, chain.offsets = bounds, chain.sentences = 1;
        enter(0, longest);
    }

    bool is_made() const { return numbers.at && indices.at; }

    void enter(int64_t from, int64_t tokens) {
        start = from;
        bounds[0] = 0, bounds[1] = chain.tokens = tokens;
        chain.matrices = steps_differ ? tokens - 1 : 1;
    }

    // The scores of steps, from weights that are to be multiplied by a factor.
    void score_steps(const Attached &all, const Moving &w, double factor) {
        memset(edge, 0, (size_t)(chain.matrices * cells) * sizeof(double));
        for (int64_t k = 0; k < chain.matrices; ++k)
            for (int64_t i = 0; i < all.count; ++i) edge[k * cells + all.cells[i]] = w.steps[i];
        if (steps_differ) add_weights(all.edges, start + 1, chain.matrices, w.edge, cells, edge);
        multiply(edge, chain.matrices * cells, factor);
    }

    // The scores of nodes, (T, L).
    void score(const Attached &all, const Moving &w, double factor, double *unary) const {
        const int64_t labels = chain.labels, numbers = chain.tokens * labels;
        memset(unary, 0, (size_t)numbers * sizeof(double));
        add_weights(all.nodes, start, chain.tokens, w.unary, labels, unary);
        add_row(unary, w.begin, labels);
        add_row(unary + numbers - labels, w.end, labels);
        multiply(unary, numbers, factor);
    }

    // Adds ∂/∂ scores of nodes, `d`, and of steps to weights.
    void move(const Attached &all, const double *d, const Moving &w) const {
        move_weights(all.nodes, start, chain.tokens, d, chain.labels, w.unary);
        if (w.begin) add_row(w.begin, d, chain.labels);
        if (w.end) add_row(w.end, d + (chain.tokens - 1) * chain.labels, chain.labels);
        for (int64_t k = 0; k < chain.matrices; ++k)
            for (int64_t i = 0; i < all.count; ++i) w.steps[i] += slope[k * cells + all.cells[i]];
        if (steps_differ) move_weights(all.edges, start + 1, chain.matrices, slope, cells, w.edge);
    }

  private:
    const bool steps_differ;
    const int64_t most, cells, tiled;
    Scratch numbers, indices;
    int64_t start, bounds[2];
};

// gain (N,) of the sentence of each visit, before it moves the weights w, which stay where they are if η is 0. `late` are the
// numbers a of a mean, or null, and `weight` is C. Returns NONE, the first sentence without a path, NO_MEMORY or UNFIT.
static int64_t visit(const Chain &all, const Labelled &labelled, const Attached &attached, const Moving &w,
                     const Moving *late, const Walk &walk, double *weight, double *gain) {
    int64_t longest = 0, row = 0;
    bool has_masked = false;
    Scratch first_rows(all.sentences);
    if (!first_rows.at) return NO_MEMORY;
    int64_t *first_row = (int64_t *)first_rows.at;  // of the allowed labels of each sentence
    for (int64_t s = 0; s < all.sentences; ++s) {
        const int64_t tokens = all.offsets[s + 1] - all.offsets[s];
        if (tokens > longest) longest = tokens;
        first_row[s] = row;
        if (labelled.kind[s] == Labelled::MASKED) row += tokens, has_masked = true;
    }
    const Attributes &steps = attached.edges;
    Visited one(all, longest, steps.first[steps.count] > steps.first[0]);
    if (!one.is_made()) return NO_MEMORY;
    Room room(one.chain, longest, 1), masked(one.chain, has_masked ? longest : 0, has_masked ? 1 : 0);
    EdgeCounts of_all(one.chain, one.slope), of_masked(has_masked ? one.chain : Chain{}, one.masked_slope);
    if (!room.is_made() || !masked.is_made() || !of_all.is_made() || !of_masked.is_made()) return NO_MEMORY;
    for (int64_t i = 0; i < walk.visits; ++i) {
        const int64_t s = walk.order[i], start = all.offsets[s], before = walk.before + i;
        const bool is_masked = labelled.kind[s] == Labelled::MASKED;
        const double factor = 1.0 / (1.0 + walk.decay * (double)before);
        one.enter(start, all.offsets[s + 1] - start);
        one.score_steps(attached, w, factor);
        if (factor_edges(one.chain, one.e) != NONE) return UNFIT - s;
        of_all.clear(one.chain);
        if (is_masked) of_masked.clear(one.chain);
        const Labelled own{labelled.omega + s, labelled.kind + s, labelled.gold + start,
                           labelled.allowed + first_row[s] * all.labels};
        Groups sentence{one.chain, one.e, own, walk.rate, room, masked, of_all, of_masked};
        sentence.enter(0, 1);
        one.score(attached, w, factor, room.unary);
        if (has_masked) sentence.copy_masked(0, 1, 0);
        const int64_t failed = sentence.differentiate(0, 1, gain + i);
        if (failed != NONE) return failed >= 0 ? s : UNFIT - s;
        if (walk.rate == 0.0) continue;
        sentence.finish_edges(one.slope, is_masked ? one.masked_slope : nullptr);
        one.move(attached, room.unary, w);
        if (!late) continue;
        multiply(room.unary, one.chain.tokens * all.labels, *weight);
        multiply(one.slope, one.chain.matrices * all.labels * all.labels, *weight);
        one.move(attached, room.unary, *late);
        *weight += 1.0 / (1.0 + walk.decay * (double)(before + 1));
    }
    return NONE;
}

}  // namespace LEVEL
