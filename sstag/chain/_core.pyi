"""The functions of the compiled core (`core/module.cpp`): results go into arrays that the caller gives.

A struct is any object with the attributes that `core/arrays.h` names; each heading names the file with the loops.
Sentences that failed are told by their number, -1 if none did.
"""

from typing import Protocol

from sstag.chain.forward_backward import Backward, Edges, Forward
from sstag.chain.labelled import Labelled
from sstag.chain.penalty_arrays import Penalties
from sstag.chain.potentials import Potentials
from sstag.foundation.arrays import Bools, Floats, Halves, Ints, Longs, Singles

levels: tuple[str, ...]  # that this processor has, the best one first
level: str  # that is used: the best, or the one that SSTAG_LEVEL names

class Entries(Protocol):
    """For each row of an incidence its attributes: rows of a table, and pairs (place in θ, label)."""

    @property
    def row_first(self) -> Longs: ...
    @property
    def rows(self) -> Ints: ...
    @property
    def row_values(self) -> Floats | None: ...
    @property
    def pair_first(self) -> Longs: ...
    @property
    def pairs(self) -> Ints: ...
    @property
    def labels(self) -> Ints: ...
    @property
    def pair_values(self) -> Floats | None: ...

class Chains(Protocol):
    """Potentials without those of nodes."""

    @property
    def edge(self) -> Floats: ...
    @property
    def edge_index(self) -> Ints: ...
    @property
    def offsets(self) -> Longs: ...

class Weighing(Protocol):
    """Weights, or their gradient: by place, in rows of a table, of first and of last positions."""

    @property
    def theta(self) -> Floats: ...
    @property
    def rows(self) -> Floats: ...
    @property
    def begin(self) -> Floats | None: ...
    @property
    def end(self) -> Floats | None: ...

class TokenWeights(Protocol):
    """Numbers of tokens, and their weights: what is subtracted from the numbers, and what their slopes are added to."""

    @property
    def numbers(self) -> Halves: ...
    @property
    def rows(self) -> Ints: ...
    @property
    def mean(self) -> Singles: ...
    @property
    def weights(self) -> Singles | None: ...
    @property
    def slopes(self) -> Floats | None: ...

class Paired(Protocol):
    """The attributes of each position, and the labels that each attribute has a weight for."""

    @property
    def pair_bounds(self) -> Longs: ...
    @property
    def pair_labels(self) -> Ints: ...
    @property
    def first(self) -> Longs: ...
    @property
    def indices(self) -> Ints: ...
    @property
    def values(self) -> Floats | None: ...

class Moving(Protocol):
    """Weights that sentences move, or numbers beside them: the parts of θ."""

    @property
    def unary(self) -> Floats: ...
    @property
    def edge(self) -> Floats: ...
    @property
    def steps(self) -> Floats: ...
    @property
    def begin(self) -> Floats | None: ...
    @property
    def end(self) -> Floats | None: ...

class Segments(Protocol):
    """Segments of labels of one kind; the labels of kind k are members[bounds[k]:bounds[k + 1]]."""

    @property
    def first(self) -> Longs: ...
    @property
    def stop(self) -> Longs: ...
    @property
    def kind(self) -> Longs: ...
    @property
    def members(self) -> Longs: ...
    @property
    def bounds(self) -> Longs: ...
    @property
    def joined(self) -> Bools: ...

class Exchange(Protocol):
    """Words, their neighbours in bigrams, and the clusters that they are in."""

    @property
    def next_first(self) -> Longs: ...
    @property
    def next(self) -> Ints: ...
    @property
    def next_times(self) -> Ints: ...
    @property
    def before_first(self) -> Longs: ...
    @property
    def before(self) -> Ints: ...
    @property
    def before_times(self) -> Ints: ...
    @property
    def itself(self) -> Ints: ...
    @property
    def firsts(self) -> Ints: ...
    @property
    def seconds(self) -> Ints: ...
    @property
    def cluster(self) -> Ints: ...
    @property
    def n(self) -> Ints: ...
    @property
    def transposed(self) -> Ints: ...
    @property
    def left(self) -> Ints: ...
    @property
    def right(self) -> Ints: ...
    @property
    def table(self) -> Longs: ...

class Merging(Protocol):
    """Clusters to be merged: their bigrams, and what each pair would lose."""

    @property
    def n(self) -> Ints: ...
    @property
    def transposed(self) -> Ints: ...
    @property
    def left(self) -> Ints: ...
    @property
    def right(self) -> Ints: ...
    @property
    def alive(self) -> Bools: ...
    @property
    def own(self) -> Longs: ...
    @property
    def loss(self) -> Longs: ...
    @property
    def table(self) -> Longs: ...

H_TABLE: int  # numbers whose h is in a table

# functions.h
def exponentials(x: Floats, out: Floats, /) -> None: ...
def logarithms(x: Floats, out: Floats, /) -> None: ...

# chain.h
def factor_edges(edge: Floats, edges: Edges, /) -> int: ...
def forward(potentials: Potentials, allowed: Bools | None, edges: Edges, forward: Forward, /) -> int: ...
def backward(
    potentials: Potentials, allowed: Bools | None, edges: Edges, forward: Forward, backward: Backward, /
) -> None: ...

# marginals.h
def node_marginals(
    potentials: Potentials, edges: Edges, forward: Forward, backward: Backward, omega: Floats, mu: Floats, /
) -> None: ...
def edge_counts(
    potentials: Potentials, edges: Edges, forward: Forward, backward: Backward, omega: Floats, edge: Floats, /
) -> int: ...
def edge_marginals(
    potentials: Potentials, edges: Edges, forward: Forward, backward: Backward, sentence: int, out: Floats, /
) -> None: ...

# covariance.h
def covariance(
    potentials: Potentials,
    edges: Edges,
    forward: Forward,
    backward: Backward,
    r_unary: Floats | None,
    r_edge: Floats | None,
    omega: Floats,
    mean: Floats,
    nodes: Floats | None,
    edge: Floats | None,
    /,
) -> int: ...

# entropies.h
def token_entropies(mu: Floats, out: Floats, /) -> None: ...
def conditional_entropies(
    potentials: Potentials, edges: Edges, forward: Forward, backward: Backward, out: Floats, /
) -> int: ...
def alpha_entropies(
    potentials: Potentials, edges: Edges, forward: Forward, backward: Backward, h: Floats, /
) -> int: ...
def beta_entropies(potentials: Potentials, edges: Edges, forward: Forward, backward: Backward, h: Floats, /) -> int: ...
def subsequence_entropies(
    potentials: Potentials,
    edges: Edges,
    forward: Forward,
    backward: Backward,
    omega: Floats,
    h_alpha: Floats,
    h_beta: Floats,
    nodes: Floats,
    edge: Floats,
    /,
) -> int: ...

# paths.h
def best_suffixes(potentials: Potentials, allowed: Bools | None, best: Floats, /) -> int: ...
def viterbi(potentials: Potentials, best: Floats, y: Ints, scores: Floats, /) -> None: ...
def k_best(potentials: Potentials, sentence: int, best: Floats, paths: Ints, scores: Floats, /) -> int: ...
def sample(potentials: Potentials, edges: Edges, forward: Forward, uniform: Floats, y: Ints, /) -> int: ...
def path_scores(potentials: Potentials, y: Ints, scores: Floats, /) -> None: ...

# segments.h
def segment_probabilities(
    potentials: Potentials, edges: Edges, forward: Forward, backward: Backward, segments: Segments, out: Floats, /
) -> int: ...

# beam.h
def beam(
    potentials: Potentials, allowed: Bools | None, costs: Penalties, paths: Ints, scores: Floats, found: Longs, /
) -> int: ...

# nested.h
def nested_products(
    potentials: Potentials,
    sentence: int,
    p: Floats,
    p_edge: Floats,
    m: Floats,
    omega: float,
    nodes: Floats,
    edge: Floats,
    /,
) -> float: ...

# sparse.h
def count_entries(
    pair_bounds: Longs, row_of: Ints, first: Longs, indices: Ints, row_first: Longs, pair_first: Longs, /
) -> None: ...
def list_entries(
    pair_bounds: Longs,
    pair_labels: Ints,
    row_of: Ints,
    first: Longs,
    indices: Ints,
    values: Floats | None,
    rows: Ints,
    row_values: Floats | None,
    pairs: Ints,
    labels: Ints,
    pair_values: Floats | None,
    /,
) -> None: ...
def fill_rows(pair_bounds: Longs, pair_labels: Ints, row_of: Ints, theta: Floats, rows: Floats, /) -> None: ...
def add_from_rows(pair_bounds: Longs, pair_labels: Ints, row_of: Ints, rows: Floats, gradient: Floats, /) -> None: ...
def scores(entries: Entries, theta: Floats, table: Floats, out: Floats, add: bool, /) -> None: ...
def gradient(entries: Entries, d: Floats, table: Floats, gradient: Floats, /) -> None: ...

# dense.h
def dense_scores(numbers: Floats | Singles, theta: Floats, out: Floats, /) -> None: ...
def dense_gradient(numbers: Floats | Singles, d: Floats, gradient: Floats, /) -> None: ...

# tokens.h
def token_scores(of: TokenWeights, out: Floats, /) -> None: ...
def token_slopes(of: TokenWeights, d: Floats, /) -> None: ...

# fused.h
def expected_lines(
    chains: Chains,
    edges: Edges,
    omega: Floats,
    entries: Entries,
    weights: Weighing,
    numbers: tuple[TokenWeights, ...],
    lines: Entries,
    q: Floats,
    kept: Floats | None,
    /,
) -> int: ...
def fused_covariance(
    chains: Chains,
    edges: Edges,
    omega: Floats,
    entries: Entries,
    weights: Weighing,
    gradient: Weighing,
    numbers: tuple[TokenWeights, ...],
    lines: Entries | None,
    slopes: Floats | None,
    kept: Floats | None,
    mean: Floats,
    edge: Floats,
    /,
) -> int: ...

# keys.h
def fill_keys(keys: Longs, numbers: Ints, slots: Longs, /) -> None: ...
def look_up(slots: Longs, keys: Longs, otherwise: int, out: Ints, /) -> None: ...

# fields.h
def scan_lines(text: bytes, begins: Longs, widths: Ints, /) -> None: ...
def code_fields(text: bytes, rows: Ints, secret: int, codes: Ints, places: Longs, distinct: Longs, /) -> None: ...

# likelihood.h
def likelihood(
    chains: Chains,
    edges: Edges,
    labelled: Labelled,
    entries: Entries,
    weights: Weighing,
    gradient: Weighing,
    numbers: tuple[TokenWeights, ...],
    scale: float,
    gain: Floats,
    edge: Floats,
    /,
) -> int: ...

# stochastic.h
def visit(
    offsets: Longs,
    labelled: Labelled,
    nodes: Paired,
    edges: Paired,
    cells: Ints,
    weights: Moving,
    late: Moving | None,
    order: Longs,
    rate: float,
    decay: float,
    before: int,
    weight: Floats,
    gain: Floats,
    /,
) -> int: ...

# vectors.h
def dot(a: Floats, b: Floats, /) -> float: ...
def products_of_pairs(
    s: Singles, y: Singles, inverse: Floats, a: Floats, newest: int, begin: int, end: int, out: Floats, /
) -> None: ...
def weighed_squares(y: Singles, inverse: Floats, begin: int, end: int, out: Floats, /) -> None: ...
def coefficients(
    products: Floats,
    s_y: Floats,
    y_y: Floats,
    scale: float,
    newest: int,
    count: int,
    taken: Floats,
    added: Floats,
    /,
) -> None: ...
def combined(
    s: Singles,
    y: Singles,
    inverse: Floats,
    a: Floats,
    scale: float,
    newest: int,
    count: int,
    taken: Floats,
    added: Floats,
    begin: int,
    end: int,
    d: Floats,
    /,
) -> float: ...
def add_pair(
    s: Singles,
    y: Singles,
    theta: Floats,
    next_theta: Floats,
    g: Floats,
    next_g: Floats,
    row: int,
    begin: int,
    end: int,
    /,
) -> tuple[float, float, float]: ...
def move(theta: Floats, d: Floats, step: float, out: Floats, /) -> None: ...
def move_in_orthant(
    theta: Floats, d: Floats, step: float, a: Floats, penalised: Bools | None, out: Floats, /
) -> tuple[float, float]: ...
def penalised_size(theta: Floats, penalised: Bools | None, /) -> float: ...
def pseudo_gradient(theta: Floats, g: Floats, penalised: Bools | None, l1: float, a: Floats, /) -> None: ...
def align(d: Floats, a: Floats, theta: Floats, penalised: Bools | None, zeros_only: bool, /) -> float: ...

# exchange.h
def n_log_n(n: Ints, out: Longs, /) -> None: ...
def best_clusters(exchange: Exchange, begin: int, end: int, best: Ints, /) -> int: ...
def exchange(exchange: Exchange, begin: int, end: int, best: Ints, /) -> int: ...

# merging.h
def own_sums(merging: Merging, /) -> None: ...
def losses(merging: Merging, begin: int, end: int, /) -> None: ...
def merge_nearest(merging: Merging, pair: Ints, /) -> int: ...
