"""Conversion of arguments to arrays of float64, lists and numbers, with clear errors."""

from __future__ import annotations

import itertools
import operator
from typing import Any, Dict, Iterable, List, Mapping, Tuple, Type

import numpy as np
from numpy.typing import NDArray

from . import _moglb
from ._shown import cut, shown
from .errors import (
    Error,
    InputTypeError,
    MissingDependencyError,
    NotFiniteError,
    ParametersError,
    RaggedError,
    ShapeError,
    TooLargeError,
)

_AXES = {1: "one axis", 2: "rows and columns", 3: "three axes"}

_LARGE = 2**28
"""The largest number of bytes of an array that is copied without a check of the memory limit."""

_ITEMS = 2**20
"""The largest number of items that are read from an iterable that is not a list: it may have no end."""


def float_array(value: Any, what: str, n_axes: int, plain: bool = False) -> NDArray[np.float64]:
    """Converts a value to a C-contiguous array of float64 with ``n_axes`` axes.

    SciPy's sparse matrices and data frames become dense. ``what`` is the name of the argument in error
    messages. ``plain`` is true if the value is a number, or consists only of lists of numbers, all of
    Python's own types: then NumPy can read it safely.
    """
    if value is None or isinstance(value, (str, bytes, dict, set)):
        raise InputTypeError(f"{what} must be an array of numbers, got {type(value).__name__}")
    array = _array(value, what, n_axes, plain)
    if array.dtype.kind not in "fiub":
        if array.dtype == object and _is_ragged(value):
            raise RaggedError(f"{what} must be a table, its rows differ in length")
        raise InputTypeError(f"{what} must be an array of numbers, got dtype {cut(str(array.dtype))}")
    if array.ndim != n_axes:
        shape = "×".join(map(str, array.shape)) or "a single number"
        raise ShapeError(f"{what} must have {_AXES[n_axes]}, got {shape}")
    try:
        if array.dtype == np.float64:
            made: NDArray[np.float64] = np.ascontiguousarray(_fitting(array, what), dtype=np.float64)
        else:
            made = _converted(_fitting(array, what), what)
        return made if made.flags.aligned else made.copy()
    except MemoryError as error:
        raise _too_large(what, error) from None


def any_array(value: Any, what: str) -> NDArray[np.float64]:
    """Converts a value to an array of float64 with at most two axes; a number has none."""
    array = _array(value, what, 2, False)
    if array.dtype == object:
        array = _array([_float(item, what) for item in array.ravel()], what, 1, True).reshape(array.shape)
    if array.dtype.kind not in "fiub":
        raise InputTypeError(f"{what} must be a number or an array of numbers, got dtype {cut(str(array.dtype))}")
    try:
        return np.asarray(_fitting(array, what), dtype=np.float64)
    except MemoryError as error:
        raise _too_large(what, error) from None


def _float(value: Any, what: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputTypeError(f"{what} must be a number or an array of numbers, got {type(value).__name__}") from None


def _array(value: Any, what: str, n_axes: int, plain: bool) -> NDArray[Any]:
    """Converts a value with NumPy. Every exception of the value's own methods becomes a typed error."""
    try:
        if hasattr(value, "toarray") and hasattr(value, "nnz"):
            value = value.toarray()
            # SciPy returns a row of a sparse matrix as a matrix with one row.
            value = value[0] if n_axes == 1 and value.ndim == 2 and value.shape[0] == 1 else value
        if isinstance(value, np.ma.MaskedArray) and value.mask.any():
            value = np.ma.filled(value.astype(np.float64), np.nan)
        return np.asarray(value if plain else _listed(value, what, n_axes))
    except Error:
        raise
    except ValueError as error:
        raise RaggedError(f"{what} must be a table: {cut(str(error))}") from None
    except MemoryError as error:
        raise _too_large(what, error) from None
    except Exception as error:  # a method of the value may raise anything
        raise InputTypeError(f"{what} must be an array of numbers: {cut(str(error))}") from None


def _too_large(what: str, error: MemoryError) -> TooLargeError:
    return TooLargeError(f"{what}: {cut(str(error)) or 'there is not enough memory'}")


def _listed(value: Any, what: str, n_axes: int) -> Any:
    """Replaces all sequences inside of a value by lists.

    NumPy reads the items of a sequence until it ends, which may be never. Lists have an end.
    """
    if isinstance(value, (str, bytes, Mapping)):
        raise InputTypeError(f"{what} must be an array of numbers, got {type(value).__name__}")
    if not _is_sequence(value):
        return value
    if n_axes == 0:
        raise ShapeError(f"{what} must have fewer axes, got lists nested deeper")
    return [_listed(item, what, n_axes - 1) for item in listed(value, what)]


def _is_sequence(value: Any) -> bool:
    """Returns true if NumPy would read a value item by item."""
    kind = type(value)
    if isinstance(value, (np.ndarray, np.generic, bytearray, memoryview)):
        return False
    if any(hasattr(kind, name) for name in ("__array__", "__array_interface__", "__array_struct__")):
        return False
    return hasattr(kind, "__getitem__") and hasattr(kind, "__len__") and not _is_buffer(value)


def _is_buffer(value: Any) -> bool:
    """Returns true if a value has the buffer protocol, so that NumPy reads its memory directly."""
    try:
        memoryview(value)
    except TypeError:
        return False
    return True


def listed(value: Any, what: str) -> List[Any]:
    """The items of a list or of any other iterable. An iterable with more than ``_ITEMS`` items is
    refused."""
    if type(value) in (list, tuple):
        return list(value)
    if isinstance(value, (str, bytes, Mapping)):
        raise InputTypeError(f"{what} must be a list, got {type(value).__name__}")
    if isinstance(value, np.ndarray):
        if value.ndim == 0:
            raise InputTypeError(f"{what} must be a list, got a single number")
        items: List[Any] = _fitting(value, what).tolist()
        return items
    try:
        iterator = iter(value)
    except TypeError:
        raise InputTypeError(f"{what} must be a list, got {type(value).__name__}") from None
    items = list(itertools.islice(iterator, _ITEMS + 1))
    if len(items) > _ITEMS:
        raise TooLargeError(f"{what} must be a list or an array where it has more than {_ITEMS} items")
    return items


def plain(value: Any, what: str) -> Any:
    """Converts a NumPy array, or an object with ``tolist``, to lists of Python's own numbers.

    Any other object is returned unchanged.
    """
    if isinstance(value, np.ndarray):
        return _fitting(value, what).tolist()
    listing = getattr(value, "tolist", None)
    return value if listing is None else listing()


def table(value: Mapping[str, Any], what: str) -> Dict[str, Any]:
    """Copies a mapping into a dictionary. A mapping with more than ``_ITEMS`` entries is refused."""
    if type(value) is dict:
        return dict(value)
    items = list(itertools.islice(value.items(), _ITEMS + 1))
    if len(items) > _ITEMS:
        raise TooLargeError(f"{what} has more than {_ITEMS} entries")
    return dict(items)


def _fitting(array: NDArray[Any], what: str) -> NDArray[Any]:
    """Returns the array if a copy of it is within the memory limit, and refuses it otherwise.

    A view may repeat a single number many times, so its copy can be much larger than the view.
    """
    if array.size * 8 > _LARGE and array.size * 8 > _moglb.memory_limit():
        shape = "×".join(map(str, array.shape))
        raise TooLargeError(f"{what}: {shape} numbers are more than fit into the memory limit")
    return array


def _converted(array: NDArray[Any], what: str) -> NDArray[np.float64]:
    """Converts numbers of another type to float64. Numbers that float64 does not have are refused."""
    with np.errstate(over="ignore"):
        made = np.ascontiguousarray(array, dtype=np.float64)
    if array.dtype.kind == "f" and not np.array_equal(np.isfinite(made), np.isfinite(array)):
        raise NotFiniteError(f"{what} holds numbers beyond those of float64")
    return made


def _is_ragged(value: Any) -> bool:
    return type(value) in (list, tuple) and len({len(row) for row in value if type(row) in (list, tuple)}) > 1


def csr_parts(
    value: Any, what: str, n_axes: int
) -> Tuple[int, NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """The number of columns, the row starts, the columns and the values of a sparse matrix of SciPy.

    With ``n_axes`` 1 the matrix is a vector and must have one row.
    """
    try:
        return _csr_parts(value, what, n_axes)
    except Error:
        raise
    except Exception as error:  # the value may have only a part of the interface of a sparse matrix
        raise InputTypeError(f"{what} must be a sparse matrix of numbers: {cut(str(error))}") from None


def _csr_parts(
    value: Any, what: str, n_axes: int
) -> Tuple[int, NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    if n_axes == 1 and value.ndim == 1:
        value = value.reshape((1, -1))
    if value.ndim != 2 or (n_axes == 1 and value.shape[0] != 1):
        shape = "×".join(map(str, value.shape))
        raise ShapeError(f"{what} must have {_AXES[n_axes]}, got {shape}")
    table = value.tocsr()
    values = float_array(table.data, what, 1)
    return whole("columns", table.shape[1]), _indices(table.indptr, what), _indices(table.indices, what), values


def _indices(array: Any, what: str) -> NDArray[np.int64]:
    """Row starts or columns of a sparse matrix as an array of int64."""
    found = np.asarray(array)
    if found.ndim != 1 or found.dtype.kind not in "iu":
        raise InputTypeError(f"{what} must be a sparse matrix with whole numbers as indices")
    return np.ascontiguousarray(_fitting(found, what), dtype=np.int64)


def csr_array(
    values: NDArray[np.float64], columns: NDArray[np.int64], starts: NDArray[np.int64], shape: Tuple[int, int]
) -> Any:
    """Makes a CSR matrix of SciPy from its parts."""
    try:
        from scipy.sparse import csr_array as made
    except ImportError:
        raise MissingDependencyError("sparse contexts come as matrices of SciPy: pip install scipy") from None
    return made((values, columns, starts), shape=shape)


def restore_arm_set(kind: Type[_moglb.ArmSet], contexts: Any, storage: str) -> _moglb.ArmSet:
    """Restores an arm set from a pickle."""
    return kind(contexts, storage=storage)


def positions(value: Any, what: str, plain: bool = False) -> NDArray[np.int64]:
    """Reads the positions of some arms: positions in any order, or a mask with one boolean per arm.

    ``what`` and ``plain`` are as in :func:`float_array`.
    """
    try:
        array = np.asarray(value if plain or isinstance(value, np.ndarray) else _listed(listed(value, what), what, 1))
    except Error:
        raise
    except ValueError:
        raise RaggedError(f"{what} must be a list of positions or a mask, got lists of several lengths") from None
    except Exception as error:  # a method of an item may raise anything
        raise InputTypeError(f"{what} must be positions of arms: {cut(str(error))}") from None
    if array.ndim != 1:
        raise ShapeError(f"{what} must be a list of positions or a mask")
    array = _fitting(array, what)
    if array.dtype == bool:
        array = np.flatnonzero(array)
    if array.dtype.kind == "f" and (array == np.floor(array)).all() and (np.abs(array) < 2**53).all():
        array = array.astype(np.int64)
    if array.size and (array.dtype.kind not in "iu" or array.min() < 0 or array.max() > 2**63 - 1):
        raise InputTypeError(f"{what} must be positions of arms, whole numbers from 0")
    return np.ascontiguousarray(array, dtype=np.int64)


def whole(name: str, value: Any, least: int = 0, most: int = 2**64 - 1) -> int:
    """Reads a whole number, and refuses one outside of [``least``, ``most``]."""
    try:
        number = int(operator.index(value))
    except TypeError:
        raise InputTypeError(f"{name} must be a whole number, got {type(value).__name__}") from None
    if not least <= number <= most:
        raise ParametersError(f"{name} must lie between {least} and {most}, got {shown(number)}")
    return number


def one_of(name: str, value: Any, known: Iterable[str]) -> str:
    """Reads a word, and refuses one that is not in ``known``."""
    if not isinstance(value, str):
        raise InputTypeError(f"{name} must be text, got {type(value).__name__}")
    words = list(known)
    if value not in words:
        raise ParametersError(f"{name} must be one of {', '.join(words)}, got {shown(value)}")
    return value
