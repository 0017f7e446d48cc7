"""Where tests find the checkout, and the real data beside it."""

from pathlib import Path

ROOT = Path(__file__).parent.parent
DATA = ROOT.parent / "shared" / "data"
