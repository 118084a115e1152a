"""Features: contexts of norm at most one from raw rows, in the same units from the first round to the last.

A raw row has the columns of a raw context, followed by those of the arm's own features. Steps append columns.
A layout determines the columns that the arms share. One number, set by the caller or frozen from a sample,
scales the result.

>>> import moglb
>>> from moglb import features
>>> f = features.Features(2, steps=[features.intercept(1.0)], layout=features.blocks(3))
>>> f = f.freeze([[3.0, 4.0], [0.0, 2.0]], arms=[0, 0])
>>> f.dim, round(f.scale, 6)
(9, 5.09902)
>>> policy = moglb.MoglbUcb(f.dim, ["click"], seed=7)
>>> arms = f.arms([0.0, 2.0])          # an ArmSet: one context for each of the three arms
>>> d = policy.decide(arms)
>>> policy.learn(f.map([[0.0, 2.0]], arms=[d.arm]), [1.0])
"""

from __future__ import annotations

import json
from typing import Any, Dict, Optional, Sequence, Tuple, Type, TypeVar, Union

from numpy.typing import ArrayLike

from . import _moglb
from ._arrays import listed, whole
from .errors import InputTypeError

_F = TypeVar("_F", bound="Features")

Names = Union[Dict[str, Union[str, float]], Sequence[Dict[str, Union[str, float]]]]
"""The type of named features: words or numbers by name. One dictionary, or one for each row."""

__all__ = ["Features", "blocks", "hash", "hybrid", "interactions", "intercept", "shared"]


def intercept(value: float = 1.0) -> Dict[str, Any]:
    """A step that appends a column with the same value in every row.

    The column takes its share of the norm, so choose a value about as large as the norm of a typical row.
    """
    return {"kind": "intercept", "value": _number("value", value)}


def hash(bits: int, salt: int = 0) -> Dict[str, Any]:
    """A step that hashes named features into 2**bits columns, with signs.

    The hash is FNV-1a of 64 bits, followed by the final mixer of MurmurHash3.
    """
    return {"kind": "hash", "bits": whole("bits", bits, most=2**32 - 1), "salt": whole("salt", salt)}


def interactions(left: Sequence[int], right: Optional[Sequence[int]] = None) -> Dict[str, Any]:
    """A step that appends the products of each column of ``left`` and each column of ``right``.

    Without ``right`` it appends the products of all pairs of columns of ``left``, without squares.
    """
    step: Dict[str, Any] = {"kind": "interactions", "left": _columns(left)}
    if right is not None:
        step["right"] = _columns(right)
    return step


def shared() -> Dict[str, Any]:
    """A layout in which all arms share all columns: one coefficient per column."""
    return {"kind": "shared"}


def blocks(n_arms: int) -> Dict[str, Any]:
    """A layout with one block per arm: every arm has its own coefficients, and there are ``n_arms`` times as
    many columns."""
    return {"kind": "blocks", "n_arms": whole("n_arms", n_arms)}


def hybrid(n_arms: int, own: Optional[Sequence[int]] = None) -> Dict[str, Any]:
    """A layout with the shared columns, followed by one block per arm with all columns, or those in
    ``own``."""
    layout: Dict[str, Any] = {"kind": "hybrid", "n_arms": whole("n_arms", n_arms)}
    if own is not None:
        layout["own"] = _columns(own)
    return layout


def _columns(columns: Any) -> Any:
    return [whole("a column", column) for column in listed(columns, "columns")]


class Features(_moglb.Features):
    """Makes contexts from raw rows.

    ``context`` and ``arm`` are the numbers of columns of a raw context and of an arm's own features.
    ``overlong`` is the treatment of rows longer than the scale: ``"clip"`` shortens them, ``"refuse"`` raises
    an error.

    Nothing is learned: a context depends only on the configuration and its row. Rows are arrays or sparse
    matrices of SciPy.
    """

    def __new__(
        cls: Type[_F],
        context: int = 0,
        *,
        arm: int = 0,
        steps: Sequence[Dict[str, Any]] = (),
        layout: Optional[Dict[str, Any]] = None,
        scale: Optional[float] = None,
        overlong: str = "clip",
    ) -> _F:
        return super().__new__(
            cls,
            {
                "context": whole("context", context),
                "arm": whole("arm", arm),
                "steps": listed(steps, "steps"),
                "layout": shared() if layout is None else layout,
                "scale": None if scale is None else _number("scale", scale),
                "overlong": overlong,
            },
        )

    @property
    def config(self) -> Dict[str, Any]:
        """The configuration as a dictionary."""
        config: Dict[str, Any] = json.loads(self.to_json())["features"]
        return config

    def freeze(
        self: _F,
        contexts: ArrayLike,
        *,
        arms: Optional[Sequence[int]] = None,
        arm_features: Optional[ArrayLike] = None,
        named: Optional[Names] = None,
        quantile: float = 1.0,
    ) -> _F:
        """Returns these features with a scale from a sample of rows: the largest norm, or a smaller quantile
        of the norms."""
        quantile = _number("quantile", quantile)
        scale = self._frozen_scale(contexts, arms, arm_features, named, quantile)
        return self._of({**self.config, "scale": scale})

    def map(
        self,
        contexts: ArrayLike,
        *,
        arms: Optional[Sequence[int]] = None,
        arm_features: Optional[ArrayLike] = None,
        named: Optional[Names] = None,
        sparse: bool = True,
    ) -> Any:
        """Makes the context of each raw row, as a CSR matrix of SciPy, or as an array with ``sparse=False``.

        ``arms`` has the position of each row's arm, which a layout with blocks needs.
        """
        return self._map(contexts, arms, arm_features, named, sparse)

    def arms(
        self, context: ArrayLike, *, arm_features: Optional[ArrayLike] = None, named: Optional[Names] = None
    ) -> _moglb.ArmSet:
        """Makes the arms of one decision.

        ``context`` is one raw context for all arms. Each arm has a row of ``arm_features``, or a dictionary
        in ``named``; a single dictionary is for all arms.
        """
        return self._arms(context, arm_features, named)

    @classmethod
    def from_json(cls: Type[_F], text: str) -> _F:
        """Restores features from ``to_json``."""
        if not isinstance(text, str):
            raise InputTypeError(f"features are read from text, got {type(text).__name__}")
        config: Dict[str, Any] = json.loads(_moglb.Features._config(text))
        return cls._of(config)

    @classmethod
    def _of(cls: Type[_F], config: Dict[str, Any]) -> _F:
        return cls(config.pop("context"), **config)

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self).from_json, (self.to_json(),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Features) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return self.to_json().__hash__()

    def __repr__(self) -> str:
        return f"Features(dim={self.dim}, scale={self.scale})"


def _number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputTypeError(f"{name} must be a number, got {type(value).__name__}") from None
