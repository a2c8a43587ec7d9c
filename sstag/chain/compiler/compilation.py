"""Kernels compiled by numba to object files, which are loaded without numba.

    status = entry(result, error, frame)                                        (numba's own convention)

The frame is words of 8 bytes: a number is one, an array is its address and its shape. What the kernel returns is
written to `result`, and the status is 0 unless it raised something. What kernels share are plain functions beside them:
they are compiled into each kernel that calls them. A kernel may not allocate, because memory would be numba's.
"""

import os
from collections.abc import Callable
from functools import cache
from itertools import count
from types import FunctionType
from typing import Any, NamedTuple, cast

from sstag.chain.compiler.machine_code import Signature

# Before any import of numba, which reads it: only numba's own loader would find Intel's library of vector functions.
os.environ.setdefault("NUMBA_DISABLE_INTEL_SVML", "1")

from llvmlite import binding, ir
from numba import njit, types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

from sstag.chain.compiler import vector_code

# Sums may be reordered and fused. Never `fast`: it would assume that there is neither NaN nor an infinity.
FASTMATH = {"reassoc", "contract", "nsz"}

# Functions that LLVM compiles to slow code, and the functions that write instructions for them instead.
WRITTEN = {"sstag.chain.kernels.product.add_wide_product": vector_code.add_product}

FOUND_EVERYWHERE = ("llvm.", "exp", "log", "mem", "sqrt")  # beginnings of names that every process can resolve


class Code(NamedTuple):
    """An object file, and whether other processes can load it."""

    object_file: bytes
    is_complete: bool


def code(function: Callable[..., Any], name: str, exact: bool, signature: Signature) -> Code:
    """The machine code of a kernel for this processor, with an entry of this name."""
    frame = types.CPointer(types.int64)
    dispatcher = _jitted(_entry(function, exact, signature), exact)
    dispatcher.compile(_result(signature)(frame))
    (compiled,) = dispatcher.overloads.values()
    module = binding.parse_assembly(compiled.library.get_llvm_str())
    for value in (*module.functions, *module.global_variables):
        if not value.is_declaration:
            value.linkage = "internal"  # so that the copies of a function in several kernels do not clash
    entry = module.get_function(compiled.fndesc.llvm_func_name)
    entry.linkage, entry.name = "external", name
    machine = binding.Target.from_default_triple().create_target_machine(
        cpu=binding.get_host_cpu_name(), features=binding.get_host_cpu_features().flatten(), opt=3, jit=True
    )
    needed = [value.name for value in module.functions if value.is_declaration]
    return Code(machine.emit_object(module), all(name.startswith(FOUND_EVERYWHERE) for name in needed))


def _result(signature: Signature) -> Any:
    parts = [getattr(types, name) for name in signature.returns] or [types.void]
    return parts[0] if len(parts) == 1 else types.UniTuple(parts[0], len(parts))


def _entry(function: Callable[..., Any], exact: bool, signature: Signature) -> Callable[..., Any]:
    """The kernel as a function of its frame."""
    kinds = [
        types.Array(getattr(types, name), dimensions, "C") if dimensions else getattr(types, name)
        for name, dimensions in signature.takes
    ]

    @intrinsic  # type: ignore[untyped-decorator]
    def arguments(typing: Any, frame: Any) -> Any:
        """The arguments in a frame. Numba's `carray` makes arrays that only a function that allocates can return."""

        def build(context: Any, builder: Any, typed: Any, values: Any) -> Any:
            places = count()

            def word() -> Any:
                return builder.load(builder.gep(values[0], [ir.IntType(64)(next(places))]))

            def argument(kind: Any) -> Any:
                if kind is types.boolean:
                    return builder.icmp_signed("!=", word(), ir.IntType(64)(0))
                if not isinstance(kind, types.Array):
                    return builder.bitcast(word(), context.get_value_type(kind))
                array = make_array(kind)(context, builder)
                data = builder.inttoptr(word(), array.data.type)
                shape = [builder.trunc(word(), context.get_value_type(types.intp)) for _ in range(kind.ndim)]
                size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
                strides = [size]
                for length in reversed(shape[1:]):
                    strides.insert(0, builder.mul(strides[0], length))
                populate_array(array, data=data, shape=shape, strides=strides, itemsize=size, meminfo=None)
                return array._getvalue()

            return context.make_tuple(builder, typed.return_type, [argument(kind) for kind in kinds])

        return types.Tuple(kinds)(frame), build

    kernel = _jitted(function, exact)

    def entry(frame):  # type: ignore[no-untyped-def]
        return kernel(*arguments(frame))

    return entry


def _jitted(function: Callable[..., Any], exact: bool) -> Any:
    """A function of a kernels file, compiled together with the functions that it calls."""
    python = cast(FunctionType, function)
    beside = {name: python.__globals__.get(name) for name in python.__code__.co_names}
    parts = {name: _part(value, exact) for name, value in beside.items() if isinstance(value, FunctionType)}
    copy = FunctionType(python.__code__, python.__globals__ | parts, None, python.__defaults__, python.__closure__)
    return njit(
        fastmath=False if exact else FASTMATH,
        error_model="numpy",  # division by zero is inf or nan: an exception could not be caught
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        _nrt=False,
    )(copy)


@cache
def _part(function: FunctionType, exact: bool) -> Any:
    """A function that a kernel calls: compiled like the kernel, or the instructions that are written for it."""
    written = WRITTEN.get(f"{function.__module__}.{function.__name__}")
    return written() if written else _jitted(function, exact)
