"""What holds for all tests."""

from hypothesis import settings

# The same examples on every machine, however slow or busy it is.
settings.register_profile("repeatable", derandomize=True, database=None, deadline=None)
settings.load_profile("repeatable")
