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

// The groups of a batch of unlabelled sentences, with memory for them.
struct Unlabelled {
    const Chain &batch;
    const Edges &e;
    int64_t tokens = 0, sentences = 0;

    Unlabelled(const Chain &batch, const Edges &e) : batch(batch), e(e) {
        for (int64_t first = 0, stop; first < batch.sentences; first = stop) {
            stop = end_of_group(batch, first);
            const int64_t positions = batch.offsets[stop] - batch.offsets[first];
            if (positions > tokens) tokens = positions;
            if (stop - first > sentences) sentences = stop - first;
        }
    }

    // Calls score(groups, first) for the scores of each group, and use(groups, first, stop) when both passes over it are
    // done. Returns what `forward` does, or what the latter call returns.
    template <class Score, class Use>
    int64_t each_group(const double *omega, const Entries &entries, const Weighing &weights, const Weighing &gradient,
                       Score score, Use use) {
        const int64_t labels = batch.labels;
        Room all(batch, tokens, sentences), masked(batch, 0, 0);
        Scratch ends(2 * labels), kinds(batch.sentences), nothing(0);
        if (!all.is_made() || !masked.is_made() || !ends.at || !kinds.at || !nothing.at) return NO_MEMORY;
        memset(ends.at, 0, (size_t)(2 * labels) * sizeof(double));
        int32_t *kind = (int32_t *)kinds.at;
        for (int64_t s = 0; s < batch.sentences; ++s) kind[s] = Labelled::FULL;
        Labelled labelled{};
        labelled.omega = omega, labelled.kind = kind;
        EdgeCounts none(Chain{}, nothing.at), no_masked(Chain{}, nothing.at);
        if (!none.is_made() || !no_masked.is_made()) return NO_MEMORY;
        LikelihoodOf groups{batch, e,      labelled, entries,   weights,  gradient,        -1.0,
                            all,   masked, none,     no_masked, ends.at, ends.at + labels};
        for (int64_t first = 0, stop; first < batch.sentences; first = stop) {
            stop = end_of_group(batch, first);
            groups.enter(first, stop);
            score(groups, first);
            memset(all.f.in_log, 0, (size_t)all.chain.sentences);
            int64_t failed = forward(all.chain, e, all.f);
            if (failed != NONE) return failed >= 0 ? failed + first : failed - first;
            backward(all.chain, e, all.f, all.b);
            if ((failed = use(groups, first, stop)) != NONE) return failed;
        }
        if (gradient.begin) add_row(gradient.begin, ends.at, labels);
        if (gradient.end) add_row(gradient.end, ends.at + labels, labels);
        return NONE;
    }
};

// Copies the scores of a group.
INLINE void copy(const double *from, const Chain &group, double *to) {
    memcpy(to, from, (size_t)(group.tokens * group.labels) * sizeof(double));
}

INLINE Entries rows_of(const Entries &entries, int64_t start, int64_t count) {
    Entries part = entries;
    part.count = count, part.row_first += start, part.pair_first += start;
    return part;
}

// q (M, L) gets what the lines of each position add; `kept` (T, L) the scores, if it is given.
static int64_t expected_lines(const Chain &batch, const Edges &e, const double *omega, const Entries &entries,
                              const Weighing &weights, const Entries &lines, double *q, double *kept) {
    Unlabelled sentences(batch, e);
    auto score = [&](LikelihoodOf &groups, int64_t first) {
        groups.score(first);
        if (kept) copy(groups.all.unary, groups.all.chain, kept + batch.offsets[first] * batch.labels);
    };
    return sentences.each_group(omega, entries, weights, Weighing{}, score, [&](LikelihoodOf &groups, int64_t first, int64_t) {
        Room &all = groups.all;
        node_marginals(all.chain, all.f, all.b, all.omega, all.unary);
        gradient(rows_of(lines, batch.offsets[first], all.chain.tokens), all.unary, batch.labels, batch.labels, q, nullptr);
        return NONE;
    });
}

// mean_s = E[r], and ω Cov(r, ·): that of nodes is added to `gradient`, that of steps is put into edge (K, L, L). r is the
// sum of the slopes (M, L) of the lines of each position; without lines it is log p(y|x). `kept` (T, L) are the scores, if
// they are known.
static int64_t fused_covariance(const Chain &batch, const Edges &e, const double *omega, const Entries &entries,
                                const Weighing &weights, const Weighing &into, const Entries *lines,
                                const double *slopes, const double *kept, double *mean, double *edge) {
    const int64_t cells = batch.matrices * batch.labels * batch.labels;
    Unlabelled sentences(batch, e);
    Scratch own(cells), r(lines ? sentences.tokens * batch.labels : 0);
    if (!own.at || !r.at) return NO_MEMORY;
    memset(edge, 0, (size_t)cells * sizeof(double));
    auto score = [&](LikelihoodOf &groups, int64_t first) {
        if (kept)
            copy(kept + batch.offsets[first] * batch.labels, groups.all.chain, groups.all.unary);
        else
            groups.score(first);
    };
    return sentences.each_group(omega, entries, weights, into, score, [&](LikelihoodOf &groups, int64_t first, int64_t stop) {
        Room &all = groups.all;
        Additive about{};
        if (lines) {
            const Entries here = rows_of(*lines, batch.offsets[first], all.chain.tokens);
            scores(here, nullptr, slopes, batch.labels, batch.labels, false, r.at);
            about.unary = r.at;
        }
        const int64_t failed =
            covariance(all.chain, e, all.f, all.b, about, all.omega, mean + first, all.unary, own.at);
        if (failed != NONE) return failed;
        add_row(edge, own.at, cells);
        groups.scatter(first, stop);
        return NONE;
    });
}

}  // namespace LEVEL
