"""Off-policy evaluation: estimates of the rewards of policies from the log of another policy."""

from __future__ import annotations

import json
import warnings
from os import PathLike, fsencode, fspath
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _moglb
from ._arrays import listed, table, whole
from ._shown import cut, shown
from .errors import EvaluationWarning, InputTypeError
from .experiments import _needed
from .objectives import Objective, ObjectiveLike, as_objective

if TYPE_CHECKING:
    import pandas as _pandas

_PLAY = ("prefer", "belief", "floor", "include", "exclude", "baseline")

LogLike = Union[str, "PathLike[str]", Mapping[str, Any]]
PolicyLike = Union[str, int, "_moglb.Policy", Mapping[str, Any], ArrayLike]


def evaluate(
    log: LogLike,
    policies: Mapping[str, PolicyLike],
    *,
    estimator: str = "snips",
    level: float = 0.95,
    interval: str = "bca",
    replications: int = 2000,
    seed: int = 1,
    folds: int = 5,
    layout: Optional[str] = None,
    link: Optional[str] = None,
    weight_bound: Optional[float] = None,
    logged_by: Optional[str] = None,
    thin: float = 0.01,
    estimate_propensities: bool = False,
    threads: int = 0,
) -> Evaluation:
    """Estimates the value vector of each policy from a log, with intervals, joint regions, overlap and a
    front.

    ``log`` is a path, or arrays by name. A path is a folder in the form ``mob-data/1``, VW's dsjson, a table
    with the columns of the Open Bandit Dataset, or decisions as JSON lines. Arrays are:

    - ``arms`` (n), the positions of the played arms, and ``rewards`` (n, m);
    - ``propensities`` (n), the probabilities of the played arms, or ``probabilities`` (n, K), those of all
      arms;
    - ``contexts`` (n, d) and ``arm_contexts`` (K, d) or (n, K, d), for models and for policies that decide;
    - ``objectives``, names (with an identity link) or :class:`Objective`, and ``n_arms``.

    A policy is one of these: ``"uniform"``, ``"logged"``, the position of an arm, an array (n, K) of
    probabilities, ``{"greedy": weights}``, a :class:`Policy`, which decides on ``arm_contexts``, or
    ``{"policy": policy, "prefer": ..., "layout": ...}``.

    ``estimator`` is ips, snips, dm, dr, sndr, switch-dr[:tau] or dr-os[:lambda]. ``interval`` is normal,
    percentile, bca or bernstein. A log without propensities is refused, unless ``estimate_propensities``
    states that the logged arms depended on the contexts only. Results do not depend on the number of
    ``threads``; 0 means all cores.

    Intervals are for independent rounds. ``logged_by`` is the kind of policy that wrote the log: "fixed", or
    "learning", whose rounds are not independent. By default the log is searched for signs of a policy that
    learned. Rounds must be in the order in which they were played. A :class:`~moglb.EvaluationWarning` is
    issued if the policy learned, if the log is worth fewer than 50 rounds of an evaluated policy, or for any
    other reason not to trust an estimate.

    >>> import moglb
    >>> log = dict(arms=[0, 1] * 100, propensities=[0.5] * 200, rewards=[[1, 0], [0, 1], [1, 0], [1, 1]] * 50)
    >>> found = moglb.evaluate(log, {"always 1": 1, "uniform": "uniform"})
    >>> found.value.tolist()
    [[0.5, 1.0], [0.75, 0.5]]
    """
    config = {
        "estimator": estimator,
        "level": level,
        "interval": interval,
        "replications": replications,
        "seed": seed,
        "folds": folds,
        "layout": layout,
        "link": link,
        "weight_bound": weight_bound,
        "logged_by": logged_by,
        "thin": thin,
    }
    if not isinstance(policies, Mapping):
        raise InputTypeError(f"policies are a mapping of names to policies, got {type(policies).__name__}")
    targets = [_target(_name(name), policy) for name, policy in table(policies, "policies").items()]
    threads = whole("threads", threads)
    found = _moglb.evaluate(_log(log), targets, config, bool(estimate_propensities), threads)
    evaluation = Evaluation(json.loads(found))
    for doubt in evaluation.log_doubts:
        warnings.warn(f"the log: {doubt}", EvaluationWarning, stacklevel=2)
    for name, doubts in evaluation.doubts.items():
        for doubt in doubts:
            warnings.warn(f"{name}: {doubt}", EvaluationWarning, stacklevel=2)
    return evaluation


def _name(name: Any) -> str:
    """Reads the name of a policy, text or a number."""
    if isinstance(name, (str, int)):
        return str(name)
    raise InputTypeError(f"the name of a policy is text, got {type(name).__name__}")


def _log(log: LogLike) -> Union[str, Dict[str, Any]]:
    """Reads a log: a path, or a dictionary of arrays with known names."""
    if not isinstance(log, Mapping):
        try:
            fsencode(log)
            return fspath(log)
        except TypeError:
            raise InputTypeError(f"a log is a path or arrays by name, got {type(log).__name__}") from None
        except UnicodeError:
            raise InputTypeError(f"a log is a path that the system can write, got {shown(log)}") from None
    known = ("arms", "rewards", "propensities", "probabilities", "contexts", "arm_contexts", "objectives", "n_arms")
    parts = table(log, "a log")
    for name in parts:
        if name not in known:
            raise InputTypeError(f"a log has no part {shown(name)}, only {', '.join(known)}")
    if parts.get("objectives") is not None:
        parts["objectives"] = [_objective(one).to_dict() for one in listed(parts["objectives"], "objectives")]
    if parts.get("n_arms") is not None:
        parts["n_arms"] = whole("n_arms", parts["n_arms"], most=2**32)
    return parts


def _objective(given: ObjectiveLike) -> Objective:
    # A name says nothing about the rewards: neither that they are probabilities, nor their range.
    return Objective(given, link="identity") if isinstance(given, str) else as_objective(given)


def _target(name: str, policy: PolicyLike) -> Tuple[str, str, Any]:
    """Reads a policy to be evaluated: its name, its kind, and the value that the kind needs."""
    if isinstance(policy, str):
        return name, policy, None
    if isinstance(policy, (int, np.integer)) and not isinstance(policy, bool):
        return name, "arm", int(policy)
    if isinstance(policy, Mapping):
        return _asked(name, table(policy, "a policy"))
    if isinstance(policy, _moglb.Policy):
        return _asked(name, {"policy": policy})
    return name, "table", policy


def _asked(name: str, asked: Dict[str, Any]) -> Tuple[str, str, Any]:
    """Reads a policy from a dictionary: greedy weights, or a policy with a way to play and a layout."""
    if set(asked) == {"greedy"}:
        return name, "greedy", asked["greedy"]
    known = {"policy", "layout", "scale", *_PLAY}
    if "policy" not in asked or not set(asked) <= known:
        raise InputTypeError(
            f"{shown(name)}: expected {{'greedy': weights}} or {{'policy': policy, ...}}, "
            f"got {cut(', '.join(sorted(map(str, asked))))}"
        )
    play = {part: asked[part] for part in _PLAY if asked.get(part) is not None}
    text = asked["policy"].to_json() if isinstance(asked["policy"], _moglb.Policy) else asked["policy"]
    parts = {"text": text, "play": play or None, "layout": asked.get("layout"), "scale": asked.get("scale")}
    return name, "snapshot", parts


class Evaluation:
    """The estimates of policies from a log. Arrays have a row for each policy and a column for each
    objective."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        self._found = dict(found)
        self._policies: List[Dict[str, Any]] = found["policies"]

    @property
    def policies(self) -> List[str]:
        """The names of the policies."""
        return [one["policy"] for one in self._policies]

    @property
    def objectives(self) -> List[str]:
        """The names of the objectives."""
        return list(self._found["objectives"])

    @property
    def estimator(self) -> str:
        """The name of the estimator."""
        return str(self._found["estimator"])

    @property
    def level(self) -> float:
        """The nominal coverage of intervals and regions. It holds for independent rounds, if there are enough
        of them."""
        return float(self._found["level"])

    @property
    def value(self) -> NDArray[np.float64]:
        """The estimated mean rewards."""
        return self._table("value")

    @property
    def std_error(self) -> NDArray[np.float64]:
        """The standard errors of the estimated mean rewards."""
        return self._table("std_error")

    @property
    def low(self) -> NDArray[np.float64]:
        """The lower ends of the intervals for each objective separately."""
        return self._table("each", "low")

    @property
    def high(self) -> NDArray[np.float64]:
        """The upper ends of the intervals for each objective separately."""
        return self._table("each", "high")

    @property
    def joint_low(self) -> NDArray[np.float64]:
        """The lower ends of intervals that cover all objectives simultaneously (Bonferroni)."""
        return self._table("together", "low")

    @property
    def joint_high(self) -> NDArray[np.float64]:
        """The upper ends of intervals that cover all objectives simultaneously (Bonferroni)."""
        return self._table("together", "high")

    @property
    def covariance(self) -> NDArray[np.float64]:
        """The covariance of the values of each policy, (policies, m, m). It is the shape of the joint
        ellipsoid."""
        return self._table("ellipsoid", "covariance")

    @property
    def radius_squared(self) -> float:
        """The squared radius of the joint ellipsoid.

        The ellipsoid contains all v for which (v - value)' inv(covariance) (v - value) is at most this
        number.
        """
        return float(self._policies[0]["ellipsoid"]["radius_squared"])

    @property
    def ess(self) -> NDArray[np.float64]:
        """The effective sample size: the number of rounds of the policy itself that are worth as much as the
        log."""
        return self._table("overlap", "effective_rounds")

    @property
    def overlap(self) -> Dict[str, Dict[str, Any]]:
        """The overlap of each policy with the log.

        It has the mean and the largest weight, and the plays on arms that were rarely or never logged.
        """
        return {one["policy"]: dict(one["overlap"]) for one in self._policies}

    @property
    def logged_by(self) -> Optional[str]:
        """The kind of policy that wrote the log: "fixed" or "learning"; None if it is neither stated nor
        found."""
        kind = self._found["logged_by"]
        return None if kind is None else str(kind)

    @property
    def log_doubts(self) -> List[str]:
        """Reasons not to trust any estimate from this log, in words."""
        return list(self._found["doubts"])

    @property
    def doubts(self) -> Dict[str, List[str]]:
        """Reasons not to trust the estimate of a policy, in words."""
        return {one["policy"]: list(one["doubts"]) for one in self._policies if one["doubts"]}

    @property
    def verdicts(self) -> List[str]:
        """The verdict on each policy among the others: on-front, dominated or may-be-on-front.

        All verdicts are right simultaneously with the probability ``level``.
        """
        return [one["standing"]["verdict"] for one in self._policies]

    @property
    def front_share(self) -> Optional[NDArray[np.float64]]:
        """The share of resampled logs in which each policy is on the front; None if rounds were not
        resampled."""
        shares = [one["standing"]["front_share"] for one in self._policies]
        return None if None in shares else np.array(shares)

    def to_dict(self) -> Dict[str, Any]:
        """The complete result, in the form ``moglb.evaluation/1`` that ``moglb evaluate --json`` also
        prints."""
        return dict(self._found)

    def to_pandas(self) -> "_pandas.DataFrame":
        """A data frame with a row for each policy and objective."""
        pandas = _needed("pandas")
        columns: Dict[str, Any] = {
            "policy": [name for name in self.policies for _ in self.objectives],
            "objective": self.objectives * len(self.policies),
        }
        for name in ("value", "std_error", "low", "high", "joint_low", "joint_high"):
            columns[name] = getattr(self, name).ravel()
        columns["ess"] = np.repeat(self.ess, len(self.objectives))
        columns["verdict"] = [verdict for verdict in self.verdicts for _ in self.objectives]
        return pandas.DataFrame(columns)

    def _table(self, *path: str) -> NDArray[np.float64]:
        rows = []
        for one in self._policies:
            part: Any = one
            for name in path:
                part = part[name]
            rows.append(part)
        return np.array(rows, dtype=np.float64)

    def __len__(self) -> int:
        return len(self._policies)

    def __repr__(self) -> str:
        found = self._found
        lines = [
            f"Evaluation({len(self)} policies on {found['n_rounds']} rounds by {found['estimator']}, "
            f"{100 * self.level:g} % {found['interval']} intervals)"
        ]
        width = max(len(name) for name in self.policies)
        for k, name in enumerate(self.policies):
            cells = [
                f"{objective} {self.value[k, i]:.4f} [{self.low[k, i]:.4f}, {self.high[k, i]:.4f}]"
                for i, objective in enumerate(self.objectives)
            ]
            lines.append(f"  {name:<{width}}  {', '.join(cells)}; ess {self.ess[k]:.0f}, {self.verdicts[k]}")
        return "\n".join(lines)
