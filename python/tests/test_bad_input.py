"""Bad input to any function raises a clear typed error and changes nothing."""

import os
import subprocess
import sys

import numpy as np
import pytest
from conftest import every_policy, played

import moglb

HUGE = 1e308

TABLES = {
    "None": None,
    "text": "abc",
    "bytes": b"abc",
    "dictionary": {"a": 1},
    "a number": 3.5,
    "an object": object(),
    "texts": [["a", "b", "c"]],
    "objects": np.array([[1, None, "x"]], dtype=object),
    "complex": np.ones((2, 3), dtype=complex),
    "dates": np.zeros((2, 3), dtype="datetime64[s]"),
    "records": np.zeros(3, dtype=[("a", float)]),
    "one axis": np.zeros(3),
    "three axes": np.zeros((2, 2, 3)),
    "other width": np.zeros((4, 2)),
    "no rows": np.zeros((0, 3)),
    "no columns": np.zeros((4, 0)),
    "NaN": np.array([[0.1, np.nan, 0.0]]),
    "infinity": np.array([[0.1, np.inf, 0.0]]),
    "negative infinity": np.array([[0.1, -np.inf, 0.0]]),
    "huge": np.full((2, 3), HUGE),
    "long": np.full((2, 3), 1.5),
    "ragged": [[0.1, 0.2, 0.3], [0.1]],
    "masked text": np.array([["0.1", "0.2", "0.3"]]),
}

VECTORS = {
    "None": None,
    "text": "abc",
    "an object": object(),
    "texts": ["a", "b", "c"],
    "objects": np.array([1, None, "x"], dtype=object),
    "complex": np.ones(3, dtype=complex),
    "no axis": np.float64(0.5),
    "two axes": np.zeros((1, 3)),
    "another length": np.zeros(2),
    "empty": [],
    "NaN": [0.1, float("nan"), 0.0],
    "infinity": [0.1, float("inf"), 0.0],
    "huge": [HUGE] * 3,
    "long": [1.0, 1.0, 1.0],
    "nested": [[0.1], [0.2, 0.3], 0.4],
}

REWARDS = {
    "None": None,
    "text": "ab",
    "texts": ["a", "b"],
    "an object": object(),
    "objects": np.array([1, None], dtype=object),
    "one": [1.0],
    "three": [1.0, 0.0, 0.0],
    "empty": [],
    "NaN": [float("nan"), 0.0],
    "infinity": [float("inf"), 0.0],
    "out of range": [1.5, 0.0],
    "below range": [1.0, -0.1],
    "two axes": [[1.0, 0.0]],
    "huge": [HUGE, HUGE],
}


def refused(call, policy=None):
    """Returns the error of a call that must be refused and must leave the policy unchanged."""
    before = policy and (policy.to_bytes(), policy.rng_state)
    with pytest.raises(moglb.Error) as caught:
        call()
    assert isinstance(caught.value, (TypeError, ValueError)), caught.value
    assert str(caught.value) and caught.value.code in moglb.errors.BY_CODE
    if policy is not None:
        assert (policy.to_bytes(), policy.rng_state) == before
    return caught.value


@pytest.fixture
def policies(objectives, arms):
    made = every_policy(objectives)
    for policy in made:
        played(policy, arms, rounds=3)
    return made


@pytest.mark.parametrize("kind", TABLES)
def test_arms(kind, policies):
    for policy in policies:
        for call in (
            policy.decide,
            policy.front,
            policy.predict,
            policy.predict_bounds,
            policy.fix_arms,
            policy.ask,
            policy.pull,
        ):
            if kind == "None" and call not in (policy.fix_arms, policy.ask):
                refused(lambda: call(None), policy)  # no arms are fixed
            else:
                refused(lambda: call(TABLES[kind]), policy)
    if kind not in ("other width",):
        refused(lambda: moglb.ArmSet(TABLES[kind]))


@pytest.mark.parametrize("kind", TABLES)
def test_many_arms(kind, policies):
    for policy in policies:
        refused(lambda: policy.decide_many(TABLES[kind] if kind != "three axes" else np.zeros((2, 2, 2, 3))), policy)


@pytest.mark.parametrize("kind", VECTORS)
def test_contexts(kind, policies):
    for policy in policies:
        for call in (policy.learn, policy.update):
            refused(lambda: call(VECTORS[kind], [1.0, 0.0], 0), policy)


@pytest.mark.parametrize("kind", REWARDS)
def test_rewards(kind, policies, arms):
    for policy in policies:
        for call in (policy.learn, policy.update):
            refused(lambda: call(arms[0], REWARDS[kind], 0), policy)
        question = policy.ask(arms)
        refused(lambda: policy.tell(question, REWARDS[kind]), policy)


def test_positions(policies, arms):
    for policy in policies[1:4]:
        refused(lambda: policy.learn(12, [1.0, 0.0]), policy)
        refused(lambda: policy.learn(arms[0], [1.0, 0.0], 99), policy)
    fixed = policies[0]
    fixed.fix_arms(arms)
    refused(lambda: fixed.learn(12, [1.0, 0.0]), fixed)
    refused(lambda: fixed.learn(-1, [1.0, 0.0]), fixed)


def test_batches(policies, arms):
    for policy in policies:
        for X, Y in (
            (arms, np.zeros((11, 2))),
            (arms, np.zeros((12, 3))),
            (arms, None),
            (None, np.zeros((12, 2))),
            (arms, np.full((12, 2), np.inf)),
            (arms[:, :2], np.zeros((12, 2))),
        ):
            refused(lambda: policy.learn_many(X, Y, range(len(arms))), policy)
            refused(lambda: policy.partial_fit(X, Y, range(len(arms))), policy)
        refused(lambda: policy.learn_many(arms, np.zeros((12, 2)), [0]), policy)


@pytest.mark.parametrize(
    "params",
    [
        dict(dim=0),
        dict(dim=-1),
        dict(dim=2.5),
        dict(dim="3"),
        dict(dim=None),
        dict(dim=2**62),
        dict(objectives=[]),
        dict(objectives=0),
        dict(objectives=None),
        dict(objectives="click"),
        dict(objectives=[None]),
        dict(objectives=[{"nom": "x"}]),
        dict(objectives=["a", "a"]),
        dict(objectives=[""]),
        dict(objectives=[moglb.Objective("a", link="loggit")]),
        dict(objectives=[moglb.Objective("a", direction="up")]),
        dict(objectives=[moglb.Objective("a", range=(1.0, 0.0))]),
        dict(objectives=[moglb.Objective("a", range=(0.0, float("inf")))]),
        dict(objectives=[moglb.Objective("a", range=(0.0,))]),
        dict(width=0.01),
        dict(width=moglb.Tuned(-1.0)),
        dict(width=moglb.Tuned(float("nan"))),
        dict(width=moglb.Proved(0.0)),
        dict(width=moglb.Tightened(1.0)),
        dict(width=moglb.Tuned("x")),
        dict(lambda_=0.5),
        dict(lambda_=float("inf")),
        dict(kappa="own"),
        dict(radius=0.0),
        dict(radius=800.0),
        dict(n_arms=0),
        dict(n_arms=-4),
        dict(seed=-1),
        dict(seed=2**64),
        dict(seed="x"),
        dict(seed=None),
    ],
    ids=str,
)
def test_parameters(params):
    refused(lambda: moglb.MoglbUcb(**{"dim": 3, "objectives": ["a"], **params}))
    policy = moglb.MoglbUcb(3, ["a"])
    refused(lambda: policy.set_params(**params), policy)
    assert policy.get_params()["dim"] == 3


def test_parameters_of_the_others():
    refused(lambda: moglb.PUcb(3, ["a"]))
    refused(lambda: moglb.PUcb(3, ["a"], n_arms=4, front_size=5))
    refused(lambda: moglb.SUcb(3, ["a"], n_arms=4, weights=[1.0, 2.0]))
    refused(lambda: moglb.SUcb(3, ["a"], n_arms=4, weights=[-1.0]))
    refused(lambda: moglb.make("nobody", 3, ["a"]))
    refused(lambda: moglb.Policy(3, ["a"]))
    refused(lambda: moglb.MoglbUcb(3, ["a"]).set_params(nothing=1))


def test_snapshots(objectives, arms):
    policy = moglb.MoglbUcb(3, objectives)
    played(policy, arms)
    text, data = policy.to_json(), policy.to_bytes()
    for bad in (
        "",
        "{",
        "[]",
        text[:-5],
        text.replace("policy/2", "policy/9"),
        None,
        3,
        b"",
        data[:-1],
        data[:20] + b"x" + data[21:],
    ):
        refused(lambda: moglb.MoglbUcb.from_json(bad))
        refused(lambda: moglb.from_json(bad))
    refused(lambda: moglb.PTs.from_json(text))
    refused(lambda: policy._set_rng_state("chacha8:zz:0:0"), policy)


@pytest.mark.parametrize("kind", TABLES)
def test_functions_of_points(kind):
    bad = TABLES[kind]
    if kind in (
        "None",
        "text",
        "bytes",
        "dictionary",
        "a number",
        "an object",
        "texts",
        "objects",
        "complex",
        "dates",
        "records",
        "one axis",
        "three axes",
        "no rows",
        "no columns",
        "NaN",
        "infinity",
        "ragged",
        "masked text",
    ):
        for call in (
            moglb.front,
            moglb.gaps,
            lambda x: moglb.hypervolume(x, [0.0] * 3),
            lambda x: moglb.epsilon_indicator(x, x),
        ):
            refused(lambda: call(bad))


def test_other_functions():
    refused(lambda: moglb.dominates([1.0], [1.0, 2.0]))
    refused(lambda: moglb.hypervolume([[1.0, 2.0]], [0.0]))
    refused(lambda: moglb.project([1.0], [[1.0, 0.0], [0.0, 1.0]], 1.0))
    refused(lambda: moglb.project([1.0, 2.0], [[1.0, 2.0], [2.0, 1.0]], 1.0))
    refused(lambda: moglb.project([1.0, 2.0], [[1.0, 0.0], [0.0, 1.0]], -1.0))
    refused(lambda: moglb.jaccard([-1], [0]))
    refused(lambda: moglb.jaccard([0.5], [0]))
    refused(lambda: moglb.Link("loggit"))
    refused(lambda: moglb.Link("logit").inverse([2.0]))
    refused(lambda: moglb.Link("logit").mean("x"))
    refused(lambda: moglb.Environment("nowhere", dim=3))
    refused(lambda: moglb.Environment("paper", dim=0))
    refused(lambda: moglb.Environment("paper", dim=3, arm=4))
    world = moglb.Environment("paper", dim=3)
    refused(lambda: world.pull(99))
    refused(lambda: world.arms(0))


@pytest.mark.parametrize(
    "config",
    [
        None,
        3,
        "trials = ",
        "horizon = 3\nenvironments = []\npolicies = []",
        {},
        {"environments": [{"id": "paper", "dim": 3}], "policies": [{"id": "nobody"}]},
        {"environments": [{"id": "paper", "dim": 3}], "policies": [{"id": "random"}], "trials": 0},
        {"environments": [{"id": "paper", "dim": 3}], "policies": [{"id": "random"}], "seed": -1},
        {"environments": [{"id": "paper", "dim": 3}], "policies": [{"id": "random"}], "horizon": float("nan")},
        {"environments": object(), "policies": [{"id": "random"}]},
    ],
    ids=str,
)
def test_experiments(config):
    refused(lambda: moglb.run(config, progress=False))


def test_experiments_elsewhere():
    good = {"horizon": 5, "trials": 1, "environments": [{"id": "paper", "dim": 3}], "policies": [{"id": "random"}]}
    refused(lambda: moglb.run(good, on="moon"))
    refused(lambda: moglb.run(good, threads=10**6))
    with pytest.raises(OSError):
        moglb.run("no-such-file.toml")
    refused(lambda: moglb.simulate(object(), {"id": "paper", "dim": 3}))
    world = moglb.Environment("paper", dim=3)
    refused(lambda: moglb.simulate(moglb.Random(**world.problem), world, horizon=0))
    refused(lambda: moglb.simulate(moglb.MoglbUcb(4, 5), world, horizon=5))


def test_numbers_that_are_none(policies, arms):
    world = moglb.Environment("paper", dim=3)
    for policy in policies:
        refused(lambda: policy.learn(arms[0], [1.0, 0.0], -1), policy)
        refused(lambda: policy.learn(arms[0], [1.0, 0.0], 1.5), policy)
        refused(lambda: policy.learn_many(arms[:, :2], np.full((12, 2), np.nan), range(12)), policy)
        refused(lambda: policy.decide_many(np.zeros((0, 4, 7))), policy)
    refused(lambda: world.pull(-1))
    refused(lambda: moglb.Environment("paper", dim=3, seed=-1))
    refused(lambda: moglb.simulate(moglb.Random(**world.problem), world, horizon=-1))
    refused(lambda: moglb.simulate(moglb.Random(**world.problem), world, horizon=1e3))
    refused(lambda: moglb.simulate(moglb.Random, world))
    refused(lambda: moglb.simulate(moglb.Random(**world.problem), "paper"))
    refused(lambda: moglb.run("horizon = 5", threads=-1))


def test_unusual_but_good_arrays(objectives, arms):
    """All kinds of arrays give the same decision.

    They are read-only, strided, reversed, transposed, sparse, of other dtypes and byte orders, lists and data
    frames.
    """
    scipy = pytest.importorskip("scipy.sparse")
    pandas = pytest.importorskip("pandas")
    arms = np.round(arms, 2)
    wide = np.zeros((24, 6))
    wide[::2, ::2] = arms
    frozen = arms.copy()
    frozen.flags.writeable = False
    unaligned = np.frombuffer(b"x" + arms.tobytes(), dtype=np.float64, offset=1).reshape(arms.shape)
    same = [
        frozen,
        wide[::2, ::2],
        arms[::-1][::-1],
        np.asfortranarray(arms),
        arms.astype(">f8"),
        arms.tolist(),
        tuple(map(tuple, arms)),
        pandas.DataFrame(arms),
        scipy.csr_matrix(arms),
        scipy.csc_array(arms),
        np.ma.masked_array(arms),
        unaligned,
        moglb.ArmSet(arms),
    ]
    expected = moglb.MoglbUcb(3, objectives, seed=5)
    played(expected, arms)
    for given in same:
        policy = moglb.MoglbUcb(3, objectives, seed=5)
        played(policy, arms)
        question, wanted = policy.ask(given), expected.decide(arms)
        assert question.arm == wanted.arm, type(given)
        np.testing.assert_array_equal(question.decision.estimates, wanted.estimates)
        np.testing.assert_array_equal(question.context, arms[question.arm])
        expected = moglb.MoglbUcb(3, objectives, seed=5)
        played(expected, arms)
    single = moglb.MoglbUcb(3, objectives)
    single.decide(arms.astype(np.float32))
    single.decide(np.eye(3, dtype=int))
    single.decide(np.eye(3, dtype=bool))


def test_tables_above_the_memory_limit_are_refused():
    before = moglb.memory_limit()
    assert before > 1_000_000
    moglb.set_memory_limit(1_000_000)
    try:
        with pytest.raises(moglb.errors.TooLargeError, match="memory limit"):
            moglb.MoglbUcb(1000, ["click"])
        moglb.MoglbUcb(100, ["click"])
        for wrong in [0, -1, 2**64, 1.5, "1", None]:
            with pytest.raises(moglb.errors.InputTypeError, match="number of bytes"):
                moglb.set_memory_limit(wrong)
        assert moglb.memory_limit() == 1_000_000
    finally:
        moglb.set_memory_limit(before)


def test_the_environment_gives_the_memory_limit():
    def imported(limit):
        code = "import moglb; print(moglb.memory_limit())"
        environment = {**os.environ, "MOGLB_MEMORY_LIMIT": limit}
        return subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
        )

    assert imported("12345678").stdout.strip() == "12345678"
    assert "MOGLB_MEMORY_LIMIT: must be a positive number of bytes, got `much`" in imported("much").stderr
