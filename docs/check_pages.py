"""Runs the Python code of the pages in this folder and compares its output with the pages.

    python docs/check_pages.py [--figures] [PAGE.md ...]

The blocks of a page run in order, in one namespace, in an empty folder. A ``text`` block right after a
``python`` block must be exactly the output of that block. Blocks marked ``python no-run`` are skipped. A
picture whose name begins with that of a page with blocks must be shown by the page, from ``figures``, and
saved by one of its blocks; ``--figures`` writes such pictures to that folder.
"""

import contextlib
import difflib
import io
import linecache
import os
import re
import shutil
import sys
import tempfile
import time
import traceback
from pathlib import Path

DOCS = Path(__file__).resolve().parent
FIGURES = DOCS / "figures"


def blocks(text):
    """The fenced blocks of a page, each with its info string, the number of its first line, and its lines."""
    found, fence, info, start, body = [], None, "", 0, []
    for number, line in enumerate(text.splitlines(), 1):
        mark = line[: len(line) - len(line.lstrip("`"))]
        if fence is None and len(mark) >= 3:
            fence, info, start, body = mark, line[len(mark) :].strip(), number + 1, []
        elif fence is not None and line.rstrip() == fence:
            found.append((info, start, body))
            fence = None
        elif fence is not None:
            body.append(line)
    if fence is not None:
        raise SystemExit(f"line {start - 1}: this block has no end")
    return found


def check(page):
    """Runs a page. Returns the number of blocks that ran, and a description of the first error or None."""
    found, namespace, ran = blocks(page.read_text(encoding="utf-8")), {"__name__": page.stem}, 0
    for k, (info, start, body) in enumerate(found):
        if info != "python":
            continue
        # Empty lines are put before the block, so that line numbers in a traceback are those of the page.
        source = "\n" * (start - 1) + "\n".join(body) + "\n"
        name = page.name
        linecache.cache[name] = (len(source), None, source.splitlines(True), name)
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile(source, name, "exec"), namespace)
        except Exception:
            return ran, f"{name}:{start}\n{traceback.format_exc()}"
        ran += 1
        follows = k + 1 < len(found) and found[k + 1][0] == "text" and found[k + 1][1] == start + len(body) + 3
        expected = found[k + 1][2] if follows else None
        got = printed.getvalue().splitlines()
        if expected is not None and got != expected:
            difference = "\n".join(difflib.unified_diff(expected, got, "the page", "the code", lineterm=""))
            return ran, f"{name}:{start} prints something else\n{difference}"
    return ran, None


def check_figures(page, folder, writes):
    """Compares the pictures that a page shows with those that its blocks saved in a folder. Returns the
    errors or None."""
    shown = set(re.findall(r"\]\(figures/([\w.-]+)\)", page.read_text(encoding="utf-8")))
    saved = {path.name for path in Path(folder).iterdir() if path.name.startswith(page.stem + "-")}
    own = {name for name in shown if name.startswith(page.stem + "-")}
    wrong = [f"{page.name} saves {name} and does not show it" for name in saved - own]
    wrong += [f"{page.name} shows {name} and does not save it" for name in own - saved]
    for name in own & saved if writes else ():
        shutil.copy(Path(folder) / name, FIGURES / name)
    wrong += [f"figures/{name} is not there: run with --figures" for name in own if not (FIGURES / name).exists()]
    return "\n".join(sorted(wrong)) or None


def main():
    """Checks the pages named on the command line, or all pages of the folder."""
    os.environ["MPLBACKEND"] = "Agg"
    writes, named = "--figures" in sys.argv, [name for name in sys.argv[1:] if name != "--figures"]
    pages = [Path(name).resolve() for name in named] or sorted(DOCS.glob("*.md"))
    failures = 0
    for page in pages:
        start = time.monotonic()
        home = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            ran, wrong = check(page)
            os.chdir(home)
            wrong = wrong or (check_figures(page, folder, writes) if ran else None)
        if ran or wrong:
            print(f"{page.name}: {ran} blocks, {time.monotonic() - start:.1f} s, {'FAILED' if wrong else 'ok'}")
        if wrong:
            print(wrong, file=sys.stderr)
            failures += 1
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
