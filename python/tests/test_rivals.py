"""The classes made from the engine's descriptions: all of them, as the descriptions are now, and of use."""

import ast
import importlib.util
import pickle
from pathlib import Path

import pytest
from conftest import played

import moglb
from moglb._policies import WRITTEN
from moglb.rivals import RIVALS

ROOT = Path(__file__).resolve().parent.parent


def test_the_classes_are_as_the_descriptions_are():
    spec = importlib.util.spec_from_file_location("make_rivals", ROOT / "tools" / "make_rivals.py")
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    written = (ROOT / "moglb" / "rivals.py").read_text(encoding="utf-8")
    assert ast.dump(ast.parse(make.source())) == ast.dump(ast.parse(written)), "run `cargo xtask policies`"
    assert set(moglb.rivals.__all__) <= set(moglb.__all__), "run `cargo xtask policies`"


def test_every_policy_of_the_engine_has_a_class():
    assert {kind.id for kind in WRITTEN + RIVALS} == {info["id"] for info in moglb.policies()}


@pytest.mark.parametrize("kind", RIVALS, ids=lambda kind: kind.id)
def test_a_rival_decides_learns_and_comes_back(kind, objectives, arms):
    policy = kind(3, objectives, n_arms=12, seed=4)
    played(policy, arms)
    twin = pickle.loads(pickle.dumps(policy))
    assert type(twin) is kind and twin.to_json() == policy.to_json() and twin.get_params() == policy.get_params()
    assert played(twin, arms) == played(policy, arms)
    again = moglb.from_json(policy.to_json())
    assert type(again) is kind and again.to_json() == policy.to_json()


def test_what_a_single_objective_policy_pursues_is_a_parameter(objectives):
    assert moglb.Oful(3, objectives, target=1).get_params()["target"] == 1
    weighted = moglb.Oful(3, objectives, target=[0.7, 0.3])
    assert moglb.from_json(weighted.to_json()).get_params()["target"] == [0.7, 0.3]
    with pytest.raises(moglb.errors.UnknownObjectiveError):
        moglb.Oful(3, objectives, target=2)
    with pytest.raises(moglb.errors.WeightsError):
        moglb.Oful(3, objectives, target=[1.0])
    with pytest.raises(moglb.errors.ParameterBoundsError):
        moglb.Oful(3, objectives, delta=-1.0)
