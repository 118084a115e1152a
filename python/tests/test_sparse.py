"""Every function reads sparse matrices of SciPy without their zeros, with the same bits as for arrays."""

import copy
import pickle

import numpy as np
import pytest

import moglb

sparse = pytest.importorskip("scipy.sparse")

POLICIES = [moglb.MoglbUcb, moglb.EkfUcb, moglb.MoglbEb, moglb.Oful, moglb.MolTs]


def tables(n_arms=14, dim=30, seed=3):
    rng = np.random.default_rng(seed)
    dense = rng.normal(size=(n_arms, dim)) * (rng.random((n_arms, dim)) < 0.15)
    dense /= np.maximum(1.0, np.linalg.norm(dense, axis=1, keepdims=True)) + 1e-6
    return dense, sparse.csr_array(dense)


def same(a, b):
    assert a.arm == b.arm and a.front.tolist() == b.front.tolist()
    for name in ("probabilities", "estimates", "widths"):
        assert getattr(a, name).tobytes() == getattr(b, name).tobytes(), name


@pytest.mark.parametrize("kind", POLICIES)
def test_decide_and_learn_have_the_bits_of_arrays(kind):
    a, b = kind(30, ["click", "view"], seed=5), kind(30, ["click", "view"], seed=5)
    for t in range(12):
        dense, rows = tables(seed=t)
        d, e = a.decide(dense), b.decide(rows)
        same(d, e)
        a.learn(dense[d.arm], [1.0, 0.0])
        b.learn(rows[[e.arm]], [1.0, 0.0])
    assert a.to_bytes() == b.to_bytes()


@pytest.mark.parametrize("kind", POLICIES)
def test_batches_have_the_bits_of_arrays(kind):
    a, b = kind(30, ["click", "view"], seed=5), kind(30, ["click", "view"], seed=5)
    dense, rows = tables(40)
    rewards = np.random.default_rng(1).integers(0, 2, (40, 2)).astype(float)
    assert a.learn_many(dense, rewards).all() and b.learn_many(rows, rewards).all()
    c = kind(30, ["click", "view"], seed=5)
    c.learn_many(moglb.ArmSet(rows), rewards)
    assert a.to_bytes() == b.to_bytes() == c.to_bytes()
    sets = [tables(seed=k) for k in range(5)]
    d, e = a.decide_many(np.stack([dense for dense, _ in sets])), b.decide_many([rows for _, rows in sets])
    assert d.arms.tolist() == e.arms.tolist() and d.estimates.tobytes() == e.estimates.tobytes()


@pytest.mark.parametrize("form", ["csr_matrix", "csc_matrix", "coo_array", "csr_array", "lil_matrix"])
def test_every_sparse_form_is_read(form):
    dense, _ = tables()
    policy = moglb.MoglbUcb(30, ["click"], seed=5)
    policy.learn(dense[2], [1.0])
    same(copy.deepcopy(policy).decide(dense), copy.deepcopy(policy).decide(getattr(sparse, form)(dense)))


def test_unsorted_columns_are_sorted_and_duplicates_added():
    rows = sparse.csr_array((np.array([0.3, 0.1, 0.2, 0.2]), np.array([2, 0, 1, 1]), np.array([0, 2, 4])), shape=(2, 3))
    assert moglb.ArmSet(rows).contexts.toarray().tolist() == [[0.1, 0.0, 0.3], [0.0, 0.4, 0.0]]


def test_an_arm_set_keeps_its_form_through_pickle_and_fix_arms():
    dense, rows = tables()
    arms = moglb.ArmSet(rows)
    assert len(arms) == 14 and arms.dim == 30
    assert sparse.issparse(arms.contexts) and (arms.contexts.toarray() == dense).all()
    assert (arms.context(3) == dense[3]).all()
    twin = pickle.loads(pickle.dumps(arms))
    assert (twin.contexts != arms.contexts).nnz == 0
    policy = moglb.MoglbUcb(30, ["click"], seed=5)
    policy.fix_arms(rows)
    d = policy.decide(tables=False)
    policy.learn(d.arm, [1.0])
    assert policy.t == 1
    assert moglb.ArmSet(10 * rows, norms=10.0).contexts.toarray() == pytest.approx(dense)


def test_huge_tables_are_not_written_out():
    # With their zeros, 10^5 arms of 10^5 features would take 80 GB.
    n = 100_000
    rows = sparse.csr_array((np.full(n, 0.5), np.arange(n), np.arange(n + 1)), shape=(n, n))
    arms = moglb.ArmSet(rows)
    assert len(arms) == n and arms.contexts.nnz == n


def test_bad_sparse_tables_are_refused():
    dense, rows = tables()
    policy = moglb.MoglbUcb(30, ["click"], seed=5)
    before = policy.to_bytes()
    with pytest.raises(moglb.errors.NormError):
        policy.decide(100 * rows)
    with pytest.raises(moglb.errors.NotFiniteError):
        policy.decide(rows * np.nan)
    with pytest.raises(moglb.errors.DimensionError):
        policy.decide(rows[:, :29])
    with pytest.raises(moglb.errors.NoArmsError):
        policy.decide(rows[:0])
    with pytest.raises(moglb.errors.ShapeError):
        policy.learn(rows, [1.0])
    with pytest.raises(moglb.errors.InputTypeError):
        policy.decide(rows.astype(complex))
    broken = rows.copy()
    broken.indices = broken.indices.copy()
    broken.indices[0] = 99
    with pytest.raises(moglb.errors.ColumnError):
        policy.decide(broken)
    broken.indices[0] = -1
    with pytest.raises(moglb.errors.ColumnError):
        policy.decide(broken)
    with pytest.raises(moglb.errors.ShapeError):
        policy.decide_many([rows, rows[:3]])
    with pytest.raises(moglb.errors.InputTypeError):
        policy.decide_many([rows, dense])
    with pytest.raises(moglb.errors.RowsError):
        policy.learn_many(rows, np.zeros((3, 1)))
    assert policy.to_bytes() == before


def test_a_vector_of_one_row_is_a_context():
    dense, rows = tables()
    policies = [moglb.MoglbUcb(30, ["click"]) for _ in range(3)]
    policies[0].learn(dense[1], [1.0])
    policies[1].learn(rows[[1]], [1.0])
    policies[2].learn(sparse.coo_array(dense[1]), [1.0])
    assert len({policy.to_bytes() for policy in policies}) == 1
