"""Objectives, and how wide the confidence sets are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from ._arrays import any_array, listed, table
from ._moglb import Link
from ._shown import cut, shown
from .errors import InputTypeError, ParametersError, PriorError

_OBJECTIVES = 2**16
"""The most objectives that a number can stand for."""


@dataclass(frozen=True)
class Objective:
    """What is rewarded, through which link, and which way is better.

    ``range`` is that of the rewards where it is not the link's usual one: [0, 1] for logit and probit, [-1, 1] for
    identity, [0, 10] for log. It lies within ±1e100 and is at least 1e-200 long, and at least 1e-12 of its larger end.

    >>> Objective("cost", link="identity", direction="minimize", range=(0.0, 1.0))
    Objective(name='cost', link='identity', direction='minimize', range=(0.0, 1.0))
    """

    name: str
    link: Union[str, Link] = "logit"
    direction: str = "maximize"
    range: Optional[Tuple[float, float]] = None

    def to_dict(self) -> Dict[str, Any]:
        """As it is written in configurations."""
        link = self.link.name if isinstance(self.link, Link) else self.link
        return {"name": self.name, "link": link, "direction": self.direction, "range": self.range}


@dataclass(frozen=True)
class Tuned:
    """γ = c · log(det Z_t / det Z_1), as in the paper's experiments; no guarantee."""

    c: float = 0.01


@dataclass(frozen=True)
class Proved:
    """Eq. (8): the confidence sets of Theorem 1 hold for all t with probability at least 1 - delta."""

    delta: float = 0.05


@dataclass(frozen=True)
class Tightened:
    """The same proof without its three loose steps: about thirty times smaller, and it holds as well."""

    delta: float = 0.05


@dataclass(frozen=True)
class Prior:
    """What is believed about the coefficients of one objective before the first round.

    ``theta`` is the estimate, and one of the others says how sure it is:

    - ``within``: a bound on the distance of the true coefficients from it; proved widths hold with it.
    - ``deviation``: the standard deviation of all coefficients, or of each.
    - ``covariance``: their covariance, as a regression elsewhere reports it.
    - ``information``: the inverse of that; it may be singular, where nothing is known in some direction.

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
    """An objective from itself, a name, or a mapping.

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
    """Objectives from a list of them, or that many unnamed ones with logit links.

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
    """A width as it is written in configurations."""
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
    """A prior as it is written in configurations; nothing is believed of ``None``."""
    if given is None:
        return {}
    if not isinstance(given, (Prior, Mapping)):
        raise InputTypeError(f"a prior is a moglb.Prior, a mapping or None, got {type(given).__name__}")
    parts = table(given, "a prior") if isinstance(given, Mapping) else vars(given)
    plain = {name: _plain(name, value) for name, value in parts.items() if value is not None}
    return {name: value for name, value in plain.items() if value != []}


def _plain(name: str, value: Any) -> Any:
    """Numbers and lists of them, whatever arrays they came in."""
    array = any_array(value, f"{cut(str(name))} of a prior")
    if not np.isfinite(array).all():
        raise PriorError(f"{cut(str(name))} of a prior must be finite")
    return array.tolist()


def written_priors(given: Sequence[Optional[PriorLike]]) -> List[Dict[str, Any]]:
    """Priors as they are written in configurations."""
    if isinstance(given, (str, bytes, Mapping, Prior)) or not hasattr(given, "__iter__"):
        raise InputTypeError("prior is a list with a moglb.Prior or None for each objective")
    return [written_prior(one) for one in listed(given, "prior")]
