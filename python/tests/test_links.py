"""Links written in Python, in policies, experiments and snapshots."""

import math
import warnings

import numpy as np
import pytest

import moglb


def registered(name, *args, **params):
    with pytest.warns(moglb.PerformanceWarning):
        return moglb.register_link(name, *args, **params)


def test_a_link_in_python_learns_what_the_library_learns():
    registered("my-logit", lambda z: 1 / (1 + math.exp(-z)), lambda z: math.exp(-z) / (1 + math.exp(-z)) ** 2)
    world = moglb.Environment("paper", dim=4, links=["logit", "logit"])
    own = moglb.MoglbUcb(**world.problem)
    mine = moglb.MoglbUcb(4, [moglb.Objective(o.name, link="my-logit") for o in world.problem["objectives"]], n_arms=16)
    X = world.arms()
    for k in range(60):
        own.learn(X[k % 16], [float(k % 2), 1.0])
        mine.learn(X[k % 16], [float(k % 2), 1.0])
    np.testing.assert_allclose(mine.theta, own.theta, atol=1e-9)
    np.testing.assert_allclose(mine.predict(X), own.predict(X), atol=1e-9)


def test_experiments_and_snapshots_know_it_by_its_name():
    link = registered("steep", lambda z: 0.5 + 0.4 * math.tanh(z))
    config = {
        "horizon": 60,
        "trials": 2,
        "environments": [{"id": "paper", "dim": 3, "links": ["steep", "logit"]}],
        "policies": [{"id": "moglb-ucb"}, {"id": "random"}],
    }
    results = moglb.run(config, progress=False)
    assert np.isfinite(results.columns["pareto_regret"]).all()
    np.testing.assert_array_equal(
        results.columns["pareto_regret"], moglb.run(config, threads=1, progress=False).columns["pareto_regret"]
    )
    policy = moglb.MoglbUcb(2, [moglb.Objective("a", link=link)])
    policy.learn([0.5, 0.5], [1.0])
    assert moglb.from_json(policy.to_json()).to_bytes() == policy.to_bytes()
    np.testing.assert_allclose(link.inverse(link.mean([0.3])), [0.3], atol=1e-9)
    np.testing.assert_allclose(link.slope([0.0]), [0.4], rtol=1e-6)


def test_bad_links_are_refused():
    for name in ("", "logit"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with pytest.raises(moglb.errors.LinkNameError):
                moglb.register_link(name, lambda z: z)
    with pytest.raises(moglb.errors.InputTypeError):
        moglb.register_link("no-function", 3)
    registered("falling", lambda z: -z)
    with pytest.raises(moglb.errors.CurvatureError):
        moglb.MoglbUcb(2, [moglb.Objective("a", link="falling")])
    with pytest.raises(moglb.errors.ParametersError):
        moglb.MoglbUcb(2, [moglb.Objective("a", link="never registered")])


class Fragile:
    """A link that raises an exception in one of its calls."""

    def __init__(self):
        self.calls, self.broken = 0, None

    def __call__(self, z):
        self.calls += 1
        if self.calls == self.broken:
            raise ZeroDivisionError("mine")
        return 0.5 + 0.1 * z

    def break_at(self, call):
        self.calls, self.broken = 0, call


@pytest.mark.parametrize("call", [1, 2, 3])
def test_a_link_that_raises_says_so_itself_and_changes_nothing(call):
    link = Fragile()
    registered("fragile", link)
    policy = moglb.MoglbUcb(2, [moglb.Objective("a", link="fragile"), moglb.Objective("b", link="fragile")])
    policy.learn([0.5, 0.5], [1.0, 0.0])
    before = policy.to_bytes()
    X, Y = np.full((3, 2), 0.5), np.ones((3, 2))
    link.break_at(call)
    with pytest.raises(ZeroDivisionError, match="mine"):
        policy.learn_many(X, Y)
    assert policy.to_bytes() == before
    link.break_at(1)
    with pytest.raises(ZeroDivisionError, match="mine"):
        policy.predict(X)
    link.break_at(call)
    try:
        policy.learn([0.5, 0.4], [0.0, 1.0])
    except ZeroDivisionError:
        assert policy.to_bytes() == before
    else:
        assert call == 3, "a link is called once for each objective"
    assert np.isfinite(policy.theta).all()


STEPS = {moglb.MoglbEb: 6, moglb.EkfUcb: 10}
"""The number of calls of a link in one step: a mean, and one or two slopes by differences, in each of two
objectives."""


@pytest.mark.parametrize("kind, call", [(kind, call) for kind, n in STEPS.items() for call in range(1, n + 1)])
def test_a_link_that_raises_anywhere_in_a_step_with_fisher_weights_changes_nothing(kind, call):
    link = Fragile()
    registered("fragile", link)
    policy = kind(2, [moglb.Objective("a", link="fragile"), moglb.Objective("b", link="fragile")])
    policy.learn([0.5, 0.5], [1.0, 0.0])
    before = policy.to_bytes()
    link.break_at(call)
    with pytest.raises(ZeroDivisionError, match="mine"):
        policy.learn([0.5, 0.4], [0.0, 1.0])
    assert policy.to_bytes() == before
    link.break_at(None)
    policy.learn([0.5, 0.4], [0.0, 1.0])
    assert link.calls == STEPS[kind] and policy.t == 2


def test_a_link_cannot_use_the_policy_that_asks_it():
    asked = []

    def curious(z):
        for question in asked:
            question()
        return 0.5 + 0.1 * z

    registered("curious", curious)
    policy = moglb.MoglbUcb(2, [moglb.Objective("a", link="curious")])
    for question in (lambda: policy.t, lambda: policy.learn([0.1, 0.1], [1.0]), lambda: policy.decide([[0.1, 0.1]])):
        asked[:] = [question]
        with pytest.raises(moglb.Error, match="in the middle of learning"):
            policy.learn([0.5, 0.5], [1.0])
        asked.clear()
    assert policy.t == 0
    policy.learn([0.5, 0.5], [1.0])
    assert policy.t == 1
