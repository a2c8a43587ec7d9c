"""A row times a matrix, in vectors of eight numbers: what LLVM does not find by itself.

    out[row] += a[t] @ matrix[k]          a (·, I), matrix (K, I, J), out (·, J), J ≥ WIDTH

LLVM cannot know that the arrays lie apart, so it keeps the sums in memory, asks at every source whether it may use
vectors, and adds up what is left of J number by number. Here sixteen sums at a time stay in registers, those of even
and of odd sources apart, so that none waits for the one before. The last columns are a vector that begins early enough
to end with the row, of which only the new columns count. Two sources of zero are skipped: restricted chains are cheap.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.cgutils import alloca_once, for_range_slice
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

WIDTH = 8  # numbers in a vector: one register with AVX-512, two or four elsewhere
NUMBER = 8  # bytes
APART = 2  # sources whose sums have registers of their own
REORDERED = ("reassoc", "contract", "nsz")


def add_product() -> Any:
    """A row times a matrix, as numba writes it into a kernel; its sums are reordered."""

    @intrinsic  # type: ignore[untyped-decorator]
    def product(typing: Any, a: Any, t: Any, matrix: Any, k: Any, out: Any, row: Any) -> Any:
        return types.void(a, t, matrix, k, out, row), _product

    return product


def _product(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    write = _Writer(context, builder)
    a, t, matrix, k, out, row = zip(values, signature.args, strict=True)
    _, sources, columns = write.sizes(matrix)
    weights = write.row(matrix, write.number(*k), builder.mul(sources, columns))
    source_row = write.row(a, write.number(*t), sources)
    target = write.row(out, write.number(*row), columns)
    zero, step = write.constant(0), write.constant(APART)
    even = builder.sub(sources, builder.srem(sources, step))

    def sums(first: Any, vectors: int, new: Any) -> None:
        kept = [[alloca_once(builder, write.vector) for _ in range(vectors)] for _ in range(APART)]
        for place in (*kept[0], *kept[1]):
            builder.store(write.zeros, place)

        def add(source: Any, value: Any, into: list[Any]) -> None:
            spread = write.spread(value)
            begin = builder.add(builder.mul(source, columns), first)
            for number, place in enumerate(into):
                product = builder.fmul(spread, write.loaded(weights, write.later(begin, number)), flags=REORDERED)
                builder.store(builder.fadd(builder.load(place), product, flags=REORDERED), place)

        with for_range_slice(builder, zero, even, step) as (source, _):
            both = [builder.add(source, write.constant(apart)) for apart in range(APART)]
            numbers = [builder.load(builder.gep(source_row, [one])) for one in both]
            some = [builder.fcmp_unordered("!=", number, number.type(0.0)) for number in numbers]
            with builder.if_then(builder.or_(*some), likely=True):
                for one, number, into in zip(both, numbers, kept, strict=True):
                    add(one, number, into)
        with for_range_slice(builder, even, sources, step) as (source, _):
            add(source, builder.load(builder.gep(source_row, [source])), kept[0])
        for number in range(vectors):
            found = builder.fadd(*(builder.load(places[number]) for places in kept), flags=REORDERED)
            write.add(found, target, write.later(first, number), new)

    write.all_columns(columns, (3, 2, 1), sums)
    return context.get_dummy_value()


class _Writer:
    """Instructions on vectors. A row is the address of its first number."""

    def __init__(self, context: Any, builder: Any) -> None:
        self.context, self.builder, self.word = context, builder, types.int64
        self.long, self.short = ir.IntType(64), ir.IntType(32)
        self.vector = ir.VectorType(ir.DoubleType(), WIDTH)
        self.zeros = self.vector([0.0] * WIDTH)

    def constant(self, value: int) -> Any:
        return self.long(value)

    def number(self, value: Any, kind: Any) -> Any:
        """An integer of any size, as one of 64 bits."""
        return self.context.cast(self.builder, value, kind, self.word)

    def sizes(self, array: tuple[Any, Any]) -> list[Any]:
        """The length of each axis of an array."""
        shape = self._structure(*array).shape
        return [self.builder.extract_value(shape, axis) for axis in range(array[1].ndim)]

    def row(self, array: tuple[Any, Any], number: Any, size: Any) -> Any:
        """The address of a row that has this many numbers."""
        return self.builder.gep(self._structure(*array).data, [self.builder.mul(number, size)])

    def all_columns(self, columns: Any, widths: tuple[int, ...], write: Callable[[Any, int, Any], None]) -> None:
        """`write(first, vectors, new)` for vectors that cover all columns, of which those from `new` on are new."""
        builder, done = self.builder, self.constant(0)
        for vectors in widths:
            step = self.constant(vectors * WIDTH)
            left = builder.sub(columns, done)
            end = builder.sub(columns, builder.srem(left, step))
            with for_range_slice(builder, done, end, step) as (column, _):
                write(column, vectors, column)
            done = end
        with builder.if_then(builder.icmp_signed("<", done, columns)):
            write(builder.sub(columns, self.constant(WIDTH)), 1, done)

    def loaded(self, row: Any, column: Any) -> Any:
        """The vector that begins at a column."""
        return self.builder.load(self._place(row, column), align=NUMBER)

    def add(self, found: Any, row: Any, column: Any, new: Any) -> None:
        """row[column:] += found, from the column `new` on."""
        builder = self.builder
        lanes = ir.VectorType(self.long, WIDTH)(list(range(WIDTH)))
        is_new = builder.icmp_signed(">=", lanes, self.spread(builder.sub(new, column)))
        before = self.loaded(row, column)
        after = builder.select(is_new, builder.fadd(before, found), before)
        builder.store(after, self._place(row, column), align=NUMBER)

    def later(self, column: Any, vectors: int) -> Any:
        """The address this many vectors further on."""
        return self.builder.add(column, self.constant(vectors * WIDTH))

    def spread(self, value: Any) -> Any:
        """A vector of one number."""
        builder = self.builder
        undefined = ir.Constant(ir.VectorType(value.type, WIDTH), ir.Undefined)
        one = builder.insert_element(undefined, value, self.short(0))
        return builder.shuffle_vector(one, undefined, ir.VectorType(self.short, WIDTH)([0] * WIDTH))

    def _place(self, row: Any, column: Any) -> Any:
        return self.builder.bitcast(self.builder.gep(row, [column]), self.vector.as_pointer())

    def _structure(self, value: Any, kind: Any) -> Any:
        return make_array(kind)(self.context, self.builder, value)
