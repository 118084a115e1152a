"""Registration of links that are written in Python."""

from __future__ import annotations

import warnings
from typing import Callable, Dict, NamedTuple, Optional, Tuple

from . import _moglb
from ._arrays import any_array
from ._moglb import Link
from ._shown import cut
from .errors import InputTypeError, PerformanceWarning


def register_link(
    name: str,
    mean: Callable[[float], float],
    slope: Optional[Callable[[float], float]] = None,
    rewards: Tuple[float, float] = (0.0, 1.0),
) -> Link:
    """Registers a link under a name in this process. Objectives, experiments and snapshots can then use it.

    ``mean`` is a function of a number z that returns μ(z), increasing on [-radius, radius]. ``slope`` is its
    derivative; by default it is computed by differences. ``rewards`` is the usual range of rewards. The
    functions are called for every objective and round, which is slow, so there is a
    :class:`~moglb.PerformanceWarning`.

    A link is never freed, so a process can register at most 4096 links. Registering the same functions again
    under the same name counts once and returns the same link.

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
    if not isinstance(name, str):
        raise InputTypeError(f"the name of a link is text, got {type(name).__name__}")
    if any("\ud800" <= character <= "\udfff" for character in name):
        raise InputTypeError("the name of a link is text that can be written as UTF-8")
    pair = any_array(rewards, "rewards").ravel().tolist()
    if len(pair) != 2:
        raise InputTypeError(f"rewards are the two ends of a range, got {len(pair)} numbers")
    ends = (pair[0], pair[1])
    warnings.warn(
        f"the link {cut(name)} is written in Python and called in every round", PerformanceWarning, stacklevel=2
    )
    known = _registered.get(name)
    if known is not None and known.mean is mean and known.slope is slope and known.rewards == ends:
        return known.link
    link = _moglb.register_link(name, mean, slope, ends)
    _registered[name] = _Registered(mean, slope, ends, link)
    return link


class _Registered(NamedTuple):
    """The functions and the range of a registered link."""

    mean: Callable[[float], float]
    slope: Optional[Callable[[float], float]]
    rewards: Tuple[float, float]
    link: Link


_registered: Dict[str, _Registered] = {}
"""The last link that was registered under each name."""
