"""MOGLB-EB from Python: its posterior, and snapshots in the middle of a batch."""

import copy
import json
import pickle

import numpy as np
import pytest
from conftest import played

import moglb


@pytest.fixture
def policy(objectives, arms):
    """A policy after 56 rounds. Batches then have three rewards, and one reward is waiting."""
    policy = moglb.MoglbEb(3, objectives, seed=3)
    played(policy, arms, rounds=56)
    return policy


def waiting(policy):
    """The number of values in the batch that is not learned yet."""
    return len(json.loads(policy.to_json())["state"]["moglb-eb"]["pending"])


def test_the_recommended_policy_is_moglb_eb_with_its_defaults(objectives, arms):
    recommended = moglb.Policy.recommended(dim=3, objectives=objectives, seed=4)
    assert type(recommended) is moglb.MoglbEb
    assert recommended.get_params() == moglb.MoglbEb(3, objectives, seed=4).get_params()
    assert type(moglb.PUcb.recommended(3, objectives, n_arms=12)) is moglb.MoglbEb
    known = [p for p in moglb.policies()[0]["parameters"] if p["default"] != "none"]
    defaults = {p["name"]: float(p["default"]) for p in known}
    assert moglb.policies()[0]["id"] == recommended.id
    assert moglb.from_json(recommended.to_json()).get_params().items() >= defaults.items()


def test_it_shows_its_posterior(policy, arms):
    assert policy.theta.shape == (2, 3) and policy.shared_mean.shape == (3,)
    assert len(policy.scales) == 2 and all(scale > 0 for scale in policy.scales)
    np.testing.assert_allclose(policy.decide(arms).estimates, arms @ policy.theta.T, atol=1e-12)
    assert not hasattr(policy, "z") and not hasattr(policy, "gamma")
    for private in (policy._z, policy._log_det, policy._gamma, moglb.Random(3, 2)._theta, moglb.Random(3, 2)._scales):
        with pytest.raises(moglb.errors.InputTypeError, match="do not have that"):
            private()


def test_the_shared_mean_is_seen_with_minimized_objectives_mirrored(arms):
    up = moglb.MoglbEb(3, [moglb.Objective("gain", link="identity")])
    down = moglb.MoglbEb(3, [moglb.Objective("loss", link="identity", direction="minimize")])
    for k in range(12):
        up.learn(arms[k], [k / 12])
        down.learn(arms[k], [-k / 12])
    np.testing.assert_array_equal(up.shared_mean, down.shared_mean)
    np.testing.assert_array_equal(up.theta, -down.theta)
    assert up.scales == down.scales and np.abs(up.shared_mean).max() > 0


def test_chances_are_shares_of_the_samples(objectives, arms):
    policy = moglb.MoglbEb(3, objectives, samples=8)
    played(policy, arms)
    chances = policy.chances(arms)
    assert chances.shape == (12,) and (chances >= 0).all() and (chances <= 1).all()
    np.testing.assert_array_equal(chances * 8, np.round(chances * 8))
    assert chances.sum() >= 1, "no front is empty"
    policy.fix_arms(arms)
    np.testing.assert_array_equal(policy.chances(), chances)
    np.testing.assert_array_equal(policy.chances(moglb.ArmSet(arms)), chances)


@pytest.mark.parametrize("threshold", [0.0, 0.25, 0.5, 1.0])
def test_arms_are_played_by_the_fourth_power_of_their_chance_against_what_is_asked(objectives, arms, threshold):
    policy = moglb.MoglbEb(3, objectives, threshold=threshold)
    for rounds in (0, 1, 30, 300):
        played(policy, arms, rounds=rounds)
        chances = policy.chances(arms)
        asked = min(threshold * (1 + 3 * chances.mean()), max(0.7, threshold), chances.max())
        weights = np.minimum(1, (chances / asked) ** 4) if asked else np.ones(12)
        np.testing.assert_allclose(policy.decide(arms).probabilities, weights / weights.sum(), rtol=1e-13)


def test_the_front_has_the_largest_expected_jaccard_index_of_all_thresholds(policy, arms):
    chances = policy.chances(arms)

    def index(chosen):
        return chances[chosen].sum() / (chosen.sum() + chances[~chosen].sum())

    best = max(index(chances >= least) for least in chances[chances > 0])
    front = np.isin(np.arange(12), policy.decide(arms).front)
    assert index(front) == pytest.approx(best)


def test_a_twin_made_in_the_middle_of_a_batch_decides_the_same_for_ever(policy, arms):
    assert waiting(policy) > 0
    policy.fix_arms(arms)
    twins = [pickle.loads(pickle.dumps(policy)), copy.copy(policy), copy.deepcopy(policy)]
    for twin in (moglb.MoglbEb.from_json(policy.to_json()), moglb.MoglbEb.from_bytes(policy.to_bytes())):
        twin._set_rng_state(policy.rng_state)
        twins.append(twin)
    expected = played(policy, arms, rounds=100, seed=8)
    for twin in twins:
        assert played(twin, arms, rounds=100, seed=8) == expected
        assert twin.to_bytes() == policy.to_bytes()
        np.testing.assert_array_equal(twin.chances(arms), policy.chances(arms))


def test_rewards_that_wait_change_no_decision(policy, arms):
    before, theta, wait = policy.chances(arms), policy.theta, waiting(policy)
    policy.learn(arms[0], [1.0, 0.0])
    assert waiting(policy) == 2 * wait, "the batch is not full"
    np.testing.assert_array_equal(policy.chances(arms), before)
    np.testing.assert_array_equal(policy.theta, theta)
    policy.learn(arms[0], [1.0, 0.0])
    assert waiting(policy) == 0 and (policy.theta != theta).any()


def test_bad_parameters_are_refused(objectives, arms, policy):
    for threshold in (-0.1, 1.1):
        with pytest.raises(moglb.errors.ThresholdError):
            moglb.MoglbEb(3, objectives, threshold=threshold)
    for samples in (1, 10_001):
        with pytest.raises(moglb.errors.SamplesError):
            moglb.MoglbEb(3, objectives, samples=samples)
    for arms in ([[0.1, 0.2]], [[np.nan] * 3], [[9.0] * 3], [], "arms"):
        with pytest.raises(moglb.Error):
            policy.chances(arms)
    with pytest.raises(moglb.errors.NoArmsError):
        policy.chances()
