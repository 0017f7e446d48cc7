"""A headless Chromium, driven by its own DevTools protocol."""

import base64
import json
import shutil
import subprocess
import time
from collections import defaultdict, deque
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 60
"""Seconds that a busy machine may take for an answer (convention)."""


@contextmanager
def started(profile):
    """A page in a new browser with its profile in a folder; skips the test if no browser is installed."""
    websocket = pytest.importorskip("websocket", reason="needs websocket-client to talk to a browser")
    executable = next(filter(None, map(shutil.which, NAMES)), None)
    if executable is None:
        pytest.skip(f"needs a browser: none of {', '.join(NAMES)} is on the path")
    options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
    command = [executable, *options, "--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        port, path = _address(Path(profile) / "DevToolsActivePort", process)
        socket = websocket.create_connection(f"ws://127.0.0.1:{port}{path}", timeout=PATIENCE, suppress_origin=True)
        try:
            yield Page(Wire(socket))
        finally:
            socket.close()
    finally:
        process.terminate()
        process.wait(PATIENCE)


def _address(file, process):
    """The port and path that the browser listens at, once it has said so."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        if file.exists() and len(lines := file.read_text().split()) == 2:
            return lines
        time.sleep(0.05)
    raise RuntimeError(f"{process.args[0]} did not start; run it by hand to see why.")


class Wire:
    """The socket that all tabs share; what happens in a tab is kept for that tab."""

    def __init__(self, socket):
        self._socket, self._last, self.events = socket, 0, defaultdict(deque)

    def ask(self, method, params, session=None):
        """Ask for something and wait for the answer."""
        self._last += 1
        message = {"id": self._last, "method": method, "params": params}
        self._socket.send(json.dumps(message | ({"sessionId": session} if session else {})))
        while (answer := self.hear()).get("id") != self._last:
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def hear(self):
        """Wait for the next message; an event goes to its tab."""
        message = json.loads(self._socket.recv())
        if "method" in message:
            self.events[message.get("sessionId")].append(message)
        return message


class Page:
    """A tab: `open` a file, `evaluate` an expression, move, click and type."""

    def __init__(self, wire):
        self._wire = wire
        self._target = wire.ask("Target.createTarget", {"url": "about:blank"})["targetId"]
        attached = wire.ask("Target.attachToTarget", {"targetId": self._target, "flatten": True})
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")
        self.send("Page.setLifecycleEventsEnabled", enabled=True)

    @contextmanager
    def another(self):
        """A second tab of the same browser, closed at the end."""
        page = Page(self._wire)
        try:
            yield page
        finally:
            self._wire.ask("Target.closeTarget", {"targetId": page._target})

    @property
    def events(self):
        """What happened in this tab since it was opened."""
        return self._wire.events[self._session]

    def send(self, method, **params):
        """Ask for something and wait for the answer."""
        return self._wire.ask(method, params, self._session)

    def open(self, path, *, width, height=900, dark=False):
        """Show a file, or what is at an address, in a window of that width and wait until it is loaded."""
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])
        self.events.clear()
        self._load("Page.navigate", url=path if str(path).startswith("http:") else Path(path).as_uri())

    def reload(self):
        """Load the page again, and wait until it is there."""
        self._load("Page.reload")

    def _load(self, method, **params):
        """Ask for a page and wait until it is loaded: the word that the page before it is loaded may come late."""
        before = self.send("Page.getFrameTree")["frameTree"]["frame"]["loaderId"]
        n_events = len(self.events)
        self.send(method, **params)
        self.until_heard(lambda event: _is_load(event) and event["params"]["loaderId"] != before, after=n_events)

    def until_heard(self, is_meant, n_times=1, after=0):
        """Wait until an event has come, or several of its kind; the first ones do not count."""
        end = time.monotonic() + PATIENCE
        while sum(map(is_meant, islice(self.events, after, None))) < n_times:
            assert time.monotonic() < end, "the browser never said so"
            self._wire.hear()

    def evaluate(self, expression):
        """The value of a JavaScript expression; a promise is waited for."""
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    def move(self, x, y):
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def touch(self, x, y):
        self.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def press(self, key):
        code = {"Enter": 13, "ArrowRight": 39}[key]
        text = {"text": "\r"} if key == "Enter" else {}
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **text)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def type(self, text):
        self.send("Input.insertText", text=text)

    def middle_of(self, selector):
        """Where an element is in the window, scrolled into it."""
        box = (
            f"(e => {{ e.scrollIntoView({{block: 'center', behavior: 'instant'}}); const b = e.getBoundingClientRect();"
            f" return [b.x + b.width / 2, b.y + b.height / 2]; }})(document.querySelector({json.dumps(selector)}))"
        )
        return self.evaluate(box)

    def complaints(self):
        """Errors that the page put out, in the console or as an exception."""
        self.evaluate("new Promise(done => setTimeout(done, 50))")
        return [event for event in self.events if is_complaint(event)]

    def requests(self):
        """The addresses that the page asked for."""
        sent = [event for event in self.events if event["method"] == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in sent]

    def screenshot(self):
        return base64.b64decode(self.send("Page.captureScreenshot", captureBeyondViewport=True)["data"])

    def pdf(self):
        return base64.b64decode(self.send("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"])


def is_complaint(event):
    return event["method"] in ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled")


def _is_load(event):
    return event["method"] == "Page.lifecycleEvent" and event["params"]["name"] == "load"
