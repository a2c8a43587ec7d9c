"""Machine code of kernels, called from Python: one loader for all of it, and a call that costs a few microseconds."""

import ctypes
from collections.abc import Callable
from functools import cache
from struct import Struct
from types import ModuleType
from typing import Any, NamedTuple, cast

import numpy as np

WORDS = {"int64": "q", "bool_": "q", "float64": "d"}
RESULTS: dict[str, Any] = {"int64": ctypes.c_int64, "float64": ctypes.c_double}
PLACE = ctypes.c_char * 0  # a view of an array as this type has the array's address

ENTRY = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)  # is called without the GIL


class Signature(NamedTuple):
    """The types of the arguments and results of a kernel, by the names that numpy and numba share."""

    takes: tuple[tuple[str, int], ...]  # types, and the dimensions of arrays, 0 for a number
    returns: tuple[str, ...]  # nothing, one number, or a tuple of numbers of one type


def called(object_file: bytes, name: str, signature: Signature) -> Callable[..., Any]:
    """A function of arrays and numbers that runs the entry of an object file."""
    entry = ENTRY(_address(object_file, name))
    kinds = [(np.dtype(getattr(np, one)), dimensions) for one, dimensions in signature.takes]
    words = ("Q" + "q" * dimensions if dimensions else WORDS[one] for one, dimensions in signature.takes)
    pack, count = Struct("".join(words)).pack, len(signature.returns)
    results = (RESULTS[signature.returns[0]] if count else ctypes.c_int64) * max(count, 1)
    place, address = PLACE.from_buffer, ctypes.addressof

    def call(*arguments: Any) -> Any:
        words = []
        for value, (dtype, dimensions) in zip(arguments, kinds, strict=True):
            if not dimensions:
                words.append(value)
            elif value.dtype == dtype and value.ndim == dimensions and value.flags.carray:
                words.append(address(place(value)))
                words += value.shape
            else:
                raise TypeError(f"{name} takes C-contiguous writable arrays, {dtype} with {dimensions} dimensions")
        result = results()
        # The place for an error is that of the result, too: only the status is looked at.
        if entry(result, result, pack(*words)):
            raise RuntimeError(f"{name} failed")
        return tuple(result) if count > 1 else result[0] if count else None

    return call


def _address(object_file: bytes, name: str) -> int:
    engine = _engine()
    engine.add_object_file(llvm().ObjectFileRef.from_data(object_file))
    engine.finalize_object()
    address: int = engine.get_function_address(name)
    return address


@cache
def _engine() -> Any:
    binding = llvm()
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    machine = binding.Target.from_default_triple().create_target_machine(jit=True)
    return binding.create_mcjit_compiler(binding.parse_assembly(""), machine)


@cache
def llvm() -> ModuleType:
    """LLVM, imported at the first call of a kernel: it takes 0.03 s that commands without kernels need not wait."""
    from llvmlite import binding

    return cast(ModuleType, binding)
