"""Login: by an address with a token, or by a form that asks for a password."""

from __future__ import annotations

import base64
import hashlib
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from blindauc.report.elements import Markup, tag
from blindauc.review.security import Door, TooSoonError

ENTER = "/enter"

_NOT_THE_ADDRESS = "Open the address that `blindauc review` printed."

_STYLE = """
:root { color-scheme: light dark; }
body { display: grid; place-items: center; min-height: 90vh; margin: 0; padding: 1rem;
  font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", Arial, sans-serif; }
form { display: grid; gap: 0.75rem; width: min(100%, 20rem); }
h1 { margin: 0; font-size: 1.4rem; }
input, button { padding: 0.6rem 0.8rem; border: 1px solid GrayText; border-radius: 8px; font: inherit; }
p { margin: 0; }
"""


def login_page(words: str = "") -> tuple[str, str]:
    """The login page, and its Content-Security-Policy: only the inline style, by its hash, and no other resource."""
    head = [tag("meta", charset="utf-8"), tag("meta", name="viewport", content="width=device-width, initial-scale=1")]
    form = tag(
        "form",
        tag("h1", "Review of labels"),
        tag("label", "Password", for_="password"),
        tag("input", type="password", name="password", id="password", required=True, autofocus=True),
        tag("button", "Enter", type="submit"),
        tag("p", words, role="alert") if words else None,
        method="post",
        action=ENTER,
    )
    digest = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'self'"
    page = tag(
        "html",
        tag("head", head, tag("title", "Review of labels"), tag("style", Markup(_STYLE))),
        tag("body", form),
        lang="en",
    )
    return f"<!doctype html>\n{page}", f"{policy}; frame-ancestors 'none'"


class Entrance:
    """The endpoint `/enter`, which exchanges the secret for a session.

    Parameters
    ----------
    door : Door
    cookie : str
        The name of the cookie that holds the session.
    """

    def __init__(self, door: Door, cookie: str) -> None:
        self._door, self._cookie = door, cookie

    async def __call__(self, request: Request) -> Response:
        """Start a session, or refuse."""
        secret = await self._secret(request)
        if secret is None:
            return self._refused(_NOT_THE_ADDRESS, 401)
        address = request.client.host if request.client else ""
        try:
            session = await run_in_threadpool(self._door.enter, secret, address)
        except TooSoonError as error:
            answer = self._refused(str(error), 429)
            answer.headers["Retry-After"] = f"{error.wait:.0f}"
            return answer
        if session is None:
            return self._refused("The password is wrong." if self._door.asks_password else _NOT_THE_ADDRESS, 403)
        return self._welcome(session)

    async def _secret(self, request: Request) -> str | None:
        """The secret of a request: the token of the address, or the password of the form."""
        if not self._door.asks_password:
            return request.query_params.get("token") if request.method == "GET" else None
        if request.method != "POST":
            return None
        try:
            fields = parse_qs((await request.body()).decode(errors="replace"))
        except ClientDisconnect:
            return None
        return fields.get("password", [None])[0]

    def _refused(self, words: str, status: int) -> Response:
        if self._door.asks_password:
            page, policy = login_page(words)
            return HTMLResponse(page, status, {"Content-Security-Policy": policy})
        return PlainTextResponse(words, status)

    def _welcome(self, session: str) -> Response:
        # A browser that came here from another site does not send a strict cookie after a redirect, but does after a
        # refresh by our own page. Neither leaves the address with the token in the history.
        answer: Response = RedirectResponse("/", 303) if self._door.asks_password else HTMLResponse(_redirect_page())
        answer.set_cookie(self._cookie, session, httponly=True, samesite="strict", path="/")
        return answer


def _redirect_page() -> str:
    refresh = tag("meta", http_equiv="refresh", content="0;url=/")
    icon = tag("link", rel="icon", href="/icon.svg")
    head = tag("head", tag("meta", charset="utf-8"), refresh, icon, tag("title", "Review of labels"))
    return f"<!doctype html>\n{tag('html', head, tag('body', tag('a', 'Go to the review', href='/')), lang='en')}"
