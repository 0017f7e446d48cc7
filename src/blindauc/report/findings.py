"""What a report tells, as plain numbers and words: made once from a fit, kept as JSON, drawn as often as you like."""

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
    """How many rows of a kind to expect among the first `k` of a list, with a 95 % interval."""

    k: int
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Asked:
    """What the fit was given.

    Attributes
    ----------
    data : the name of the table
    label, positive : the column of the labels, and its value that means positive
    n_rows, n_labelled : all rows, and those labelled positive
    n_columns : columns that were used
    set_aside : for each column that was not used, the reason in words
    n_groups : how many there are whom rows belong to, such as patients; None where rows stand alone
    notes : what to know about columns, in sentences
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
    """What people found who checked rows before the fit.

    Attributes
    ----------
    n_right, n_wrong : labels that were checked, and are right or wrong
    n_positive, n_negative : unlabelled rows that were checked, and are positive or not
    auc : the AUC of positives against the rows known to be negative, which are no random sample; None where these are
        too few
    expected : how many of the labels that were checked are wrong by their out-of-fold ranks alone; None where that
        cannot be told, or no label was checked
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


@dataclass(frozen=True)
class Curve:
    """A curve with its band; `low` and `high` are pointwise 95 % limits of `y`."""

    x: list[float]
    y: list[float]
    low: list[float]
    high: list[float]


@dataclass(frozen=True)
class Histogram:
    """How the out-of-fold ranks of labelled and of unlabelled rows are spread, as shares that sum to one."""

    edges: list[float]
    labelled: list[float]
    unlabelled: list[float]


@dataclass(frozen=True)
class TuningSlice:
    """The values of one choice that were tried.

    Attributes
    ----------
    name : of the choice
    values : in increasing order
    scores, errors : the best score reached with each value, and its standard error
    shares : of the candidates with each value in the average; they sum to one
    chosen : the value of the candidate with the largest share of all
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
    weight : the standard deviation over the unlabelled rows of what it adds to the score, negative where that mostly
        falls as the column grows
    inclusion : the probability that it belongs in the ranking
    selected : whether it is selected, as columns with an inclusion of at least one half are
    frequency : in which share of half-samples it was selected, None where that was not computed
    step, unit : how much more of it `climb` is for: one standard deviation, in "days" for a date and in its own unit,
        which is not known and blank, for a number; a column that is so or not has a step of one and the unit "yes"
    climb : the share of unlabelled rows that a row in the middle of them passes by the step; negative where it falls
    bends : the share of the variance of what it adds to the score that a straight line misses
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
    """What a column adds to the score, as a function of its value.

    Attributes
    ----------
    column : its name; that of a category as in "race=Asian"
    source : the column of the table that it comes from
    values : a grid of its values, increasing
    contribution : what it adds to the score at each value; its mean over the unlabelled rows is zero
    low, high : pointwise 95 % limits of `contribution`
    share : the share of the unlabelled rows that are nearest to each value; they sum to one
    unit : "" for a number, "days" for a date, which is counted from 1970-01-01, "yes" for a column that is so or not
    words : what the curve says, in a sentence
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
class PairTold:
    """Two columns that add more together than each alone: `size` is their share of the variance of the score."""

    first: str
    second: str
    size: float


@dataclass(frozen=True)
class Doubt:
    """A labelled positive that may be none.

    Attributes
    ----------
    row : its place in the table, from 1
    name : its identifier, or the row again
    suspicion : the probability that the label is wrong
    false_alarms : the expected share of right labels among this and all more doubtful ones
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
    row : its place in the table, from 1, the first row below the header
    name : its identifier, or the row again
    rank : its place among the unlabelled rows, from 1
    probability : that it is positive; where the prior is not known, only the interval means something
    reason : in words
    cells : what the user's own columns hold, as text
    """

    row: int
    name: str
    rank: int
    probability: Interval
    reason: str
    cells: dict[str, str]


@dataclass(frozen=True)
class Baseline:
    """A simpler method, and by how much the ranking is better."""

    name: str
    score: float
    advantage: Interval
    is_as_good: bool


@dataclass(frozen=True)
class Findings:
    """All that a report tells.

    Attributes
    ----------
    asked : what the fit was given
    auc, prior, contamination : of the ranking; of the unlabelled rows; of the labels
    is_auc_known : whether enough positives were held out to estimate the AUC, and with it all that is counted
    is_prior_known : whether the prior is given, or its interval is narrow enough to state it as one number
    capacity : how many unlabelled rows the user can check, None where that was not said
    found : positives among the first k unlabelled rows, for growing k from 1 to all; empty where nothing is known
    cases : the first unlabelled rows of the ranking
    wrong : wrong labels among the first k of `doubts`, for growing k; empty where nothing is known
    n_doubtful : the labels that `doubtful_labels()` names: at most one in five of them is expected to be correct
    roc : the ROC curve, estimated without negatives
    ranks : how rows rank by models that have not seen them
    tuning : slices through what was tried
    features : all columns, those of the largest weight first
    doubts : all labelled rows, the most doubtful first
    baselines : simpler methods, judged by the same folds
    chosen : the parameters of the candidate with the largest weight in the average
    provenance : versions, arguments, seed, date and the hash of the data
    effects : what the strongest columns add to the score, the strongest first; empty where that was not computed
    interactions : pairs of columns that act together, the strongest first
    bending : the out-of-fold blind AUC of the average above that of its linear candidates alone; None where nothing
        bends or nothing could be compared
    shapes : the weight of each shape that was tried in the average, such as {"linear": 0.2, "curves": 0.8}
    checks : what was checked before the fit; None where nothing was
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
    interactions: list[PairTold] = field(default_factory=list)
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
        """The findings that `to_json` wrote, this version or an earlier one; a ValueError where the text is no such."""
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
                # Reports made before scores could bend have none of these.
                effects=[EffectCurve(**each) for each in parts.pop("effects", [])],
                interactions=[PairTold(**each) for each in parts.pop("interactions", [])],
                bending=None if bending is None else Interval(*bending),
                checks=Checks.of_json(parts.pop("checks", None)),
                **parts,
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ValueError(f"these are no findings of blindauc ({type(error).__name__}: {error})") from error
