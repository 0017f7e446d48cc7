"""Serving a review: on which address, and until it is stopped."""

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
"""Names of this machine that no other machine can reach."""


@dataclass(frozen=True)
class Served:
    """A server that is ready to run.

    Attributes
    ----------
    address : to open in a browser; whoever has it may come in, unless a password is asked for
    server : of uvicorn
    listening : the socket that it listens at
    """

    address: str
    server: uvicorn.Server
    listening: socket.socket

    def run(self) -> None:
        """Serve until interrupted."""
        self.server.run(sockets=[self.listening])

    @contextmanager
    def in_background(self) -> Iterator[str]:
        """Serve in a thread, for tests and notebooks; gives the address."""
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
        By default this machine alone can reach it.
    port : int
        A free one by default.
    password : str, optional
        Needed for any host that other machines can reach; otherwise a token in the address lets people in.

    Raises
    ------
    ValueError
        Where other machines could reach it without a password.
    """
    is_local = host in LOOPBACK
    if not is_local and not password:
        raise ValueError(f"Other machines can reach {host}, and a password is needed to let people in: set one.")
    door = Door(None if is_local else password)
    listening = _listening(host, port)
    port = listening.getsockname()[1]
    named = f"[{host}]" if ":" in host else host
    hosts = frozenset(f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")) if is_local else None
    app = make_app(desk, door, cookie=f"blindauc-review-{port}", hosts=hosts)
    # Whoever asks is who is connected: what proxies say of it could be made up, to guess faster.
    config = uvicorn.Config(
        app, log_level="error", access_log=False, server_header=False, proxy_headers=False, lifespan="off"
    )
    way_in = f"{ENTER}?token={door.token}" if door.token else "/"
    return Served(f"http://{named}:{port}{way_in}", uvicorn.Server(config), listening)


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio sends small answers at once rather than 40 ms later.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen()
    except OSError as error:
        listening.close()
        raise OSError(error.errno, f"{error.strerror} ({host}, port {port})") from error
    return listening
