"""Every page of the built site in a real browser: nothing fails, nothing is wider than the window, search works.

`make test-docs` builds the site and names its folder in BLINDAUC_SITE; without that these tests are skipped.
"""

import os
from pathlib import Path

import pytest

SITE = Path(os.environ.get("BLINDAUC_SITE", "")).resolve()
IS_NAMED = "BLINDAUC_SITE" in os.environ
FOUND = sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html")) if IS_NAMED else []
PAGES = [page for page in FOUND if page != "404.html"]  # which only a server shows, from any folder
DESKTOP, PHONE = 1280, 390

pytestmark = pytest.mark.skipif(not IS_NAMED, reason="needs the site: make test-docs")
every_page = pytest.mark.parametrize("page", PAGES)

WIDER = """[...document.querySelectorAll('body *')].filter(element => {
  if (element.closest('[hidden], .md-search, .md-sidebar, .md-header, nav')) return false
  for (let box = element.parentElement; box; box = box.parentElement)
    if (getComputedStyle(box).overflowX !== 'visible' && box !== document.body) return false
  return element.getBoundingClientRect().right > innerWidth + 1
}).slice(0, 3).map(element => element.outerHTML.slice(0, 200))"""

BROKEN_FORMULAS = r"""[
  ...document.querySelectorAll('.arithmatex, merror'),
  ...[...document.querySelectorAll('math mi, math mo, math mtext')].filter(each => /[\\$&]/.test(each.textContent)),
  ...[...document.querySelectorAll('.formula')].filter(each => !each.getBoundingClientRect().width),
  ...[...document.querySelectorAll('.formula')].filter(each => !each.querySelector('math')),
].map(each => each.outerHTML.slice(0, 200))"""

UNRENDERED = r"""[...document.querySelectorAll('.md-content p, .md-content li, .md-content td')].flatMap(
  each => each.innerText.match(/\$\$|\\(frac|sum|pi|eta|ell)\b|:math:|\.\. math::/g) || [])"""


def failed(browser):
    """What could not be loaded."""
    return [event["params"] for event in browser.events if event["method"] == "Network.loadingFailed"]


def test_the_site_has_pages():
    assert "index.html" in PAGES, f"There is no site in {SITE}: make docs"


@every_page
@pytest.mark.parametrize("width", [DESKTOP, PHONE])
def test_a_page_fits_and_nothing_fails(browser, page, width):
    browser.open(SITE / page, width=width)
    assert browser.complaints() == []
    assert failed(browser) == []
    assert [address for address in browser.requests() if not address.startswith(("file:", "data:", "about:"))] == []
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    assert browser.evaluate(WIDER) == []
    assert browser.evaluate("[...document.images].filter(each => each.complete && !each.naturalWidth).length") == 0
    assert browser.evaluate(BROKEN_FORMULAS) == []
    assert browser.evaluate(UNRENDERED) == []


def test_search_works_from_disk(browser):
    browser.open(SITE / "index.html", width=DESKTOP)
    browser.click(*browser.middle_of("input.md-search__input"))
    browser.type("contamination")
    found = """new Promise((done, fail) => {
      const end = Date.now() + 30000
      const look = () => {
        const links = [...document.querySelectorAll('.md-search-result__link')].map(link => link.pathname)
        if (links.length) done(links)
        else if (Date.now() > end) fail(new Error('nothing was found'))
        else setTimeout(look, 100)
      }
      look()
    })"""
    assert any(path.endswith("concepts/contamination.html") for path in browser.evaluate(found))
    assert browser.complaints() == []
