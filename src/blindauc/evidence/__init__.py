"""Out-of-fold evidence: what rows that a fit has not seen say about it."""
