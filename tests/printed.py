"""What a page shows and what is printed: the same words, and numbers as near as machines differ."""

import re
from decimal import Decimal

# Digits of a name (x9, P0608) and of a version are letters; a minus counts where nothing stands before it.
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.]*\w)")


def differences(shown, printed):
    """What a page shows and its code does not print, in words: "0.91 (printed 0.87)"."""
    ours, theirs = _sorted_lines(shown), _sorted_lines(printed)
    if _words(ours) != _words(theirs):
        return ["other words"]
    pairs = zip(NUMBER.findall(ours), NUMBER.findall(theirs), strict=True)
    return [f"{ours} (printed {theirs})" for ours, theirs in pairs if not _is_near(ours, theirs)]


def _sorted_lines(text):
    # Of rows that are nearly equal another may come first on another machine.
    return "\n".join(sorted(text.splitlines(), key=_words))


def _words(text):
    return NUMBER.sub("#", text).split()


def _is_near(shown, printed):
    """Within two units of the last decimal shown; a whole number within one, or 2 % of it.

    Sums of other lengths and libraries move the last digits of a fit, and a row over a limit moves a count by one.
    """
    shown, printed = (Decimal(each.replace(",", "")) for each in (shown, printed))
    last = shown.as_tuple().exponent
    allowed = Decimal(2).scaleb(last) if last < 0 else max(Decimal(1), abs(shown) / 50)
    return abs(shown - printed) <= allowed
