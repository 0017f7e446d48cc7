"""Who may come in: by the token in the address on this machine, by a password from elsewhere; guesses are slowed."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

SHORTEST_PASSWORD = 8
"""Letters; with guesses slowed, and far fewer than one a second, that is enough (NIST SP 800-63B)."""

FIRST_WAIT, LONGEST_WAIT = 0.5, 60.0
"""Seconds after the first wrong guess, which double with every further one, and the most of them (convention)."""

MOST_ADDRESSES = 10_000
"""Addresses whose wrong guesses are remembered, so that guessing from many does not fill the memory."""


class TooSoonError(Exception):
    """Someone guessed wrong, and has to wait before the next guess."""

    def __init__(self, wait: float) -> None:
        super().__init__(f"Wait {wait:.0f} seconds before the next try.")
        self.wait = wait


def check_password(password: str) -> None:
    """Raise where a password is too short to keep anyone out."""
    if len(password) < SHORTEST_PASSWORD:
        raise ValueError(f"The password should have at least {SHORTEST_PASSWORD} letters: choose a longer one.")


class Door:
    """Lets those in who know the secret, and remembers them by a session.

    Parameters
    ----------
    password : str, optional
        Kept as a hash only. Without one a token is made up, which is the secret then.
    clock : callable
        Seconds, for tests.

    Examples
    --------
    >>> from blindauc.review.security import Door
    >>> door = Door()
    >>> door.enter("a guess", "127.0.0.1") is None, door.knows(door.enter(door.token, "127.0.0.1"))
    (True, True)
    """

    def __init__(self, password: str | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        if password is not None:
            check_password(password)
        self.token = secrets.token_urlsafe(32) if password is None else None
        self._salt = secrets.token_bytes(16)
        self._hashed = None if password is None else self._hash(password)
        self._sessions: set[str] = set()
        self._guesses = _Guesses(clock)
        self._one_at_a_time = Lock()

    @property
    def asks_password(self) -> bool:
        """Whether the secret is a password, not a token."""
        return self._hashed is not None

    def enter(self, secret: str, address: str) -> str | None:
        """A new session for whoever knows the secret; None for others, and TooSoonError where they guess too fast.

        A token cannot be guessed: who has the right one never waits, lest a foreign page that guesses locks people out.
        """
        if self.token is not None and secrets.compare_digest(self.token.encode(), secret.encode()):
            return self._session()
        # Hashing is slow on purpose. One at a time, many addresses cannot guess much faster than one.
        with self._one_at_a_time:
            self._guesses.check(address)
            if self._hashed is not None and secrets.compare_digest(self._hash(secret), self._hashed):
                self._guesses.forget(address)
                return self._session()
            self._guesses.count(address)
        return None

    def knows(self, session: str) -> bool:
        """Whether a session is one that was opened here."""
        return session in self._sessions

    def _session(self) -> str:
        session = secrets.token_urlsafe(32)
        self._sessions.add(session)
        return session

    def _hash(self, password: str) -> bytes:
        # The costs that OWASP recommends for interactive use: 16 MiB and some tens of milliseconds.
        return hashlib.scrypt(password.encode(), salt=self._salt, n=2**14, r=8, p=1)


class _Guesses:
    """Wrong guesses by address, and until when each has to wait."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._wrong: OrderedDict[str, tuple[int, float]] = OrderedDict()

    def check(self, address: str) -> None:
        wait = self._wrong.get(address, (0, 0.0))[1] - self._clock()
        if wait > 0:
            raise TooSoonError(wait)

    def count(self, address: str) -> None:
        number = self._wrong.pop(address, (0, 0.0))[0] + 1
        wait = min(FIRST_WAIT * 2.0 ** min(number - 1, 20), LONGEST_WAIT)
        self._wrong[address] = number, self._clock() + wait
        while len(self._wrong) > MOST_ADDRESSES:
            self._wrong.popitem(last=False)

    def forget(self, address: str) -> None:
        self._wrong.pop(address, None)
