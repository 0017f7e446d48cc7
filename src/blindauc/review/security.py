"""Authentication: by a token in the address on this machine, by a password from elsewhere; guesses are throttled."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

SHORTEST_PASSWORD = 8
"""Minimal length of a password; enough if guesses are throttled to far less than one a second (NIST SP
800-63B)."""

FIRST_WAIT, LONGEST_WAIT = 0.5, 60.0
"""Seconds to wait after the first wrong guess, doubled with each further one, and their limit (convention)."""

MOST_ADDRESSES = 10_000
"""The most addresses whose wrong guesses are remembered (convention), so that guesses do not fill the memory."""


class TooSoonError(Exception):
    """A guess came too soon after a wrong one."""

    def __init__(self, wait: float) -> None:
        super().__init__(f"Wait {wait:.0f} seconds before you try again.")
        self.wait = wait


def check_password(password: str) -> None:
    """Raise if a password is too short."""
    if len(password) < SHORTEST_PASSWORD:
        raise ValueError(f"The password must have at least {SHORTEST_PASSWORD} characters: choose a longer one.")


class Door:
    """Opens sessions for those who know the secret.

    Parameters
    ----------
    password : str, optional
        The secret, of which only a hash is kept. Without a password, a random token is the secret.
    clock : callable
        Returns the time in seconds; tests replace it.

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
        """Whether the secret is a password instead of a token."""
        return self._hashed is not None

    def enter(self, secret: str, address: str) -> str | None:
        """A new session if the secret is right; None if it is wrong, and a TooSoonError if the guess comes too soon.

        A token cannot be guessed, and the right one never has to wait. Otherwise a page of another site could lock
        people out by wrong guesses.
        """
        if self.token is not None and secrets.compare_digest(self.token.encode(), secret.encode()):
            return self._session()
        # Hashing is slow on purpose, and done one at a time: many addresses cannot guess much faster than one.
        with self._one_at_a_time:
            self._guesses.check(address)
            if self._hashed is not None and secrets.compare_digest(self._hash(secret), self._hashed):
                self._guesses.forget(address)
                return self._session()
            self._guesses.count(address)
        return None

    def knows(self, session: str) -> bool:
        """Whether a session was opened here."""
        return session in self._sessions

    def _session(self) -> str:
        session = secrets.token_urlsafe(32)
        self._sessions.add(session)
        return session

    def _hash(self, password: str) -> bytes:
        # The parameters that OWASP recommends for interactive use: 16 MiB and some tens of milliseconds.
        return hashlib.scrypt(password.encode(), salt=self._salt, n=2**14, r=8, p=1)


class _Guesses:
    """The number of wrong guesses of each address, and the time until which it has to wait."""

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
