"""From a table to a model, a ranking, the doubtful labels and the findings of a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from sklearn.pipeline import Pipeline

from blindauc import progress
from blindauc._typing import Floats
from blindauc.analysis.as_findings import baseline_finding, doubt_findings, feature_findings, interval, tuning_slices
from blindauc.analysis.auditing import doubtful
from blindauc.analysis.checks import check_findings
from blindauc.analysis.effects import effect_curves, interaction_findings
from blindauc.analysis.expectations import expected_positives, expected_wrong_labels
from blindauc.analysis.features import feature_table
from blindauc.analysis.grouping import Groups
from blindauc.analysis.groups_and_times import ranked_groups
from blindauc.analysis.inputs import GivenKind, Inputs, Wishes, read_inputs
from blindauc.analysis.labels import Positive
from blindauc.analysis.options import Options
from blindauc.analysis.pipeline import Steps, joined
from blindauc.analysis.provenance import plain
from blindauc.analysis.rank_curves import OutOfFoldRanks
from blindauc.analysis.ranking import ranked_rows, top_cases
from blindauc.analysis.selection import selection_frequency
from blindauc.analysis.training_summary import summarise_training
from blindauc.checked import UNCHECKED, as_words
from blindauc.preprocessing import feature_groups, make_preprocessor
from blindauc.prior import is_identified
from blindauc.report.findings import Asked, Findings
from blindauc.trust.ranks import has_evidence

SHARES = {"encoding": 2.0, "fit": 94.0, "reasons and stability": 4.0}
"""Percent of the run time of each step, for the progress bar: measured on tables of 600 to 3,000 rows with the default
shapes."""


@dataclass(frozen=True)
class Analysis:
    """The results of `analyse`: a fitted model and its findings about the table.

    Attributes
    ----------
    model : Pipeline of a preprocessor and a `BlindAUCClassifierCV`, for `blindauc.save`
    findings : Findings, the content of the report
    ranking : DataFrame of all rows, the most likely positive first. Its columns are `id` (with `id=`), `group` (with
        `rows_by=`), `row` (the row number, 1 for the first row below the header), the columns of `show=`, `rank`,
        `score`, `probability` and its 95 % interval from `probability_low` to `probability_high`, `labelled`,
        `checked` (if rows were checked: "positive" or "negative", blank for all others), and `reason`, a text for the
        first 1,000 unlabelled rows. All probabilities are those of an unlabelled row with this score. Where the class
        prior is neither given nor identified by the data, `probability` is missing and the interval covers all
        plausible priors
    doubtful : DataFrame of the labelled rows, the most doubtful first, as `audit` returns it
    features : DataFrame of all columns, the largest weights first: `column`, `source`, `weight`, `direction`,
        `inclusion`, `selected`, `frequency`, `step`, `unit`, `climb` and `bends`
    groups : DataFrame of the groups of rows with `rows_by=`, otherwise None: `group`, `rank`, the `row`, `score` and
        `probability` of its best row with the interval, `n_rows` and `n_labelled`
    """

    model: Pipeline
    findings: Findings
    ranking: pd.DataFrame
    doubtful: pd.DataFrame
    features: pd.DataFrame
    groups: pd.DataFrame | None = None


def analyse(
    frame: Any,
    label: str,
    *,
    positive: Positive = None,
    id: str | None = None,
    drop: Sequence[str] = (),
    groups: Groups | None = None,
    rows_by: str | None = None,
    time: str | None = None,
    categorical: Sequence[str] = (),
    numeric: Sequence[str] = (),
    date: Sequence[str] = (),
    allow_leaks: Sequence[str] = (),
    checked: Any = None,
    prior: float | None = None,
    capacity: int | None = None,
    show: Sequence[str] = (),
    shape: str | Sequence[str] = "auto",
    random_state: int | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    name: str = "table",
) -> Analysis:
    """Learn to rank the rows of a table, some of which are labelled positive.

    The kind of every column is guessed, missing values are imputed and categories are one-hot encoded; all encoded
    columns of one table column are selected together. Every setting is chosen from the given labels alone.

    Parameters
    ----------
    frame : DataFrame of pandas or polars
    label : str
        The column of the labels.
    positive : str or sequence of str, optional
        The value of that column that means positive, or several such values. Not needed if the column holds a single
        value and blanks, or yes and no.
    id : str, optional
        A column with a unique name for every row.
    drop : sequence of str
        Columns to leave out.
    groups : str or mapping, optional
        Columns to be selected together. Either a regular expression with one capturing group, such as "(.*) day":
        columns with the same captured text form a group. Or a mapping from column name to group.
    rows_by : str, optional
        A column that names the group of each row, such as the patient. Rows of one group always share a
        cross-validation fold, and `Analysis.groups` ranks the groups.
    time : str, optional
        A column with the time of each row, as dates or numbers. Every row is then evaluated by models fitted to
        earlier rows only.
    categorical, numeric, date : sequence of str
        Columns of a given kind; the kinds of all others are guessed. Ambiguous dates in `date` columns are read with
        the day first.
    allow_leaks : sequence of str
        Columns to use although they give the label away (see `find_leaks`).
    checked : str or array-like of shape (n,), optional
        The results of a manual check of some rows, as in `BlindAUCClassifierCV.fit`: the name of a column, or one
        entry per row.
    prior : float, optional
        The class prior: the share of positives among the unlabelled rows, if you know it.
    capacity : int, optional
        How many unlabelled rows you can check; `Findings.found` then has the expected number of positives among them.
    show : sequence of str
        Columns to include in the ranking, whether the model uses them or not.
    shape : {"auto", "linear", "curves", "kernel", "trees"} or sequence of them, default="auto"
        The shapes of score to try, as in `BlindAUCClassifierCV`; "auto" tries all that are installed.
    random_state : int, optional
        Seed of the cross-validation folds.
    n_jobs : int, optional
        Number of fits that run in parallel.
    verbose : int, default=0
        Whether to show progress.
    name : str
        The name of the table in the findings.

    Returns
    -------
    Analysis

    Raises
    ------
    ValueError
        If the input cannot be used. The message says what was expected, what was found and what to do.
    LeakError
        If columns give the label away.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from blindauc.analysis import analyse
    >>> rng = np.random.default_rng(0)
    >>> is_ill = np.arange(120) < 40
    >>> table = pd.DataFrame({"crp": rng.normal(5 + 3 * is_ill), "age": rng.normal(50, 10, 120)})
    >>> table["infected"] = np.where(np.arange(120) < 20, "yes", "")
    >>> analysis = analyse(table, "infected", shape="linear")
    >>> analysis.features["column"][0], analysis.features["direction"][0]
    ('crp', 'raises')
    >>> analysis.findings.asked.n_labelled
    20
    """
    kinds: dict[GivenKind, Sequence[str]] = {"categorical": categorical, "numeric": numeric, "date": date}
    wishes = Wishes(label, positive, id, drop, groups, rows_by, time, allow_leaks, kinds, checked)
    options = Options(prior, capacity, show, shape, random_state, n_jobs, verbose, name)
    with progress.steps(SHARES, is_shown=bool(verbose)) as at:
        at("encoding")
        options.check_shapes()
        inputs = read_inputs(frame, wishes)
        options.wanted.check_capacity(inputs.n_unlabelled)
        options.wanted.check_columns(list(frame.columns))
        preprocessor = make_preprocessor(inputs.columns, kinds=inputs.kinds)
        X = preprocessor.fit_transform(inputs.columns)
        at("fit")
        ranking = options.ranking(preprocessor, inputs.group_of).fit(
            X,
            inputs.labels.is_positive,
            groups=inputs.row_groups,
            time=inputs.times,
            checked=None if inputs.verdict is None else as_words(inputs.verdict),
        )
        at("reasons and stability")
        return build_analysis(inputs, Steps(preprocessor, ranking), X, options, options.origin(wishes))


def build_analysis(inputs: Inputs, steps: Steps, X: Floats, options: Options, origin: dict[str, Any]) -> Analysis:
    """The analysis of a fitted model and its training rows."""
    is_positive, ranking, wanted = inputs.labels.is_positive, steps.ranking, options.wanted
    seed = 0 if ranking.random_state is None else ranking.random_state
    scores = ranking.decision_function(X)
    ranked = ranked_rows(inputs, steps, X, wanted.show)
    is_open = ~is_positive if inputs.verdict is None else ~is_positive & (inputs.verdict == UNCHECKED)
    unlabelled_scores = scores[is_open] if inputs.whole is None else inputs.whole.unlabelled_scores
    doubts = doubtful(steps, inputs.frame, is_positive, X[is_positive], inputs.id, inputs.numbers)
    # Of a larger table, the rows at the top of the ranking are at hand, too, and are no random sample.
    some = is_positive | inputs.is_usual
    frequency = selection_frequency(ranking, X[some], is_positive[some], feature_groups(steps.preprocessor), seed)
    features = feature_table(steps, frequency, scores[inputs.is_usual])
    held_out = OutOfFoldRanks(ranking, is_positive, scores, seed)
    findings = Findings(
        asked=_asked(inputs, steps, options.name),
        auc=interval(ranking.auc_),
        prior=interval(ranking.prior_),
        contamination=interval(ranking.contamination_),
        is_auc_known=has_evidence(ranking.calibration_),
        is_prior_known=is_identified(ranking.prior_),
        capacity=wanted.capacity,
        found=expected_positives(steps, unlabelled_scores, wanted.capacity),
        cases=top_cases(inputs, steps, ranked, wanted.show),
        wrong=expected_wrong_labels(doubts),
        n_doubtful=len(ranking.doubtful_labels()),
        roc=held_out.roc(),
        ranks=held_out.histogram(),
        tuning=list(tuning_slices(ranking)),
        features=feature_findings(features),
        doubts=doubt_findings(doubts),
        baselines=[baseline_finding(each) for each in ranking.baselines_],
        chosen=plain(ranking.best_params_),
        provenance=origin,
        effects=effect_curves(steps),
        interactions=interaction_findings(steps),
        bending=None if ranking.bending_ is None else interval(ranking.bending_),
        shapes=plain(ranking.shapes_),
        checks=check_findings(ranking, inputs.verdict, is_positive),
    )
    groups = None if inputs.row_groups is None else ranked_groups(ranked)
    training = summarise_training(steps, inputs.frame, scores)
    return Analysis(joined(*steps, training.to_json()), findings, ranked, doubts, features, groups)


def _asked(inputs: Inputs, steps: Steps, name: str) -> Asked:
    return Asked(
        data=name,
        label=inputs.label,
        positive=inputs.labels.positive,
        n_rows=inputs.n_rows,
        n_labelled=int(inputs.labels.is_positive.sum()),
        n_columns=len(steps.kinds),
        set_aside=inputs.set_aside,
        n_groups=inputs.n_groups,
        notes=inputs.notes,
    )
