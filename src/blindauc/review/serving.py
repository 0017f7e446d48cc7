"""Serve a review at an address until it is stopped."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread

import uvicorn

from blindauc.review.desk import Desk
from blindauc.review.entrance import ENTER
from blindauc.review.security import Door
from blindauc.review.server import make_app

LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""Hosts that only this machine can reach."""


@dataclass(frozen=True)
class Served:
    """A server that is ready to run.

    Attributes
    ----------
    address : the address to open in a browser; without a password, it contains the token
    server : the uvicorn server
    listening : the socket that it listens on
    """

    address: str
    server: uvicorn.Server
    listening: socket.socket

    def run(self) -> None:
        """Serve until interrupted."""
        self.server.run(sockets=[self.listening])

    @contextmanager
    def in_background(self) -> Iterator[str]:
        """Serve in a thread, for tests and notebooks. The context value is the address."""
        thread = Thread(target=self.run, daemon=True)
        thread.start()
        try:
            yield self.address
        finally:
            self.server.should_exit = True
            thread.join()


def prepare(desk: Desk, *, host: str = "127.0.0.1", port: int = 0, password: str | None = None) -> Served:
    """A server for a review.

    Parameters
    ----------
    desk : Desk
    host : str
        By default only this machine can reach it.
    port : int
        By default any free port.
    password : str, optional
        Required for a host that other machines can reach. On this machine a token in the address is used instead.

    Raises
    ------
    ValueError
        If other machines can reach the host and there is no password.
    """
    is_local = host in LOOPBACK
    if not is_local and not password:
        raise ValueError(f"Other machines can reach {host}, so that a password is needed: set one.")
    door = Door(None if is_local else password)
    listening = _listening(host, port)
    port = listening.getsockname()[1]
    named = f"[{host}]" if ":" in host else host
    hosts = frozenset(f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")) if is_local else None
    app = make_app(desk, door, cookie=f"blindauc-review-{port}", hosts=hosts)
    # Without proxy headers: an attacker could forge them to guess passwords from many addresses.
    config = uvicorn.Config(
        app, log_level="error", access_log=False, server_header=False, proxy_headers=False, lifespan="off"
    )
    path = f"{ENTER}?token={door.token}" if door.token else "/"
    return Served(f"http://{named}:{port}{path}", uvicorn.Server(config), listening)


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # If the protocol is given, asyncio sets TCP_NODELAY: small responses are sent at once, not 40 ms later.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen()
    except OSError as error:
        listening.close()
        raise OSError(error.errno, f"{error.strerror} ({host}, port {port})") from error
    return listening
