// All of the core for one level of processors: compiled once for each, with its name and its instructions (setup.py).
#include "core.h"

#include "beam.h"
#include "dense.h"
#include "entropies.h"
#include "fields.h"
#include "keys.h"
#include "fused.h"
#include "likelihood.h"
#include "merging.h"
#include "nested.h"
#include "paths.h"
#include "segments.h"
#include "sparse.h"
#include "stochastic.h"
#include "tokens.h"
#include "vectors.h"

namespace LEVEL {

template <class Function>
INLINE void for_all(int64_t count, const double *x, double *out, Function function) {
    along(0, count, [&](int64_t i, int numbers) { put(out + i, function(some(x + i, numbers)), numbers); });
}

static void exponentials(int64_t count, const double *x, double *out) {
    for_all(count, x, out, [](Lanes a) { return exponential(a); });
}

static void logarithms(int64_t count, const double *x, double *out) {
    for_all(count, x, out, [](Lanes a) { return logarithm(a); });
}

}  // namespace LEVEL

#define QUOTED(text) #text
#define TEXT_OF(name) QUOTED(name)

using namespace LEVEL;

extern const Core LEVEL_TABLE = {
    TEXT_OF(LEVEL),
    exponentials,
    logarithms,
    factor_edges,
    forward,
    backward,
    node_marginals,
    edge_counts,
    edge_marginals,
    covariance,
    token_entropies,
    conditional_entropies,
    alpha_entropies,
    beta_entropies,
    subsequence_entropies,
    best_suffixes,
    viterbi,
    k_best,
    sample,
    path_scores,
    segment_probabilities,
    beam,
    nested_products,
    count_entries,
    list_entries,
    fill_rows,
    add_from_rows,
    scores,
    gradient,
    dense_scores,
    dense_gradient,
    token_scores,
    token_slopes,
    fill_keys,
    look_up,
    scan_lines,
    code_fields,
    likelihood,
    visit,
    expected_lines,
    fused_covariance,
    dot,
    products_of_pairs,
    weighed_squares,
    coefficients,
    combined,
    add_pair,
    move,
    move_in_orthant,
    penalised_size,
    pseudo_gradient,
    align,
    n_log_n,
    best_clusters,
    exchange,
    own_sums,
    losses,
    merge_nearest,
};
