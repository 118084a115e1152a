"""Ways to play: a preference over the front, chosen for each decision."""

import inspect
import pickle

import numpy as np
import pytest

import moglb

QUALITY_THEN_COST = {
    "kind": "constraints",
    "at_least": {"click": 0.5},
    "then": {"kind": "best", "objective": "cost"},
}


@pytest.fixture
def policy(objectives, arms):
    policy = moglb.MoglbUcb(3, objectives, width=moglb.Tuned(0.1), seed=7)
    rng = np.random.default_rng(2)
    for _ in range(40):
        arm = policy.decide(arms).arm
        policy.learn(arms[arm], rng.uniform(size=2))
    return policy


def test_the_uniform_preference_is_the_draw_of_the_paper(policy, arms):
    twin = pickle.loads(pickle.dumps(policy))
    for _ in range(20):
        own, uniform = policy.decide(arms), twin.decide(arms, prefer={"kind": "uniform"})
        assert own.arm == uniform.arm
        assert np.array_equal(own.probabilities, uniform.probabilities)


def test_preferences_choose_from_the_front_and_change_nothing_that_is_learned(policy, arms):
    before = policy.to_bytes()
    for prefer in [
        {"kind": "best", "objective": "cost"},
        {"kind": "weights", "weights": (0.7, 0.3)},
        {"kind": "chebyshev", "weights": [1, 1], "reference": [0.9, 0.1]},
        {"kind": "lexicographic", "order": ["click", "cost"], "tolerances": [0.1, 0]},
        {"kind": "hypervolume", "choose": "largest"},
        {"kind": "knee"},
        {"kind": "least-exposed"},
        QUALITY_THEN_COST,
    ]:
        d = policy.decide(arms, prefer=prefer, belief="optimistic")
        assert d.probabilities.sum() == pytest.approx(1.0)
        assert set(np.flatnonzero(d.probabilities)) <= set(d.front.tolist()), prefer
    assert policy.to_bytes() == before


def test_the_cheapest_arm_is_the_cheapest(policy, arms):
    d = policy.decide(arms, prefer={"kind": "best", "objective": "cost"})
    assert d.probability == 1.0
    assert d.estimates[d.arm, 1] == d.estimates[d.front, 1].min()


def test_floor_lists_and_baseline_have_their_shares(policy, arms):
    d = policy.decide(
        arms,
        prefer={"kind": "knee"},
        floor={"share": 0.11, "over": "all"},
        exclude=np.array([3]),
        baseline={"arm": 5, "share": 0.5},
    )
    assert d.probabilities[3] == 0.0
    assert d.probabilities[5] >= 0.5
    assert (np.delete(d.probabilities, 3) >= 0.5 * 0.11 / 11 - 1e-15).all()
    only = policy.decide(arms, prefer={"kind": "uniform"}, include=[2, 4])
    assert set(np.flatnonzero(only.probabilities)) <= {2, 4}


def test_the_least_exposed_are_those_with_the_fewest_plays(policy, arms):
    counts = np.full(12, 5)
    front = policy.decide(arms).front
    counts[front[0]] = 1
    d = policy.decide(arms, prefer={"kind": "least-exposed"}, exposures=counts)
    assert (d.arm, d.probability) == (front[0], 1.0)


def test_a_decision_says_by_how_much_constraints_are_missed(policy, arms):
    impossible = {"kind": "constraints", "at_least": {"click": 1.0}}
    d = policy.decide(arms, prefer=impossible)
    assert 0.0 < d.shortfall < 1.0
    assert pickle.loads(pickle.dumps(d)).shortfall == d.shortfall
    assert policy.decide(arms, prefer={"kind": "constraints", "at_least": {"click": 0.0}}).shortfall == 0.0


def test_lists_have_distinct_arms_and_inclusion_probabilities_that_add_up(policy, arms):
    policy.fix_arms(arms)
    for k in [1, 3, 12]:
        drawn, inclusion = policy.decide_list(None, k, prefer={"kind": "uniform"}, floor={"share": 0.2})
        assert len(set(drawn.tolist())) == k
        assert inclusion.sum() == pytest.approx(k)
        assert (inclusion[drawn] > 0.0).all()


@pytest.mark.parametrize(
    "play, error",
    [
        ({"prefer": {"kind": "nose"}}, "ParametersError"),
        ({"prefer": {"kind": "knee", "c": 1}}, "ParametersError"),
        ({"prefer": {"kind": "weights", "weights": [1]}}, "WeightsError"),
        ({"prefer": {"kind": "best", "objective": "speed"}}, "ObjectiveNotFoundError"),
        ({"prefer": {"kind": "mix", "of": []}}, "SharesError"),
        ({"prefer": {"kind": "hypervolume", "reference": [0]}}, "EntriesError"),
        ({"prefer": "knee"}, "ParametersError"),
        ({"floor": {"share": 1.5}}, "ParameterBoundsError"),
        ({"floor": {"share": float("nan")}}, "ParametersError"),
        ({"exclude": [12]}, "UnknownArmError"),
        ({"include": []}, "NothingAllowedError"),
        ({"exclude": [1], "baseline": {"arm": 1, "share": 0.1}}, "BaselineExcludedError"),
        ({"prefer": {"kind": "knee"}, "exposures": [1]}, "EntriesError"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_drawn(policy, arms, play, error):
    state = policy.rng_state
    with pytest.raises(getattr(moglb.errors, error)):
        policy.decide(arms, **play)
    assert policy.rng_state == state


def test_every_way_to_play_in_a_signature_is_taken_and_no_other(policy, arms):
    for method, given in ((policy.decide, (arms,)), (policy.decide_list, (arms, 2))):
        parameters = inspect.signature(method).parameters.values()
        names = [one.name for one in parameters if one.kind is inspect.Parameter.KEYWORD_ONLY and one.name != "tables"]
        assert {"prefer", "belief", "baseline", "exposures"} < set(names) and len(names) == 8
        method(*given, **dict.fromkeys(names))
        for name in set(names) - {"exposures"}:
            with pytest.raises(moglb.Error):
                method(*given, **{name: 1e400})
        with pytest.raises(moglb.errors.InputTypeError):
            method(*given, exposures=["many"])
        with pytest.raises(TypeError, match=rf"Policy.{method.__name__}\(\) got an unexpected keyword argument 'mood'"):
            method(*given, mood="good")


def test_lists_and_policies_without_a_front_are_refused(policy, arms, objectives):
    for k in [0, 13]:
        with pytest.raises(moglb.errors.ListLengthError):
            policy.decide_list(arms, k)
    with pytest.raises(moglb.errors.NoFrontError):
        moglb.SUcb(3, objectives, n_arms=12).decide(arms, prefer={"kind": "knee"})


def test_an_experiment_can_be_played_in_some_way():
    results = moglb.run(
        {
            "horizon": 20,
            "trials": 2,
            "environments": [{"id": "paper", "dim": 3}],
            "policies": [{"id": "moglb-ucb", "play": {"prefer": {"kind": "knee"}}}],
        }
    )
    assert results.summary["runs"][0]["params"]["play"] == {"prefer": {"kind": "knee"}}
