"""The two steps of a model for tables: a preprocessor and a ranking estimator."""

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
        # Not `transformers_`, which also lists the unused columns, as dropped.
        return {name: kind for kind, _, names in self.preprocessor.transformers for name in names}

    @property
    def needed(self) -> dict[str, str]:
        """The kind of every column that the score depends on."""
        names = np.array(group_names(self.preprocessor), dtype=object)
        used = set(names[feature_groups(self.preprocessor)[self.ranking.model_.columns]])
        return {name: kind for name, kind in self.kinds.items() if name in used}

    @property
    def categories(self) -> dict[str, frozenset[str]]:
        """The training categories of each categorical column, including the rare ones."""
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
        """The date format of each column of dates."""
        if "date" not in self.preprocessor.named_transformers_:
            return {}
        return dict(self.preprocessor.named_transformers_["date"][0].kw_args["formats"])


def joined(preprocessor: ColumnTransformer, ranking: Any, training: str) -> Pipeline:
    """Both steps as a scikit-learn pipeline, with the JSON of a `TrainingSummary` as its `training_` attribute."""
    model = Pipeline([("preprocess", preprocessor), ("rank", ranking)])
    model.training_ = training
    return model


def steps_of(model: Any) -> Steps:
    """The steps of a model for tables; a ValueError for any other model."""
    if isinstance(model, Pipeline) and len(model) == 2:
        preprocessor, ranking = model[0], model[1]
        if isinstance(preprocessor, ColumnTransformer) and isinstance(ranking, PURanking):
            return Steps(preprocessor, ranking)
    raise ValueError(
        f"The model must be a pipeline of a preprocessor and a ranking, as blindauc.analysis.analyse returns it, not "
        f"a {type(model).__name__}: fit one to a table."
    )
