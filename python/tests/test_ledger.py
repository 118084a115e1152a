"""Rewards that come late, in parts, out of order, twice or never."""

import json

import numpy as np
import pytest

import moglb

NAN = float("nan")


def pair(kind=moglb.MoglbUcb, **kwargs):
    return tuple(kind(3, ["click", "sale"], seed=1, **kwargs) for _ in range(2))


def test_late_parts_are_learned_like_early_ones(arms):
    for kind in (moglb.MoglbUcb, moglb.EkfUcb, moglb.MoglbEb):
        policy, told = pair(kind)
        ledger = moglb.Ledger(policy)
        numbers = [ledger.open(x) for x in arms]
        assert numbers == list(range(12)) and len(ledger) == 12
        for number in reversed(numbers):
            assert ledger.deliver(number, {"sale": 1.0}) == "learned"
            assert ledger.deliver(number, [NAN, 1.0]) == "repeated"
            told.learn_part(arms[number], [NAN, 1.0])
        for number in numbers:
            assert ledger.deliver(number, [0.0, NAN]) == "learned"
            assert ledger.deliver(number, [0.0, NAN]) == "settled"
            told.learn_part(arms[number], [0.0, NAN])
        assert policy.to_json() == told.to_json() and len(ledger) == 0


def test_policies_of_whole_rewards_wait(arms):
    policy, told = pair(moglb.PUcb, n_arms=12)
    with pytest.raises(moglb.errors.WholeRewardsError):
        policy.learn_part(4, [1.0, NAN])
    ledger = moglb.Ledger(policy)
    number = ledger.open(4)
    assert ledger.deliver(number, {"click": 1.0}) == "waiting" and policy.t == 0
    assert ledger.deliver(number, {"sale": 0.0}) == "learned"
    told.learn(4, [1.0, 0.0])
    assert policy.to_json() == told.to_json()


def test_what_does_not_belong_changes_nothing(arms):
    policy, _ = pair()
    ledger = moglb.Ledger(policy)
    number = ledger.open(arms[0])
    ledger.deliver(number, {"click": 1.0})
    before = policy.to_json(), ledger.to_json()
    for reward, error in [
        ({"click": 0.0}, moglb.errors.RewardConflictError),
        ({"sale": 7.0}, moglb.errors.RewardError),
        ({"price": 1.0}, moglb.Error),
        ([1.0], moglb.errors.RewardLengthError),
        ("yes", moglb.Error),
        ({"sale": "yes"}, TypeError),
    ]:
        with pytest.raises(error):
            ledger.deliver(number, reward)
    with pytest.raises(moglb.errors.UnknownDecisionError):
        ledger.deliver(5, {"sale": 1.0})
    with pytest.raises(KeyError):
        ledger.close(5)
    with pytest.raises(moglb.errors.DimensionError):
        ledger.open([0.1, 0.2])
    assert (policy.to_json(), ledger.to_json()) == before


def test_a_ledger_goes_on_from_its_text(arms):
    policy, _ = pair()
    ledger = moglb.Ledger(policy)
    for x in arms[:3]:
        ledger.open(x)
    ledger.deliver(1, {"click": 1.0})
    assert ledger.close(0) == "waiting" and ledger.close_before(1) == 0
    again = moglb.Ledger(policy, ledger.to_json())
    assert len(again) == 2 and again.next_decision == 3 and again.to_json() == ledger.to_json()
    assert again.deliver(1, {"sale": 0.0}) == "learned" and again.policy is policy
    assert repr(again) == "Ledger(1 of 3 decisions wait)"
    state = json.loads(ledger.to_json())
    state["next"] = 1
    for text in (json.dumps(state), "{}", "nonsense"):
        with pytest.raises(moglb.errors.SnapshotDamagedError):
            moglb.Ledger(policy, text)


def test_matrices_are_shown_for_each_objective_once_they_differ(arms):
    policy, _ = pair()
    policy.learn(arms[0], [1.0, 0.0])
    assert policy.z.shape == (3, 3)
    policy.learn_part(arms[1], [1.0, NAN])
    assert policy.z.shape == (2, 3, 3) and not np.array_equal(policy.z[0], policy.z[1])
