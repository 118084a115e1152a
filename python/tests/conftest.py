"""Fixtures that several tests use."""

from pathlib import Path

import numpy as np
import pytest

import moglb

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def objectives():
    return [
        moglb.Objective("click", link="logit"),
        moglb.Objective("cost", link="identity", direction="minimize", range=(0.0, 1.0)),
    ]


@pytest.fixture
def arms():
    return np.random.default_rng(5).uniform(-0.5, 0.5, size=(12, 3))


def played(policy, arms, rounds=30, seed=3):
    """Plays some rounds with random rewards, and returns the arms that the policy drew."""
    rng, drawn = np.random.default_rng(seed), []
    for _ in range(rounds):
        arm = policy.decide(arms).arm
        policy.learn(arms[arm], [float(rng.integers(2)), rng.uniform()], arm)
        drawn.append(arm)
    return drawn


EVERY = [
    moglb.MoglbEb,
    moglb.MoglbUcb,
    moglb.EkfUcb,
    moglb.PUcb,
    moglb.SUcb,
    moglb.PTs,
    moglb.Random,
]


def every_policy(objectives, **params):
    return [kind(3, objectives, n_arms=12, **params) for kind in EVERY]
