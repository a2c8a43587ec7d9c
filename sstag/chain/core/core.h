// What a level offers: the dynamic programmes and the loops around them, each in the file named beside it.
#pragma once

#include "arrays.h"

struct Core {
    const char *name;
    // functions.h
    void (*exponentials)(int64_t count, const double *x, double *out);
    void (*logarithms)(int64_t count, const double *x, double *out);
    // chain.h
    int64_t (*factor_edges)(const Chain &, const Edges &);
    int64_t (*forward)(const Chain &, const Edges &, const Forward &);
    int64_t (*backward)(const Chain &, const Edges &, const Forward &, const Backward &);
    // marginals.h
    void (*node_marginals)(const Chain &, const Forward &, const Backward &, const double *omega, double *mu);
    int64_t (*edge_counts)(const Chain &, const Edges &, const Forward &, const Backward &, const double *omega,
                           double *edge);
    void (*edge_marginals)(const Chain &, const Edges &, const Forward &, const Backward &, int64_t s, double *out);
    // covariance.h
    int64_t (*covariance)(const Chain &, const Edges &, const Forward &, const Backward &, const Additive &,
                          const double *omega, double *mean, double *nodes, double *edge);
    // entropies.h
    void (*token_entropies)(int64_t tokens, int64_t labels, const double *mu, double *out);
    int64_t (*conditional_entropies)(const Chain &, const Edges &, const Forward &, const Backward &, double *out);
    int64_t (*alpha_entropies)(const Chain &, const Edges &, const Forward &, const Backward &, double *h);
    int64_t (*beta_entropies)(const Chain &, const Edges &, const Forward &, const Backward &, double *h);
    int64_t (*subsequence_entropies)(const Chain &, const Edges &, const Forward &, const Backward &,
                                     const double *omega, const double *h_alpha, const double *h_beta, double *nodes,
                                     double *edge);
    // paths.h
    int64_t (*best_suffixes)(const Chain &, double *best);
    void (*viterbi)(const Chain &, const double *best, int32_t *y, double *scores);
    int64_t (*k_best)(const Chain &, int64_t s, const double *best, int64_t k, int32_t *paths, double *scores);
    int64_t (*sample)(const Chain &, const Edges &, const Forward &, const double *uniform, int32_t *y);
    void (*path_scores)(const Chain &, const int32_t *y, double *scores);
    // segments.h
    int64_t (*segment_probabilities)(const Chain &, const Edges &, const Forward &, const Backward &, const Segments &,
                                     double *out);
    // beam.h
    int64_t (*beam)(const Chain &, const Penalties &, int64_t k, int32_t *paths, double *scores, int64_t *found);
    // nested.h
    int64_t (*nested_products)(const Chain &, int64_t s, const Conditionals &, double omega, double *nodes,
                               double *edge, double *mean);
    // sparse.h
    void (*count_entries)(const Attributes &, int64_t *row_first, int64_t *pair_first);
    void (*list_entries)(const Attributes &, int32_t *rows, double *row_values, int32_t *pairs, int32_t *labels,
                         double *pair_values);
    void (*fill_rows)(const Attributes &, int64_t width, const double *theta, double *rows);
    void (*add_from_rows)(const Attributes &, int64_t width, const double *rows, double *gradient);
    void (*scores)(const Entries &, const double *theta, const double *table, int64_t labels, int64_t width, bool add,
                   double *out);
    void (*gradient)(const Entries &, const double *d, int64_t labels, int64_t width, double *table, double *gradient);
    // dense.h
    bool (*dense_scores)(const Dense &, const double *theta, int64_t labels, int64_t width, double *out);
    bool (*dense_gradient)(const Dense &, const double *d, int64_t labels, int64_t width, double *gradient);
    // tokens.h
    bool (*token_scores)(const TokenWeights &, int64_t labels, int64_t width, double *out);
    bool (*token_slopes)(const TokenWeights &, const double *d, int64_t labels, int64_t width);
    // keys.h
    void (*fill_keys)(const Slots &, int64_t count, const int64_t *keys, const int32_t *numbers);
    void (*look_up)(const Slots &, int64_t count, const int64_t *keys, int32_t otherwise, int32_t *out);
    // fields.h
    void (*scan_lines)(const Bytes &, int64_t lines, int64_t *begins, int32_t *widths);
    int64_t (*code_fields)(const Bytes &, int64_t count, const int32_t *rows, int64_t columns, uint64_t secret,
                           int32_t *codes, int64_t *places, int64_t *distinct);
    // likelihood.h
    int64_t (*likelihood)(const Chain &, const Edges &, const Labelled &, const Entries &, const Weighing &weights,
                          const Weighing &gradient, const ManyTokenWeights &, double scale, double *gain, double *edge);
    // stochastic.h
    int64_t (*visit)(const Chain &, const Labelled &, const Attached &, const Moving &, const Moving *late, const Walk &,
                     double *weight, double *gain);
    // fused.h
    int64_t (*expected_lines)(const Chain &, const Edges &, const double *omega, const Entries &, const Weighing &weights,
                              const ManyTokenWeights &, const Entries &lines, double *q, double *kept);
    int64_t (*fused_covariance)(const Chain &, const Edges &, const double *omega, const Entries &,
                                const Weighing &weights, const Weighing &gradient, const ManyTokenWeights &,
                                const Entries *lines, const double *slopes, const double *kept, double *mean,
                                double *edge);
    // vectors.h
    double (*dot)(const double *a, const double *b, int64_t begin, int64_t end);
    void (*products_of_pairs)(const Pairs &, const double *inverse, const double *a, int64_t newest, int64_t begin,
                              int64_t end, double *out);
    void (*weighed_squares)(const Pairs &, const double *inverse, int64_t begin, int64_t end, double *out);
    void (*coefficients)(int64_t memory, const double *products, const double *s_y, const double *y_y, double scale,
                         int64_t newest, int64_t count, double *taken, double *added);
    double (*combined)(const Pairs &, const double *inverse, const double *a, double scale, int64_t newest,
                       int64_t count, const double *taken, const double *added, int64_t begin, int64_t end, double *d);
    void (*add_pair)(const Pairs &, const double *theta, const double *next_theta, const double *g,
                     const double *next_g, int64_t row, int64_t begin, int64_t end, double *products);
    void (*move)(int64_t size, const double *theta, const double *d, double step, double *out);
    void (*move_in_orthant)(int64_t size, const double *theta, const double *d, double step, const double *a,
                            const uint8_t *penalised, double *out, double *totals);
    double (*penalised_size)(int64_t size, const double *theta, const uint8_t *penalised);
    void (*pseudo_gradient)(int64_t size, const double *theta, const double *g, const uint8_t *penalised, double l1,
                            double *a);
    double (*align)(int64_t size, double *d, const double *a, const double *theta, const uint8_t *penalised,
                    bool zeros_only);
    // exchange.h
    void (*n_log_n)(int64_t count, const int32_t *n, int64_t *h);
    int64_t (*best_clusters)(const Exchange &, int64_t begin, int64_t end, int32_t *best);
    int64_t (*exchange)(const Exchange &, int64_t begin, int64_t end, const int32_t *best);
    // merging.h
    void (*own_sums)(const Merging &);
    void (*losses)(const Merging &, int64_t begin, int64_t end);
    int64_t (*merge_nearest)(const Merging &, int32_t *pair);
};

extern const Core PORTABLE;
#if defined(__x86_64__) || defined(_M_X64)
extern const Core X86_64_V3, X86_64_V4;
#elif defined(__aarch64__) || defined(_M_ARM64)
extern const Core ARM64;
#endif
