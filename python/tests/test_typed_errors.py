"""Errors with the package's own classes and codes, where Python or NumPy would raise other errors."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest

import moglb

OBJECTIVES = [moglb.Objective("a"), moglb.Objective("b")]


def code_of(call):
    with pytest.raises(moglb.Error) as caught:
        call()
    assert len(str(caught.value)) < 2500 and "\x1b" not in str(caught.value)
    return caught.value.code


def policy(**params):
    made = moglb.MoglbUcb(3, OBJECTIVES, **params)
    made.learn([0.1, 0.2, 0.3], [1.0, 0.0])
    return made


@pytest.mark.parametrize("shape", [(10**12, 3), (10**11, 10)], ids=str)
def test_a_view_of_more_numbers_than_there_is_memory_for_is_refused_before_a_copy(shape):
    rows = np.broadcast_to(0.1, shape)
    for call in (moglb.front, moglb.gaps, moglb.ArmSet, policy().decide, policy().fix_arms, policy().predict):
        assert code_of(lambda: call(rows)) == "too-large"
    assert code_of(lambda: policy().learn_many(rows, rows)) == "too-large"
    assert code_of(lambda: policy().learn(np.broadcast_to(0.1, 10**13), [1.0, 0.0])) == "too-large"
    assert code_of(lambda: moglb.jaccard(np.broadcast_to(1, 10**13), [0])) == "too-large"
    assert code_of(lambda: moglb.front(np.broadcast_to(np.float32(0.1), shape))) == "too-large"


def test_words_that_are_no_words_and_lists_that_are_no_lists():
    assert code_of(lambda: moglb.make(np.zeros(3), 2, 2)) == "input-type"
    assert code_of(lambda: moglb.make(["moglb-ucb"], 2, 2)) == "input-type"
    assert code_of(lambda: moglb.run({}, on=np.zeros(3), progress=False)) == "input-type"
    for call in (moglb.jaccard, moglb.precision, moglb.recall):
        assert code_of(lambda: call([[0], [1, 2]], [0])) == "ragged"
        assert code_of(lambda: call([0], [[0], [1, 2]])) == "ragged"
        assert code_of(lambda: call([[0, 1]], [0])) == "shape"
        assert code_of(lambda: call([float("inf")], [0])) == "input-type"
        assert code_of(lambda: call([2**70], [0])) == "input-type"
        assert call(np.array([True, False, True]), {0, 2}) == call((k for k in (0, 2)), [2.0, 0.0]) == 1.0


def test_a_pickle_whose_parameters_contradict_what_was_learned_is_refused():
    learned = policy(radius=2.0)
    unpickle, (kind, params, *rest), _ = learned.__reduce__()
    assert unpickle(kind, params, *rest).to_bytes() == learned.to_bytes()
    for changed in (
        {"dim": 4},
        {"radius": 1.0},
        {"objectives": ["a", "c"]},
        {"lambda_": 7.0},
        {"kappa": "per-objective"},
        {"n_arms": 5},
    ):
        assert code_of(lambda: unpickle(kind, {**params, **changed}, *rest)) == "snapshot-policy", changed
    assert code_of(lambda: unpickle(moglb.EkfUcb, params, *rest)) == "snapshot-policy"
    assert code_of(lambda: unpickle(kind, {}, *rest)) == "snapshot-policy"
    assert code_of(lambda: unpickle(kind, [], *rest)) == "input-type"
    assert code_of(lambda: unpickle(dict, params, *rest)) == "input-type"


def test_every_policy_survives_a_pickle_after_it_has_changed():
    for info in moglb.policies():
        made = moglb.make(info["id"], 3, OBJECTIVES, n_arms=4)
        for k in range(6):
            arm = made.decide(np.eye(4)[:, :3] * 0.5 + 0.1).arm
            made.learn((np.eye(4)[:, :3] * 0.5 + 0.1)[arm], [float(k % 2), 0.5], arm)
        for change in (lambda: made.add_objective("c"), lambda: made.drop_objective("a")):
            try:
                change()
            except moglb.Error:
                continue
            assert pickle.loads(pickle.dumps(made)).to_bytes() == made.to_bytes()
        assert copy.deepcopy(made).to_bytes() == made.to_bytes()
        made.set_params(seed=5)
        assert pickle.loads(pickle.dumps(made)).get_params()["seed"] == 5


def test_a_decision_of_arms_that_are_not_there_is_refused():
    table = np.zeros((2, 1))
    for arm, front in ((2, [0]), (0, [2])):
        make = moglb.Decision._of
        assert code_of(lambda: make(arm, False, front, [0.5, 0.5], table, table, 0.0)) == "unknown-arm"


LINKS = """
import warnings, moglb
warnings.simplefilter("ignore")
mean = lambda z: 0.5 + 0.1 * z
first = moglb.register_link("same", mean)
assert all(moglb.register_link("same", mean) == first for _ in range(10_000))
assert moglb.register_link("same", mean, None, (0.0, 2.0)) != first
try:
    for k in range(5000):
        moglb.register_link(f"link {k}", lambda z: mean(z))
except moglb.Error as error:
    print(error.code, k)
moglb.MoglbUcb(2, [moglb.Objective("a", link="link 7")]).learn([0.1, 0.2], [1.0])
"""


def test_links_are_registered_once_and_not_without_end():
    run = subprocess.run([sys.executable, "-c", LINKS], capture_output=True, text=True, check=False, timeout=60)
    assert run.stderr == "" and run.stdout == "too-many-links 4094\n"


def test_messages_repeat_little_of_their_input():
    long = "x\x1b[31m\n" * 100_000
    calls = [
        lambda: moglb.make(long, 2, 2),
        lambda: moglb.Link(long),
        lambda: moglb.MoglbUcb(2, [moglb.Objective("a", link=long)]),
        lambda: moglb.MoglbUcb(2, [{long: 1}]),
        lambda: moglb.MoglbUcb(2, ["a"]).set_params(**{long: 1}),
        lambda: moglb.MoglbUcb(2, ["a"], kappa=long),
        lambda: moglb.ArmSet([[0.1]], norms=long),
        lambda: moglb.ArmSet([[0.1]], storage=long),
        lambda: moglb.experiment(long),
        lambda: moglb.experiment(long.replace("\n", "")),
        lambda: moglb.experiment({long: 1}),
        lambda: moglb.evaluate({long: 1}, {"a": 0}),
        lambda: moglb.evaluate({"arms": [0], "rewards": [[1.0]], "propensities": [1.0]}, {"a": long}),
        lambda: moglb.evaluate({"arms": [0], "rewards": [[1.0]], "propensities": [1.0]}, {"a": {long: 1}}),
        lambda: moglb.run({}, on=long, progress=False),
        lambda: moglb.Environment(long),
        lambda: moglb.from_json(long),
        lambda: moglb.MoglbUcb(2, ["a"], seed=10**5000),
        lambda: moglb.MoglbUcb(2, ["a"]).decide([[0.1, 0.2]], prefer={"kind": long}),
    ]
    for call in calls:
        code_of(call)
