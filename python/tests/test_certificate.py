"""Certified fronts, used from Python."""

import numpy as np
import pytest

import moglb

ARMS = np.array([[0.9, 0.0], [0.0, 0.9], [-0.5, -0.5]])
THETA = np.array([[0.95, 0.1], [0.1, 0.95]])


def played(certificate, rounds, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(rounds):
        arm = int(rng.integers(3))
        means = 1.0 / (1.0 + np.exp(-THETA @ ARMS[arm]))
        certificate.learn(arm, (rng.random(2) < means).astype(float))
    return certificate


def test_arms_are_decided_and_bounds_hold():
    policy = moglb.MoglbUcb(2, ["click", "sale"])
    certificate = played(moglb.Certificate(policy, ARMS), 30_000)
    certificate.look()
    assert certificate.status[:2] == ["in", "in"] and certificate.t == 30_000
    assert certificate.jaccard_bound >= 2 / 3
    means = 1.0 / (1.0 + np.exp(-ARMS @ THETA.T))
    assert (moglb.gaps(means) <= certificate.gap_bounds() + 1e-12).all()
    assert certificate.regret_bound() >= 10_000 * moglb.gaps(means)[2] * 0.9
    assert "2 arms in" in repr(certificate)


def test_it_is_read_back_and_takes_the_arms_of_the_policy():
    policy = moglb.MoglbUcb(2, ["click", "sale"])
    with pytest.raises(moglb.errors.ParametersError):
        moglb.Certificate(policy)
    policy.fix_arms(ARMS)
    certificate = played(moglb.Certificate(policy, delta=0.1, sources=["intervals"]), 50)
    assert moglb.Certificate.from_json(certificate.to_json()).to_json() == certificate.to_json()
    assert moglb.Certificate(policy, moglb.ArmSet(ARMS)).status == ["undecided"] * 3


@pytest.mark.parametrize(
    "wrong",
    [{"delta": 0.0}, {"delta": "x"}, {"sources": []}, {"sources": ["faith"]}, {"scale": -1.0}, {"scale": float("nan")}],
)
def test_wrong_parameters_are_refused(wrong):
    with pytest.raises(moglb.Error):
        moglb.Certificate(moglb.MoglbUcb(2, ["click", "sale"]), ARMS, **wrong)


def test_wrong_rewards_are_refused_and_change_nothing():
    certificate = moglb.Certificate(moglb.MoglbUcb(2, ["click", "sale"]), ARMS)
    for arm, reward in ((3, [0.0, 0.0]), (0, [0.0]), (0, [0.0, 2.0]), (0, [float("nan"), 0.0]), (-1, [0.0, 0.0])):
        with pytest.raises(moglb.Error):
            certificate.learn(arm, reward)
    with pytest.raises(moglb.Error):
        moglb.Certificate.from_json("{}")
    assert certificate.t == 0
