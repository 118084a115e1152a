"""Arrays of float64 out of anything that can be one, with a clear word where it cannot."""

from __future__ import annotations

from typing import Any, List, Tuple, Type

import numpy as np
from numpy.typing import NDArray

from . import _moglb
from .errors import (
    InputTypeError,
    MissingDependencyError,
    NotFiniteError,
    ParametersError,
    RaggedError,
    ShapeError,
    TooLargeError,
)

_AXES = {1: "one axis", 2: "rows and columns", 3: "three axes"}


def float_array(value: Any, what: str, n_axes: int) -> NDArray[np.float64]:
    """A C-contiguous array of float64 with so many axes; SciPy's sparse matrices and data frames become dense."""
    if value is None or isinstance(value, (str, bytes, dict, set)):
        raise InputTypeError(f"{what} must be an array of numbers, got {type(value).__name__}")
    try:
        if hasattr(value, "toarray") and hasattr(value, "nnz"):
            value = value.toarray()
            # A row of a sparse matrix is a matrix.
            value = value[0] if n_axes == 1 and value.ndim == 2 and value.shape[0] == 1 else value
        if isinstance(value, np.ma.MaskedArray) and value.mask.any():
            value = np.ma.filled(value.astype(np.float64), np.nan)
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


def csr_parts(
    value: Any, what: str, n_axes: int
) -> Tuple[int, NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """The number of columns, row starts, columns and values of a sparse matrix of SciPy; of one row where a vector is meant."""
    if n_axes == 1 and value.ndim == 1:
        value = value.reshape((1, -1))
    if value.ndim != 2 or (n_axes == 1 and value.shape[0] != 1):
        shape = "×".join(map(str, value.shape))
        raise ShapeError(f"{what} must have {_AXES[n_axes]}, got {shape}")
    table = value.tocsr()
    values = float_array(table.data, what, 1)
    return int(table.shape[1]), _indices(table.indptr), _indices(table.indices), values


def _indices(array: Any) -> NDArray[np.int64]:
    return np.ascontiguousarray(array, dtype=np.int64)


def csr_array(
    values: NDArray[np.float64], columns: NDArray[np.int64], starts: NDArray[np.int64], shape: Tuple[int, int]
) -> Any:
    """A CSR matrix of SciPy out of its parts."""
    try:
        from scipy.sparse import csr_array as made
    except ImportError:
        raise MissingDependencyError("sparse contexts come as matrices of SciPy: pip install scipy") from None
    return made((values, columns, starts), shape=shape)


def restore_arm_set(kind: Type[_moglb.ArmSet], contexts: Any, storage: str) -> _moglb.ArmSet:
    """For pickle."""
    return kind(contexts, storage=storage)


def positions(value: Any, what: str) -> List[int]:
    """The positions of some arms, out of positions in any order or a mask of all arms."""
    try:
        array = np.asarray(list(value) if not isinstance(value, np.ndarray) else value)
    except TypeError:
        raise InputTypeError(f"{what} must be positions of arms, got {type(value).__name__}") from None
    if array.ndim != 1:
        raise ShapeError(f"{what} must be a list of positions or a mask")
    if array.dtype == bool:
        array = np.flatnonzero(array)
    if array.dtype.kind == "f" and (array == np.floor(array)).all():
        array = array.astype(np.int64)
    if array.size and (array.dtype.kind not in "iu" or array.min() < 0):
        raise InputTypeError(f"{what} must be positions of arms, whole numbers from 0")
    return [int(position) for position in array]


def whole(name: str, value: Any, least: int = 0, most: int = 2**64 - 1) -> int:
    """A whole number within bounds."""
    try:
        number = int(value.__index__())
    except (AttributeError, TypeError):
        raise InputTypeError(f"{name} must be a whole number, got {type(value).__name__}") from None
    if not least <= number <= most:
        raise ParametersError(f"{name} must lie between {least} and {most}, got {number}")
    return number
