"""Experiments: runs on this machine or on a Ray cluster, with bit-identical results as tables and figures."""

from __future__ import annotations

import contextlib
import html
import json
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import NDArray

from . import _moglb
from ._arrays import listed, one_of, table, whole
from ._environments import Environment
from ._moglb import Experiment
from ._policies import Policy
from ._shown import cut
from .errors import FileError, InputTypeError, MissingDependencyError, ParametersError, PerformanceWarning
from .progress import Bar

if TYPE_CHECKING:
    import pandas as _pandas
    import polars as _polars
    import pyarrow as _pyarrow
    from matplotlib.figure import Figure as _Figure

Config = Union[str, "os.PathLike[str]", Mapping[str, Any], Experiment]
Column = Union[NDArray[Any], List[str]]
RunKey = Tuple[str, str, str, str]

_RUN_COLUMNS = ("environment", "environment_params", "policy", "params")
_FRONT_COLUMNS = ("jaccard", "precision", "recall", "front_size")


class Table:
    """A tidy table, stored by columns."""

    def __init__(self, columns: Dict[str, Column]) -> None:
        self.columns = columns

    def __len__(self) -> int:
        return len(self.columns["trial"])

    def to_pandas(self) -> "_pandas.DataFrame":
        """The table as a pandas data frame: ``results.to_pandas().groupby("policy").pareto_regret.max()``."""
        pandas = _needed("pandas")
        return pandas.DataFrame(self.columns)

    def to_polars(self) -> "_polars.DataFrame":
        """The table as a Polars data frame."""
        polars = _needed("polars")
        return polars.DataFrame(self.columns)

    def to_arrow(self) -> "_pyarrow.Table":
        """The table as an Arrow table."""
        pyarrow = _needed("pyarrow", "arrow")
        return pyarrow.table(self.columns)


class Results(Table):
    """All trials of an experiment as a tidy table: one row for each run, trial and checkpoint."""

    def __init__(self, columns: Dict[str, Column], summary: Dict[str, Any], outcomes: Dict[str, Column]) -> None:
        super().__init__(columns)
        self.summary = summary
        """Means and confidence intervals of every run, as `moglb run` writes them to summary.json."""
        self._outcomes = outcomes

    def outcomes(self) -> Dict[str, Column]:
        """The outcomes of runs on real data, in the units of the data.

        Next to the policies there are three baselines: always the same arm, a random arm, and the oracle.
        These are the columns of outcomes.csv, for ``pandas.DataFrame(results.outcomes())``. They are empty if
        no environment was real data, and have no rows of policies written in Python. ``ci95`` is NaN if a
        number is exact.
        """
        return self._outcomes

    def labels(self) -> Dict[RunKey, str]:
        """A short name for each run.

        The keys are the environment, its parameters, the policy, and its parameters. A name is that of the
        policy. It includes the policy's parameters if the policy runs twice on one environment, and the
        environment if there are several.
        """
        policies = self._policy_labels()
        worlds = list(dict.fromkeys(run[:2] for run in policies))
        if len(worlds) == 1:
            return policies
        return {run: f"{policy} on {_world(run, worlds)}" for run, policy in policies.items()}

    def _policy_labels(self) -> Dict[RunKey, str]:
        """A short name for each run, without the environment."""
        runs: List[RunKey] = list(dict.fromkeys(zip(*(self.columns[key] for key in _RUN_COLUMNS))))
        twice = {run[2] for k, run in enumerate(runs) if run[:3] in [other[:3] for other in runs[:k]]}
        return {run: f"{run[2]} {run[3]}" if run[2] in twice else run[2] for run in runs}

    def final(self, column: str = "pareto_regret") -> Dict[str, NDArray[np.float64]]:
        """The last value of a column in each trial, for each run.

        >>> import moglb
        >>> results = moglb.run({"horizon": 20, "trials": 2, "environments": [{"id": "paper", "dim": 3}],
        ...     "policies": [{"id": "random"}]}, progress=False)
        >>> results.final().keys(), len(results.final()["random"])
        (dict_keys(['random']), 2)
        """
        one_of("column", column, ("pareto_regret", *_FRONT_COLUMNS))
        last = np.asarray(self.columns["t"]) == np.max(self.columns["t"])
        values = np.asarray(self.columns[column], dtype=np.float64)
        return {label: values[last & self._rows(run)] for run, label in self.labels().items()}

    def _rows(self, run: RunKey) -> NDArray[np.bool_]:
        """The mask of the rows of a run."""
        mask = np.ones(len(self), dtype=bool)
        for key, value in zip(_RUN_COLUMNS, run):
            mask &= np.asarray(self.columns[key]) == value
        return mask

    def plot(self, metrics: Sequence[str] = ("pareto_regret", "jaccard")) -> "_Figure":
        """Plots mean curves with 95 % bands, one panel for each environment and metric."""
        from .plotting import plot_results

        return plot_results(self, metrics)

    def _repr_html_(self) -> str:
        rows = []
        fronts = self.final("jaccard")
        for name, values in self.final().items():
            jaccard = "–" if np.isnan(fronts[name]).any() else f"{fronts[name].mean():.3f}"
            rows.append(f"<tr><td>{html.escape(name)}</td><td>{values.mean():.1f}</td><td>{jaccard}</td></tr>")
        head = "<tr><th>policy</th><th>Pareto regret</th><th>Jaccard index</th></tr>"
        return f"<table>{head}{''.join(rows)}</table>"

    def __repr__(self) -> str:
        names = ", ".join(dict.fromkeys(self.columns["policy"]))
        trials = int(np.max(self.columns["trial"])) + 1
        return f"Results({names}: {trials} trials to t = {np.max(self.columns['t'])}, {len(self)} rows)"


def experiment(config: Config) -> Experiment:
    """Reads and checks an experiment: a TOML file, TOML text, or a dictionary of the same form.

    >>> import moglb
    >>> text = "horizon = 100\\nenvironments = [{id = 'paper', dim = 3}]\\npolicies = [{id = 'random'}]"
    >>> moglb.experiment(text)
    Experiment('experiment', horizon=100, trials=10, seed=1)
    """
    given = read_config(config)
    return given if isinstance(given, Experiment) else Experiment(given)


def read_config(config: Config) -> Union[Experiment, str, Dict[str, Any]]:
    """Reads an experiment, which may be an :class:`Experiment`, TOML text, a file or a mapping, without
    checking it."""
    if isinstance(config, Experiment):
        return config
    if isinstance(config, Mapping):
        return _plain(config)
    if isinstance(config, os.PathLike) or (isinstance(config, str) and _is_path(config)):
        return _text(os.fspath(config))
    if isinstance(config, str):
        return config
    raise InputTypeError(f"an experiment is a file, TOML text or a dictionary, got {type(config).__name__}")


def _text(path: Union[str, bytes]) -> str:
    """The text of a file that describes an experiment."""
    name = cut(os.fsdecode(path))
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            raise FileError(f"{name}: no regular file")
        with open(path, encoding="utf-8") as file:
            text = file.read(_TEXT + 1)
    except OSError as error:
        raise FileError(f"{name}: {error.strerror}") from None
    except ValueError:  # bytes that are not text, or a zero byte in the name
        raise FileError(f"{name}: no text") from None
    if len(text) > _TEXT:
        raise FileError(f"{name}: longer than {_TEXT} characters")
    return text


_TEXT = 2**26
"""The largest number of characters of a file that describes an experiment."""


def _is_path(text: str) -> bool:
    """Returns true if a text is a path: a line without an equals sign, or a line that ends with ``.toml``."""
    return "\n" not in text and ("=" not in text or text.endswith(".toml"))


def run(
    config: Config,
    *,
    threads: int = 0,
    out: Union[str, "os.PathLike[str]", None] = None,
    resume: bool = True,
    on: str = "local",
    address: Optional[str] = None,
    progress: Union[bool, str, None] = None,
    custom: Optional[Mapping[str, Callable[..., Any]]] = None,
) -> Results:
    """Runs an experiment.

    With ``out`` finished cells are written to that folder. A run that was interrupted or killed then
    continues where it stopped (``resume=False`` starts again). At the end the folder also has
    ``summary.json`` and ``config.toml``, from which ``moglb report`` makes figures and a page; if they cannot
    be written, both files stay as they were. If the folder is removed or replaced during the run, the run
    ends at the next finished cell with :class:`~moglb.errors.FileGoneError`. While one run writes to a
    folder, other runs are refused with :class:`~moglb.errors.LockedError`.

    ``on="ray"`` plays the cells on the Ray cluster at ``address``, or on a new local one; the results are the
    same, bit for bit. ``custom`` maps the ids of policies written in Python to functions that make them. Such
    a function is called with ``problem=`` and the entry's parameters. Custom policies are played in the same
    loop, but slower, one after the other in this process.

    >>> import moglb
    >>> moglb.run({"horizon": 50, "trials": 2, "environments": [{"id": "paper", "dim": 3}],
    ...     "policies": [{"id": "moglb-ucb", "c": 0.01}, {"id": "random"}]}, progress=False)
    Results(moglb-ucb, random: 2 trials to t = 50, 200 rows)
    """
    one_of("on", on, ("local", "ray"))
    threads = whole("threads", threads, most=1024)
    plan, mine = _split(config, custom) if custom else (experiment(config), None)
    toml = mine.toml if mine else plan.to_toml()
    with _log(plan, out, resume, toml) as log:
        results = None
        if mine is None or mine.has_others:
            results = _play(plan, threads, log, on, address, progress)
        if mine is not None:
            results = _moglb.with_custom(plan, results, list(mine.play(log)))
        assert results is not None, "the library's policies or the custom ones have played"
        summary = results.summary()
        if out is not None:
            pretty = json.dumps(json.loads(summary), indent=2)
            _moglb.write_files(out, [("summary.json", pretty), ("config.toml", toml)])
    return Results(results.columns(), json.loads(summary), results.outcomes())


def _play(
    plan: Experiment,
    threads: int,
    log: Optional[_moglb.Log],
    on: str,
    address: Optional[str],
    progress: Union[bool, str, None],
) -> _moglb.Results:
    """Plays the policies of the library, here or on a Ray cluster."""
    with Bar(progress) as bar:
        if on == "ray":
            from .cluster import play_on_ray

            log = play_on_ray(plan, log, address, bar)
        return _moglb.run(plan, threads, log, bar)


def simulate(
    policy: Any,
    environment: Union[Environment, Mapping[str, Any]],
    horizon: int = 3000,
    *,
    points: int = 300,
    seed: int = 1,
    trial: int = 0,
) -> Dict[str, Any]:
    """Plays one policy for a whole run. Returns curves at about ``points`` rounds, and measures at the end.

    The policy is any object with ``decide(X)`` and ``learn(x, reward, arm)``. A policy of the library makes
    no calls into Python during the run: a copy of it plays, and the policy takes over what the copy has
    learned at the end, all or nothing. An :class:`Environment` has its own seed and trial. Arms are drawn
    with the stream of the trial, as in :func:`run`, not with the policy's own generator.

    >>> import moglb
    >>> world = moglb.Environment("paper", dim=5, seed=1)
    >>> curves = moglb.simulate(moglb.MoglbUcb(**world.problem), world, horizon=100)
    >>> curves["t"].max().item(), len(curves["pareto_regret"])
    (100, 100)
    """
    horizon, points = whole("horizon", horizon, least=1), whole("points", points, least=1, most=100_000)
    if isinstance(environment, Environment):
        config, seed, trial = environment.config, environment.seed, environment.trial
    elif isinstance(environment, Mapping):
        config, seed, trial = _plain(environment), whole("seed", seed), whole("trial", trial)
    else:
        raise InputTypeError(f"an environment is an Environment or a dictionary, got {type(environment).__name__}")
    return _moglb.simulate(_playable(policy), config, horizon, points, seed, trial)


def _playable(policy: Any) -> Any:
    """Returns the policy if it can be played, and warns if it is written in Python."""
    if isinstance(policy, type) or not (
        callable(getattr(policy, "decide", None)) and callable(getattr(policy, "learn", None))
    ):
        raise InputTypeError(f"a policy has decide and learn, {type(policy).__name__} has not")
    if not isinstance(policy, Policy):
        warnings.warn(
            f"{type(policy).__name__} is written in Python: every round crosses the border twice",
            PerformanceWarning,
            stacklevel=3,
        )
    return policy


@contextlib.contextmanager
def _log(
    plan: Experiment, out: Union[str, "os.PathLike[str]", None], resume: bool, head: str
) -> Iterator[Optional[_moglb.Log]]:
    """The log of finished cells in a folder during a run; None without a folder."""
    if out is None:
        yield None
        return
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{cut(str(folder))}: {error.strerror}") from None
    log = _moglb.Log(folder / "cells.log", plan, resume, head)
    try:
        yield log
    finally:
        # Close at once: a caller that keeps the exception of a failed run also keeps its variables, and so
        # the lock.
        log.close()


class _Custom:
    """The entries of an experiment whose policies are written in Python."""

    def __init__(
        self, plan: Experiment, entries: Sequence[Mapping[str, Any]], custom: Mapping[str, Callable[..., Any]]
    ) -> None:
        self._plan, self._makers = plan, custom
        self._mine = [entry for entry in entries if entry.get("id") in custom]
        self.has_others = len(self._mine) < len(entries)
        self.toml = plan._to_toml_with([dict(entry) for entry in entries])

    def play(self, log: Optional[_moglb.Log]) -> Iterator[Tuple[str, str, str, List[bytes]]]:
        """Plays the cells that are not in the log. Yields environment, id, parameters and traces of each
        run."""
        seed, trials, points = self._plan._numbers()
        # The numbers of custom runs follow those of the engine's runs, in the same log.
        run = self._plan._n_runs()
        for environment in self._plan._environments():
            for entry in self._mine:
                params = {name: value for name, value in entry.items() if name != "id"}
                traces = []
                for trial in range(trials):
                    cell = (False, run, 0, trial)
                    trace = None if log is None else log.get(cell)
                    if trace is None:
                        world = Environment(**json.loads(environment), seed=seed, trial=trial)
                        policy = _playable(self._makers[entry["id"]](problem=world.problem, **params))
                        trace = _moglb.play_custom(policy, world.config, self._plan.horizon, points, seed, trial)
                        if log is not None:
                            log.append(cell, trace)
                    traces.append(trace)
                yield environment, entry["id"], json.dumps(params), traces
                run += 1


def _split(config: Config, custom: Mapping[str, Callable[..., Any]]) -> Tuple[Experiment, _Custom]:
    """Splits an experiment into the part that the engine plays and the part that is written in Python."""
    if not isinstance(config, Mapping):
        raise InputTypeError("with custom policies the experiment must be a dictionary")
    plain = _plain(config)
    entries = plain.get("policies", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise InputTypeError("policies are dictionaries with an id")
    if not all(isinstance(entry.get("id"), str) for entry in entries):
        raise InputTypeError("the id of a policy is text")
    for entry in entries:
        if entry.get("id") in custom and any(isinstance(value, dict) for value in entry.values()):
            raise ParametersError(f"{cut(entry['id'])}: parameters of custom policies are plain values")
    own = [entry for entry in entries if entry.get("id") not in custom]
    # The engine checks the common part of the experiment. It needs a policy for that, even if all are custom.
    plan = experiment({**plain, "policies": own or [{"id": "random"}]})
    return plan, _Custom(plan, entries, custom)


def _world(run: RunKey, worlds: Sequence[Tuple[str, str]]) -> str:
    """The shortest unique name of an environment: its id, with its dimension if it has one, or with all
    parameters."""
    id, params = run[:2]
    dim = json.loads(params).get("dim")
    short = id if dim is None else f"{id}, d = {dim}"
    others = [(other, json.loads(its).get("dim")) for other, its in worlds if (other, its) != (id, params)]
    return f"{id} {params}" if (id, dim) in others else short


_DEPTH = 32
"""The largest number of tables and lists inside each other. Experiments have fewer than ten."""

_TABLES = 2**17
"""The largest number of tables and lists in an experiment. One that occurs several times counts each time."""


def _plain(config: Mapping[str, Any]) -> Dict[str, Any]:
    """Converts mappings to dictionaries, and sequences to lists, at every level."""
    left = _TABLES

    def plain(value: Any, depth: int) -> Any:
        nonlocal left
        if not isinstance(value, (Mapping, list, tuple)):
            return value
        left -= 1
        if depth == 0 or left < 0:
            raise InputTypeError(f"an experiment is at most {_DEPTH} tables deep, and has at most {_TABLES} of them")
        if isinstance(value, Mapping):
            return {key: plain(item, depth - 1) for key, item in table(value, "an experiment").items()}
        return [plain(item, depth - 1) for item in listed(value, "a list")]

    made: Dict[str, Any] = plain(config, _DEPTH)
    return made


def _needed(package: str, extra: Optional[str] = None) -> Any:
    """Imports an optional package; the error names the extra that installs it."""
    import importlib

    try:
        return importlib.import_module(package)
    except ImportError:
        raise MissingDependencyError(f"{package} is not installed: pip install 'moglb[{extra or package}]'") from None
