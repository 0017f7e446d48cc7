"""The two steps of a model: what turns a table into numbers, and what ranks them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline

from blindauc.estimators.ranking import PURanking
from blindauc.preprocessing import feature_groups, group_names


class Steps(NamedTuple):
    """A fitted preprocessor from `make_preprocessor`, and a fitted ranking."""

    preprocessor: ColumnTransformer
    ranking: Any

    @property
    def kinds(self) -> dict[str, str]:
        """The kind of every column that the model was fitted to."""
        # A preprocessor also lists, as to be dropped, what it was not told to use.
        return {name: kind for kind, _, names in self.preprocessor.transformers for name in names}

    @property
    def needed(self) -> dict[str, str]:
        """The kind of every column that the score uses; whatever the others hold, it is the same."""
        names = np.array(group_names(self.preprocessor), dtype=object)
        used = set(names[feature_groups(self.preprocessor)[self.ranking.model_.columns]])
        return {name: kind for name, kind in self.kinds.items() if name in used}

    @property
    def categories(self) -> dict[str, frozenset[str]]:
        """The categories of each column of them that were there in fitting, also the rare ones."""
        if "categorical" not in self.preprocessor.named_transformers_:
            return {}
        names = [name for name, kind in self.kinds.items() if kind == "categorical"]
        encoder = self.preprocessor.named_transformers_["categorical"][-1]
        return {
            name: frozenset(text for text in texts if isinstance(text, str))
            for name, texts in zip(names, encoder.categories_, strict=True)
        }

    @property
    def date_formats(self) -> dict[str, str]:
        """How the dates of each column of dates are written."""
        if "date" not in self.preprocessor.named_transformers_:
            return {}
        return dict(self.preprocessor.named_transformers_["date"][0].kw_args["formats"])


def joined(preprocessor: ColumnTransformer, ranking: Any, training: str) -> Pipeline:
    """Both steps as a plain pipeline, which remembers what rows it was fitted to (`blindauc.analysis.training_summary`)."""
    model = Pipeline([("preprocess", preprocessor), ("rank", ranking)])
    model.training_ = training
    return model


def steps_of(model: Any) -> Steps:
    """The steps of a model for tables; a ValueError where it is another."""
    if isinstance(model, Pipeline) and len(model) == 2:
        preprocessor, ranking = model[0], model[1]
        if isinstance(preprocessor, ColumnTransformer) and isinstance(ranking, PURanking):
            return Steps(preprocessor, ranking)
    raise ValueError(
        f"The model must be one for tables, a preprocessor and a ranking as blindauc fit writes it, and this is a "
        f"{type(model).__name__}: fit it to a table."
    )
