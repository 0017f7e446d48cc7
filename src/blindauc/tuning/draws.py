"""All positives with as many unlabelled rows, drawn again and again.

Under a weak ridge a fit separates whatever it can, also the labelled positives from those hidden among the unlabelled
rows. A small draw has few of these, and what they do to a fit differs from draw to draw, so that it goes in the average
(Mordelet and Vert, A bagging SVM to learn from positive and unlabeled examples, Pattern Recognit. Lett. 2014).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from blindauc.data import Data
from blindauc.tuning.folds import in_random_order, row_digests

WEAK = 10**-0.5
"""Ridges below this, in units of the data's own curvature, are weak."""

N_DRAWS = 10
"""Twice as many take twice as long and bring hardly anything."""


def draws(data: Data) -> Iterator[Data]:
    """Draws of the unlabelled rows, as many in each as there are positives, together with all of these.

    Which rows are drawn depends on what is in them, not on where they stand.
    """
    rng, n_pos = np.random.default_rng(0), int(data.is_positive.sum())
    unlabelled = in_random_order(np.flatnonzero(~data.is_positive), row_digests(data.X, 0))
    for _ in range(N_DRAWS):
        taken = data.is_positive.copy()
        taken[rng.choice(unlabelled, min(n_pos, len(unlabelled)), replace=False)] = True
        yield data.subset(taken)
