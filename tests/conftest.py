"""Fixtures and settings of all tests."""

import chromium
import pytest
from hypothesis import settings

from blindauc import report
from blindauc.progress import displays

# The same examples on every machine, however slow or busy it is.
settings.register_profile("repeatable", derandomize=True, database=None, deadline=None)
settings.load_profile("repeatable")


@pytest.fixture(autouse=True)
def no_lines_of_progress(monkeypatch):
    """When a line comes depends on how busy the machine is: tests of progress ask for them."""
    monkeypatch.setattr(displays, "FIRST_LINE", 600.0)


FEW = {
    "choice.space.RIDGE_DECADES": (1, -1),
    "choice.space.BENT_RIDGE_DECADES": (1, -1),
    "estimators.space.N_LEAVES": (4,),
    "estimators.space.N_ROUNDS": (5, 20),
    "estimators.tuning.REPEATED_BELOW": 0,
}


@pytest.fixture(scope="module")
def few_candidates():
    """Quick searches, for tests of what is made of a search; how it chooses is the matter of others."""
    with pytest.MonkeyPatch.context() as patch:
        for name, values in FEW.items():
            patch.setattr(f"blindauc.{name}", values)
        yield


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """A page in a real browser, where there is one."""
    with chromium.started(tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.fixture
def opened(browser, tmp_path):
    """Open the report of some findings; returns the page."""

    def open_report(findings, width=1280, dark=False):
        path = tmp_path / "report.html"
        report.write(findings, path)
        browser.open(path, width=width, dark=dark)
        return browser

    return open_report
