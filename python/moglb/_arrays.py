"""Arrays of float64 out of anything that can be one, with a clear word where it cannot."""

from __future__ import annotations

from typing import Any, Type

import numpy as np
from numpy.typing import NDArray

from . import _moglb
from .errors import InputTypeError, NotFiniteError, RaggedError, ShapeError, TooLargeError

_AXES = {1: "one axis", 2: "rows and columns", 3: "three axes"}


def float_array(value: Any, what: str, n_axes: int) -> NDArray[np.float64]:
    """A C-contiguous array of float64 with so many axes; SciPy's sparse matrices and data frames become dense."""
    if value is None or isinstance(value, (str, bytes, dict, set)):
        raise InputTypeError(f"{what} must be an array of numbers, got {type(value).__name__}")
    if hasattr(value, "toarray") and hasattr(value, "nnz"):
        value = value.toarray()
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise RaggedError(f"{what} must be a table: {error}") from None
    except MemoryError as error:
        raise TooLargeError(f"{what}: {error}") from None
    except Exception as error:  # whatever an object's own __array__ raises
        raise InputTypeError(f"{what} must be an array of numbers: {error}") from None
    if array.dtype.kind not in "fiub":
        if array.dtype == object and _is_ragged(value):
            raise RaggedError(f"{what} must be a table, its rows differ in length")
        raise InputTypeError(f"{what} must be an array of numbers, got dtype {array.dtype}")
    if array.ndim != n_axes:
        shape = "×".join(map(str, array.shape)) or "a single number"
        raise ShapeError(f"{what} must have {_AXES[n_axes]}, got {shape}")
    if array.dtype == np.float64:
        made: NDArray[np.float64] = np.ascontiguousarray(array, dtype=np.float64)
    else:
        made = _converted(array, what)
    return made if made.flags.aligned else made.copy()


def _converted(array: NDArray[Any], what: str) -> NDArray[np.float64]:
    with np.errstate(over="ignore"):
        made = np.ascontiguousarray(array, dtype=np.float64)
    if array.dtype.kind == "f" and not np.array_equal(np.isfinite(made), np.isfinite(array)):
        raise NotFiniteError(f"{what} holds numbers beyond those of float64")
    return made


def _is_ragged(value: Any) -> bool:
    try:
        return len({len(row) for row in value}) > 1
    except TypeError:
        return False


def restore_arm_set(kind: Type[_moglb.ArmSet], contexts: NDArray[np.float64], storage: str) -> _moglb.ArmSet:
    """For pickle."""
    return kind(contexts, storage=storage)
