"""Conventions of other libraries, such as scikit-learn and Gymnasium, that users already know."""

import copy
import json
import pickle

import numpy as np
import pytest
from conftest import EVERY, every_policy, played

import moglb


def test_pickle_and_copy_go_on_where_the_policy_was(objectives, arms):
    for kind in EVERY:
        policy = kind(3, objectives, n_arms=12, seed=3)
        policy.note = {"mine": [1]}
        played(policy, arms)
        twins = [pickle.loads(pickle.dumps(policy)), copy.copy(policy), copy.deepcopy(policy)]
        expected = played(policy, arms, seed=8)
        for twin in twins:
            assert type(twin) is kind and twin.note == {"mine": [1]}
            assert twin.get_params() == policy.get_params()
            assert played(twin, arms, seed=8) == expected
            assert twin.to_bytes() == policy.to_bytes() and twin.rng_state == policy.rng_state


def test_decisions_questions_and_fixed_arms_travel(objectives, arms):
    policy = moglb.MoglbUcb(3, objectives, seed=3)
    policy.fix_arms(arms)
    played(policy, arms)
    twin = pickle.loads(pickle.dumps(policy))
    assert twin.decide(tables=False).arm == policy.decide(tables=False).arm
    np.testing.assert_array_equal(twin.fixed_arms.contexts, arms)
    question = policy.ask()
    sent = pickle.loads(pickle.dumps(question))
    assert sent.arm == question.arm and repr(sent.decision) == repr(question.decision)
    for name in ("front", "probabilities", "estimates", "widths"):
        np.testing.assert_array_equal(getattr(sent.decision, name), getattr(question.decision, name))
    policy.tell(sent, [1.0, 0.5])
    assert policy.t == 31


def test_copies_are_as_deep_as_they_say_and_cycles_are_fine(objectives):
    policy = moglb.MoglbUcb(3, list(objectives))
    policy.note, policy.me = [1], policy
    deep, shallow, sent = copy.deepcopy(policy), copy.copy(policy), pickle.loads(pickle.dumps(policy))
    assert deep.note == [1] and deep.note is not policy.note and deep.me is deep
    assert shallow.note is policy.note and shallow.me is policy
    assert sent.me is sent and sent.note == [1]


def test_parameters_stay_whatever_happens_to_what_they_came_from():
    names = ["a", "b"]
    for given in (names, tuple(names), np.array(names), (name for name in ("a", "b"))):
        policy = moglb.MoglbUcb(2, given)
        assert [one.name for one in policy.objectives] == ["a", "b"]
        assert len(policy.clone().objectives) == 2 and "a" in repr(policy)
    policy = moglb.MoglbUcb(2, names)
    names.append("c")
    assert len(policy.objectives) == len(policy.clone().objectives) == 2
    assert len(moglb.MoglbUcb(2, np.int64(3)).objectives) == 3
    assert "weights" in repr(moglb.SUcb(2, 2, n_arms=3, weights=np.array([0.5, 0.5])))


def test_masks_are_masks():
    assert moglb.jaccard([True, True, False], [0, 1]) == 1.0
    assert moglb.recall(np.array([True, False, True]), [0, 1, 2, 3]) == 0.5
    policy = moglb.MoglbUcb(2, 2)
    Y = np.ma.masked_array([[1.0, 0.0], [1.0, 1.0]], mask=[[False, False], [True, False]])
    assert policy.learn_many(np.eye(2), Y).tolist() == [True, True]
    assert policy._z().shape == (2, 2, 2)


def test_names_are_shown_as_they_are():
    policy = moglb.MoglbUcb(2, [moglb.Objective("<b>", link=moglb.Link("logit"))])
    assert "&lt;b&gt;" in policy._repr_html_() and "<td>logit</td>" in policy._repr_html_()


def test_json_has_a_version_and_comes_back_with_its_parameters(objectives, arms):
    for policy in every_policy(objectives):
        played(policy, arms)
        assert json.loads(policy.to_json())["format"].startswith("moglb.policy/")
        for back in (
            type(policy).from_json(policy.to_json()),
            moglb.from_json(policy.to_json()),
            type(policy).from_bytes(policy.to_bytes()),
        ):
            assert type(back) is type(policy) and back.to_bytes() == policy.to_bytes()
            assert back.clone().get_params()["dim"] == 3
            np.testing.assert_array_equal(back.decide(arms).estimates, policy.decide(arms).estimates)


def test_scikit_learn_clones_and_sets_parameters(objectives, arms):
    base = pytest.importorskip("sklearn.base")
    policy = moglb.MoglbUcb(3, objectives, width=moglb.Proved(0.1), seed=4)
    policy.partial_fit(arms, np.ones((12, 2)))
    fresh = base.clone(policy)
    assert fresh.t == 0 and fresh.get_params() == policy.get_params()
    assert policy.predict(arms).shape == (12, 2)
    policy.set_params(width=moglb.Tuned(0.5), seed=5)
    assert policy.t == 0 and policy.get_params()["width"] == moglb.Tuned(0.5)
    assert policy.rng_state == moglb.MoglbUcb(3, objectives, seed=5).rng_state


class Bold(moglb.MoglbUcb):
    """A subclass with its own parameters, from which it also computes parameters of its base class."""

    def __init__(self, dim, objectives, boldness=1.0, *, notes=(), c=0.01, seed=0):
        super().__init__(dim, objectives, width=moglb.Tuned(c * boldness), seed=seed)
        self.boldness, self.notes = boldness, notes


class Timid(moglb.PUcb):
    """A subclass that passes on parameters that it does not know."""

    def __init__(self, *args, fear=1, **params):
        super().__init__(*args, front_size=fear, **params)
        self.fear = fear


def test_a_subclass_is_cloned_with_parameters_of_its_own(objectives, arms):
    base = pytest.importorskip("sklearn.base")
    bold = Bold(3, objectives, 2.0, notes=["mine"], c=0.5, seed=4)
    played(bold, arms)
    for fresh in (bold.clone(), base.clone(bold), Bold(**bold.get_params())):
        assert type(fresh) is Bold and fresh.t == 0
        assert fresh.boldness == 2.0 and fresh.notes == ["mine"] and fresh._params["width"] == moglb.Tuned(1.0)
        assert fresh.get_params() == bold.get_params()
    assert list(bold.get_params()) == ["dim", "objectives", "boldness", "notes", "c", "seed"]
    assert bold.clone().notes is not bold.notes and "boldness=2.0" in repr(bold)
    bold.boldness = 3.0
    assert bold.clone().boldness == 3.0, "as in scikit-learn, an attribute is the parameter"
    timid = Timid(3, objectives, n_arms=12, fear=5)
    assert timid.clone().get_params() == {"dim": 3, "objectives": objectives, "fear": 5, "n_arms": 12}


def test_a_subclass_is_set_copied_and_sent(objectives, arms):
    bold = Bold(3, objectives, 2.0, notes=["mine"], seed=4)
    played(bold, arms)
    twins = [pickle.loads(pickle.dumps(bold)), copy.copy(bold), copy.deepcopy(bold)]
    expected = played(bold, arms, seed=8)
    for twin in twins:
        assert type(twin) is Bold and twin.get_params() == bold.get_params() and twin.boldness == 2.0
        assert played(twin, arms, seed=8) == expected
    back = Bold.from_json(bold.to_json(), seed=4)
    assert back.to_bytes() == bold.to_bytes() and back.boldness == 1.0, "snapshots know the policy only"
    assert bold.set_params(boldness=4.0, c=1.0) is bold and bold.t == 0
    assert bold.boldness == 4.0 and bold.notes == ["mine"] and bold._params["width"] == moglb.Tuned(4.0)
    before = bold.to_bytes(), bold.get_params()
    for wrong, kind in (({"fear": 1}, moglb.errors.ParametersError), ({"c": -1.0}, moglb.Error)):
        with pytest.raises(kind):
            bold.set_params(**wrong)
        assert (bold.to_bytes(), bold.get_params()) == before
    assert Timid(3, objectives, n_arms=12).set_params(seed=3, fear=2).get_params()["seed"] == 3


def test_a_subclass_that_forgets_to_make_the_policy_is_told(arms):
    class Forgetful(moglb.MoglbUcb):
        def __init__(self, dim):
            self.note = dim

    with pytest.raises(moglb.errors.ParametersError, match="super"):
        Forgetful(3).decide(arms)


def test_clones_of_a_changed_subclass_have_its_objectives(objectives):
    bold = Bold(3, objectives, 2.0)
    bold.add_objective("third")
    assert [one.name for one in bold.clone().objectives] == ["click", "cost", "third"]


@pytest.mark.parametrize("info", moglb.policies(), ids=lambda info: info["id"])
def test_predictions_have_a_column_for_each_objective(info, objectives, arms):
    policy = moglb.make(info["id"], 3, objectives, n_arms=12)
    for _ in range(2):
        lower, upper = policy.predict_bounds(arms)
        means = policy.predict(arms)
        assert means.shape == lower.shape == upper.shape == (12, 2)
        assert (np.isnan(means) == np.isnan(lower)).all() and (np.isnan(means) == np.isnan(upper)).all()
        if info["has_front"]:
            assert not np.isnan(means).any()
        policy.partial_fit(arms, np.full((12, 2), 0.5), arms=range(12))


@pytest.mark.parametrize("info", moglb.policies(), ids=lambda info: info["id"])
def test_predictions_are_expected_rewards(info):
    # Every arm always earned 0.3. A mean of 0.3 is -0.85 on the linear scale of the link, and -0.2 relative
    # to its middle.
    policy = moglb.make(info["id"], 2, ["click", "view"], n_arms=2, seed=1)
    X = np.eye(2)
    policy.partial_fit(np.tile(X, (400, 1)), np.full((800, 2), 0.3), arms=np.tile([0, 1], 400))
    told = policy.predict(X)
    pursued = [0] if any(one["name"] == "target" for one in info["parameters"]) else [0, 1]
    if np.isnan(told).all():
        assert info["id"] in {"random", "exp3", "exp4", "epoch-greedy", "iltcb", "mo-us"}
    else:
        assert np.flatnonzero(~np.isnan(told).any(axis=0)).tolist() == pursued
        assert np.abs(told[:, pursued] - 0.3).max() < 0.1, told


def test_a_weighted_sum_says_nothing_about_its_parts(objectives, arms):
    policy = moglb.Oful(3, objectives, target=[0.5, 0.5])
    assert policy.predict(arms).shape == (12, 2) and np.isnan(policy.predict(arms)).all()
    assert moglb.Oful(3, objectives, target=1).predict(arms)[:, 1].tolist() == [0.0] * 12


def test_pull_update_ask_tell_are_decide_and_learn(objectives, arms):
    a, b, c = (moglb.PTs(3, objectives, n_arms=12, seed=6) for _ in range(3))
    for k in range(20):
        reward = [float(k % 2), 0.25]
        arm = a.decide(arms).arm
        a.learn(arms[arm], reward, arm)
        assert b.pull(arms) == arm
        b.update(arms[arm], reward, arm)
        question = c.ask(arms)
        assert question.arm == arm
        c.tell(question, reward)
    assert a.to_bytes() == b.to_bytes() == c.to_bytes()


def test_links_and_metrics():
    for name in ("identity", "logit", "probit", "log"):
        link = moglb.Link(name)
        z = np.linspace(-1, 1, 7)
        np.testing.assert_allclose(link.inverse(link.mean(z)), z, atol=1e-12)
        step = 1e-6
        np.testing.assert_allclose((link.mean(z + step) - link.mean(z - step)) / (2 * step), link.slope(z), rtol=1e-6)
        np.testing.assert_allclose(
            (link.cumulant(z + step) - link.cumulant(z - step)) / (2 * step), link.mean(z), rtol=1e-6, atol=1e-9
        )
        assert pickle.loads(pickle.dumps(link)) == link and hash(link) == hash(moglb.Link(name))
        assert set(link.constants(1.0)) == {"kappa", "lipschitz", "bound"}


# The checker warns about the wrapper that converts the reward to a number.
@pytest.mark.filterwarnings("ignore:.*different from the unwrapped version")
def test_gymnasium_checks_every_environment():
    pytest.importorskip("gymnasium")
    mo_gymnasium = pytest.importorskip("mo_gymnasium")
    from gymnasium.utils.env_checker import check_env

    import moglb.gym

    class Own(mo_gymnasium.wrappers.LinearReward):
        def step(self, action):
            *rest, info = super().step(action)
            return (*rest, {key: value for key, value in info.items() if key != "reward_weights"})

    for id in moglb.environments():
        m = {"wide": 10, "spread": 2}.get(id, 5)
        env = mo_gymnasium.make(f"moglb/{id}-v0", dim=4, horizon=50)
        assert env.unwrapped.reward_space.shape == (m,) and env.unwrapped.reward_dim == m
        observation, _ = env.reset(seed=3)
        again, _ = env.reset(seed=3)
        np.testing.assert_array_equal(observation, again)
        reward = env.step(2)[1]
        assert env.unwrapped.reward_space.contains(reward)
        # Gymnasium's checker requires a reward that is a number, so MO-Gymnasium checks vectors through a
        # linear reward. Its wrapper puts one object into every info, which the checker refuses since 1.3, so
        # `Own` removes it.
        check_env(Own(moglb.gym.BanditEnv(id, dim=4, horizon=50), np.full(m, 1 / m)), skip_render_check=True)
        truncated = [env.step(1)[3] for _ in range(49)]
        assert truncated == [False] * 48 + [True]


def test_an_episode_without_a_seed_has_new_luck():
    pytest.importorskip("gymnasium")
    import moglb.gym

    env = moglb.gym.BanditEnv("paper", dim=4, horizon=20)
    env.reset(seed=5)
    first = [env.step(2)[1].tolist() for _ in range(20)]
    env.reset()
    second = [env.step(2)[1].tolist() for _ in range(20)]
    env.reset(seed=5)
    assert [env.step(2)[1].tolist() for _ in range(20)] == first != second
    for action in (-1, 99, 1.5, "x"):
        with pytest.raises(moglb.Error):
            env.step(action)
    with pytest.raises(moglb.Error):
        moglb.gym.BanditEnv("paper", dim=4, render_mode="human")


def test_policies_play_on_environments_of_gymnasium():
    pytest.importorskip("gymnasium")
    import moglb.gym

    for id in moglb.environments():
        env = moglb.gym.BanditEnv(id, dim=5, horizon=400, seed=2)
        regret = {}
        for policy in (moglb.MoglbUcb(**env.problem), moglb.Random(**env.problem)):
            played = moglb.gym.play(policy, env, n_steps=400)
            assert played["rewards"].shape == (400, len(env.problem["objectives"])) and policy.t == 400
            regret[policy.id] = played["pareto_regret"][-1]
        # If almost every arm is on the front, there is almost no regret.
        assert regret["moglb-ucb"] < regret["random"] or id in ("unrelated", "wide")


def test_a_policy_before_its_init_says_so():
    class Hollow(moglb.MoglbUcb):
        def __init__(self):
            pass

    for use in (lambda it: it.dim, lambda it: it.objectives, lambda it: it.t, pickle.dumps, copy.copy, repr):
        with pytest.raises(moglb.errors.ParametersError):
            use(Hollow())
