"""`blindauc demo`: a fit to simulated patients, compared with the truth."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blindauc.cli.fit import fit
from blindauc.cli.outputs import DOUBTFUL, MODEL, check_outputs, filled, tidy
from blindauc.cli.paths import Force, path_option
from blindauc.files import write_whole
from blindauc.progress import steps

if TYPE_CHECKING:
    from blindauc.analysis.against_truth import TruthComparison
    from blindauc.datasets import Patients

SEED = 0
"""Seed of the simulated patients: the first one, not a chosen one."""

TABLE = "patients.csv"


def demo(
    out: Annotated[Path, path_option(help="The folder to write to.")] = Path("blindauc-demo"),
    force: Force = False,
) -> None:
    """Simulate a table of patients after surgery with incomplete records of infections, and analyse it.

    Since the patients are simulated, the truth is known; at the end the results are compared with it.

    [bold]Example[/bold]

      blindauc demo
    """
    with steps({"simulating patients": 1.0}, is_shown=True) as at:
        at("simulating patients")  # the imports take most of this time
        from blindauc.datasets import make_patients

        out = tidy(out)
        patients = make_patients(random_state=SEED)
        content = patients.table.to_csv(index=False).encode()
        force = force or _holds(out / TABLE, content)
        check_outputs([out / TABLE], force=force)
        with filled(out, force=force) as unfinished:
            write_whole(unfinished / TABLE, content)
    typer.echo(f"blindauc fit {out / TABLE} --label infection --id patient --out {out}\n")
    fit(out / TABLE, label="infection", id="patient", out=out, force=force)
    with steps({"comparing with the truth": 1.0}, is_shown=True) as at:
        at("comparing with the truth")
        found = _compared_with_truth(out, patients)
    typer.echo("\n".join(["", *_truth_lines(found)]))


def _holds(path: Path, content: bytes) -> bool:
    """Whether the file has exactly this content: then the folder is that of an earlier demo and may be replaced."""
    return path.is_file() and path.read_bytes() == content


def _compared_with_truth(folder: Path, patients: Patients) -> TruthComparison:
    """The findings of the model in a folder, counted against the truth about its patients."""
    from blindauc.analysis.against_truth import compare_with_truth
    from blindauc.datasets.tables import read_table
    from blindauc.model_files import load

    table = read_table(folder / TABLE)
    is_labelled = (patients.table["infection"] == "yes").to_numpy()
    return compare_with_truth(load(folder / MODEL), table, is_labelled, patients.infected)


def _truth_lines(found: TruthComparison) -> Iterator[str]:
    ours, simple, k, n_checked = found.ours, found.simple, found.k, found.n_checked
    yield "These patients are simulated, so that the truth is known:"
    yield f"  {ours.n_wrong} of the {found.n_wrong} wrong labels are among the first {n_checked} of {DOUBTFUL}."
    yield f"  {ours.n_true} of the first {k} patients without a label were truly infected."
    yield f"  The best simple method, chosen with the truth, is {simple.name}: {simple.n_true} of its first {k} were"
    yield f"  infected, and {simple.n_wrong} of its {n_checked} lowest labels are wrong. It gives no number to check."
