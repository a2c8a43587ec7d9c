"""Builds `sstag.chain._core`, the compiled core: each level of processors is the same source compiled once more.

Everything else about the package is in `pyproject.toml`.
"""

import os
import platform
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

CORE = Path("sstag/chain/core")
HEADERS = sorted(str(path) for path in CORE.glob("*.h"))
# name → its table in core.h, and what a compiler needs to be told of its processors
SMALL = ["-O2"]  # a third smaller, for processors that have nothing better, of which there are few
X86 = {
    "portable": ("PORTABLE", SMALL),
    "x86_64_v3": ("X86_64_V3", ["-mavx2", "-mfma", "-mf16c", "-DSSTAG_V3"]),
    "x86_64_v4": (
        "X86_64_V4",
        ["-mavx2", "-mfma", "-mf16c", "-mavx512f", "-mavx512dq", "-mavx512bw", "-mavx512vl", "-DSSTAG_V4"],
    ),
}
ARM = {"portable": ("PORTABLE", SMALL), "arm64": ("ARM64", ["-DSSTAG_NEON"])}
LEVELS = {"x86_64": X86, "AMD64": X86, "aarch64": ARM, "arm64": ARM}
MORE = os.environ.get("SSTAG_CXXFLAGS", "").split()  # such as -fsanitize=address,undefined
FLAGS = [
    *("-std=c++17", "-O3", "-g0", "-fno-exceptions", "-fno-rtti", "-fvisibility=hidden"),
    # Every rounding is the one that the source says: no product and sum become one, no sum changes its order.
    *("-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"),
    # gcc takes lanes that an instruction fills for ones that nothing fills.
    *("-Wno-uninitialized", "-Wno-maybe-uninitialized", "-Wno-unknown-warning-option"),
    *MORE,
]


class BuildCore(build_ext):
    """Compiles the levels before the module, and links all of them."""

    def build_extension(self, extension: Extension) -> None:
        if not (os.environ.get("CXX") or any(map(shutil.which, ("c++", "g++", "clang++")))):
            self._use_zig()
        levels = LEVELS.get(platform.machine(), {"portable": ("PORTABLE", [])})
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            objects = pool.map(self._compiled, levels, *zip(*levels.values(), strict=True))
            extension.extra_objects += [each for one in objects for each in one]
        super().build_extension(extension)

    def _compiled(self, name: str, table: str, flags: list[str]) -> list[str]:
        """The object file of a level."""
        return self.compiler.compile(
            [str(CORE / "level.cpp")],
            output_dir=f"{self.build_temp}/{name}",
            macros=[("LEVEL", name), ("LEVEL_TABLE", table)],
            extra_postargs=[*FLAGS, *flags],
            depends=HEADERS,
        )

    def _use_zig(self) -> None:
        """Compiles and links with the clang of `ziglang`, which the build backend has asked for."""
        zig = [sys.executable, "-m", "ziglang"]
        for name in ("compiler", "compiler_so", "compiler_cxx", "compiler_so_cxx"):
            self.compiler.set_executable(name, [*zig, "c++", "-fPIC"])
        # As C: for C++ it would first compile the run time of C++, which the core does without.
        for name, more in (("linker_exe", []), ("linker_so", ["-shared"])):  # the first must begin the second
            self.compiler.set_executable(name, [*zig, "cc", *more])
            self.compiler.set_executable(f"{name}_cxx", [*zig, "cc", *more])


core = Extension(
    "sstag.chain._core",
    [str(CORE / "module.cpp")],
    depends=[*HEADERS, str(CORE / "level.cpp")],
    extra_compile_args=FLAGS,
    extra_link_args=[*(["-Wl,--as-needed", "-s"] if sys.platform == "linux" else []), *MORE],
    py_limited_api=True,
    language="c++",
)
setup(ext_modules=[core], cmdclass={"build_ext": BuildCore}, options={"bdist_wheel": {"py_limited_api": "cp311"}})
