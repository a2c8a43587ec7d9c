// Rows of numbers, such as vectors of words, times weights, and the transposed product.
//
//     out_i(y) = Σ_d x_i,d θ_d,y + θ_D,y          ∂/∂θ_d,y += Σ_i x_i,d g_i(y)
//
// The last row of θ belongs to a number that is 1 for every row: what is subtracted from every number goes there, so that
// the numbers may stay in a file as they are. Rows become doubles some at a time; each sum goes through the dimensions, or
// through the rows, in their order. Vectors of tokens have a product of their own (tokens.h).
#pragma once

#include "memory.h"
#include "product.h"

namespace LEVEL {

constexpr int64_t SIDE_BY_SIDE = 16;  // rows whose numbers stay in the nearest caches while a gradient is added up

INLINE Lanes numbers_of(const double *from) { return load(from); }
INLINE Lanes numbers_of(const float *from) { return load_single(from); }
INLINE double number_of(double x) { return x; }
INLINE double number_of(float x) { return x; }

// The numbers of a row as doubles, and 1 after them.
template <class Number>
INLINE void widen(const Number *from, int64_t dimensions, double *out) {
    int64_t d = 0;
    for (; d + LANES <= dimensions; d += LANES) store(out + d, numbers_of(from + d));
    for (; d < dimensions; ++d) out[d] = number_of(from[d]);
    out[dimensions] = 1.0;
}

// Up to `most` rows from i on, as doubles. Moves i behind them.
template <class Number>
INLINE int taken_rows(const Dense &x, const Number *numbers, int64_t &i, int most, double *out) {
    int found = 0;
    for (; i < x.count && found < most; ++i, ++found)
        widen(numbers + i * x.dimensions, x.dimensions, out + found * (x.dimensions + 1));
    return found;
}

template <class Number>
static bool put_dense_scores(const Dense &x, const Number *numbers, const double *theta, int64_t labels, int64_t width,
                             double *out) {
    const int vectors = vectors_of(labels);
    const int64_t inner = x.dimensions + 1, whole = vectors * LANES;
    Scratch scratch(inner * whole + GROUP * (inner + whole));
    if (!scratch.at) return false;
    double *matrix = scratch.at, *sums = matrix + inner * whole, *rows = sums + GROUP * whole;
    for (int64_t d = 0; d < inner; ++d)
        for (int64_t y = 0; y < whole; ++y)
            matrix[place_in_tiles(inner, vectors, d, y)] = y < labels ? theta[d * labels + y] : 0.0;
    const double *a[GROUP], *matrices[GROUP];
    double *to[GROUP];
    for (int m = 0; m < GROUP; ++m) a[m] = rows + m * inner, matrices[m] = matrix, to[m] = sums + m * whole;
    for (int64_t i = 0; i < x.count;) {
        const int found = taken_rows(x, numbers, i, GROUP, rows);
        if (found == GROUP)
            products<GROUP, true, 1>({{a, matrices}}, inner, vectors, to);
        else
            for (int m = 0; m < found; ++m) products<1, true, 1>({{a + m, matrices}}, inner, vectors, to + m);
        for (int m = 0; m < found; ++m)
            for (int n = 0; n < vectors; ++n) store_row(out + (i - found + m) * width, labels, n, load(to[m] + n * LANES));
    }
    return true;
}

// sum[m][n] of M dimensions and N vectors of labels, over some rows.
template <int M, int N>
INLINE void add_dense_tile(const double *rows, int64_t inner, const double *d, int64_t whole, int count, double *out) {
    Lanes sum[M][N];
    for (int m = 0; m < M; ++m)
        for (int n = 0; n < N; ++n) sum[m][n] = load(out + m * whole + n * LANES);
    for (int i = 0; i < count; ++i) {
        Lanes p[N];
        for (int n = 0; n < N; ++n) p[n] = load(d + i * whole + n * LANES);
        for (int m = 0; m < M; ++m) {
            const Lanes number = each(rows[i * inner + m]);
            for (int n = 0; n < N; ++n) sum[m][n] = fused(number, p[n], sum[m][n]);
        }
    }
    for (int m = 0; m < M; ++m)
        for (int n = 0; n < N; ++n) store(out + m * whole + n * LANES, sum[m][n]);
}

template <int M>
INLINE void add_dense_tiles(const double *rows, int64_t inner, const double *d, int64_t whole, int count, double *out) {
    const int vectors = (int)(whole / LANES);
    for (int first = 0; first < vectors; first += TILE) {
        const double *from = d + first * LANES;
        double *to = out + first * LANES;
        switch (vectors - first < TILE ? vectors - first : TILE) {
            case 1: add_dense_tile<M, 1>(rows, inner, from, whole, count, to); break;
            case 2: add_dense_tile<M, 2>(rows, inner, from, whole, count, to); break;
            case 3: add_dense_tile<M, 3>(rows, inner, from, whole, count, to); break;
#if defined(SSTAG_V4)
            case 4: add_dense_tile<M, 4>(rows, inner, from, whole, count, to); break;
#endif
        }
    }
}

template <class Number>
static bool add_dense_gradient(const Dense &x, const Number *numbers, const double *d, int64_t labels, int64_t width,
                               double *gradient) {
    const int vectors = vectors_of(labels);
    const int64_t inner = x.dimensions + 1, whole = vectors * LANES;
    Scratch scratch((SIDE_BY_SIDE + inner) * whole + SIDE_BY_SIDE * inner);
    if (!scratch.at) return false;
    double *sums = scratch.at, *slopes = sums + inner * whole, *rows = slopes + SIDE_BY_SIDE * whole;
    for (int64_t j = 0; j < inner; ++j)
        for (int n = 0; n < vectors; ++n) store(sums + j * whole + n * LANES, load_row(gradient + j * labels, labels, n));
    for (int64_t i = 0; i < x.count;) {
        const int found = taken_rows(x, numbers, i, SIDE_BY_SIDE, rows);
        for (int m = 0; m < found; ++m)
            for (int n = 0; n < vectors; ++n)
                store(slopes + m * whole + n * LANES, load_row(d + (i - found + m) * width, labels, n));
        int64_t j = 0;
        for (; j + GROUP <= inner; j += GROUP)
            add_dense_tiles<GROUP>(rows + j, inner, slopes, whole, found, sums + j * whole);
        for (; j < inner; ++j) add_dense_tiles<1>(rows + j, inner, slopes, whole, found, sums + j * whole);
    }
    for (int64_t j = 0; j < inner; ++j)
        for (int n = 0; n < vectors; ++n) store_row(gradient + j * labels, labels, n, load(sums + j * whole + n * LANES));
    return true;
}

// Puts numbers times weights, θ (D + 1, L), into the first L places of each row of out (N, width); false without memory.
static bool dense_scores(const Dense &x, const double *theta, int64_t labels, int64_t width, double *out) {
    if (x.single) return put_dense_scores(x, x.single, theta, labels, width, out);
    return put_dense_scores(x, x.whole, theta, labels, width, out);
}

// Adds the transposed product of numbers and d (N, width) to gradient (D + 1, L); false without memory.
static bool dense_gradient(const Dense &x, const double *d, int64_t labels, int64_t width, double *gradient) {
    if (x.single) return add_dense_gradient(x, x.single, d, labels, width, gradient);
    return add_dense_gradient(x, x.whole, d, labels, width, gradient);
}

}  // namespace LEVEL
