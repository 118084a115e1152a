"""Passes hostile values to every parameter, in a separate process. The last line that it writes names the
case that ended it.

Usage: ``python hostile_values.py FIRST``, where FIRST is the number of the first case. Writes one line of
JSON before each case and one after it.
"""

import faulthandler
import itertools
import json
import signal
import sys
import warnings
from collections.abc import Mapping

import numpy as np

import moglb
from moglb import features

SECONDS = 20


class Own(Exception):
    """The exception that hostile values raise."""


def raises(*_, **__):
    raise Own("mine")


def itself(self, *_, **__):
    return self


def endless(*_):
    return itertools.repeat(0.5)


def made(**methods):
    return type("Hostile", (), {f"__{name}__": method for name, method in methods.items()})()


class Endless(Mapping):
    """A mapping whose items never end."""

    def __iter__(self):
        return map(str, itertools.count())

    def __getitem__(self, key):
        return key

    def __len__(self):
        return 2**40


class EndlessList(list):
    def __iter__(self):
        return itertools.repeat(0.5)


def deep(make, depth=10_000):
    value = make(None)
    for _ in range(depth):
        value = make(value)
    return value


def holds_itself(width):
    value = []
    value.extend([value] * width)
    return value


def dictionary_that_holds_itself():
    value = {"kind": "weights"}
    value["weights"] = value
    return value


def changed_dictionary():
    """A dictionary that grows while it is read."""
    value = {}

    def grow(_):
        value.update({str(k): 1.0 for k in range(len(value), 3 * len(value) + 5)})
        return 1.0

    value.update(one=made(float=grow), two=made(float=grow))
    return value


VALUES = {
    "a list 10000 deep": lambda: deep(lambda inner: [inner]),
    "a tuple 10000 deep": lambda: deep(lambda inner: (inner,)),
    "a dictionary 10000 deep": lambda: deep(lambda inner: {"kind": inner}),
    "a list that holds itself": lambda: holds_itself(1),
    "a list that holds itself twice": lambda: holds_itself(2),
    "a list that holds itself often": lambda: holds_itself(1000),
    "a dictionary that holds itself": dictionary_that_holds_itself,
    "a dictionary that grows": changed_dictionary,
    "much text again and again": lambda: [["x" * 1_000_000] * 1000] * 1000,
    "an index that is itself": lambda: made(index=itself),
    "a float that is itself": lambda: made(float=itself),
    "both are itself": lambda: made(index=itself, float=itself, int=itself),
    "an index that raises": lambda: made(index=raises),
    "a float that raises": lambda: made(float=raises),
    "a length that raises": lambda: made(len=raises, getitem=endless),
    "a huge length": lambda: made(len=lambda _: 2**62, getitem=lambda *_: 0.5),
    "items without end": lambda: made(len=lambda _: 3, iter=endless, getitem=lambda *_: 0.5),
    "a sequence of itself": lambda: made(len=lambda _: 2, getitem=itself),
    "an iterator without end": endless,
    "a list without end": lambda: EndlessList([0.5, 0.5]),
    "a mapping without end": Endless,
    "an iterator that raises": lambda: made(iter=raises),
    "an iterator that is itself": lambda: made(iter=itself),
    "an array that is itself": lambda: made(array=itself),
    "an array that raises": lambda: made(array=raises),
    "an equality that raises": lambda: made(eq=raises, hash=lambda _: 1),
    "an equality that is itself": lambda: made(eq=itself, hash=lambda _: 1, bool=itself),
    "attributes that raise": lambda: made(getattr=raises, getattribute=raises),
    "no number of 64 bits": lambda: 10**5000,
    "surrogates": lambda: "\ud800",
    "long text": lambda: "a\x1b[31m\n" * 200_000,
    "zeros in text": lambda: "\0",
    "deep JSON": lambda: "[" * 10_000 + "]" * 10_000,
    "deep TOML": lambda: "environments = " + "[" * 10_000 + "]" * 10_000,
    "deep keys of TOML": lambda: ".".join("a" * 10_000) + " = 1",
    "rows of several lengths": lambda: [[0.1], [0.1, 0.2]],
    "items that are hostile": lambda: [made(index=itself, float=itself, len=raises, getitem=endless)] * 2,
    "a view of many numbers": lambda: np.broadcast_to(np.float64(0.1), (10**12, 10)),
    "a vector of many numbers": lambda: np.broadcast_to(np.float64(0.1), 10**13),
}

# These values take long with every parameter, so only some parameters receive them.
HEAVY = {"much text again and again", "a list that holds itself often"}
HEAVY_DOORS = {
    "radius",
    "prefer",
    "prior",
    "decide",
    "fix_arms",
    "experiment, parts",
    "layout",
    "jaccard",
    "add_objective",
}

OBJECTIVES = [moglb.Objective("a"), moglb.Objective("b")]
ARMS = np.full((4, 3), 0.1)


def policy(**params):
    return moglb.MoglbUcb(3, OBJECTIVES, **params)


def fixed():
    made = policy()
    made.fix_arms(ARMS)
    return made


def environment(**params):
    return moglb.Environment(**{"id": "paper", "dim": 3, **params})


def config(**parts):
    return {
        "horizon": 5,
        "trials": 1,
        "environments": [{"id": "paper", "dim": 3}],
        "policies": [{"id": "random"}],
        **parts,
    }


def log(**parts):
    return {"arms": [0, 1, 0, 1], "propensities": [0.5] * 4, "rewards": [[1.0], [0.0], [1.0], [1.0]], **parts}


def evaluate(target=0, parts=None, **params):
    return moglb.evaluate(parts or log(), {"one": target}, replications=10, threads=1, **params)


class Decides:
    """A policy written in Python that returns a hostile decision."""

    def __init__(self, decision):
        self.decision = decision

    def decide(self, X):
        return self.decision

    def learn(self, x, reward, arm):
        pass


def simulated(decision):
    return moglb.simulate(Decides(decision), environment(), horizon=3)


class Part:
    def __init__(self, **parts):
        self.__dict__.update({"arm": 0, **parts})


def unpickled(params):
    kind, (name, _, *rest), _ = policy().__reduce__()
    return kind(name, params, *rest)


DOORS = {
    "dim": lambda v: moglb.MoglbUcb(v, 2),
    "objectives": lambda v: moglb.MoglbUcb(3, v),
    "an objective": lambda v: moglb.MoglbUcb(3, [v]),
    "an objective's name": lambda v: moglb.MoglbUcb(3, [moglb.Objective(v)]),
    "link": lambda v: moglb.MoglbUcb(3, [moglb.Objective("a", link=v)]),
    "direction": lambda v: moglb.MoglbUcb(3, [moglb.Objective("a", direction=v)]),
    "range": lambda v: moglb.MoglbUcb(3, [moglb.Objective("a", range=v)]),
    "an end of a range": lambda v: moglb.MoglbUcb(3, [moglb.Objective("a", range=(0.0, v))]),
    "radius": lambda v: policy(radius=v),
    "n_arms": lambda v: policy(n_arms=v),
    "seed": lambda v: policy(seed=v),
    "lambda_": lambda v: policy(lambda_=v),
    "kappa": lambda v: policy(kappa=v),
    "width": lambda v: policy(width=v),
    "c": lambda v: policy(width=moglb.Tuned(v)),
    "discount": lambda v: policy(discount=v),
    "prior": lambda v: policy(prior=v),
    "a prior": lambda v: policy(prior=[v, None]),
    "theta": lambda v: policy(prior=[moglb.Prior(v, deviation=0.1), None]),
    "covariance": lambda v: policy(prior=[moglb.Prior([0.1] * 3, covariance=v), None]),
    "weights": lambda v: moglb.SUcb(3, OBJECTIVES, n_arms=4, weights=v),
    "a weight": lambda v: moglb.SUcb(3, OBJECTIVES, n_arms=4, weights=[v, 1.0]),
    "target": lambda v: moglb.Oful(3, OBJECTIVES, target=v),
    "policy": lambda v: moglb.Window(3, OBJECTIVES, policy=v),
    "id": lambda v: moglb.make(v, 3, 2),
    "set_params": lambda v: policy().set_params(radius=v),
    "add_objective": lambda v: policy().add_objective(v),
    "add_objective, link": lambda v: policy().add_objective(moglb.Objective("c", link=v)),
    "add_objective, prior": lambda v: policy().add_objective("c", prior=v),
    "drop_objective": lambda v: policy().drop_objective(v),
    "change_arms": lambda v: moglb.PUcb(3, 2, n_arms=4).change_arms(v),
    "from_json": lambda v: moglb.from_json(v),
    "from_bytes": lambda v: moglb.MoglbUcb.from_bytes(v),
    "parameters of a pickle": unpickled,
    "a parameter of a pickle": lambda v: unpickled({**policy().get_params(), "radius": v}),
    "decide": lambda v: policy().decide(v),
    "decide, rows": lambda v: policy().decide([v, v]),
    "prefer": lambda v: fixed().decide(prefer=v),
    "prefer, weights": lambda v: fixed().decide(prefer={"kind": "weights", "weights": v}),
    "belief": lambda v: fixed().decide(belief=v),
    "objectives that count": lambda v: fixed().decide(objectives=v),
    "floor": lambda v: fixed().decide(floor=v),
    "include": lambda v: fixed().decide(include=v),
    "exclude": lambda v: fixed().decide(exclude=v),
    "baseline": lambda v: fixed().decide(baseline=v),
    "exposures": lambda v: fixed().decide(floor={"share": 0.1}, exposures=v),
    "decide_list": lambda v: fixed().decide_list(None, 2, prefer=v),
    "decide_many": lambda v: policy().decide_many(v),
    "learn, context": lambda v: policy().learn(v, [1.0, 0.0]),
    "learn, reward": lambda v: policy().learn(ARMS[0], v),
    "learn, arm": lambda v: policy().learn(ARMS[0], [1.0, 0.0], v),
    "learn_part": lambda v: policy().learn_part(ARMS[0], v),
    "learn_many, contexts": lambda v: policy().learn_many(v, np.zeros((4, 2))),
    "learn_many, rewards": lambda v: policy().learn_many(ARMS, v),
    "learn_many, arms": lambda v: policy().learn_many(ARMS, np.zeros((4, 2)), v),
    "fix_arms": lambda v: policy().fix_arms(v),
    "front of a policy": lambda v: policy().front(v),
    "predict_bounds": lambda v: policy().predict_bounds(v),
    "ArmSet": moglb.ArmSet,
    "norms": lambda v: moglb.ArmSet(ARMS, norms=v),
    "Link": lambda v: moglb.Link("logit").mean(v),
    "inverse": lambda v: moglb.Link("logit").inverse(v),
    "register_link, name": lambda v: moglb.register_link(v, lambda z: 0.5 + 0.1 * z),
    "register_link, mean": lambda v: moglb.register_link("hostile", lambda z: v).mean([0.1]),
    "register_link, rewards": lambda v: moglb.register_link("hostile", lambda z: z, None, v),
    "Monitor, arm": lambda v: moglb.Monitor(policy()).decided(policy().decide(ARMS), v),
    "Monitor, learn": lambda v: moglb.Monitor(policy()).learn(ARMS[0], v),
    "Ledger, open": lambda v: moglb.Ledger(policy()).open(v),
    "Ledger, deliver": lambda v: delivered(v),
    "Ledger, a part": lambda v: delivered({"a": v}),
    "Certificate, arms": lambda v: moglb.Certificate(policy(), v),
    "delta": lambda v: moglb.Certificate(fixed(), delta=v),
    "sources": lambda v: moglb.Certificate(fixed(), sources=v),
    "Certificate, learn": lambda v: moglb.Certificate(fixed()).learn(0, v),
    "Certificate, from_json": lambda v: moglb.Certificate.from_json(v if isinstance(v, str) else "{}"),
    "Features, from_json": lambda v: features.Features.from_json(v),
    "Ledger, state": lambda v: moglb.Ledger(policy(), v if isinstance(v, str) else "{}"),
    "Monitor, state": lambda v: moglb.Monitor(policy(), v if isinstance(v, str) else "{}"),
    "Features": lambda v: features.Features(v),
    "steps": lambda v: features.Features(2, steps=v),
    "a step": lambda v: features.Features(2, steps=[v]),
    "layout": lambda v: features.Features(2, layout=v),
    "scale": lambda v: features.Features(2, scale=v),
    "interactions": lambda v: features.Features(2, steps=[features.interactions(v)]),
    "intercept": lambda v: features.Features(2, steps=[features.intercept(v)]),
    "overlong": lambda v: features.Features(2, overlong=v),
    "raw rows": lambda v: features.Features(2, scale=9.0).map(v, sparse=False),
    "raw rows, arms": lambda v: features.Features(2, scale=9.0).map(np.ones((2, 2)), arms=v, sparse=False),
    "raw rows, names": lambda v: features.Features(2, scale=9.0).map(np.ones((2, 2)), named=v, sparse=False),
    "raw rows, a name": lambda v: hashed().map(np.ones((1, 1)), named=[{"w": v}], sparse=False),
    "raw context": lambda v: features.Features(2, scale=9.0).arms(v),
    "environment": lambda v: environment(id=v),
    "environment, parameter": lambda v: environment(links=v),
    "environment, seed": lambda v: environment(seed=v),
    "pull": lambda v: environment().pull(v),
    "experiment": moglb.experiment,
    "experiment, parts": lambda v: moglb.experiment(config(policies=v)),
    "experiment, a parameter": lambda v: moglb.experiment(config(policies=[{"id": "moglb-ucb", "c": v}])),
    "run, custom": lambda v: moglb.run(config(policies=v), custom={"mine": Decides}, progress=False),
    "run, threads": lambda v: moglb.run(config(), threads=v, progress=False),
    "run, on": lambda v: moglb.run(config(), on=v, progress=False),
    "identify": moglb.identify,
    "identify, parts": lambda v: moglb.identify({"environments": v, "identifiers": [{"id": "auer"}]}),
    "Identifier": lambda v: moglb.Identifier(v, ARMS, 2),
    "Identifier, arms": lambda v: moglb.Identifier("auer", v, 2),
    "Identifier, parameter": lambda v: moglb.Identifier("auer", ARMS, 2, accuracy=v),
    "Identifier, learn": lambda v: moglb.Identifier("auer", np.eye(3), 2).learn(0, v),
    "simulate, environment": lambda v: moglb.simulate(policy(), v, horizon=3),
    "simulate, parameter": lambda v: moglb.simulate(policy(), {"id": "paper", "dim": 3, "links": v}, horizon=3),
    "a decision from Python": simulated,
    "a front from Python": lambda v: simulated(Part(front=v)),
    "probabilities from Python": lambda v: simulated(Part(probabilities=v)),
    "evaluate, log": lambda v: moglb.evaluate(v, {"one": 0}),
    **{
        f"evaluate, {name}": lambda v, name=name: evaluate(parts=log(**{name: v}))
        for name in ("arms", "rewards", "propensities", "probabilities", "contexts", "objectives", "n_arms")
    },
    "evaluate, arm_contexts": lambda v: evaluate(parts=log(arm_contexts=v)),
    "evaluate, target": evaluate,
    "evaluate, greedy": lambda v: evaluate({"greedy": v}),
    "evaluate, prefer": lambda v: evaluate({"policy": policy(), "prefer": v}, log(arm_contexts=ARMS[:2])),
    "evaluate, layout": lambda v: evaluate({"policy": policy(), "layout": v}, log(arm_contexts=ARMS[:2])),
    "evaluate, level": lambda v: evaluate(level=v),
    "evaluate, estimator": lambda v: evaluate(estimator=v),
    "evaluate, policies": lambda v: moglb.evaluate(log(), v),
    "replay, log": lambda v: moglb.replay(v, ["random"]),
    "replay, policies": lambda v: moglb.replay("nowhere", v),
    "replay, a policy": lambda v: moglb.replay("nowhere", [{"id": "random", "c": v}]),
    "replay, objectives": lambda v: moglb.replay("nowhere", ["random"], objectives=v),
    "front": moglb.front,
    "gaps": moglb.gaps,
    "hypervolume": lambda v: moglb.hypervolume(v, [0.0, 0.0]),
    "reference": lambda v: moglb.hypervolume([[1.0, 2.0]], v),
    "epsilon_indicator": lambda v: moglb.epsilon_indicator(v, v),
    "dominates": lambda v: moglb.dominates([0.5], v),
    "jaccard": lambda v: moglb.jaccard(v, [0]),
    "precision": lambda v: moglb.precision([0], v),
    "recall": lambda v: moglb.recall(v, v),
    "project": lambda v: moglb.project([0.1], v, 1.0),
}


def delivered(reward):
    ledger = moglb.Ledger(policy())
    return ledger.deliver(ledger.open(ARMS[0]), reward)


def hashed():
    return features.Features(1, steps=[features.hash(2)], scale=9.0)


def outcome(door, value):
    """The outcome of a value as a word, and the message of its error."""
    hostile = VALUES[value]()
    try:
        DOORS[door](hostile)
    except moglb.Error as error:
        return "typed", str(error)
    except Own as error:
        return "own", str(error)
    except BaseException as error:
        return type(error).__name__, str(error)[:300]
    return "accepted", ""


def cases():
    pairs = itertools.product(DOORS, VALUES)
    return [(door, value) for door, value in pairs if value not in HEAVY or door in HEAVY_DOORS]


def main():
    import resource  # not available on every system

    first = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.disable()
    warnings.simplefilter("ignore")
    # Iterables without an end are then refused sooner.
    moglb._arrays._ITEMS = 2**12
    for number, (door, value) in enumerate(cases()):
        if number < first:
            continue
        print(json.dumps([number, door, value]), flush=True)
        signal.alarm(SECONDS)  # ends the process if the case hangs
        kind, message = outcome(door, value)
        signal.alarm(0)
        odd = [one for one in message if not one.isprintable() and one != "\n"]
        print(json.dumps([kind, message[:300], len(message), len(odd)]), flush=True)


if __name__ == "__main__":
    main()
