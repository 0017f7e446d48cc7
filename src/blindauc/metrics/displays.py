"""Displays of the curves, like those of scikit-learn. They need matplotlib."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, Self

from blindauc._typing import Floats
from blindauc.estimate import Estimate
from blindauc.metrics.auc import pu_auc_score
from blindauc.metrics.bands import Band, pu_precision_recall_band, pu_roc_band
from blindauc.metrics.curves import (
    PUPrecisionRecallCurve,
    PURocCurve,
    average_precision_of,
    pu_precision_recall_curve,
    pu_roc_curve,
)
from blindauc.metrics.scorers import scores_of


class _Line(NamedTuple):
    """The data of a line and its names."""

    x: Floats
    y: Floats
    x_name: str
    y_name: str
    measure: str
    value: float | None
    style: dict[str, Any]


class _CurveDisplay:
    """Base class of both displays."""

    name: str | None
    band: Band | None

    _band_of: ClassVar[Callable[..., Band]]

    @classmethod
    def _of(cls, y_pu: Any, y_score: Any, **data: Any) -> Self:
        """The display of these scores, without a name or a band."""
        raise NotImplementedError

    @property
    def _line(self) -> _Line:
        raise NotImplementedError

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y_pu: Any, *, name: str | None = None, **options: Any) -> Self:
        """Draw the curve of a fitted estimator on rows that it was not fitted to.

        Parameters
        ----------
        estimator : fitted classifier
            Its positive class is the last of `classes_`.
        X : array-like or sparse matrix of shape (n, p)
        y_pu : array-like of shape (n,)
        name : str, optional
            For the legend; the estimator's class by default.
        **options
            As for `from_predictions`.

        Returns
        -------
        display
        """
        name = type(estimator).__name__ if name is None else name
        positive = estimator.classes_[1]
        return cls.from_predictions(y_pu, scores_of(estimator, X), pos_label=positive, name=name, **options)

    @classmethod
    def from_predictions(
        cls,
        y_pu: Any,
        y_score: Any,
        *,
        prior: float,
        contamination: float = 0.0,
        sample_weight: Any = None,
        pos_label: Any = None,
        n_resamples: int = 0,
        random_state: Any = None,
        name: str | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve of given scores.

        Parameters
        ----------
        y_pu, y_score, prior, contamination, sample_weight, pos_label
            As for `pu_roc_curve` and `pu_precision_recall_curve`.
        n_resamples : int, default=0
            The number of bootstrap samples of `pu_roc_band` or `pu_precision_recall_band`; 0 draws no band.
        random_state : int, RandomState or None, default=None
            Seed of the bootstrap.
        name : str, optional
            For the legend.
        ax : matplotlib axes, optional
        **kwargs
            Passed on to matplotlib's `plot`.

        Returns
        -------
        display
        """
        data = {
            "prior": prior,
            "contamination": contamination,
            "sample_weight": sample_weight,
            "pos_label": pos_label,
        }
        display = cls._of(y_pu, y_score, **data)
        display.name = name
        if n_resamples:
            display.band = cls._band_of(y_pu, y_score, n_resamples=n_resamples, random_state=random_state, **data)
        return display.plot(ax, **kwargs)

    def plot(self, ax: Any = None, *, name: str | None = None, **kwargs: Any) -> Self:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        name : str, optional
            For the legend; that of the display by default.
        **kwargs
            Passed on to matplotlib's `plot`.

        Returns
        -------
        self
        """
        if ax is None:
            _, ax = _pyplot().subplots()
        line, band = self._line, self.band
        label = _label(self.name if name is None else name, line.measure, line.value)
        (self.line_,) = ax.plot(line.x, line.y, **{"label": label, **line.style, **kwargs})
        if band is not None:
            ax.fill_between(band.x, band.low, band.high, color=self.line_.get_color(), alpha=0.2, linewidth=0)
        if not self.line_.get_label().startswith("_"):  # matplotlib's mark for lines without a label
            ax.legend()
        ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal", xlabel=line.x_name, ylabel=line.y_name)
        self.ax_, self.figure_ = ax, ax.figure
        return self


class PURocDisplay(_CurveDisplay):
    """A ROC curve of positives against negatives, from positive and unlabelled rows.

    Parameters
    ----------
    curve : PURocCurve
    roc_auc : float or Estimate, optional
        For the legend, with its interval if it has one.
    name : str, optional
        For the legend.
    band : Band, optional

    Attributes
    ----------
    line_ : matplotlib line
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from blindauc.metrics import PURocDisplay
    >>> display = PURocDisplay.from_predictions([1, 1, 0, 0, 0, 0], [4, 3, 4, 2, 2, 1], prior=0.25, name="mine")
    >>> display.ax_.get_ylabel()
    'True positive rate'
    """

    _band_of = staticmethod(pu_roc_band)

    def __init__(
        self, curve: PURocCurve, *, roc_auc: float | None = None, name: str | None = None, band: Band | None = None
    ) -> None:
        self.curve, self.roc_auc, self.name, self.band = curve, roc_auc, name, band

    @classmethod
    def _of(cls, y_pu: Any, y_score: Any, **data: Any) -> Self:
        return cls(pu_roc_curve(y_pu, y_score, **data), roc_auc=pu_auc_score(y_pu, y_score, **data))

    @property
    def _line(self) -> _Line:
        names = "False positive rate", "True positive rate"
        return _Line(self.curve.fpr, self.curve.tpr, *names, "AUC", self.roc_auc, style={})


class PUPrecisionRecallDisplay(_CurveDisplay):
    """A precision-recall curve from positive and unlabelled rows.

    Parameters
    ----------
    curve : PUPrecisionRecallCurve
    average_precision : float, optional
        For the legend.
    name : str, optional
        For the legend.
    band : Band, optional

    Attributes
    ----------
    line_ : matplotlib line
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from blindauc.metrics import PUPrecisionRecallDisplay
    >>> display = PUPrecisionRecallDisplay.from_predictions([1, 1, 0, 0, 0, 0], [4, 3, 4, 2, 2, 1], prior=0.25)
    >>> display.line_.get_label()
    'AP 0.750'
    """

    _band_of = staticmethod(pu_precision_recall_band)

    def __init__(
        self,
        curve: PUPrecisionRecallCurve,
        *,
        average_precision: float | None = None,
        name: str | None = None,
        band: Band | None = None,
    ) -> None:
        self.curve, self.average_precision, self.name, self.band = curve, average_precision, name, band

    @classmethod
    def _of(cls, y_pu: Any, y_score: Any, **data: Any) -> Self:
        curve = pu_precision_recall_curve(y_pu, y_score, **data)
        return cls(curve, average_precision=average_precision_of(curve))

    @property
    def _line(self) -> _Line:
        # Between two thresholds precision is that of the lower one, as in average precision.
        style = {"drawstyle": "steps-pre"}
        curve = self.curve
        return _Line(curve.recall, curve.precision, "Recall", "Precision", "AP", self.average_precision, style)


def _label(name: str | None, measure: str, value: float | None) -> str | None:
    if value is None:
        return name
    # An Estimate writes its interval too.
    number = str(value) if isinstance(value, Estimate) else f"{value:.3f}"
    return f"{measure} {number}" if name is None else f"{name}: {measure} {number}"


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError('Drawing a curve needs matplotlib: pip install "blindauc[plot]"') from error
    return plt
