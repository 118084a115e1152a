"""The contestants: moglb in three ways, and the peers. All play the same arm sets with the same random draws.

A contestant has `play(t)`, which plays one round and returns the arm and the nanoseconds of its decision and
of its update. The clock is read directly before and after the calls of the library; the reward is drawn
between them. `state()` returns a state that must change when the contestant learns, read through the public
interface. A library is imported when its contestant is created, so a missing library affects no other
contestant.
"""

import sys
from pathlib import Path
from time import perf_counter_ns as now

import numpy as np

import moglb

M = 5
C = 0.1  # the width factor, as in the NumPy peers
SEED = 1


class World:
    """The paper's problem with fresh arms: arm sets that take turns, and a row of random draws per round."""

    def __init__(self, n_arms, dim):
        self.n_arms, self.dim = n_arms, dim
        self.n_sets = 64 if n_arms * dim <= 10_000 else 16
        source = moglb.Environment("paper-fresh", dim=dim, arms=n_arms, max_front=n_arms, seed=SEED)
        self.problem = source.problem
        self.sets = [source.arms(t + 1) for t in range(self.n_sets)]
        self.means = [source.means(t + 1) for t in range(self.n_sets)]
        self.contexts = [np.ascontiguousarray(arms.mean(axis=0, keepdims=True)) for arms in self.sets]
        self.luck = np.random.default_rng(SEED).random((8192, M))

    def arms(self, t):
        return self.sets[t % self.n_sets]

    def context(self, t):
        """One row for peers with one context per decision: the mean of the arms' features in round t."""
        return self.contexts[t % self.n_sets]

    def reward(self, t, arm, at=None):
        """The reward of an arm in round t, equal for all contestants. `at` is the arm set if it is not t."""
        means = self.means[(t if at is None else at) % self.n_sets]
        return (self.luck[t % len(self.luck)] < means[arm]).astype(float)

    def policy(self):
        return moglb.MoglbUcb(**self.problem, width=moglb.Tuned(C), lambda_=1.0, seed=SEED)


class Fresh:
    """moglb on arrays that are new in each round."""

    package, tables = "moglb", True
    note = "`decide(X)`, `learn(X[arm], y)`"

    def __init__(self, world):
        self.world, self.policy = world, world.policy()

    def play(self, t):
        policy, tables, arms = self.policy, self.tables, self.world.arms(t)
        start = now()
        arm = policy.decide(arms, tables=tables).arm
        decided = now()
        reward = self.world.reward(t, arm)
        begin = now()
        policy.learn(arms[arm], reward)
        end = now()
        return arm, decided - start, end - begin

    def state(self):
        return self.policy.theta.tobytes()


class FreshWithoutTables(Fresh):
    tables = False
    note = "`decide(X, tables=False)`, `learn(X[arm], y)`"


class Fixed(Fresh):
    """moglb on fixed arms, which are named by their positions."""

    note = "`fix_arms(X)` once, `decide(tables=False)`, `learn(arm, y)`"

    def __init__(self, world):
        super().__init__(world)
        self.policy.fix_arms(world.arms(0))

    def play(self, t):
        policy = self.policy
        start = now()
        arm = policy.decide(tables=False).arm
        decided = now()
        reward = self.world.reward(t, arm, at=0)
        begin = now()
        policy.learn(arm, reward)
        end = now()
        return arm, decided - start, end - begin


class NumPy:
    """`bench/peers/moglb_numpy.py`: the same algorithm. Its fronts are first compared with those of moglb."""

    package, variant, fixed = "numpy", "naive", False
    note = "the same algorithm; `decide` only draws, the next front is found in `learn`"

    def __init__(self, world):
        self.world = world
        self.make = _numpy_peer()
        self.checked = self._check(50)
        self.policy = self.make(self.variant, world.arms(0), M, c=C, seed=SEED)

    def play(self, t):
        arms, then = (self.world.arms(0 if self.fixed else s) for s in (t, t + 1))
        start = now()
        arm = self.policy.decide()
        decided = now()
        reward = self.world.reward(t, arm, at=0 if self.fixed else None)
        begin = now()
        self.policy.learn(arms[arm], reward, then)
        end = now()
        return arm, decided - start, end - begin

    def state(self):
        return self.policy.theta.tobytes()

    def _check(self, rounds):
        """Plays next to moglb, which learns the same rewards, and compares the fronts."""
        ours, theirs = self.world.policy(), self.make(self.variant, self.world.arms(0), M, c=C, seed=SEED)
        same = 0
        for t in range(rounds):
            arms, then = (self.world.arms(0 if self.fixed else s) for s in (t, t + 1))
            same += np.array_equal(ours.front(arms), theirs.front)
            arm = theirs.decide()
            reward = self.world.reward(t, arm, at=0 if self.fixed else None)
            ours.learn(arms[arm], reward)
            theirs.learn(arms[arm], reward, then)
        if same < 0.9 * rounds:
            raise AssertionError(f"only {same} of {rounds} fronts are those of moglb")
        return f"{same} of {rounds} fronts are those of moglb"


class NumPyGood(NumPy):
    variant = "good"
    note = "BLAS and moocore's filter"


class NumPyExpert(NumPy):
    variant, fixed = "expert", True
    note = "caches its scores between rounds, moocore's filter"


class MabWiser:
    """LinUCB on the mean of the rewards. Every arm is learned once before the first round."""

    package = "mabwiser"
    note = "one model, mean of the rewards; one context per decision, a model per arm; no front"
    n_models = 1

    def __init__(self, world):
        from mabwiser.mab import MAB, LearningPolicy

        self.world = world
        arms = list(range(world.n_arms))
        policy = LearningPolicy.LinUCB(alpha=1.0, l2_lambda=1.0)
        self.models = [MAB(arms, policy, seed=SEED, n_jobs=1) for _ in range(self.n_models)]
        contexts = np.vstack([world.context(arm) for arm in arms])
        rewards = np.array([world.reward(arm, arm) for arm in arms])
        for model, column in zip(self.models, self.targets(rewards)):
            model.fit(arms, column, contexts)

    def targets(self, rewards):
        """The targets of each model for some rewards, one row of rewards per decision."""
        return [rewards.mean(axis=1)]

    def decide(self, context):
        return self.models[0].predict(context)

    def play(self, t):
        context = self.world.context(t)
        start = now()
        arm = self.decide(context)
        decided = now()
        targets = self.targets(self.world.reward(t, arm)[None])
        begin = now()
        for model, target in zip(self.models, targets):
            model.partial_fit([arm], target, context)
        end = now()
        return arm, decided - start, end - begin

    def state(self):
        return [model.predict_expectations(self.world.context(0)) for model in self.models]


class MabWiserPerObjective(MabWiser):
    """One LinUCB per objective; the arm with the largest mean of the five bounds is played."""

    note = "five models, mean of their bounds; one context per decision, a model per arm; no front"
    n_models = M

    def targets(self, rewards):
        return list(rewards.T)

    def decide(self, context):
        bounds = [list(model.predict_expectations(context).values()) for model in self.models]
        return int(np.mean(bounds, axis=0).argmax())


class ContextualBandits:
    """LinUCB. Its reward is 1 if most objectives have reward 1. Every arm is learned once beforehand."""

    package = "contextualbandits"
    note = "one model, binary: most of the rewards are 1; one context per decision, a model per arm; no front"

    def __init__(self, world):
        from contextualbandits.online import LinUCB

        self.world = world
        self.model = LinUCB(nchoices=world.n_arms, alpha=1.0, random_state=SEED, njobs=1)
        arms = np.arange(world.n_arms)
        contexts = np.vstack([world.context(arm) for arm in arms])
        self.model.partial_fit(contexts, arms, np.array([self.binary(arm, arm) for arm in arms]))

    def binary(self, t, arm):
        return float(self.world.reward(t, arm).sum() > M / 2)

    def play(self, t):
        context = self.world.context(t)
        start = now()
        arm = int(self.model.predict(context)[0])
        decided = now()
        reward = self.binary(t, arm)
        begin = now()
        self.model.partial_fit(context, np.array([arm]), np.array([reward]))
        end = now()
        return arm, decided - start, end - begin

    def state(self):
        return self.model.decision_function(self.world.context(0)).tobytes()


class PyBandits:
    """The contextual Bernoulli bandit with many objectives: a variational fit per objective and update."""

    package = "pybandits"
    note = (
        "multi-objective, draws from a front; one context per decision, five models per arm; JAX with its own threads"
    )

    def __init__(self, world):
        from pybandits.cmab import CmabBernoulliMO

        self.world = world
        names = {str(arm) for arm in range(world.n_arms)}
        self.bandit = CmabBernoulliMO.cold_start(action_ids=names, n_objectives=M, n_features=world.dim)

    def play(self, t):
        context = self.world.context(t)
        start = now()
        action = self.bandit.predict(context=context)[0][0]
        decided = now()
        arm = int(action)
        reward = [[int(y) for y in self.world.reward(t, arm)]]
        begin = now()
        self.bandit.update(context=context, actions=[action], rewards=reward)
        end = now()
        return arm, decided - start, end - begin

    def state(self):
        return repr(self.bandit.actions)


def _numpy_peer():
    folder = str(Path(__file__).resolve().parent.parent / "peers")
    if folder not in sys.path:
        sys.path.append(folder)
    from moglb_numpy import MoglbUcb

    return MoglbUcb


DEFAULT, FIXED = "moglb, fresh arms", "moglb, fixed arms"
OURS = {DEFAULT: Fresh, "moglb, fresh arms, no tables": FreshWithoutTables, FIXED: Fixed}
# The class, the way to use moglb that it is compared with, and the factor by which moglb must be faster.
PEERS = {
    "NumPy straightforward": (NumPy, DEFAULT, 50),
    "NumPy good": (NumPyGood, DEFAULT, None),
    "NumPy expert, fixed arms": (NumPyExpert, FIXED, None),
    "MABWiser LinUCB": (MabWiser, DEFAULT, 50),
    "MABWiser LinUCB per objective": (MabWiserPerObjective, DEFAULT, 50),
    "contextualbandits LinUCB": (ContextualBandits, DEFAULT, 50),
    "PyBandits CmabBernoulliMO": (PyBandits, DEFAULT, 50),
}
