// The nested dynamic programme of Jiao et al. (2006, §3): E[f g] for every pair of cliques, O(n² L³).
//
//     M_{s+1..t} = Π_{l=s+1..t} M_l                                            the summary matrices, one after another
//     E[f_s g_t] = Σ_{y', y} α_{s-1}(y') M_s(y', y) f_s(y', y) · Σ_y'' M_{s+1..t}(y, y'') g_t(y'') β_t(y'') / Z,  s < t
//
// Since only Cov(f, f) θ is wanted, the products with the score are summed as they arise: `mass` is the score of the
// clique that ends at s, on each label there, `left` what it becomes at t, and `right` the score of what comes after s.
//
// Differs: as printed, the sums over nodes have α_{s-1} and M_{s+1..t-1} for α_s and M_{s+1..t}, the second sums β_t for
// β_s, and pairs of features of one clique, s = t, are missing. M_l is taken between its β, M_l(i, j) β_l(j) / β_{l-1}(i)
// = p(y_l=j | y_{l-1}=i), and α β / Z = p, so that no product leaves the range of numbers.
#pragma once

#include "chain.h"
#include "memory.h"

namespace LEVEL {

// nodes and edge += ω E[score · clique] of sentence s; mean = E[score].
static int64_t nested_products(const Chain &chain, int64_t s, const Conditionals &given, double omega, double *nodes,
                               double *edge, double *mean) {
    const int64_t labels = chain.labels, cells = labels * labels, width = chain.width;
    const int64_t start = chain.offsets[s], length = chain.offsets[s + 1] - start;
    const int vectors = (int)(width / LANES);
    Scratch memory(length * labels * width + length * width + 2 * labels * width + 3 * width);
    if (!memory.at) return NO_MEMORY;
    double *m = memory.at, *after = m + length * labels * width, *summary = after + length * width;
    double *longer = summary + labels * width, *mass = longer + labels * width, *left = mass + width, *right = left + width;
    const double *u = chain.unary + start * labels;
    auto matrix = [&](const double *of, int64_t t) { return of + chain.edge_index[start + t] * cells; };
    memset(after, 0, (size_t)(length * width) * sizeof(double));
    for (int64_t t = 1; t < length; ++t)  // M_t in tiles, and after_t(i) = Σ_j M_t(i, j) e_t(i, j)
        for (int64_t i = 0; i < labels; ++i) {
            double total = 0.0;
            for (int64_t j = 0; j < labels; ++j)
                total += given.m[t * cells + i * labels + j] * matrix(chain.edge, t)[i * labels + j];
            after[t * width + i] = total;
            for (int n = 0; n < vectors; ++n)
                store(m + t * labels * width + place_in_tiles(labels, vectors, i, n * LANES),
                      load_row(given.m + t * cells + i * labels, labels, n));
        }
    auto score_after = [&](const double *score, int64_t count) {  // right += summary · score
        for (int64_t i = 0; i < labels; ++i) {
            Lanes total = each(0.0);
            for (int n = 0; n < vectors; ++n)
                total = fused(load(summary + i * width + n * LANES), load_row(score, count, n), total);
            right[i] += sum(total);
        }
    };
    auto score_before = [&] {  // left = mass · summary
        for (int n = 0; n < vectors; ++n) {
            Lanes total = each(0.0);
            for (int64_t i = 0; i < labels; ++i)
                total = fused(each(mass[i]), load(summary + i * width + n * LANES), total);
            store(left + n * LANES, total);
        }
    };
    double found = 0.0;
    for (int64_t at = 0; at < length; ++at) {
        memset(mass, 0, (size_t)width * sizeof(double));
        memset(right, 0, (size_t)width * sizeof(double));
        memset(summary, 0, (size_t)(labels * width) * sizeof(double));
        for (int64_t a = 0; a < labels; ++a) {
            mass[a] = given.p[at * labels + a] * u[at * labels + a];
            summary[a * width + a] = 1.0;
        }
        for (int64_t b = 0; at > 0 && b < labels; ++b)
            for (int64_t a = 0; a < labels; ++a)
                mass[a] += given.p_edge[at * cells + b * labels + a] * matrix(chain.edge, at)[b * labels + a];
        for (int64_t t = at + 1; t < length; ++t) {
            double *steps = edge + (matrix(chain.edge, t) - chain.edge);
            score_before();  // f ends at `at`, g is the step to t
            for (int64_t i = 0; i < labels; ++i)
                for (int n = 0; n < vectors; ++n) {
                    Lanes step = load_row(given.m + t * cells + i * labels, labels, n);
                    Lanes total = load_row(steps + i * labels, labels, n);
                    store_row(steps + i * labels, labels, n, fused(each(omega * left[i]), step, total));
                }
            score_after(after + t * width, width);  // f is the node at `at`, g the step to t
            for (int64_t i = 0; i < labels; ++i) {  // M_{s+1..t} = M_{s+1..t-1} M_t
                const double *row = summary + i * width, *one = m + t * labels * width;
                double *to = longer + i * width;
                products<1, true, 1>({{&row, &one}}, labels, vectors, &to);
            }
            double *swap = summary;
            summary = longer, longer = swap;
            score_before();  // … g is the node at t
            for (int64_t j = 0; j < labels; ++j) nodes[t * labels + j] += omega * left[j];
            score_after(u + t * labels, labels);
        }
        for (int64_t a = 0; a < labels; ++a) {  // the two are one clique
            found += mass[a];
            nodes[at * labels + a] += omega * (mass[a] + given.p[at * labels + a] * right[a]);
        }
        for (int64_t b = 0; at > 0 && b < labels; ++b)
            for (int64_t a = 0; a < labels; ++a) {
                const int64_t cell = b * labels + a;
                const double score = matrix(chain.edge, at)[cell] + u[at * labels + a] + right[a];
                edge[(matrix(chain.edge, at) - chain.edge) + cell] += omega * given.p_edge[at * cells + cell] * score;
            }
    }
    *mean = found;
    return NONE;
}

}  // namespace LEVEL
