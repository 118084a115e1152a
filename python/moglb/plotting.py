"""Figures with matplotlib, in colors that color-blind readers can distinguish."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Optional, Sequence, Tuple

import numpy as np

from .errors import ParametersError
from .objectives import as_objectives

if TYPE_CHECKING:
    from matplotlib.axes import Axes as _Axes
    from matplotlib.figure import Figure as _Figure

    from ._policies import Arms, Policy
    from .experiments import Results

# The palette of Okabe and Ito, made for color-blind readers.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
NAMES = {
    "pareto_regret": "Pareto regret",
    "jaccard": "Jaccard index",
    "precision": "precision",
    "recall": "recall",
    "front_size": "size of the front",
}


def _pyplot() -> Any:
    """Imports pyplot; a clear error if matplotlib is not installed."""
    from .experiments import _needed

    _needed("matplotlib", "plot")
    import matplotlib.pyplot as plt

    return plt


def plot_results(results: "Results", metrics: Sequence[str] = ("pareto_regret", "jaccard")) -> "_Figure":
    """Plots mean curves with 95 % bands: a row for each metric, a column for each environment."""
    plt = _pyplot()
    columns = results.columns
    metrics = [metrics] if isinstance(metrics, str) else list(metrics)
    for metric in metrics:
        if metric not in NAMES:
            raise ParametersError(f"there is no metric {metric}: {', '.join(NAMES)}")
    worlds = list(dict.fromkeys(zip(columns["environment"], columns["environment_params"], columns["dim"])))
    runs = results._policy_labels()
    labels = list(dict.fromkeys(runs.values()))
    rounds = np.asarray(columns["t"])
    figure, axes = plt.subplots(
        len(metrics),
        len(worlds),
        figsize=(4.2 * len(worlds) + 0.6, 3.2 * len(metrics)),
        squeeze=False,
        layout="constrained",
    )
    for row, metric in enumerate(metrics):
        values = np.asarray(columns[metric], dtype=np.float64)
        for column, (environment, params, dim) in enumerate(worlds):
            ax = axes[row][column]
            for run, label in runs.items():
                mask = results._rows(run)
                if run[:2] == (environment, params) and not np.isnan(values[mask]).all():
                    _curve(ax, rounds[mask], values[mask], labels.index(label), label)
            ax.set_xlabel("t")
            ax.set_ylabel(NAMES[metric])
            ax.set_title(f"{environment}, d = {dim}", fontsize=10)
            ax.grid(alpha=0.25)
            if metric != "pareto_regret":
                ax.set_ylim(bottom=0)
    handles: Dict[str, Any] = {}
    for ax in axes.flat:
        for handle, label in zip(*ax.get_legend_handles_labels()):
            handles.setdefault(label, handle)
    figure.legend(
        handles.values(), handles.keys(), loc="outside lower center", ncols=min(len(handles), 4), frameon=False
    )
    return figure


def _curve(ax: "_Axes", t: Any, values: Any, k: int, label: str) -> None:
    """Plots the mean over trials at each round, with a band of 95 % intervals; ``k`` selects color and
    marker."""
    rounds = np.unique(t)
    table = np.stack([values[t == at] for at in rounds])
    n = table.shape[1]
    mean = table.mean(axis=1)
    color = COLORS[k % len(COLORS)]
    step = max(1, len(rounds) // 8)
    ax.plot(rounds, mean, color=color, marker=MARKERS[k % len(MARKERS)], markevery=step, markersize=4, label=label)
    if n > 1:
        half = _student_95(n - 1) * table.std(axis=1, ddof=1) / np.sqrt(n)
        ax.fill_between(rounds, mean - half, mean + half, color=color, alpha=0.18, linewidth=0)


def _student_95(freedom: int) -> float:
    """The 97.5 % quantile of Student's t: exact values up to four degrees of freedom, then the expansion of
    Cornish and Fisher.

    The expansion is within 1 % from three degrees of freedom on.
    """
    exact = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776}
    if freedom in exact:
        return exact[freedom]
    z, n = 1.959964, float(freedom)
    return z + (z**3 + z) / (4 * n) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n * n)


def plot_front(
    policy: "Policy", arms: "Arms", objectives: Tuple[int, int] = (0, 1), ax: "Optional[_Axes]" = None
) -> "_Axes":
    """Plots the predicted rewards of all arms in two objectives, with their confidence bounds, and the
    front."""
    plt = _pyplot()
    named = as_objectives(policy._params["objectives"])
    i, j = objectives
    if len(named) < 2 or i == j or not (0 <= i < len(named) and 0 <= j < len(named)):
        raise ParametersError(f"two of {len(named)} objectives are needed, got {objectives}")
    if ax is None:
        _, ax = plt.subplots(figsize=(5.2, 4.2), layout="constrained")
    means = policy.predict(arms)
    lower, upper = policy.predict_bounds(arms)
    on_front = np.zeros(len(means), dtype=bool)
    on_front[policy.front(arms)] = True
    for mask, color, marker, label in (
        (~on_front, COLORS[5], "o", "dominated"),
        (on_front, COLORS[1], "D", "on the approximate front"),
    ):
        if not mask.any():
            continue
        x, y = means[mask, i], means[mask, j]
        reach = [
            np.stack([x - lower[mask, i], upper[mask, i] - x]).clip(min=0),
            np.stack([y - lower[mask, j], upper[mask, j] - y]).clip(min=0),
        ]
        finite = [np.where(np.isfinite(one), one, 0.0) for one in reach]
        ax.errorbar(
            x,
            y,
            xerr=finite[0],
            yerr=finite[1],
            fmt=marker,
            color=color,
            ecolor=color,
            alpha=0.8,
            elinewidth=0.6,
            markersize=5,
            label=label,
        )
    ax.set_xlabel(f"{named[i].name} ({named[i].direction})")
    ax.set_ylabel(f"{named[j].name} ({named[j].direction})")
    ax.set_title(f"{type(policy).__name__}, t = {policy.t}", fontsize=10)
    ax.grid(alpha=0.25)
    ax.legend(frameon=False)
    return ax
