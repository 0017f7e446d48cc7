"""The web application of a review: the page, its rows, and decisions, which are acknowledged when they are on disk."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from blindauc.report.elements import readable
from blindauc.review.decisions import LONGEST_NAME
from blindauc.review.desk import Desk
from blindauc.review.entrance import ENTER, Entrance
from blindauc.review.exchange import as_csv
from blindauc.review.guard import Guard
from blindauc.review.page import document
from blindauc.review.queue import Item, Queue
from blindauc.review.record import RecordFullError
from blindauc.review.row import row_article
from blindauc.review.security import Door
from blindauc.review.summary import summary_html

_STATIC = {
    "/style.css": ("blindauc.report", "style.css", "text/css"),
    "/review.css": ("blindauc.review", "static/review.css", "text/css"),
    "/review.js": ("blindauc.review", "static/review.js", "text/javascript"),
    "/icon.svg": ("blindauc.review", "static/icon.svg", "image/svg+xml"),
}


def make_app(
    desk: Desk, door: Door, *, cookie: str = "blindauc-review", hosts: frozenset[str] | None = None
) -> ASGIApp:
    """The ASGI application of a review.

    Parameters
    ----------
    desk : Desk
    door : Door
    cookie : str
        The name of the cookie. Two reviews on one machine need two names, since cookies are shared by all ports.
    hosts : set of str, optional
        The allowed values of the Host header; any by default.
    """
    answers = _Answers(desk)
    routes = [
        Route(ENTER, Entrance(door, cookie).__call__, methods=["GET", "POST"]),
        Route("/", answers.page),
        Route("/state", answers.state),
        Route("/rows/{row:int}", answers.row),
        Route("/decisions", answers.decide, methods=["POST"]),
        Route("/checked.csv", answers.export),
        *(Route(path, _static(*where)) for path, where in _STATIC.items()),
    ]
    return Guard(Starlette(routes=routes), door, cookie, hosts)


def _static(package: str, path: str, kind: str) -> Any:
    """An endpoint that returns one of our files, which is read once: no path of a request is ever opened."""
    content = resources.files(package).joinpath(path).read_bytes()

    def answer(request: Request) -> Response:
        return Response(content, media_type=kind)

    return answer


class _Answers:
    """The endpoints of a review."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def page(self, request: Request) -> Response:
        return HTMLResponse(document(self._desk))

    def state(self, request: Request) -> Response:
        """The changes since the last request of the page; for its first request, also the lists."""
        reviewer, since = _reviewer(request), _whole(request.query_params.get("since"))
        lists = {"queues": {_name(place): _listed(queue) for place, queue in enumerate(self._desk.queues)}}
        return JSONResponse(self._news(reviewer, since) | ({} if since else lists))

    def row(self, request: Request) -> Response:
        item = self._desk.item(int(request.path_params["row"]))
        if item is None:
            return _error("That row is not in the lists.", 404)
        place = next(queue.places[item.row] for queue in self._desk.queues if item.row in queue.places)
        article = row_article(item, self._desk.facts(item.row), self._desk.about, place + 1)
        return JSONResponse({"html": article} | self._desk.row(item.row, _reviewer(request)))

    async def decide(self, request: Request) -> Response:
        try:
            decision = _decision_in(await request.body())
            return await run_in_threadpool(self._decided, *decision)
        except ClientDisconnect:
            return _error("The request is too large.", 413)
        except RecordFullError:
            return _error("The disk is full. Your decision is not saved yet.", 507)
        except OSError:
            return _error("The record cannot be written to. Your decision is not saved yet.", 503)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            return _error(f"The decision is not valid: {error}", 400)

    def _decided(self, decision: dict[str, Any], since: int) -> Response:
        entry = self._desk.decide(**decision)
        news = self._news(entry.attempt.reviewer, since)
        row = self._desk.row(entry.attempt.row, entry.attempt.reviewer)
        if entry.is_accepted:
            return JSONResponse(news | {"row": row})
        words = (
            "There is a new decision on this row, by someone else or from another window. Yours is recorded, but does "
            "not count."
        )
        return JSONResponse(news | {"row": row, "error": words}, 409)

    def _news(self, reviewer: str, since: int) -> dict[str, Any]:
        summaries = zip(self._desk.summaries(reviewer), self._desk.queues, strict=True)
        return {
            "changes": self._desk.changes(reviewer, since),
            "summaries": {_name(place): summary_html(*each) for place, each in enumerate(summaries)},
            "disagreements": [_named(item) for item in map(self._desk.item, self._desk.disagreements()) if item],
        }

    def export(self, request: Request) -> Response:
        reviewer = _reviewer(request) if self._desk.blind else None
        return Response(as_csv(self._desk.entries(), reviewer), media_type="text/csv")


def _name(place: int) -> str:
    return ("labels", "unlabelled")[place]


def _listed(queue: Queue) -> dict[str, Any]:
    return {"rows": list(map(_named, queue.items)), "advised": queue.n_advised, "before": queue.n_before}


def _named(item: Item) -> tuple[int, str]:
    return item.row, readable(item.name)


def _reviewer(request: Request) -> str:
    return request.query_params.get("reviewer", "")[:LONGEST_NAME].strip()


def _whole(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 16 else 0


def _decision_in(body: bytes) -> tuple[dict[str, Any], int]:
    """The decision in a request, and the last entry of the record that the page has; a ValueError if not valid."""
    sent = json.loads(body)
    texts, numbers = ("request", "reviewer", "decision", "note"), ("row", "version")
    decision = {name: sent[name] for name in (*texts, *numbers)}
    since = sent.get("since", 0)
    if not all(isinstance(decision[name], str) for name in texts):
        raise ValueError("a text is missing.")
    if not all(type(value) is int for value in (*(decision[name] for name in numbers), since)):
        raise ValueError("a number is missing.")
    if any(0xD800 <= ord(letter) < 0xE000 for name in texts for letter in decision[name]):
        raise ValueError("a text holds a lone surrogate.")
    return decision | {"reviewer": decision["reviewer"].strip()}, since


def _error(words: str, status: int) -> Response:
    return JSONResponse({"error": words}, status)
