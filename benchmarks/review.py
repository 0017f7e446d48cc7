"""Decisions per second that the review server stores, each on disk before it is acknowledged.

`python benchmarks/review.py` (seconds) starts a server in another process, with 2,000 labels to check, and lets 1, 2
and 8 reviewers send decisions as fast as they are acknowledged. `median` and `slowest` are the times from sending to
acknowledgement, which include the update of the estimates. `disk` is the same number of commits without a server.

The bar: 200 decisions per second.
"""

from __future__ import annotations

import argparse
import http.client
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

import numpy as np

from blindauc.review.decisions import LABELLED, UNLABELLED, Attempt
from blindauc.review.desk import About, Desk
from blindauc.review.estimates import Prospect
from blindauc.review.facts import Facts
from blindauc.review.queue import Item, Queue
from blindauc.review.record import RECORD, Record
from blindauc.review.serving import prepare

N_LABELS = 2_000


def made_up_desk(folder: Path) -> Desk:
    """Labels with simulated suspicions, a tenth of them wrong."""
    chances = np.sort(np.random.default_rng(0).beta(0.3, 2.7, N_LABELS))[::-1].tolist()
    items = tuple(Item(row, f"P{row}", LABELLED, chance, "") for row, chance in enumerate(chances, start=1))
    labels = Queue(LABELLED, items, 100, Prospect(tuple(chances), 0.5 * sum(chances), 2 * sum(chances)))
    nothing = Queue(UNLABELLED, (), 0, Prospect((), 0.0, 0.0))
    record = Record(folder / RECORD, data="0444", model="9f86")
    return Desk(About("patients.csv", "infection", "yes"), record, (labels, nothing), lambda row: Facts())


def serve(folder: Path) -> None:
    served = prepare(made_up_desk(folder))
    print(served.address, flush=True)
    served.run()


def entered(address: str) -> tuple[http.client.HTTPConnection, dict[str, str]]:
    """A connection, and the headers that authenticate its requests."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(str(parts.hostname), parts.port)
    connection.request("GET", f"{parts.path}?{parts.query}")
    answer = connection.getresponse()
    answer.read()
    cookie = str(answer.getheader("set-cookie")).partition(";")[0]
    return connection, {"Cookie": cookie, "Origin": f"http://{parts.netloc}"}


def review(address: str, reviewer: int, n_reviewers: int, n: int, times: list[float]) -> None:
    """Send decisions on every n-th row, one after the other."""
    connection, headers = entered(address)
    last = 0
    for row in range(1 + reviewer, 1 + n, n_reviewers):
        asked = {"request": f"{reviewer}-{row}", "row": row, "decision": "wrong" if row % 3 else "right", "version": 0}
        start = time.perf_counter()
        body = json.dumps(asked | {"reviewer": f"reviewer {reviewer}", "note": "no fever", "since": last})
        connection.request("POST", "/decisions", body, headers)
        answer = connection.getresponse()
        content = json.loads(answer.read())
        if answer.status != 200:
            raise RuntimeError(content)
        times.append(time.perf_counter() - start)
        last = content["changes"]["last"]
    connection.close()


def measured(n_reviewers: int, n: int) -> tuple[float, list[float]]:
    """Decisions per second, and the time of each."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        command = [sys.executable, __file__, "--serve", folder]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            address, times = server.stdout.readline().strip(), list[float]()
            threads = [
                threading.Thread(target=review, args=(address, number, n_reviewers, n, times))
                for number in range(n_reviewers)
            ]
            start = time.perf_counter()
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            seconds = time.perf_counter() - start
            server.kill()
    return len(times) / seconds, times


def commits(n: int) -> float:
    """Decisions per second without a server: the limit set by the disk."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        record = Record(Path(folder) / RECORD, data="0444", model="9f86")
        start = time.perf_counter()
        for row in range(1, n + 1):
            record.decide(Attempt(str(row), "Ada", row, f"P{row}", LABELLED, "wrong", "no fever", 0))
        seconds = time.perf_counter() - start
        record.close()
    return n / seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("-n", type=int, default=1_000, help="decisions of each measurement")
    asked = parser.parse_args()
    if asked.serve:
        serve(asked.serve)
        return
    print("reviewers  decisions/s  median ms  slowest ms")
    for n_reviewers in (1, 2, 8):
        rate, times = measured(n_reviewers, asked.n)
        print(f"{n_reviewers:9d}{rate:13.0f}{1e3 * median(times):11.1f}{1e3 * max(times):12.1f}")
    print(f"     disk{commits(asked.n):13.0f}")


if __name__ == "__main__":
    main()
