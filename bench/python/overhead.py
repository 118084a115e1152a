"""The overhead of a call from Python over the work in Rust.

The overhead is the difference between n calls and one call of `decide_many` or `learn_many` with n rows,
which do the same work. It is taken within a repetition, so that noise affects both.
"""

from itertools import repeat
from time import perf_counter_ns as now

import numpy as np
from contestants import SEED, World

import moglb

N = 200  # calls in a repetition: the copies of the arms still fit into a cache of 1 MB
REPETITIONS = 200
WARM = 2000  # rounds before the first repetition


def measure(progress):
    """Rows of a quantity, its samples in nanoseconds per call, and true if it is compared with the goal."""
    world = World(40, 10)
    policy, rows, rewards = _experienced(world)
    X = world.arms(0)
    arm_set, copies = moglb.ArmSet(X), np.stack([X] * N)
    single, listed, many = (_twin(policy) for _ in range(3))
    fixed = _twin(policy)
    fixed.fix_arms(arm_set)
    tiny = moglb.Random(1, ["y"], seed=SEED)
    tiny_set, tiny_x = moglb.ArmSet([[0.5]]), np.array([0.5])

    def decide(policy, arms):
        for _ in repeat(None, N):
            policy.decide(arms, tables=False)

    def decide_fixed():
        for _ in repeat(None, N):
            fixed.decide(tables=False)

    def learn(policy, x, y):
        for context, reward in zip(x, y):
            policy.learn(context, reward)

    samples = {}
    n_batches = len(rows) // N
    for repetition in range(REPETITIONS):
        if repetition % 50 == 0:
            progress(f"overhead: repetition {repetition} of {REPETITIONS}")
        batch = slice((repetition % n_batches) * N, (repetition % n_batches + 1) * N)
        x, y = rows[batch], rewards[batch]
        contexts, arrays, lists = list(x), list(y), y.tolist()
        works = {
            "decide(ArmSet)": lambda: decide(policy, arm_set),
            "decide(ndarray)": lambda: decide(policy, X),
            "decide_many": lambda: policy.decide_many(copies, tables=False),
            "learn(ndarray)": lambda: learn(single, contexts, arrays),
            "learn(list)": lambda: learn(listed, contexts, lists),
            "learn_many": lambda: many.learn_many(x, y),
            "decide(), fixed": decide_fixed,
            "decide, tiny": lambda: decide(tiny, tiny_set),
            "learn, tiny": lambda: learn(tiny, [tiny_x] * N, [tiny_x] * N),
        }
        names = list(works)
        for name in names[repetition % len(names) :] + names[: repetition % len(names)]:
            start = now()
            works[name]()
            samples.setdefault(name, []).append((now() - start) / N)
    if not single.theta.tobytes() == listed.theta.tobytes() == many.theta.tobytes():
        raise AssertionError("learn and learn_many learned different things from the same rewards")
    return _rows({name: np.array(times) for name, times in samples.items()})


def _rows(t):
    batch_decide, batch_learn = t["decide_many"], t["learn_many"]
    check = t["decide(ndarray)"] - t["decide(ArmSet)"]
    return [
        ("`decide(arm_set, tables=False)`", t["decide(ArmSet)"], False),
        ("`decide(X, tables=False)`", t["decide(ndarray)"], False),
        ("`decide_many(copies of X, tables=False)`, per decision", batch_decide, False),
        ("**overhead** of `decide(arm_set)`: call − batch", t["decide(ArmSet)"] - batch_decide, True),
        ("**overhead** of `decide(X)`: call − batch", t["decide(ndarray)"] - batch_decide, True),
        ("**overhead** of `decide(arm_set)`, upper estimate", t["decide(ArmSet)"] - batch_decide + check, True),
        ("`learn(x, y)`, y an ndarray", t["learn(ndarray)"], False),
        ("`learn(x, y)`, y a list", t["learn(list)"], False),
        ("`learn_many(X, Y)`, per row", batch_learn, False),
        ("**overhead** of `learn(x, y)`, y an ndarray: call − batch", t["learn(ndarray)"] - batch_learn, True),
        ("**overhead** of `learn(x, y)`, y a list: call − batch", t["learn(list)"] - batch_learn, True),
        ("**whole call** of `decide(tables=False)` on fixed arms, K=40", t["decide(), fixed"], True),
        ("**whole call** of `Random.decide(arm_set, tables=False)`, K=1, d=1", t["decide, tiny"], True),
        ("**whole call** of `Random.learn(x, y)`, d=1, m=1", t["learn, tiny"], True),
    ]


def _experienced(world):
    """A policy after some rounds, with the contexts and rewards that it learned."""
    policy, rows, rewards = world.policy(), [], []
    for t in range(WARM):
        arm = policy.decide(world.arms(t), tables=False).arm
        rows.append(world.arms(t)[arm])
        rewards.append(world.reward(t, arm))
        policy.learn(rows[-1], rewards[-1])
    return policy, np.array(rows), np.array(rewards)


def _twin(policy):
    return type(policy).from_bytes(policy.to_bytes(), seed=SEED)
