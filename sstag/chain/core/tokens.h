// Numbers of tokens in half precision times weights, and the transposed product.
//
//     out_t(y) += Σ_d (x_t,d − mean_d) θ_y,d          ∂/∂θ_y,d += Σ_t (x_t,d − mean_d) g_t(y)
//
// over the tokens t that have a row of numbers. This is where a pass with an encoder's vectors spends its time, so products
// are in single precision, sixteen at a time. A score is sixteen sums, each over every sixteenth dimension in order
// (sixteen.h adds them up). A slope is the sum over BLOCK_OF_ROWS rows of a call in their order; these sums are doubles and
// added up in order, too. Weights and mean have W numbers a row, W a multiple of sixteen and larger than D, and are 0 from
// place D on. Slopes have at place D Σ_t g_t(y), in doubles.
#pragma once

#include "memory.h"
#include "sixteen.h"

namespace LEVEL {

constexpr int64_t BLOCK_OF_ROWS = 256;  // rows whose slopes are added up in single precision
constexpr int64_t ROWS_AHEAD = 32;      // what is read for the first time is asked for so many rows before
constexpr int64_t LINE = 32;            // numbers in a line of the cache
constexpr double NOTHING = 0x1p-100;    // smaller slopes are 0: numbers that are hardly any take long to add

// Memory for the products of each of some numbers and weights.
struct TokenRoom {
    float *weights;  // (L, W), as scores read them
    float *rows;     // (TALL, W)
    float *singles;  // (BLOCK_OF_ROWS, 8 · vectors), sums or slopes of rows
    double *ones;    // (8 · vectors,), slopes of a number 1

    TokenRoom(const ManyTokenWeights &numbers, int64_t labels) : memory(size(numbers, labels)) {
        if (!is_made()) return;
        const int64_t most = widest(numbers), places = vectors_of(labels) * LANES;
        weights = (float *)memory.at, rows = weights + labels * most, singles = rows + TALL * most;
        ones = (double *)(singles + BLOCK_OF_ROWS * places);
        memset(rows, 0, (size_t)(TALL * most) * sizeof(float));
    }

    bool is_made() const { return memory.at; }

  private:
    Scratch memory;

    static int64_t widest(const ManyTokenWeights &numbers) {
        int64_t most = 0;
        for (int64_t i = 0; i < numbers.count; ++i) most = most > numbers.at[i].whole ? most : numbers.at[i].whole;
        return most;
    }
    static int64_t size(const ManyTokenWeights &numbers, int64_t labels) {
        const int64_t places = vectors_of(labels) * LANES;
        return (widest(numbers) * (labels + TALL) + BLOCK_OF_ROWS * places) / 2 + places;
    }
};

INLINE const uint16_t *numbers_of(const TokenNumbers &x, int64_t t) {
    return t < x.count && x.rows[t] >= 0 ? x.halves + x.rows[t] * x.dimensions : nullptr;
}

// Up to `most` tokens from t on that have numbers, and their numbers; t moves behind them.
INLINE int64_t gathered(const TokenNumbers &x, int64_t &t, int64_t most, int64_t *at, const uint16_t **rows) {
    int64_t found = 0;
    for (; t < x.count && found < most; ++t)
        if (const uint16_t *row = numbers_of(x, t)) at[found] = t, rows[found++] = row;
    return found;
}

// Calls use.piece<count>(), where count is at most N.
template <int N, class Use>
INLINE void with_labels(int64_t count, const Use &use) {
    if constexpr (N > 0) {
        if (count == N)
            use.template piece<N>();
        else
            with_labels<N - 1>(count, use);
    }
}

// Calls use(first, count) for the labels in pieces of nearly one size, and at most MOST.
template <int MOST, class Use>
INLINE void for_pieces(int64_t labels, Use use) {
    const int64_t pieces = (labels + MOST - 1) / MOST;
    for (int64_t piece = 0; piece < pieces; ++piece) {
        const int64_t first = labels * piece / pieces;
        use(first, labels * (piece + 1) / pieces - first);
    }
}

// The numbers of a row in single precision, less their mean; those of another row are asked for.
INLINE void widen(const uint16_t *from, const float *mean, int64_t dimensions, const uint16_t *ahead, float *to) {
    int64_t d = 0;
    for (; d + LINE <= dimensions; d += LINE) {
        ASK_FOR(ahead + d, 0);
        store_16(to + d, load_halves(from + d) - load_16(mean + d));
        store_16(to + d + WIDE, load_halves(from + d + WIDE) - load_16(mean + d + WIDE));
    }
    for (; d < dimensions; d += WIDE) store_16(to + d, load_first_halves(from + d, dimensions - d) - load_16(mean + d));
}

// The scores of TALL rows for N labels.
struct TokenScores {
    const float *rows, *weights;  // (TALL, W); (W / 16, N, 16)
    int64_t dimensions, whole;
    float *out;  // (TALL, width)
    int64_t width;

    template <int N>
    INLINE_MEMBER void piece() const {
        Sixteen sum[TALL][N];
        for (int m = 0; m < TALL; ++m)
            for (int n = 0; n < N; ++n) sum[m][n] = no_16();
        for (int64_t d = 0; d < dimensions; d += WIDE) {
            Sixteen x[TALL];
            for (int m = 0; m < TALL; ++m) x[m] = load_16(rows + m * whole + d);
            for (int n = 0; n < N; ++n) {
                const Sixteen theta = load_16(weights + d * N + n * WIDE);
                for (int m = 0; m < TALL; ++m) sum[m][n] = fused(x[m], theta, sum[m][n]);
            }
        }
        put_sums(sum, out, width);
    }
};

// Adds the scores of tokens to out (N, width).
static void add_token_scores(const TokenWeights &of, int64_t labels, int64_t width, const TokenRoom &room, double *out) {
    const TokenNumbers &x = of.x;
    const int vectors = vectors_of(labels);
    const int64_t whole = of.whole, places = vectors * LANES;
    float *const own = room.weights, *const sums = room.singles;
    for_pieces<NARROW>(labels, [&](int64_t first, int64_t count) {
        float *to = own + first * whole;
        for (int64_t d = 0; d < whole; d += WIDE)
            for (int64_t n = first; n < first + count; ++n, to += WIDE) store_16(to, load_16(of.weights + n * whole + d));
    });
    int64_t at[TALL];
    const uint16_t *rows[TALL];
    for (int64_t t = 0; t < x.count;) {
        const int64_t found = gathered(x, t, TALL, at, rows);
        for (int64_t m = 0; m < found; ++m) {
            const uint16_t *next = numbers_of(x, at[m] + ROWS_AHEAD);
            widen(rows[m], of.mean, x.dimensions, next ? next : rows[m], room.rows + m * whole);
        }
        for_pieces<NARROW>(labels, [&](int64_t first, int64_t count) {
            with_labels<NARROW>(count, TokenScores{room.rows, own + first * whole, x.dimensions, whole, sums + first,
                                                   places});
        });
        for (int64_t m = 0; m < found; ++m)
            for (int n = 0; n < vectors; ++n) {
                double *row = out + at[m] * width;
                store_row(row, labels, n, load_row(row, labels, n) + load_single(sums + m * places + n * LANES));
            }
    }
}

// The slopes of DEEP times sixteen dimensions for N labels.
struct TokenSlopes {
    const uint16_t *const *rows;       // (count,)
    const uint16_t *ahead;             // what is asked for, a line of the cache with each row
    const float *mean, *slopes;        // (W,); (count, width)
    int64_t count, first, dimensions;  // rows; from this dimension on
    int64_t width, whole;
    double *out;  // (N, whole)

    template <int N, class Load>
    INLINE_MEMBER void sum_up(Load numbers) const {
        Sixteen sum[DEEP][N], moved[DEEP];
        for (int m = 0; m < DEEP; ++m) {
            moved[m] = first + m * WIDE < dimensions ? load_16(mean + first + m * WIDE) : no_16();
            for (int n = 0; n < N; ++n) sum[m][n] = no_16();
        }
        for (int64_t i = 0; i < count; ++i) {
            ASK_FOR_SOON(ahead + i * LINE);
            Sixteen x[DEEP];
            for (int m = 0; m < DEEP; ++m) x[m] = numbers(rows[i], first + m * WIDE) - moved[m];
            for (int n = 0; n < N; ++n) {
                const Sixteen slope = each_of_16(slopes[i * width + n]);
                for (int m = 0; m < DEEP; ++m) sum[m][n] = fused(x[m], slope, sum[m][n]);
            }
        }
        for (int m = 0; m < DEEP && first + m * WIDE < dimensions; ++m)
            for (int n = 0; n < N; ++n) add_16(out + n * whole + first + m * WIDE, sum[m][n]);
    }

    template <int N>
    INLINE_MEMBER void piece() const {
        const int64_t end = dimensions;
        if (first + DEEP * WIDE <= end)
            sum_up<N>([](const uint16_t *row, int64_t d) { return load_halves(row + d); });
        else
            sum_up<N>([end](const uint16_t *row, int64_t d) { return load_first_halves(row + d, end - d); });
    }
};

// Adds the transposed product of the numbers and d (N, width) to the slopes.
static void add_token_slopes(const TokenWeights &of, const double *d, int64_t labels, int64_t width,
                             const TokenRoom &room) {
    const TokenNumbers &x = of.x;
    const int vectors = vectors_of(labels);
    const int64_t whole = of.whole, places = vectors * LANES;
    memset(room.ones, 0, (size_t)places * sizeof(double));
    int64_t at[BLOCK_OF_ROWS];
    const uint16_t *rows[BLOCK_OF_ROWS];
    for (int64_t t = 0; t < x.count;) {
        const int64_t found = gathered(x, t, BLOCK_OF_ROWS, at, rows);
        const uint16_t *next = found ? rows[found - 1] + x.dimensions : x.halves;  // where the next block usually is
        for (int64_t i = 0; i < found; ++i)
            for (int n = 0; n < vectors; ++n) {
                const Lanes slope = load_row(d + at[i] * width, labels, n), size = larger(slope, each(0.0) - slope);
                store(room.ones + n * LANES, load(room.ones + n * LANES) + slope);
                store_single(room.singles + i * places + n * LANES, choose(size < each(NOTHING), each(0.0), slope));
            }
        for (int64_t dimension = 0; dimension < x.dimensions; dimension += DEEP * WIDE)
            for_pieces<BROAD>(labels, [&](int64_t first, int64_t count) {
                const uint16_t *ahead = first ? rows[0] : next + dimension / (DEEP * WIDE) * found * LINE;
                with_labels<BROAD>(count, TokenSlopes{rows, ahead, of.mean, room.singles + first, found, dimension,
                                                      x.dimensions, places, whole, of.slopes + first * whole});
            });
    }
    for (int64_t y = 0; y < labels; ++y) of.slopes[y * whole + x.dimensions] += room.ones[y];
}

// By themselves; false without memory.
static bool token_scores(const TokenWeights &of, int64_t labels, int64_t width, double *out) {
    const TokenRoom room({1, &of}, labels);
    if (room.is_made()) add_token_scores(of, labels, width, room, out);
    return room.is_made();
}
static bool token_slopes(const TokenWeights &of, const double *d, int64_t labels, int64_t width) {
    const TokenRoom room({1, &of}, labels);
    if (room.is_made()) add_token_slopes(of, d, labels, width, room);
    return room.is_made();
}

}  // namespace LEVEL
