"""The cells of an experiment on a Ray cluster.

Ray decides where a cell is played and plays it again if its machine is lost; the driver writes every finished cell to a log
on its own disk and, once none is pending, puts the results together from it. So the results do not depend on the machines,
and a driver that was killed goes on where it was.
"""

from __future__ import annotations

import contextlib
import logging
import os
import tempfile
from pathlib import Path
from typing import Any, Dict, Iterator, Optional

from . import _moglb
from ._moglb import Experiment
from .errors import MissingDependencyError
from .progress import Report

# So many cells wait on the cluster for each of its cores: enough to keep them busy, few enough to be dropped quickly.
_AHEAD = 4


def play_on_ray(
    experiment: Experiment, log: Optional[_moglb.Log], address: Optional[str], report: Report
) -> _moglb.Log:
    """Plays all cells that are not in the log; returns the log with all of them."""
    with _ray(address) as ray, _scratch(experiment, log) as kept:
        found = len(kept) * experiment.horizon
        played = 0

        # Of lost machines Ray tries again without end; what fails in a cell itself would fail again.
        @ray.remote(max_retries=-1, num_cpus=1)  # type: ignore[untyped-decorator,unused-ignore]
        def play(cell: str, version: str) -> bytes:
            import moglb

            if moglb.__version__ != version:
                raise moglb.errors.OtherExperimentError(
                    f"a worker has moglb {moglb.__version__}, the driver {version}: the bits may differ"
                )
            return moglb._moglb.play_cell(cell)

        while True:
            waiting = experiment.pending(kept)
            if not waiting:
                break
            planned = found + (len(waiting) * experiment.horizon) + played
            # Cells that are running when an error ends this are not cancelled: in Ray, a task that is cancelled while it
            # comes to its end ends the driver's whole process, without a word. They go when the driver disconnects.
            running: Dict[Any, Any] = {}
            waiting.reverse()
            try:
                while waiting or running:
                    room = max(1, int(ray.cluster_resources().get("CPU", 1))) * _AHEAD
                    while waiting and len(running) < room:
                        cell = waiting.pop()
                        running[play.remote(experiment._cell(cell), _moglb.VERSION)] = cell
                    done, _ = ray.wait(list(running), num_returns=1, timeout=1.0)
                    for reference in done:
                        trace = ray.get(reference)
                        kept.append(running.pop(reference), trace)
                        played += experiment.horizon
                        report(played, found, planned)
            except ray.exceptions.RayTaskError as error:
                # What the cell itself said, not how it traveled.
                raise (error.cause or error) from None
            kept.reload()
        return kept


@contextlib.contextmanager
def _ray(address: Optional[str]) -> Iterator[Any]:
    """Ray, connected; what was connected before stays so."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError:
        raise MissingDependencyError("ray is not installed: pip install 'moglb[ray]'") from None
    if ray.is_initialized():
        yield ray
        return
    if address is None:
        ray.init(include_dashboard=False, log_to_driver=False, logging_level=logging.WARNING)
    else:
        ray.init(address=address, log_to_driver=False, logging_level=logging.WARNING)
    try:
        yield ray
    finally:
        ray.shutdown()


@contextlib.contextmanager
def _scratch(experiment: Experiment, log: Optional[_moglb.Log]) -> Iterator[_moglb.Log]:
    """The log that was given, or one that is gone afterwards."""
    if log is not None:
        yield log
        return
    with tempfile.TemporaryDirectory(prefix="moglb-") as folder:
        yield _moglb.Log(Path(folder) / "cells.log", experiment, False)
