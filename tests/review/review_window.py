"""A window of the review in a real browser."""

import json
import time

import chromium
import pytest

pytest.importorskip("starlette", reason="needs starlette: pip install 'blindauc[review]'")
pytest.importorskip("uvicorn", reason="needs uvicorn: pip install 'blindauc[review]'")


PHONE, DESKTOP = 390, 1280


class Window:
    """A tab with the review, and what a person does in it."""

    def __init__(self, page):
        self.page = page

    def open(self, address, width=DESKTOP, dark=False):
        """Go in by the address with the token, whose page leads on to the review."""
        self.page.open(address, width=width, dark=dark)
        self.until("location.pathname === '/' && document.readyState === 'complete'")

    def begin(self, name):
        self.until("document.getElementById('name-dialog').open")
        assert self.page.evaluate("document.activeElement.id") == "name"
        self.page.type(name)
        self.page.press("Enter")
        self.until_row()

    def until(self, condition):
        end = time.monotonic() + chromium.PATIENCE
        while not self._is_so(condition):
            assert time.monotonic() < end, f"never so: {condition}"
            time.sleep(0.01)

    def _is_so(self, condition):
        try:
            return self.page.evaluate(f"Boolean({condition})")
        except RuntimeError as error:
            if "navigated" in str(error) or "execution context" in str(error).lower():
                return False  # between two pages
            raise

    def until_row(self, number=None):
        at = "" if number is None else f" && shown.row === {number}"
        self.until(f"shown !== null && !document.querySelector('#row').hasAttribute('aria-busy'){at}")

    def key(self, letter):
        self.page.send("Input.dispatchKeyEvent", type="keyDown", key=letter, text=letter)
        self.page.send("Input.dispatchKeyEvent", type="keyUp", key=letter)

    def decide(self, letter):
        """Press a key, and wait for the next row."""
        before = self.page.evaluate("shown.row")
        self.key(letter)
        self.until(f"shown.row !== {before} && !document.querySelector('#row').hasAttribute('aria-busy')")

    def text(self, selector):
        return self.page.evaluate(f"document.querySelector({json.dumps(selector)}).innerText")

    @property
    def row(self):
        return self.page.evaluate("shown.row")
