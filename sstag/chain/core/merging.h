// A tree of clusters by merging (Brown et al. 1992), with F and h of exchange.h, in whole numbers.
//
// Merging i and j loses, with the sums over all clusters and A_i = Σ_k h(N_ik) + h(N_ki),
//
//     loss(i, j) = A_i + A_j - h(N_ii) - h(N_ij) - h(N_ji) - h(N_jj) - h(N_ii + N_ij + N_ji + N_jj)
//                - Σ_{k≠i,j} [h(N_ik + N_jk) + h(N_ki + N_kj)] + D(L_i, L_j) - h(L_j) + D(R_i, R_j) - h(R_j)
//
// All losses cost O(C³) once. Merging i and j into m changes only the terms of k = i, j and m in the losses of others,
//
//     loss(x, y) += t_m - t_i - t_j          t_k = h(N_xk) + h(N_yk) - h(N_xk + N_yk) + the same of N transposed
//
// so a merge costs O(C²). As the numbers are whole, the losses are those of a computation from scratch.
#pragma once

#include "exchange.h"

namespace LEVEL {

// Σ_k h(N_ik) + h(N_ki)
static int64_t own_terms(const Merging &x, int64_t i) {
    int64_t total = 0;
    for (int64_t k = 0; k < x.contexts; ++k)
        total += h_of(x.table, (uint32_t)x.n[i * x.contexts + k]) +
                 h_of(x.table, (uint32_t)x.transposed[i * x.contexts + k]);
    return total;
}

// Σ_k h(a_k + b_k)
INLINE int64_t joint_terms(const int64_t *table, const int32_t *a, const int32_t *b, int64_t count) {
    uint32_t seen = 0;
    int64_t total = 0;
    for (int64_t k = 0; k < count; ++k) {
        const uint32_t n = (uint32_t)a[k] + (uint32_t)b[k];
        seen |= n;
        total += table[n < TABLED ? n : TABLED];
    }
    if (seen < TABLED) return total;
    for (int64_t k = 0; k < count; ++k) {
        const uint32_t n = (uint32_t)a[k] + (uint32_t)b[k];
        if (n >= TABLED) total += h_computed(n);
    }
    return total;
}

static int64_t loss(const Merging &x, int64_t i, int64_t j) {
    const int64_t K = x.contexts;
    auto h = [&](uint32_t n) { return h_of(x.table, n); };
    const int32_t *row_i = x.n + i * K, *row_j = x.n + j * K, *column_i = x.transposed + i * K,
                  *column_j = x.transposed + j * K;
    const int64_t own = h(row_i[i]) + h(row_i[j]) + h(row_j[i]) + h(row_j[j]);
    int64_t joint = joint_terms(x.table, row_i, row_j, K) + joint_terms(x.table, column_i, column_j, K);
    joint -= h(row_i[i] + row_j[i]) + h(row_i[j] + row_j[j]) + h(column_i[i] + column_j[i]) +
             h(column_i[j] + column_j[j]);
    joint += h(row_i[i] + row_i[j] + row_j[i] + row_j[j]);
    return x.own[i] + x.own[j] - own - joint + h(x.left[i] + x.left[j]) - h(x.left[i]) - h(x.left[j]) +
           h(x.right[i] + x.right[j]) - h(x.right[i]) - h(x.right[j]);
}

// The losses of merging each of some clusters with a later one.
static void losses(const Merging &x, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
        for (int64_t j = i + 1; j < x.clusters; ++j) x.loss[i * x.clusters + j] = loss(x, i, j);
}

static void own_sums(const Merging &x) {
    for (int64_t i = 0; i < x.clusters; ++i) x.own[i] = own_terms(x, i);
}

// total_y += SIGN · h(n_y + m) for all y from first on.
template <int SIGN>
INLINE void add_joint(const int64_t *table, const int32_t *n, int32_t m, int64_t first, int64_t count, int64_t *total) {
    uint32_t seen = 0;
    for (int64_t y = first; y < count; ++y) {
        const uint32_t at = (uint32_t)n[y] + (uint32_t)m;
        seen |= at;
        total[y] += SIGN * table[at < TABLED ? at : TABLED];
    }
    if (seen < TABLED) return;
    for (int64_t y = first; y < count; ++y) {
        const uint32_t at = (uint32_t)n[y] + (uint32_t)m;
        if (at >= TABLED) total[y] += SIGN * h_computed(at);
    }
}

// Merges the two clusters that lose least, the first of several, into the first of them, and tells which they are.
static int64_t merge_nearest(const Merging &x, int32_t *pair) {
    const int64_t K = x.contexts, C = x.clusters;
    int64_t i = -1, j = -1;
    for (int64_t a = 0; a < C; ++a)
        for (int64_t b = a + 1; x.alive[a] && b < C; ++b)
            if (x.alive[b] && (i < 0 || x.loss[a * C + b] < x.loss[i * C + j])) i = a, j = b;
    if (i < 0) return NONE;
    Scratch memory(K + C);
    if (!memory.at) return NO_MEMORY;
    int64_t *change = (int64_t *)memory.at;  // (C,) of A: h(N_xm) - h(N_xi) - h(N_xj) + h(N_mx) - h(N_ix) - h(N_jx)
    int32_t *row = (int32_t *)(change + C), *column = row + K;  // (K,) of m
    int32_t *row_i = x.n + i * K, *row_j = x.n + j * K, *column_i = x.transposed + i * K, *column_j = x.transposed + j * K;
    auto h = [&](uint32_t n) { return h_of(x.table, n); };
    for (int64_t k = 0; k < K; ++k) row[k] = row_i[k] + row_j[k], column[k] = column_i[k] + column_j[k];
    for (int64_t k = 0; k < C; ++k) {
        change[k] = h(row[k]) - h(row_i[k]) - h(row_j[k]) + h(column[k]) - h(column_i[k]) - h(column_j[k]);
        x.own[k] += change[k];
    }
    for (int64_t a = 0; a < C; ++a) {
        if (!x.alive[a] || a == i || a == j) continue;
        int64_t *total = x.loss + a * C;
        for (int64_t b = a + 1; b < C; ++b) total[b] += change[a] + change[b];
        add_joint<-1>(x.table, column, column[a], a + 1, C, total);
        add_joint<1>(x.table, column_i, column_i[a], a + 1, C, total);
        add_joint<1>(x.table, column_j, column_j[a], a + 1, C, total);
        add_joint<-1>(x.table, row, row[a], a + 1, C, total);
        add_joint<1>(x.table, row_i, row_i[a], a + 1, C, total);
        add_joint<1>(x.table, row_j, row_j[a], a + 1, C, total);
    }
    row[i] += row[j], column[i] += column[j];
    row[j] = column[j] = 0;
    memcpy(row_i, row, (size_t)K * sizeof(int32_t));
    memcpy(column_i, column, (size_t)K * sizeof(int32_t));
    memset(row_j, 0, (size_t)K * sizeof(int32_t));
    memset(column_j, 0, (size_t)K * sizeof(int32_t));
    for (int64_t k = 0; k < K; ++k) {
        x.transposed[k * K + i] = row_i[k], x.transposed[k * K + j] = 0;
        x.n[k * K + i] = column_i[k], x.n[k * K + j] = 0;
    }
    x.left[i] += x.left[j], x.right[i] += x.right[j];
    x.left[j] = x.right[j] = 0;
    x.alive[j] = 0;
    x.own[i] = own_terms(x, i);
    for (int64_t a = 0; a < C; ++a)
        if (x.alive[a] && a != i) x.loss[a < i ? a * C + i : i * C + a] = loss(x, i, a);
    pair[0] = (int32_t)i, pair[1] = (int32_t)j;
    return 1;
}

}  // namespace LEVEL
