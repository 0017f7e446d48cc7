"""Tables on disk, perhaps larger than memory: Parquet or CSV, as numbers in a memory-mapped file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from blindauc.datasets.table_errors import imported
from blindauc.datasets.tables import frame_of
from blindauc.preprocessing.naming import listed
from blindauc.preprocessing.streamed import streamed_preprocessor
from blindauc.rows.disk.cache import FILES, CachedRows, Manifest, fingerprint_of, open_cache
from blindauc.rows.disk.files import Place, families_of, find_parts
from blindauc.rows.disk.folder import check_is_ours, check_space, locked, whole_folder
from blindauc.rows.disk.labels import ReadLabels, read_distinct
from blindauc.rows.disk.size import Budget, memory_of
from blindauc.rows.disk.survey import GivenKind, Roles, survey_of
from blindauc.rows.disk.writing import write_rows

if TYPE_CHECKING:
    import pandas as pd

BESIDE = ".blindauc"
"""The folder beside the data that holds caches. Other readers of the data skip names that start with a dot."""

Progress = Callable[[int, int], None]
"""Callback: (rows read, rows to read), over both passes."""


class ParquetRows:
    """A table in files, which may be larger than memory.

    Its columns become features as in `blindauc.preprocessing.make_preprocessor`. Two passes over the files are needed:
    the first finds the kinds of the columns, the second writes them as float32 numbers to a cache. The cache is mapped
    into memory, and used again as long as neither the files nor the parameters change.

    If a column has more distinct values than the memory allows to count (4,000 to 50,000), their number is estimated,
    with a standard error of at most 1.6 %. It only decides whether the column is an identifier.

    A column is refused if at least 99 % of its cells are numbers, some are not, and it has too many distinct values to
    be categorical. The error names the file and row of the first cell that is not a number.

    Parameters
    ----------
    path : path, or list of paths
        A Parquet file, a text file (.csv, .tsv, .txt, also compressed), a folder of either, read in the order of their
        names, or a list of such files. All must have the same columns. Files in a folder whose names start with a dot
        or an underscore are skipped, and .txt files beside others with which they share no column.
    label : str, optional
        The column of the labels. A fit needs it; rows that are only scored may have none.
    pos_label : optional
        The label of positives, as in `BlindAUCClassifier`; all other values then mean unlabelled. By default the larger
        of two values.
    weight : str, optional
        A column with the weight of each row.
    groups : str, optional
        A column with the group of each row, such as a patient: rows of one group are held out together. This column and
        the next two are not features.
    time : str, optional
        A column with the time of each row, as dates or numbers: each row is then scored by fits to earlier rows.
    checked : str, optional
        A column with the results of manual checks of rows, as in `BlindAUCClassifier.fit`.
    id : str, optional
        A column with the names of the rows. It is not a feature.
    drop : str or list of str, default=()
        Columns to leave out.
    kinds : dict, optional
        The kinds of some columns, each "categorical", "numeric" or "date". Those of the others are inferred.
    cache : path, optional
        A folder for caches. By default `.blindauc` beside the data.
    memory : str or int, optional
        How much memory reading may take, such as "2GB"; 1 GB by default. This includes neither the pages of the mapped
        cache, which the system reclaims when it needs them, nor one byte per row for labels.

    Raises
    ------
    ValueError
        If there are no files, a file is damaged or has other columns or types than the first, or a named column does
        not exist.

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
        label: str | None = None,
        *,
        pos_label: Any = None,
        weight: str | None = None,
        groups: str | None = None,
        time: str | None = None,
        checked: str | None = None,
        id: str | None = None,
        drop: str | Sequence[str] = (),
        kinds: Mapping[str, GivenKind] | None = None,
        cache: Place | None = None,
        memory: str | int | None = None,
    ) -> None:
        self.path, self.label, self.pos_label, self.weight = path, label, pos_label, weight
        self.groups, self.time, self.checked = groups, time, checked
        self.id, self.drop, self.kinds, self.cache, self.memory = id, drop, kinds, cache, memory
        self._drop = [drop] if isinstance(drop, str) else list(drop)
        self._parts = find_parts(path)
        self._roles = self._checked_roles()
        self._budget = Budget(memory_of(memory), len(self._roles.read))

    @property
    def paths(self) -> list[Path]:
        """The files, in the order in which they are read."""
        return [part.path for part in self._parts]

    @property
    def n_rows(self) -> int:
        """The number of rows of all files; an estimate for text."""
        return sum(part.n_rows for part in self._parts)

    @property
    def cache_folder(self) -> Path:
        """The folder of the cache. You can delete it at any time; it is then made again."""
        base = self.paths[0].parent / BESIDE if self.cache is None else Path(self.cache).absolute()
        return base / fingerprint_of([[str(path)] for path in self.paths], self._params)[:16]

    def prepared(self, report: Progress | None = None, read_labels: ReadLabels | None = None) -> CachedRows:
        """The rows as numbers, from the cache, which is made if needed.

        Parameters
        ----------
        report : callable, optional
            Called with the number of rows read and of rows to read, over both passes; the latter is an estimate for
            text.
        read_labels : callable, optional
            From the distinct values of the label column to a mask of the positive ones and the two classes; by default
            as `pos_label` says.

        Returns
        -------
        CachedRows

        Raises
        ------
        ValueError
            If the table has a fault, another process is making the same cache, its folder holds other files, or the
            disk is full. No cache is left then.
        """
        if self.label is None:
            raise ValueError(
                f"Labels are needed, and ParquetRows of {self.paths[0]} names no column of them: pass label=."
            )
        read = read_labels or partial(read_distinct, self.label, pos_label=self.pos_label)
        folder, fingerprint = self.cache_folder, self._fingerprint()
        rows = open_cache(folder, fingerprint, self.paths, read)
        if rows is not None:
            return rows
        check_is_ours(folder, FILES)
        n_rows = self.n_rows
        check_space(folder, 4 * n_rows * len(self._roles.features))
        with locked(folder):
            self._make(folder, fingerprint, read, _counting(report, n_rows))
            rows = open_cache(folder, fingerprint, self.paths, read)
        imported("pyarrow").default_memory_pool().release_unused()
        if rows is None:
            raise ValueError(f"The cache {folder} was changed by another process while it was made: make it again.")
        return rows

    def frames(self, columns: Sequence[str] | None = None, n_rows: int | None = None) -> Iterator[pd.DataFrame]:
        """The table as it is in the files, in blocks of rows. The index counts rows from 0 over all files.

        Parameters
        ----------
        columns : list of str, optional
            Some of the columns, features or not; all by default.
        n_rows : int, optional
            The approximate number of rows of a block; by default as many as the memory allows.

        Yields
        ------
        pandas.DataFrame
            The cells of text files are strings.
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

    def _make(self, folder: Path, fingerprint: str, read: ReadLabels, report: Callable[[int], None]) -> None:
        survey = survey_of(self._parts, self._roles, self._budget, report)
        read(survey.labels.values)  # wrong labels are refused before the second pass
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
    def _params(self) -> dict[str, Any]:
        """The parameters that decide what is in the cache."""
        roles = self._roles
        return {"label": self.label, "beside": roles.beside, "columns": roles.features, "kinds": roles.kinds}

    def _fingerprint(self) -> str:
        return fingerprint_of([part.fingerprint() for part in self._parts], self._params)

    def _checked_roles(self) -> Roles:
        families = families_of(self._parts)
        named: dict[str, list[str | None]] = {
            "label": [self.label],
            "weight": [self.weight],
            "groups": [self.groups],
            "time": [self.time],
            "checked": [self.checked],
            "id": [self.id],
            "drop": [*self._drop],
            "kinds": list(self.kinds or {}),
        }
        taken = {self.label, self.weight, self.groups, self.time, self.checked, self.id, *self._drop}
        for role, names in named.items():
            absent = [name for name in names if name is not None and name not in families]
            if absent:
                raise ValueError(
                    f"{self.paths[0]} has no column {absent[0]!r} ({role}): its columns are {listed(families)}."
                )
        for role in set(named) - {"label"}:
            if self.label is not None and self.label in named[role]:
                raise ValueError(f"The column {self.label!r} holds the labels and cannot be {role}, too: name another.")
        features = {name: family for name, family in families.items() if name not in taken}
        if not features:
            raise ValueError("No column is left as a feature: drop fewer columns.")
        # `kinds` may also give the kind of the column of times.
        kinds = {name: kind for name, kind in (self.kinds or {}).items() if name in features or name == self.time}
        for name, kind in kinds.items():
            if kind not in get_args(GivenKind):
                raise ValueError(f"kinds[{name!r}] must be one of {', '.join(get_args(GivenKind))}, not {kind!r}.")
            if kind != "numeric" and features.get(name) in ("numbers", "durations"):
                features[name] = "text"  # numeric codes that are read as categories or dates
        time_family = None if self.time is None else families[self.time]
        return Roles(features, self.label or "", self.weight, self.groups, self.time, self.checked, kinds, time_family)


def _counting(report: Progress | None, n_rows: int) -> Callable[[int], None]:
    if report is None:
        return lambda n_more: None
    n_done = 0

    def count(n_more: int) -> None:
        nonlocal n_done
        n_done += n_more
        report(n_done, max(2 * n_rows, n_done))

    return count
