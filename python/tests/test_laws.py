"""Laws that hold for all inputs that Hypothesis generates."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import moglb

NUMBERS = st.floats(-10, 10, allow_nan=False).map(lambda x: round(x, 1))
POINTS = hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=12).flatmap(
    lambda shape: hnp.arrays(np.float64, shape, elements=NUMBERS)
)


def dominated(points, k):
    better = (points >= points[k]).all(axis=1) & (points > points[k]).any(axis=1)
    return better.any()


@given(POINTS)
def test_the_front_holds_exactly_the_rows_that_nobody_dominates(points):
    expected = [not dominated(points, k) for k in range(len(points))]
    assert moglb.front(points).tolist() == expected


@given(POINTS)
def test_gaps_vanish_on_the_front_and_bring_others_onto_it(points):
    mask, gaps = moglb.front(points), moglb.gaps(points)
    assert (gaps[mask] == 0).all() and (gaps >= 0).all()
    for k in np.flatnonzero(gaps > 0):
        lifted = points.copy()
        lifted[k] += gaps[k] + 1e-9
        assert moglb.front(lifted)[k]


@given(POINTS)
def test_the_front_has_the_whole_hypervolume(points):
    reference = points.min(axis=0) - 1
    whole = moglb.hypervolume(points, reference)
    assert np.isclose(whole, moglb.hypervolume(points[moglb.front(points)], reference), rtol=1e-9)
    assert moglb.epsilon_indicator(points, points) <= 0


@given(
    hnp.arrays(np.float64, (3,), elements=NUMBERS),
    hnp.arrays(np.float64, (3, 3), elements=NUMBERS),
    st.floats(0.1, 5),
)
def test_projection_lands_in_the_ball_and_stays(theta, root, radius):
    z = root @ root.T + np.eye(3)
    once = moglb.project(theta, z, radius)
    assert np.linalg.norm(once) <= radius * (1 + 1e-12)
    np.testing.assert_allclose(moglb.project(once, z, radius), once, atol=1e-12)
    if np.linalg.norm(theta) <= radius:
        np.testing.assert_array_equal(once, theta)


@settings(deadline=None, max_examples=40)
@given(
    st.integers(1, 5),
    st.integers(1, 15),
    st.integers(1, 4),
    st.integers(0, 2**64 - 1),
    st.sampled_from([moglb.Tuned(0.1), moglb.Proved(0.1), moglb.Tightened(0.2)]),
    st.randoms(use_true_random=False),
)
def test_a_policy_is_a_state_machine(dim, n_arms, m, seed, width, random):
    """The same inputs and seed give the same bits.

    Probabilities add up to 1, the drawn arm is on the front, and snapshots are complete.
    """
    rng = np.random.default_rng(random.randrange(2**32))
    X = rng.uniform(-1, 1, size=(n_arms, dim)) / np.sqrt(dim)
    a, b = (moglb.MoglbUcb(dim, m, width=width, seed=seed) for _ in range(2))
    for _ in range(8):
        da, db = a.decide(X), b.decide(X)
        assert da.arm == db.arm and da.front.tolist() == db.front.tolist()
        assert abs(da.probabilities.sum() - 1) < 1e-12 and da.arm in da.front
        if a.t > 0:
            assert da.front.tolist() == np.flatnonzero(moglb.front(da.estimates + da.widths)).tolist()
        y = rng.integers(0, 2, size=m).astype(float)
        a.learn(X[da.arm], y)
        b.learn(X[da.arm], list(y))
        b = moglb.from_json(b.to_json())
        b._set_rng_state(a.rng_state)
    assert a.to_bytes() == b.to_bytes()
    assert (np.linalg.norm(a.theta, axis=1) <= 1 + 1e-9).all()
