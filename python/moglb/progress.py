"""Progress bars: tqdm or rich if it is installed, otherwise a line on stderr.

By default there is a bar only on a terminal and in a notebook.
"""

from __future__ import annotations

import contextlib
import sys
import time
from typing import Any, Callable, Optional, Union

Report = Callable[[int, int, int], None]
"""The type of a progress function: it is called with the rounds (or trials) played, found in a log, and
planned."""


class Bar:
    """A progress bar for a run. It is a context manager, and is called like a :data:`Report`."""

    def __init__(self, show: Union[bool, None, str] = None, unit: str = "rounds") -> None:
        self._bar: Any = None
        self._unit = unit
        self._shown: Optional[str] = None
        self._start = time.monotonic()
        if show is None:
            show = (sys.stderr is not None and sys.stderr.isatty()) or _in_notebook()
        # A bar needs standard error, which may be closed.
        self._kind = None if sys.stderr is None else _kind(show)

    def __call__(self, played: int, found: int, planned: int) -> None:
        if self._kind is None or planned == 0:
            return
        done = min(played + found, planned)
        if self._kind == "tqdm":
            if self._bar is None:
                from tqdm.auto import tqdm

                self._bar = tqdm(total=planned, unit=f" {self._unit}", unit_scale=True, leave=False)
            self._bar.update(done - self._bar.n)
        elif self._kind == "rich":
            if self._bar is None:
                from rich.console import Console
                from rich.progress import Progress

                self._bar = Progress(console=Console(stderr=True), transient=True)
                self._bar.start()
                self._task = self._bar.add_task(self._unit, total=planned)
            self._bar.update(self._task, completed=done)
        else:
            text = f"{done / planned:6.1%} of {planned} {self._unit}, {time.monotonic() - self._start:.0f} s"
            if text != self._shown:
                _say(f"\r{text}")
                self._shown = text

    def __enter__(self) -> "Bar":
        return self

    def __exit__(self, *_: object) -> None:
        if self._kind == "tqdm" and self._bar is not None:
            self._bar.close()
        elif self._kind == "rich" and self._bar is not None:
            self._bar.stop()
        elif self._shown is not None:
            _say("\r" + " " * len(self._shown) + "\r")


def _say(text: str) -> None:
    """Prints to standard error. If that fails, as on a full disk, the run continues without a bar."""
    with contextlib.suppress(OSError, ValueError):
        print(text, end="", file=sys.stderr, flush=True)


def _kind(show: Union[bool, str]) -> Optional[str]:
    """The kind of bar: the requested one, or the first that is installed; None for no bar."""
    if show is False:
        return None
    if show in ("tqdm", "rich", "plain"):
        return str(show)
    for name in ("tqdm", "rich"):
        try:
            __import__(name)
        except ImportError:
            continue
        return name
    return "plain"


def _in_notebook() -> bool:
    """Returns true in a Jupyter notebook, whose output is not a terminal but can show a bar."""
    shell = sys.modules.get("IPython")
    try:
        return shell is not None and "IPKernelApp" in shell.get_ipython().config
    except AttributeError:
        return False
