"""Runs the notebook and writes it, with its outputs, as notebook.ipynb and, for the site, as notebook.md with its figures.

    python docs/make_notebook.py

Needs moglb with the extras plot and pandas, and nbformat, nbclient, nbconvert and ipykernel (docs/requirements.txt).
"""

import os
import shutil
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbconvert import MarkdownExporter

DOCS = Path(__file__).resolve().parent
NAME = "notebook"

CELLS = [
    (
        "markdown",
        """# The benchmark in miniature

The paper's benchmark with five features, 1500 rounds and ten trials: five policies on the same problems and the same luck.
The full size is 3000 rounds at 5, 10 and 15 features, with c tuned on other seeds; `moglb reproduce` runs that.""",
    ),
    (
        "code",
        """%config InlineBackend.print_figure_kwargs = {"dpi": 110}
import moglb
import numpy as np""",
    ),
    (
        "markdown",
        """## Run

c = 0.01 is the default width of MOGLB-UCB. It is not tuned for these trials.""",
    ),
    (
        "code",
        """results = moglb.run(
    {
        "name": "miniature",
        "horizon": 1500,
        "trials": 10,
        "environments": [{"id": "paper", "dim": 5}],
        "policies": [
            {"id": "moglb-ucb", "c": 0.01},
            {"id": "p-ucb"},
            {"id": "s-ucb"},
            {"id": "p-ts"},
            {"id": "random"},
        ],
    },
    progress=False,
)
results""",
    ),
    (
        "markdown",
        """The table shows the means over the trials after the last round. S-UCB and the random control have no front, hence no Jaccard
index.

## Curves

Mean curves with 95 % bands. The Pareto regret grows with the gap of each arm that is played; the Jaccard index compares the
front that the policy believes in with the true one, and 1 is best.""",
    ),
    ("code", """results.plot();"""),
    (
        "markdown",
        """MOGLB-UCB uses the contexts: what it learns about one arm says something about all others. P-UCB, S-UCB and P-TS learn each
of the 20 arms by itself, and 1500 rounds are few for that. The front of MOGLB-UCB is better than theirs and not perfect; the
band is wide because it is found in some trials and not in others.

## The tidy table

One row for each policy, trial and checkpoint.""",
    ),
    (
        "code",
        """table = results.to_pandas()
last = table[table["t"] == table["t"].max()]
last.groupby("policy")[["pareto_regret", "jaccard", "precision", "recall", "front_size"]].mean().round(2)""",
    ),
    (
        "markdown",
        """Recall is higher than precision: most of the front is found, together with arms that do not belong to it.

## One policy, one problem

The same in slow motion: one environment, one policy, decisions by hand.""",
    ),
    (
        "code",
        """world = moglb.Environment("paper", dim=5, seed=1, trial=0)
policy = moglb.MoglbUcb(**world.problem, width=moglb.Tuned(0.01), seed=1)
X = world.arms()
for t in range(1, 1501):
    arm = policy.decide(X, tables=False).arm
    policy.learn(X[arm], world.pull(arm, t))
policy""",
    ),
    (
        "code",
        """decision = policy.decide(X)
decision""",
    ),
    (
        "markdown",
        """## The front it sees

All arms in the plane of two of the five objectives, with the policy's bounds. Arms that look dominated here may be on the
front because of the other three objectives.""",
    ),
    ("code", """policy.plot_front(X);"""),
    (
        "code",
        """found, truth = policy.front(X), world.front()
print("found", found.tolist())
print("true ", truth.tolist())
print(f"Jaccard index {moglb.jaccard(found, truth):.2f}")""",
    ),
    (
        "markdown",
        """## How good are the estimates?

The largest error of a predicted mean, over all arms and objectives, and over the true front only. The policy plays what is on its
own front, and what it does not play it knows only by the model.""",
    ),
    (
        "code",
        """errors = np.abs(policy.predict(X) - world.means())
print(f"all arms   {errors.max():.3f}")
print(f"true front {errors[truth].max():.3f}")""",
    ),
]


def main():
    notebook = nbformat.v4.new_notebook()
    for k, (kind, source) in enumerate(CELLS):
        make = nbformat.v4.new_markdown_cell if kind == "markdown" else nbformat.v4.new_code_cell
        notebook.cells.append(make(source, id=f"cell-{k}"))
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    os.environ.pop("MPLBACKEND", None)
    NotebookClient(notebook, timeout=120, record_timing=False, resources={"metadata": {"path": str(DOCS)}}).execute()
    notebook.metadata["language_info"] = {"name": "python"}
    nbformat.write(notebook, DOCS / f"{NAME}.ipynb")
    write_page(notebook)


def write_page(notebook):
    """The notebook as a page; its figures in a folder beside it."""
    # The line that sets the resolution of figures is of no interest to readers.
    shown = nbformat.from_dict(notebook)
    for cell in shown.cells:
        cell.source = "\n".join(line for line in cell.source.splitlines() if not line.startswith("%config"))
    text, resources = MarkdownExporter().from_notebook_node(
        shown, {"unique_key": NAME, "output_files_dir": f"{NAME}_files"}
    )
    title, rest = text.lstrip().split("\n", 1)
    note = f"\n\nWritten by `docs/make_notebook.py`, with its outputs. [The notebook itself]({NAME}.ipynb) can be run again.\n"
    # Its blocks need each other's outputs and a notebook; the page is not for check_pages.py.
    rest = rest.replace("```python\n", "```python no-run\n").replace("![png]", "![figure]")
    (DOCS / f"{NAME}.md").write_text(title + note + rest.rstrip() + "\n", encoding="utf-8")
    folder = DOCS / f"{NAME}_files"
    shutil.rmtree(folder, ignore_errors=True)
    for name, data in resources["outputs"].items():
        path = DOCS / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)


if __name__ == "__main__":
    main()
