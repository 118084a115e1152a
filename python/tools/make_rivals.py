"""Writes python/moglb/rivals.pyi, the types of the classes that rivals.py makes, and adds their names to
python/moglb/__init__.py.

Run it with `python python/tools/make_rivals.py`, or as a part of `cargo xtask policies`.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Type

import moglb
from moglb.rivals import RIVALS

PACKAGE = Path(__file__).resolve().parent.parent / "moglb"

HEAD = """# Written by python/tools/make_rivals.py from the engine's own descriptions; edit those.

from typing import Mapping, Optional, Sequence, Tuple, Type, Union

from ._policies import Objectives, Policy

Target = Union[int, Sequence[float]]
"""


def one_class(kind: Type[moglb.Policy]) -> str:
    """The stub of one class."""
    parameters = list(inspect.signature(kind.__init__).parameters.values())
    usual = {one.name: "" if one.default is inspect.Parameter.empty else f" = {one.default!r}" for one in parameters}
    listed = [f"{one.name}: {one.annotation}{usual[one.name]}" for one in parameters[1:]]
    listed.insert(2, "*")
    return f"class {kind.__name__}(Policy):\n    def __init__(self, {', '.join(listed)}) -> None: ...\n"


def source() -> str:
    """The stub, before it is formatted."""
    names = ", ".join(f'"{kind.__name__}"' for kind in sorted(RIVALS, key=lambda kind: kind.__name__))
    end = f"RIVALS: Tuple[Type[Policy], ...]\n__all__ = [{names}]\n"
    return "\n".join([HEAD, *map(one_class, RIVALS), end])


def package(text: str) -> str:
    """The text of the package's ``__init__.py`` with the names of the rivals in its imports and exports."""
    names = {kind.__name__ for kind in RIVALS}
    old = re.search(r"from \.rivals import \((.*?)\)", text, re.DOTALL)
    exported = re.search(r"__all__ = \[(.*?)\]", text, re.DOTALL)
    assert old and exported, "the imports and exports of the package"
    kept = set(re.findall(r'"(\w+)"', exported[1])) - set(re.findall(r"\w+", old[1]))
    imports = "".join(f"    {name},\n" for name in sorted(names))
    exports = "".join(f'    "{name}",\n' for name in sorted(kept | names))
    text = text.replace(old[0], f"from .rivals import (\n{imports})")
    return text.replace(exported[0], f"__all__ = [\n{exports}]")


if __name__ == "__main__":
    (PACKAGE / "rivals.pyi").write_text(source(), encoding="utf-8")
    init = PACKAGE / "__init__.py"
    init.write_text(package(init.read_text(encoding="utf-8")), encoding="utf-8")
