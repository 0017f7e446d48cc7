"""The commands as a user runs them, and how bad input must be answered."""

from joblib import parallel_config
from typer.testing import CliRunner

from blindauc.cli.app import app

FIT = ("fit", "--shape", "linear")
"""A fit of straight lines alone, where the shape does not matter: it is quick."""


def run(*arguments):
    # Whatever --jobs says: processes of their own would take seconds to start, beside tests that use every core.
    with parallel_config("sequential"):
        return CliRunner().invoke(app, [str(argument) for argument in arguments])


def told(result, words):
    """Bad input: exit code 2 and one line, which holds the words."""
    assert result.exit_code == 2, result.output
    lines = result.stderr.splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("blindauc: ")
    assert words in lines[0]
    assert lines[0].isprintable()
    assert not result.stdout.strip()
