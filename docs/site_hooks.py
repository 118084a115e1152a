"""What the pages need on their way into the site, so that they also read well in the repository."""

import re


def on_page_markdown(markdown, **_):
    """Tables inside of folds are tables; ``no-run`` is a word to check_pages.py, not to readers."""
    markdown = markdown.replace("<details><summary>", '<details markdown="1"><summary>')
    return re.sub(r"^```python no-run$", "```python", markdown, flags=re.MULTILINE)
