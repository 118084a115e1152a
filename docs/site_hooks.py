"""What the pages need on their way into the site, so that they also read well in the repository."""

import json
import re

from mkdocs.structure.files import File

NOTEBOOK = "notebook.md"
"""The page that can be had as a notebook, too."""

BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)


def on_files(files, config):
    """The notebook: a cell for each block of code of its page, and for the prose between them."""
    page = files.get_file_from_path(NOTEBOOK)
    files.append(File.generated(config, "notebook.ipynb", content=notebook(page.content_string)))
    return files


def on_page_markdown(markdown, page, **_):
    """Tables inside of folds are tables; ``no-run`` is a word to check_pages.py, not to readers."""
    if page.file.src_uri == NOTEBOOK:
        markdown += "\n[This page as a Jupyter notebook](notebook.ipynb)\n"
    markdown = markdown.replace("<details><summary>", '<details markdown="1"><summary>')
    return re.sub(r"^```python no-run$", "```python", markdown, flags=re.MULTILINE)


def notebook(markdown):
    """A page as a Jupyter notebook without outputs: what blocks print, and the pictures that they save, come when it is run."""
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
    own = {"execution_count": None, "outputs": []} if kind == "code" else {}
    return {"cell_type": kind, "id": f"cell-{k}", "metadata": {}, **own, "source": text}
