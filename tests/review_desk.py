"""A review of made-up findings, a client for its server, and the server as a process of its own that can be killed."""

import http.client
import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from bent_findings import bent
from findings_examples import example

from blindauc.review.desk import About, Desk
from blindauc.review.facts import Cell, Facts, Marked, Shares, Spread
from blindauc.review.queue import queues_of
from blindauc.review.record import RECORD, Record

N_LABELS, N_CASES = 40, 30


def findings(make=bent):
    """Findings with few rows, each of which comes once: the labelled ones first."""
    made = make()
    doubts = [replace(each, row=row) for row, each in enumerate(made.doubts[:N_LABELS], start=1)]
    cases = [replace(each, row=N_LABELS + rank) for rank, each in enumerate(made.cases[:N_CASES], start=1)]
    return replace(made, doubts=doubts, cases=cases, wrong=[each for each in made.wrong if each.k <= N_LABELS])


def facts_of(made):
    """The same facts for every row, one of each kind; texts as hostile as the findings are."""
    numbers = [i / 10 for i in range(41)]
    text = made.doubts[0].reason
    cells = [
        Cell(made.features[0].source, "38.2", Spread(3.2, numbers, numbers[5:20], 0.78, 1.0)),
        Cell(made.features[1].source, text, Shares(0.4, 0.1)),
        Cell(made.features[2].source, "", Shares(0.02, 0.3, is_missing=True)),
    ]
    others = [Cell(name, f"{text} {'x' * 10_000}") for name in made.asked.set_aside]
    curves = [Marked(effect, effect.values[len(effect.values) // 2]) for effect in made.effects[:6]]
    return lambda row: Facts(cells, others, curves)


def desk_in(folder, make=bent, *, blind=False, record=None):
    made = findings(make)
    record = record or Record(Path(folder) / RECORD, data="0444", model="9f86")
    asked = made.asked
    about = About(asked.data, asked.label, asked.positive)
    return Desk(about, record, queues_of(made), facts_of(made), blind=blind)


class Client:
    """A browser without a window: it keeps its cookie, and says which page it sends from."""

    def __init__(self, address):
        parts = urlsplit(address)
        self.host, self.cookie = parts.netloc, None
        self._connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=20)
        try:
            answer = self.welcome = self.ask("GET", f"{parts.path}?{parts.query}")
        except (OSError, http.client.HTTPException):
            self.close()
            raise
        if answer.getheader("set-cookie"):
            self.cookie = answer.getheader("set-cookie").partition(";")[0]

    def ask(self, method, path, body=None, **headers):
        """The answer, whose content is in `content`."""
        sent = {"Host": self.host, **({"Cookie": self.cookie} if self.cookie else {})}
        sent |= {"Origin": f"http://{self.host}"} if method == "POST" else {}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {name: value for name, value in sent.items() if value is not None}
        self._connection.request(method, path, body, sent)
        answer = self._connection.getresponse()
        answer.content = answer.read()
        return answer

    def get(self, path):
        return json.loads(self.ask("GET", path).content)

    def decide(self, request, row, decision="wrong", *, version=0, reviewer="Ada", note=""):
        """Status and content."""
        asked = {"request": request, "row": row, "decision": decision, "version": version, "reviewer": reviewer}
        answer = self.ask("POST", "/decisions", json.dumps(asked | {"note": note}))
        return answer.status, json.loads(answer.content)

    def close(self):
        self._connection.close()


def serve_again_and_again(folder):
    """Serve a review for every line that comes in, when the server before is dead; prints who and where.

    What is imported once need not be imported for each of them.
    """
    from blindauc.review.serving import prepare

    for _ in sys.stdin:
        child = os.fork()
        if child == 0:
            served = prepare(desk_in(folder, example))
            print(os.getpid(), served.address, flush=True)
            served.run()
        os.waitpid(child, 0)
        print("dead", flush=True)


if __name__ == "__main__":
    serve_again_and_again(sys.argv[1])
