// Rows times matrices: where forward, backward and moments spend their time.
//
//     out[m] = a[m] · matrix[m]        a (rows,), matrix (rows, 8 · vectors), out (8 · vectors,)
//
// Several rows are multiplied side by side, because each sum waits for itself: a product of one row of 22 labels takes 90
// cycles, of four rows 150. A matrix is stored in tiles of TILE vectors, as many columns as stay in registers: tile after
// tile, and in a tile row after row. Each sum begins with 0 (or with what is there) and goes through the rows in their
// order, however many rows and tiles there are, so grouping changes no bit.
#pragma once

#include "functions.h"

namespace LEVEL {

#if defined(SSTAG_V4)
constexpr int TILE = 4, GROUP = 4;
#elif defined(SSTAG_V3)
constexpr int TILE = 3, GROUP = 2;
#else
constexpr int TILE = 3, GROUP = 2;
#endif

// Where column j of row i stands in a matrix of tiles.
INLINE int64_t place_in_tiles(int64_t rows, int vectors, int64_t i, int64_t j) {
    int64_t tile = j / (TILE * LANES), left = vectors - tile * TILE, width = (left < TILE ? left : TILE) * LANES;
    return tile * TILE * LANES * rows + i * width + (j - tile * TILE * LANES);
}

// Rows and matrices, as many of each as there are sentences.
struct Term {
    const double *const *a, *const *matrix;
};

template <int M, int N, bool SHARED, int TERMS>
INLINE void tile_product(const Term (&terms)[TERMS], int64_t at, int64_t rows, double *const *out, int first) {
    Lanes sum[M][N];
    for (int m = 0; m < M; ++m)
        for (int n = 0; n < N; ++n) sum[m][n] = each(0.0);
    for (int term = 0; term < TERMS; ++term) {
        const double *a[M], *row[M];
        for (int m = 0; m < M; ++m) a[m] = terms[term].a[m], row[m] = terms[term].matrix[m] + at;
        for (int64_t i = 0; i < rows; ++i) {
            Lanes p[N];
            for (int n = 0; n < N; ++n) p[n] = load(row[0] + (i * N + n) * LANES);
            for (int m = 0; m < M; ++m) {
                Lanes x = each(a[m][i]);
                if (!SHARED && m > 0)
                    for (int n = 0; n < N; ++n) p[n] = load(row[m] + (i * N + n) * LANES);
                for (int n = 0; n < N; ++n) sum[m][n] = fused(x, p[n], sum[m][n]);
            }
        }
    }
    for (int m = 0; m < M; ++m)
        for (int n = 0; n < N; ++n) store(out[m] + (first + n) * LANES, sum[m][n]);
}

// out[m] = Σ_terms a[m] · matrix[m]; SHARED: all matrices of a term are the first.
template <int M, bool SHARED, int TERMS>
INLINE void products(const Term (&terms)[TERMS], int64_t rows, int vectors, double *const *out) {
    int64_t at = 0;
    for (int first = 0; first < vectors; first += TILE) {
        int width = vectors - first < TILE ? vectors - first : TILE;
        switch (width) {
            case 1: tile_product<M, 1, SHARED>(terms, at, rows, out, first); break;
            case 2: tile_product<M, 2, SHARED>(terms, at, rows, out, first); break;
            case 3: tile_product<M, 3, SHARED>(terms, at, rows, out, first); break;
#if defined(SSTAG_V4)
            case 4: tile_product<M, 4, SHARED>(terms, at, rows, out, first); break;
#endif
        }
        at += rows * width * LANES;
    }
}

// A number of vectors that is known when the loops over them are compiled.
template <int N>
struct Vectors {
    constexpr operator int() const { return N; }
};

// Calls use(vectors) with the number of vectors of a row, which is such a type where it is small.
template <class Use>
INLINE void with_vectors(int64_t width, Use use) {
    switch (width / LANES) {
        case 1: use(Vectors<1>()); break;
        case 2: use(Vectors<2>()); break;
        case 3: use(Vectors<3>()); break;
        case 4: use(Vectors<4>()); break;
        default: use((int)(width / LANES));
    }
}

// The sentences that walk side by side, and the position that each comes to.
struct Front {
    int walking = 0;
    int64_t sentence[GROUP], at[GROUP], last[GROUP];
    bool goes_on[GROUP];
};

// Rows (T, W) and matrices (K, L · W).
struct Factors {
    const double *rows, *matrices;
};

// out[t] = Σ_factors rows[t ∓ 1] · matrices[k] at the positions t that the sentences come to from the left or from the
// right; k is the matrix between the two positions.
template <bool LEFTWARDS, int TERMS>
static void multiply(const Chain &chain, const Front &front, const Factors (&factors)[TERMS], double *out) {
    constexpr int64_t BACK = LEFTWARDS ? 1 : -1;
    const int64_t labels = chain.labels, width = chain.width, cells = labels * width;
    const int vectors = (int)(width / LANES), walking = front.walking;
    const double *matrix[TERMS][GROUP], *row[TERMS][GROUP];
    double *to[GROUP];
    bool shared = true;
    for (int m = 0; m < walking; ++m) {
        const int64_t t = front.at[m], k = chain.edge_index[LEFTWARDS ? t + 1 : t];
        for (int term = 0; term < TERMS; ++term) {
            matrix[term][m] = factors[term].matrices + k * cells;
            row[term][m] = factors[term].rows + (t + BACK) * width;
        }
        to[m] = out + t * width;
        shared = shared && matrix[0][m] == matrix[0][0];
    }
    Term terms[TERMS];
    auto from = [&](int m) -> const Term(&)[TERMS] {
        for (int term = 0; term < TERMS; ++term) terms[term] = {row[term] + m, matrix[term] + m};
        return terms;
    };
    int m = 0;
    if (walking == GROUP && !shared)
        products<GROUP, false>(from(0), labels, vectors, to), m = GROUP;
    else if (walking == GROUP)
        products<GROUP, true>(from(0), labels, vectors, to), m = GROUP;
    else if (GROUP > 2 && walking > 1 && shared) {  // the last ones
        if (walking == 3)
            products<3, true>(from(0), labels, vectors, to);
        else
            products<2, true>(from(0), labels, vectors, to);
        m = walking;
    }
    for (; m < walking; ++m) products<1, true>(from(m), labels, vectors, to + m);
}

// Walks along the positions of all sentences, GROUP sentences side by side, from the left or from the right:
//
//     begin(s, t)     at the first position of a sentence; whether the walk goes on
//     step(front)     at the next position of each sentence that walks; says which of them do not go on
//
// A sentence that ends or stops makes room for the next one.
template <bool LEFTWARDS, class Begin, class Step>
INLINE void side_by_side(const Chain &chain, Begin begin, Step step) {
    constexpr int64_t WAY = LEFTWARDS ? -1 : 1;
    Front front;
    int64_t next = 0;
    while (true) {
        while (front.walking < GROUP && next < chain.sentences) {
            int64_t s = next++, first = chain.offsets[s], end = chain.offsets[s + 1] - 1;
            int64_t t = LEFTWARDS ? end : first;
            if (begin(s, t) && first < end) {
                front.sentence[front.walking] = s, front.at[front.walking] = t;
                front.last[front.walking++] = LEFTWARDS ? first : end;
            }
        }
        if (front.walking == 0) return;
        for (int m = 0; m < front.walking; ++m) front.at[m] += WAY, front.goes_on[m] = true;
        step(front);
        for (int m = 0; m < front.walking;) {
            if (front.goes_on[m] && front.at[m] != front.last[m]) {
                ++m;
                continue;
            }
            const int w = --front.walking;
            front.sentence[m] = front.sentence[w], front.at[m] = front.at[w], front.last[m] = front.last[w];
            front.goes_on[m] = front.goes_on[w];
        }
    }
}

}  // namespace LEVEL
