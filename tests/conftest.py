"""What holds for all tests."""

import pytest
from hypothesis import settings

from blindauc.progress import displays

# The same examples on every machine, however slow or busy it is.
settings.register_profile("repeatable", derandomize=True, database=None, deadline=None)
settings.load_profile("repeatable")


@pytest.fixture(autouse=True)
def no_lines_of_progress(monkeypatch):
    """When a line comes depends on how busy the machine is: tests of progress ask for them."""
    monkeypatch.setattr(displays, "FIRST_LINE", 600.0)
