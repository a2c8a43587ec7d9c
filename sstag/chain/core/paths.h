// Single paths: the best, the k best, random ones, and the score of a given one. All but sampling read u and e as they
// are, so they have no domain to leave: a sum of logarithms cannot underflow.
#pragma once

#include "chain.h"
#include "memory.h"

namespace LEVEL {

// most = max_j (tile_j + after_j), over the rows of a tile of N vectors.
template <int N>
INLINE void best_after(const double *tile, const double *after, int64_t labels, Lanes *most) {
    Lanes top[N];
    for (int n = 0; n < N; ++n) top[n] = most[n];
    for (int64_t j = 0; j < labels; ++j, tile += N * LANES) {
        const Lanes x = each(after[j]);
        for (int n = 0; n < N; ++n) top[n] = larger(top[n], load(tile + n * LANES) + x);
    }
    for (int n = 0; n < N; ++n) most[n] = top[n];
}

// best_t(i) = u_t(i) + max_j (e_{t+1}(i, j) + best_{t+1}(j)): the best score from label i at t to the end, (T, L).
// Returns the first sentence in which every path has weight zero, NONE or UNFIT.
static int64_t best_suffixes(const Chain &chain, double *best) {
    const int64_t labels = chain.labels, cells = labels * labels, tiled = labels * chain.width;
    const int vectors = (int)(chain.width / LANES);
    Scratch transposed(chain.matrices * tiled);  // [to, from], in tiles
    if (!transposed.at) return NO_MEMORY;
    for (int64_t k = 0; k < chain.matrices; ++k)
        for (int64_t j = 0; j < labels; ++j)
            for (int64_t i = 0; i < chain.width; ++i)
                transposed.at[k * tiled + place_in_tiles(labels, vectors, j, i)] =
                    i < labels ? chain.edge[k * cells + i * labels + j] : 0.0;
    for (int64_t s = 0; s < chain.sentences; ++s) {
        const int64_t start = chain.offsets[s], stop = chain.offsets[s + 1];
        double top = -INFINITE;
        Lanes unfit = each(0.0);
        for (int64_t t = stop - 1; t >= start; --t) {
            double *here = best + t * labels;
            const double *after = here + labels, *unary = chain.unary + t * labels;
            const double *tile = t < stop - 1 ? transposed.at + chain.edge_index[t + 1] * tiled : nullptr;
            for (int first = 0; first < vectors; first += TILE) {
                const int count = vectors - first < TILE ? vectors - first : TILE;
                Lanes most[TILE];
                for (Lanes &one : most) one = each(tile ? -INFINITE : 0.0);
                if (tile) {
                    switch (count) {
                        case 1: best_after<1>(tile, after, labels, most); break;
                        case 2: best_after<2>(tile, after, labels, most); break;
                        case 3: best_after<3>(tile, after, labels, most); break;
                        default: best_after<TILE>(tile, after, labels, most); break;
                    }
                    tile += labels * count * LANES;
                }
                for (int n = 0; n < count; ++n) {
                    Lanes u = load_row(unary, labels, first + n);
                    unfit = choose(u < each(INFINITE), unfit, each(1.0));
                    store_row(here, labels, first + n, u + most[n]);
                }
            }
            for (int64_t i = 0; chain.allowed && i < labels; ++i)
                if (!chain.allowed[t * labels + i]) here[i] = -INFINITE;
        }
        if (any(each(0.0) < unfit)) return UNFIT - s;
        for (int64_t i = 0; i < labels; ++i) top = larger(top, best[start * labels + i]);
        if (!(top > -INFINITE)) return s;
    }
    return NONE;
}

// y_{t+1}, y_{t+2}, … = the best suffix after y_t, at each position the smallest label among the best; y[0] belongs to
// position `origin`.
static void follow(const Chain &chain, const double *best, int64_t t, int64_t stop, int32_t *y, int64_t origin) {
    const int64_t labels = chain.labels;
    for (int64_t u = t + 1; u < stop; ++u) {
        const double *edge = chain.edge + (chain.edge_index[u] * labels + y[u - 1 - origin]) * labels;
        double top = -INFINITE;
        for (int64_t j = 0; j < labels; ++j) {
            const double score = edge[j] + best[u * labels + j];
            if (score > top) {
                top = score;
                y[u - origin] = (int32_t)j;
            }
        }
    }
}

// y = argmax score(y); of several with one score, the first in the order of labels.
static void viterbi(const Chain &chain, const double *best, int32_t *y, double *scores) {
    const int64_t labels = chain.labels;
    for (int64_t s = 0; s < chain.sentences; ++s) {
        const int64_t start = chain.offsets[s];
        const double *row = best + start * labels;
        int64_t first = 0;
        for (int64_t j = 1; j < labels; ++j)
            if (row[j] > row[first]) first = j;
        y[start] = (int32_t)first;
        scores[s] = row[first];
        follow(chain, best, start, chain.offsets[s + 1], y, 0);
    }
}

// The k best paths of one sentence, best first (Lawler's partition over Viterbi suffixes), (k, n); returns how many exist.
//
// Every path taken splits what it leaves over by where the next path departs from it and with which label: prefix, other
// label, best suffix. The scores of these are exact, since `best` is. The k candidates kept at any time are sorted, and
// most new ones fail one comparison with the last of them: O(n L² + k n L) in all.
static int64_t k_best(const Chain &chain, int64_t s, const double *best, int64_t k, int32_t *paths, double *value) {
    const int64_t labels = chain.labels, start = chain.offsets[s], stop = chain.offsets[s + 1], n = stop - start;
    Scratch memory(3 * k);
    if (!memory.at) return NO_MEMORY;
    int64_t *parent = (int64_t *)memory.at, *depart = parent + k, *label = depart + k;
    int64_t count = 0;  // value: scores of paths, then of candidates, descending after those taken; of equals the older
    for (int64_t taken = -1; taken < k; ++taken) {
        int32_t *path = taken >= 0 ? paths + taken * n : nullptr;
        if (taken >= 0) {
            if (taken == count) return count;
            const int64_t first = depart[taken];
            for (int64_t d = 0; d < first; ++d) path[d] = paths[parent[taken] * n + d];
            path[first] = (int32_t)label[taken];
            follow(chain, best, start + first, stop, path, start);
            if (taken == k - 1) return k;
        }
        // Before the first path there is no path to depart from: every first label is a departure.
        const int64_t begin = taken < 0 ? 0 : depart[taken] + 1;
        double prefix = 0.0;
        for (int64_t d = 0; d < (taken >= 0 ? n : 1); ++d) {
            const int64_t t = start + d;
            const double *edge = nullptr;
            if (d > 0) {
                edge = chain.edge + (chain.edge_index[t] * labels + path[d - 1]) * labels;
                prefix += chain.unary[(t - 1) * labels + path[d - 1]];
            }
            for (int64_t y = 0; d >= begin && y < labels; ++y) {
                double score = prefix + best[t * labels + y];
                if (edge) score += edge[y];
                if (score == -INFINITE || (path && y == path[d])) continue;
                if (count == k && !(score > value[k - 1])) continue;
                int64_t at = count < k - 1 ? count : k - 1;
                for (; at > taken + 1 && value[at - 1] < score; --at) {
                    value[at] = value[at - 1], parent[at] = parent[at - 1];
                    depart[at] = depart[at - 1], label[at] = label[at - 1];
                }
                value[at] = score, parent[at] = taken, depart[at] = d, label[at] = y;
                count = count < k ? count + 1 : k;
            }
            if (edge) prefix += edge[path[d]];
        }
    }
    return count;
}

// y ~ p(y|x), from the right: y_n ~ α_n, then p(y_{t-1}=i | y_t=j) ∝ α_{t-1}(i) P(i, j). One uniform per label.
static int64_t sample(const Chain &chain, const Edges &e, const Forward &f, const double *uniform, int32_t *y) {
    const int64_t labels = chain.labels, width = chain.width, tiled = labels * width;
    const int vectors = (int)(width / LANES);
    Scratch share(labels);
    if (!share.at) return NO_MEMORY;
    for (int64_t s = 0; s < chain.sentences; ++s) {
        const int64_t start = chain.offsets[s], stop = chain.offsets[s + 1];
        for (int64_t t = stop - 1; t >= start; --t) {
            double total = 0.0, peak = -INFINITE;
            for (int64_t i = 0; i < labels; ++i) {
                double x = f.alpha[t * width + i];
                if (t < stop - 1) {
                    const int64_t k = chain.edge_index[t + 1], j = y[t + 1];
                    x = f.in_log[s] ? x + e.log_p[(k * labels + i) * labels + j]
                                    : x * e.p[k * tiled + place_in_tiles(labels, vectors, i, j)];
                }
                share.at[i] = x;
                peak = larger(peak, x);
            }
            for (int64_t i = 0; i < labels; ++i) {
                if (f.in_log[s]) share.at[i] = exponential(share.at[i] - peak);
                total += share.at[i];
            }
            double left = uniform[t] * total;
            for (int64_t i = 0; i < labels; ++i)
                if (share.at[i] > 0.0) {
                    y[t] = (int32_t)i;
                    left -= share.at[i];
                    if (left < 0.0) break;
                }
        }
    }
    return NONE;
}

// score(y) = Σ_t u_t(y_t) + Σ_{t≥2} e_t(y_{t-1}, y_t).
static void path_scores(const Chain &chain, const int32_t *y, double *scores) {
    const int64_t labels = chain.labels;
    for (int64_t s = 0; s < chain.sentences; ++s) {
        const int64_t start = chain.offsets[s];
        double total = chain.unary[start * labels + y[start]];
        for (int64_t t = start + 1; t < chain.offsets[s + 1]; ++t)
            total += chain.unary[t * labels + y[t]] +
                     chain.edge[(chain.edge_index[t] * labels + y[t - 1]) * labels + y[t]];
        scores[s] = total;
    }
}

}  // namespace LEVEL
