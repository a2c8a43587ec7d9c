// The arrays that cross from Python, as structs: what belongs together is one of them. Letters as in the methods: T positions,
// S sentences, L labels, K edge matrices; W is L rounded up to whole vectors of eight.
#pragma once

#include <stdint.h>

// Scores of a batch of sentences: sentence s is the positions offsets[s]:offsets[s + 1].
struct Chain {
    int64_t tokens, sentences, labels, matrices;
    int64_t width;              // W
    const double *unary;        // (T, L)
    const double *edge;         // (K, L, L), [from, to]
    const int32_t *edge_index;  // (T,), the matrix that leads into a position; of the first one of a sentence nothing
    const int64_t *offsets;     // (S + 1,)
    const uint8_t *allowed;     // (T, L), or null where every label is
};

// exp(e - shift) as products read it, and as it is.
struct Edges {
    double *log_p;         // (K, L, L), e - shift
    double *p;             // (K, L · W), in tiles (product.h)
    double *p_transposed;  // (K, L · W), in tiles, [to, from]
    double *shift;         // (K,), the largest entry
};

// What the forward pass leaves; chain.h says what the rows mean. Where the backward pass finds that a path was lost, it
// turns the rows of a sentence into logarithms.
struct Forward {
    double *w;        // (T, W)
    double *shift;    // (T,)
    double *alpha;    // (T, W)
    double *c;        // (T,)
    double *log_z;    // (S,)
    uint8_t *in_log;  // (S,)
};

struct Backward {
    double *beta;  // (T, W)
    double *v;     // (T, W)
};

// An additive function r(y) = Σ_t unary_t(y_t) + Σ_t edge_k(t)(y_{t-1}, y_t).
struct Additive {
    const double *unary;  // (T, L), or null: then the function is log p(y|x)
    const double *edge;   // (K, L, L), or null: then it has no part at edges
};

// The costs of rules for whole labellings.
struct Penalties {
    const double *nodes;    // (T, L) a label at a position
    const double *steps;    // (T,) a step to another label
    const int64_t *bits;    // (L,) what is kept of a label that a sentence had; 0 for nothing
    const double *again;    // (L,) another block of a label
    const int64_t *wanted;  // (N,) the bits of labels of which a sentence needs one
    const double *missing;  // (N,) what it costs if it has none
    const int64_t *later;   // (O, L) the bits of labels of which a sentence had none before a block of a label begins
    const double *early;    // (O, L) what it costs if it had one
    const double *shorter;  // (L, R) a block that ends with a length; the last column is for all lengths from R - 1 on
    const double *longer;   // (L, R) a block that comes to a length
    int64_t wants, orders, lengths;  // N, O, R
};

// Segments of labels of one kind, ascending by where they begin; the labels of kind k are members[bounds[k]:bounds[k + 1]].
struct Segments {
    int64_t count;
    const int64_t *first, *stop, *kind;  // (count,)
    const int64_t *members, *bounds;
    const uint8_t *joined;  // (L, L) [from, to], the steps at which a segment goes on
};

// For each row of an incidence its attributes: rows of a table, and pairs (place in θ, label).
struct Entries {
    int64_t count;             // N
    const int64_t *row_first;  // (N + 1,)
    const int32_t *rows;
    const double *row_values;   // null where all are 1
    const int64_t *pair_first;  // (N + 1,)
    const int32_t *pairs, *labels;
    const double *pair_values;  // null where all are 1
    int64_t all_rows, all_pairs;
};

// Weights, or what is added to them: those that pairs name, the table (R, width) of rows, and those of first and last
// positions.
struct Weighing {
    double *theta, *rows;
    double *begin, *end;  // (L,), or null
    int64_t width;
};

// The labels of sentences.
struct Labelled {
    enum : int32_t { FREE, FULL, MASKED };
    const double *omega;     // (S,)
    const int32_t *kind;     // (S,) FULL: gold says it; MASKED: allowed says it; FREE: every label may be anywhere
    const int32_t *gold;     // (T,), of any label where the sentence is not full
    const uint8_t *allowed;  // (R, L), of the positions of masked sentences one after another
};

// The attributes of each row of an incidence, and the weights that each attribute has: rows of a table, or pairs.
struct Attributes {
    int64_t count;                                   // N
    const int64_t *pair_bounds;                      // (A + 1,), the pairs of attribute a begin at pair_bounds[a]
    const int32_t *pair_labels, *row_of;             // their labels; the row of an attribute, or -1
    const int64_t *first;                            // (N + 1,)
    const int32_t *indices;
    const double *values;                            // null where all are 1
};

// Weights that sentences move one after another, or numbers beside them: the parts of θ.
struct Moving {
    double *unary, *edge;  // of the pairs of attributes of tokens, and of steps, whose labels there are from · L + to
    double *steps;         // (C,) of the steps `cells` (stochastic.h)
    double *begin, *end;   // (L,), or null
};

// Sentences to be visited one after another, and how far each moves the weights (stochastic.h).
struct Walk {
    int64_t visits;        // N
    const int64_t *order;  // (N,) sentences
    double rate, decay;    // η, λη
    int64_t before;        // visits before these
};

// The weights that a template has: those of the attributes of tokens and of steps, and of the steps `cells`.
struct Attached {
    Attributes nodes, edges;  // of each position
    int64_t count;            // C
    const int32_t *cells;     // (C,) from · L + to
};

// Rows of numbers in double or single precision.
struct Dense {
    int64_t count, dimensions;  // N, D
    const double *whole;        // (N, D), or null
    const float *single;        // (N, D), or null
};

// Rows of numbers in half precision, and the row of each token.
struct TokenNumbers {
    int64_t count, dimensions;  // N, D
    const uint16_t *halves;     // (R, D)
    const int32_t *rows;        // (N,), -1 where there are no numbers
};

// Numbers of tokens, the weights of these numbers, and what their slopes are added to.
struct TokenWeights {
    TokenNumbers x;
    int64_t whole;         // W, a multiple of sixteen and larger than D
    const float *mean;     // (W,), what is subtracted from the numbers
    const float *weights;  // (L, W)
    double *slopes;        // (L, W), or null
};

struct ManyTokenWeights {
    int64_t count;
    const TokenWeights *at;
};

// Keys and their numbers (keys.h).
struct Slots {
    int64_t places;  // a power of two
    int64_t *slots;  // (places, 2)
};

// Marginals of one sentence (n, L) and (n, L, L), p(y_{t-1}, y_t) and p(y_t | y_{t-1}) at t.
struct Conditionals {
    const double *p, *p_edge, *m;
};

// The pairs of correction that L-BFGS keeps, in single precision: most of the time of the optimiser is that of reading them.
struct Pairs {
    int64_t memory, size;  // how many rows; of how many numbers
    float *s, *y;          // (memory, size)
};

// A text as its bytes.
struct Bytes {
    int64_t size;
    const uint8_t *at;
};

// Words, their neighbours in bigrams, and the clusters that they are in. V words to be moved and two symbols that stay, for rare
// words and the edges of sentences, with K = C + 2 clusters. The neighbours of a word are other ones.
struct Exchange {
    int64_t words, clusters, contexts;                                // V, C, K
    const int64_t *next_first, *before_first;                         // (V + 1,)
    const int32_t *next, *next_times, *before, *before_times;         // words after and before a word, and how often
    const int32_t *itself;                                            // (V,) how often a word follows itself
    const int32_t *firsts, *seconds;                                  // (V,) bigrams that a word begins, and ends
    int32_t *cluster;                                                 // (V + 2,), -1 for none
    int32_t *n, *transposed;                                          // (K, K), bigrams by clusters
    int32_t *left, *right;                                            // (K,), bigrams that begin and end in a cluster
    const int64_t *table;                                             // (H_TABLE + 1,), h(n); the last is 0
};

// Clusters to be merged: the counts of Exchange, and the loss of each pair i < j.
struct Merging {
    int64_t clusters, contexts;
    int32_t *n, *transposed;  // (K, K)
    int32_t *left, *right;    // (K,)
    uint8_t *alive;           // (C,)
    int64_t *own;             // (C,)
    int64_t *loss;            // (C, C)
    const int64_t *table;     // (H_TABLE + 1,)
};

constexpr int64_t H_TABLE = 1 << 20;  // numbers whose n log n is in a table
constexpr int64_t NO_SCORES = INT64_MIN;  // scores are needed that were not given (chain.h)
constexpr int64_t NONE = -1;        // no sentence failed
constexpr int64_t NO_MEMORY = -2;   // memory for what lies in between was not to be had
constexpr int64_t UNFIT = -3;       // UNFIT - s: a score of sentence s, or of matrix s, is NaN or +∞
