// Expected counts: node marginals, and sums of edge terms over the positions that share an edge matrix.
#pragma once

#include "chain.h"
#include "memory.h"

namespace LEVEL {

// mu_t(y) = ω_s p_t(y), p_t = α_t ∘ β_t.
static void node_marginals(const Chain &chain, const Forward &f, const Backward &b, const double *omega, double *mu) {
    const int64_t labels = chain.labels, width = chain.width;
    const int vectors = (int)(width / LANES);
    for (int64_t s = 0; s < chain.sentences; ++s) {
        const Lanes weight = each(omega[s]);
        for (int64_t t = chain.offsets[s]; t < chain.offsets[s + 1]; ++t)
            for (int n = 0; n < vectors; ++n) {
                Lanes alpha = load(f.alpha + t * width + n * LANES), beta = load(b.beta + t * width + n * LANES);
                Lanes p = f.in_log[s] ? exponential(alpha + beta) : alpha * beta;
                store_row(mu + t * labels, labels, n, weight * p, vectors);
            }
    }
}

// Sums of outer products, out[k] += Σ ω aᵀ b over the positions that share matrix k; out is in tiles.
//
// The rows of some positions are listed first; then a piece of a tile of out stays in registers while all of them pass.
// What is listed is added up when the next matrix is another one or the list is full.
struct Outer {
    static constexpr int ROOM = 64;

    Outer(int64_t labels, int64_t width, double *out, double *scaled)
        : labels(labels), width(width), out(out), scaled(scaled), filled(0), current(0) {}

    // Numbers that `scaled` needs.
    static int64_t need(int64_t width) { return ROOM * width; }

    // Lists aᵀ b for matrix k; both must stay where they are until they are added up.
    INLINE_MEMBER void add(int64_t k, const double *a, const double *b) {
        if (filled == ROOM || k != current) {
            flush();
            current = k;
        }
        left[filled] = a, right[filled++] = b;
    }

    // Lists ω aᵀ b for matrix k; b must stay where it is until it is added up.
    INLINE_MEMBER void add(int64_t k, double omega, const double *a, const double *b) {
        add(k, nullptr, b);
        double *own = scaled + (filled - 1) * width;
        for (int64_t j = 0; j < width; j += LANES) store(own + j, each(omega) * load(a + j));
        left[filled - 1] = own;
    }

    // Adds up what is listed.
    INLINE_MEMBER void flush() {
        if (!filled) return;  // and there may be no matrix at all
        double *tile = out + current * labels * width;
        const int vectors = (int)(width / LANES);
        for (int first = 0; first < vectors; first += TILE) {
            int count = vectors - first < TILE ? vectors - first : TILE;
            switch (count) {
                case 1: add_columns<1>(tile, first * LANES); break;
                case 2: add_columns<2>(tile, first * LANES); break;
                case 3: add_columns<3>(tile, first * LANES); break;
#if defined(SSTAG_V4)
                case 4: add_columns<4>(tile, first * LANES); break;
#endif
            }
            tile += labels * count * LANES;
        }
        filled = 0;
    }

  private:
    int64_t labels, width;
    double *out, *scaled;  // (K, L · W); (ROOM, W), rows ω a, if there are any
    const double *left[ROOM], *right[ROOM];
    int filled;
    int64_t current;

    template <int N>
    INLINE_MEMBER void add_columns(double *tile, int64_t first) const {
        int64_t i = 0;
        for (; i + GROUP <= labels; i += GROUP) add_piece<GROUP, N>(tile, i, first);
        for (; i + 2 <= labels; i += 2) add_piece<2, N>(tile, i, first);
        if (i < labels) add_piece<1, N>(tile, i, first);
    }

    template <int M, int N>
    INLINE_MEMBER void add_piece(double *tile, int64_t i, int64_t first) const {
        Lanes total[M][N];
        for (int m = 0; m < M; ++m)
            for (int n = 0; n < N; ++n) total[m][n] = load(tile + ((i + m) * N + n) * LANES);
        for (int at = 0; at < filled; ++at) {
            const double *a = left[at] + i, *b = right[at] + first;
            Lanes columns[N];
            for (int n = 0; n < N; ++n) columns[n] = load(b + n * LANES);
            for (int m = 0; m < M; ++m) {
                Lanes x = each(a[m]);
                for (int n = 0; n < N; ++n) total[m][n] = fused(x, columns[n], total[m][n]);
            }
        }
        for (int m = 0; m < M; ++m)
            for (int n = 0; n < N; ++n) store(tile + ((i + m) * N + n) * LANES, total[m][n]);
    }
};

// out[k](i, j) += Σ ω p_t(i, j) [base + power · log p_t(i, j) + x_{t-1}(i) + z_t(j) + g_k(i, j)] over the sentences in
// logs; x (with z) and g may be null.
static void add_log_edges(const Chain &chain, const Edges &e, const Forward &f, const Backward &b, const double *omega,
                          double base, double power, const double *x, const double *z, const double *g, double *out) {
    const int64_t labels = chain.labels, width = chain.width;
    for (int64_t s = 0; s < chain.sentences; ++s) {
        if (!f.in_log[s]) continue;
        for (int64_t t = chain.offsets[s] + 1; t < chain.offsets[s + 1]; ++t) {
            const int64_t matrix = chain.edge_index[t] * labels * labels;
            const double *alpha = f.alpha + (t - 1) * width, *w = f.w + t * width, *beta = b.beta + t * width;
            for (int64_t i = 0; i < labels; ++i)
                for (int64_t j = 0; j < labels; ++j) {
                    const int64_t cell = matrix + i * labels + j;
                    const double log_edge = alpha[i] + e.log_p[cell] + w[j] + beta[j] - f.c[t];
                    const double edge = omega[s] * exponential(log_edge);
                    if (edge == 0.0) continue;
                    double value = base + power * log_edge;
                    if (x) value += x[(t - 1) * width + i] + z[t * width + j];
                    if (g) value += g[cell];
                    out[cell] += edge * value;
                }
        }
    }
}

// Adds ω α_{t-1}ᵀ v_t to the sums of each matrix, over the positions of the scaled sentences.
static void add_products(const Chain &chain, const Forward &f, const Backward &b, const double *omega, Outer &outer) {
    for (int64_t s = 0; s < chain.sentences; ++s) {
        if (f.in_log[s]) continue;
        for (int64_t t = chain.offsets[s] + 1; t < chain.offsets[s + 1]; ++t)
            outer.add(chain.edge_index[t], omega[s], f.alpha + (t - 1) * chain.width, b.v + t * chain.width);
    }
    outer.flush();
}

// Σ ω α_{t-1}ᵀ v_t per matrix, in tiles: the edge counts of the scaled sentences, but for the factor P. False if there is
// no memory.
static bool edge_products(const Chain &chain, const Forward &f, const Backward &b, const double *omega, double *out) {
    memset(out, 0, (size_t)(chain.matrices * chain.labels * chain.width) * sizeof(double));
    Scratch scaled(Outer::need(chain.width));
    if (!scaled.at) return false;
    Outer outer(chain.labels, chain.width, out, scaled.at);
    add_products(chain, f, b, omega, outer);
    return true;
}

// out (K, L, L) += a ∘ b, two matrices in tiles.
static void add_from_tiles(const Chain &chain, const double *a, const double *b, double *out) {
    const int64_t labels = chain.labels, tiled = labels * chain.width;
    const int vectors = (int)(chain.width / LANES);
    for (int64_t k = 0; k < chain.matrices; ++k)
        for (int64_t i = 0; i < labels; ++i)
            for (int n = 0; n < vectors; ++n) {
                const int64_t place = k * tiled + place_in_tiles(labels, vectors, i, n * LANES);
                double *row = out + (k * labels + i) * labels;
                Lanes total = load_row(row, labels, n) + load(a + place) * load(b + place);
                store_row(row, labels, n, total);
            }
}

// edge[k](i, j) = Σ ω p_t(i, j) over the positions of matrix k, of chains that are added one after another.
struct EdgeCounts {
    EdgeCounts(const Chain &like, double *edge)
        : products(like.matrices * like.labels * like.width),
          scaled(Outer::need(like.width)),
          outer(like.labels, like.width, products.at, scaled.at),
          edge(edge) {
        if (is_made()) clear(like);
    }
    EdgeCounts(const EdgeCounts &) = delete;
    EdgeCounts &operator=(const EdgeCounts &) = delete;

    bool is_made() const { return products.at && scaled.at; }

    // To begin anew, with chains that have no more matrices than the first.
    void clear(const Chain &like) {
        memset(products.at, 0, (size_t)(like.matrices * like.labels * like.width) * sizeof(double));
        memset(edge, 0, (size_t)(like.matrices * like.labels * like.labels) * sizeof(double));
    }

    void add(const Chain &chain, const Edges &e, const Forward &f, const Backward &b, const double *omega) {
        add_log_edges(chain, e, f, b, omega, 1.0, 0.0, nullptr, nullptr, nullptr, edge);
        add_products(chain, f, b, omega, outer);
    }

    // To be called when all chains are added.
    void finish(const Chain &chain, const Edges &e) { add_from_tiles(chain, products.at, e.p, edge); }

  private:
    Scratch products, scaled;  // Σ ω α_{t-1}ᵀ v_t, in tiles: the counts of scaled sentences, but for the factor P
    Outer outer;
    double *const edge;
};

// The counts of one chain.
static int64_t edge_counts(const Chain &chain, const Edges &e, const Forward &f, const Backward &b, const double *omega,
                           double *edge) {
    EdgeCounts counts(chain, edge);
    if (!counts.is_made()) return NO_MEMORY;
    counts.add(chain, e, f, b, omega);
    counts.finish(chain, e);
    return NONE;
}

// out[t - start - 1](i, j) = p_t(i, j) = α_{t-1}(i) P(i, j) v_t(j), one sentence.
static void edge_marginals(const Chain &chain, const Edges &e, const Forward &f, const Backward &b, int64_t s,
                           double *out) {
    const int64_t labels = chain.labels, width = chain.width, tiled = labels * width;
    const int vectors = (int)(width / LANES);
    for (int64_t t = chain.offsets[s] + 1; t < chain.offsets[s + 1]; ++t) {
        const double *alpha = f.alpha + (t - 1) * width, *w = f.w + t * width, *beta = b.beta + t * width;
        const int64_t k = chain.edge_index[t];
        for (int64_t i = 0; i < labels; ++i)
            for (int64_t j = 0; j < labels; ++j, ++out)
                *out = f.in_log[s] ? exponential(alpha[i] + e.log_p[(k * labels + i) * labels + j] + w[j] + beta[j] - f.c[t])
                                   : alpha[i] * e.p[k * tiled + place_in_tiles(labels, vectors, i, j)] * b.v[t * width + j];
    }
}

}  // namespace LEVEL
