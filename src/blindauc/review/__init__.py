"""Labels checked by people: the queue, the record of decisions, what they say, and the page where they are made.

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
