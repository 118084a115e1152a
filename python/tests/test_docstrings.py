"""The examples in the docstrings of the extension module, which doctest does not find on its own."""

import doctest
import inspect

import moglb
from moglb import _moglb


def documented():
    for name in _moglb.__all__:
        value = getattr(_moglb, name)
        yield name, inspect.getdoc(value) or ""
        if inspect.isclass(value):
            for member in vars(value):
                if not member.startswith("_"):
                    yield f"{name}.{member}", inspect.getdoc(getattr(value, member)) or ""


def test_examples_say_what_happens():
    parser, runner, examples = doctest.DocTestParser(), doctest.DocTestRunner(), 0
    for name, text in documented():
        test = parser.get_doctest(text, {"moglb": moglb}, name, None, None)
        examples += len(test.examples)
        assert runner.run(test).failed == 0, name
    assert examples > 20


def test_everything_public_is_explained():
    for name, text in documented():
        assert name == "VERSION" or text, name
    for name in moglb.__all__:
        assert name.startswith("__") or inspect.getdoc(getattr(moglb, name)), name
