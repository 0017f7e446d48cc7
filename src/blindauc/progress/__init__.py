"""Progress reports: one bar in a terminal, lines with times in a log file."""

from blindauc.progress.displays import duration
from blindauc.progress.plan import At, steps

__all__ = ["At", "duration", "steps"]
