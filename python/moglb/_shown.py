"""What a message shows of the input that it is about: never much of it, and no control characters."""

from __future__ import annotations

from typing import Any

_MOST = 200
"""The most characters of a piece of input in a message."""


def shown(value: Any) -> str:
    """A value as a message shows it: its ``repr``, cut.

    >>> shown("tab\\t")
    "'tab\\\\t'"
    >>> len(shown("x" * 10**6)) < 210
    True
    """
    if isinstance(value, str):
        # Cut first: the repr of a long text takes as long as the text.
        return cut(repr(value[: _MOST + 1]))
    if isinstance(value, (bytes, bytearray, int, float, bool, type(None))):
        return cut(repr(value[: _MOST + 1]) if isinstance(value, (bytes, bytearray)) else _number(value))
    return f"an object of type {cut(type(value).__name__)}"


def _number(value: Any) -> str:
    try:
        return repr(value)
    except ValueError:  # Python refuses to write out integers of thousands of digits
        return "a number of thousands of digits"


def cut(text: str) -> str:
    """Text without control characters, of at most 200 characters."""
    short = "".join(one if one.isprintable() else _escaped(one) for one in text[: _MOST + 1])
    return short if len(short) <= _MOST else short[:_MOST] + "…"


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
