"""The helpers of ``moglb.features``, which make contexts from raw rows."""

import copy
import pickle

import numpy as np
import pytest

import moglb
from moglb import features

sparse = pytest.importorskip("scipy.sparse")


def rich(**more):
    steps = [features.interactions([0, 1], [2, 3]), features.hash(4), features.intercept(0.5)]
    return features.Features(2, arm=2, steps=steps, **more)


def test_layouts_place_the_columns_where_they_say():
    x = [[0.1, 0.2]]
    plain = features.Features(2, scale=1.0)
    assert plain.map(x, sparse=False).tolist() == [[0.1, 0.2]]
    blocks = features.Features(2, layout=features.blocks(3), scale=1.0)
    assert blocks.map(x, arms=[1], sparse=False).tolist() == [[0, 0, 0.1, 0.2, 0, 0]]
    hybrid = features.Features(2, layout=features.hybrid(2, own=[1]), scale=1.0)
    assert hybrid.map(x, arms=[1], sparse=False).tolist() == [[0.1, 0.2, 0, 0.2]]
    side = features.Features(2, arm=1, scale=1.0)
    assert side.map(x, arm_features=[[0.3]], sparse=False).tolist() == [[0.1, 0.2, 0.3]]


def test_the_arms_of_a_decision_are_the_rows_that_are_learned():
    f = rich(layout=features.hybrid(3)).freeze([[3.0, 1.0]] * 2, arms=[0, 1], arm_features=[[1.0, 2.0]] * 2)
    own = np.array([[0.1, 0.2], [0.3, 0.1], [1.0, 2.0]])
    arms = f.arms([3.0, 1.0], arm_features=own, named={"city": "Bern", "age": 0.3})
    rows = f.map([[3.0, 1.0]] * 3, arms=[0, 1, 2], arm_features=own, named=[{"age": 0.3, "city": "Bern"}] * 3)
    assert (arms.contexts != rows).nnz == 0 and len(arms) == 3 and arms.dim == f.dim
    assert np.linalg.norm(rows.toarray(), axis=1).max() <= 1 + 1e-9


def test_arrays_and_sparse_matrices_give_the_same_contexts():
    x = np.array([[0.0, 2.0], [1.0, 0.0]])
    f = features.Features(2, steps=[features.intercept()], scale=3.0)
    assert (f.map(x) != f.map(sparse.csr_matrix(x))).nnz == 0
    one = features.Features(2, layout=features.blocks(4), scale=3.0)
    assert (one.arms(x[0]).contexts != one.arms(sparse.csr_array(x)[[0]]).contexts).nnz == 0


def test_names_alone_tell_arms_apart():
    f = features.Features(steps=[features.hash(10)], scale=2.0)
    arms = f.arms([], named=[{"item": "a"}, {"item": "b"}, {"item": "c", "price": 1.5}])
    assert len(arms) == 3 and arms.dim == 1024 and np.diff(arms.contexts.indptr).tolist() == [1, 1, 2]
    # The hash is 0x3bd59f417897b4f6: its low ten bits are 0xf6, and its highest bit, the sign, is 0.
    row = f.map(np.zeros((1, 0)), named=[{"city": "Zürich"}])
    assert row.indices.tolist() == [0xF6] and row.data.tolist() == [0.5]


def test_a_frozen_scale_is_saved_and_long_rows_are_counted_or_refused():
    sample = [[3.0, 4.0], [1.0, 0.0], [0.5, 0.0], [0.0, 0.25]]
    f = features.Features(2).freeze(sample)
    assert f.scale == 5.0 and f.clipped == 0
    f.map([[6.0, 8.0], [3.0, 4.0]])
    f.arms([60.0, 80.0], arm_features=np.zeros((2, 0)))
    assert f.clipped == 3
    assert features.Features(2).freeze(sample, quantile=0.75).scale == 1.0
    for twin in (features.Features.from_json(f.to_json()), pickle.loads(pickle.dumps(f)), copy.deepcopy(f)):
        assert twin == f and hash(twin) == hash(f) and twin.scale == 5.0 and twin.config == f.config
    strict = features.Features(2, scale=5.0, overlong="refuse")
    with pytest.raises(moglb.errors.NormError):
        strict.map([[6.0, 8.0]])
    with pytest.raises(moglb.errors.ParametersError, match="frozen"):
        f.freeze(sample)


def test_what_is_wrong_is_said():
    with pytest.raises(moglb.errors.NotFrozenError):
        features.Features(2).map([[1.0, 2.0]])
    with pytest.raises(moglb.errors.NoFeaturesError):
        features.Features(0)
    with pytest.raises(moglb.errors.ParametersError):
        features.Features(2, overlong="ignore")
    with pytest.raises(moglb.errors.ParametersError):
        features.Features(2, steps=[{"kind": "hash", "bits": 3, "colour": 1}])
    with pytest.raises(moglb.errors.ColumnError):
        features.Features(2, steps=[features.interactions([0], [2])])
    with pytest.raises(moglb.errors.ParameterBoundsError):
        features.Features(steps=[features.hash(30)])
    with pytest.raises(moglb.errors.ScaleError):
        features.Features(2, scale=0.0)
    with pytest.raises(moglb.errors.InputTypeError):
        features.Features(2, scale="one")
    with pytest.raises(moglb.errors.SnapshotDamagedError):
        features.Features.from_json("{}")
    with pytest.raises(moglb.errors.InputTypeError):
        features.Features.from_json(b"{}")
    f = features.Features(2, layout=features.blocks(2), scale=1.0)
    with pytest.raises(moglb.errors.ParametersError, match="arms="):
        f.map([[0.1, 0.2]])
    with pytest.raises(moglb.errors.UnknownArmError):
        f.map([[0.1, 0.2]], arms=[2])
    with pytest.raises(moglb.errors.RowsError):
        f.map([[0.1, 0.2]], arms=[0, 1])
    with pytest.raises(moglb.errors.NotFiniteError):
        f.map([[0.1, np.nan]], arms=[0])
    with pytest.raises(moglb.errors.DimensionError):
        f.map([[0.1]], arms=[0])
    with pytest.raises(moglb.errors.ParametersError, match="hash"):
        f.arms([0.1, 0.2], named={"a": 1.0})
    named = features.Features(1, steps=[features.hash(3)], scale=9.0)
    for bad in ([{"a": None}], [{1: 2.0}], [3], 5, [{"a": [1]}]):
        with pytest.raises(moglb.errors.InputTypeError):
            named.map([[0.1]], named=bad)
    with pytest.raises(moglb.errors.RowsError):
        named.map([[0.1]], named=[{}, {}])
