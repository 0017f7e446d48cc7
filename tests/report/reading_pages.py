"""Reads a page of the report as a browser does."""

from html.parser import HTMLParser

from blindauc import report
from blindauc.report.elements import VOID


class Reader(HTMLParser):
    """The elements of a page, its text, and whether every element is closed where it should be."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.texts, self.open = [], [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, name, attributes):
        self.elements.append((name, dict(attributes)))
        if name not in VOID:
            self.open.append(name)

    def handle_endtag(self, name):
        assert self.open.pop() == name

    def handle_data(self, text):
        if self.open and self.open[-1] not in ("style", "script"):
            self.texts.append(text)

    def all(self, name):
        return [attributes for each, attributes in self.elements if each == name]

    @property
    def text(self):
        return " ".join("".join(self.texts).replace("\u00a0", " ").split())


def text_of(findings):
    return Reader(report.as_html(findings)).text
