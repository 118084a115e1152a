"""Pieces of input for error messages: short, and without control characters."""

from __future__ import annotations

from typing import Any

_MOST = 200
"""The largest number of characters of a piece of input in a message."""


def shown(value: Any) -> str:
    """The ``repr`` of a value for a message, cut to a bounded length.

    >>> shown("tab\\t")
    "'tab\\\\t'"
    >>> len(shown("x" * 10**6)) < 210
    True
    """
    if isinstance(value, str):
        # The text is cut first, because the repr of a long text takes time in proportion to its length.
        return cut(repr(value[: _MOST + 1]))
    if isinstance(value, (bytes, bytearray, int, float, bool, type(None))):
        return cut(repr(value[: _MOST + 1]) if isinstance(value, (bytes, bytearray)) else _number(value))
    return f"an object of type {cut(type(value).__name__)}"


def _number(value: Any) -> str:
    try:
        return repr(value)
    except ValueError:  # Python refuses to convert integers of thousands of digits to text
        return "a number of thousands of digits"


def cut(text: str) -> str:
    """The text with control characters escaped, cut after 200 characters."""
    short = "".join(one if one.isprintable() else _escaped(one) for one in text[: _MOST + 1])
    return short if len(short) <= _MOST else short[:_MOST] + "…"


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
