"""Dask clusters: that of the current client, one given by its address, or threads of this process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from os import cpu_count
from typing import Any

from blindauc.extras import imported

_NEEDED = "Dask collections need {}: pip install 'blindauc[dask]'."
distributed = imported("distributed", otherwise=_NEEDED)
cloudpickle = imported("cloudpickle", otherwise=_NEEDED)

# Imported by name: only the version is needed, and an import statement would depend on higher layers.
__version__: str = import_module("blindauc").__version__

SECONDS_TO_ANSWER = 5.0
"""Timeout of a connection (convention); a running scheduler answers within milliseconds."""


def connect(address: str) -> Any:
    """A client of the cluster whose scheduler has this address.

    Parameters
    ----------
    address : str, such as "tcp://10.0.0.5:8786"

    Returns
    -------
    distributed.Client

    Raises
    ------
    ConnectionError
        If no scheduler answers, it has no workers, or one of them has another version of the library.

    Examples
    --------
    >>> from blindauc.rows.dask import connect
    >>> connect("tcp://127.0.0.1")  # has no port
    Traceback (most recent call last):
    ConnectionError: No Dask scheduler answers at tcp://127.0.0.1 within 5 seconds: start one with \
`dask scheduler`, and give the address that it prints, such as tcp://10.0.0.5:8786.
    """
    # Checked before a client is made: a client that never connects may block when it is garbage-collected.
    try:
        with ThreadPoolExecutor(1) as thread:  # a thread, as notebooks have a running event loop in this one
            thread.submit(asyncio.run, _answer(address)).result()
    except (OSError, ValueError, TypeError, MemoryError) as error:  # a web server's answer reads as a huge message
        raise ConnectionError(
            f"No Dask scheduler answers at {address} within {SECONDS_TO_ANSWER:g} seconds: start one with "
            "`dask scheduler`, and give the address that it prints, such as tcp://10.0.0.5:8786."
        ) from error
    client = distributed.Client(address, set_as_default=False)
    try:
        _wait_for_workers(client, address)
        check_versions(client)
    except ConnectionError:
        client.close()
        raise
    return client


async def _answer(address: str) -> None:
    connection = distributed.Security().get_connection_args("client")
    async with distributed.rpc(address, connection_args=connection) as scheduler:
        await asyncio.wait_for(scheduler.identity(), SECONDS_TO_ANSWER)


def _wait_for_workers(client: Any, address: str) -> None:
    try:
        client.wait_for_workers(1, timeout=SECONDS_TO_ANSWER)
    except TimeoutError as error:
        raise ConnectionError(
            f"The Dask scheduler at {address} has no workers: start some with `dask worker {address}`."
        ) from error


@dataclass(frozen=True)
class Session:
    """A client, and whether its cluster was started by us."""

    client: Any
    is_own: bool

    @classmethod
    def of(cls, client: Any = None) -> Session:
        """The session of a client: the given one, the current one, or a new one with threads of this process."""
        client = _present_client() if client is None else client
        if client is None:
            return cls(_client_of_threads(), is_own=True)
        check_versions(client)
        return cls(client, is_own=False)

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """A function that uses the cluster; its errors are replaced by one line with a remedy."""
        try:
            return function(*arguments)
        except distributed.KilledWorker as error:
            raise BrokenExecutor(  # a RuntimeError, and what pools of processes raise, too
                f"Several workers died while they processed the same partition, the last of them "
                f"{error.last_worker.address}. They probably ran out of memory: make partitions smaller or give "
                "workers more memory."
            ) from error
        except (distributed.CancelledError, distributed.client.ClosedClientError) as error:
            raise ConnectionError(
                "The connection to the Dask scheduler was lost during the computation: check that the scheduler is "
                "still running, and start again."
            ) from error

    def close(self) -> None:
        """Close the client and the cluster, if they were started by us."""
        if self.is_own:
            self.client.close()
            self.client.cluster.close()


def _present_client() -> Any | None:
    try:
        return distributed.default_client()
    except ValueError:
        return None


def _client_of_threads() -> Any:
    """A client of a new cluster in threads of this process.

    Worker processes would import the main script again, which then needs a guard (`if __name__ == "__main__"`).
    """
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=cpu_count(), processes=False, dashboard_address="127.0.0.1:0"
    )
    return distributed.Client(cluster, set_as_default=False)


def check_versions(client: Any) -> None:
    """Raise if the scheduler or a worker has another version of this library, or has none."""

    # A nested function is pickled by value. One pickled by name could not be found by a worker without the library.
    def version() -> str:
        result: str = import_module("blindauc").__version__
        return result

    found = client.run(version, on_error="return") | {"the scheduler": _on_scheduler(client, version)}
    other = {where: what for where, what in found.items() if what != __version__}
    if other:
        where, what = next(iter(other.items()))
        version_there = "none" if isinstance(what, Exception) else what
        raise ConnectionError(
            f"{len(other)} of {len(found)} processes of the Dask cluster have another version of blindauc than "
            f"{__version__}, {where} has {version_there}: install blindauc {__version__} on all of them."
        )


def _on_scheduler(client: Any, version: Any) -> Any:
    try:
        return client.run_on_scheduler(version)
    except ImportError as error:
        return error
