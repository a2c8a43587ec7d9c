// The best labellings under rules for whole sentences: a beam, for what a sentence had so far has no small summary.
#pragma once

#include "chain.h"
#include "memory.h"

namespace LEVEL {

// ahead_t(i) = max_j (e_{t+1}(i, j) − steps_{t+1} [i ≠ j] + u_{t+1}(j) − nodes_{t+1}(j) + ahead_{t+1}(j)): the best that
// can come after label i at t, whole-sentence rules aside; −∞ for an i that is impossible itself, (T, L).
// Returns the first sentence in which every path has weight zero, NONE or UNFIT.
static int64_t best_completions(const Chain &chain, const Penalties &costs, double *ahead) {
    const int64_t labels = chain.labels;
    for (int64_t s = 0; s < chain.sentences; ++s) {
        const int64_t start = chain.offsets[s], stop = chain.offsets[s + 1];
        for (int64_t t = stop - 1; t >= start; --t)
            for (int64_t i = 0; i < labels; ++i) {
                double best = -INFINITE;
                if (!(chain.unary[t * labels + i] < INFINITE)) return UNFIT - s;
                if (is_possible(chain, t, i)) {
                    if (t == stop - 1) best = 0.0;
                    for (int64_t j = 0; t < stop - 1 && j < labels; ++j) {
                        const int64_t cell = (t + 1) * labels + j;
                        double score = chain.edge[(chain.edge_index[t + 1] * labels + i) * labels + j] +
                                       chain.unary[cell] - costs.nodes[cell] + ahead[cell];
                        if (i != j) score -= costs.steps[t + 1];
                        if (score > best) best = score;
                    }
                }
                ahead[t * labels + i] = best;
            }
        double top = -INFINITE;
        for (int64_t i = 0; i < labels; ++i) top = larger(top, ahead[start * labels + i]);
        if (!(top > -INFINITE)) return s;
    }
    return NONE;
}

struct Beginning {
    double score, rank;  // rank: with the best that can come after it
    int64_t had, last;   // what is kept of the labels so far; the last label
    int64_t length;      // of its block so far, at most R - 1
};

// The k best labellings by score(y) − penalties(y), best first: paths (k, T), their scores (k, S), how many (S,).
//
// From position to position the k best beginnings are kept, ranked by their score and the best that can come after it; so
// without rules for whole sentences these are the k best labellings, and with such rules if k is at least the number of
// labellings. Equal ranks: the beginning that was better, then the smaller label. Rows beyond those found repeat the best.
// O(T k L) and the insertions.
static int64_t beam(const Chain &chain, const Penalties &costs, int64_t k, int32_t *paths, double *scores,
                    int64_t *found) {
    const int64_t labels = chain.labels;
    int64_t longest = 0;
    for (int64_t s = 0; s < chain.sentences; ++s) {
        const int64_t length = chain.offsets[s + 1] - chain.offsets[s];
        if (length > longest) longest = length;
    }
    Scratch ahead(chain.tokens * labels), beginnings(10 * k), backwards(longest * k);
    if (!ahead.at || !beginnings.at || !backwards.at) return NO_MEMORY;
    const int64_t failed = best_completions(chain, costs, ahead.at);
    if (failed != NONE) return failed;
    Beginning *now = (Beginning *)beginnings.at, *next = now + k;
    int32_t *parent = (int32_t *)backwards.at, *label = parent + longest * k;
    for (int64_t s = 0; s < chain.sentences; ++s) {
        const int64_t start = chain.offsets[s], stop = chain.offsets[s + 1];
        int64_t count = 1;
        for (int64_t t = start; t < stop; ++t) {
            int64_t made = 0;
            int32_t *parents = parent + (t - start) * k;
            for (int64_t h = 0; h < count; ++h)
                for (int64_t j = 0; j < labels; ++j) {
                    const int64_t cell = t * labels + j;
                    if (ahead.at[cell] == -INFINITE) continue;
                    double x = chain.unary[cell] - costs.nodes[cell];
                    int64_t seen = costs.bits[j], length = 1;
                    if (t > start) {
                        const int64_t i = now[h].last;
                        x += now[h].score + chain.edge[(chain.edge_index[t] * labels + i) * labels + j];
                        if (i != j) {
                            x -= costs.steps[t];
                            if (now[h].had & costs.bits[j]) x -= costs.again[j];
                            for (int64_t n = 0; n < costs.orders; ++n)
                                if (now[h].had & costs.later[n * labels + j]) x -= costs.early[n * labels + j];
                            x -= costs.shorter[i * costs.lengths + now[h].length];
                        } else {
                            length = now[h].length + 1;
                        }
                        seen |= now[h].had;
                    }
                    // A length beyond the columns costs nothing more: what is too long was charged when it became so.
                    const bool is_known = length < costs.lengths;
                    if (is_known) x -= costs.longer[j * costs.lengths + length];
                    else length = costs.lengths - 1;
                    if (t == stop - 1) x -= costs.shorter[j * costs.lengths + length];
                    for (int64_t n = 0; t == stop - 1 && n < costs.wants; ++n)
                        if (!(seen & costs.wanted[n])) x -= costs.missing[n];
                    if (x == -INFINITE) continue;
                    const double rank = x + ahead.at[cell];
                    if (made == k && !(rank > next[k - 1].rank)) continue;
                    int64_t at = made < k - 1 ? made : k - 1;
                    for (; at > 0 && next[at - 1].rank < rank; --at) {
                        next[at] = next[at - 1];
                        parents[at] = parents[at - 1];
                    }
                    next[at] = {x, rank, seen, j, length};
                    parents[at] = (int32_t)h;
                    made = made < k ? made + 1 : k;
                }
            if (made == 0) return s;  // the penalties leave no labelling
            count = made;
            for (int64_t h = 0; h < count; ++h) {
                now[h] = next[h];
                label[(t - start) * k + h] = (int32_t)next[h].last;
            }
        }
        found[s] = count;
        for (int64_t h = 0; h < k; ++h) {
            int64_t at = h < count ? h : 0;
            scores[h * chain.sentences + s] = now[at].score;
            for (int64_t t = stop - 1; t >= start; --t) {
                paths[h * chain.tokens + t] = label[(t - start) * k + at];
                at = parent[(t - start) * k + at];
            }
        }
    }
    return NONE;
}

}  // namespace LEVEL
