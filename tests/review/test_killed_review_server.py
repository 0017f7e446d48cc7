"""A server that is killed at any moment loses and doubles nothing that was acknowledged."""

import http.client
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time

import pytest

pytest.importorskip("starlette", reason="needs starlette: pip install 'blindauc[review]'")
pytest.importorskip("uvicorn", reason="needs uvicorn: pip install 'blindauc[review]'")

import review_desk
from review_desk import N_LABELS, Client

from blindauc.review.record import RECORD


class Killed:
    """A server that is killed again and again, and clients that go on with the same requests."""

    def __init__(self, folder, n_decisions, n_kills, seed):
        self._folder, self._n_decisions, self._rng = folder, n_decisions, random.Random(seed)
        self._address, self.acknowledged = "", []
        self._kill_at = sorted(self._rng.sample(range(1, n_decisions), n_kills))

    def run(self):
        command = [sys.executable, review_desk.__file__, str(self._folder)]
        environment = os.environ | {"OMP_NUM_THREADS": "1"}
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        ) as self._servers:
            self._start()
            clients = [threading.Thread(target=self._review, args=(number,)) for number in (0, 1)]
            for client in clients:
                client.start()
            for n_done in self._kill_at:
                while len(self.acknowledged) < n_done:
                    time.sleep(0.0005)
                time.sleep(self._rng.uniform(0, 0.005))
                self._kill()
                self._start()
            for client in clients:
                client.join()
            self._kill()

    def _start(self):
        self._servers.stdin.write("another\n")
        self._servers.stdin.flush()
        pid, self._address = self._servers.stdout.readline().split()
        self._pid = int(pid)

    def _kill(self):
        os.kill(self._pid, signal.SIGKILL)
        assert self._servers.stdout.readline() == "dead\n"

    def _review(self, number):
        """Every second row, round and round, each request until it is acknowledged."""
        client, versions = None, {}
        for i in range(self._n_decisions // 2):
            row = 1 + (2 * i + number) % N_LABELS
            while True:
                try:
                    client = client or Client(self._address)
                    decision = ("right", "wrong", "cannot tell")[i % 3]
                    asked = {"version": versions.get(row, 0), "reviewer": f"reviewer {number}"}
                    status, content = client.decide(f"{number}-{i}", row, decision, **asked)
                except (OSError, http.client.HTTPException):
                    if client:
                        client.close()
                    client = None
                    time.sleep(0.01)
                    continue
                assert status == 200
                versions[row] = content["row"]["version"]
                self.acknowledged.append(f"{number}-{i}")
                break
        client.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="servers that can be killed are forked")
@pytest.mark.parametrize(
    ("n_decisions", "n_kills"), [(100, 3), pytest.param(500, 20, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_killed_at_any_moment_nothing_acknowledged_is_lost_or_doubled(tmp_path, n_decisions, n_kills):
    killed = Killed(tmp_path, n_decisions, n_kills, seed=n_kills)
    killed.run()
    assert len(killed.acknowledged) == n_decisions
    database = sqlite3.connect(tmp_path / RECORD)
    assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    written = [request for (request,) in database.execute("SELECT request FROM decisions WHERE is_accepted = 1")]
    assert sorted(written) == sorted(killed.acknowledged)
    assert database.execute("SELECT count(*) FROM decisions").fetchone() == (n_decisions,)
    database.close()
