"""Replay of logs to policies."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import moglb


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log of two arms that were drawn evenly. The second arm is better in both objectives."""
    rng = np.random.default_rng(1)
    lines = ["round_id,arm_id,propensity,x_u,y_a,y_b"]
    for k in range(600):
        arm = int(rng.integers(2))
        a, b = (rng.uniform(size=2) < (0.2 + 0.6 * arm)).astype(int)
        lines.append(f"{k},{('one', 'two')[arm]},0.5,{rng.uniform():.3f},{a},{b}")
    (tmp_path / "log.csv").write_text("\n".join(lines) + "\n")
    objectives = [{"column": "y_a", "link": "logit"}, {"column": "y_b", "link": "logit"}]
    problem = {"id": "p", "kind": "logged", "logged": "log.csv", "arm_ids": ["one", "two"], "objectives": objectives}
    (tmp_path / "meta.json").write_text(json.dumps({"format": "mob-data/1", "name": "made", "problems": [problem]}))
    return tmp_path


def test_policies_learn_and_stand_beside_arms_and_log(log: Path) -> None:
    found = moglb.replay(log, ["random", {"id": "moglb-ucb", "c": 0.1}], trials=4, threads=1)
    assert found.policies == ["random", "moglb-ucb,c=0.1", "always one", "always two", "logged"]
    assert (found.arms, found.objectives, len(found)) == (["one", "two"], ["y_a", "y_b"], 5)
    assert (found.low <= found.value).all() and (found.value <= found.high).all()
    assert (found.value[1] > found.value[0]).all() and found.shares[1, 1] > 0.8
    assert found.accepted[-1] == 600 and (found.spread[2:] == 0).all()
    assert found.to_dict()["format"] == "moglb.replay/1"
    again = moglb.replay(log, ["random", {"id": "moglb-ucb", "c": 0.1}], trials=4, threads=2)
    assert again.to_dict() == found.to_dict()
    assert "600 rounds by rejection, 4 orders" in repr(found)


def test_one_objective_and_weights_by_propensity(log: Path) -> None:
    found = moglb.replay(log, ["random"], method="weighting", objectives=["y_b"], features="block", trials=2)
    assert found.value.shape == (4, 1)
    pytest.importorskip("pandas")
    assert list(found.to_pandas().columns) == ["policy", "objective", "value", "low", "high", "spread", "accepted"]


def test_what_cannot_be_replayed_is_refused(log: Path) -> None:
    with pytest.raises(moglb.errors.InputTypeError):
        moglb.replay(3, ["random"])  # type: ignore[arg-type]
    for wrong in (dict(method="magic"), dict(features="none"), dict(objectives=["y_none"]), dict(trials=0)):
        with pytest.raises(moglb.Error):
            moglb.replay(log, ["random"], **wrong)  # type: ignore[arg-type]
    with pytest.raises(moglb.Error, match="none"):
        moglb.replay(log, ["none"])
    table = (log / "log.csv").read_text().replace("propensity", "chance")
    (log / "log.csv").write_text(table)
    with pytest.raises(moglb.Error, match="propensity"):
        moglb.replay(log, ["random"])


def test_a_single_policy_or_objective_is_still_a_list():
    for arguments in (("random",), (["random"], "y_alive14"), ([moglb.Random(2, ["a"])],)):
        objectives = arguments[1] if len(arguments) > 1 else None
        with pytest.raises(moglb.errors.InputTypeError):
            moglb.replay("data/ist-stroke", arguments[0], objectives=objectives)
