// Words in clusters by exchange (Kneser & Ney 1993), in whole numbers: no sum depends on its order.
//
// With N_cd the bigrams of a word of cluster c and one of cluster d, and L_c, R_c the words of c that begin and end one,
//
//     F = Σ_cd h(N_cd) - Σ_c h(L_c) - Σ_c h(R_c)          h(n) = n log n, in units of 2^-26, rounded once
//
// is the log-likelihood of the text under clusters of bigrams, but for a constant. A word w that is in no cluster, with
// s_d bigrams into cluster d, p_c out of cluster c, o with itself, l as a first word and r as a second one, adds in cluster b
//
//     gain(b) = Σ_{d≠b} D(N_bd, s_d) + Σ_{c≠b} D(N_cb, p_c) + D(N_bb, s_b + p_b + o) - D(L_b, l) - D(R_b, r)
//     D(n, m) = h(n + m) - h(n)
//
// which only the clusters beside w decide: with A of them and C clusters to choose from it costs O(A C).
#pragma once

#include "functions.h"
#include "memory.h"

namespace LEVEL {

constexpr uint32_t TABLED = H_TABLE;  // numbers whose h is in a table
constexpr double UNITS = 67108864.0;  // 2^26

// h(n) where the table ends.
static int64_t h_computed(uint32_t n) {
    return n < 2 ? 0 : (int64_t)((double)n * logarithm((double)n) * UNITS + 0.5);
}

static void n_log_n(int64_t count, const int32_t *n, int64_t *h) {
    for (int64_t i = 0; i < count; ++i) h[i] = h_computed((uint32_t)n[i]);
}

INLINE int64_t h_of(const int64_t *table, uint32_t n) { return n < TABLED ? table[n] : h_computed(n); }

// D(n, m)
INLINE int64_t added(const int64_t *table, int32_t n, int32_t m) {
    return h_of(table, (uint32_t)n + (uint32_t)m) - h_of(table, (uint32_t)n);
}

// total_b += D(n_b, m) for all b. What is larger than the table is 0 there, and added afterwards.
template <int SIGN>
INLINE void add_all(const int64_t *table, const int32_t *n, int32_t m, int64_t count, int64_t *total) {
    uint32_t seen = 0;
    for (int64_t b = 0; b < count; ++b) {
        const uint32_t from = (uint32_t)n[b], to = from + (uint32_t)m;
        seen |= from | to;
        total[b] += SIGN * (table[to < TABLED ? to : TABLED] - table[from < TABLED ? from : TABLED]);
    }
    if (seen < TABLED) return;
    for (int64_t b = 0; b < count; ++b) {
        const uint32_t from = (uint32_t)n[b], to = from + (uint32_t)m;
        if (to >= TABLED) total[b] += SIGN * h_computed(to);
        if (from >= TABLED) total[b] -= SIGN * h_computed(from);
    }
}

// The clusters beside a word: s, p and o.
struct Beside {
    int32_t *s, *p, *s_at, *p_at;  // (K,) the counts; the clusters whose count is not 0
    int64_t s_size = 0, p_size = 0, most;  // K
    int32_t o = 0;

    void note(const Exchange &x, int64_t w) {
        o = x.itself[w];
        for (int64_t i = x.next_first[w]; i < x.next_first[w + 1]; ++i)
            count(x.cluster[x.next[i]], x.next_times[i], s, s_at, s_size);
        for (int64_t i = x.before_first[w]; i < x.before_first[w + 1]; ++i)
            count(x.cluster[x.before[i]], x.before_times[i], p, p_at, p_size);
    }

    void clear() {
        for (int64_t i = 0; i < s_size; ++i) s[s_at[i]] = 0;
        for (int64_t i = 0; i < p_size; ++i) p[p_at[i]] = 0;
        s_size = p_size = 0;
    }

  private:
    void count(int32_t c, int32_t times, int32_t *counts, int32_t *at, int64_t &size) const {
        if (c < 0) return;  // not in a cluster yet
        if (!counts[c] && size < most) at[size++] = c;
        counts[c] += times;
    }
};

// gain(b), with row b and column b of N, L_b and R_b.
static int64_t gain(const Exchange &x, const Beside &w, int64_t b, const int32_t *row, const int32_t *column, int32_t left,
                    int32_t right, int32_t l, int32_t r) {
    int64_t total = -added(x.table, left, l) - added(x.table, right, r);
    for (int64_t i = 0; i < w.s_size; ++i)
        if (w.s_at[i] != b) total += added(x.table, row[w.s_at[i]], w.s[w.s_at[i]]);
    for (int64_t i = 0; i < w.p_size; ++i)
        if (w.p_at[i] != b) total += added(x.table, column[w.p_at[i]], w.p[w.p_at[i]]);
    return total + added(x.table, row[b], w.s[b] + w.p[b] + w.o);
}

// Memory for a word after another; null if there is none.
struct OneWord {
    Scratch all;
    Beside beside;
    int32_t *row, *column;  // (K,) of the word's own cluster, without the word
    int64_t *gains;         // (C,)

    explicit OneWord(const Exchange &x) : all(3 * x.contexts + x.clusters + 8) {
        if (!all.at) return;
        gains = (int64_t *)all.at;
        int32_t *numbers = (int32_t *)(gains + x.clusters);
        memset(numbers, 0, (size_t)(6 * x.contexts) * sizeof(int32_t));
        beside.most = x.contexts;
        beside.s = numbers, beside.p = numbers + x.contexts;
        beside.s_at = beside.p + x.contexts, beside.p_at = beside.s_at + x.contexts;
        row = beside.p_at + x.contexts, column = row + x.contexts;
    }
};

// The best cluster of each word if all others stay where they are; its own, if none is better, and else the first of the best.
static int64_t best_clusters(const Exchange &x, int64_t begin, int64_t end, int32_t *best) {
    OneWord room(x);
    if (!room.all.at) return NO_MEMORY;
    Beside &w = room.beside;
    int64_t *g = room.gains;
    for (int64_t word = begin; word < end; ++word) {
        const int64_t own = x.cluster[word], K = x.contexts, C = x.clusters;
        w.note(x, word);
        int64_t own_gain = 0;
        if (own >= 0) {
            for (int64_t d = 0; d < K; ++d) room.row[d] = x.n[own * K + d] - w.s[d];
            for (int64_t c = 0; c < K; ++c) room.column[c] = x.transposed[own * K + c] - w.p[c];
            room.row[own] -= w.p[own] + w.o;
            room.column[own] = room.row[own];
            own_gain = gain(x, w, own, room.row, room.column, x.left[own] - x.firsts[word],
                            x.right[own] - x.seconds[word], x.firsts[word], x.seconds[word]);
        }
        for (int64_t b = 0; b < C; ++b) g[b] = 0;
        for (int64_t i = 0; i < w.s_size; ++i) {
            const int64_t d = w.s_at[i], kept = d < C ? g[d] : 0;
            add_all<1>(x.table, d == own ? room.column : x.transposed + d * K, w.s[d], C, g);
            if (d < C) g[d] = kept;  // b = d is in the term of b itself
        }
        for (int64_t i = 0; i < w.p_size; ++i) {
            const int64_t c = w.p_at[i], kept = c < C ? g[c] : 0;
            add_all<1>(x.table, c == own ? room.row : x.n + c * K, w.p[c], C, g);
            if (c < C) g[c] = kept;
        }
        add_all<-1>(x.table, x.left, x.firsts[word], C, g);
        add_all<-1>(x.table, x.right, x.seconds[word], C, g);
        int64_t chosen = -1;
        for (int64_t b = 0; b < C; ++b) {
            g[b] += added(x.table, x.n[b * K + b], w.s[b] + w.p[b] + w.o);
            if (b != own && (chosen < 0 || g[b] > g[chosen])) chosen = b;
        }
        best[word] = (int32_t)(own >= 0 && (chosen < 0 || g[chosen] <= own_gain) ? own : chosen);
        w.clear();
    }
    return NONE;
}

// N, L and R with a word put into a cluster, or taken out of it.
static void put(const Exchange &x, const Beside &w, int64_t word, int64_t b, int32_t sign) {
    const int64_t K = x.contexts;
    auto count = [&](int64_t c, int64_t d, int32_t times) {
        x.n[c * K + d] += sign * times;
        x.transposed[d * K + c] += sign * times;
    };
    for (int64_t i = 0; i < w.s_size; ++i) count(b, w.s_at[i], w.s[w.s_at[i]]);
    for (int64_t i = 0; i < w.p_size; ++i) count(w.p_at[i], b, w.p[w.p_at[i]]);
    count(b, b, w.o);
    x.left[b] += sign * x.firsts[word];
    x.right[b] += sign * x.seconds[word];
}

// Moves words, one after another, to the clusters that were best, if they still are better: the number of those that moved.
static int64_t exchange(const Exchange &x, int64_t begin, int64_t end, const int32_t *best) {
    OneWord room(x);
    if (!room.all.at) return NO_MEMORY;
    Beside &w = room.beside;
    const int64_t K = x.contexts;
    int64_t moved = 0;
    for (int64_t word = begin; word < end; ++word) {
        const int64_t own = x.cluster[word];
        int64_t b = best[word];
        if (b == own) continue;
        w.note(x, word);
        if (own >= 0) {
            put(x, w, word, own, -1);
            auto gain_in = [&](int64_t c) {
                return gain(x, w, c, x.n + c * K, x.transposed + c * K, x.left[c], x.right[c], x.firsts[word],
                            x.seconds[word]);
            };
            if (gain_in(b) <= gain_in(own)) b = own;
        }
        put(x, w, word, b, 1);
        x.cluster[word] = (int32_t)b;
        moved += b != own;
        w.clear();
    }
    return moved;
}

}  // namespace LEVEL
