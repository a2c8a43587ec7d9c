"""Names for the array types that annotations use."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Singles: TypeAlias = npt.NDArray[np.float32]
Halves: TypeAlias = npt.NDArray[np.float16]
Ints: TypeAlias = npt.NDArray[np.int32]
Longs: TypeAlias = npt.NDArray[np.int64]
Bytes: TypeAlias = npt.NDArray[np.uint8]
Bools: TypeAlias = npt.NDArray[np.bool_]
Array: TypeAlias = npt.NDArray[Any]  # of any type
