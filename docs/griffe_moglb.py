"""Completes the reference of the site: docstrings from run time, signatures of constructors, and doctests as
code.

Signatures of the extension module and of the rivals come from stubs, which have no docstrings. The docstrings
exist only in the compiled module, or are made at import. Some classes are made by ``__new__``, which Griffe
does not show as the signature of a class. Doctests outside of a section would be shown as quotations.
"""

import importlib
import inspect
import re

import griffe

ROLE = re.compile(r":(?:class|meth|func|data|mod|attr):`~?([^`]+)`")


class Moglb(griffe.Extension):
    """The extension of Griffe; the configuration of the site loads it."""

    def on_package(self, *, pkg, loader, **_):
        if pkg.path == "moglb":
            self._visit(pkg, importlib.import_module("moglb"))

    def _visit(self, parent, living):
        for name, member in list(parent.members.items()):
            if member.is_alias:
                continue
            try:
                there = (
                    importlib.import_module(member.path) if member.is_module else inspect.getattr_static(living, name)
                )
            except (AttributeError, ImportError):
                there = None  # an optional package is not installed
            if member.docstring is None and member.path.startswith(("moglb._moglb.", "moglb.rivals.")):
                text = inspect.getdoc(there)
                if text and not name.startswith("__"):
                    member.docstring = griffe.Docstring(text, parent=member)
            if member.docstring is not None:
                member.docstring.value = readable(member.docstring.value)
            if member.is_class:
                self._show_constructor(member)
            if member.is_class or member.is_module:
                self._visit(member, there)
        if parent.docstring is not None and parent.is_module and parent.parent is None:
            parent.docstring.value = readable(parent.docstring.value)

    @staticmethod
    def _show_constructor(kind):
        new = kind.members.get("__new__")
        if new is None or "__init__" in kind.members or kind.name == "Policy":
            return
        parameters = list(new.parameters)
        parameters[0] = griffe.Parameter("self", kind=parameters[0].kind)
        kind.set_member("__init__", griffe.Function("__init__", parameters=griffe.Parameters(*parameters), parent=kind))


def readable(text):
    """Converts roles of Sphinx to code, and puts doctests in fences."""
    text = ROLE.sub(r"`\1`", text)
    lines, inside = [], False
    for line in text.splitlines():
        if not inside and line.startswith(">>>"):
            inside = True
            lines += ["", "```pycon"] if lines and lines[-1] else ["```pycon"]
        elif inside and not line.strip():
            inside = False
            lines.append("```")
        lines.append(line)
    return "\n".join(lines + ["```"] if inside else lines)
