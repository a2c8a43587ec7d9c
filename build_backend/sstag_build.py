"""The build backend: setuptools', which asks for a C++ compiler from the package index where the machine has none.

PEP 517 lets a backend say what a build needs besides the fixed list. `ziglang` contains clang.
"""

import os
import shutil
import sys

from setuptools import build_meta
from setuptools.build_meta import (  # noqa: F401
    build_editable,
    build_sdist,
    build_wheel,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

COMPILERS = ("c++", "g++", "clang++")


def has_compiler() -> bool:
    """Whether the machine has a C++ compiler, or the environment names one."""
    return sys.platform == "win32" or bool(os.environ.get("CXX")) or any(map(shutil.which, COMPILERS))


def get_requires_for_build_wheel(config_settings: dict[str, str] | None = None) -> list[str]:
    """The packages that building a wheel needs besides setuptools."""
    wanted = build_meta.get_requires_for_build_wheel(config_settings)
    return wanted if has_compiler() else [*wanted, "ziglang"]


get_requires_for_build_editable = get_requires_for_build_wheel
