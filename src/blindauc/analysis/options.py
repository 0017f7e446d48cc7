"""The options of a fit and of its results, for tables in memory and in files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from blindauc.analysis.grouping import sparsity_of
from blindauc.analysis.inputs import Wishes
from blindauc.analysis.provenance import provenance
from blindauc.analysis.ranking import Wanted
from blindauc.estimators import BlindAUCClassifierCV
from blindauc.estimators.shapes import check_shape_is_there
from blindauc.scorers.mixed import SELECTING


@dataclass(frozen=True)
class Options:
    """The parameters of `analyse` that do not describe columns (those are in `Wishes`)."""

    prior: float | None = None
    capacity: int | None = None
    show: Sequence[str] = ()
    shape: str | Sequence[str] = "auto"
    random_state: int | None = None
    n_jobs: int | None = None
    verbose: int = 0
    name: str = "table"

    @property
    def wanted(self) -> Wanted:
        return Wanted(self.capacity, tuple(self.show))

    @property
    def _shapes(self) -> list[str]:
        return [self.shape] if isinstance(self.shape, str) else list(self.shape)

    def check_shapes(self) -> None:
        """Raise if a shape is unknown or not installed."""
        for each in self._shapes if self._shapes != ["auto"] else ():
            check_shape_is_there(each)

    def ranking(self, preprocessor: Any, group_of: dict[str, Any]) -> BlindAUCClassifierCV:
        """The estimator, not yet fitted, for the columns of a preprocessor."""
        # Only shapes that select columns need to know which are selected together.
        needs_groups = group_of or not {"auto", *SELECTING}.isdisjoint(self._shapes)
        return BlindAUCClassifierCV(
            **(sparsity_of(preprocessor, group_of) if needs_groups else {}),
            shape=self.shape,
            prior=self.prior,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )

    def origin(self, wishes: Wishes) -> dict[str, Any]:
        """The provenance of the fit: its options, the versions of packages and the seed."""
        asked = asdict(wishes) | {"checked": wishes.checked_column} | asdict(self.wanted)
        return provenance(asked | {"prior": self.prior, "shape": self.shape}, seed=self.random_state)
