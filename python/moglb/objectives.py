"""Objectives, priors and the widths of confidence sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from ._arrays import any_array, listed, table
from ._moglb import Link
from ._shown import cut, shown
from .errors import InputTypeError, ParametersError, PriorError

_OBJECTIVES = 2**16
"""The largest number of objectives that are made from a number alone."""


@dataclass(frozen=True)
class Objective:
    """An objective: its name, its link, the direction that is better, and the range of its rewards.

    ``direction`` is "maximize" or "minimize". ``range`` is the range of the rewards. By default it is the
    usual one of the link: [0, 1] for logit and probit, [-1, 1] for identity, [0, 10] for log. A range lies
    within ±1e100, and its length is at least 1e-200 and at least 1e-12 of its larger end.

    >>> Objective("cost", link="identity", direction="minimize", range=(0.0, 1.0))
    Objective(name='cost', link='identity', direction='minimize', range=(0.0, 1.0))
    """

    name: str
    link: Union[str, Link] = "logit"
    direction: str = "maximize"
    range: Optional[Tuple[float, float]] = None

    def to_dict(self) -> Dict[str, Any]:
        """The objective in the form of configurations."""
        link = self.link.name if isinstance(self.link, Link) else self.link
        return {"name": self.name, "link": link, "direction": self.direction, "range": self.range}


@dataclass(frozen=True)
class Tuned:
    """The width γ = c · log(det Z_t / det Z_1) of the paper's experiments, without a guarantee."""

    c: float = 0.01


@dataclass(frozen=True)
class Proved:
    """The width of Eq. (8): the confidence sets of Theorem 1 hold for all t with probability at least 1 -
    delta."""

    delta: float = 0.05


@dataclass(frozen=True)
class Tightened:
    """The width of the proof of Theorem 1 without its three loose steps: about thirty times smaller, and also
    proved."""

    delta: float = 0.05


@dataclass(frozen=True)
class Prior:
    """The belief about the coefficients of one objective before the first round.

    ``theta`` is the estimate. One of the other fields is its uncertainty:

    - ``within``: a bound on the distance of the true coefficients from the estimate; proved widths hold with
      it.
    - ``deviation``: one standard deviation for all coefficients, or one for each.
    - ``covariance``: the covariance of the coefficients, as a regression reports it.
    - ``information``: the inverse of the covariance. It may be singular, if nothing is known in some
      direction.

    >>> Prior([0.9, -0.2], deviation=0.1).deviation
    0.1
    """

    theta: Sequence[float] = ()
    within: Optional[float] = None
    deviation: Union[float, Sequence[float], None] = None
    covariance: Optional[Sequence[Sequence[float]]] = None
    information: Optional[Sequence[Sequence[float]]] = None


Width = Union[Tuned, Proved, Tightened]
ObjectiveLike = Union[Objective, str, Mapping[str, Any]]
PriorLike = Union[Prior, Mapping[str, Any]]


def as_objective(given: ObjectiveLike) -> Objective:
    """Reads an objective: an :class:`Objective`, a name, or a mapping.

    >>> as_objective("click").link
    'logit'
    """
    if isinstance(given, Objective):
        return given
    if isinstance(given, str):
        return Objective(given)
    if isinstance(given, Mapping):
        parts = table(given, "an objective")
        unknown = [name for name in parts if name not in ("name", "link", "direction", "range")]
        if unknown or "name" not in parts:
            wrong = f"{shown(unknown[0])} is no part of it" if unknown else "it needs a name"
            raise InputTypeError(f"an objective has a name, and may have link, direction and range: {wrong}")
        return Objective(**parts)
    raise InputTypeError(f"an objective is an Objective, a name or a mapping, got {type(given).__name__}")


def as_objectives(given: Union[int, Sequence[ObjectiveLike]]) -> Tuple[Objective, ...]:
    """Reads a list of objectives, or makes a number of objectives with logit links and the names y1, y2 and
    so on.

    >>> [o.name for o in as_objectives(2)]
    ['y1', 'y2']
    """
    if isinstance(given, int) and not isinstance(given, bool):
        if given > _OBJECTIVES:
            raise ParametersError(f"there can be at most {_OBJECTIVES} objectives, got {shown(given)}")
        return tuple(Objective(f"y{k + 1}") for k in range(max(given, 0)))
    if isinstance(given, (bool, int, str, bytes, Mapping)) or not hasattr(given, "__iter__"):
        raise InputTypeError(f"objectives must be a list of objectives, got {type(given).__name__}")
    return tuple(as_objective(one) for one in listed(given, "objectives"))


def width_params(width: Optional[Width]) -> Dict[str, Any]:
    """The width in the form of configurations; empty for the default."""
    if width is None:
        return {}
    if isinstance(width, Tuned):
        return {"width": "tuned", "c": width.c}
    if isinstance(width, Proved):
        return {"width": "proved", "delta": width.delta}
    if isinstance(width, Tightened):
        return {"width": "tightened", "delta": width.delta}
    raise InputTypeError(f"width must be Tuned, Proved or Tightened, got {type(width).__name__}")


def written_prior(given: Optional[PriorLike]) -> Dict[str, Any]:
    """The prior in the form of configurations; ``None`` is a prior without information."""
    if given is None:
        return {}
    if not isinstance(given, (Prior, Mapping)):
        raise InputTypeError(f"a prior is a moglb.Prior, a mapping or None, got {type(given).__name__}")
    parts = table(given, "a prior") if isinstance(given, Mapping) else vars(given)
    plain = {name: _plain(name, value) for name, value in parts.items() if value is not None}
    return {name: value for name, value in plain.items() if value != []}


def _plain(name: str, value: Any) -> Any:
    """Converts a number or an array of a prior to a number or nested lists, and refuses NaN and
    infinities."""
    array = any_array(value, f"{cut(str(name))} of a prior")
    if not np.isfinite(array).all():
        raise PriorError(f"{cut(str(name))} of a prior must be finite")
    return array.tolist()


def written_priors(given: Sequence[Optional[PriorLike]]) -> List[Dict[str, Any]]:
    """A list of priors in the form of configurations."""
    if isinstance(given, (str, bytes, Mapping, Prior)) or not hasattr(given, "__iter__"):
        raise InputTypeError("prior is a list with a moglb.Prior or None for each objective")
    return [written_prior(one) for one in listed(given, "prior")]
