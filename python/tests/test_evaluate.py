"""Off-policy evaluation, used from Python."""

import json
import multiprocessing

import numpy as np
import pytest
from conftest import ROOT

import moglb

N = 500


@pytest.fixture
def log():
    rng = np.random.default_rng(4)
    arms = rng.integers(3, size=N)
    means = np.array([[0.2, 0.3], [0.5, 0.6], [0.8, 0.1]])
    return dict(
        contexts=rng.uniform(size=(N, 2)),
        arms=arms,
        probabilities=np.full((N, 3), 1 / 3),
        rewards=(rng.uniform(size=(N, 2)) < means[arms]).astype(float),
        objectives=[moglb.Objective(name, link="identity", range=(0.0, 1.0)) for name in ("a", "b")],
    )


def test_values_are_those_of_numpy(log):
    target = np.tile([0.5, 0.5, 0.0], (N, 1))
    found = moglb.evaluate(log, {"half": target, "uniform": "uniform"}, estimator="ips", interval="normal")
    w = target[np.arange(N), log["arms"]] * 3
    terms = w[:, None] * log["rewards"]
    np.testing.assert_allclose(found.value[0], terms.mean(0), rtol=1e-12)
    np.testing.assert_allclose(found.std_error[0], terms.std(0, ddof=1) / np.sqrt(N), rtol=1e-12)
    np.testing.assert_allclose(found.covariance[0], np.cov(terms.T) / N, rtol=1e-9)
    np.testing.assert_allclose(found.ess[0], w.sum() ** 2 / (w**2).sum(), rtol=1e-12)
    assert (found.joint_low < found.low).all() and (found.high < found.joint_high).all()
    assert found.radius_squared == pytest.approx(5.991465, abs=1e-6)


@pytest.mark.filterwarnings("ignore::moglb.EvaluationWarning")  # the direct method always warns
def test_every_estimator_and_interval_finds_the_means(log):
    for estimator in ("ips", "snips", "dm", "dr", "sndr", "switch-dr", "dr-os", "switch-dr:2", "dr-os:9"):
        found = moglb.evaluate(log, {"always 1": 1}, estimator=estimator, replications=200)
        assert np.abs(found.value[0] - [0.5, 0.6]).max() < 0.12, estimator
        assert (found.low < found.value).all() and (found.value < found.high).all()
    for interval in ("normal", "percentile", "bca", "bernstein"):
        found = moglb.evaluate(log, {"always 1": 1}, estimator="dr", interval=interval, replications=200)
        assert ((found.low[0] <= [0.5, 0.6]) & (found.high[0] >= [0.5, 0.6])).all(), interval


def test_a_front_says_what_is_sure(log):
    found = moglb.evaluate(log, {"0": 0, "1": 1, "2": 2, "best": {"greedy": [0.0, 1.0]}}, replications=200)
    assert found.verdicts[0] == "dominated" and found.verdicts[2] == "on-front"
    assert found.front_share[0] == 0.0 and found.front_share[2] == 1.0
    # In a few contexts the models of the folds prefer another arm.
    np.testing.assert_allclose(found.value[3], found.value[1], atol=0.02)


def test_policies_decide_on_the_contexts_of_arms(log):
    policy = moglb.MoglbUcb(2, ["a", "b"], seed=1)
    arms = np.array([[0.9, 0.0], [0.0, 0.9], [0.5, 0.5]])
    log = {**log, "arm_contexts": arms}
    found = moglb.evaluate(log, {"own": policy, "only": {"policy": policy, "include": [1]}, "1": 1}, replications=100)
    np.testing.assert_array_equal(found.value[1], found.value[2])
    front = policy.decide(arms).probabilities
    np.testing.assert_allclose(found.value[0], moglb.evaluate(log, {"p": np.tile(front, (N, 1))}).value[0], rtol=1e-12)
    many = {**log, "arm_contexts": np.tile(arms, (N, 1, 1))}
    np.testing.assert_array_equal(moglb.evaluate(many, {"own": policy}).value[0], found.value[0])


def test_a_folder_of_data_gives_the_reference_values():
    found = moglb.evaluate(ROOT / "data" / "ist-stroke", {"always 3": 3, "uniform": "uniform"}, replications=100)
    np.testing.assert_allclose(found.value[0, :2], [0.906146179, 0.377491694], rtol=1e-8)
    np.testing.assert_allclose(found.ess[1], 17356.32, rtol=1e-7)
    assert found.to_dict()["format"] == "moglb.evaluation/1"


def test_the_bits_do_not_depend_on_threads_and_a_forked_process_evaluates_too(log):
    def found(threads):
        return moglb.evaluate(log, {"1": 1, "2": 2}, estimator="dr", replications=100, threads=threads).to_dict()

    assert found(1) == found(3) == found(0)
    if "fork" in multiprocessing.get_all_start_methods():
        child = multiprocessing.get_context("fork").Process(target=found, args=(2,))
        child.start()
        child.join(60)
        assert child.exitcode == 0


def test_it_is_shown_and_tabulated(log):
    found = moglb.evaluate(log, {"always 1": 1, "uniform": "uniform"}, replications=100)
    assert repr(found).startswith("Evaluation(2 policies on 500 rounds by snips, 95 % bca intervals)\n  always 1  a 0.")
    assert len(found) == 2 and found.policies == ["always 1", "uniform"]
    frame = found.to_pandas()
    assert list(frame["objective"]) == ["a", "b", "a", "b"] and (frame["low"] < frame["high"]).all()
    assert json.dumps(found.to_dict()) and found.doubts == {}


def test_propensities_are_estimated_or_the_log_is_refused(log):
    del log["probabilities"]
    with pytest.raises(moglb.errors.NoPropensitiesError):
        moglb.evaluate(log, {"1": 1})
    found = moglb.evaluate(log, {"1": 1}, estimate_propensities=True, replications=100)
    assert np.abs(found.value[0] - [0.5, 0.6]).max() < 0.12


@pytest.mark.parametrize(
    "change, policies, options",
    [
        ({"rewards": np.full((N, 2), np.nan)}, {"1": 1}, {}),
        ({"rewards": np.ones((N - 1, 2))}, {"1": 1}, {}),
        ({"arms": [2**62] * N}, {"1": 1}, {}),
        ({"n_arms": 2**40, "probabilities": None, "propensities": np.ones(N)}, {"1": 1}, {}),
        ({"propensities": np.zeros(N)}, {"1": 1}, {}),
        ({"probabilities": np.ones((N, 3))}, {"1": 1}, {}),
        ({"surprise": 1}, {"1": 1}, {}),
        ({}, {"1": 3}, {}),
        ({}, {"1": -1}, {}),
        ({}, {"1": np.full((N, 3), np.nan)}, {}),
        ({}, {"1": "best"}, {}),
        ({}, {"1": {"policy": "{}"}}, {}),
        ({}, {"1": {"greedy": [1.0]}}, {}),
        ({}, {}, {}),
        ({}, {"1": 1}, {"estimator": "magic"}),
        ({}, {"1": 1}, {"interval": "magic"}),
        ({}, {"1": 1}, {"level": 1.0}),
        ({}, {"1": 1}, {"level": float("nan")}),
        ({}, {"1": 1}, {"interval": "bernstein"}),
        ({}, {"1": 1}, {"replications": 0}),
        ({}, {"1": 1}, {"estimator": "dr", "layout": "shared"}),
    ],
)
def test_what_cannot_be_evaluated_is_refused(log, change, policies, options):
    with pytest.raises(moglb.Error) as caught:
        moglb.evaluate({**log, **change}, policies, **options)
    assert str(caught.value)


def test_a_log_of_a_policy_that_learned_is_warned_of(log):
    played = np.linspace(0.4, 0.9, N)
    learning = {**log, "probabilities": None, "propensities": played, "n_arms": 3}
    with pytest.warns(moglb.EvaluationWarning, match="the log: logged by a policy that learns .propensities drift"):
        found = moglb.evaluate(learning, {"logged": "logged"}, estimator="ips", replications=100)
    assert found.logged_by == "learning" and found.to_dict()["doubts"] == found.log_doubts != []
    # The filters of this project turn a warning into an error, so this also tests that there is none.
    found = moglb.evaluate(learning, {"logged": "logged"}, estimator="ips", replications=100, logged_by="fixed")
    assert (found.logged_by, found.log_doubts) == ("fixed", [])
    assert moglb.evaluate(log, {"1": 1}, replications=100).logged_by is None
    with pytest.warns(moglb.EvaluationWarning, match="as stated"):
        moglb.evaluate(log, {"1": 1}, replications=100, logged_by="learning")
    with pytest.raises(moglb.errors.ParametersError):
        moglb.evaluate(log, {"1": 1}, logged_by="me")


def test_few_effective_rounds_are_warned_of():
    few = dict(arms=[0, 1] * 20, propensities=[0.5] * 40, rewards=[[1.0], [0.0]] * 20)
    with pytest.warns(moglb.EvaluationWarning, match="always 1: the log is worth 20.0 rounds of it"):
        moglb.evaluate(few, {"always 1": 1}, replications=100)


@pytest.mark.filterwarnings("ignore::moglb.EvaluationWarning")
@pytest.mark.parametrize("reward", [0.0, 1.0, 1e99, -1e99, 1e155, 1e308, -1e308, np.inf])
@pytest.mark.parametrize("propensity", [0.0, 1e-308, 1e-39, 0.5, 1.5, np.nan])
def test_magnitudes_give_finite_numbers_or_a_typed_error(reward, propensity):
    log = dict(arms=[0, 1] * 10, propensities=[propensity, 0.5] * 10, rewards=[[reward], [0.5]] * 10)
    for estimator in ("ips", "snips", "dr", "dr-os:1.7e308"):
        try:
            found = moglb.evaluate(log, {"0": 0, "u": "uniform"}, estimator=estimator, replications=100, folds=2)
        except moglb.Error as error:
            assert error.code in ("not-finite", "reward", "propensity", "no-fit")
        else:
            for table in (found.value, found.std_error, found.low, found.high, found.joint_low, found.covariance):
                assert np.isfinite(table).all()


def test_a_log_that_is_no_log_is_refused():
    for log in (3, "/nowhere/log.jsonl", {"arms": [0]}):
        with pytest.raises(moglb.Error):
            moglb.evaluate(log, {"uniform": "uniform"})
