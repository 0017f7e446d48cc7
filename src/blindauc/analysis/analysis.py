"""From a table to a model, a ranking, the labels to doubt and all that a report tells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from sklearn.pipeline import Pipeline

from blindauc._typing import Floats
from blindauc.analysis.auditing import doubtful
from blindauc.analysis.features import feature_table
from blindauc.analysis.grouping import Groups, sparsity_of
from blindauc.analysis.inputs import Inputs, read_inputs
from blindauc.analysis.judging import HeldOutRanks
from blindauc.analysis.pipeline import Steps, joined
from blindauc.analysis.provenance import plain, provenance
from blindauc.analysis.rows import named_rows
from blindauc.analysis.scoring import ranks_of, scores_of
from blindauc.analysis.selection import selection_frequency
from blindauc.analysis.telling import baseline_told, doubts_told, features_told, interval, tuning_told
from blindauc.estimators import BlindAUCClassifierCV
from blindauc.preprocessing import feature_groups, make_preprocessor
from blindauc.report.findings import Asked, Findings


@dataclass(frozen=True)
class Analysis:
    """What a table says.

    Attributes
    ----------
    model : Pipeline of a preprocessor and a `BlindAUCClassifierCV`, for `blindauc.save`
    findings : Findings, all that a report tells
    ranking : DataFrame of all rows, the most likely positive first: `id` where a column names the rows, `row` from 1,
        `score`, `probability`, `rank` and `labelled`
    doubtful : DataFrame of the labelled rows, the most doubtful first, as `audit` gives it
    features : DataFrame of all columns, those of the largest weight first: `column`, `source`, `weight`, `direction`,
        `inclusion`, `selected` and `frequency`
    """

    model: Pipeline
    findings: Findings
    ranking: pd.DataFrame
    doubtful: pd.DataFrame
    features: pd.DataFrame


def analyse(
    frame: pd.DataFrame,
    label: str,
    *,
    positive: str | None = None,
    id: str | None = None,
    drop: Sequence[str] = (),
    groups: Groups | None = None,
    prior: float | None = None,
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
    frame : pandas.DataFrame
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
    prior : float, optional
        The share of positives among the unlabelled rows, if it is known.
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

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from blindauc.analysis import analyse
    >>> rng = np.random.default_rng(0)
    >>> is_ill = np.arange(120) < 40
    >>> table = pd.DataFrame({"crp": rng.normal(5 + 3 * is_ill), "age": rng.normal(50, 10, 120)})
    >>> table["infected"] = np.where(np.arange(120) < 20, "yes", "")
    >>> analysis = analyse(table, "infected")
    >>> analysis.features["column"][0], analysis.features["direction"][0]
    ('crp', 'raises')
    >>> analysis.findings.asked.n_labelled
    20
    """
    inputs = read_inputs(frame, label, positive, id, drop, groups)
    preprocessor = make_preprocessor(inputs.columns, kinds=inputs.kinds)
    X = preprocessor.fit_transform(inputs.columns)
    ranking = BlindAUCClassifierCV(
        **sparsity_of(preprocessor, inputs.group_of),
        prior=prior,
        random_state=random_state,
        n_jobs=n_jobs,
        verbose=verbose,
    ).fit(X, inputs.labels.is_positive)
    given = {"label": label, "positive": positive, "id": id, "drop": drop, "groups": groups, "prior": prior}
    return _told(inputs, Steps(preprocessor, ranking), X, name, provenance(given, seed=random_state))


def _told(inputs: Inputs, steps: Steps, X: Floats, name: str, origin: dict[str, Any]) -> Analysis:
    """All that a fitted model and its rows say."""
    is_positive, ranking = inputs.labels.is_positive, steps.ranking
    seed = 0 if ranking.random_state is None else ranking.random_state
    scores = scores_of(steps, X, inputs.frame.index)
    doubts = doubtful(steps, inputs.frame, is_positive, X[is_positive], inputs.id)
    frequency = selection_frequency(ranking, X, is_positive, feature_groups(steps.preprocessor), seed)
    features = feature_table(steps, frequency)
    held_out = HeldOutRanks(ranking, is_positive, scores["score"].to_numpy(), seed)
    findings = Findings(
        asked=_asked(inputs, steps, name),
        auc=interval(ranking.auc_),
        prior=interval(ranking.prior_),
        contamination=interval(ranking.contamination_),
        n_doubtful=len(ranking.doubtful_labels()),
        roc=held_out.roc(),
        precision_recall=held_out.precision_recall(),
        ranks=held_out.histogram(),
        tuning=list(tuning_told(ranking)),
        features=features_told(features),
        doubts=doubts_told(doubts),
        baselines=[baseline_told(each) for each in ranking.baselines_],
        chosen=plain(ranking.best_params_),
        provenance=origin,
    )
    return Analysis(joined(*steps), findings, _ranked(inputs, scores), doubts, features)


def _asked(inputs: Inputs, steps: Steps, name: str) -> Asked:
    return Asked(
        data=name,
        label=inputs.label,
        positive=inputs.labels.positive,
        n_rows=len(inputs.frame),
        n_labelled=int(inputs.labels.is_positive.sum()),
        n_columns=len(steps.kinds),
        set_aside=inputs.set_aside,
    )


def _ranked(inputs: Inputs, scores: pd.DataFrame) -> pd.DataFrame:
    rows = pd.concat([named_rows(inputs.frame, inputs.id), scores], axis=1)
    rows = rows.assign(rank=ranks_of(scores["score"].to_numpy()), labelled=inputs.labels.is_positive)
    return rows.sort_values("rank", kind="stable", ignore_index=True)
