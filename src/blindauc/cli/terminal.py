"""Text from files, and names of files, made harmless to a terminal."""


def printable(text: str) -> str:
    """The text with a question mark for whatever is no letter, or would steer a terminal.

    Examples
    --------
    >>> from blindauc.cli.terminal import printable
    >>> printable("lab\\x1b[2J")
    'lab?[2J'
    """
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def in_one_line(text: str) -> str:
    """The text with nothing but single spaces between its words."""
    return printable(" ".join(text.split()))
