"""Monitors of the assumptions: they change no decision, count events, and raise alarms."""

import json

import numpy as np
import pytest

import moglb

NAN = float("nan")


def policy(kind=moglb.MoglbUcb, **kwargs):
    return kind(3, ["click", "sale"], seed=1, **kwargs)


def test_a_watched_policy_does_the_same(arms):
    for kind in (moglb.MoglbUcb, moglb.EkfUcb, moglb.MoglbEb):
        plain, watched = policy(kind), policy(kind)
        monitor = moglb.Monitor(watched)
        assert monitor.policy is watched
        for t in range(30):
            one, two = plain.decide(arms), monitor.decide(arms)
            assert one.arm == two.arm and np.array_equal(one.estimates, two.estimates)
            reward = [float(t % 2), NAN if t % 3 == 0 else 1.0]
            plain.learn_part(arms[one.arm], reward)
            monitor.learn(arms[two.arm], reward)
        assert plain.to_json() == watched.to_json()
        health = monitor.health()
        assert health["contexts"]["seen"] == 30 * len(arms)
        assert health["objectives"][1]["rewards"]["count"] == 20
        assert health["exposure"]["rounds"] == 30


def test_fixed_arms_are_looked_at_once(arms):
    watched = policy()
    watched.fix_arms(arms)
    monitor = moglb.Monitor(watched)
    for _ in range(5):
        monitor.learn(monitor.decide(tables=False).arm, [1.0, 0.0])
    assert monitor.health()["contexts"]["seen"] == len(arms)
    monitor.decide(arms)
    monitor.decide()
    assert monitor.health()["contexts"]["seen"] == 2 * len(arms)


def test_policies_of_whole_rewards_are_watched_too():
    monitor = moglb.Monitor(policy(moglb.PUcb, n_arms=12))
    monitor.learn(4, [1.0, 0.0])
    with pytest.raises(moglb.errors.WholeRewardsError):
        monitor.learn(4, [1.0, NAN])
    assert monitor.health()["objectives"][0]["coverage"]["count"] <= 1


def test_what_is_refused_rings(arms):
    monitor = moglb.Monitor(policy())
    before = monitor.policy.to_json()
    assert repr(monitor) == "Monitor(no alarms)" and monitor.alarms() == []
    with pytest.raises(moglb.errors.RewardError):
        monitor.learn(arms[0], [0.0, 7.0])
    with pytest.raises(moglb.errors.NormError):
        monitor.decide([[3.0, 4.0, 0.0]])
    with pytest.raises(moglb.errors.DimensionError):
        monitor.decide([[0.1]])
    health = monitor.health()
    assert health["contexts"]["refused"] == 1
    assert [o["rewards"]["refused"] for o in health["objectives"]] == [0, 1]
    assert [alarm["code"] for alarm in monitor.alarms()] == ["contexts-too-long", "rewards-refused"]
    assert set(monitor.alarms()[0]) == {"code", "severity", "message", "page"}
    assert repr(monitor) == "Monitor(contexts-too-long, rewards-refused)"
    assert monitor.policy.to_json() == before


def test_overruled_decisions_ring(arms):
    monitor = moglb.Monitor(policy())
    for t in range(600):
        decision = monitor.policy.decide(arms, prefer={"kind": "uniform"})
        monitor.decided(decision, arm=0 if t % 2 else None)
    assert [alarm["code"] for alarm in monitor.alarms()] == ["exposure-skewed"]
    for arm in (99, -1):
        with pytest.raises(moglb.errors.UnknownArmError):
            monitor.decided(decision, arm=arm)


def test_a_monitor_is_written_and_read(arms):
    monitor = moglb.Monitor(policy(), level=0.01, tolerance=0.2, warm_up=5)
    for _ in range(10):
        monitor.learn(arms[monitor.decide(arms).arm], [1.0, 0.0])
    text = monitor.to_json()
    assert json.loads(text)["monitor"] == {"level": 0.01, "tolerance": 0.2, "warm_up": 5}
    again = moglb.Monitor(monitor.policy, text)
    assert again.to_json() == text and again.health() == monitor.health()
    other = moglb.MoglbUcb(3, ["click", "view"])
    for of, state in [(other, text), (monitor.policy, text[:-9]), (monitor.policy, "{}"), (monitor.policy, "")]:
        with pytest.raises(moglb.Error):
            moglb.Monitor(of, state)
    for wrong in [{"level": 0.0}, {"level": NAN}, {"tolerance": 1.0}, {"tolerance": NAN}]:
        with pytest.raises(moglb.errors.ParameterBoundsError):
            moglb.Monitor(monitor.policy, **wrong)


def test_a_link_that_asks_its_own_monitor_is_told_no(arms):
    asked, refused = [], []

    def mean(z):
        for monitor in asked:
            try:
                monitor.health()
            except moglb.Error as error:
                refused.append(error)
        return 0.5 + 0.4 * z

    with pytest.warns(moglb.PerformanceWarning):
        moglb.register_link("monitored-line", mean, lambda z: 0.4)
    monitor = moglb.Monitor(moglb.MoglbUcb(3, [moglb.Objective("y", "monitored-line")], seed=1))
    asked.append(monitor)
    monitor.learn(arms[0], [1.0])
    assert refused and monitor.policy.t == 1
