"""Data sets: simulated ones with known truth."""

from blindauc.datasets.simulated import Dataset, make_correlated_data, make_paper_data

__all__ = ["Dataset", "make_correlated_data", "make_paper_data"]
