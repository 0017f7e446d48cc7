"""A headless Chromium, driven by its own DevTools protocol."""

import base64
import json
import shutil
import subprocess
import time
from collections import deque
from contextlib import contextmanager
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
            yield Page(socket)
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


class Page:
    """A tab: `open` a file, `evaluate` an expression, move, click and type."""

    def __init__(self, socket):
        self._socket, self._session, self._last = socket, None, 0
        self.events = deque()
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")

    def send(self, method, **params):
        """Ask for something and wait for the answer; what happens meanwhile is kept in `events`."""
        self._last += 1
        message = {"id": self._last, "method": method, "params": params}
        self._socket.send(json.dumps(message | ({"sessionId": self._session} if self._session else {})))
        while (answer := json.loads(self._socket.recv())).get("id") != self._last:
            self.events.append(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def open(self, path, *, width, height=900, dark=False):
        """Show a file, or what is at an address, in a window of that width and wait until it is loaded."""
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])
        self.events.clear()
        self.send("Page.navigate", url=path if str(path).startswith("http:") else Path(path).as_uri())
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.events.append(json.loads(self._socket.recv()))

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
        kinds = ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled")
        return [event for event in self.events if event["method"] in kinds]

    def requests(self):
        """The addresses that the page asked for."""
        sent = [event for event in self.events if event["method"] == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in sent]

    def screenshot(self):
        return base64.b64decode(self.send("Page.captureScreenshot", captureBeyondViewport=True)["data"])

    def pdf(self):
        return base64.b64decode(self.send("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"])
