"""Clusters of threads and of processes."""

import pytest

pytest.importorskip("distributed", reason="needs dask and distributed: pip install 'blindauc[dask]'")

from distributed import Client
from partitions import threads


@pytest.fixture(scope="module")
def client():
    """Two workers in threads of this process, which start at once."""
    with threads(2) as cluster, Client(cluster) as client:
        yield client
