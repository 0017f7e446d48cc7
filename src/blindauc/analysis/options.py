"""How a table is learnt from and what is wanted of it, whether its rows are in memory or not."""

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
    """What `analyse` is asked for beside what it is told about columns; its attributes are parameters of that."""

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
        """Raise where a shape is not known or not installed."""
        for each in self._shapes if self._shapes != ["auto"] else ():
            check_shape_is_there(each)

    def ranking(self, preprocessor: Any, group_of: dict[str, Any]) -> BlindAUCClassifierCV:
        """What is to be fitted to the columns of a preprocessor."""
        # Shapes that select no columns need not know which would be selected together.
        is_of_use = group_of or not {"auto", *SELECTING}.isdisjoint(self._shapes)
        return BlindAUCClassifierCV(
            **(sparsity_of(preprocessor, group_of) if is_of_use else {}),
            shape=self.shape,
            prior=self.prior,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )

    def origin(self, wishes: Wishes) -> dict[str, Any]:
        """All that was asked for, with the versions that answered."""
        asked = asdict(wishes) | {"checked": wishes.checked_column} | asdict(self.wanted)
        return provenance(asked | {"prior": self.prior, "shape": self.shape}, seed=self.random_state)
