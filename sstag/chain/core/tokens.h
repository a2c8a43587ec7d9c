// Numbers of tokens in half precision times weights, and the transposed product.
//
//     out_t(y) += Σ_d (x_t,d − mean_d) θ_y,d          ∂/∂θ_y,d += Σ_t (x_t,d − mean_d) g_t(y)          t with a row of numbers
//
// This is where a pass with an encoder's vectors spends its time, so products are in single precision, sixteen at a time. A
// score is sixteen sums, each over every sixteenth dimension in order (sixteen.h adds them up). A slope is the sum over
// BLOCK_OF_ROWS rows in their order; these sums are doubles and added up in order, too. Weights and mean have W numbers a row, W a
// multiple of sixteen and larger than D, and are 0 from place D on. Slopes have at place D Σ_t g_t(y), in doubles.
#pragma once

#include "memory.h"
#include "sixteen.h"

namespace LEVEL {

constexpr int64_t BLOCK_OF_ROWS = 256;        // rows whose slopes are added up in single precision
constexpr int64_t SOME_ROWS = 16;     // rows that stay in the nearest cache while all labels go over them
constexpr int64_t ROWS_AHEAD = 32;    // what is read for the first time is asked for so many rows before
constexpr int64_t LINE = 32;          // numbers in a line of the cache
constexpr double NOTHING = 0x1p-100;  // smaller slopes are 0: numbers that are hardly any take long to add

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

// Calls use.piece<count>(), where count is at most BROAD.
template <int N = BROAD, class Use>
INLINE void with_labels(int64_t count, const Use &use) {
    if constexpr (N > 0) {
        if (count == N)
            use.template piece<N>();
        else
            with_labels<N - 1>(count, use);
    }
}

// Calls use(first, count) for the labels in pieces of nearly one size.
template <class Use>
INLINE void for_pieces(int64_t labels, Use use) {
    const int64_t pieces = (labels + BROAD - 1) / BROAD;
    for (int64_t piece = 0; piece < pieces; ++piece) {
        const int64_t first = labels * piece / pieces;
        use(first, labels * (piece + 1) / pieces - first);
    }
}

// The scores of TALL rows for N labels.
struct TokenScores {
    const uint16_t *const *rows, *const *ahead;  // (TALL,); what is asked for
    const float *mean, *weights;                 // (W,); (W / 16, N, 16)
    int64_t dimensions;
    double *const *out;  // (TALL,)

    template <int N, class Load>
    INLINE_MEMBER void add(Sixteen (&sum)[TALL][N], int64_t d, Load numbers) const {
        const Sixteen moved = load_16(mean + d);
        Sixteen theta[N];
        for (int n = 0; n < N; ++n) theta[n] = load_16(weights + d * N + n * WIDE);
        for (int m = 0; m < TALL; ++m) {
            const Sixteen x = numbers(rows[m] + d) - moved;
            for (int n = 0; n < N; ++n) sum[m][n] = fused(x, theta[n], sum[m][n]);
        }
    }

    template <int N>
    INLINE_MEMBER void piece() const {
        Sixteen sum[TALL][N];
        for (int m = 0; m < TALL; ++m)
            for (int n = 0; n < N; ++n) sum[m][n] = no_16();
        int64_t d = 0;
        for (; d + 2 * WIDE <= dimensions; d += 2 * WIDE) {
            for (int m = 0; m < TALL; ++m) ASK_FOR(ahead[m] + d, 0);
            add(sum, d, load_halves);
            add(sum, d + WIDE, load_halves);
        }
        for (; d < dimensions; d += WIDE)
            add(sum, d, [&](const uint16_t *from) { return load_first_halves(from, dimensions - d); });
        for (int m = 0; m < TALL; ++m) add_sums(sum[m], out[m]);
    }
};

// Adds the scores of tokens to out (N, width); false without memory.
static bool token_scores(const TokenNumbers &x, const float *mean, const float *weights, int64_t labels, int64_t whole,
                         int64_t width, double *out) {
    // Where a row goes that only fills up a tile; and the weights, label by label for each sixteen dimensions of a piece.
    Scratch nobody(BROAD), packed(labels * whole / 2);
    if (!nobody.at || !packed.at) return false;
    memset(nobody.at, 0, BROAD * sizeof(double));
    float *const own = (float *)packed.at;
    for_pieces(labels, [&](int64_t first, int64_t count) {
        for (int64_t d = 0; d < whole; ++d)
            for (int64_t n = 0; n < count; ++n)
                own[first * whole + (d / WIDE * count + n) * WIDE + d % WIDE] = weights[(first + n) * whole + d];
    });
    int64_t at[SOME_ROWS];
    const uint16_t *rows[SOME_ROWS], *ahead[SOME_ROWS];
    for (int64_t t = 0; t < x.count;) {
        const int64_t found = gathered(x, t, SOME_ROWS, at, rows);
        for (int64_t i = 0; i < found; ++i) {
            const uint16_t *next = numbers_of(x, at[i] + ROWS_AHEAD);
            ahead[i] = next ? next : rows[i];
        }
        for_pieces(labels, [&](int64_t first, int64_t count) {
            for (int64_t i = 0; i < found; i += TALL) {
                const uint16_t *tile[TALL], *asked[TALL];
                double *to[TALL];
                for (int m = 0; m < TALL; ++m) {
                    const int64_t row = i + m < found ? i + m : i;
                    tile[m] = rows[row], asked[m] = first ? rows[row] : ahead[row];
                    to[m] = i + m < found ? out + at[row] * width + first : nobody.at;
                }
                with_labels(count, TokenScores{tile, asked, mean, own + first * whole, x.dimensions, to});
            }
        });
    }
    return true;
}

// The slopes of TALL times sixteen dimensions for N labels.
struct TokenSlopes {
    const uint16_t *const *rows;       // (count,)
    const uint16_t *ahead;             // what is asked for, a line of the cache with each row
    const float *mean, *slopes;        // (W,); (count, N)
    int64_t count, first, dimensions;  // rows; from this dimension on
    int64_t whole;
    double *out;  // (N, whole)

    template <int N, class Load>
    INLINE_MEMBER void sum_up(Load numbers) const {
        Sixteen sum[TALL][N], moved[TALL];
        for (int m = 0; m < TALL; ++m) {
            moved[m] = first + m * WIDE < dimensions ? load_16(mean + first + m * WIDE) : no_16();
            for (int n = 0; n < N; ++n) sum[m][n] = no_16();
        }
        for (int64_t i = 0; i < count; ++i) {
            ASK_FOR_SOON(ahead + i * LINE);
            Sixteen x[TALL];
            for (int m = 0; m < TALL; ++m) x[m] = numbers(rows[i], first + m * WIDE) - moved[m];
            for (int n = 0; n < N; ++n) {
                const Sixteen slope = each_of_16(slopes[i * N + n]);
                for (int m = 0; m < TALL; ++m) sum[m][n] = fused(x[m], slope, sum[m][n]);
            }
        }
        for (int m = 0; m < TALL && first + m * WIDE < dimensions; ++m)
            for (int n = 0; n < N; ++n) add_16(out + n * whole + first + m * WIDE, sum[m][n]);
    }

    template <int N>
    INLINE_MEMBER void piece() const {
        const int64_t end = dimensions;
        if (first + TALL * WIDE <= end)
            sum_up<N>([](const uint16_t *row, int64_t d) { return load_halves(row + d); });
        else
            sum_up<N>([end](const uint16_t *row, int64_t d) { return load_first_halves(row + d, end - d); });
    }
};

// Adds the transposed product of the numbers and d (N, width) to slopes (L, W); false without memory.
static bool token_slopes(const TokenNumbers &x, const float *mean, const double *d, int64_t labels, int64_t whole,
                         int64_t width, double *slopes) {
    Scratch ones(labels), singles(BLOCK_OF_ROWS * labels / 2);
    if (!ones.at || !singles.at) return false;
    memset(ones.at, 0, (size_t)labels * sizeof(double));
    float *const own = (float *)singles.at;
    int64_t at[BLOCK_OF_ROWS];
    const uint16_t *rows[BLOCK_OF_ROWS];
    for (int64_t t = 0; t < x.count;) {
        const int64_t found = gathered(x, t, BLOCK_OF_ROWS, at, rows);
        const uint16_t *next = found ? rows[found - 1] + x.dimensions : x.halves;  // where the next block usually is
        for_pieces(labels, [&](int64_t first, int64_t count) {
            float *to = own + first * found;
            for (int64_t i = 0; i < found; ++i)
                for (int64_t y = first; y < first + count; ++y) {
                    const double slope = d[at[i] * width + y];
                    ones.at[y] += slope;
                    *to++ = fabs(slope) < NOTHING ? 0.0f : (float)slope;
                }
        });
        for (int64_t dimension = 0; dimension < x.dimensions; dimension += TALL * WIDE)
            for_pieces(labels, [&](int64_t first, int64_t count) {
                const uint16_t *ahead = first ? rows[0] : next + dimension / (TALL * WIDE) * found * LINE;
                with_labels(count, TokenSlopes{rows, ahead, mean, own + first * found, found, dimension, x.dimensions, whole,
                                               slopes + first * whole});
            });
    }
    for (int64_t y = 0; y < labels; ++y) slopes[y * whole + x.dimensions] += ones.at[y];
    return true;
}

}  // namespace LEVEL
