"""blindauc: ranking from labelled positives and unlabelled rows, with wrong labels and useless columns."""

from blindauc.pairwise import PairwiseLoss, pairwise_loss, summarize

__version__ = "0.1.0.dev0"

__all__ = ["PairwiseLoss", "__version__", "pairwise_loss", "summarize"]
