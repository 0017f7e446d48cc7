"""The command line: parse, call the library, print; exit with 0, with 1 (drift was found) or 2 (bad input)."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line."""
    try:
        from blindauc.cli.app import app
    except ModuleNotFoundError as missing:
        if missing.name not in ("typer", "rich"):
            raise
        print(f"blindauc needs {missing.name} for its command line: pip install 'blindauc[cli]'", file=sys.stderr)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    app()
