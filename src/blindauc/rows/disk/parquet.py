"""Tables on disk, larger than memory: Parquet or CSV, as numbers in a mapped file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from blindauc.datasets.table_errors import imported
from blindauc.datasets.tables import frame_of
from blindauc.preprocessing.naming import listed
from blindauc.preprocessing.streamed import streamed_preprocessor
from blindauc.rows.disk.cache import (
    FILES,
    CachedRows,
    Manifest,
    fingerprint_of,
    labels_of,
    open_cache,
)
from blindauc.rows.disk.files import Place, families_of, find_parts
from blindauc.rows.disk.folder import check_is_ours, check_space, locked, whole_folder
from blindauc.rows.disk.size import Budget, memory_of
from blindauc.rows.disk.survey import GivenKind, Roles, survey_of
from blindauc.rows.disk.writing import write_rows

if TYPE_CHECKING:
    import pandas as pd

BESIDE = ".blindauc"
"""The folder beside the data that holds caches. Its name begins so that other readers of the data pass over it."""

Progress = Callable[[int, int], None]
"""Told how many rows were read, and how many there are to read, in both passes together."""


class ParquetRows:
    """A table in files, which may be larger than memory.

    Its columns are what `blindauc.preprocessing.make_preprocessor` makes of them. Two passes over the files are needed:
    the first finds what the columns are, the second writes them as numbers into a cache of float32, which is mapped
    into memory from then on, and used again as long as neither the files nor the parameters change.

    Where a column has more different values than can be counted in the memory (4,000 to 50,000), their number is
    estimated, with a standard error of at most 1.6 %. It only decides whether the column is taken for an identifier.

    A column whose cells are numbers but for at most one in a hundred, and which cannot be one of categories, is refused
    with the file and row of the first that is not a number.

    Parameters
    ----------
    path : path, or list of paths
        A Parquet file, a file of text (.csv, .tsv, .txt, also compressed), a folder of either, read in the order of
        their names, or a list of such files. All have the same columns. Files whose names begin with a dot or an
        underscore are left out.
    label : str
        The column of the labels.
    pos_label : optional
        Its value that means positive; by default the larger one, as in `BlindAUCClassifier`.
    weight : str, optional
        A column with the weight of each row.
    groups : str, optional
        A column that says whom each row belongs to, such as a patient: rows of one group are held out together. This
        column, and the next two, are not learnt from.
    time : str, optional
        A column that says when each row was, as dates or numbers: rows are then judged by fits to earlier ones.
    checked : str, optional
        A column that says what was found where rows were checked, as in `BlindAUCClassifier.fit`.
    id : str, optional
        A column that names the rows. It is not learnt from.
    drop : list of str, default=()
        Columns to leave out.
    kinds : dict, optional
        The kinds of some columns, each "categorical", "numeric" or "date". The others are guessed.
    cache : path, optional
        A folder for caches. By default `.blindauc` beside the data.
    memory : str or int, optional
        How much memory the reading may take, such as "2GB"; 1 GB by default. Pages of the mapped cache, which the
        system takes back when it needs them, and one byte per row for labels do not count.

    Raises
    ------
    ValueError
        One line: no files, files with other columns or types than the first, damaged ones, columns that are not there.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from blindauc.rows.disk.parquet import ParquetRows
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "a.csv").write_text("age,smokes,infection\\n41,no,1\\n,yes,0\\n58,no,0\\n")
    ...     rows = ParquetRows(folder, label="infection").prepared()
    ...     print(rows.feature_names, rows.is_positive)
    ...     print(rows.X)
    ['age', 'age missing', 'smokes'] [ True False False]
    [[41.   0.   0. ]
     [49.5  1.   1. ]
     [58.   0.   0. ]]
    """

    def __init__(
        self,
        path: Place | Sequence[Place],
        label: str,
        *,
        pos_label: Any = None,
        weight: str | None = None,
        groups: str | None = None,
        time: str | None = None,
        checked: str | None = None,
        id: str | None = None,
        drop: Sequence[str] = (),
        kinds: Mapping[str, GivenKind] | None = None,
        cache: Place | None = None,
        memory: str | int | None = None,
    ) -> None:
        self.path, self.label, self.pos_label, self.weight = path, label, pos_label, weight
        self.groups, self.time, self.checked = groups, time, checked
        self.id, self.drop, self.kinds, self.cache, self.memory = id, drop, kinds, cache, memory
        self._parts = find_parts(path)
        self._roles = self._checked_roles()
        self._budget = Budget(memory_of(memory), len(self._roles.read))

    @property
    def paths(self) -> list[Path]:
        """The files, in the order in which they are read."""
        return [part.path for part in self._parts]

    @property
    def cache_folder(self) -> Path:
        """Where the cache is, or will be. It can be removed at any time, and is then made again."""
        base = self.paths[0].parent / BESIDE if self.cache is None else Path(self.cache).absolute()
        return base / fingerprint_of([[str(path)] for path in self.paths], self._asked)[:16]

    def prepared(self, report: Progress | None = None) -> CachedRows:
        """The rows as numbers: from the cache, or by making it.

        Parameters
        ----------
        report : callable, optional
            Called with the number of rows read and of those to read, both passes together; guessed for text.

        Returns
        -------
        CachedRows

        Raises
        ------
        ValueError
            One line that says what is wrong with the table, that another process makes the same cache, that the
            folder holds something else, or that the disk is too small. No cache is left then.
        """
        folder, fingerprint = self.cache_folder, self._fingerprint()
        rows = open_cache(folder, fingerprint, self.paths, self.pos_label)
        if rows is not None:
            return rows
        check_is_ours(folder, FILES)
        n_rows = sum(part.n_rows for part in self._parts)
        check_space(folder, 4 * n_rows * len(self._roles.features))
        with locked(folder):
            self._make(folder, fingerprint, _counting(report, n_rows))
            rows = open_cache(folder, fingerprint, self.paths, self.pos_label)
        imported("pyarrow").default_memory_pool().release_unused()
        if rows is None:
            raise ValueError(f"The cache {folder} was changed while it was made: make it again.")
        return rows

    def frames(self, columns: Sequence[str] | None = None, n_rows: int | None = None) -> Iterator[pd.DataFrame]:
        """The table as it is in the files, about so many rows at a time, with rows counted from 0 over all files.

        Parameters
        ----------
        columns : list of str, optional
            Some of the columns, also those that are not learnt from; all by default.
        n_rows : int, optional
            By default as many as fit the memory.

        Yields
        ------
        pandas.DataFrame
            Of text, cells are text as they are written.
        """
        table = imported("pyarrow").Table
        wanted = list(families_of(self._parts) if columns is None else columns)
        n_before = 0
        for part in self._parts:
            for batch in part.batches(wanted, n_rows or self._budget.n_batch):
                frame = frame_of(table.from_batches([batch]))
                frame.index += n_before
                n_before += len(frame)
                yield frame

    def _make(self, folder: Path, fingerprint: str, report: Callable[[int], None]) -> None:
        survey = survey_of(self._parts, self._roles, self._budget, report)
        labels_of(survey.labels.values, self.pos_label)
        n_features = len(streamed_preprocessor(survey.columns, survey.n_rows).get_feature_names_out())
        check_space(folder, survey.n_rows * (4 * n_features + 2 + 8 * len(self._roles.beside)))
        n_batch = min(self._budget.n_batch, max(512, self._budget.memory // 8 // (4 * n_features)))
        with whole_folder(folder) as part:
            columns = write_rows(part, self._parts, self._roles, survey, n_batch, report)
            beside = tuple(self._roles.beside)
            manifest = Manifest(fingerprint, columns, survey.labels.values, survey.part_rows, beside)
            manifest.write(part)
            if self._fingerprint() != fingerprint:
                raise ValueError(f"Files of {self.path} changed while they were read: wait until they are written.")

    @property
    def _asked(self) -> dict[str, Any]:
        roles = self._roles
        return {"label": self.label, "beside": roles.beside, "columns": roles.features, "kinds": roles.kinds}

    def _fingerprint(self) -> str:
        return fingerprint_of([part.fingerprint() for part in self._parts], self._asked)

    def _checked_roles(self) -> Roles:
        families = families_of(self._parts)
        named: dict[str, list[str | None]] = {
            "label": [self.label],
            "weight": [self.weight],
            "groups": [self.groups],
            "time": [self.time],
            "checked": [self.checked],
            "id": [self.id],
            "drop": list(self.drop),
            "kinds": list(self.kinds or {}),
        }
        taken = {self.label, self.weight, self.groups, self.time, self.checked, self.id, *self.drop}
        for role, names in named.items():
            absent = [name for name in names if name is not None and name not in families]
            if absent:
                raise ValueError(
                    f"{self.paths[0]} has no column {absent[0]!r} ({role}): its columns are {listed(families)}."
                )
        for role in set(named) - {"label"}:
            if self.label in named[role]:
                raise ValueError(f"The column {self.label!r} holds the labels, and cannot be {role} too: name another.")
        features = {name: family for name, family in families.items() if name not in taken}
        if not features:
            raise ValueError("No column is left to learn from: drop fewer of them.")
        # A column of times has a kind, too.
        kinds = {name: kind for name, kind in (self.kinds or {}).items() if name in features or name == self.time}
        for name, kind in kinds.items():
            if kind not in get_args(GivenKind):
                raise ValueError(f"kinds[{name!r}] must be one of {', '.join(get_args(GivenKind))}, not {kind!r}.")
            if kind != "numeric" and features.get(name) in ("numbers", "durations"):
                features[name] = "text"  # numbers that are told apart by what they say
        time_family = None if self.time is None else families[self.time]
        return Roles(features, self.label, self.weight, self.groups, self.time, self.checked, kinds, time_family)


def _counting(report: Progress | None, n_rows: int) -> Callable[[int], None]:
    if report is None:
        return lambda n_more: None
    n_done = 0

    def count(n_more: int) -> None:
        nonlocal n_done
        n_done += n_more
        report(n_done, max(2 * n_rows, n_done))

    return count
