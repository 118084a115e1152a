"""Identification of the front from Python: the same answers as the command, and learning is all or
nothing."""

import json
import os
import subprocess

import numpy as np
import pytest

import moglb

CONFIG = {
    "name": "small",
    "trials": 4,
    "environments": [{"id": "spread", "dim": 4, "gap": {"each": [0.2, 0.25]}}],
    "identifiers": [{"id": "auer", "accuracy": 0.2}, {"id": "gege-budget", "budget": 500}],
}


def identifier(id="auer", **params):
    given = {"budget": 300} if id == "gege-budget" else {}
    return moglb.Identifier(id, np.eye(3), ["click", "stay"], **given, **params)


def test_the_command_finds_the_same(tmp_path):
    program = os.environ.get("MOGLB_PROGRAM")
    if not program:
        pytest.skip("MOGLB_PROGRAM does not say where the command is")
    pandas = pytest.importorskip("pandas")
    file = tmp_path / "small.toml"
    file.write_text(
        'name = "small"\ntrials = 4\nenvironments = [{ id = "spread", dim = 4, gap = { each = [0.2, 0.25] } }]\n'
        'identifiers = [{ id = "auer", accuracy = 0.2 }, { id = "gege-budget", budget = 500 }]\n'
    )
    subprocess.run([program, "identify", str(file), "--out", str(tmp_path / "out"), "--quiet"], check=True)
    found = moglb.identify(CONFIG, progress=False)
    assert json.loads((tmp_path / "out" / "summary.json").read_text()) == found.summary
    pandas.testing.assert_frame_equal(
        pandas.read_csv(tmp_path / "out" / "results.csv"), found.to_pandas(), check_dtype=False
    )
    assert moglb.identify(file, threads=1, progress=False).summary == found.summary


def test_a_trial_can_be_played_by_hand():
    table = moglb.identify(CONFIG, progress=False)
    for trial in range(4):
        world = moglb.Environment("spread", dim=4, gap=0.2, trial=trial)
        auer = moglb.Identifier("auer", world.arms(), world.problem["objectives"], accuracy=0.2)
        answer = auer.find(world.pull)
        assert auer.stopped and auer.next_arm is None
        assert auer.samples == table.columns["samples"][trial] and len(answer) == table.columns["answer_size"][trial]


@pytest.mark.parametrize("info", moglb.identifiers(), ids=lambda info: info["id"])
def test_a_refused_reward_changes_nothing(info):
    asked = identifier(info["id"])
    arm = asked.next_arm
    wrong = [[1.0], [1.0, float("nan")], [1.0, float("inf")], None, "x", [[1.0, 0.0]], [], [1.0, 5.0]]
    for reward in wrong:
        with pytest.raises(moglb.Error):
            asked.learn(arm, reward)
    for other in ((arm + 1) % 3, 99, -1, 1.5, None, "x"):
        with pytest.raises(moglb.Error):
            asked.learn(other, [1.0, 0.0])
    assert asked.samples == 0 and asked.next_arm == arm and asked.answer.tolist() == [0, 1, 2]
    asked.learn(arm, [1.0, 0.0])
    assert asked.samples == 1


def test_what_cannot_be_asked_is_refused():
    for wrong in (
        {"id": "nobody"},
        {"delta": 2.0},
        {"colour": 1},
        {"radius": float("nan")},
        {"arms": [[float("nan"), 0.0]]},
        {"arms": []},
        {"objectives": []},
        {"objectives": None},
    ):
        given = {"id": "auer", "arms": np.eye(3), "objectives": ["click", "stay"], **wrong}
        with pytest.raises(moglb.Error):
            moglb.Identifier(**given)
    for config in ({**CONFIG, "trials": 0}, {**CONFIG, "policies": []}, 3, None, {}, "no such file"):
        with pytest.raises(moglb.Error):
            moglb.identify(config, progress=False)
    with pytest.raises(moglb.errors.ParametersError):
        moglb.identify(moglb.experiment({"environments": [{"id": "paper", "dim": 3}], "policies": [{"id": "random"}]}))


def test_a_search_can_be_cut_off():
    auer = identifier(accuracy=0.0)
    assert auer.find(lambda arm: [0.5, 0.5], most_samples=100).tolist() == [0, 1, 2]
    assert auer.samples == 100 and not auer.stopped and "samples=100" in repr(auer)


def test_an_identifier_can_be_subclassed():
    class Mine(moglb.Identifier):
        def __init__(self, *args, **params):
            super().__init__(*args, **params)
            self.name = "mine"

    mine = Mine("auer", [[1.0, 0.0], [0.0, 1.0]], ["click"])
    assert mine.name == "mine" and mine.next_arm is not None
