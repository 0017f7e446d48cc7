"""`blindauc demo`: the whole story on a made-up table of patients, and the truth at the end."""

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
TABLE = "patients.csv"


def demo(
    out: Annotated[Path, path_option(help="The folder to write to.")] = Path("blindauc-demo"),
    force: Force = False,
) -> None:
    """Make up a table of patients after surgery, some of whose infections are recorded, and analyse it.

    Since the patients are made up, the truth is known, and told at the end.

    [bold]Example[/bold]

      blindauc demo
    """
    with steps({"making up patients": 1.0}, is_shown=True) as at:
        at("making up patients")  # and importing what that takes
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
    with steps({"opening the envelope": 1.0}, is_shown=True) as at:
        at("opening the envelope")
        envelope = _compared_with_truth(out, patients)
    typer.echo("\n".join(["", *_truth_lines(envelope)]))


def _holds(path: Path, content: bytes) -> bool:
    """Whether a file is there and holds just this: then the folder is that of an earlier demo, and may be replaced."""
    return path.is_file() and path.read_bytes() == content


def _compared_with_truth(folder: Path, patients: Patients) -> TruthComparison:
    """What the model in a folder found of the truth about the patients that it was fitted to."""
    from blindauc.analysis.against_truth import compare_with_truth
    from blindauc.datasets.tables import read_table
    from blindauc.model_files import load

    table = read_table(folder / TABLE)
    is_labelled = (patients.table["infection"] == "yes").to_numpy()
    return compare_with_truth(load(folder / MODEL), table, is_labelled, patients.infected)


def _truth_lines(envelope: TruthComparison) -> Iterator[str]:
    ours, simple, k, n_checked = envelope.ours, envelope.simple, envelope.k, envelope.n_checked
    yield "The envelope: these patients are made up, so that the truth is known."
    yield f"  {ours.n_wrong} of the {envelope.n_wrong} wrong labels are among the first {n_checked} of {DOUBTFUL}."
    yield f"  {ours.n_true} of the first {k} patients without a label were truly infected."
    yield f"  The best simple method, picked by the truth, is {simple.name}: {simple.n_true} of its first {k} were"
    yield f"  infected, {simple.n_wrong} of its {n_checked} lowest labels are wrong; it does not say how many to check."
