"""Identification of the front: finding the Pareto optimal arms with few samples; see docs/identify.md."""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, List, Optional, Type, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _moglb
from ._arrays import whole
from ._policies import Arms, Objectives
from .errors import ParametersError
from .experiments import Column, Config, Table, read_config
from .objectives import as_objectives
from .progress import Bar


class Identifier(_moglb.Identifier):
    """Requests samples of arms until it knows the Pareto front well enough.

    - ``id``: one of :func:`identifiers`, as in experiments.
    - ``arms``: a context in each row, or an :class:`ArmSet`; the arms are fixed.
    - ``objectives``, ``radius``: as in :class:`MoglbUcb`.
    - all others: parameters of that identifier.

    An identifier uses no random numbers: equal rewards give equal requests and answers.

    >>> import moglb
    >>> identifier = moglb.Identifier("auer", [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]], ["click", "stay"])
    >>> rewards = [[1.0, 0.5], [0.5, 1.0], [0.0, 0.0]]   # of each arm, here without noise
    >>> while identifier.next_arm is not None:
    ...     arm = identifier.next_arm
    ...     identifier.learn(arm, rewards[arm])
    >>> identifier.answer.tolist()
    [0, 1]
    """

    def __new__(
        cls: Type[Identifier], id: str, arms: Arms, objectives: Objectives, *, radius: float = 1.0, **params: Any
    ) -> Identifier:
        problem = {"objectives": [one.to_dict() for one in as_objectives(objectives)], "radius": radius}
        self = super().__new__(cls, {"id": id, **params}, problem, arms)
        self.id = id
        return self

    def __init__(self, *args: Any, **params: Any) -> None:
        """Does nothing, because ``__new__`` makes the identifier. Subclasses may call it with their
        arguments."""

    id: str
    """The id of the identifier in experiments."""

    @property
    def stopped(self) -> bool:
        """True if the identifier requests no more samples."""
        return self.next_arm is None

    def find(self, sample: Callable[[int], ArrayLike], most_samples: Optional[int] = None) -> NDArray[np.int64]:
        """Samples arms until the identifier stops or has ``most_samples`` samples in total. Returns the
        answer.

        ``sample`` is a function that returns a reward vector of the arm at a position.

        >>> import moglb
        >>> world = moglb.Environment("spread", dim=4, gap=0.2)
        >>> problem = world.problem
        >>> identifier = moglb.Identifier("auer", world.arms(), problem["objectives"], accuracy=0.1)
        >>> (identifier.find(world.pull) == world.front()).all()
        np.True_
        """
        most = None if most_samples is None else whole("most_samples", most_samples)
        arm = self.next_arm
        while arm is not None and (most is None or self.samples < most):
            self.learn(arm, sample(arm))
            arm = self.next_arm
        return self.answer

    def __repr__(self) -> str:
        return f"Identifier('{self.id}', samples={self.samples}, stopped={self.stopped})"


class Identified(Table):
    """All trials of an experiment in identification as a tidy table: one row for each run and trial."""

    def __init__(self, columns: Dict[str, Column], summary: Dict[str, Any]) -> None:
        super().__init__(columns)
        self.summary = summary
        """Success rates, samples and errors of every run, as `moglb identify` writes them to summary.json."""

    def __repr__(self) -> str:
        names = ", ".join(dict.fromkeys(self.columns["identifier"]))
        return f"Identified({names}: {self.summary['experiment']['trials']} trials, {len(self)} rows)"


def identify(config: Config, *, threads: int = 0, progress: Union[bool, str, None] = None) -> Identified:
    """Runs an experiment in identification of the front.

    It is a TOML file, TOML text, or a dictionary of the same form, with ``identifiers`` in place of policies.

    >>> import moglb
    >>> found = moglb.identify({"trials": 5, "environments": [{"id": "spread", "dim": 4, "gap": 0.2}],
    ...     "identifiers": [{"id": "auer", "accuracy": 0.2}, {"id": "gege-budget", "budget": 2000}]},
    ...     progress=False)
    >>> found
    Identified(auer, gege-budget: 5 trials, 10 rows)
    >>> found.summary["runs"][0]["success"]["rate"]
    1.0
    """
    given = read_config(config)
    if isinstance(given, _moglb.Experiment):
        raise ParametersError("an Experiment has policies, not identifiers: moglb.run runs it")
    with Bar(progress, unit="trials") as bar:
        columns, summary = _moglb.identify(given, whole("threads", threads, most=1024), bar)
    return Identified(columns, json.loads(summary))


def identifiers() -> List[Dict[str, Any]]:
    """The descriptions of all identifiers: source, setting, guarantee, cost and parameters.

    >>> import moglb
    >>> [one["id"] for one in moglb.identifiers()]
    ['auer', 'auer-cover', 'uniform', 'scalarized', 'gege', 'gege-budget']
    """
    known: List[Dict[str, Any]] = json.loads(_moglb.identifiers())
    return known
