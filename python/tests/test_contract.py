"""The names and shapes on which users rely."""

import copy
import re
import subprocess
import sys

import numpy as np
import pytest
from conftest import EVERY, every_policy, played

import moglb


def test_the_example_of_the_contract():
    policy = moglb.MoglbUcb(
        dim=10,
        objectives=[
            moglb.Objective("click", link="logit"),
            moglb.Objective("cost", link="identity", direction="minimize"),
        ],
        width=moglb.Tuned(0.01),
        seed=7,
    )
    X = np.random.default_rng(0).uniform(-0.3, 0.3, size=(40, 10))
    for _ in range(20):
        d = policy.decide(X)
        policy.learn(X[d.arm], [1.0, 0.3])
    assert policy.t == 20
    assert policy.theta.shape == (2, 10)
    assert policy.z.shape == (10, 10)
    assert d.estimates.shape == d.widths.shape == (40, 2)
    assert d.probabilities.shape == (40,) and d.probabilities.sum() == pytest.approx(1)
    assert set(np.flatnonzero(d.probabilities)) == set(d.front)
    assert d.arm in d.front and d.probability == d.probabilities[d.arm]
    sign, log_det = np.linalg.slogdet(policy.z)
    assert sign == 1 and policy.log_det == pytest.approx(log_det)
    assert policy.gamma == pytest.approx(0.01 * policy.log_det)
    assert d.front.dtype == np.int64 and isinstance(d.arm, int)


def test_arrays_of_a_decision_are_made_once_and_cannot_be_written(objectives, arms):
    d = moglb.MoglbUcb(3, objectives).decide(arms)
    for name in ("front", "probabilities", "estimates", "widths"):
        assert getattr(d, name) is getattr(d, name)
        with pytest.raises(ValueError):
            getattr(d, name)[0] = 0


PEAK = """
import resource, sys, numpy as np, moglb
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
X = np.empty((1_000_000, 16))
np.random.default_rng(0).random(out=X)
X *= 0.1
policy = moglb.MoglbUcb(16, 2)
policy.learn(X[0], [1.0, 0.0])
policy.front(X[:10_000])
before = peak()
policy.front(X if sys.argv[1] == "in place" else X[::-1])
print((peak() - before) / X.nbytes)
"""


def test_contexts_are_read_where_they_are():
    """Deciding on a large array needs no memory of its size, except for a reversed array, which is copied
    first."""

    def grown(how):
        return float(
            subprocess.run([sys.executable, "-c", PEAK, how], check=True, capture_output=True, text=True).stdout
        )

    assert grown("in place") < 0.6 and grown("turned") > 0.9


KEPT = """
import numpy as np, moglb, resource, sys

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)

X = np.full((4096, 2), 0.1)
policy = moglb.MoglbUcb(2, 5)
policy.learn(X[0], [1.0, 0.0, 1.0, 0.0, 1.0])
kept = []
for k in range(300):
    if k == 20:
        before = peak()
    policy.decide(X)
    kept.append(policy.decide(X[:5]).estimates)
print(peak() - before)
"""


def test_who_keeps_an_array_keeps_no_memory_of_others():
    """A decision on five arms, made after decisions on thousands, would keep 164 kB if it kept their
    memory."""
    run = subprocess.run([sys.executable, "-c", KEPT], check=True, capture_output=True, text=True)
    assert float(run.stdout) < 10e6


def test_estimates_and_widths_are_what_theta_and_z_say(objectives, arms):
    policy = moglb.MoglbUcb(3, objectives, width=moglb.Proved(0.1))
    played(policy, arms)
    d = policy.decide(arms)
    np.testing.assert_allclose(d.estimates, arms @ policy.theta.T, atol=1e-12)
    norms = np.sqrt(np.einsum("ki,ij,kj->k", arms, np.linalg.inv(policy.z), arms))
    np.testing.assert_allclose(d.widths, np.sqrt(policy.gamma) * norms[:, None] * [1, 1], rtol=1e-9)


def test_kappa_per_objective_has_a_gram_matrix_for_each(objectives, arms):
    policy = moglb.MoglbUcb(3, objectives, kappa="per-objective", width=moglb.Tightened(0.1))
    played(policy, arms)
    assert policy.z.shape == (2, 3, 3) and policy.log_det.shape == (2,) and policy.gamma.shape == (2,)


def test_ekf_ucb_has_a_gram_matrix_for_each_objective(objectives, arms):
    policy = moglb.EkfUcb(3, objectives, lambda_=2.0)
    policy.learn(arms[0], [1.0, 0.5])
    assert policy.theta.shape == (2, 3)
    assert policy.z.shape == (2, 3, 3)
    # The first step of an identity link is ridge regression: H = λI + xxᵀ, θ̂ = H⁻¹xy.
    h = 2.0 * np.eye(3) + np.outer(arms[0], arms[0])
    np.testing.assert_allclose(policy.z[1], h, rtol=1e-12)
    np.testing.assert_allclose(policy.theta[1], np.linalg.solve(h, arms[0] * 0.5), rtol=1e-12)
    np.testing.assert_allclose(policy.log_det[1], np.log(np.linalg.det(h) / 8.0), rtol=1e-12)
    np.testing.assert_allclose(policy.gamma, 0.01 * policy.log_det)


def test_bounds_hold_the_predictions_and_are_on_the_scale_of_rewards(objectives, arms):
    for policy in every_policy(objectives)[:6]:
        played(policy, arms, rounds=60)
        means = policy.predict(arms)
        lower, upper = policy.predict_bounds(arms)
        assert means.shape == (12, 2)
        assert (lower <= means).all() and (means <= upper).all(), policy
    for model in every_policy(objectives)[:3]:
        played(model, arms)
        clicks = model.predict(arms)[:, 0]
        np.testing.assert_allclose(clicks, 1 / (1 + np.exp(-model.decide(arms).estimates[:, 0])), rtol=1e-12)


def test_asking_for_a_front_or_a_prediction_draws_no_number(objectives, arms):
    for policy in every_policy(objectives):
        before = policy.rng_state
        policy.front(arms)
        policy.predict(arms)
        policy.predict_bounds(arms)
        assert policy.rng_state == before


def test_lean_decisions_are_the_same(objectives, arms):
    for kind in EVERY:
        rich, lean = (kind(3, objectives, n_arms=12, seed=4) for _ in range(2))
        for k in range(20):
            a, b = rich.decide(arms), lean.decide(arms, tables=False)
            assert a.arm == b.arm
            np.testing.assert_array_equal(a.front, b.front)
            np.testing.assert_array_equal(a.probabilities, b.probabilities)
            assert b.estimates.size == 0
            for policy in (rich, lean):
                policy.learn(arms[a.arm], [1.0, k / 20], a.arm)


def shown(d):
    return [
        d.arm,
        d.probability,
        *(getattr(d, name).tolist() for name in ("front", "probabilities", "estimates", "widths")),
    ]


def test_a_decision_shows_what_was_decided_whoever_had_its_memory_before(objectives, arms):
    """Decisions are kept, read and dropped at different times. Each is compared with the first decision of a
    copy."""
    free = [kind(3, objectives) for kind in (moglb.MoglbEb, moglb.MoglbUcb, moglb.EkfUcb)]
    for policy in free + every_policy(objectives):
        held = []
        for k in range(40):
            twin = copy.copy(policy)
            n_arms, tables = 5 if policy in free and k % 2 else 12, k % 3 > 0
            d = policy.decide(arms[:n_arms], tables=tables)
            expected = shown(twin.decide(arms[:n_arms], tables=tables))
            if k % 5 == 0:
                assert shown(d) == expected
            if k % 4 == 0:
                held.append((d, expected))
            policy.learn(arms[d.arm], [1.0, k / 40], d.arm)
        assert all(shown(d) == expected for d, expected in held)


def test_short_and_long_contexts_are_read_alike():
    """Short contexts are copied, long ones are borrowed, and other objects are converted to float64 first."""
    for dim in (1, 128, 129, 400):
        rng = np.random.default_rng(dim)
        X, y = rng.uniform(-1, 1, size=(8, dim)) / np.sqrt(dim), rng.uniform(size=(8, 2))
        array, listed, strided = (moglb.MoglbUcb(dim, 2, seed=1) for _ in range(3))
        for x, reward in zip(X, y):
            array.learn(x, reward)
            listed.learn(x.tolist(), reward.tolist())
            strided.learn(np.repeat(x, 2)[::2], np.repeat(reward, 2)[::2])
            assert array.decide(X).estimates.tolist() == listed.decide(X.tolist()).estimates.tolist()
        assert array.to_json() == listed.to_json() == strided.to_json()


def test_fixed_arms_decide_the_same_and_learn_by_position(objectives, arms):
    for kind in EVERY:
        free, fixed = (kind(3, objectives, n_arms=12, seed=4) for _ in range(2))
        fixed.fix_arms(arms)
        for k in range(30):
            a, b = free.decide(arms, tables=False), fixed.decide(tables=False)
            assert a.arm == b.arm
            np.testing.assert_array_equal(a.front, b.front)
            free.learn(arms[a.arm], [1.0, k / 30], a.arm)
            fixed.learn(b.arm, [1.0, k / 30])
        assert free.to_json() == fixed.to_json()


def test_many_decisions_are_those_of_one_by_one(objectives):
    sets = np.random.default_rng(1).uniform(-0.5, 0.5, size=(9, 12, 3))
    for kind in EVERY:
        one, many = (kind(3, objectives, n_arms=12, seed=4) for _ in range(2))
        played(one, sets[0])
        played(many, sets[0])
        single = [one.decide(X) for X in sets]
        batch = many.decide_many(sets)
        assert len(batch) == 9
        np.testing.assert_array_equal(batch.arms, [d.arm for d in single])
        np.testing.assert_array_equal(batch.probabilities, [d.probabilities for d in single])
        for k, d in enumerate(single):
            np.testing.assert_array_equal(np.flatnonzero(batch.fronts[k]), d.front)
        if kind is not moglb.Random:
            np.testing.assert_array_equal(batch.estimates, [d.estimates for d in single])
            np.testing.assert_array_equal(batch.widths, [d.widths for d in single])


def test_learning_many_is_learning_one_by_one_without_the_unknown(objectives, arms):
    Y = np.random.default_rng(2).uniform(size=(12, 2)).round()
    Y[3, 1] = Y[7] = np.nan
    for kind in EVERY:
        one, many = (kind(3, objectives, n_arms=12) for _ in range(2))
        learned = many.learn_many(arms, Y, arms=range(12))
        unknown = np.isnan(Y).all(axis=1) if many.learns_parts else np.isnan(Y).any(axis=1)
        np.testing.assert_array_equal(learned, ~unknown)
        for k in np.flatnonzero(learned):
            (one.learn_part if np.isnan(Y[k]).any() else one.learn)(arms[k], Y[k], int(k))
        assert one.to_json() == many.to_json() and many.t == learned.sum()


def test_a_refused_batch_changes_nothing(objectives, arms):
    for policy in every_policy(objectives):
        before = policy.to_bytes()
        Y = np.zeros((12, 2))
        Y[11, 0] = 2.0
        with pytest.raises(moglb.errors.RewardError):
            policy.learn_many(arms, Y, arms=range(12))
        X = arms.copy()
        X[11] = 9.0
        with pytest.raises(moglb.errors.NormError):
            policy.learn_many(X, np.zeros((12, 2)), arms=range(12))
        assert policy.to_bytes() == before


def test_policies_that_learn_by_arm_say_so(objectives, arms):
    policy = moglb.PUcb(3, objectives, n_arms=12)
    with pytest.raises(moglb.errors.InputTypeError, match="learns by arm"):
        policy.learn(arms[0], [1.0, 0.0])
    policy.learn(4, [1.0, 0.0])
    assert policy.t == 1
    with pytest.raises(moglb.errors.InputTypeError, match="fix_arms"):
        moglb.MoglbUcb(3, objectives).learn(4, [1.0, 0.0])


def test_every_code_of_the_engine_has_a_class():
    from conftest import ROOT

    for crate in ("moglb-math", "moglb-files", "moglb-sim", "moglb-data", "moglb-evaluate"):
        text = (ROOT / "crates" / crate / "src/error.rs").read_text(encoding="utf-8")
        codes = re.findall(r' => "([a-z-]+)"', text)
        assert len(codes) > 1
        for code in codes:
            assert issubclass(moglb.errors.BY_CODE[code], moglb.Error), code
            assert moglb.errors.BY_CODE[code].__doc__


def test_reprs_help(objectives, arms):
    policy = moglb.MoglbUcb(3, objectives, seed=2)
    assert repr(policy).startswith("MoglbUcb(dim=3, objectives=[Objective(name='click'") and repr(policy).endswith(
        "t=0)"
    )
    assert "click" in policy._repr_html_()
    assert repr(moglb.ArmSet(arms)) == "ArmSet(12 arms of 3 features)"
    assert repr(policy.decide(arms)).startswith("Decision(arm=")
    assert repr(moglb.Link("probit")) == "Link('probit')"


def test_arm_sets_may_be_shortened_divided_or_stored_in_half(arms):
    np.testing.assert_array_equal(moglb.ArmSet(arms).contexts, arms)
    with pytest.raises(moglb.errors.NormError):
        moglb.ArmSet(10 * arms)
    assert np.linalg.norm(moglb.ArmSet(10 * arms, norms="clip").contexts, axis=1).max() <= 1 + 1e-9
    np.testing.assert_allclose(moglb.ArmSet(10 * arms, norms=10.0).contexts, arms)
    with pytest.raises(moglb.errors.ScaleError):
        moglb.ArmSet(arms, norms=-1.0)
    policy, half = (moglb.MoglbUcb(3, 2, seed=1) for _ in range(2))
    policy.fix_arms(arms)
    half.fix_arms(moglb.ArmSet(arms, storage="f32"))
    for _ in range(20):
        a, b = policy.decide(tables=False), half.decide(tables=False)
        assert a.arm == b.arm and a.front.tolist() == b.front.tolist()
        policy.learn(a.arm, [1.0, 0.0])
        half.learn(a.arm, [1.0, 0.0])
