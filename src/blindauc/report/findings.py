"""The content of a report as plain numbers and text: computed once from a fit, stored as JSON, rendered as HTML."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple


class Interval(NamedTuple):
    """A number with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Expected:
    """The expected number of positives or wrong labels among the first `k` rows of a list, with a 95 % interval."""

    k: int
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Asked:
    """The input of the fit.

    Attributes
    ----------
    data : the name of the table
    label, positive : the column of the labels, and its value that means positive
    n_rows, n_labelled : the number of all rows, and of those labelled positive
    n_columns : the number of columns that were used
    set_aside : for each column that was not used, the reason
    n_groups : the number of groups, such as patients; None if rows are not grouped
    notes : remarks about columns, in sentences
    """

    data: str
    label: str
    positive: str
    n_rows: int
    n_labelled: int
    n_columns: int
    set_aside: dict[str, str]
    n_groups: int | None = None
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Checks:
    """The results of checks that people made before the fit.

    Attributes
    ----------
    n_right, n_wrong : checked labels that were right, and wrong
    n_positive, n_negative : checked unlabelled rows that were positive, and negative
    auc : the AUC of positives against the known negatives, which are not a random sample; None if these are too few
    expected : the expected number of wrong labels among those checked, by their out-of-fold ranks alone; None if that
        cannot be estimated, or no label was checked
    """

    n_right: int
    n_wrong: int
    n_positive: int
    n_negative: int
    auc: Interval | None = None
    expected: Interval | None = None

    @classmethod
    def of_json(cls, parts: dict[str, Any] | None) -> Checks | None:
        if parts is None:
            return None
        return cls(**parts | {name: Interval(*parts[name]) for name in ("auc", "expected") if parts.get(name)})

    @property
    def n_labels(self) -> int:
        """Labels that were checked."""
        return self.n_right + self.n_wrong

    @property
    def n_others(self) -> int:
        """Unlabelled rows that were checked."""
        return self.n_positive + self.n_negative


@dataclass(frozen=True)
class Curve:
    """A curve with a band: `low` and `high` are pointwise 95 % limits of `y`."""

    x: list[float]
    y: list[float]
    low: list[float]
    high: list[float]


@dataclass(frozen=True)
class Histogram:
    """Histograms of the out-of-fold ranks of labelled and unlabelled rows, as shares that sum to one."""

    edges: list[float]
    labelled: list[float]
    unlabelled: list[float]


@dataclass(frozen=True)
class TuningSlice:
    """The values of one hyper-parameter that were tried.

    Attributes
    ----------
    name : the hyper-parameter
    values : in increasing order
    scores, errors : the best score with each value, and its standard error
    shares : the weight in the average of all candidates with each value; they sum to one
    chosen : the value of the candidate with the largest weight
    """

    name: str
    values: list[float]
    scores: list[float]
    errors: list[float]
    shares: list[float]
    chosen: float


@dataclass(frozen=True)
class Feature:
    """A column of the table as the ranking uses it.

    Attributes
    ----------
    column : its name; that of a category as in "race=Asian"
    source : the column of the table that it comes from
    weight : the standard deviation of its contribution to the score over the unlabelled rows, negative if the
        contribution mostly decreases with the column
    inclusion : the posterior probability that it belongs in the score
    selected : whether it is selected: columns with an inclusion of at least one half are
    frequency : the share of half-samples in which it was selected (stability selection); None if not computed
    step, unit : the step that `climb` is stated for: one standard deviation of a number, whose unit is unknown and
        blank, or of a date, in "days"; a binary column has a step of one and the unit "yes"
    climb : the share of the unlabelled rows that a row in the middle of them passes by the step; negative if it falls
    bends : the share of the variance of its contribution that a linear function leaves unexplained
    """

    column: str
    source: str
    weight: float
    inclusion: float
    selected: bool
    frequency: float | None
    step: float
    unit: str
    climb: float
    bends: float = 0.0


@dataclass(frozen=True)
class EffectCurve:
    """The contribution of a column to the score, as a function of its value.

    Attributes
    ----------
    column : its name; that of a category as in "race=Asian"
    source : the column of the table that it comes from
    values : a grid of its values, increasing
    contribution : what the column adds to the score at each value; the mean over the unlabelled rows is zero
    low, high : pointwise 95 % limits of `contribution`
    share : the share of the unlabelled rows that are nearest to each value; they sum to one
    unit : "" for a number, "days" since 1970-01-01 for a date, "yes" for a binary column
    words : the curve described in a sentence
    """

    column: str
    source: str
    values: list[float]
    contribution: list[float]
    low: list[float]
    high: list[float]
    share: list[float]
    unit: str
    words: str


@dataclass(frozen=True)
class ColumnPair:
    """An interaction of two columns: `size` is its share of the variance of the score."""

    first: str
    second: str
    size: float


@dataclass(frozen=True)
class Doubt:
    """A labelled positive whose label may be wrong.

    Attributes
    ----------
    row : its number in the table, from 1
    name : its identifier; the row number if it has none
    suspicion : the probability that the label is wrong
    false_alarms : the expected share of correct labels among this and all more suspicious ones
    reason : in words
    """

    row: int
    name: str
    suspicion: float
    false_alarms: float
    reason: str


@dataclass(frozen=True)
class Case:
    """An unlabelled row near the top of the ranking.

    Attributes
    ----------
    row : its number in the table, from 1, the first row below the header
    name : its identifier; the row number if it has none
    rank : its rank among the unlabelled rows, from 1
    probability : the probability that it is positive; if the prior is not identified, only the interval is meaningful
    reason : in words
    cells : the values of the user's columns, as text
    """

    row: int
    name: str
    rank: int
    probability: Interval
    reason: str
    cells: dict[str, str]


@dataclass(frozen=True)
class Baseline:
    """A simpler method, its score, and the advantage of the ranking over it."""

    name: str
    score: float
    advantage: Interval
    is_as_good: bool


@dataclass(frozen=True)
class Findings:
    """The content of a report.

    Attributes
    ----------
    asked : the input of the fit
    auc : the AUC of the ranking on true labels
    prior : the class prior of the unlabelled rows
    contamination : the share of wrong labels
    is_auc_known : whether enough positives were held out to estimate the AUC, and the counts that depend on it
    is_prior_known : whether the prior was given, or its interval is narrow enough to report it as one number
    capacity : the number of unlabelled rows that the user can check; None if not given
    found : expected positives among the first k unlabelled rows, for increasing k from 1 to all; empty if unknown
    cases : the first unlabelled rows of the ranking
    wrong : expected wrong labels among the first k of `doubts`, for increasing k; empty if unknown
    n_doubtful : the number of labels that `doubtful_labels()` flags, with a false discovery rate of at most 20 %
    roc : the ROC curve, estimated without negatives
    ranks : histograms of out-of-fold ranks
    tuning : the hyper-parameter values tried
    features : all columns, in decreasing order of weight
    doubts : all labelled rows, the most suspicious first
    baselines : simpler methods, evaluated on the same folds
    chosen : the parameters of the candidate with the largest weight in the average
    provenance : versions, arguments, seed, date and the hash of the data
    effects : effect curves of the strongest columns, the strongest first; empty if not computed
    interactions : pairs of interacting columns, the strongest first
    bending : the gain in out-of-fold blind AUC over the linear candidates alone; None if there is no other shape, or no
        comparison
    shapes : the weight in the average of each shape that was tried, such as {"linear": 0.2, "curves": 0.8}
    checks : the results of checks made before the fit; None if there were none
    """

    asked: Asked
    auc: Interval
    prior: Interval
    contamination: Interval
    is_auc_known: bool
    is_prior_known: bool
    capacity: int | None
    found: list[Expected]
    cases: list[Case]
    wrong: list[Expected]
    n_doubtful: int
    roc: Curve
    ranks: Histogram
    tuning: list[TuningSlice]
    features: list[Feature]
    doubts: list[Doubt]
    baselines: list[Baseline]
    chosen: dict[str, Any]
    provenance: dict[str, Any]
    effects: list[EffectCurve] = field(default_factory=list)
    interactions: list[ColumnPair] = field(default_factory=list)
    bending: Interval | None = None
    shapes: dict[str, float] = field(default_factory=dict)
    checks: Checks | None = None

    @property
    def selected_columns(self) -> list[str]:
        """The columns of the table that are selected, the strongest first."""
        return list(dict.fromkeys(feature.source for feature in self.features if feature.selected))

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=1, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Findings:
        """Read what `to_json` of this or an earlier version wrote; raise a ValueError for any other text."""
        try:
            parts = json.loads(text)
            bending = parts.pop("bending", None)
            return cls(
                asked=Asked(**parts.pop("asked")),
                auc=Interval(*parts.pop("auc")),
                prior=Interval(*parts.pop("prior")),
                contamination=Interval(*parts.pop("contamination")),
                roc=Curve(**parts.pop("roc")),
                found=[Expected(**each) for each in parts.pop("found")],
                cases=[Case(**each | {"probability": Interval(*each["probability"])}) for each in parts.pop("cases")],
                wrong=[Expected(**each) for each in parts.pop("wrong")],
                ranks=Histogram(**parts.pop("ranks")),
                tuning=[TuningSlice(**each) for each in parts.pop("tuning")],
                features=[Feature(**each) for each in parts.pop("features")],
                doubts=[Doubt(**each) for each in parts.pop("doubts")],
                baselines=[
                    Baseline(**each | {"advantage": Interval(*each["advantage"])}) for each in parts.pop("baselines")
                ],
                # Reports of versions with linear scores only do not have these.
                effects=[EffectCurve(**each) for each in parts.pop("effects", [])],
                interactions=[ColumnPair(**each) for each in parts.pop("interactions", [])],
                bending=None if bending is None else Interval(*bending),
                checks=Checks.of_json(parts.pop("checks", None)),
                **parts,
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ValueError(f"these are no findings of blindauc ({type(error).__name__}: {error})") from error
