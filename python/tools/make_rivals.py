"""Writes python/moglb/rivals.py, a class for every policy of the engine that has none written by hand, and its names into
python/moglb/__init__.py: `python python/tools/make_rivals.py`.
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import Any, Dict, List

import moglb
from moglb._policies import WRITTEN

PACKAGE = Path(__file__).resolve().parent.parent / "moglb"

TYPES = {
    "number": "float",
    "count": "int",
    "flag": "bool",
    "word": "str",
    "numbers": "Sequence[float]",
    "table": "Sequence[Sequence[float]]",
    "groups": "Sequence[Sequence[int]]",
    "target": "Target",
    "policy": "Mapping[str, object]",
}

HEAD = '''"""The policies of the literature: see :func:`moglb.policies` and docs/policies.md for sources and guarantees.

Made by python/tools/make_rivals.py from the engine's own descriptions; edit those.
"""

from __future__ import annotations

from typing import Mapping, Optional, Sequence, Tuple, Type, Union

from ._policies import Objectives, Policy

Target = Union[int, Sequence[float]]
"""What a single-objective policy pursues: the number of an objective (from 0), or one weight per objective."""
'''


def class_name(id: str) -> str:
    return "".join(part.capitalize() for part in id.split("-"))


def prose(text: str, first: str, rest: str) -> str:
    return textwrap.fill(
        " ".join(text.split()), 116, initial_indent=first, subsequent_indent=rest, break_long_words=False
    )


def docstring(info: Dict[str, Any]) -> List[str]:
    name = class_name(info["id"])
    lines = [prose(f'"""{info["name"]}: {info["setting"]}.', "    ", "    "), ""]
    lines += [prose(info["source"] + ".", "    ", "    "), ""]
    lines += [prose("Guarantee: " + info["guarantee"] + ".", "    ", "    "), ""]
    if info["departures"]:
        lines += [prose("Departures: " + info["departures"], "    ", "    "), ""]
    lines.append(
        prose("- ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`.", "    ", "      ")
    )
    for one in info["parameters"]:
        text = f"- ``{python_name(one)}``: {one['meaning']}; {one['default']} unless given."
        lines.append(prose(text, "    ", "      "))
    lines += [
        "",
        "    >>> import moglb",
        f'    >>> moglb.{name}(2, ["click", "view"], n_arms=3)',
        f"    {name}(dim=2, objectives=['click', 'view'], n_arms=3, t=0)",
        '    """',
    ]
    return lines


def python_name(parameter: Dict[str, Any]) -> str:
    return "lambda_" if parameter["name"] == "lambda" else str(parameter["name"])


def one_class(info: Dict[str, Any]) -> str:
    own = [python_name(one) for one in info["parameters"]]
    lines = [f"class {class_name(info['id'])}(Policy):", *docstring(info), "", f'    id = "{info["id"]}"']
    if own:
        listed = ", ".join(f'"{name}"' for name in own) + ("," if len(own) == 1 else "")
        lines.append(f"    _own = ({listed})")
    lines += [
        "",
        "    def __init__(",
        "        self,",
        "        dim: int,",
        "        objectives: Objectives,",
        "        *,",
    ]
    lines += [f"        {name}: Optional[{TYPES[one['kind']]}] = None," for name, one in zip(own, info["parameters"])]
    lines += [
        "        radius: float = 1.0,",
        "        n_arms: Optional[int] = None,",
        "        seed: int = 0,",
        "    ) -> None:",
    ]
    given = [f"            {name}={name}," for name in own]
    if given:
        lines += [
            "        self._build(",
            "            dim,",
            "            objectives,",
            "            radius,",
            "            n_arms,",
            "            seed,",
        ]
        lines += [*given, "        )"]
    else:
        lines.append("        self._build(dim, objectives, radius, n_arms, seed)")
    return "\n".join(lines)


def rivals() -> List[Dict[str, Any]]:
    by_hand = {kind.id for kind in WRITTEN}
    return [info for info in moglb.policies() if info["id"] not in by_hand]


def source() -> str:
    names = [class_name(info["id"]) for info in rivals()]
    listed = "\n".join(f'    "{name}",' for name in sorted(names))
    tuple_ = "\n".join(f"    {name}," for name in names)
    parts = [HEAD.rstrip("\n")] + [one_class(info) for info in rivals()]
    parts.append(f"RIVALS: Tuple[Type[Policy], ...] = (\n{tuple_}\n)\n\n__all__ = [\n{listed}\n]")
    return "\n\n\n".join(parts) + "\n"


def package(text: str) -> str:
    """The package's own file with the names of the rivals in its imports and exports."""
    names = {class_name(info["id"]) for info in rivals()}
    old = re.search(r"from \.rivals import \((.*?)\)", text, re.DOTALL)
    exported = re.search(r"__all__ = \[(.*?)\]", text, re.DOTALL)
    assert old and exported, "the imports and exports of the package"
    kept = set(re.findall(r'"(\w+)"', exported[1])) - set(re.findall(r"\w+", old[1]))
    imports = "".join(f"    {name},\n" for name in sorted(names))
    exports = "".join(f'    "{name}",\n' for name in sorted(kept | names))
    text = text.replace(old[0], f"from .rivals import (\n{imports})")
    return text.replace(exported[0], f"__all__ = [\n{exports}]")


if __name__ == "__main__":
    (PACKAGE / "rivals.py").write_text(source(), encoding="utf-8")
    init = PACKAGE / "__init__.py"
    init.write_text(package(init.read_text(encoding="utf-8")), encoding="utf-8")
