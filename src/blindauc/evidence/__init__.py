"""Out-of-fold evidence: folds, out-of-fold ranks, and the design effect of groups."""
