"""`blindauc compare`: what changed between two fits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from blindauc.cli.outputs import (
    RANKING,
    RUN,
    Place,
    check_is_page,
    check_outputs,
    model_path,
    named_place,
    place_of_fit,
    run_beside,
)
from blindauc.cli.paths import Force, HeaderRow, Positive, Sheet, path_argument, path_option
from blindauc.cli.terminal import printable
from blindauc.progress import steps

if TYPE_CHECKING:
    from blindauc.report.compare_findings import RunComparison

MOST_NAMED = 5
"""Rows, labels or columns that are listed by name (convention)."""


def compare(
    first: Annotated[Path, path_argument(help="A model file, or the folder that `blindauc fit` wrote.")],
    second: Annotated[Path, path_argument(help="The model file or folder to compare it with.")],
    data: Annotated[
        Path | None,
        path_argument(help="A table for both to rank; by default the one that both were fitted to.", metavar="TABLE"),
    ] = None,
    label: Annotated[str | None, typer.Option(help="The column of the labels; by default that of the fits.")] = None,
    positive: Positive = None,
    id: Annotated[str | None, typer.Option(help="A column that names the rows; by default that of the fits.")] = None,
    rows_by: Annotated[
        str | None, typer.Option(help="A column with the group of each row; by default that of the fits.")
    ] = None,
    sheet: Sheet = None,
    header_row: HeaderRow = None,
    out: Annotated[Path | None, path_option(help="Write all changes to this HTML file as well.")] = None,
    force: Force = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print all changes as JSON, and nothing else.")] = False,
) -> None:
    """Compare two fits: how well they rank, which rows come first, doubtful labels and columns.

    Without a table, both fits must be on the same rows; if their tables are different files, fit both with the same
    --id. The comparison then uses out-of-fold ranks. With a table, both models rank it; choose one with rows that
    neither model was fitted to.

    [bold]Examples[/bold]

      blindauc compare before after

      blindauc compare before after next_year.csv --out changes.html
    """
    models = [model_path(place, "the first two arguments are each") for place in (first, second)]
    rankings = [] if data is not None else [path.with_name(RANKING) for path in models]
    _check_are_there(models, rankings)
    if out is not None:
        check_is_page(out)
        check_outputs([out], [*models, *(path.with_name(RUN) for path in models), *rankings, data], force=force)
    runs = [run_beside(path) for path in models]
    with steps({"reading and comparing": 1.0}, is_shown=not as_json) as at:
        at("reading and comparing")
        if data is None:
            found = compared_runs((first, second), runs)
        else:
            given: dict[str, Any] = {"positive": positive, "id": id, "rows_by": rows_by}
            found = _on_table((first, second), runs, data, Place(sheet, header_row), label, given)
        if out is not None:
            from blindauc.report.compare import write_comparison

            write_comparison(found, out)
    typer.echo(found.to_json() if as_json else "\n".join(comparison_lines(found)))
    if out is not None and not as_json:
        typer.echo(f"\n{printable(str(out))}")


def _check_are_there(models: list[Path], rankings: list[Path]) -> None:
    for path in models:
        if not path.exists():
            raise FileNotFoundError(f"There is no file {path}: pass a model file, or a folder of `blindauc fit`.")
    for path in rankings:
        if not path.exists():
            raise FileNotFoundError(f"There is no {path}: pass folders that `blindauc fit` wrote, or add a table.")


def compared_runs(places: tuple[Path, Path], runs: list[dict[str, Any]]) -> RunComparison:
    """Compare two fits on their training rows, from the files beside their models."""
    from blindauc.analysis import compare as compared
    from blindauc.analysis.held_out import is_of_sample
    from blindauc.analysis.model_on_rows import RankedRun
    from blindauc.analysis.pipeline import steps_of
    from blindauc.datasets.tables import read_table
    from blindauc.model_files import load

    first, second = (RankedRun(load(path), read_table(path.with_name(RANKING))) for path in map(model_path, places))
    are_named = "id" in first.ranking and "id" in second.ranking
    if not (are_named or _have_one_table(runs)):
        raise ValueError(
            "The two fits are of different files and their rows have no names, so that rows cannot be matched: add a "
            "table for both to rank, or fit both with --id."
        )
    if any(is_of_sample(steps_of(each.model)) for each in (first, second)) and not _have_one_table(runs):
        raise ValueError(
            "The two fits are of different tables, and one of them was read in parts, so that rows cannot be matched: "
            "add a table for both to rank."
        )
    return compared(first, second, names=_names(places))


def _have_one_table(runs: list[dict[str, Any]]) -> bool:
    hashes = [run.get("data_sha256") for run in runs]
    return hashes[0] is not None and hashes[0] == hashes[1]


def _on_table(
    places: tuple[Path, Path],
    runs: list[dict[str, Any]],
    data: Path,
    place: Place,
    label: str | None,
    given: dict[str, Any],
) -> RunComparison:
    """Compare two models on a table; a model that was fitted to it is compared by its out-of-fold ranks."""
    from blindauc.analysis import compare as compared
    from blindauc.datasets.tables import read_table
    from blindauc.model_files import load

    of_fits = [place_of_fit(run, data) for run in runs]
    place = named_place(*place, next(filter(None, of_fits), None))
    frame = read_table(data, sheet=place.sheet, header_row=place.header_row)
    fitted_with = {name: value for run in reversed(runs) for name, value in run.get("arguments", {}).items() if value}
    label = label or (fitted_with.get("label") if fitted_with.get("label") in frame.columns else None)
    options = {name: value or fitted_with.get(name) for name, value in given.items()}
    for name in ("id", "rows_by"):
        options[name] = options[name] if given[name] or options[name] in frame.columns else None
    # Another file may still be the training table, saved in another format: None lets the library find out.
    first_seen, second_seen = (True if place == of_fit else None for of_fit in of_fits)
    return compared(
        load(model_path(places[0])),
        load(model_path(places[1])),
        frame,
        label,
        **options,
        training=(first_seen, second_seen),
        names=_names(places),
    )


def _names(places: tuple[Path, Path]) -> tuple[str, str]:
    """Display names of the two: the last parts of their paths, or the whole paths if these are equal."""
    first, second = (printable(place.resolve().name) for place in places)
    return (first, second) if first != second else (printable(str(places[0])), printable(str(places[1])))


def comparison_lines(found: RunComparison) -> Iterator[str]:
    """The comparison as lines for a terminal."""
    yield f"{found.names[0]} and {found.names[1]}, {found.n_rows:,} rows"
    if found.judged is not None:
        auc = found.judged
        yield f"  evaluated on {auc.how}: {auc.n_labelled:,} labelled, {auc.n_unlabelled:,} unlabelled"
        yield f"  blind AUC {auc.before.value:.3f} and {auc.after.value:.3f}"
    yield f"  {found.verdict}"
    yield ""
    yield "Ranking of the unlabelled rows"
    if found.rank_correlation is not None:
        yield f"  rank correlation {found.rank_correlation:.3f}"
    for overlap in found.overlaps:
        yield f"  {overlap.n_common:>5,} of the first {overlap.k:,} rows are the same"
    for moved in found.moved[:MOST_NAMED]:
        yield f"  {printable(moved.name)}: from rank {moved.before:,} to {moved.after:,}"
    yield ""
    yield from _label_lines(found)
    yield ""
    yield from _column_lines(found)


def _label_lines(found: RunComparison) -> Iterator[str]:
    yield "Labels to re-check"
    if found.n_labels_added or found.n_labels_removed:
        yield f"  {found.n_labels_added:,} labels added, {found.n_labels_removed:,} removed"
    for words, changes in (("newly", found.newly_doubtful), ("no longer", found.no_longer_doubtful)):
        named = ", ".join(printable(change.name) for change in changes[:MOST_NAMED])
        more = f" and {len(changes) - MOST_NAMED:,} more" if len(changes) > MOST_NAMED else ""
        n_gone = sum(change.after is None for change in changes)
        gone = f" ({n_gone:,} of them no longer labelled)" if n_gone else ""
        yield f"  {len(changes):,} {words} doubtful{gone}{': ' if named else ''}{named}{more}"


def _column_lines(found: RunComparison) -> Iterator[str]:
    from blindauc.report.compare import selected_in_words

    yield "Columns, by their share of the total weight"
    changed = [change for change in found.columns if change.size > 0 or change.was_selected != change.is_selected]
    if not changed:
        yield "  none changed"
    for change in changed[:MOST_NAMED]:
        shares = " to ".join(
            "not there" if each is None else f"{100 * each:+.1f} %" for each in (change.before, change.after)
        )
        yield f"  {printable(change.column)}: {shares}, selected {selected_in_words(change)}"
