"""Several rounds of review: the decisions that a run was fitted with, and those made since."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blindauc.review.exchange import COLUMNS

if TYPE_CHECKING:
    import pandas as pd


def added_up(before: pd.DataFrame, new: pd.DataFrame, names: list[str] | None, n_rows: int) -> pd.DataFrame:
    """The decisions of two rounds as one table, by row number; for a row of both rounds the newer decision counts.

    Parameters
    ----------
    before, new : pandas.DataFrame
        Tables of decisions, as `blindauc.analysis.checks.decided` reads them. Lines without a decision do not count.
    names : list of str or None
        The names of the rows.
    n_rows : int
        The number of rows of the table that the decisions are about.

    Examples
    --------
    >>> import pandas as pd
    >>> from blindauc.review.rounds import added_up
    >>> before = pd.DataFrame({"row": [1, 3], "decision": ["right", "wrong"]})
    >>> new = pd.DataFrame({"id": ["c", "b"], "decision": ["right", "wrong"]})
    >>> added_up(before, new, ["a", "b", "c"], 3)[["row", "decision"]].to_numpy().tolist()
    [[1, 'right'], [2, 'wrong'], [3, 'right']]
    """
    import pandas as pd

    before, new = (_by_number(each, names, n_rows) for each in (before, new))
    both = pd.concat([before[~before["row"].isin(new["row"])], new]).sort_values("row", ignore_index=True)
    return both[[name for name in COLUMNS if name in both]]


def _by_number(decisions: pd.DataFrame, names: list[str] | None, n_rows: int) -> pd.DataFrame:
    from blindauc.analysis.checks import decided, decided_places, is_blank

    decided(decisions, names, n_rows)  # raises if a word is unknown, with the line of the file as it was given
    places = decided_places(decisions, names, n_rows)
    return decisions.assign(row=[place + 1 for place in places])[~is_blank(decisions)]


def decisions_of(ranking: Any) -> pd.DataFrame:
    """The decisions that a ranking was fitted with, as a table; without those that left a row open."""
    import pandas as pd

    negative = set(getattr(ranking, "known_negative_rows_", ()))
    words = [(row + 1, "negative" if row in negative else "positive") for row in ranking.checked_rows.tolist()]
    return pd.DataFrame(words, columns=["row", "decision"])
