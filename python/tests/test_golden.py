"""The golden traces of the Rust tests, replayed through Python: same seed, same arms, same bits."""

import json

import pytest
from conftest import ROOT

import moglb

TRACES = sorted((ROOT / "crates/moglb/tests/golden").glob("*.json"))


def policy_of(trace):
    problem, config = trace["problem"], dict(trace["policy"])
    objectives = [{**one, "range": tuple(one["range"]) if one.get("range") else None} for one in problem["objectives"]]
    params = dict(radius=problem["radius"], n_arms=problem.get("n_arms"), seed=trace["seed"])
    id = config.pop("id")
    if id == "moglb-ucb":
        kind = config.get("width", "tuned")
        width = (
            moglb.Tuned(config["c"])
            if kind == "tuned"
            else {"proved": moglb.Proved, "tightened": moglb.Tightened}[kind](config["delta"])
        )
        params.update(width=width, lambda_=config.get("lambda"), kappa=config.get("kappa", "shared"))
    elif id == "ekf-ucb":
        params.update(lambda_=config["lambda"], c=config["c"], objective=config.get("objective"))
    else:
        params.update({name: value for name, value in config.items() if value is not None})
    return moglb.make(id, problem["dim"], objectives, **params)


def test_there_are_traces():
    assert len(TRACES) >= 11


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_a_trace_is_replayed_bit_for_bit(path):
    trace = json.loads(path.read_text())
    policy = policy_of(trace)
    arms = None
    for t, expected in enumerate(trace["rounds"]):
        arms = expected.get("arms") or arms
        decision = policy.decide(arms)
        assert decision.arm == expected["arm"], t
        assert decision.front.tolist() == expected["front"], t
        if expected["estimates"]:
            assert decision.estimates[decision.arm].tolist() == expected["estimates"], t
        policy.learn(arms[decision.arm], expected["reward"], decision.arm)
    assert json.loads(policy.to_json()) == trace["end"]
    assert moglb.from_json(policy.to_json()).to_bytes() == policy.to_bytes()
