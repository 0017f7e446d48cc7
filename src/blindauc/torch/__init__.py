"""The blind AUC as a loss for PyTorch: exact over all pairs of a batch or of the whole data set, on CPU and GPU."""

from blindauc.extras import imported

imported("torch", otherwise="blindauc.torch needs {}: pip install 'blindauc[torch]'.")

from blindauc.torch.loss import BlindAUCLoss  # noqa: E402
from blindauc.torch.summary import PairSummary  # noqa: E402

__all__ = ["BlindAUCLoss", "PairSummary"]
