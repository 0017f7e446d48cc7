"""`blindauc demo`: the whole story on a made-up table of patients."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from blindauc.cli.fit import fit
from blindauc.cli.outputs import filled, tidy
from blindauc.cli.paths import path_option
from blindauc.files import write_whole

SEED = 0
TABLE = "patients.csv"


def demo(
    out: Annotated[Path, path_option(help="The folder to write to.")] = Path("blindauc-demo"),
) -> None:
    """Make up a table of patients after surgery, some of whose infections are recorded, and analyse it.

    [bold]Example[/bold]

      blindauc demo
    """
    from blindauc.datasets import make_patients

    out = tidy(out)
    patients = make_patients(random_state=SEED)
    with filled(out) as unfinished:
        write_whole(unfinished / TABLE, patients.table.to_csv(index=False).encode())
    typer.echo(f"blindauc fit {out / TABLE} --label infection --id patient --out {out}\n")
    fit(out / TABLE, label="infection", id="patient", out=out)
