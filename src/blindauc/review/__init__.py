"""Review of labels by people: the lists of rows to check, the record of decisions, estimates from them, and the page.

>>> from blindauc import review
>>> sorted(review.__all__)[:3]
['CANNOT_TELL', 'Checked', 'DISAGREEMENT']
"""

from blindauc.review.decisions import CANNOT_TELL, DISAGREEMENT, NEGATIVE, POSITIVE, RIGHT, WRONG
from blindauc.review.record import Record, RecordFullError
from blindauc.review.standing import Checked, checked_rows

__all__ = [
    "CANNOT_TELL",
    "DISAGREEMENT",
    "NEGATIVE",
    "POSITIVE",
    "RIGHT",
    "WRONG",
    "Checked",
    "Record",
    "RecordFullError",
    "checked_rows",
]
