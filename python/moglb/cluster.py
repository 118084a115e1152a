"""Runs of experiments on a Ray cluster, cell by cell.

Ray chooses the machine that plays a cell, and plays the cell again if its machine is lost. The driver writes
every finished cell to a log on its own disk. When no cell is pending, it makes the results from the log. So
the results do not depend on the machines, and a driver that was killed continues where it stopped.
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

# The number of cells that are submitted per core of the cluster: enough to keep the cores busy, and few
# enough to be discarded quickly.
_AHEAD = 4


def play_on_ray(
    experiment: Experiment, log: Optional[_moglb.Log], address: Optional[str], report: Report
) -> _moglb.Log:
    """Plays all cells that are not in the log, and returns the log with all cells."""
    with _ray(address) as ray, _scratch(experiment, log) as kept:
        found = len(kept) * experiment.horizon
        played = 0

        # Ray repeats a cell without limit if its machine was lost, but not if the cell failed: it would fail
        # again.
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
            # Cells that are running when an error ends the run are not canceled: in Ray, a task that is
            # canceled while it finishes ends the whole process of the driver, without a message. They end
            # when the driver disconnects.
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
                # Raise the error of the cell itself, not Ray's wrapper.
                raise (error.cause or error) from None
            kept.reload()
        return kept


@contextlib.contextmanager
def _ray(address: Optional[str]) -> Iterator[Any]:
    """Connects to Ray, and disconnects at the end. An existing connection is used and stays open."""
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
    """The log of the caller, or a temporary one that is deleted at the end."""
    if log is not None:
        yield log
        return
    with tempfile.TemporaryDirectory(prefix="moglb-") as folder:
        yield _moglb.Log(Path(folder) / "cells.log", experiment, False)
