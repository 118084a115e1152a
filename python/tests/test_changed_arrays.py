"""Arrays that another thread writes to while they are read.

The result is a typed error or a decision of finite numbers, and nothing is printed.
"""

import json
import subprocess
import sys

import numpy as np
import pytest

import moglb

SCRIPT = """
import json, sys, threading
import numpy as np
import moglb

kind, bad, rounds = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(0)
good = rng.uniform(-0.1, 0.1, size=(400, 20))
X, places = good.copy(), [divmod(int(place), 20) for place in rng.integers(0, 8000, 20)]
stop = threading.Event()

def flip():
    while not stop.is_set():
        for place in places:
            X[place] = bad
            X[place] = 0.05

sys.setswitchinterval(1e-5)
thread = threading.Thread(target=flip)
thread.start()
policy = moglb.make(kind, 20, 3, seed=1)
policy.learn(good[0], [1.0, 0.0, 1.0])
codes, odd = {}, 0
cube = X[np.newaxis]

def finite(*tables):
    return all(np.isfinite(table).all() for table in tables)

def decided(tables):
    d = policy.decide(X, tables=tables)
    return 0 <= d.arm < 400 and finite(d.probabilities, d.estimates, d.widths)

def listed():
    arms, inclusion = policy.decide_list(X, 3)
    return finite(inclusion) and len(arms) == 3

def many():
    batch = policy.decide_many(cube)
    return finite(batch.probabilities, batch.estimates, batch.widths)

def fixed():
    policy.fix_arms(X)
    return finite(policy.fixed_arms.contexts, policy.decide().estimates)

def taught():
    policy.learn_many(X[:40], np.zeros((40, 3)))
    return finite(policy.predict(good))

calls = [lambda: decided(True), lambda: decided(False), listed, many, fixed, taught,
         lambda: finite(policy.predict(X)), lambda: finite(moglb.gaps(X)), lambda: moglb.front(X).any()]
for k in range(rounds):
    call = calls[k % len(calls)]
    try:
        odd += not call()
        code = "decided"
    except moglb.Error as error:
        code = error.code
    codes[code] = codes.get(code, 0) + 1
stop.set()
thread.join()
print(json.dumps([odd, codes, bool(np.isfinite(policy.predict(good)).all())]))
"""


@pytest.mark.parametrize("bad", ["nan", "1e308", "inf"])
@pytest.mark.parametrize("kind", ["moglb-eb", "moglb-ucb", "ekf-ucb"])
def test_an_array_that_changes_gives_a_typed_error_or_a_finite_decision(kind, bad):
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, kind, bad, "450"], capture_output=True, text=True, check=False, timeout=120
    )
    assert run.returncode == 0 and run.stderr == "", run.stderr[-2000:]
    odd, codes, sound = json.loads(run.stdout)
    assert odd == 0 and sound, codes
    assert set(codes) <= {"decided", "array-changed", "not-finite", "norm"}, codes


FRONTS = """
import sys, threading
import numpy as np
import moglb

rng = np.random.default_rng(0)
X = rng.uniform(-0.1, 0.1, size=(400, 20))
places = [divmod(int(place), 20) for place in rng.integers(0, 8000, 20)]
stop = threading.Event()

def flip():
    while not stop.is_set():
        for place in places:
            X[place] = float("nan")
            X[place] = 0.05

sys.setswitchinterval(1e-5)
thread = threading.Thread(target=flip)
thread.start()
empty = 0
for _ in range(10000):
    try:
        empty += not moglb.front(X).any()
    except moglb.Error:
        pass
stop.set()
thread.join()
print(empty)
"""


def test_a_front_of_an_array_that_changes_is_not_empty():
    run = subprocess.run([sys.executable, "-c", FRONTS], capture_output=True, text=True, check=True, timeout=120)
    assert int(run.stdout) == 0 and run.stderr == ""


def test_infinite_widths_that_are_meant_stay():
    """Infinite widths of arms without data are not mistaken for a changed array."""
    X = np.full((300, 20), 0.1)
    for kind in moglb.policies():
        policy = moglb.make(kind["id"], 20, 2, n_arms=300)
        decision = policy.decide(X)
        assert np.isfinite(decision.probabilities).all()
