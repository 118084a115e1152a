"""Simulated problems."""

from __future__ import annotations

import json
from typing import Any, Dict, Tuple, Type

from . import _moglb
from ._arrays import whole
from .objectives import Objective


class Environment(_moglb.Environment):
    """One instance of a simulated problem.

    The same parameters, seed and trial give the same instance on every machine. A copy starts with the first
    reward again.

    >>> import moglb
    >>> world = moglb.Environment("paper", dim=5, seed=1, trial=0)
    >>> world
    Environment('paper', dim=5, seed=1, trial=0)
    >>> world.arms().shape
    (20, 5)
    >>> world.pull(3).shape
    (5,)
    """

    def __new__(cls: Type["Environment"], id: str, *, seed: int = 1, trial: int = 0, **params: Any) -> "Environment":
        return super().__new__(cls, {"id": id, **params}, whole("seed", seed), whole("trial", trial))

    @property
    def config(self) -> Dict[str, Any]:
        """The configuration as a dictionary, like an entry of ``environments`` in an experiment."""
        config: Dict[str, Any] = json.loads(self._config())
        return config

    @property
    def problem(self) -> Dict[str, Any]:
        """The problem that policies are built for: dim, objectives, radius and n_arms.

        ``MoglbUcb(**world.problem)`` is a policy for this environment.
        """
        problem = json.loads(self._problem())
        objectives = [Objective(**one) for one in problem["objectives"]]
        return {
            "dim": problem["dim"],
            "objectives": objectives,
            "radius": problem["radius"],
            "n_arms": problem.get("n_arms"),
        }

    def __reduce__(self) -> Tuple[Any, ...]:
        return _unpickle, (type(self), self.config, self.seed, self.trial)

    def __repr__(self) -> str:
        return f"Environment('{self.config['id']}', dim={self.config['dim']}, seed={self.seed}, trial={self.trial})"


def _unpickle(kind: Type[Environment], config: Dict[str, Any], seed: int, trial: int) -> Environment:
    return kind(**config, seed=seed, trial=trial)


def environments() -> Tuple[str, ...]:
    """The ids of all environments. All except the first two are names for certain parameters of ``paper``.

    >>> import moglb
    >>> moglb.environments()[:3]
    ('paper', 'paper-fresh', 'paper-turned')
    >>> moglb.Environment("large-norm", dim=5).config["radius"]
    5.0
    """
    return tuple(_moglb.environment_ids())
