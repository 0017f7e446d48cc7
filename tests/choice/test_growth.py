"""Growth doubles until it is settled, and keeps all positives."""

import numpy as np
import pytest
from instances import as_data, linear_scorer

from blindauc.choice.growth import SETTLED, grown
from blindauc.scorers import Spec


@pytest.mark.parametrize("distance", [0.3, 5.0])
def test_growth_doubles_until_settled_and_keeps_all_positives(distance):
    generator = np.random.default_rng(0)
    X, is_positive = generator.normal(size=(1330, 3)), np.arange(1330) < 30
    X[is_positive] += distance
    sample, path = grown(linear_scorer(n_features=3), as_data(X, is_positive), Spec("none", "logistic", 0.1, 0.0, 3))
    sizes = [step.n_unlabelled for step in path]
    assert sizes == [min(30 * 2**k, 1300) for k in range(len(path))]
    assert sample.is_positive.sum() == 30
    assert (~sample.is_positive).sum() == sizes[-1]
    np.testing.assert_array_equal(X[sample.row], sample.X)
    values = [float(step.blind_auc) for step in path]
    moves = np.abs(np.diff(values))
    assert (moves[:-1] > SETTLED).all()
    assert moves[-1] <= SETTLED or sizes[-1] == 1300
    assert all(step.blind_auc.low <= step.blind_auc <= step.blind_auc.high for step in path)
    if distance == 5.0:
        assert len(path) == 2


def test_growth_ends_where_the_rows_do():
    X, is_positive = np.random.default_rng(0).normal(size=(50, 2)), np.arange(50) < 30
    sample, path = grown(linear_scorer(n_features=2), as_data(X, is_positive), Spec("none", "logistic", 0.1, 0.0, 2))
    assert [step.n_unlabelled for step in path] == [20]
    assert len(sample.row) == 50
