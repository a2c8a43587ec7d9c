// The likelihood of sentences whose labels are known, wholly or in part, from weights to its gradient in weights:
//
//     gain_s = log Z_Λ(s) - log Z(s)          ∂(Σ_s ω_s gain_s)/∂potentials = ω_s (marginals under Λ - marginals)
//
// Z_Λ sums over the labellings that take an allowed label at every position: one labelling where each position allows one.
//
// These are the numbers, to the bit, of `scores`, `forward`, `backward`, `node_marginals`, `edge_counts` and `gradient` one
// after another; only slopes of numbers of tokens are added up group by group (tokens.h). But it takes some sentences at a
// time, so that their rows are still in the cache when the next of these loops reads them; and it is one call, so that
// threads do not wait for each other between the loops.
#pragma once

#include "marginals.h"
#include "paths.h"
#include "sparse.h"
#include "tokens.h"

namespace LEVEL {

constexpr int64_t NEAR = 1 << 17;  // numbers of the rows of a group of sentences: a megabyte
constexpr int64_t COMPANY = 32;    // sentences that are a group however many numbers they have: they walk side by side

// Memory for the passes over at most so many positions and sentences.
struct Room {
    Scratch numbers, places, marks;
    Chain chain;
    Forward f;
    Backward b;
    double *unary, *omega;
    int64_t *offsets;
    int32_t *edge_index;
    uint8_t *allowed;

    Room(const Chain &like, int64_t tokens, int64_t sentences)
        : numbers(4 * tokens * like.width + padded(tokens * like.labels) + 2 * padded(tokens) + 2 * padded(sentences)),
          places(padded(sentences + 1) + padded(tokens)),
          marks(padded(sentences) + padded(tokens * like.labels)),
          chain(like) {
        if (!is_made()) return;
        double *at = numbers.at;
        auto take = [&](int64_t count) {
            double *taken = at;
            at += padded(count);
            return taken;
        };
        f.w = take(tokens * like.width), f.alpha = take(tokens * like.width);
        b.beta = take(tokens * like.width), b.v = take(tokens * like.width);
        unary = take(tokens * like.labels), f.shift = take(tokens), f.c = take(tokens);
        f.log_z = take(sentences), omega = take(sentences);
        offsets = (int64_t *)places.at, edge_index = (int32_t *)(places.at + padded(sentences + 1));
        f.in_log = (uint8_t *)marks.at, allowed = f.in_log + padded(sentences);
        chain.unary = unary, chain.offsets = offsets, chain.tokens = chain.sentences = 0;
    }

    bool is_made() const { return numbers.at && places.at && marks.at; }
    static int64_t padded(int64_t count) { return (count + LANES - 1) / LANES * LANES; }

    // Both passes. Returns what `forward` and `backward` do.
    int64_t both_ways(const Edges &e) {
        memset(f.in_log, 0, (size_t)chain.sentences);
        const int64_t failed = forward(chain, e, f);
        return failed != NONE ? failed : backward(chain, e, f, b);
    }

    // Both passes, and ω p_t(y) in the place of the scores; `counts` gets the steps. Returns what `forward` does.
    int64_t pass(const Edges &e, EdgeCounts &counts) {
        const int64_t failed = both_ways(e);
        if (failed != NONE) return failed;
        counts.add(chain, e, f, b, omega);
        node_marginals(chain, f, b, omega, unary);
        return NONE;
    }
};

// The end of the group that begins with a sentence, whose rows have about `near` numbers.
INLINE int64_t end_of_group(const Chain &batch, int64_t first, int64_t near = NEAR, int64_t company = COMPANY) {
    const int64_t most = near / (batch.labels + 4 * batch.width);
    int64_t stop = first + 1;
    while (stop < batch.sentences && (stop < first + company || batch.offsets[stop + 1] - batch.offsets[first] <= most))
        ++stop;
    return stop;
}

// row_y += x_y, or nothing if there is no x.
INLINE void add_row(double *row, const double *x, int64_t labels) {
    for (int64_t y = 0; x && y < labels; ++y) row[y] += x[y];
}

// What the groups of a batch have in common: from scores to ∂/∂ scores.
struct Groups {
    const Chain &batch;  // without unary
    const Edges &e;
    const Labelled &labelled;
    const double scale;
    Room &all, &masked;  // the sentences of a group; those of them that are masked
    EdgeCounts &of_all, &of_masked;

    // Makes room for a group.
    void enter(int64_t first, int64_t stop) {
        const int64_t start = batch.offsets[first];
        all.chain.tokens = batch.offsets[stop] - start, all.chain.sentences = stop - first;
        all.chain.edge_index = batch.edge_index + start;
        for (int64_t s = first; s <= stop; ++s) all.offsets[s - first] = batch.offsets[s] - start;
        for (int64_t s = first; s < stop; ++s)
            all.omega[s - first] = labelled.kind[s] == Labelled::FREE ? 0.0 : -scale * labelled.omega[s];
    }

    // Copies the masked sentences of a group, whose allowed labels begin at row `row`.
    void copy_masked(int64_t first, int64_t stop, int64_t row) {
        Chain &part = masked.chain;
        part.tokens = part.sentences = masked.offsets[0] = 0;
        part.edge_index = masked.edge_index, part.allowed = labelled.allowed + row * batch.labels;
        for (int64_t s = first; s < stop; ++s) {
            if (labelled.kind[s] != Labelled::MASKED) continue;
            const int64_t from = all.offsets[s - first], count = all.offsets[s - first + 1] - from;
            memcpy(masked.unary + part.tokens * batch.labels, all.unary + from * batch.labels,
                   (size_t)(count * batch.labels) * sizeof(double));
            memcpy(masked.edge_index + part.tokens, all.chain.edge_index + from, (size_t)count * sizeof(int32_t));
            masked.omega[part.sentences] = scale * labelled.omega[s];
            masked.offsets[++part.sentences] = part.tokens += count;
        }
    }

    // gain and ∂/∂potentials of a group, into `gain` and in the place of the scores. Returns what `forward` does, for the
    // batch.
    int64_t differentiate(int64_t first, int64_t stop, double *gain) {
        const int64_t start = batch.offsets[first], labels = batch.labels;
        path_scores(all.chain, labelled.gold + start, gain + first);
        int64_t failed = all.pass(e, of_all);
        if (failed != NONE) return failed >= 0 ? failed + first : failed - first;
        if (masked.chain.sentences && (failed = masked.pass(e, of_masked)) != NONE) {
            int64_t s = first, before = failed >= 0 ? failed : UNFIT - failed;
            while (labelled.kind[s] != Labelled::MASKED || before-- > 0) ++s;
            return failed >= 0 ? s : UNFIT - s;
        }
        int64_t m = 0;
        for (int64_t s = first; s < stop; ++s) {
            const int64_t from = all.offsets[s - first], to = all.offsets[s - first + 1];
            double *d = all.unary + from * labels;
            if (labelled.kind[s] == Labelled::FULL) {
                gain[s] -= all.f.log_z[s - first];
                for (int64_t t = from; t < to; ++t)
                    all.unary[t * labels + labelled.gold[start + t]] += scale * labelled.omega[s];
            } else if (labelled.kind[s] == Labelled::MASKED) {
                gain[s] = masked.f.log_z[m] - all.f.log_z[s - first];
                add_row(d, masked.unary + masked.offsets[m] * labels, (to - from) * labels);
                ++m;
            } else {
                gain[s] = 0.0;
            }
        }
        return NONE;
    }

    // Completes what groups have added to ∂/∂ scores of steps, (K, L, L).
    void finish_edges(double *edge, const double *masked_edge) {
        const int64_t labels = batch.labels;
        of_all.finish(batch, e);
        for (int64_t s = 0; s < batch.sentences; ++s)
            for (int64_t t = batch.offsets[s] + 1; labelled.kind[s] == Labelled::FULL && t < batch.offsets[s + 1]; ++t)
                edge[(batch.edge_index[t] * labels + labelled.gold[t - 1]) * labels + labelled.gold[t]] +=
                    scale * labelled.omega[s];
        if (!masked_edge) return;
        of_masked.finish(batch, e);
        add_row(edge, masked_edge, batch.matrices * labels * labels);
    }
};

// From weights to their gradient.
struct LikelihoodOf : Groups {
    const Entries &entries;
    const Weighing &weights, &gradient;
    double *const begin, *const end;  // (L,) sums of ∂/∂potentials over first and last positions
    const ManyTokenWeights &numbers;
    const TokenRoom &room;

    Entries rows_from(int64_t t) const {
        Entries part = entries;
        part.count = all.chain.tokens, part.row_first += t, part.pair_first += t;
        return part;
    }

    TokenWeights numbers_from(int64_t i, int64_t t) const {
        TokenWeights part = numbers.at[i];
        part.x.count = all.chain.tokens, part.x.rows += t;
        return part;
    }

    // The scores of the group that begins with a sentence.
    void score(int64_t first) {
        const int64_t start = batch.offsets[first], labels = batch.labels;
        if (numbers.count) memset(all.unary, 0, (size_t)(all.chain.tokens * labels) * sizeof(double));
        for (int64_t i = 0; i < numbers.count; ++i)
            add_token_scores(numbers_from(i, start), labels, labels, room, all.unary);
        scores(rows_from(start), weights.theta, weights.rows, labels, weights.width, numbers.count > 0, all.unary);
        for (int64_t s = 0; s < all.chain.sentences; ++s) {
            add_row(all.unary + all.offsets[s] * labels, weights.begin, labels);
            add_row(all.unary + (all.offsets[s + 1] - 1) * labels, weights.end, labels);
        }
    }

    // Adds ∂/∂potentials of a group to the gradient.
    void scatter(int64_t first, int64_t stop) {
        const int64_t start = batch.offsets[first], labels = batch.labels;
        for (int64_t i = 0; i < numbers.count; ++i)
            add_token_slopes(numbers_from(i, start), all.unary, labels, labels, room);
        LEVEL::gradient(rows_from(start), all.unary, labels, gradient.width, gradient.rows, gradient.theta);
        for (int64_t s = 0; s < stop - first; ++s) {
            add_row(begin, all.unary + all.offsets[s] * labels, labels);
            add_row(end, all.unary + (all.offsets[s + 1] - 1) * labels, labels);
        }
    }
};

// gain (S,), and ∂/∂potentials times `scale`: that of nodes is added to `gradient`, that of steps is put into edge
// (K, L, L). Returns NONE, the first sentence without a path, NO_MEMORY or UNFIT.
static int64_t likelihood(const Chain &batch, const Edges &e, const Labelled &labelled, const Entries &entries,
                          const Weighing &weights, const Weighing &gradient, const ManyTokenWeights &numbers,
                          double scale, double *gain, double *edge) {
    const int64_t labels = batch.labels, cells = batch.matrices * labels * labels;
    bool has_masked = false;
    for (int64_t s = 0; s < batch.sentences; ++s) has_masked = has_masked || labelled.kind[s] == Labelled::MASKED;
    // The masked sentences of a group walk side by side, so there should be some.
    const int64_t near = has_masked ? 2 * NEAR : NEAR;
    int64_t tokens = 0, sentences = 0;
    for (int64_t first = 0, stop; first < batch.sentences; first = stop) {
        stop = end_of_group(batch, first, near);
        tokens = tokens > batch.offsets[stop] - batch.offsets[first] ? tokens : batch.offsets[stop] - batch.offsets[first];
        sentences = sentences > stop - first ? sentences : stop - first;
    }
    Room all(batch, tokens, sentences), masked(batch, has_masked ? tokens : 0, has_masked ? sentences : 0);
    Scratch ends(2 * labels), masked_edge(has_masked ? cells : 0);
    const TokenRoom room(numbers, labels);
    if (!all.is_made() || !masked.is_made() || !ends.at || !masked_edge.at || !room.is_made()) return NO_MEMORY;
    EdgeCounts of_all(batch, edge), of_masked(has_masked ? batch : Chain{}, masked_edge.at);
    if (!of_all.is_made() || !of_masked.is_made()) return NO_MEMORY;
    memset(ends.at, 0, (size_t)(2 * labels) * sizeof(double));
    LikelihoodOf groups{{batch, e, labelled, scale, all, masked, of_all, of_masked}, entries, weights, gradient, ends.at,
                        ends.at + labels, numbers, room};
    int64_t row = 0;
    for (int64_t first = 0, stop; first < batch.sentences; first = stop) {
        stop = end_of_group(batch, first, near);
        groups.enter(first, stop);
        groups.score(first);
        if (has_masked) groups.copy_masked(first, stop, row);
        const int64_t failed = groups.differentiate(first, stop, gain);
        if (failed != NONE) return failed;
        groups.scatter(first, stop);
        row += masked.chain.tokens;
    }
    groups.finish_edges(edge, has_masked ? masked_edge.at : nullptr);
    if (gradient.begin) add_row(gradient.begin, ends.at, labels);
    if (gradient.end) add_row(gradient.end, ends.at + labels, labels);
    return NONE;
}

}  // namespace LEVEL
