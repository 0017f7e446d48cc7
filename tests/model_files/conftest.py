"""Where a model is saved, and a model in its file."""

import pytest
from saved_models import made

from blindauc.model_files import save

# Files that are not to be trusted.


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.skops"


@pytest.fixture
def saved(path):
    save(made("difference of means"), path)
    return path.read_bytes()
