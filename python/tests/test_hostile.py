"""Hostile values for every parameter: each is accepted or raises a clear error, and none ends the process.

The cases run in a separate process (``hostile_values.py``). If a case ends the process, it is started again
after that case.
"""

import functools
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hostile_values import DOORS, cases

SCRIPT = Path(__file__).with_name("hostile_values.py")

# Python itself converts these arguments, and raises TypeError if an object cannot be converted.
CONVERTED = {"TypeError", "UnicodeEncodeError"}
OF_PYTHON = dict.fromkeys(
    ["Certificate, from_json", "Features, from_json", "Ledger, state", "Monitor, state"], CONVERTED
)


@functools.lru_cache(maxsize=1)
def outcomes():
    """The outcome of each case."""
    found, number = {}, 0
    while number < len(cases()):
        run = subprocess.run(
            [sys.executable, SCRIPT, str(number)], capture_output=True, text=True, check=False, timeout=600
        )
        lines = [json.loads(line) for line in run.stdout.splitlines()]
        assert lines, run.stderr
        for case, after in zip(lines[::2], lines[1::2]):
            found[tuple(case[1:])] = after
        if len(lines) % 2:
            found[tuple(lines[-1][1:])] = [f"died ({run.returncode})", run.stderr[-500:], 0, 0]
        number = lines[-1 - (1 - len(lines) % 2)][0] + 1
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory and time are set for the process")
@pytest.mark.parametrize("door", DOORS)
def test_a_hostile_value_is_refused_with_a_typed_error(door):
    allowed = {"typed", "own", "accepted"} | OF_PYTHON.get(door, set())
    found = {case[1]: outcomes()[case] for case in cases() if case[0] == door}
    bad = {value: outcome[:2] for value, outcome in found.items() if outcome[0] not in allowed}
    assert not bad
    long = {value: outcome for value, outcome in found.items() if outcome[2] > 2500 or outcome[3]}
    assert not long, "messages are short and have no control characters"
