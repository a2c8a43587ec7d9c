// Objectives of unlabelled sentences, from weights to the gradient in weights, a group of sentences at a time
// (likelihood.h says why): the entropy, and expectations about lines that tokens have.
//
//     q_m(y) = Σ_{t with line m} ω_s p_t(y)                              the first look at expectations
//     ∂/∂potentials = ω_s Cov(r, cliques)                                the second, with r_t(y) = Σ_{m at t} slope_m(y)
//     ∂(-Σ_s ω_s H_s)/∂potentials = ω_s Cov(log p(y|x), cliques)         the entropy
#pragma once

#include "covariance.h"
#include "likelihood.h"

namespace LEVEL {

constexpr int64_t NEAR_WITH_MOMENTS = NEAR / 2;  // as many numbers come to those of a group

// The groups of a batch of unlabelled sentences, with memory for them.
struct Unlabelled {
    const Chain &batch;
    const Edges &e;
    int64_t tokens = 0, sentences = 0;

    Unlabelled(const Chain &batch, const Edges &e) : batch(batch), e(e) {
        for (int64_t first = 0, stop; first < batch.sentences; first = stop) {
            stop = end_of_group(batch, first, NEAR_WITH_MOMENTS, FEW);
            const int64_t positions = batch.offsets[stop] - batch.offsets[first];
            if (positions > tokens) tokens = positions;
            if (stop - first > sentences) sentences = stop - first;
        }
    }

    // Calls pass(groups, first) for both passes over each group, and then use(groups, first, stop). Returns what the former
    // does.
    template <class Pass, class Use>
    int64_t each_group(const double *omega, const Entries &entries, const Weighing &weights, const Weighing &gradient,
                       const ManyTokenWeights &numbers, Pass pass, Use use) {
        const int64_t labels = batch.labels;
        Room all(batch, tokens, sentences), masked(batch, 0, 0);
        Scratch ends(2 * labels), kinds(batch.sentences), nothing(0);
        const TokenRoom room(numbers, labels);
        if (!all.is_made() || !masked.is_made() || !ends.at || !kinds.at || !nothing.at || !room.is_made())
            return NO_MEMORY;
        memset(ends.at, 0, (size_t)(2 * labels) * sizeof(double));
        int32_t *kind = (int32_t *)kinds.at;
        for (int64_t s = 0; s < batch.sentences; ++s) kind[s] = Labelled::FULL;
        Labelled labelled{};
        labelled.omega = omega, labelled.kind = kind;
        EdgeCounts none(Chain{}, nothing.at), no_masked(Chain{}, nothing.at);
        if (!none.is_made() || !no_masked.is_made()) return NO_MEMORY;
        LikelihoodOf groups{{batch, e, labelled, -1.0, all, masked, none, no_masked}, entries, weights, gradient, ends.at,
                            ends.at + labels, numbers, room};
        for (int64_t first = 0, stop; first < batch.sentences; first = stop) {
            stop = end_of_group(batch, first, NEAR_WITH_MOMENTS, FEW);
            groups.enter(first, stop);
            const int64_t failed = pass(groups, first);
            if (failed != NONE) return failed >= 0 ? failed + first : failed - first;
            use(groups, first, stop);
        }
        if (gradient.begin) add_row(gradient.begin, ends.at, labels);
        if (gradient.end) add_row(gradient.end, ends.at + labels, labels);
        return NONE;
    }
};

INLINE Entries rows_of(const Entries &entries, int64_t start, int64_t count) {
    Entries part = entries;
    part.count = count, part.row_first += start, part.pair_first += start;
    return part;
}

// q (M, L) gets what the lines of each position add; `kept` (T, W), if it is given, the weights w of the forward pass, for
// the second look. The first number of a group is NaN where they do not serve it, because a sentence is in logs.
static int64_t expected_lines(const Chain &batch, const Edges &e, const double *omega, const Entries &entries,
                              const Weighing &weights, const ManyTokenWeights &numbers, const Entries &lines, double *q,
                              double *kept) {
    Unlabelled sentences(batch, e);
    auto pass = [&](LikelihoodOf &groups, int64_t first) {
        Room &all = groups.all;
        groups.score(first);
        if (!kept) return all.both_ways(e);
        all.f.w = kept + batch.offsets[first] * batch.width;
        const int64_t failed = all.both_ways(e);
        for (int64_t s = 0; s < all.chain.sentences; ++s)
            if (all.f.in_log[s]) all.f.w[0] = NAN;
        return failed;
    };
    auto use = [&](LikelihoodOf &groups, int64_t first, int64_t) {
        Room &all = groups.all;
        node_marginals(all.chain, all.f, all.b, all.omega, all.unary);
        gradient(rows_of(lines, batch.offsets[first], all.chain.tokens), all.unary, batch.labels, batch.labels, q, nullptr);
    };
    return sentences.each_group(omega, entries, weights, Weighing{}, numbers, pass, use);
}

// mean_s = E[r], and ω Cov(r, ·): that of nodes is added to `gradient`, that of steps is put into edge (K, L, L). r is the
// sum of the slopes (M, L) of the lines of each position; without lines it is log p(y|x). `kept` (T, W) is what
// `expected_lines` kept, if it did.
static int64_t fused_covariance(const Chain &batch, const Edges &e, const double *omega, const Entries &entries,
                                const Weighing &weights, const Weighing &into, const ManyTokenWeights &numbers,
                                const Entries *lines, const double *slopes, const double *kept, double *mean,
                                double *edge) {
    Unlabelled sentences(batch, e);
    Moments a(batch, sentences.tokens, true, !lines);
    Scratch values(lines ? sentences.tokens * batch.labels : 0);
    if (!a.memory.at || !values.at) return NO_MEMORY;
    Additive r{};
    if (lines) r.unary = values.at;
    fill_edge_moments(batch, e, r, a);
    memset(edge, 0, (size_t)(batch.matrices * batch.labels * batch.labels) * sizeof(double));
    auto pass = [&](LikelihoodOf &groups, int64_t first) {
        Room &all = groups.all;
        // The gradient takes the place of the scores, so a sentence whose β is lost is begun anew, in logs.
        Chain &chain = all.chain, without_scores = chain;
        without_scores.unary = nullptr;
        const Rho rho{chain, e, all.f, r, a};
        const Backward b{all.b.beta, all.b.beta};  // v takes the place of β
        const Sigma<false> sigma{chain, e, all.f, b, r, a, all.omega, all.unary};
        if (lines)
            scores(rows_of(*lines, batch.offsets[first], chain.tokens), nullptr, slopes, batch.labels, batch.labels,
                   false, values.at);
        const double *w = kept ? kept + batch.offsets[first] * batch.width : nullptr;
        int64_t failed = NO_SCORES;
        memset(all.f.in_log, 0, (size_t)chain.sentences);
        if (w && *w == *w) {
            memcpy(all.f.w, w, (size_t)(chain.tokens * batch.width) * sizeof(double));
            failed = walk_forward(without_scores, e, all.f, rho);
            if (failed == NO_SCORES) memset(all.f.in_log, 0, (size_t)chain.sentences);
            else failed = walk_backward(without_scores, e, all.f, b, sigma);
        }
        while (failed == NO_SCORES) {
            groups.score(first);
            failed = walk_forward(chain, e, all.f, rho);
            if (failed == NONE) failed = walk_backward(without_scores, e, all.f, b, sigma);
        }
        return failed;
    };
    auto use = [&](LikelihoodOf &groups, int64_t first, int64_t stop) {
        Room &all = groups.all;
        finish_rho(all.chain, e, all.f, r, a, mean + first);
        finish_sigma(all.chain, e, all.f, {all.b.beta, all.b.beta}, a, all.omega, all.unary, edge);
        groups.scatter(first, stop);
    };
    const int64_t failed = sentences.each_group(omega, entries, weights, into, numbers, pass, use);
    if (failed == NONE) finish_covariance(batch, e, a, edge);
    return failed;
}

}  // namespace LEVEL
