"""Run commands as a user does, and check how they answer bad input."""

from joblib import parallel_config
from typer.testing import CliRunner

from blindauc.cli.app import app

FIT = ("fit", "--shape", "linear")
"""A fit of linear scores only, for tests in which the shape does not matter: it is quick."""


def run(*arguments):
    # Whatever --jobs says: processes of their own would take seconds to start, beside tests that use every core.
    with parallel_config("sequential"):
        return CliRunner().invoke(app, [str(argument) for argument in arguments])


def told(result, words):
    """Assert that bad input was answered with exit code 2 and one line that contains these words."""
    assert result.exit_code == 2, result.output
    lines = result.stderr.splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("blindauc: ")
    assert words in lines[0]
    assert lines[0].isprintable()
    assert not result.stdout.strip()
