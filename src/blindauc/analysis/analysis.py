"""From a table to a model, a ranking, the labels to doubt and all that a report tells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from sklearn.pipeline import Pipeline

from blindauc import progress
from blindauc._typing import Floats
from blindauc.analysis.auditing import doubtful
from blindauc.analysis.belonging import ranked_groups
from blindauc.analysis.checks import checks_told
from blindauc.analysis.effects import effects_told, pairs_told
from blindauc.analysis.expectations import found_told, wrong_told
from blindauc.analysis.features import feature_table
from blindauc.analysis.grouping import Groups
from blindauc.analysis.inputs import GivenKind, Inputs, Wishes, read_inputs
from blindauc.analysis.judging import HeldOutRanks
from blindauc.analysis.options import Options
from blindauc.analysis.pipeline import Steps, joined
from blindauc.analysis.provenance import plain
from blindauc.analysis.ranking import cases_told, ranked_rows
from blindauc.analysis.selection import selection_frequency
from blindauc.analysis.telling import baseline_told, doubts_told, features_told, interval, tuning_told
from blindauc.analysis.training import remembered
from blindauc.checked import UNCHECKED, as_words
from blindauc.preprocessing import feature_groups, make_preprocessor
from blindauc.prior import is_told
from blindauc.report.findings import Asked, Findings
from blindauc.trust.judgement import is_judged

SHARES = {"encoding": 4.0, "fit": 90.0, "reasons and stability": 6.0}
"""What takes which share of the time: measured on the demo and on a table of 20,000 rows and 60 columns."""


@dataclass(frozen=True)
class Analysis:
    """What a table says.

    Attributes
    ----------
    model : Pipeline of a preprocessor and a `BlindAUCClassifierCV`, for `blindauc.save`
    findings : Findings, all that a report tells
    ranking : DataFrame of all rows, the most likely positive first: `id` where a column names the rows, `group` with
        `rows_by`, `row` from 1, the first row below the header, the columns of `show`, `rank`, `score`, `probability`
        with its 95 % interval from `probability_low` to `probability_high`, all three those of a row that is not
        labelled, `labelled`, and `reason` in words for the first 1,000 unlabelled rows. Where the prior is neither
        given nor told by the data, `probability` is missing, and its ends span what different priors give
    doubtful : DataFrame of the labelled rows, the most doubtful first, as `audit` gives it
    features : DataFrame of all columns, those of the largest weight first: `column`, `source`, `weight`, `direction`,
        `inclusion`, `selected`, `frequency`, `step`, `unit`, `climb` and `bends`
    groups : DataFrame of whom the rows belong to, with `rows_by`, and None without: `group`, `rank`, `row`, `score` and
        `probability` of its best row with its interval, `n_rows` and `n_labelled`
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
    positive: str | None = None,
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

    Kinds of columns are guessed, missing values filled, categories encoded; what comes from one column is selected
    together. All choices are made from the labels that there are.

    Parameters
    ----------
    frame : DataFrame of pandas or polars
    label : str
        The column of the labels.
    positive : str, optional
        Its value that means positive. Not needed where it holds one value and blanks, or yes and no.
    id : str, optional
        A column that names the rows, each another.
    drop : sequence of str
        Columns to leave out.
    groups : str or mapping, optional
        Columns to be selected together: a regular expression with one group in brackets, in which they have the same,
        such as "(.*) day"; or the group of each column that is in one.
    rows_by : str, optional
        A column that says whom rows belong to, such as the patient: they are never judged by a fit to others of the
        same, and `Analysis.groups` ranks patients.
    time : str, optional
        A column that says when rows were, as dates or numbers: they are judged by fits to earlier rows.
    categorical, numeric, date : sequence of str
        Columns that are of this kind, whatever they look like. Dates given so are read with the day first where that
        is not plain.
    allow_leaks : sequence of str
        Columns to use although they give the label away (`find_leaks`).
    checked : str or array-like of shape (n,), optional
        What people found who checked rows, as in `BlindAUCClassifierCV.fit`: a column that says so, or one entry for
        each row.
    prior : float, optional
        The share of positives among the unlabelled rows, if it is known.
    capacity : int, optional
        How many unlabelled rows you can check: `Findings.found` says how many positives to expect among them.
    show : sequence of str
        Columns to go with each row of the ranking, also such as are not learnt from.
    shape : {"auto", "linear", "curves", "kernel", "trees"} or sequence of them, default="auto"
        What scores may look like, as in `BlindAUCClassifierCV`; "auto" tries all shapes that are installed.
    random_state : int, optional
        Draws other folds.
    n_jobs : int, optional
        Fits side by side.
    verbose : int, default=0
        Whether to show progress.
    name : str
        What the table is called in the findings.

    Returns
    -------
    Analysis

    Raises
    ------
    ValueError
        One line that says what was expected, what came and what to do.
    LeakError
        The same where columns give the label away.

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
        options.wanted.check(inputs)
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
        return told(inputs, Steps(preprocessor, ranking), X, options, options.origin(wishes))


def told(inputs: Inputs, steps: Steps, X: Floats, options: Options, origin: dict[str, Any]) -> Analysis:
    """All that a fitted model and its rows say."""
    is_positive, ranking, wanted = inputs.labels.is_positive, steps.ranking, options.wanted
    seed = 0 if ranking.random_state is None else ranking.random_state
    scores = ranking.decision_function(X)
    ranked = ranked_rows(inputs, steps, X, wanted.show)
    is_open = ~is_positive if inputs.verdict is None else ~is_positive & (inputs.verdict == UNCHECKED)
    unlabelled_scores = scores[is_open] if inputs.whole is None else inputs.whole.unlabelled_scores
    doubts = doubtful(steps, inputs.frame, is_positive, X[is_positive], inputs.id, inputs.numbers)
    frequency = selection_frequency(ranking, X, is_positive, feature_groups(steps.preprocessor), seed)
    features = feature_table(steps, frequency, scores[inputs.is_usual])
    held_out = HeldOutRanks(ranking, is_positive, scores, seed)
    findings = Findings(
        asked=_asked(inputs, steps, options.name),
        auc=interval(ranking.auc_),
        prior=interval(ranking.prior_),
        contamination=interval(ranking.contamination_),
        is_auc_known=is_judged(ranking.calibration_),
        is_prior_known=is_told(ranking.prior_),
        capacity=wanted.capacity,
        found=found_told(steps, unlabelled_scores, wanted.capacity),
        cases=cases_told(inputs, steps, ranked, wanted.show),
        wrong=wrong_told(doubts),
        n_doubtful=len(ranking.doubtful_labels()),
        roc=held_out.roc(),
        ranks=held_out.histogram(),
        tuning=list(tuning_told(ranking)),
        features=features_told(features),
        doubts=doubts_told(doubts),
        baselines=[baseline_told(each) for each in ranking.baselines_],
        chosen=plain(ranking.best_params_),
        provenance=origin,
        effects=effects_told(steps),
        interactions=pairs_told(steps),
        bending=None if ranking.bending_ is None else interval(ranking.bending_),
        shapes=plain(ranking.shapes_),
        checks=checks_told(ranking, inputs.verdict, is_positive),
    )
    groups = None if inputs.row_groups is None else ranked_groups(ranked)
    training = remembered(steps, inputs.frame, scores)
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
