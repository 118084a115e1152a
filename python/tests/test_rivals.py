"""The classes made from the engine's descriptions: they are complete, up to date and usable."""

import ast
import base64
import importlib.util
import inspect
import json
import pickle
import pydoc
import re
import typing
from pathlib import Path

import numpy as np
import pytest
from conftest import played

import moglb
from moglb._policies import WRITTEN
from moglb.rivals import RIVALS

ROOT = Path(__file__).resolve().parent.parent


def make_rivals():
    spec = importlib.util.spec_from_file_location("make_rivals", ROOT / "tools" / "make_rivals.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_stub_and_the_exports_are_as_the_descriptions_are():
    written = (ROOT / "moglb" / "rivals.pyi").read_text(encoding="utf-8")
    assert ast.dump(ast.parse(make_rivals().source())) == ast.dump(ast.parse(written)), "run `cargo xtask policies`"
    assert set(moglb.rivals.__all__) <= set(moglb.__all__), "run `cargo xtask policies`"


@pytest.mark.parametrize("kind", RIVALS, ids=lambda kind: kind.id)
def test_a_class_says_what_the_description_says(kind):
    info = next(info for info in moglb.policies() if info["id"] == kind.id)
    shown = re.sub(r"^ \|  ?", "", pydoc.plain(pydoc.render_doc(kind)), flags=re.MULTILINE)
    assert kind.__doc__ in shown
    text = " ".join(kind.__doc__.split())
    said = [
        info["name"] + ": " + info["setting"],
        info["source"],
        "Guarantee: " + info["guarantee"],
        info["departures"],
    ]
    said += [f"``: {one['meaning']}; {one['default']} unless given." for one in info["parameters"]]
    assert [part for part in said if " ".join(part.split()) not in text] == []
    assert max(map(len, kind.__doc__.splitlines())) <= 112
    own = [one["name"].replace("lambda", "lambda_") for one in info["parameters"]]
    names = ["dim", "objectives", *own, "radius", "n_arms", "seed"]
    for signature in (inspect.signature(kind), inspect.signature(kind(2, ["click"], n_arms=3).__init__)):
        assert list(signature.parameters) == names
    assert list(typing.get_type_hints(kind.__init__)) == [*names, "return"]
    assert (kind.__module__, kind.__qualname__) == ("moglb.rivals", kind.__name__)
    assert getattr(moglb, kind.__name__) is kind
    with pytest.raises(TypeError, match="unexpected keyword argument 'nonsense'"):
        kind(2, ["click"], nonsense=1)


def test_pickles_of_the_time_when_the_classes_were_written_out_load():
    for name, (params, data) in json.loads((ROOT / "tests" / "pickled_rivals.json").read_text()).items():
        click_and_cost = ["click", moglb.Objective("cost", "identity", direction="minimize", range=(0.0, 1.0))]
        policy = getattr(moglb, name)(2, click_and_cost, n_arms=3, seed=7, **params)
        X = [[0.6, 0.1], [0.2, 0.7], [0.1, 0.1]]
        for k in range(6):
            policy.learn(X[k % 3], [float(k % 2), 0.1 * k], k % 3)
        policy.decide(X)
        loaded = pickle.loads(base64.b64decode(data))
        assert type(loaded) is type(policy) and loaded.get_params() == policy.get_params()
        assert (loaded.t, loaded.rng_state) == (policy.t, policy.rng_state)
        np.testing.assert_allclose(loaded.predict(X), policy.predict(X))


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
