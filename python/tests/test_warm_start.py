"""Priors, beliefs, and changes of a policy that has already learned."""

import copy
import pickle

import numpy as np
import pytest

import moglb
from moglb.errors import (
    ArmsFixedError,
    InputTypeError,
    ObjectiveNameError,
    ObjectiveNotFoundError,
    ObjectivesFixedError,
    ParametersError,
    PriorError,
)

MODELS = (moglb.MoglbUcb, moglb.EkfUcb, moglb.MoglbEb)
OBJECTIVES = ["click", "sale"]
NAN = float("nan")


def teach(policy, arms, n, m=2):
    for k in range(n):
        policy.learn(arms[k % len(arms)], [float(k % 3 == 0), float(k % 2), 0.3][:m])
    return policy


@pytest.mark.parametrize("kind", MODELS)
def test_a_policy_begins_with_what_is_believed(kind):
    prior = [moglb.Prior([0.5, -0.2, 0.1], deviation=0.01), None]
    policy = kind(3, OBJECTIVES, prior=prior)
    assert np.allclose(policy.theta[0], [0.5, -0.2, 0.1], atol=0.01)
    # In MOGLB-EB objectives learn from each other, and from each other's priors.
    assert kind is moglb.MoglbEb or not policy.theta[1].any()
    written = [{"theta": np.array([0.5, -0.2, 0.1]), "deviation": 0.01}, {}]
    assert kind(3, OBJECTIVES, prior=written).to_json() == policy.to_json()


@pytest.mark.parametrize("kind", MODELS)
def test_policies_with_priors_travel(kind, arms):
    prior = [moglb.Prior([0.1] * 3, covariance=np.diag([0.1, 0.2, 0.3])), moglb.Prior([0.0] * 3, within=0.5)]
    policy = teach(kind(3, OBJECTIVES, prior=prior, seed=3), arms, 30)
    for twin in (
        pickle.loads(pickle.dumps(policy)),
        copy.deepcopy(policy),
        kind.from_json(policy.to_json()),
        moglb.from_json(policy.to_json()),
    ):
        assert twin.to_bytes() == policy.to_bytes()
        assert twin.clone().t == 0


@pytest.mark.parametrize("teacher", MODELS)
@pytest.mark.parametrize("pupil", MODELS)
def test_beliefs_begin_another_policy(teacher, pupil, arms):
    rng, theta = np.random.default_rng(2), np.array([[0.6, -0.3, 0.2], [-0.2, 0.7, 0.1]])
    contexts = rng.normal(size=(2000, 3))
    contexts /= np.linalg.norm(contexts, axis=1, keepdims=True)
    rewards = rng.random((2000, 2)) < 1.0 / (1.0 + np.exp(-contexts @ theta.T))
    first = teacher(3, OBJECTIVES)
    first.learn_many(contexts, rewards.astype(float))
    beliefs = first.beliefs()
    second = pupil(3, OBJECTIVES, prior=beliefs)
    assert np.allclose(first.theta, second.theta, atol=0.05)
    wide = [moglb.Prior(one.theta, information=np.asarray(one.information) / 100.0) for one in beliefs]
    trusting, doubting = teach(second, arms, 30), teach(pupil(3, OBJECTIVES, prior=wide), arms, 30)
    assert not np.allclose(trusting.theta, doubting.theta, atol=1e-3)
    assert moglb.PUcb(3, OBJECTIVES, n_arms=4).beliefs() == []


@pytest.mark.parametrize(
    ("prior", "error"),
    [
        ([None], PriorError),
        ([{"theta": [0.1, 0.1], "deviation": 0.1}, None], PriorError),
        ([moglb.Prior([NAN] * 3, deviation=0.1), None], PriorError),
        ([moglb.Prior([0.1] * 3, deviation=0.0), None], PriorError),
        ([moglb.Prior([0.1] * 3, within=2.0), None], PriorError),
        ([moglb.Prior([0.1] * 3, covariance=np.zeros((3, 3))), None], PriorError),
        ([moglb.Prior([0.1] * 3), None], ParametersError),
        ([{"theta": [0.1] * 3, "sigma": 0.1}, None], ParametersError),
        ([{"theta": ["a"] * 3, "within": 0.1}, None], InputTypeError),
        ([moglb.Prior([0.1] * 3, information=-np.eye(3)), None], PriorError),
        ([3.0, None], InputTypeError),
        ("ab", InputTypeError),
        (moglb.Prior([0.1] * 3, within=0.5), InputTypeError),
    ],
)
def test_impossible_priors_are_refused(prior, error):
    for kind in MODELS:
        with pytest.raises(error):
            kind(3, OBJECTIVES, prior=prior)


def test_objectives_come_and_go(arms):
    for kind, own in ((moglb.MoglbUcb, {"kappa": "per-objective"}), (moglb.EkfUcb, {}), (moglb.MoglbEb, {})):
        policy = teach(kind(3, OBJECTIVES, seed=5, **own), arms, 40)
        before = policy.theta.copy()
        policy.fix_arms(arms)
        policy.add_objective(moglb.Objective("cost", "identity", "minimize", (0.0, 1.0)))
        if kind is not moglb.MoglbEb:
            assert np.array_equal(policy.theta[:2], before)
        assert [one.name for one in policy.objectives] == ["click", "sale", "cost"]
        assert policy.get_params()["objectives"] == list(policy.objectives)
        assert policy.decide().estimates.shape == (len(arms), 3)
        teach(policy, arms, 20, m=3)
        assert moglb.from_json(policy.to_json()).to_bytes() == policy.to_bytes()
        assert pickle.loads(pickle.dumps(policy)).to_bytes() == policy.to_bytes()
        policy.drop_objective("click")
        policy.drop_objective(0)
        assert [one.name for one in policy.objectives] == ["cost"]
        assert policy.t == 60
        with pytest.raises(moglb.Error):
            policy.drop_objective("cost")
        with pytest.raises(ObjectiveNotFoundError):
            policy.drop_objective("click")
        with pytest.raises(ObjectiveNameError):
            policy.add_objective("cost")
        policy.add_objective("late", prior=moglb.Prior([0.3, 0.0, 0.0], deviation=0.01))
        assert np.allclose(policy.theta[1], [0.3, 0.0, 0.0], atol=0.02)
    with pytest.raises(ObjectivesFixedError):
        moglb.PUcb(3, OBJECTIVES, n_arms=4).add_objective("more")


def test_an_objective_in_shadow_has_no_say(arms):
    policy = teach(moglb.EkfUcb(3, ["click", "sale", "cost"], seed=1), arms, 100, m=3)
    alone = teach(moglb.EkfUcb(3, OBJECTIVES, seed=1), arms, 100)
    shadow, decision = policy.decide(arms, objectives=["click", "sale"]), alone.decide(arms)
    assert np.array_equal(shadow.front, decision.front)
    assert np.array_equal(shadow.probabilities, decision.probabilities)
    assert shadow.estimates.shape == (len(arms), 3)
    assert np.array_equal(policy.decide(arms, objectives=[0, 1]).front, shadow.front)
    positions, inclusion = policy.decide_list(arms, 3, objectives=["click"])
    assert len(set(positions.tolist())) == 3 and inclusion.sum() == pytest.approx(3.0)
    for wrong in ([], ["nothing"], [7], "click"):
        with pytest.raises(moglb.Error):
            policy.decide(arms, objectives=wrong)


def test_a_paused_objective_learns_nothing(arms):
    policy = teach(moglb.MoglbUcb(3, OBJECTIVES), arms, 30)
    before = policy.theta.copy()
    for x in arms:
        policy.learn_part(x, [1.0, NAN])
    assert np.array_equal(policy.theta[1], before[1]) and not np.array_equal(policy.theta[0], before[0])


def test_arms_come_and_go():
    policy = moglb.PUcb(2, OBJECTIVES, n_arms=3)
    for arm in (0, 1, 2, 2):
        policy.learn(arm, [float(arm == 2), 0.5])
    policy.change_arms([2, None, 0])
    assert policy.predict(np.zeros((3, 2))).tolist() == [[1.0, 0.5], [0.0, 0.0], [0.0, 0.5]]
    assert policy.get_params()["n_arms"] == 3 and policy.t == 3
    assert pickle.loads(pickle.dumps(policy)).to_bytes() == policy.to_bytes()
    for wrong in ([5], [0, 0], []):
        with pytest.raises(moglb.Error):
            policy.change_arms(wrong)
    with pytest.raises(ArmsFixedError):
        moglb.Exp3(2, OBJECTIVES, n_arms=3).change_arms([0, 1])


def test_priors_stay_as_they_were_given():
    theta = np.array([0.5, 0.1, 0.0])
    policy = moglb.EkfUcb(3, ["a"], prior=[moglb.Prior(theta, deviation=np.float32(0.1))])
    theta[:] = 0.0
    again = moglb.EkfUcb(3, ["a"], prior=iter([moglb.Prior([0.5, 0.1, 0.0], deviation=0.1)]))
    assert policy.clone().theta[0, 0] == 0.5 and again.clone().theta[0, 0] == 0.5
    policy.add_objective("b", prior=moglb.Prior([np.float32(0.25)] * 3, covariance=[np.eye(3)[k] for k in range(3)]))
    assert policy.theta[1].tolist() == [0.25] * 3


def test_objectives_can_be_replaced_whatever_was_learned_of_them():
    policy = moglb.MoglbEb(2, ["click"])
    policy.learn([0.6, 0.1], [1.0])
    policy.add_objective("sale")
    policy.drop_objective("click")
    kinds = [moglb.Objective(name, link) for name, link in (("a", "logit"), ("b", "identity"), ("c", "logit"))]
    mixed = moglb.MoglbUcb(2, kinds, kappa="per-objective")
    for _ in range(20):
        mixed.learn([0.6, 0.1], [1.0, 0.2, 0.0])
    mixed.drop_objective("a")
    hit = moglb.EkfUcb(1, ["a", "b"], radius=0.01)
    for _ in range(50):
        hit.learn([1.0], [1.0, 1.0])
    hit.drop_objective("b")
    for one in (policy, mixed, hit):
        assert moglb.from_json(one.to_json()).to_bytes() == one.to_bytes()


def test_nothing_learned_is_nothing_believed():
    for kind in MODELS:
        assert kind(2, ["a", "b"]).beliefs() == [moglb.Prior(), moglb.Prior()]
