"""The policies of the literature: see :func:`moglb.policies` and docs/policies.md for sources and
guarantees."""

# Every policy of the engine that has no hand-written class gets one here, from the engine's description of
# the policy. Type checkers read rivals.pyi, which `cargo xtask policies` writes.

from __future__ import annotations

import inspect
import textwrap
from inspect import Parameter
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Type, Union

from ._policies import WRITTEN, Objectives, Policy, policies

Target = Union[int, Sequence[float]]
"""The target of a single-objective policy: the index of an objective (from 0), or one weight per
objective."""


class _Types:
    """The annotation of a parameter, by its kind in the description."""

    number: Optional[float]
    count: Optional[int]
    flag: Optional[bool]
    word: Optional[str]
    numbers: Optional[Sequence[float]]
    table: Optional[Sequence[Sequence[float]]]
    groups: Optional[Sequence[Sequence[int]]]
    target: Optional[Target]
    policy: Optional[Mapping[str, object]]


class _Docstring:
    """The docstring of a class, made when it is read: wrapping the docstrings of all classes takes longer
    than the import."""

    def __init__(self, info: Dict[str, Any], name: str) -> None:
        self.info, self.name = info, name

    def __get__(self, policy: Optional[Policy], kind: Optional[Type[Policy]] = None) -> str:
        info, name = self.info, self.name
        # The quotation marks are counted in the first line, and then removed.
        parts = [_filled(f'"""{info["name"]}: {info["setting"]}.')[3:], _filled(info["source"] + ".")]
        parts.append(_filled(f"Guarantee: {info['guarantee']}."))
        if info["departures"]:
            parts.append(_filled("Departures: " + info["departures"]))
        items = ["- ``dim``, ``objectives``, ``radius``, ``n_arms``, ``seed``: as in :class:`MoglbUcb`."]
        items += [
            f"- ``{_named(one)}``: {one['meaning']}; {one['default']} unless given." for one in info["parameters"]
        ]
        parts.append("\n".join(_filled(item, "  ") for item in items))
        example = f'>>> import moglb\n>>> moglb.{name}(2, ["click", "view"], n_arms=3)\n'
        parts.append(example + f"{name}(dim=2, objectives=['click', 'view'], n_arms=3, t=0)")
        return "\n\n".join(parts)


def _filled(text: str, indent: str = "") -> str:
    """Wraps a paragraph of a docstring."""
    return textwrap.fill(" ".join(text.split()), 112, subsequent_indent=indent, break_long_words=False)


def _named(parameter: Dict[str, Any]) -> str:
    """The name of a parameter in Python."""
    return "lambda_" if parameter["name"] == "lambda" else str(parameter["name"])


def _constructor(info: Dict[str, Any], kind: str) -> Any:
    """The ``__init__`` of a class, with the policy's own parameters between the common ones."""
    types = {_named(one): _Types.__annotations__[one["kind"]] for one in info["parameters"]}

    def __init__(
        self,
        dim: int,
        objectives: Objectives,
        *,
        radius: float = 1.0,
        n_arms: Optional[int] = None,
        seed: int = 0,
        **own: Any,
    ) -> None:
        for name in own:
            if name not in types:
                raise TypeError(f"{kind}.__init__() got an unexpected keyword argument {name!r}")
        self._build(dim, objectives, radius, n_arms, seed, **{name: own.get(name) for name in types})

    signature = inspect.signature(__init__)
    shared = list(signature.parameters.values())
    own = [Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=types[name]) for name in types]
    every = [*shared[:3], *own, *shared[3:-1]]
    function: Any = __init__
    function.__qualname__ = f"{kind}.__init__"
    function.__signature__ = signature.replace(parameters=every)
    function.__annotations__ = {**{one.name: one.annotation for one in every[1:]}, "return": "None"}
    return function


def _class(info: Dict[str, Any]) -> Type[Policy]:
    """Makes the class of a policy from its description."""
    name = "".join(part.capitalize() for part in info["id"].split("-"))
    own = tuple(_named(one) for one in info["parameters"])
    said = {"__module__": __name__, "__doc__": _Docstring(info, name)}
    return type(name, (Policy,), {**said, "__init__": _constructor(info, name), "id": info["id"], "_own": own})


RIVALS: Tuple[Type[Policy], ...] = tuple(
    _class(info) for info in policies() if info["id"] not in {kind.id for kind in WRITTEN}
)

__all__: List[str] = sorted(kind.__name__ for kind in RIVALS)
globals().update({kind.__name__: kind for kind in RIVALS})
