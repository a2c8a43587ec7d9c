// The sparse linear map from weights to potentials, and its transpose.
//
// An attribute that has weights for many labels stands in a row of a table, 0 for the labels it lacks; one that
// has few is a list of pairs (place in θ, label). For each token the rows and the pairs of its attributes stand together:
// a pass follows no index but theirs. Where a row lies in memory is known long before it is added, so it is asked for
// AHEAD rows before: most of the time of a pass over a large table is waiting for it.
#pragma once

#include "chain.h"

namespace LEVEL {

constexpr int64_t AHEAD = 24;

template <int TO_WRITE>
INLINE void ask_for_row(const double *row, int64_t width) {
    for (int64_t j = 0; j < width; j += LANES) ASK_FOR(row + j, TO_WRITE);
}

// Rows of `width` numbers, of which the first `labels` count. Rows of whole vectors are read without looking at where they
// end.
struct Table {
    double *rows;
    int64_t labels, width;
};

template <bool WHOLE_VECTORS>
INLINE Lanes load_from(const Table &table, const double *row, int n) {
    return WHOLE_VECTORS ? load(row + n * LANES) : load_row(row, table.labels, n);
}

// Sums the rows of token t into `out`, or adds them to it: vectors first to first + N - 1, which stay in registers.
template <int N, bool WEIGHED, bool WHOLE_VECTORS>
INLINE void add_rows(const Entries &entries, int64_t t, const Table &table, int first, bool add, double *out) {
    Lanes total[N];
    for (int n = 0; n < N; ++n) total[n] = add ? load_row(out, table.labels, first + n) : each(0.0);
    for (int64_t i = entries.row_first[t]; i < entries.row_first[t + 1]; ++i) {
        if (first == 0 && i + AHEAD < entries.all_rows)
            ask_for_row<0>(table.rows + entries.rows[i + AHEAD] * table.width, table.width);
        const double *row = table.rows + entries.rows[i] * table.width;
        for (int n = 0; n < N; ++n) {
            Lanes x = load_from<WHOLE_VECTORS>(table, row, first + n);
            total[n] = WEIGHED ? fused(each(entries.row_values[i]), x, total[n]) : total[n] + x;
        }
    }
    for (int n = 0; n < N; ++n) store_row(out, table.labels, first + n, total[n]);
}

template <int N, bool WEIGHED, bool WHOLE_VECTORS>
INLINE void add_to_rows(const Entries &entries, int64_t t, const Table &table, int first, const double *d) {
    Lanes own[N];
    for (int n = 0; n < N; ++n) own[n] = load_row(d, table.labels, first + n);
    for (int64_t i = entries.row_first[t]; i < entries.row_first[t + 1]; ++i) {
        if (first == 0 && i + AHEAD < entries.all_rows)
            ask_for_row<1>(table.rows + entries.rows[i + AHEAD] * table.width, table.width);
        double *row = table.rows + entries.rows[i] * table.width;
        for (int n = 0; n < N; ++n) {
            Lanes there = load_from<WHOLE_VECTORS>(table, row, first + n);
            Lanes sum = WEIGHED ? fused(each(entries.row_values[i]), own[n], there) : there + own[n];
            if (WHOLE_VECTORS)
                store(row + (first + n) * LANES, sum);
            else
                store_row(row, table.labels, first + n, sum);
        }
    }
}

// Calls use<N>(first) for every tile of a row.
template <class Use>
INLINE void for_tiles(int64_t labels, Use use) {
    const int vectors = vectors_of(labels);
    for (int first = 0; first < vectors; first += TILE) {
        switch (vectors - first) {
            case 1: use.template tile<1>(first); break;
            case 2: use.template tile<2>(first); break;
            case 3: use.template tile<3>(first); break;
            default: use.template tile<TILE>(first); break;
        }
    }
}

template <bool WEIGHED, bool WHOLE_VECTORS>
struct RowsIn {
    const Entries &entries;
    int64_t t;
    const Table &table;
    bool add;
    double *out;
    template <int N>
    INLINE_MEMBER void tile(int first) const {
        add_rows<N, WEIGHED, WHOLE_VECTORS>(entries, t, table, first, add, out);
    }
};

template <bool WEIGHED, bool WHOLE_VECTORS>
struct RowsOut {
    const Entries &entries;
    int64_t t;
    const Table &table;
    const double *d;
    template <int N>
    INLINE_MEMBER void tile(int first) const {
        add_to_rows<N, WEIGHED, WHOLE_VECTORS>(entries, t, table, first, d);
    }
};

template <bool WEIGHED, bool WHOLE_VECTORS>
static void add_scores(const Entries &entries, const double *theta, const Table &table, bool add, double *out) {
    for (int64_t t = 0; t < entries.count; ++t, out += table.labels) {
        for_tiles(table.labels, RowsIn<WEIGHED, WHOLE_VECTORS>{entries, t, table, add, out});
        for (int64_t i = entries.pair_first[t]; i < entries.pair_first[t + 1]; ++i) {
            if (i + AHEAD < entries.all_pairs) ASK_FOR(theta + entries.pairs[i + AHEAD], 0);
            const double weight = theta[entries.pairs[i]];
            out[entries.labels[i]] += WEIGHED ? entries.pair_values[i] * weight : weight;
        }
    }
}

template <bool WEIGHED, bool WHOLE_VECTORS>
static void add_gradient(const Entries &entries, const double *d, const Table &table, double *gradient) {
    for (int64_t t = 0; t < entries.count; ++t, d += table.labels) {
        for_tiles(table.labels, RowsOut<WEIGHED, WHOLE_VECTORS>{entries, t, table, d});
        for (int64_t i = entries.pair_first[t]; i < entries.pair_first[t + 1]; ++i) {
            if (i + AHEAD < entries.all_pairs) ASK_FOR(gradient + entries.pairs[i + AHEAD], 1);
            const double slope = d[entries.labels[i]];
            gradient[entries.pairs[i]] += WEIGHED ? entries.pair_values[i] * slope : slope;
        }
    }
}

// out_t(y) = Σ_{a at t} value · θ_{a,y}, or is added to what is there; out (N, L), table (R, width).
static void scores(const Entries &entries, const double *theta, const double *rows, int64_t labels, int64_t width,
                   bool add, double *out) {
    const Table table{const_cast<double *>(rows), labels, width};
    const bool is_whole = width >= (int64_t)vectors_of(labels) * LANES;
    if (entries.row_values)
        is_whole ? add_scores<true, true>(entries, theta, table, add, out)
                 : add_scores<true, false>(entries, theta, table, add, out);
    else
        is_whole ? add_scores<false, true>(entries, theta, table, add, out)
                 : add_scores<false, false>(entries, theta, table, add, out);
}

// ∂/∂θ_{a,y} += Σ_{t has a} value · d_t(y), d (N, L), into the table (R, width) of rows or into gradient.
static void gradient(const Entries &entries, const double *d, int64_t labels, int64_t width, double *rows,
                     double *found) {
    const Table table{rows, labels, width};
    const bool is_whole = width >= (int64_t)vectors_of(labels) * LANES;
    if (entries.row_values)
        is_whole ? add_gradient<true, true>(entries, d, table, found) : add_gradient<true, false>(entries, d, table, found);
    else
        is_whole ? add_gradient<false, true>(entries, d, table, found)
                 : add_gradient<false, false>(entries, d, table, found);
}

// Asks for what is known of the attribute that entry i is of.
INLINE void ask_for_attribute(const Attributes &a, int64_t i) {
    if (i >= a.first[a.count]) return;
    ASK_FOR(a.row_of + a.indices[i], 0);
    ASK_FOR(a.pair_bounds + a.indices[i], 0);
}

// How many rows and pairs the attributes indices[first[t]:first[t + 1]] are, summed up before each t.
static void count_entries(const Attributes &a, int64_t *row_first, int64_t *pair_first) {
    int64_t rows = 0, pairs = 0;
    for (int64_t t = 0; t < a.count; ++t) {
        row_first[t] = rows, pair_first[t] = pairs;
        for (int64_t i = a.first[t]; i < a.first[t + 1]; ++i) {
            const int32_t attribute = a.indices[i];
            ask_for_attribute(a, i + 2 * AHEAD);
            if (a.row_of[attribute] >= 0)
                ++rows;
            else
                pairs += a.pair_bounds[attribute + 1] - a.pair_bounds[attribute];
        }
    }
    row_first[a.count] = rows, pair_first[a.count] = pairs;
}

// Those rows and pairs, in the order of the attributes; their values if there are any.
static void list_entries(const Attributes &a, int32_t *rows, double *row_values, int32_t *pairs, int32_t *labels,
                         double *pair_values) {
    int64_t r = 0, n = 0;
    for (int64_t i = a.first[0]; i < a.first[a.count]; ++i) {
        const int32_t attribute = a.indices[i];
        ask_for_attribute(a, i + 2 * AHEAD);
        const int32_t later = i + AHEAD < a.first[a.count] ? a.indices[i + AHEAD] : attribute;
        if (a.row_of[later] < 0) ASK_FOR(a.pair_labels + a.pair_bounds[later], 0);  // only these have pairs
        if (a.row_of[attribute] >= 0) {
            rows[r] = a.row_of[attribute];
            if (a.values) row_values[r] = a.values[i];
            ++r;
            continue;
        }
        for (int64_t p = a.pair_bounds[attribute]; p < a.pair_bounds[attribute + 1]; ++p, ++n) {
            pairs[n] = (int32_t)p, labels[n] = a.pair_labels[p];
            if (a.values) pair_values[n] = a.values[i];
        }
    }
}

// Puts the weights of attributes that stand in rows into these; what else is in a row stays.
static void fill_rows(const Attributes &a, int64_t width, const double *theta, double *rows) {
    for (int64_t i = 0; i < a.count; ++i)
        for (int64_t p = a.pair_bounds[i]; a.row_of[i] >= 0 && p < a.pair_bounds[i + 1]; ++p)
            rows[a.row_of[i] * width + a.pair_labels[p]] = theta[p];
}

// Adds what stands in rows to what belongs to the weights themselves: the other way.
static void add_from_rows(const Attributes &a, int64_t width, const double *rows, double *gradient) {
    for (int64_t i = 0; i < a.count; ++i)
        for (int64_t p = a.pair_bounds[i]; a.row_of[i] >= 0 && p < a.pair_bounds[i + 1]; ++p)
            gradient[p] += rows[a.row_of[i] * width + a.pair_labels[p]];
}

}  // namespace LEVEL
