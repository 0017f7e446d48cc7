"""`--config run.json`: repeat an earlier run with its options.

The recorded options become the defaults of the command, so that options on the command line take precedence. All
parameters of the command are recorded; a new option needs no change here.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Set
from pathlib import Path
from typing import Annotated, Any

import typer

from blindauc.cli.errors import errors_in_one_line
from blindauc.cli.outputs import read_run
from blindauc.cli.paths import path_option
from blindauc.cli.terminal import in_one_line

OF_THE_CALL = ("config", "out", "force", "as_json")
"""Parameters that set where to write, and what to print. They change no result and are not recorded."""

FOLDERS = ("cache",)
"""Parameters that name a folder to work in, whose files are no input."""

HASH = "_sha256"
"""Suffix of the key with the hash of a file, after the name of its parameter."""


def _take_options(context: typer.Context, config: Path | None) -> Path | None:
    if config is not None:
        possible = {str(parameter.name) for parameter in context.command.params} - {*OF_THE_CALL}
        with errors_in_one_line():
            options = options_of(config, possible)
        # Options that may be repeated were recorded as text when they could not be.
        lists = {str(each.name) for each in context.command.params if getattr(each, "multiple", False)}
        context.default_map = {
            name: [value] if name in lists and isinstance(value, str) else value for name, value in options.items()
        }
    return config


Config = Annotated[
    Path | None,
    path_option(
        is_eager=True,
        callback=_take_options,
        help="Repeat an earlier fit from its run.json; options given here take precedence.",
    ),
]


def options_of(config: Path, possible: Set[str]) -> dict[str, Any]:
    """The options of a run, with paths as seen from here; a ValueError if one is not among the possible options."""
    run = read_run(config)
    options = run["arguments"]
    unknown = [name for name in options if name not in possible]
    if unknown:
        raise ValueError(
            f"{config} has the option {unknown[0]!r}, which this command does not have: it was edited, or comes from "
            f"another version ({run.get('versions', {}).get('blindauc', 'unknown')}). Remove the option, or use that "
            "version."
        )
    is_path = {name: run.get(f"{name}{HASH}") or (name in FOLDERS and value) for name, value in options.items()}
    files = {name: str(config.parent / str(value)) for name, value in options.items() if is_path[name]}
    return {**options, **files}


def recorded(parameters: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The parameters to record beside the results; paths of files become relative to the folder."""
    return {
        name: _seen_from(folder, value) if isinstance(value, Path) else value
        for name, value in parameters.items()
        if name not in OF_THE_CALL
    }


def files_read(parameters: Mapping[str, Any]) -> dict[str, Path]:
    """The input files among the parameters of a command."""
    no_inputs = {*OF_THE_CALL, *FOLDERS}
    return {name: each for name, each in parameters.items() if isinstance(each, Path) and name not in no_inputs}


def check_repeats(config: Path, files: Mapping[str, Path], origin: Mapping[str, Any]) -> None:
    """Raise if an input file differs from that of the earlier run; print a note if package versions differ."""
    before = read_run(config)
    for name, file in files.items():
        if before.get(f"{name}{HASH}") not in (None, origin[f"{name}{HASH}"]):
            raise ValueError(
                f"{file} is not the file of {config}: its SHA-256 differs. Restore that file, or fit without --config."
            )
    changed = [
        f"{package} {version} (here {origin['versions'].get(package, 'none')})"
        for package, version in dict(before.get("versions", {})).items()
        if origin["versions"].get(package) != version
    ]
    if changed:
        note = f"{config} comes from other versions, {', '.join(changed)}: the last digits of results may differ."
        typer.echo(f"blindauc: {in_one_line(note)}", err=True)


def _seen_from(folder: Path, path: Path) -> str:
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # another drive on Windows
        return str(path.resolve())
