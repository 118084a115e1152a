"""Replay of logs to policies. A policy learns from the rounds in which it would have played the logged
arm."""

from __future__ import annotations

import json
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from . import _moglb
from ._arrays import listed, table, whole
from .errors import InputTypeError
from .experiments import _needed

if TYPE_CHECKING:
    import pandas as _pandas


def replay(
    log: Union[str, "PathLike[str]"],
    policies: Sequence[Union[str, Mapping[str, Any]]],
    *,
    method: str = "rejection",
    trials: int = 10,
    seed: int = 1,
    features: Optional[str] = None,
    objectives: Optional[Sequence[str]] = None,
    problem: Optional[str] = None,
    radius: Optional[float] = None,
    threads: int = 0,
) -> Replay:
    """Estimates the rewards of policies that learn while a log is replayed to them, with 95 % intervals.

    ``log`` is a folder in the form ``mob-data/1`` with a problem of kind ``logged``, including propensities.
    A policy is an id, or a dictionary as in an experiment, such as ``{"id": "moglb-ucb", "c": 0.1}``. Rounds
    are offered one by one. If the policy draws the logged arm, it learns from the reward; otherwise the round
    is skipped. ``method`` corrects for arms that were played more often than others: ``"rejection"`` skips
    some of their rounds at random, and with ``"weighting"`` a round has the weight 1/propensity. Each of the
    ``trials`` has its own order of the rounds.

    ``features`` is the way in which contexts and arms become vectors: additive, shared, block, hybrid or
    pairs. Results do not depend on the number of ``threads``; 0 means all cores.
    """
    try:
        path = fspath(log)
    except TypeError:
        raise InputTypeError(f"a log is a path, got {type(log).__name__}") from None
    if isinstance(policies, (str, bytes)) or isinstance(objectives, (str, bytes)):
        raise InputTypeError("policies and objectives are lists, a single one too")
    policies = listed(policies, "policies")
    if not all(isinstance(one, (str, Mapping)) for one in policies):
        raise InputTypeError("a policy is an id, or a dictionary with an id and parameters")
    data = {
        "path": path,
        "problem": problem,
        "objectives": None if objectives is None else listed(objectives, "objectives"),
        "features": features,
        "radius": radius,
    }
    config = {
        "log": data,
        "policies": [{"id": one} if isinstance(one, str) else table(one, "a policy") for one in policies],
        "method": method,
        "trials": whole("trials", trials),
        "seed": whole("seed", seed),
    }
    return Replay(json.loads(_moglb.replay(config, whole("threads", threads))))


class Replay:
    """The estimated rewards of policies, of always playing each arm, and of the log itself (the last row).

    Arrays have a row for each policy and a column for each objective; NaN if no round was accepted.
    """

    def __init__(self, found: Mapping[str, Any]) -> None:
        self._found = dict(found)
        self._policies: List[Dict[str, Any]] = found["policies"]

    @property
    def policies(self) -> List[str]:
        """The names of the rows: policies with parameters, then ``always ARM`` for each arm, then
        ``logged``."""
        return [one["policy"] for one in self._policies]

    @property
    def objectives(self) -> List[str]:
        """The names of the objectives."""
        return list(self._found["objectives"])

    @property
    def arms(self) -> List[str]:
        """The names of the arms."""
        return list(self._found["arms"])

    @property
    def value(self) -> NDArray[np.float64]:
        """The mean rewards of each policy over the whole replay."""
        return self._table("value")

    @property
    def low(self) -> NDArray[np.float64]:
        """The lower ends of 95 % intervals for each objective separately."""
        return self._table("low")

    @property
    def high(self) -> NDArray[np.float64]:
        """The upper ends of 95 % intervals for each objective separately."""
        return self._table("high")

    @property
    def spread(self) -> NDArray[np.float64]:
        """The standard deviations between the orders of the trials; zero for rows that do not learn."""
        return self._table("spread")

    @property
    def accepted(self) -> NDArray[np.float64]:
        """The mean number of accepted rounds per trial, for each policy."""
        return np.array([one["accepted"] for one in self._policies], dtype=np.float64)

    @property
    def shares(self) -> NDArray[np.float64]:
        """The share of each arm (columns) in the weight of accepted rounds."""
        return np.array([one["shares"] for one in self._policies], dtype=np.float64)

    def to_dict(self) -> Dict[str, Any]:
        """The complete result, in the form ``moglb.replay/1`` that ``moglb replay --json`` also prints."""
        return dict(self._found)

    def to_pandas(self) -> "_pandas.DataFrame":
        """A data frame with a row for each policy and objective."""
        pandas = _needed("pandas")
        columns: Dict[str, Any] = {
            "policy": [name for name in self.policies for _ in self.objectives],
            "objective": self.objectives * len(self.policies),
        }
        for name in ("value", "low", "high", "spread"):
            columns[name] = getattr(self, name).ravel()
        columns["accepted"] = np.repeat(self.accepted, len(self.objectives))
        return pandas.DataFrame(columns)

    def _table(self, name: str) -> NDArray[np.float64]:
        unknown = [np.nan] * len(self.objectives)
        return np.array([unknown if one[name] is None else one[name] for one in self._policies], dtype=np.float64)

    def __len__(self) -> int:
        return len(self._policies)

    def __repr__(self) -> str:
        found = self._found
        rounds = f"{found['rounds']} rounds by {found['method']}, {found['trials']} orders"
        return f"Replay({len(self)} policies on {rounds})"
