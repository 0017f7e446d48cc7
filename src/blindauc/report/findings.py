"""What a report tells, as plain numbers and words: made once from a fit, kept as JSON, drawn as often as you like."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple


class Interval(NamedTuple):
    """A number with its 95 % interval."""

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
    """

    data: str
    label: str
    positive: str
    n_rows: int
    n_labelled: int
    n_columns: int
    set_aside: dict[str, str]


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
    """The best score for each value of one choice, with its standard error, and the value of the leading candidate."""

    name: str
    values: list[float]
    scores: list[float]
    errors: list[float]
    chosen: float


@dataclass(frozen=True)
class Feature:
    """A column of the table as the ranking uses it.

    Attributes
    ----------
    column : its name; that of a category as in "race=Asian"
    source : the column of the table that it comes from
    weight : its weight in the ranking, for a column of unit spread
    inclusion : the probability that it belongs in the ranking
    selected : whether it is selected, as columns with an inclusion of at least one half are
    frequency : in which share of half-samples it was selected, None where that was not computed
    """

    column: str
    source: str
    weight: float
    inclusion: float
    selected: bool
    frequency: float | None


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
    n_doubtful : labels to re-check; `n_false_alarms` of them are expected to be correct
    roc, precision_recall : curves estimated without negatives
    ranks : how rows rank by models that have not seen them
    tuning : slices through what was tried
    features : all columns, those of the largest weight first
    doubts : all labelled rows, the most doubtful first
    baselines : simpler methods, judged by the same folds
    chosen : the parameters of the candidate with the largest weight in the average
    provenance : versions, arguments, seed, date and the hash of the data
    """

    asked: Asked
    auc: Interval
    prior: Interval
    contamination: Interval
    n_doubtful: int
    roc: Curve
    precision_recall: Curve
    ranks: Histogram
    tuning: list[TuningSlice]
    features: list[Feature]
    doubts: list[Doubt]
    baselines: list[Baseline]
    chosen: dict[str, Any]
    provenance: dict[str, Any]

    @property
    def n_false_alarms(self) -> int:
        """How many of the labels to re-check are expected to be correct."""
        return round(sum(1 - doubt.suspicion for doubt in self.doubts[: self.n_doubtful]))

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=1, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Findings:
        """The findings that `to_json` wrote; a ValueError where the text is something else."""
        try:
            parts = json.loads(text)
            return cls(
                asked=Asked(**parts.pop("asked")),
                auc=Interval(*parts.pop("auc")),
                prior=Interval(*parts.pop("prior")),
                contamination=Interval(*parts.pop("contamination")),
                roc=Curve(**parts.pop("roc")),
                precision_recall=Curve(**parts.pop("precision_recall")),
                ranks=Histogram(**parts.pop("ranks")),
                tuning=[TuningSlice(**each) for each in parts.pop("tuning")],
                features=[Feature(**each) for each in parts.pop("features")],
                doubts=[Doubt(**each) for each in parts.pop("doubts")],
                baselines=[
                    Baseline(**each | {"advantage": Interval(*each["advantage"])}) for each in parts.pop("baselines")
                ],
                **parts,
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ValueError(f"these are no findings of blindauc ({type(error).__name__}: {error})") from error
