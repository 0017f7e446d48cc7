"""Fixtures and settings of all tests."""

import gc
from contextlib import contextmanager
from functools import partial

import chromium
import numpy as np
import pytest
from hypothesis import settings

from blindauc import report
from blindauc.metrics import pu_roc_band
from blindauc.progress import displays

# The same examples on every machine, however slow or busy it is.
settings.register_profile("repeatable", derandomize=True, database=None, deadline=None)
settings.load_profile("repeatable")


def pytest_configure():
    """Thousands of tests are made, and none of them is garbage: to look for it takes a quarter of the collection."""
    gc.disable()


def pytest_collection_finish():
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True)
def no_lines_of_progress(monkeypatch):
    """When a line comes depends on how busy the machine is: tests of progress ask for them."""
    monkeypatch.setattr(displays, "FIRST_LINE", 600.0)


FEW_MIXTURES = {
    "prior.posterior.PRIOR_CELLS": np.linspace(0, 1, 21) ** 2,
    "prior.posterior.CONTAMINATION_CELLS": np.array([0.0, 0.03, 0.07, 0.12, 0.19, 0.3, 0.5]),
}

FEW = {
    **FEW_MIXTURES,
    "choice.baselines.L1_PENALTIES": (0.03,),
    "choice.space.RIDGE_DECADES": (1, -1),
    "choice.space.NONLINEAR_RIDGE_DECADES": (1, -1),
    "choice.space.FEW_COLUMNS": 2,
    "estimators.space.OUTLIER_SHARES": (0.0, 0.3),
    "estimators.space.GAMMAS": (0.3,),
    "estimators.space.N_LEAVES": (4,),
    "estimators.space.N_ROUNDS": (5, 20),
    "estimators.tuning.REPEATED_BELOW": 0,
    "analysis.selection.N_HALVES": 4,
    "analysis.rank_curves.pu_roc_band": partial(pu_roc_band, n_resamples=19),
}


@contextmanager
def _patched(constants):
    with pytest.MonkeyPatch.context() as patch:
        for name, values in constants.items():
            patch.setattr(f"blindauc.{name}", values)
        yield


@pytest.fixture(scope="module")
def few_candidates():
    """Quick searches, for tests of what is made of a search; how it chooses is the matter of others."""
    with _patched(FEW):
        yield


@pytest.fixture(scope="module")
def few_mixtures():
    """Quick calibration, for tests of fits; how near its numbers are to the truth is the matter of others."""
    with _patched(FEW_MIXTURES):
        yield


@pytest.fixture(scope="session")
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
