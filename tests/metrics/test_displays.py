"""Displays draw their curves, of estimators and of predictions."""

import sys

import matplotlib as mpl
import numpy as np
import pytest
from pu_scores import data, simulate

from blindauc import BlindAUCClassifier
from blindauc.metrics import PUPrecisionRecallDisplay, PURocDisplay, pu_precision_recall_curve, pu_roc_curve

mpl.use("agg")

DISPLAYS = {"roc": PURocDisplay, "precision-recall": PUPrecisionRecallDisplay}


@pytest.fixture
def axes():
    import matplotlib.pyplot as plt

    _, ax = plt.subplots()
    yield ax
    plt.close("all")


@pytest.mark.parametrize("kind", DISPLAYS)
def test_displays_draw_their_curves(kind, axes):
    y, scores, _ = simulate(7)
    display = DISPLAYS[kind].from_predictions(
        y, scores, prior=0.3, name="mine", ax=axes, n_resamples=9, random_state=0, color="red"
    )
    assert display.ax_ is axes
    assert display.figure_ is axes.figure
    assert display.line_.get_color() == "red"
    assert display.line_.get_label().startswith("mine: A")
    curve = display.curve
    x, height = (curve.fpr, curve.tpr) if kind == "roc" else (curve.recall, curve.precision)
    np.testing.assert_array_equal(display.line_.get_xdata(), x)
    np.testing.assert_array_equal(display.line_.get_ydata(), height)
    assert len(axes.collections) == 1
    display.figure_.canvas.draw()


@pytest.mark.parametrize("kind", DISPLAYS)
def test_displays_of_estimators_know_the_positive_class(kind, axes):
    fitted = BlindAUCClassifier(l2=100.0, pos_label=0, calibrate=False).fit(data.X, 1 - data.y_pu)
    display = DISPLAYS[kind].from_estimator(fitted, data.X, 1 - data.y_pu, prior=0.1, ax=axes)
    same = DISPLAYS[kind].from_predictions(data.y_pu, fitted.decision_function(data.X), prior=0.1)
    np.testing.assert_array_equal(display.line_.get_ydata(), same.line_.get_ydata())
    assert display.line_.get_label().startswith("BlindAUCClassifier: A")
    assert not axes.collections


@pytest.mark.parametrize("kind", DISPLAYS)
def test_a_display_without_names_has_no_legend(kind, axes):
    y, scores, _ = simulate(8)
    curve = (pu_roc_curve if kind == "roc" else pu_precision_recall_curve)(y, scores, prior=0.3)
    assert DISPLAYS[kind](curve).plot(axes).ax_.get_legend() is None
    assert DISPLAYS[kind](curve, name="mine").plot(axes, name="yours").line_.get_label() == "yours"


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"blindauc\[plot\]"):
        PURocDisplay(pu_roc_curve([1, 0], [1, 0], prior=0.1)).plot()
