// The module `sstag.chain._core`: each function takes structs of arrays, checks them, lets other threads run, and calls
// the best level that this processor has. SSTAG_LEVEL in the environment names another one.
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include "door.h"

#include "core.h"
#include "memory.h"
#include "processor.h"

#include <stdlib.h>

static const Core *levels[4];
static int level_count = 0;

struct State {
    const Core *core;
};

static const Core &core_of(PyObject *module) { return *((State *)PyModule_GetState(module))->core; }

// ---------------------------------------------------------------------------------------------- structs of arrays

struct Sizes {
    Size tokens{"T"}, sentences{"S"}, bounds{"S + 1"}, labels{"L"}, matrices{"K"}, width{"W"}, tiled{"L · W"};
};

// The sizes that those of the matrices (K, L, L) tell.
static void set_sizes(Door &door, Chain &chain, Sizes &n) {
    if (!door.failed && n.labels.value < 1) door.refuse("there is no label");
    if (!door.failed && n.labels.value > 1 << 20) door.refuse("there are too many labels");
    if (door.failed) return;
    n.width.value = (n.labels.value + 7) / 8 * 8;
    n.tiled.value = n.labels.value * n.width.value;
    chain.labels = n.labels.value, chain.matrices = n.matrices.value, chain.width = n.width.value;
}

// The bounds of sentences, which must rise from 0 to the number of positions.
static void set_bounds(Door &door, Chain &chain, Sizes &n) {
    if (!door.failed && n.bounds.value < 1) door.refuse("there is no sentence bound");
    if (door.failed) return;
    n.sentences.value = n.bounds.value - 1;
    chain.tokens = n.tokens.value, chain.sentences = n.sentences.value;
    bool do_rise = chain.offsets[0] == 0 && chain.offsets[chain.sentences] == chain.tokens;
    for (int64_t s = 0; s < chain.sentences; ++s) do_rise = do_rise && chain.offsets[s] < chain.offsets[s + 1];
    if (!do_rise) door.refuse("offsets must rise from 0 to the number of positions");
}

// Potentials, but for those of nodes if `with_unary` says so, and what is allowed; the sizes are known afterwards.
static Chain take_chain(Door &door, PyObject *potentials, PyObject *allowed, Sizes &n, bool with_unary = true) {
    Chain chain{};
    if (with_unary) chain.unary = door.array<double>(potentials, "unary", {&n.tokens, &n.labels});
    chain.edge = door.array<double>(potentials, "edge", {&n.matrices, &n.labels, &n.labels});
    chain.edge_index = door.array<int32_t>(potentials, "edge_index", {&n.tokens});
    chain.offsets = door.array<int64_t>(potentials, "offsets", {&n.bounds});
    if (allowed) chain.allowed = door.own<uint8_t>(allowed, "allowed", {&n.tokens, &n.labels}, READ, true);
    if (door.failed) return chain;
    set_sizes(door, chain, n);
    set_bounds(door, chain, n);
    for (int64_t s = 0; s < chain.sentences && !door.failed; ++s)
        for (int64_t t = chain.offsets[s] + 1; t < chain.offsets[s + 1]; ++t)
            if (chain.edge_index[t] < 0 || chain.edge_index[t] >= chain.matrices) {
                door.refuse("edge_index must be from 0 to %zd inside a sentence", (Py_ssize_t)chain.matrices - 1);
                break;
            }
    return chain;
}

static Edges take_edges(Door &door, PyObject *edges, Sizes &n, Access access = READ) {
    Edges e{};
    e.log_p = door.array<double>(edges, "log_p", {&n.matrices, &n.labels, &n.labels}, access);
    e.p = door.array<double>(edges, "p", {&n.matrices, &n.tiled}, access);
    e.p_transposed = door.array<double>(edges, "p_transposed", {&n.matrices, &n.tiled}, access);
    e.shift = door.array<double>(edges, "shift", {&n.matrices}, access);
    return e;
}

static Forward take_forward(Door &door, PyObject *forward, Sizes &n, Access access = READ) {
    Forward f{};
    f.w = door.array<double>(forward, "w", {&n.tokens, &n.width}, access);
    f.shift = door.array<double>(forward, "shift", {&n.tokens}, access);
    f.alpha = door.array<double>(forward, "alpha", {&n.tokens, &n.width}, access);
    f.c = door.array<double>(forward, "c", {&n.tokens}, access);
    f.log_z = door.array<double>(forward, "log_z", {&n.sentences}, access);
    f.in_log = door.array<uint8_t>(forward, "in_log", {&n.sentences}, access);
    return f;
}

static Backward take_backward(Door &door, PyObject *backward, Sizes &n, Access access = READ) {
    Backward b{};
    b.beta = door.array<double>(backward, "beta", {&n.tokens, &n.width}, access);
    b.v = door.array<double>(backward, "v", {&n.tokens, &n.width}, access);
    return b;
}

// A lattice whose passes are done, as most functions take it.
struct Lattice {
    Sizes n;
    Chain chain;
    Edges e;
    Forward f;
    Backward b;
    Lattice(Door &door, PyObject *const *arguments)
        : chain(take_chain(door, arguments[0], nullptr, n)),
          e(take_edges(door, arguments[1], n)),
          f(take_forward(door, arguments[2], n)),
          b(take_backward(door, arguments[3], n)) {}
};

// Whether all numbers are from 0 to limit - 1: neither a number nor its distance from the last one is negative.
static bool is_within(const int32_t *numbers, int64_t begin, int64_t end, int64_t limit) {
    if (begin == end) return true;
    const uint32_t last = limit > INT32_MAX ? INT32_MAX : (uint32_t)(limit - 1);
    uint32_t signs = limit > 0 ? 0 : UINT32_MAX;
    for (int64_t i = begin; i < end; ++i) signs |= (uint32_t)numbers[i] | (last - (uint32_t)numbers[i]);
    return !(signs >> 31);
}

static bool is_rising(const int64_t *numbers, int64_t count, int64_t limit) {
    bool is = numbers[0] >= 0 && numbers[count - 1] <= limit;
    for (int64_t i = 1; i < count; ++i) is = is && numbers[i] >= numbers[i - 1];
    return is;
}

static Entries take_entries(Door &door, PyObject *entries, Size &count, Size &labels, Size &table_rows, Size &weights) {
    Size bounds("N + 1"), rows("rows"), pairs("pairs");
    Entries e{};
    e.row_first = door.array<int64_t>(entries, "row_first", {&bounds});
    e.rows = door.array<int32_t>(entries, "rows", {&rows});
    e.row_values = door.array<double>(entries, "row_values", {&rows}, READ, true);
    e.pair_first = door.array<int64_t>(entries, "pair_first", {&bounds});
    e.pairs = door.array<int32_t>(entries, "pairs", {&pairs});
    e.labels = door.array<int32_t>(entries, "labels", {&pairs});
    e.pair_values = door.array<double>(entries, "pair_values", {&pairs}, READ, true);
    if (door.failed) return e;
    if (bounds.value < 1) door.refuse("row_first must have a bound");
    if (!door.failed && count.value < 0) count.value = bounds.value - 1;
    if (!door.failed && count.value != bounds.value - 1)
        door.refuse("there are %zd rows of entries for %zd rows", (Py_ssize_t)bounds.value - 1, (Py_ssize_t)count.value);
    if (!door.failed && !e.row_values != !e.pair_values) door.refuse("row_values and pair_values go together");
    if (!door.failed && !(is_rising(e.row_first, bounds.value, rows.value) &&
                          is_rising(e.pair_first, bounds.value, pairs.value)))
        door.refuse("row_first and pair_first must rise within their lists");
    if (door.failed) return e;
    e.count = count.value;
    e.all_rows = e.row_first[e.count], e.all_pairs = e.pair_first[e.count];
    if (!is_within(e.rows, e.row_first[0], e.all_rows, table_rows.value) ||
        !is_within(e.pairs, e.pair_first[0], e.all_pairs, weights.value) ||
        !is_within(e.labels, e.pair_first[0], e.all_pairs, labels.value))
        door.refuse("entries must be rows of the table, places of weights and labels");
    return e;
}

// ---------------------------------------------------------------------------------------------- calls

#define ARGUMENTS PyObject *module, PyObject *const *arguments, Py_ssize_t given
#define TAKES(wanted)                                                                                     \
    if (given != (wanted)) {                                                                              \
        PyErr_Format(PyExc_TypeError, "%d arguments are wanted, not %zd", (int)(wanted), given);          \
        return nullptr;                                                                                   \
    }                                                                                                     \
    const Core &core = core_of(module);                                                                   \
    Door door
#define ENTER \
    if (!door.is_open()) return nullptr

static PyObject *answer(int64_t result) {
    return result == NO_MEMORY ? PyErr_NoMemory() : PyLong_FromLongLong(result);
}

static int64_t take_integer(Door &door, PyObject *object, const char *name, int64_t least, int64_t most) {
    if (door.failed) return least;
    long long value = PyLong_AsLongLong(object);
    if (value == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        door.refuse("%s must be a whole number", name);
        return least;
    }
    if (value < least || value > most) {
        door.refuse("%s must be from %lld to %lld, not %lld", name, (long long)least, (long long)most, value);
        return least;
    }
    return value;
}

static double take_number(Door &door, PyObject *object, const char *name) {
    if (door.failed) return 0.0;
    double value = PyFloat_AsDouble(object);
    if (value == -1.0 && PyErr_Occurred()) {
        PyErr_Clear();
        door.refuse("%s must be a number", name);
    }
    return value;
}

// A pass of forward or backward, a marginal: `Call` runs without the lock of the interpreter.
template <class Call>
static auto unlocked(Call call) {
    PyThreadState *state = PyEval_SaveThread();
    auto result = call();
    PyEval_RestoreThread(state);
    return result;
}
template <class Call>
static PyObject *done(Call call) {
    unlocked([&] {
        call();
        return 0;
    });
    return Py_NewRef(Py_None);
}

static PyObject *use_exponentials(ARGUMENTS) {
    TAKES(2);
    Size n("N");
    const double *x = door.own<double>(arguments[0], "x", {&n});
    double *out = door.own<double>(arguments[1], "out", {&n}, WRITE);
    ENTER;
    return done([&] { core.exponentials(n.value, x, out); });
}

static PyObject *use_logarithms(ARGUMENTS) {
    TAKES(2);
    Size n("N");
    const double *x = door.own<double>(arguments[0], "x", {&n});
    double *out = door.own<double>(arguments[1], "out", {&n}, WRITE);
    ENTER;
    return done([&] { core.logarithms(n.value, x, out); });
}

static PyObject *use_factor_edges(ARGUMENTS) {
    TAKES(2);
    Sizes n;
    Chain chain{};
    chain.edge = door.own<double>(arguments[0], "edge", {&n.matrices, &n.labels, &n.labels});
    set_sizes(door, chain, n);
    Edges e = take_edges(door, arguments[1], n, WRITE);
    ENTER;
    return answer(unlocked([&] { return core.factor_edges(chain, e); }));
}

static PyObject *use_forward(ARGUMENTS) {
    TAKES(4);
    Sizes n;
    Chain chain = take_chain(door, arguments[0], arguments[1], n);
    Edges e = take_edges(door, arguments[2], n);
    Forward f = take_forward(door, arguments[3], n, WRITE);
    ENTER;
    return answer(unlocked([&] { return core.forward(chain, e, f); }));
}

static PyObject *use_backward(ARGUMENTS) {
    TAKES(5);
    Sizes n;
    Chain chain = take_chain(door, arguments[0], arguments[1], n);
    Edges e = take_edges(door, arguments[2], n);
    Forward f = take_forward(door, arguments[3], n, WRITE);
    Backward b = take_backward(door, arguments[4], n, WRITE);
    ENTER;
    return done([&] { core.backward(chain, e, f, b); });
}

static PyObject *use_node_marginals(ARGUMENTS) {
    TAKES(6);
    Lattice l(door, arguments);
    const double *omega = door.own<double>(arguments[4], "omega", {&l.n.sentences});
    double *mu = door.own<double>(arguments[5], "mu", {&l.n.tokens, &l.n.labels}, WRITE);
    ENTER;
    return done([&] { core.node_marginals(l.chain, l.f, l.b, omega, mu); });
}

static PyObject *use_edge_counts(ARGUMENTS) {
    TAKES(6);
    Lattice l(door, arguments);
    const double *omega = door.own<double>(arguments[4], "omega", {&l.n.sentences});
    double *edge = door.own<double>(arguments[5], "edge", {&l.n.matrices, &l.n.labels, &l.n.labels}, WRITE);
    ENTER;
    return answer(unlocked([&] { return core.edge_counts(l.chain, l.e, l.f, l.b, omega, edge); }));
}

static PyObject *use_edge_marginals(ARGUMENTS) {
    TAKES(6);
    Lattice l(door, arguments);
    const int64_t s = take_integer(door, arguments[4], "sentence", 0, l.n.sentences.value - 1);
    Size steps("n - 1", door.failed ? -1 : l.chain.offsets[s + 1] - l.chain.offsets[s] - 1);
    double *out = door.own<double>(arguments[5], "out", {&steps, &l.n.labels, &l.n.labels}, WRITE);
    ENTER;
    return done([&] { core.edge_marginals(l.chain, l.e, l.f, l.b, s, out); });
}

static PyObject *use_covariance(ARGUMENTS) {
    TAKES(10);
    Lattice l(door, arguments);
    Size &t = l.n.tokens, &k = l.n.matrices, &y = l.n.labels;
    Additive r;
    r.unary = door.own<double>(arguments[4], "r.unary", {&t, &y}, READ, true);
    r.edge = door.own<double>(arguments[5], "r.edge", {&k, &y, &y}, READ, true);
    const double *omega = door.own<double>(arguments[6], "omega", {&l.n.sentences});
    double *mean = door.own<double>(arguments[7], "mean", {&l.n.sentences}, WRITE);
    double *nodes = door.own<double>(arguments[8], "nodes", {&t, &y}, WRITE, true);
    double *edge = door.own<double>(arguments[9], "edge", {&k, &y, &y}, WRITE, true);
    if (!door.failed && !nodes != !edge) door.refuse("nodes and edge go together");
    if (!door.failed && r.edge && !r.unary) door.refuse("r.edge goes with r.unary");
    ENTER;
    return answer(unlocked([&] { return core.covariance(l.chain, l.e, l.f, l.b, r, omega, mean, nodes, edge); }));
}

static PyObject *use_token_entropies(ARGUMENTS) {
    TAKES(2);
    Size tokens("T"), labels("L");
    const double *mu = door.own<double>(arguments[0], "mu", {&tokens, &labels});
    double *out = door.own<double>(arguments[1], "out", {&tokens}, WRITE);
    ENTER;
    return done([&] { core.token_entropies(tokens.value, labels.value, mu, out); });
}

static PyObject *use_conditional_entropies(ARGUMENTS) {
    TAKES(5);
    Lattice l(door, arguments);
    double *out = door.own<double>(arguments[4], "out", {&l.n.tokens}, WRITE);
    ENTER;
    return answer(unlocked([&] { return core.conditional_entropies(l.chain, l.e, l.f, l.b, out); }));
}

static PyObject *use_alpha_entropies(ARGUMENTS) {
    TAKES(5);
    Lattice l(door, arguments);
    double *h = door.own<double>(arguments[4], "h", {&l.n.tokens, &l.n.width}, WRITE);
    ENTER;
    return answer(unlocked([&] { return core.alpha_entropies(l.chain, l.e, l.f, l.b, h); }));
}

static PyObject *use_beta_entropies(ARGUMENTS) {
    TAKES(5);
    Lattice l(door, arguments);
    double *h = door.own<double>(arguments[4], "h", {&l.n.tokens, &l.n.width}, WRITE);
    ENTER;
    return answer(unlocked([&] { return core.beta_entropies(l.chain, l.e, l.f, l.b, h); }));
}

static PyObject *use_subsequence_entropies(ARGUMENTS) {
    TAKES(9);
    Lattice l(door, arguments);
    const double *omega = door.own<double>(arguments[4], "omega", {&l.n.sentences});
    const double *h_alpha = door.own<double>(arguments[5], "h_alpha", {&l.n.tokens, &l.n.width});
    const double *h_beta = door.own<double>(arguments[6], "h_beta", {&l.n.tokens, &l.n.width});
    double *nodes = door.own<double>(arguments[7], "nodes", {&l.n.tokens, &l.n.labels}, WRITE);
    double *edge = door.own<double>(arguments[8], "edge", {&l.n.matrices, &l.n.labels, &l.n.labels}, WRITE);
    ENTER;
    return answer(unlocked(
        [&] { return core.subsequence_entropies(l.chain, l.e, l.f, l.b, omega, h_alpha, h_beta, nodes, edge); }));
}

static PyObject *use_best_suffixes(ARGUMENTS) {
    TAKES(3);
    Sizes n;
    Chain chain = take_chain(door, arguments[0], arguments[1], n);
    double *best = door.own<double>(arguments[2], "best", {&n.tokens, &n.labels}, WRITE);
    ENTER;
    return answer(unlocked([&] { return core.best_suffixes(chain, best); }));
}

static PyObject *use_viterbi(ARGUMENTS) {
    TAKES(4);
    Sizes n;
    Chain chain = take_chain(door, arguments[0], nullptr, n);
    const double *best = door.own<double>(arguments[1], "best", {&n.tokens, &n.labels});
    int32_t *y = door.own<int32_t>(arguments[2], "y", {&n.tokens}, WRITE);
    double *scores = door.own<double>(arguments[3], "scores", {&n.sentences}, WRITE);
    ENTER;
    return done([&] { core.viterbi(chain, best, y, scores); });
}

static PyObject *use_k_best(ARGUMENTS) {
    TAKES(5);
    Sizes n;
    Size k("k"), length("n");
    Chain chain = take_chain(door, arguments[0], nullptr, n);
    const int64_t s = take_integer(door, arguments[1], "sentence", 0, n.sentences.value - 1);
    const double *best = door.own<double>(arguments[2], "best", {&n.tokens, &n.labels});
    if (!door.failed) length.value = chain.offsets[s + 1] - chain.offsets[s];
    int32_t *paths = door.own<int32_t>(arguments[3], "paths", {&k, &length}, WRITE);
    double *scores = door.own<double>(arguments[4], "scores", {&k}, WRITE);
    if (!door.failed && k.value < 1) door.refuse("k must be at least 1");
    ENTER;
    return answer(unlocked([&] { return core.k_best(chain, s, best, k.value, paths, scores); }));
}

static PyObject *use_sample(ARGUMENTS) {
    TAKES(5);
    Sizes n;
    Chain chain = take_chain(door, arguments[0], nullptr, n);
    Edges e = take_edges(door, arguments[1], n);
    Forward f = take_forward(door, arguments[2], n);
    const double *uniform = door.own<double>(arguments[3], "uniform", {&n.tokens});
    int32_t *y = door.own<int32_t>(arguments[4], "y", {&n.tokens}, WRITE);
    ENTER;
    for (int64_t t = 0; t < chain.tokens; ++t) y[t] = 0;
    return answer(unlocked([&] { return core.sample(chain, e, f, uniform, y); }));
}

static PyObject *use_path_scores(ARGUMENTS) {
    TAKES(3);
    Sizes n;
    Chain chain = take_chain(door, arguments[0], nullptr, n);
    const int32_t *y = door.own<int32_t>(arguments[1], "y", {&n.tokens});
    double *scores = door.own<double>(arguments[2], "scores", {&n.sentences}, WRITE);
    if (!door.failed && !is_within(y, 0, chain.tokens, chain.labels)) door.refuse("a path needs labels");
    ENTER;
    return done([&] { core.path_scores(chain, y, scores); });
}

static PyObject *use_segment_probabilities(ARGUMENTS) {
    TAKES(6);
    Lattice l(door, arguments);
    PyObject *given_segments = arguments[4];
    Size count("N"), members("members"), bounds("bounds");
    Segments g{};
    g.first = door.array<int64_t>(given_segments, "first", {&count});
    g.stop = door.array<int64_t>(given_segments, "stop", {&count});
    g.kind = door.array<int64_t>(given_segments, "kind", {&count});
    g.members = door.array<int64_t>(given_segments, "members", {&members});
    g.bounds = door.array<int64_t>(given_segments, "bounds", {&bounds});
    g.joined = door.array<uint8_t>(given_segments, "joined", {&l.n.labels, &l.n.labels});
    double *out = door.own<double>(arguments[5], "out", {&count}, WRITE);
    ENTER;
    g.count = count.value;
    if (bounds.value < 1 || !is_rising(g.bounds, bounds.value, members.value)) door.refuse("bounds must rise");
    for (int64_t i = 0; i < members.value && !door.failed; ++i)
        if (g.members[i] < 0 || g.members[i] >= l.chain.labels) door.refuse("members must be labels");
    for (int64_t k = 0; k + 1 < bounds.value && !door.failed; ++k)
        if (g.bounds[k + 1] - g.bounds[k] > l.chain.labels) door.refuse("a kind has more labels than there are");
    int64_t s = 0;
    for (int64_t i = 0; i < count.value && !door.failed; ++i) {
        if (g.kind[i] < 0 || g.kind[i] + 1 >= bounds.value)
            door.refuse("kind must be one of the kinds");
        else if (g.first[i] < (i ? g.first[i - 1] : 0) || g.first[i] >= l.chain.tokens)
            door.refuse("segments must be ascending positions");
        else {
            while (l.chain.offsets[s + 1] <= g.first[i]) ++s;
            if (g.stop[i] <= g.first[i] || g.stop[i] > l.chain.offsets[s + 1])
                door.refuse("a segment must lie within one sentence");
        }
    }
    ENTER;
    return answer(unlocked([&] { return core.segment_probabilities(l.chain, l.e, l.f, l.b, g, out); }));
}

static PyObject *use_beam(ARGUMENTS) {
    TAKES(6);
    Sizes n;
    Size k("k"), wants("wanted"), orders("orders"), lengths("lengths");
    Chain chain = take_chain(door, arguments[0], arguments[1], n);
    PyObject *costs = arguments[2];
    Penalties p{};
    p.nodes = door.array<double>(costs, "nodes", {&n.tokens, &n.labels});
    p.steps = door.array<double>(costs, "steps", {&n.tokens});
    p.bits = door.array<int64_t>(costs, "bits", {&n.labels});
    p.again = door.array<double>(costs, "again", {&n.labels});
    p.wanted = door.array<int64_t>(costs, "wanted", {&wants});
    p.missing = door.array<double>(costs, "missing", {&wants});
    p.later = door.array<int64_t>(costs, "later", {&orders, &n.labels});
    p.early = door.array<double>(costs, "early", {&orders, &n.labels});
    p.shorter = door.array<double>(costs, "shorter", {&n.labels, &lengths});
    p.longer = door.array<double>(costs, "longer", {&n.labels, &lengths});
    int32_t *paths = door.own<int32_t>(arguments[3], "paths", {&k, &n.tokens}, WRITE);
    double *scores = door.own<double>(arguments[4], "scores", {&k, &n.sentences}, WRITE);
    int64_t *found = door.own<int64_t>(arguments[5], "found", {&n.sentences}, WRITE);
    if (!door.failed && lengths.value < 2) door.refuse("lengths must be at least 2");
    if (!door.failed && k.value < 1) door.refuse("k must be at least 1");
    ENTER;
    p.wants = wants.value, p.orders = orders.value, p.lengths = lengths.value;
    return answer(unlocked([&] { return core.beam(chain, p, k.value, paths, scores, found); }));
}

static PyObject *use_nested_products(ARGUMENTS) {
    TAKES(8);
    Sizes n;
    Chain chain = take_chain(door, arguments[0], nullptr, n);
    const int64_t s = take_integer(door, arguments[1], "sentence", 0, n.sentences.value - 1);
    Size length("n", door.failed ? -1 : chain.offsets[s + 1] - chain.offsets[s]);
    Conditionals c{};
    c.p = door.own<double>(arguments[2], "p", {&length, &n.labels});
    c.p_edge = door.own<double>(arguments[3], "p_edge", {&length, &n.labels, &n.labels});
    c.m = door.own<double>(arguments[4], "m", {&length, &n.labels, &n.labels});
    const double omega = take_number(door, arguments[5], "omega");
    double *nodes = door.own<double>(arguments[6], "nodes", {&length, &n.labels}, WRITE);
    double *edge = door.own<double>(arguments[7], "edge", {&n.matrices, &n.labels, &n.labels}, WRITE);
    ENTER;
    double mean = 0.0;
    int64_t result = unlocked([&] { return core.nested_products(chain, s, c, omega, nodes, edge, &mean); });
    return result == NO_MEMORY ? PyErr_NoMemory() : PyFloat_FromDouble(mean);
}

// Attributes and the weights they have; with labels where they are listed.
static Attributes take_attributes(Door &door, PyObject *const *arguments, PyObject *pair_labels, Size &bounds) {
    Size attributes("A"), pair_bounds("A + 1"), pairs("pairs"), entries("entries");
    Attributes a{};
    a.row_of = door.own<int32_t>(arguments[1], "row_of", {&attributes});
    a.pair_bounds = door.own<int64_t>(arguments[0], "pair_bounds", {&pair_bounds});
    if (pair_labels) a.pair_labels = door.own<int32_t>(pair_labels, "pair_labels", {&pairs});
    a.first = door.own<int64_t>(arguments[2], "first", {&bounds});
    a.indices = door.own<int32_t>(arguments[3], "indices", {&entries});
    if (door.failed) return a;
    const int64_t limit = pair_labels ? pairs.value : INT32_MAX;
    if (pair_bounds.value < 1 || bounds.value < 1)
        door.refuse("there are no bounds");
    else if (!is_rising(a.pair_bounds, pair_bounds.value, limit) || !is_rising(a.first, bounds.value, entries.value))
        door.refuse("bounds must rise within their lists");
    else if (!is_within(a.indices, a.first[0], a.first[bounds.value - 1], attributes.value))
        door.refuse("indices must be attributes");
    for (int64_t i = 0; i < attributes.value && !door.failed; ++i)
        if (a.row_of[i] < 0 && i + 1 >= pair_bounds.value) door.refuse("an attribute has neither a row nor pairs");
    if (!door.failed) a.count = bounds.value - 1;
    return a;
}

static PyObject *use_count_entries(ARGUMENTS) {
    TAKES(6);
    Size bounds("N + 1");
    const Attributes a = take_attributes(door, arguments, nullptr, bounds);
    int64_t *row_first = door.own<int64_t>(arguments[4], "row_first", {&bounds}, WRITE);
    int64_t *pair_first = door.own<int64_t>(arguments[5], "pair_first", {&bounds}, WRITE);
    ENTER;
    return done([&] { core.count_entries(a, row_first, pair_first); });
}

static PyObject *use_list_entries(ARGUMENTS) {
    TAKES(11);
    Size bounds("N + 1"), entries("entries"), rows("rows"), pairs("pairs");
    PyObject *of[4] = {arguments[0], arguments[2], arguments[3], arguments[4]};
    Attributes a = take_attributes(door, of, arguments[1], bounds);
    if (!door.failed) entries.value = PyObject_Length(arguments[4]);
    a.values = door.own<double>(arguments[5], "values", {&entries}, READ, true);
    int32_t *found_rows = door.own<int32_t>(arguments[6], "rows", {&rows}, WRITE);
    double *row_values = door.own<double>(arguments[7], "row_values", {&rows}, WRITE, true);
    int32_t *found_pairs = door.own<int32_t>(arguments[8], "pairs", {&pairs}, WRITE);
    int32_t *labels = door.own<int32_t>(arguments[9], "labels", {&pairs}, WRITE);
    double *pair_values = door.own<double>(arguments[10], "pair_values", {&pairs}, WRITE, true);
    if (!door.failed && (!a.values != !row_values || !a.values != !pair_values)) door.refuse("values go together");
    ENTER;
    int64_t wanted_rows = 0, wanted_pairs = 0;
    for (int64_t i = a.first[0]; i < a.first[a.count]; ++i) {
        const int32_t attribute = a.indices[i];
        if (a.row_of[attribute] >= 0)
            ++wanted_rows;
        else
            wanted_pairs += a.pair_bounds[attribute + 1] - a.pair_bounds[attribute];
    }
    if (wanted_rows != rows.value || wanted_pairs != pairs.value) door.refuse("rows and pairs must be as many as counted");
    ENTER;
    return done([&] { core.list_entries(a, found_rows, row_values, found_pairs, labels, pair_values); });
}

// The weights of attributes, of which some stand in rows of a table of this width.
static Attributes take_rows(Door &door, PyObject *const *arguments, Size &weights, Size &rows, Size &width) {
    Size bounds("A + 1"), attributes("A");
    Attributes a{};
    a.pair_bounds = door.own<int64_t>(arguments[0], "pair_bounds", {&bounds});
    a.pair_labels = door.own<int32_t>(arguments[1], "pair_labels", {&weights});
    a.row_of = door.own<int32_t>(arguments[2], "row_of", {&attributes});
    if (door.failed) return a;
    if (bounds.value != attributes.value + 1 || !is_rising(a.pair_bounds, bounds.value, weights.value))
        door.refuse("bounds must rise within their lists");
    else if (!is_within(a.pair_labels, 0, weights.value, width.value))
        door.refuse("labels must be columns of the table");
    for (int64_t i = 0; i < attributes.value && !door.failed; ++i)
        if (a.row_of[i] >= rows.value) door.refuse("row_of must name rows of the table");
    if (!door.failed) a.count = attributes.value;
    return a;
}

static PyObject *use_fill_rows(ARGUMENTS) {
    TAKES(5);
    Size weights("weights"), rows("R"), width("W");
    const double *theta = door.own<double>(arguments[3], "theta", {&weights});
    double *table = door.own<double>(arguments[4], "rows", {&rows, &width}, WRITE);
    const Attributes a = take_rows(door, arguments, weights, rows, width);
    ENTER;
    return done([&] { core.fill_rows(a, width.value, theta, table); });
}

static PyObject *use_add_from_rows(ARGUMENTS) {
    TAKES(5);
    Size weights("weights"), rows("R"), width("W");
    const double *table = door.own<double>(arguments[3], "rows", {&rows, &width});
    double *gradient = door.own<double>(arguments[4], "gradient", {&weights}, WRITE);
    const Attributes a = take_rows(door, arguments, weights, rows, width);
    ENTER;
    return done([&] { core.add_from_rows(a, width.value, table, gradient); });
}

static PyObject *use_scores(ARGUMENTS) {
    TAKES(5);
    Size count("N"), labels("L"), width("W"), rows("R"), weights("weights");
    double *out = door.own<double>(arguments[3], "out", {&count, &labels}, WRITE);
    const double *theta = door.own<double>(arguments[1], "theta", {&weights});
    const double *table = door.own<double>(arguments[2], "table", {&rows, &width});
    if (!door.failed && width.value < labels.value) door.refuse("rows of the table are shorter than the labels");
    Entries entries = take_entries(door, arguments[0], count, labels, rows, weights);
    const bool add = PyObject_IsTrue(arguments[4]) == 1;
    ENTER;
    return done([&] { core.scores(entries, theta, table, labels.value, width.value, add, out); });
}

static PyObject *use_gradient(ARGUMENTS) {
    TAKES(4);
    Size count("N"), labels("L"), width("W"), rows("R"), weights("weights");
    const double *d = door.own<double>(arguments[1], "d", {&count, &labels});
    double *table = door.own<double>(arguments[2], "table", {&rows, &width}, WRITE);
    double *gradient = door.own<double>(arguments[3], "gradient", {&weights}, WRITE);
    if (!door.failed && width.value < labels.value) door.refuse("rows of the table are shorter than the labels");
    Entries entries = take_entries(door, arguments[0], count, labels, rows, weights);
    ENTER;
    return done([&] { core.gradient(entries, d, labels.value, width.value, table, gradient); });
}

// The letter of the type of an array's numbers.
static char format_of(PyObject *object) {
    Py_buffer found;
    if (PyObject_GetBuffer(object, &found, PyBUF_FORMAT | PyBUF_STRIDES) < 0) {
        PyErr_Clear();
        return 0;
    }
    const char letter = found.format && *found.format ? found.format[strlen(found.format) - 1] : 0;
    PyBuffer_Release(&found);
    return letter;
}

static PyObject *is_done(bool done) { return done ? Py_NewRef(Py_None) : PyErr_NoMemory(); }

static Dense take_dense(Door &door, PyObject *numbers, Size &count, Size &inner) {
    Size dimensions("D");
    Dense x{};
    if (!door.failed && format_of(numbers) == 'f')
        x.single = door.own<float>(numbers, "numbers", {&count, &dimensions});
    else
        x.whole = door.own<double>(numbers, "numbers", {&count, &dimensions});
    if (!door.failed && inner.value != dimensions.value + 1) door.refuse("weights have one row more than there are dimensions");
    x.count = count.value, x.dimensions = dimensions.value;
    return x;
}

static PyObject *use_dense_scores(ARGUMENTS) {
    TAKES(3);
    Size count("N"), labels("L"), width("W"), inner("D + 1");
    const double *theta = door.own<double>(arguments[1], "theta", {&inner, &labels});
    double *out = door.own<double>(arguments[2], "out", {&count, &width}, WRITE);
    const Dense x = take_dense(door, arguments[0], count, inner);
    if (!door.failed && width.value < labels.value) door.refuse("rows of out are shorter than the labels");
    ENTER;
    return is_done(unlocked([&] { return core.dense_scores(x, theta, labels.value, width.value, out); }));
}

static PyObject *use_dense_gradient(ARGUMENTS) {
    TAKES(3);
    Size count("N"), labels("L"), width("W"), inner("D + 1");
    const double *d = door.own<double>(arguments[1], "d", {&count, &width});
    double *gradient = door.own<double>(arguments[2], "gradient", {&inner, &labels}, WRITE);
    const Dense x = take_dense(door, arguments[0], count, inner);
    if (!door.failed && width.value < labels.value) door.refuse("rows of d are shorter than the labels");
    ENTER;
    return is_done(unlocked([&] { return core.dense_gradient(x, d, labels.value, width.value, gradient); }));
}

// Numbers of tokens with their weights and slopes, of which those that are wanted must be there.
static TokenWeights take_token_weights(Door &door, PyObject *object, Size &count, Size &labels, bool with_weights,
                                       bool with_slopes) {
    Size rows("R"), dimensions("D"), whole("W");
    TokenWeights of{};
    of.x.halves = door.array<uint16_t>(object, "numbers", {&rows, &dimensions});
    of.x.rows = door.array<int32_t>(object, "rows", {&count});
    of.mean = door.array<float>(object, "mean", {&whole});
    of.weights = door.array<float>(object, "weights", {&labels, &whole}, READ, !with_weights);
    of.slopes = door.array<double>(object, "slopes", {&labels, &whole}, WRITE, !with_slopes);
    if (!door.failed && (whole.value <= dimensions.value || whole.value % 16))
        door.refuse("weights of whole vectors of sixteen are wanted, with more places than dimensions");
    for (int64_t i = 0; !door.failed && i < count.value; ++i)
        if (of.x.rows[i] < -1 || of.x.rows[i] >= rows.value) door.refuse("rows must be from -1 to R - 1");
    of.x.count = count.value, of.x.dimensions = dimensions.value, of.whole = whole.value;
    return of;
}

// A tuple of those that have weights, to be taken before anything else.
struct TokenWeightsOf {
    ManyTokenWeights all{};

    TokenWeightsOf(Door &door, PyObject *tuple, Sizes &n, bool with_slopes) {
        constexpr int64_t ARRAYS = 5;
        if (!PyTuple_Check(tuple)) door.refuse("numbers of tokens must be a tuple");
        const int64_t count = door.failed ? 0 : PyTuple_Size(tuple);
        door.expect(ARRAYS * count);
        at = (TokenWeights *)PyMem_Calloc((size_t)count, sizeof(TokenWeights));
        if (!at && !door.failed) PyErr_NoMemory(), door.failed = true;
        if (door.failed) return;
        for (int64_t i = 0; i < count; ++i)
            at[i] = take_token_weights(door, PyTuple_GetItem(tuple, i), n.tokens, n.labels, true, with_slopes);
        all = {count, at};
    }
    ~TokenWeightsOf() { PyMem_Free(at); }
    TokenWeightsOf(const TokenWeightsOf &) = delete;
    TokenWeightsOf &operator=(const TokenWeightsOf &) = delete;

  private:
    TokenWeights *at = nullptr;
};

static PyObject *use_token_scores(ARGUMENTS) {
    TAKES(2);
    Size count("N"), labels("L"), width("width");
    const TokenWeights of = take_token_weights(door, arguments[0], count, labels, true, false);
    double *out = door.own<double>(arguments[1], "out", {&count, &width}, WRITE);
    if (!door.failed && width.value < labels.value) door.refuse("rows of out are shorter than the labels");
    ENTER;
    return is_done(unlocked([&] { return core.token_scores(of, labels.value, width.value, out); }));
}

static PyObject *use_token_slopes(ARGUMENTS) {
    TAKES(2);
    Size count("N"), labels("L"), width("width");
    const TokenWeights of = take_token_weights(door, arguments[0], count, labels, false, true);
    const double *d = door.own<double>(arguments[1], "d", {&count, &width});
    if (!door.failed && width.value < labels.value) door.refuse("rows of d are shorter than the labels");
    ENTER;
    return is_done(unlocked([&] { return core.token_slopes(of, d, labels.value, width.value); }));
}

// Weights or their gradient, in the sizes of the first that is taken.
static Weighing take_weighing(Door &door, PyObject *weighing, Size &labels, Size &rows, Size &width, Size &weights,
                              Access access) {
    Weighing w{};
    w.theta = door.array<double>(weighing, "theta", {&weights}, access);
    w.rows = door.array<double>(weighing, "rows", {&rows, &width}, access);
    w.begin = door.array<double>(weighing, "begin", {&labels}, access, true);
    w.end = door.array<double>(weighing, "end", {&labels}, access, true);
    if (!door.failed && width.value < labels.value) door.refuse("rows of the table are shorter than the labels");
    w.width = width.value;
    return w;
}

static Labelled take_labelled(Door &door, PyObject *labelled, const Chain &chain, Sizes &n) {
    Size rows("R");
    Labelled l{};
    l.omega = door.array<double>(labelled, "omega", {&n.sentences});
    l.kind = door.array<int32_t>(labelled, "kind", {&n.sentences});
    l.gold = door.array<int32_t>(labelled, "gold", {&n.tokens});
    l.allowed = door.array<uint8_t>(labelled, "allowed", {&rows, &n.labels});
    if (door.failed) return l;
    int64_t masked = 0;
    for (int64_t s = 0; s < chain.sentences; ++s)
        if (l.kind[s] == Labelled::MASKED) masked += chain.offsets[s + 1] - chain.offsets[s];
    if (masked != rows.value) door.refuse("allowed must have a row for each position of masked sentences");
    if (!door.failed && !is_within(l.gold, 0, chain.tokens, chain.labels)) door.refuse("gold must be labels");
    return l;
}

static PyObject *use_likelihood(ARGUMENTS) {
    TAKES(10);
    Sizes n;
    Size rows("R"), width("W"), weights("weights");
    const TokenWeightsOf numbers(door, arguments[6], n, true);
    Chain chain = take_chain(door, arguments[0], nullptr, n, false);
    Edges e = take_edges(door, arguments[1], n);
    Labelled labelled = take_labelled(door, arguments[2], chain, n);
    Weighing theta = take_weighing(door, arguments[4], n.labels, rows, width, weights, READ);
    Weighing gradient = take_weighing(door, arguments[5], n.labels, rows, width, weights, WRITE);
    Entries entries = take_entries(door, arguments[3], n.tokens, n.labels, rows, weights);
    const double scale = take_number(door, arguments[7], "scale");
    double *gain = door.own<double>(arguments[8], "gain", {&n.sentences}, WRITE);
    double *edge = door.own<double>(arguments[9], "edge", {&n.matrices, &n.labels, &n.labels}, WRITE);
    ENTER;
    return answer(unlocked(
        [&] { return core.likelihood(chain, e, labelled, entries, theta, gradient, numbers.all, scale, gain, edge); }));
}

// The attributes of each of some positions, and the labels of their pairs, which are as many as the weights.
static Attributes take_paired(Door &door, PyObject *object, Size &tokens, int64_t labels, Size &pairs) {
    Size pair_bounds("A + 1"), bounds("T + 1", tokens.value + 1), entries("entries");
    Attributes a{};
    a.pair_bounds = door.array<int64_t>(object, "pair_bounds", {&pair_bounds});
    a.pair_labels = door.array<int32_t>(object, "pair_labels", {&pairs});
    a.first = door.array<int64_t>(object, "first", {&bounds});
    a.indices = door.array<int32_t>(object, "indices", {&entries});
    a.values = door.array<double>(object, "values", {&entries}, READ, true);
    if (door.failed) return a;
    a.count = tokens.value;
    if (pair_bounds.value < 1)
        door.refuse("pair_bounds must have a bound");
    else if (!is_rising(a.pair_bounds, pair_bounds.value, pairs.value) || !is_rising(a.first, bounds.value, entries.value))
        door.refuse("bounds must rise within their lists");
    else if (!is_within(a.indices, a.first[0], a.first[a.count], pair_bounds.value - 1))
        door.refuse("indices must be attributes");
    else if (!is_within(a.pair_labels, 0, pairs.value, labels))
        door.refuse("pair_labels must be labels");
    return a;
}

struct MovingSizes {
    Size unary{"pairs"}, edge{"pairs of steps"}, steps{"C"}, labels{"L"};
};

static Moving take_moving(Door &door, PyObject *object, MovingSizes &n) {
    Moving w{};
    w.unary = door.array<double>(object, "unary", {&n.unary}, WRITE);
    w.edge = door.array<double>(object, "edge", {&n.edge}, WRITE);
    w.steps = door.array<double>(object, "steps", {&n.steps}, WRITE);
    w.begin = door.array<double>(object, "begin", {&n.labels}, WRITE, true);
    w.end = door.array<double>(object, "end", {&n.labels}, WRITE, true);
    return w;
}

// Which sentences are visited, and how far each moves the weights.
static Walk take_walk(Door &door, PyObject *const *arguments, Size &visits, int64_t sentences) {
    Walk walk{};
    walk.order = door.own<int64_t>(arguments[0], "order", {&visits});
    walk.rate = take_number(door, arguments[1], "rate");
    walk.decay = take_number(door, arguments[2], "decay");
    walk.before = take_integer(door, arguments[3], "before", 0, (int64_t)1 << 52);
    if (door.failed) return walk;
    walk.visits = visits.value;
    bool are_there = true;
    for (int64_t i = 0; i < walk.visits; ++i) are_there = are_there && walk.order[i] >= 0 && walk.order[i] < sentences;
    if (!are_there) door.refuse("order must be of sentences, from 0 to %zd", (Py_ssize_t)sentences - 1);
    return walk;
}

static PyObject *use_visit(ARGUMENTS) {
    TAKES(13);
    Sizes n;
    MovingSizes sizes;
    Size visits("N"), single("1", 1), rows("R");
    Chain chain{};
    Labelled labelled{};
    chain.offsets = door.own<int64_t>(arguments[0], "offsets", {&n.bounds});
    door.array<int32_t>(arguments[1], "gold", {&n.tokens});
    door.array<uint8_t>(arguments[1], "allowed", {&rows, &n.labels});
    set_sizes(door, chain, n);
    set_bounds(door, chain, n);
    if (!door.failed) labelled = take_labelled(door, arguments[1], chain, n);
    sizes.labels.value = chain.labels;
    const int64_t cells = chain.labels * chain.labels;
    Attached attached{};
    attached.nodes = take_paired(door, arguments[2], n.tokens, chain.labels, sizes.unary);
    attached.edges = take_paired(door, arguments[3], n.tokens, cells, sizes.edge);
    attached.cells = door.own<int32_t>(arguments[4], "cells", {&sizes.steps});
    attached.count = sizes.steps.value;
    if (!door.failed && !is_within(attached.cells, 0, attached.count, cells)) door.refuse("cells must be steps");
    Moving w = take_moving(door, arguments[5], sizes), late{};
    const bool has_late = arguments[6] != Py_None;
    if (has_late) late = take_moving(door, arguments[6], sizes);
    Walk walk = take_walk(door, arguments + 7, visits, chain.sentences);
    double *weight = door.own<double>(arguments[11], "weight", {&single}, WRITE);
    double *gain = door.own<double>(arguments[12], "gain", {&visits}, WRITE);
    ENTER;
    return answer(unlocked([&] {
        return core.visit(chain, labelled, attached, w, has_late ? &late : nullptr, walk, weight, gain);
    }));
}

static PyObject *use_expected_lines(ARGUMENTS) {
    TAKES(9);
    Sizes n;
    Size rows("R"), width("W"), weights("weights"), lines("M"), no_pairs("0", 0);
    const TokenWeightsOf numbers(door, arguments[5], n, false);
    Chain chain = take_chain(door, arguments[0], nullptr, n, false);
    Edges e = take_edges(door, arguments[1], n);
    const double *omega = door.own<double>(arguments[2], "omega", {&n.sentences});
    Weighing theta = take_weighing(door, arguments[4], n.labels, rows, width, weights, READ);
    Entries entries = take_entries(door, arguments[3], n.tokens, n.labels, rows, weights);
    double *q = door.own<double>(arguments[7], "q", {&lines, &n.labels}, WRITE);
    Entries of_lines = take_entries(door, arguments[6], n.tokens, n.labels, lines, no_pairs);
    double *kept = door.own<double>(arguments[8], "kept", {&n.tokens, &n.width}, WRITE, true);
    ENTER;
    return answer(
        unlocked([&] { return core.expected_lines(chain, e, omega, entries, theta, numbers.all, of_lines, q, kept); }));
}

static PyObject *use_fused_covariance(ARGUMENTS) {
    TAKES(12);
    Sizes n;
    Size rows("R"), width("W"), weights("weights"), lines("M"), no_pairs("0", 0);
    const TokenWeightsOf numbers(door, arguments[6], n, true);
    Chain chain = take_chain(door, arguments[0], nullptr, n, false);
    Edges e = take_edges(door, arguments[1], n);
    const double *omega = door.own<double>(arguments[2], "omega", {&n.sentences});
    Weighing theta = take_weighing(door, arguments[4], n.labels, rows, width, weights, READ);
    Weighing gradient = take_weighing(door, arguments[5], n.labels, rows, width, weights, WRITE);
    Entries entries = take_entries(door, arguments[3], n.tokens, n.labels, rows, weights);
    const bool has_lines = arguments[7] != Py_None;
    const double *slopes = door.own<double>(arguments[8], "slopes", {&lines, &n.labels}, READ, !has_lines);
    Entries of_lines{};
    if (has_lines) of_lines = take_entries(door, arguments[7], n.tokens, n.labels, lines, no_pairs);
    const double *kept = door.own<double>(arguments[9], "kept", {&n.tokens, &n.width}, READ, true);
    if (!door.failed && kept && !has_lines) door.refuse("kept is for lines");
    double *mean = door.own<double>(arguments[10], "mean", {&n.sentences}, WRITE);
    double *edge = door.own<double>(arguments[11], "edge", {&n.matrices, &n.labels, &n.labels}, WRITE);
    ENTER;
    return answer(unlocked([&] {
        return core.fused_covariance(chain, e, omega, entries, theta, gradient, numbers.all,
                                     has_lines ? &of_lines : nullptr, slopes, kept, mean, edge);
    }));
}

// ---------------------------------------------------------------------------------------------- tables of keys

static Slots take_slots(Door &door, PyObject *object, Access access) {
    Size places("places"), two("2", 2);
    int64_t *slots = door.own<int64_t>(object, "slots", {&places, &two}, access);
    if (!door.failed && (places.value < 1 || (places.value & (places.value - 1))))
        door.refuse("places must be a power of two");
    return {places.value, slots};
}

static PyObject *use_fill_keys(ARGUMENTS) {
    TAKES(3);
    Size count("keys");
    const int64_t *keys = door.own<int64_t>(arguments[0], "keys", {&count});
    const int32_t *numbers = door.own<int32_t>(arguments[1], "numbers", {&count});
    const Slots table = take_slots(door, arguments[2], WRITE);
    if (!door.failed && count.value >= table.places) door.refuse("there must be more places than keys");
    for (int64_t i = 0; !door.failed && i < count.value; ++i)
        if (keys[i] < 0) door.refuse("keys must not be negative");
    ENTER;
    return done([&] { core.fill_keys(table, count.value, keys, numbers); });
}

static PyObject *use_look_up(ARGUMENTS) {
    TAKES(4);
    Size count("keys");
    const Slots table = take_slots(door, arguments[0], READ);
    const int64_t *keys = door.own<int64_t>(arguments[1], "keys", {&count});
    const int32_t otherwise = (int32_t)take_integer(door, arguments[2], "otherwise", INT32_MIN, INT32_MAX);
    int32_t *out = door.own<int32_t>(arguments[3], "out", {&count}, WRITE);
    ENTER;
    return done([&] { core.look_up(table, count.value, keys, otherwise, out); });
}

// ---------------------------------------------------------------------------------------------- lines of column files

static Bytes take_text(Door &door, PyObject *object) {
    Size size("bytes");
    Bytes text{};
    text.at = (const uint8_t *)door.own<char>(object, "text", {&size});
    text.size = size.value;
    return text;
}

static PyObject *use_scan_lines(ARGUMENTS) {
    TAKES(3);
    Size lines("lines");
    const Bytes text = take_text(door, arguments[0]);
    int64_t *begins = door.own<int64_t>(arguments[1], "begins", {&lines}, WRITE);
    int32_t *widths = door.own<int32_t>(arguments[2], "widths", {&lines}, WRITE);
    ENTER;
    return done([&] { core.scan_lines(text, lines.value, begins, widths); });
}

static PyObject *use_code_fields(ARGUMENTS) {
    TAKES(6);
    Size count("N"), columns("columns"), two("2", 2);
    const Bytes text = take_text(door, arguments[0]);
    const int32_t *rows = door.own<int32_t>(arguments[1], "rows", {&count});
    const uint64_t secret = (uint64_t)take_integer(door, arguments[2], "secret", 0, INT64_MAX);
    int32_t *codes = door.own<int32_t>(arguments[3], "codes", {&columns, &count}, WRITE);
    int64_t *places = door.own<int64_t>(arguments[4], "places", {&columns, &count, &two}, WRITE);
    int64_t *distinct = door.own<int64_t>(arguments[5], "distinct", {&columns}, WRITE);
    ENTER;
    for (int64_t i = 0; i < count.value; ++i)
        if (i ? rows[i] <= rows[i - 1] : rows[i] < 0) {
            door.refuse("rows must be numbers of lines that rise");
            break;
        }
    ENTER;
    const int64_t result = unlocked([&] {
        return core.code_fields(text, count.value, rows, columns.value, secret, codes, places, distinct);
    });
    return result == NO_MEMORY ? PyErr_NoMemory() : Py_NewRef(Py_None);
}

// ---------------------------------------------------------------------------------------------- the optimiser's vectors

static Pairs take_pairs(Door &door, PyObject *s, PyObject *y, Size &memory, Size &size, Access access = READ) {
    Pairs pairs{};
    pairs.s = door.own<float>(s, "s", {&memory, &size}, access);
    pairs.y = door.own<float>(y, "y", {&memory, &size}, access);
    pairs.memory = memory.value, pairs.size = size.value;
    if (!door.failed && memory.value < 1) door.refuse("there must be room for a pair");
    return pairs;
}

struct Range {
    int64_t begin, end;
    Range(Door &door, PyObject *first, PyObject *last, int64_t size) {
        begin = take_integer(door, first, "begin", 0, size);
        end = take_integer(door, last, "end", begin, size);
    }
};

static PyObject *use_dot(ARGUMENTS) {
    TAKES(2);
    Size n("n");
    const double *a = door.own<double>(arguments[0], "a", {&n}), *b = door.own<double>(arguments[1], "b", {&n});
    ENTER;
    return PyFloat_FromDouble(unlocked([&] { return core.dot(a, b, 0, n.value); }));
}

static PyObject *use_products_of_pairs(ARGUMENTS) {
    TAKES(8);
    Size memory("memory"), n("n"), four("4", 4);
    Pairs pairs = take_pairs(door, arguments[0], arguments[1], memory, n);
    const double *inverse = door.own<double>(arguments[2], "inverse", {&n});
    const double *a = door.own<double>(arguments[3], "a", {&n});
    const int64_t newest = take_integer(door, arguments[4], "newest", 0, memory.value - 1);
    Range range(door, arguments[5], arguments[6], n.value);
    double *out = door.own<double>(arguments[7], "out", {&memory, &four}, WRITE);
    ENTER;
    return done([&] { core.products_of_pairs(pairs, inverse, a, newest, range.begin, range.end, out); });
}

static PyObject *use_weighed_squares(ARGUMENTS) {
    TAKES(5);
    Size memory("memory"), n("n");
    Pairs pairs{};
    pairs.y = door.own<float>(arguments[0], "y", {&memory, &n});
    pairs.memory = memory.value, pairs.size = n.value;
    const double *inverse = door.own<double>(arguments[1], "inverse", {&n});
    Range range(door, arguments[2], arguments[3], n.value);
    double *out = door.own<double>(arguments[4], "out", {&memory, &memory}, WRITE);
    ENTER;
    return done([&] { core.weighed_squares(pairs, inverse, range.begin, range.end, out); });
}

static PyObject *use_coefficients(ARGUMENTS) {
    TAKES(8);
    Size memory("memory"), four("4", 4);
    const double *products = door.own<double>(arguments[0], "products", {&memory, &four});
    const double *s_y = door.own<double>(arguments[1], "s_y", {&memory, &memory});
    const double *y_y = door.own<double>(arguments[2], "y_y", {&memory, &memory});
    const double scale = take_number(door, arguments[3], "scale");
    const int64_t newest = take_integer(door, arguments[4], "newest", 0, memory.value - 1);
    const int64_t count = take_integer(door, arguments[5], "count", 0, memory.value);
    double *taken = door.own<double>(arguments[6], "taken", {&memory}, WRITE);
    double *added = door.own<double>(arguments[7], "added", {&memory}, WRITE);
    ENTER;
    return done([&] { core.coefficients(memory.value, products, s_y, y_y, scale, newest, count, taken, added); });
}

static PyObject *use_combined(ARGUMENTS) {
    TAKES(12);
    Size memory("memory"), n("n");
    Pairs pairs = take_pairs(door, arguments[0], arguments[1], memory, n);
    const double *inverse = door.own<double>(arguments[2], "inverse", {&n});
    const double *a = door.own<double>(arguments[3], "a", {&n});
    const double scale = take_number(door, arguments[4], "scale");
    const int64_t newest = take_integer(door, arguments[5], "newest", 0, memory.value - 1);
    const int64_t count = take_integer(door, arguments[6], "count", 0, memory.value);
    const double *taken = door.own<double>(arguments[7], "taken", {&memory});
    const double *added = door.own<double>(arguments[8], "added", {&memory});
    Range range(door, arguments[9], arguments[10], n.value);
    double *d = door.own<double>(arguments[11], "d", {&n}, WRITE);
    ENTER;
    return PyFloat_FromDouble(unlocked([&] {
        return core.combined(pairs, inverse, a, scale, newest, count, taken, added, range.begin, range.end, d);
    }));
}

static PyObject *use_add_pair(ARGUMENTS) {
    TAKES(9);
    Size memory("memory"), n("n");
    Pairs pairs = take_pairs(door, arguments[0], arguments[1], memory, n, WRITE);
    const double *theta = door.own<double>(arguments[2], "theta", {&n});
    const double *next_theta = door.own<double>(arguments[3], "next_theta", {&n});
    const double *g = door.own<double>(arguments[4], "g", {&n}), *next_g = door.own<double>(arguments[5], "next_g", {&n});
    const int64_t row = take_integer(door, arguments[6], "row", 0, memory.value - 1);
    Range range(door, arguments[7], arguments[8], n.value);
    ENTER;
    double found[3] = {0.0, 0.0, 0.0};
    unlocked([&] {
        core.add_pair(pairs, theta, next_theta, g, next_g, row, range.begin, range.end, found);
        return 0;
    });
    return Py_BuildValue("(ddd)", found[0], found[1], found[2]);
}

static PyObject *use_move(ARGUMENTS) {
    TAKES(4);
    Size n("n");
    const double *theta = door.own<double>(arguments[0], "theta", {&n}), *d = door.own<double>(arguments[1], "d", {&n});
    const double step = take_number(door, arguments[2], "step");
    double *out = door.own<double>(arguments[3], "out", {&n}, WRITE);
    ENTER;
    return done([&] { core.move(n.value, theta, d, step, out); });
}

static PyObject *use_move_in_orthant(ARGUMENTS) {
    TAKES(6);
    Size n("n");
    const double *theta = door.own<double>(arguments[0], "theta", {&n}), *d = door.own<double>(arguments[1], "d", {&n});
    const double step = take_number(door, arguments[2], "step");
    const double *a = door.own<double>(arguments[3], "a", {&n});
    const uint8_t *penalised = door.own<uint8_t>(arguments[4], "penalised", {&n}, READ, true);
    double *out = door.own<double>(arguments[5], "out", {&n}, WRITE);
    ENTER;
    double totals[2] = {0.0, 0.0};
    unlocked([&] {
        core.move_in_orthant(n.value, theta, d, step, a, penalised, out, totals);
        return 0;
    });
    return Py_BuildValue("(dd)", totals[0], totals[1]);
}

static PyObject *use_penalised_size(ARGUMENTS) {
    TAKES(2);
    Size n("n");
    const double *theta = door.own<double>(arguments[0], "theta", {&n});
    const uint8_t *penalised = door.own<uint8_t>(arguments[1], "penalised", {&n}, READ, true);
    ENTER;
    return PyFloat_FromDouble(unlocked([&] { return core.penalised_size(n.value, theta, penalised); }));
}

static PyObject *use_pseudo_gradient(ARGUMENTS) {
    TAKES(5);
    Size n("n");
    const double *theta = door.own<double>(arguments[0], "theta", {&n}), *g = door.own<double>(arguments[1], "g", {&n});
    const uint8_t *penalised = door.own<uint8_t>(arguments[2], "penalised", {&n}, READ, true);
    const double l1 = take_number(door, arguments[3], "l1");
    double *a = door.own<double>(arguments[4], "a", {&n}, WRITE);
    ENTER;
    return done([&] { core.pseudo_gradient(n.value, theta, g, penalised, l1, a); });
}

static PyObject *use_align(ARGUMENTS) {
    TAKES(5);
    Size n("n");
    double *d = door.own<double>(arguments[0], "d", {&n}, WRITE);
    const double *a = door.own<double>(arguments[1], "a", {&n}), *theta = door.own<double>(arguments[2], "theta", {&n});
    const uint8_t *penalised = door.own<uint8_t>(arguments[3], "penalised", {&n}, READ, true);
    const bool zeros_only = PyObject_IsTrue(arguments[4]) == 1;
    ENTER;
    return PyFloat_FromDouble(unlocked([&] { return core.align(n.value, d, a, theta, penalised, zeros_only); }));
}

// ---------------------------------------------------------------------------------------------- clusters of words

constexpr int64_t MOST_CLUSTERS = 1 << 14;

// The sizes of counts by clusters.
static void take_clusters(Door &door, const Size &contexts, int64_t &clusters) {
    if (!door.failed && (contexts.value < 3 || contexts.value > MOST_CLUSTERS + 2))
        door.refuse("there are no clusters, or too many");
    clusters = contexts.value - 2;
}

// The neighbours of words, of which those of words begin to end are looked at.
static Exchange take_exchange(Door &door, PyObject *of, PyObject *first, PyObject *last, Access access) {
    Size words("V"), bounds("V + 1"), symbols("V + 2"), nexts("next"), befores("before"), contexts("K");
    Size table("H_TABLE + 1", H_TABLE + 1);
    Exchange x{};
    x.itself = door.array<int32_t>(of, "itself", {&words});
    x.firsts = door.array<int32_t>(of, "firsts", {&words});
    x.seconds = door.array<int32_t>(of, "seconds", {&words});
    if (!door.failed) bounds.value = words.value + 1, symbols.value = words.value + 2;
    x.next_first = door.array<int64_t>(of, "next_first", {&bounds});
    x.before_first = door.array<int64_t>(of, "before_first", {&bounds});
    x.next = door.array<int32_t>(of, "next", {&nexts});
    x.next_times = door.array<int32_t>(of, "next_times", {&nexts});
    x.before = door.array<int32_t>(of, "before", {&befores});
    x.before_times = door.array<int32_t>(of, "before_times", {&befores});
    x.cluster = door.array<int32_t>(of, "cluster", {&symbols}, access);
    x.n = door.array<int32_t>(of, "n", {&contexts, &contexts}, access);
    x.transposed = door.array<int32_t>(of, "transposed", {&contexts, &contexts}, access);
    x.left = door.array<int32_t>(of, "left", {&contexts}, access);
    x.right = door.array<int32_t>(of, "right", {&contexts}, access);
    x.table = door.array<int64_t>(of, "table", {&table});
    take_clusters(door, contexts, x.clusters);
    x.words = words.value, x.contexts = contexts.value;
    Range range(door, first, last, words.value);
    if (door.failed) return x;
    const int64_t *bounds_of[] = {x.next_first, x.before_first};
    const int32_t *numbers[] = {x.next, x.before};
    const int64_t sizes[] = {nexts.value, befores.value};
    for (int side = 0; side < 2; ++side) {
        const int64_t *at = bounds_of[side] + range.begin;
        if (!is_rising(at, range.end - range.begin + 1, sizes[side]) ||
            !is_within(numbers[side], at[0], bounds_of[side][range.end], symbols.value))
            door.refuse("neighbours must be words, in lists that rise");
    }
    for (int64_t w = 0; w < symbols.value && !door.failed; ++w)
        if (x.cluster[w] < -1 || x.cluster[w] >= contexts.value)
            door.refuse("a cluster must be from -1 to %zd", (Py_ssize_t)contexts.value - 1);
    return x;
}

static PyObject *use_n_log_n(ARGUMENTS) {
    TAKES(2);
    Size size("N");
    const int32_t *n = door.own<int32_t>(arguments[0], "n", {&size});
    int64_t *out = door.own<int64_t>(arguments[1], "out", {&size}, WRITE);
    ENTER;
    return done([&] { core.n_log_n(size.value, n, out); });
}

static PyObject *use_best_clusters(ARGUMENTS) {
    TAKES(4);
    Exchange x = take_exchange(door, arguments[0], arguments[1], arguments[2], READ);
    Size words("V", door.failed ? -1 : x.words);
    int32_t *best = door.own<int32_t>(arguments[3], "best", {&words}, WRITE);
    Range range(door, arguments[1], arguments[2], x.words);
    ENTER;
    return answer(unlocked([&] { return core.best_clusters(x, range.begin, range.end, best); }));
}

static PyObject *use_exchange(ARGUMENTS) {
    TAKES(4);
    Exchange x = take_exchange(door, arguments[0], arguments[1], arguments[2], WRITE);
    Size words("V", door.failed ? -1 : x.words);
    const int32_t *best = door.own<int32_t>(arguments[3], "best", {&words});
    Range range(door, arguments[1], arguments[2], x.words);
    if (!door.failed && !is_within(best, range.begin, range.end, x.clusters))
        door.refuse("best must be from 0 to %zd", (Py_ssize_t)x.clusters - 1);
    ENTER;
    return answer(unlocked([&] { return core.exchange(x, range.begin, range.end, best); }));
}

static Merging take_merging(Door &door, PyObject *of) {
    Size contexts("K"), clusters("C"), table("H_TABLE + 1", H_TABLE + 1);
    Merging x{};
    x.n = door.array<int32_t>(of, "n", {&contexts, &contexts}, WRITE);
    x.transposed = door.array<int32_t>(of, "transposed", {&contexts, &contexts}, WRITE);
    x.left = door.array<int32_t>(of, "left", {&contexts}, WRITE);
    x.right = door.array<int32_t>(of, "right", {&contexts}, WRITE);
    take_clusters(door, contexts, x.clusters);
    x.contexts = contexts.value;
    if (!door.failed) clusters.value = x.clusters;
    x.alive = door.array<uint8_t>(of, "alive", {&clusters}, WRITE);
    x.own = door.array<int64_t>(of, "own", {&clusters}, WRITE);
    x.loss = door.array<int64_t>(of, "loss", {&clusters, &clusters}, WRITE);
    x.table = door.array<int64_t>(of, "table", {&table});
    return x;
}

static PyObject *use_own_sums(ARGUMENTS) {
    TAKES(1);
    Merging x = take_merging(door, arguments[0]);
    ENTER;
    return done([&] { core.own_sums(x); });
}

static PyObject *use_losses(ARGUMENTS) {
    TAKES(3);
    Merging x = take_merging(door, arguments[0]);
    Range range(door, arguments[1], arguments[2], x.clusters);
    ENTER;
    return done([&] { core.losses(x, range.begin, range.end); });
}

static PyObject *use_merge_nearest(ARGUMENTS) {
    TAKES(2);
    Merging x = take_merging(door, arguments[0]);
    Size two("2", 2);
    int32_t *pair = door.own<int32_t>(arguments[1], "pair", {&two}, WRITE);
    ENTER;
    return answer(unlocked([&] { return core.merge_nearest(x, pair); }));
}

// ---------------------------------------------------------------------------------------------- the module

#define FUNCTION(name) {#name, (PyCFunction)(void (*)(void))use_##name, METH_FASTCALL, nullptr}

static PyMethodDef functions[] = {
    FUNCTION(exponentials),
    FUNCTION(logarithms),
    FUNCTION(factor_edges),
    FUNCTION(forward),
    FUNCTION(backward),
    FUNCTION(node_marginals),
    FUNCTION(edge_counts),
    FUNCTION(edge_marginals),
    FUNCTION(covariance),
    FUNCTION(token_entropies),
    FUNCTION(conditional_entropies),
    FUNCTION(alpha_entropies),
    FUNCTION(beta_entropies),
    FUNCTION(subsequence_entropies),
    FUNCTION(best_suffixes),
    FUNCTION(viterbi),
    FUNCTION(k_best),
    FUNCTION(sample),
    FUNCTION(path_scores),
    FUNCTION(segment_probabilities),
    FUNCTION(beam),
    FUNCTION(nested_products),
    FUNCTION(count_entries),
    FUNCTION(list_entries),
    FUNCTION(fill_rows),
    FUNCTION(add_from_rows),
    FUNCTION(scores),
    FUNCTION(gradient),
    FUNCTION(dense_scores),
    FUNCTION(dense_gradient),
    FUNCTION(token_scores),
    FUNCTION(token_slopes),
    FUNCTION(fill_keys),
    FUNCTION(look_up),
    FUNCTION(scan_lines),
    FUNCTION(code_fields),
    FUNCTION(likelihood),
    FUNCTION(visit),
    FUNCTION(expected_lines),
    FUNCTION(fused_covariance),
    FUNCTION(dot),
    FUNCTION(products_of_pairs),
    FUNCTION(weighed_squares),
    FUNCTION(coefficients),
    FUNCTION(combined),
    FUNCTION(add_pair),
    FUNCTION(move),
    FUNCTION(move_in_orthant),
    FUNCTION(penalised_size),
    FUNCTION(pseudo_gradient),
    FUNCTION(align),
    FUNCTION(n_log_n),
    FUNCTION(best_clusters),
    FUNCTION(exchange),
    FUNCTION(own_sums),
    FUNCTION(losses),
    FUNCTION(merge_nearest),
    {nullptr, nullptr, 0, nullptr},
};

// The levels that this processor has, the best one first.
static void find_levels() {
    level_count = 0;
#if defined(__x86_64__) || defined(_M_X64)
    const Processor processor;
    if (processor.v4) levels[level_count++] = &X86_64_V4;
    if (processor.v3) levels[level_count++] = &X86_64_V3;
#elif defined(__aarch64__) || defined(_M_ARM64)
    levels[level_count++] = &ARM64;
#endif
    levels[level_count++] = &PORTABLE;
}

static int prepare(PyObject *module) {
    find_levels();
    const char *wanted = getenv("SSTAG_LEVEL");
    State *state = (State *)PyModule_GetState(module);
    state->core = wanted && *wanted ? nullptr : levels[0];
    PyObject *names = PyTuple_New(level_count);
    for (int i = 0; names && i < level_count; ++i) {
        if (!state->core && !strcmp(levels[i]->name, wanted)) state->core = levels[i];
        PyTuple_SetItem(names, i, PyUnicode_FromString(levels[i]->name));
    }
    if (!names || PyModule_AddObjectRef(module, "levels", names) < 0) return -1;
    Py_DECREF(names);
    if (!state->core) {
        PyErr_Format(PyExc_ImportError, "SSTAG_LEVEL is %s, which this processor does not have", wanted);
        return -1;
    }
    if (PyModule_AddIntConstant(module, "H_TABLE", H_TABLE) < 0) return -1;
    return PyModule_AddStringConstant(module, "level", state->core->name);
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)prepare}, {0, nullptr}};

static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "_core",
    "The compiled core: forward and backward passes and all that is made of them.",
    sizeof(State),
    functions,
    slots,
    nullptr,
    nullptr,
    nullptr,
};

PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&definition); }
