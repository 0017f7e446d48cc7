"""Rows of Dask collections, which remain on the workers of a cluster."""

from blindauc.rows.dask.cluster import connect
from blindauc.rows.dask.engine import DaskRows
from blindauc.rows.dask.scores import scores_of

__all__ = ["DaskRows", "connect", "scores_of"]
