"""Features from raw records: windows of EEG."""

from blindauc.features.eeg import cut_windows, eeg_features, feature_families, feature_names

__all__ = ["cut_windows", "eeg_features", "feature_families", "feature_names"]
