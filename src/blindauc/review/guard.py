"""Checks before every request: session, origin, host and size; and the security headers of every response."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from blindauc.review.entrance import ENTER, login_page
from blindauc.review.security import Door

LARGEST_BODY = 1 << 16
"""The most bytes of a request (convention): a decision with the longest note has about a tenth."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""Only our own files are run or loaded, and no page may frame ours."""

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Guard:
    """Middleware that refuses requests without a session, from other sites, or too large; others go to the app.

    Parameters
    ----------
    app : ASGI application
    door : Door
    cookie : str
        The name of the cookie that holds the session.
    hosts : set of str, optional
        The allowed values of the Host header; any by default. It keeps out names of an attacker's domain that resolve
        to this machine (DNS rebinding).
    """

    def __init__(self, app: ASGIApp, door: Door, cookie: str, hosts: frozenset[str] | None = None) -> None:
        self._app, self._door, self._cookie, self._hosts = app, door, cookie, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on."""
        if scope["type"] != "http":
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        answer = self._refusal(scope) or self._app
        await answer(scope, _limited(receive), send_with_headers)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if self._hosts is not None and headers.get("host") not in self._hosts:
            return PlainTextResponse("This is not the address of the review.", 403)
        is_reading = scope["method"] in ("GET", "HEAD")
        if not is_reading and headers.get("origin") != f"{scope['scheme']}://{headers.get('host')}":
            return PlainTextResponse("Only the page of the review may send this.", 403)
        if scope["path"] != ENTER and not self._door.knows(self._session(headers)):
            return self._login_required(scope)
        if int(_digits(headers.get("content-length"))) > LARGEST_BODY:
            return PlainTextResponse("The request is too large.", 413)
        return None

    def _login_required(self, scope: Scope) -> Response:
        if self._door.asks_password and scope["path"] == "/":
            page, policy = login_page()
            return HTMLResponse(page, 401, {"Content-Security-Policy": policy})
        return PlainTextResponse("Open the address that `blindauc review` printed.", 401)

    def _session(self, headers: Headers) -> str:
        # Other servers on this machine share the cookies, and may set some that a strict parser rejects.
        return cookie_parser(headers.get("cookie", "")).get(self._cookie, "")


def _digits(text: str | None) -> str:
    return text if text and text.isdecimal() else "0"


def _limited(receive: Receive) -> Receive:
    """The body of a request, which is cut off if it is larger than allowed, whatever its Content-Length says."""
    n_bytes = 0

    async def receive_some() -> Message:
        nonlocal n_bytes
        message = await receive()
        n_bytes += len(message.get("body", b""))
        return message if n_bytes <= LARGEST_BODY else {"type": "http.disconnect"}

    return receive_some
