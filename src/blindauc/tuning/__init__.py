"""Model selection without a single negative: folds, paths, criteria and rules."""
