"""Text from files, and file names, without terminal control sequences."""


def printable(text: str) -> str:
    """The text with a question mark in place of every non-printable character.

    Examples
    --------
    >>> from blindauc.cli.terminal import printable
    >>> printable("lab\\x1b[2J")
    'lab?[2J'
    """
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def in_one_line(text: str) -> str:
    """The text on a single line, without control characters."""
    return printable(" ".join(text.split()))
