"""Hooks of the site. They convert the pages when it is built, so that the pages also read well in the
repository."""

import json
import re

from mkdocs.structure.files import File

NOTEBOOK = "notebook.md"
"""The page that is also available as a notebook."""

BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)


def on_files(files, config):
    """Adds the notebook to the files of the site."""
    page = files.get_file_from_path(NOTEBOOK)
    files.append(File.generated(config, "notebook.ipynb", content=notebook(page.content_string)))
    return files


def on_page_markdown(markdown, page, **_):
    """Renders tables inside of folds, and removes ``no-run``, which is only for check_pages.py."""
    if page.file.src_uri == NOTEBOOK:
        markdown += "\n[This page as a Jupyter notebook](notebook.ipynb)\n"
    markdown = markdown.replace("<details><summary>", '<details markdown="1"><summary>')
    return re.sub(r"^```python no-run$", "```python", markdown, flags=re.MULTILINE)


def notebook(markdown):
    """Converts a page to a Jupyter notebook: a cell for each block of code, and for the text between blocks.

    The notebook has no outputs and no pictures; they are made when it is run.
    """
    cells, end = [], 0
    for block in BLOCK.finditer(markdown):
        cells.append(("markdown", markdown[end : block.start()]))
        if block[1] == "python":
            cells.append(("code", block[2]))
        end = block.end()
    cells.append(("markdown", markdown[end:]))
    texts = [(kind, re.sub(r"^!\[.*\]\(.*\)$", "", text, flags=re.MULTILINE).strip()) for kind, text in cells]
    return json.dumps({"cells": [cell(k, *one) for k, one in enumerate(texts) if one[1]], **FORMAT}, indent=1)


FORMAT = {
    "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}


def cell(k, kind, text):
    """A cell of a notebook; ``kind`` is "code" or "markdown"."""
    own = {"execution_count": None, "outputs": []} if kind == "code" else {}
    return {"cell_type": kind, "id": f"cell-{k}", "metadata": {}, **own, "source": text}
