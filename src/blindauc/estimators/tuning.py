"""The fit of the tuned estimators: validate, search, average, calibrate, and compare with baselines."""

from __future__ import annotations

from dataclasses import fields, replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from blindauc.choice.average import Average, averaged
from blindauc.choice.baselines import compare
from blindauc.choice.cost import expected_seconds
from blindauc.choice.growth import grown
from blindauc.choice.progress import fold_report
from blindauc.choice.results import cv_results
from blindauc.choice.search import RULES, Search, race, without_search
from blindauc.choice.space import Choices, Space, space_of
from blindauc.data import Data
from blindauc.estimate import MIN_POSITIVES
from blindauc.estimators.base import PUClassifier, check_shifts_work
from blindauc.estimators.door import opened, read_rows
from blindauc.estimators.explaining import reference_rows
from blindauc.estimators.inputs import check_choice, check_whole
from blindauc.estimators.meaning import meaning_of
from blindauc.estimators.parameters import PUParameters, parameters
from blindauc.estimators.parted import ranks_among, searched
from blindauc.estimators.reading import ScreenedRows
from blindauc.estimators.space import read_choices
from blindauc.estimators.summary import summary_of
from blindauc.evidence.folds import Split, fold_splits, splits_of
from blindauc.evidence.out_of_fold import mean_estimate
from blindauc.progress import At, duration, steps
from blindauc.rows.parts import PartedRows
from blindauc.scorers import Spec
from blindauc.scorers.linear import LinearScorer
from blindauc.scorers.mixed import SELECTING, MixedScorer

REPEATED_BELOW = 300
"""With fewer labelled positives the folds are repeated once; the ablation table of the documentation has the gain."""

PASSES = 80
"""The approximate number of passes over rows that are not in memory, to fit the leading candidate and ten others.

72 were counted on 100,000 rows of 20 columns with a sample of 6,125 rows and 2,000 positives.
"""

SHARES = {"search": 90.0, "average of candidates": 7.0, "calibration": 2.0, "simpler methods": 1.0}
"""The shares of the time of each step, measured on tables of 600 to 200,000 rows with the default shapes."""

PASSES_OF_A_MILLION = 0.6
"""Added to the share of the average per million cells of rows that are not in memory, because each pass reads all of
them: measured on 1 million rows of 19 columns in a Parquet file."""


@parameters()
class TunedPUClassifier(PUParameters):
    """Base class of the tuned classifiers."""

    n_features_to_select: Any = "auto"
    n_outliers: Any = "auto"
    shape: Any = "auto"
    gamma: Any = "auto"
    n_leaves: Any = "auto"
    n_rounds: Any = "auto"
    l2: Any = "auto"
    scaling: Any = "auto"
    loss: Any = "logistic"
    known_negative_share: Any = "auto"
    rule: str = "average"
    rank_by: str = "all"
    cv: Any = 5
    n_repeats: Any = "auto"
    grow_unlabelled: bool = False
    n_jobs: int | None = None

    _estimator: ClassVar[type[PUClassifier]]

    def _fit_to(self, X: Any, y: Any, sample_weight: Any, **known: Any) -> None:
        with steps(_shares(X), is_shown=bool(self.verbose)) as at, opened(self, X, y, sample_weight) as parts:
            at("search")
            rows = read_rows(self, parts, X, y, sample_weight, **known).counted()
            self._features(rows.data)  # the groups are validated before they are counted
            choices = read_choices(self, rows)
            if self.rank_by == "support" and set(choices.shapes) == {"kernel"}:
                raise ValueError('shape="kernel" selects no columns: choose rank_by="all", or add another shape.')
            scorer = self._scorer(rows.data, choices.shapes, choices.gammas)
            _check_outliers_can_be_shifted(scorer, choices)
            space = space_of(scorer, rows.data, choices)
            labelled_share = rows.labelled_share
            if self.grow_unlabelled:
                data, self.growth_path_ = grown(scorer, rows.data, space.likeliest)
                rows = replace(rows, data=data)
            search = self._searched(scorer, searched(rows), rows.n_rows, space, at)
            self._store_search(search, rows)
            at("average of candidates")
            best = self._like(self.best_params_)
            in_memory = rows.parts is None
            with rows.passes_reported(
                lambda n: at("average of candidates", min(n / PASSES, 1.0), f"{n} passes over all rows")
            ):
                self.best_estimator_ = (
                    best.fit(X, y, sample_weight, checked=known["checked"]) if in_memory else best.fit(rows.engine)
                )
                average = averaged(scorer, search, self.rank_by == "support", rows.parts)
            at("calibration")
            self._store_average(rows, search.data, average, labelled_share)
            at("simpler methods")
            self._store_comparisons(search, average, rows)

    def _check_params(self) -> None:
        super()._check_params()
        check_choice("rule", self.rule, tuple(RULES))
        check_choice("rank_by", self.rank_by, ("all", "support"))
        if self.n_repeats != "auto":
            check_whole("n_repeats", self.n_repeats, at_least=1)
        if isinstance(self.cv, Real):
            check_whole("cv", self.cv, at_least=2)

    def _like(self, choices: dict[str, Any]) -> PUClassifier:
        """The estimator with these hyper-parameters, without calibration."""
        chosen = {each.name for each in fields(Spec)}
        names = [each.name for each in fields(self._estimator) if each.name not in chosen and hasattr(self, each.name)]
        # A shape that does not select columns does not accept groups of columns.
        of_no_use = set() if choices["shape"] in SELECTING else {"groups", "sparsity"}
        shared = {name: getattr(self, name) for name in names if name not in of_no_use}
        return self._estimator(**shared | choices | {"solver": "path", "calibrate": False, "verbose": 0})

    def _searched(self, scorer: MixedScorer, data: Data, n_rows: int, space: Space, at: At) -> Search:
        splits = self._splits(data, n_rows)
        if not splits:
            return without_search(data, space.likeliest)
        if self.verbose:
            seconds = expected_seconds(scorer, data, space.specs, splits)
            at("search", words=f"search, about {duration(seconds)}")
        report = fold_report(at, "search", len(splits))
        return race(scorer, data, space.specs, space.belief, splits, rule=self.rule, n_jobs=self.n_jobs, report=report)

    def _splits(self, data: Data, n_rows: int) -> list[Split]:
        """All cross-validation splits; none if there are too few positives."""
        if not isinstance(self.cv, Integral):
            if data.time is not None:
                raise ValueError("cv and time both say which rows are held out: pass a number of folds, or no time.")
            return splits_of(self.cv, data, n_rows)
        n_repeats = self.n_repeats
        if n_repeats == "auto":
            n_repeats = 2 if data.is_positive.sum() < REPEATED_BELOW else 1
        # Splits by time are deterministic: a repeat would be the same.
        n_repeats = 1 if data.time is not None else n_repeats
        first = int(check_random_state(self.random_state).randint(2**31)) if self.random_state is not None else 0
        repeats = [fold_splits(data, int(self.cv), first + k, min_pos=MIN_POSITIVES) for k in range(int(n_repeats))]
        return [split for repeat in repeats for split in repeat]

    def _store_search(self, search: Search, rows: ScreenedRows) -> None:
        def params_of(spec: Spec) -> dict[str, Any]:
            return spec.params | {"n_outliers": rows.total_share(spec.n_outliers)}

        self.cv_results_ = cv_results(search, params_of) if search.tried else {}
        self.best_index_ = [each.spec for each in search.tried].index(search.leader) if search.tried else 0
        self.best_params_ = params_of(search.leader)
        self.shapes_ = search.by_shape()

    def _store_average(self, rows: ScreenedRows, compared: Data, average: Average, labelled_share: float) -> None:
        data = rows.data
        self.model_, self.support_ = average.model, average.support
        self.inclusion_, self.support_cost_ = average.inclusion, average.support_cost
        self.bending_ = average.bending
        self.spread_ = rows.spread
        # The search repeats rows of weight two; if one copy is left out, so is the row.
        row = data.row[data.is_positive]
        left_out = np.isin(row, row[average.left_out])
        self._store_outliers(rows, left_out, np.where(left_out, np.inf, 0.0))
        self.n_iter_ = self.best_estimator_.n_iter_
        scores = data.scored_by(self.model_)
        meaning = meaning_of(
            data,
            scores,
            ranks_among(average.ranks, compared, data),
            self.prior,
            self.sampling,
            labelled_share,
            self.outliers_,
        ).with_leverage(rows.leverage_rows)
        self._store_meaning(meaning, data, scores, self.threshold)
        reference = reference_rows(rows.explained_by)
        self._store_usual(reference)
        self._store_explanation(reference, compared, average.folds)

    def _store_comparisons(self, search: Search, average: Average, rows: ScreenedRows) -> None:
        """Store the out-of-fold ranks, their mean and the comparisons with baselines."""
        data, rank = search.data, average.ranks.mean_rank
        if rows.parts is None:
            self.held_out_rank_ = np.full(rows.n_rows, np.nan)
            self.held_out_rank_[data.row] = average.ranks.rank
        else:
            self.held_out_rank_, self.sampled_rows_ = average.ranks.rank, data.row
        if not search.splits:
            self.best_score_, self.baselines_ = np.nan, []
            return
        held_out = data.is_positive & ~np.isnan(rank)
        self.best_score_ = float(mean_estimate(rank[held_out], data.weight[held_out]))
        self.baselines_ = compare(data.as_numbers(), search.splits, rank[data.is_positive], self.n_jobs)

    def summary(self) -> str:
        """The chosen hyper-parameters and the estimated performance, in a few lines of plain text.

        Returns
        -------
        str
        """
        check_is_fitted(self)
        return summary_of(self)


def _shares(X: Any) -> dict[str, float]:
    """The shares of the time of each step. The search uses a sample of rows in parts, the average passes over all."""
    if not isinstance(X, PartedRows):
        return SHARES
    of_passes = PASSES_OF_A_MILLION * X.n_rows * X.n_features / 1e6
    return SHARES | {"average of candidates": SHARES["average of candidates"] + of_passes}


def _check_outliers_can_be_shifted(scorer: MixedScorer, choices: Choices) -> None:
    linear = scorer.of_family.get("linear")  # only linear scores have shifts
    if isinstance(linear, LinearScorer):
        check_shifts_work(linear, choices.losses[0], int(max(choices.outlier_shares) > 0))
