"""Links of one's own."""

from __future__ import annotations

import warnings
from typing import Callable, Optional, Tuple

from . import _moglb
from ._moglb import Link
from .errors import InputTypeError, PerformanceWarning


def register_link(
    name: str,
    mean: Callable[[float], float],
    slope: Optional[Callable[[float], float]] = None,
    rewards: Tuple[float, float] = (0.0, 1.0),
) -> Link:
    """Makes a link known by a name, in this process: objectives, experiments and snapshots can then use it like the others.

    ``mean`` takes a number z and gives μ(z), increasing on [-radius, radius]; ``slope`` is by differences unless given;
    ``rewards`` is the usual range. It is called for every objective and round, which is slow, and a
    :class:`~moglb.PerformanceWarning` says so.

    >>> import math, warnings, moglb
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     link = moglb.register_link("cloglog", lambda z: 1 - math.exp(-math.exp(z)))
    >>> policy = moglb.MoglbUcb(2, [moglb.Objective("click", link="cloglog")])
    >>> policy.learn([0.6, 0.1], [1.0])
    >>> policy.t
    1
    """
    for one in (mean, *([] if slope is None else [slope])):
        if not callable(one):
            raise InputTypeError(f"mean and slope are functions of a number, got {type(one).__name__}")
    warnings.warn(f"the link {name} is written in Python and called in every round", PerformanceWarning, stacklevel=2)
    return _moglb.register_link(name, mean, slope, rewards)
