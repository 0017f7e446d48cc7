"""The two steps of a model: what turns a table into numbers, and what ranks them."""

from __future__ import annotations

from typing import Any, NamedTuple

from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline

from blindauc.estimators.linear import LinearPUModel


class Steps(NamedTuple):
    """A fitted preprocessor from `make_preprocessor`, and a fitted ranking."""

    preprocessor: ColumnTransformer
    ranking: Any

    @property
    def kinds(self) -> dict[str, str]:
        """The kind of every column that the model needs."""
        # A preprocessor also lists, as to be dropped, what it was not told to use.
        return {name: kind for kind, _, names in self.preprocessor.transformers for name in names}

    @property
    def date_formats(self) -> dict[str, str]:
        """How the dates of each column of dates are written."""
        if "date" not in self.preprocessor.named_transformers_:
            return {}
        return dict(self.preprocessor.named_transformers_["date"][0].kw_args["formats"])


def joined(preprocessor: ColumnTransformer, ranking: Any) -> Pipeline:
    """Both steps as a plain pipeline."""
    return Pipeline([("preprocess", preprocessor), ("rank", ranking)])


def steps_of(model: Any) -> Steps:
    """The steps of a model for tables; a ValueError where it is another."""
    if isinstance(model, Pipeline) and len(model) == 2:
        preprocessor, ranking = model[0], model[1]
        if isinstance(preprocessor, ColumnTransformer) and isinstance(ranking, LinearPUModel):
            return Steps(preprocessor, ranking)
    raise ValueError(
        f"The model must be one for tables, a preprocessor and a ranking as blindauc fit writes it, and this is a "
        f"{type(model).__name__}: fit it to a table."
    )
