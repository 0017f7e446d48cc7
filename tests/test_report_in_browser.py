"""The report in a real browser: no complaint, no request, no script but its own; charts and tables answer."""

import json

import chromium
import pytest
from findings_examples import example, hostile, large, shaky

from blindauc import report

PHONE, DESKTOP = 375, 1280
TIP = "document.querySelector('#curves .tip')"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with chromium.started(tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.fixture
def opened(browser, tmp_path):
    """Open the report of some findings; returns the page."""

    def open_report(findings, width=DESKTOP, dark=False):
        path = tmp_path / "report.html"
        report.write(findings, path)
        browser.open(path, width=width, dark=dark)
        return browser

    return open_report


def shown_rows(page, column, table="#doubts-table"):
    rows = f"[...document.querySelectorAll('{table} tbody tr')].filter(row => row.checkVisibility())"
    return page.evaluate(f"{rows}.map(row => row.cells[{column}].textContent)")


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [PHONE, DESKTOP])
@pytest.mark.parametrize("make", [example, hostile, shaky, large], ids=lambda make: make.__name__)
def test_opens_without_complaint_request_or_sideways_scrolling(opened, make, width, dark):
    page = opened(make(), width, dark)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("[...document.querySelectorAll('svg')].every(s => s.getBoundingClientRect().height > 100)")
    assert page.evaluate("document.querySelectorAll('svg').length") == 7
    assert page.evaluate("typeof window.hacked") == "undefined"
    assert page.complaints() == []
    assert len(page.requests()) == 1


def test_complaints_and_requests_would_be_seen(browser, tmp_path):
    bad = tmp_path / "bad.html"
    bad.write_text("<img src=missing.png><script>window.hacked = true; nothing.there</script>")
    browser.open(bad, width=DESKTOP)
    assert browser.evaluate("window.hacked")
    assert len(browser.complaints()) >= 2
    assert len(browser.requests()) == 2


@pytest.mark.parametrize(
    "payload", ["<script>window.hacked = true</script>", "<img src=x onerror='window.hacked=true'>"]
)
def test_policy_stops_what_would_slip_through(browser, tmp_path, payload):
    """Were a name ever not escaped, the page would still not run it."""
    path = tmp_path / "report.html"
    path.write_text(report.as_html(example()).replace("<h1>", f"<h1>{payload}"))
    browser.open(path, width=DESKTOP)
    browser.complaints()
    assert browser.evaluate("typeof window.hacked") == "undefined"
    assert browser.evaluate("document.querySelectorAll('.more').length") > 0


@pytest.mark.parametrize("make", [example, hostile, shaky, large], ids=lambda make: make.__name__)
def test_on_a_phone_reasons_are_seen_without_scrolling_sideways(opened, make):
    page = opened(make(), PHONE)
    ends = "[...document.querySelectorAll('.wordy td:last-child')].map(cell => cell.getBoundingClientRect().right)"
    assert 0 < max(page.evaluate(ends)) <= PHONE
    assert len(shown_rows(page, 5)) == min(20, len(make().doubts))


def test_dark_is_dark(opened):
    colour = "getComputedStyle(document.body).backgroundColor"
    assert opened(example()).evaluate(colour) != opened(example(), dark=True).evaluate(colour)


def test_a_click_on_a_heading_sorts_and_a_second_one_turns_round(opened):
    page = opened(example())
    everything = [f"{doubt.row:,}" for doubt in sorted(example().doubts, key=lambda doubt: doubt.row)]
    heading = "#doubts-table th:nth-child(2)"
    for order, expected in (("descending", everything[::-1]), ("ascending", everything)):
        page.click(*page.middle_of(f"{heading} button"))
        assert page.evaluate(f"document.querySelector('{heading}').getAttribute('aria-sort')") == order
        assert shown_rows(page, 1) == expected[:20]
    assert page.evaluate("document.querySelectorAll('#doubts-table [aria-sort]').length") == 1


def test_sorting_by_keyboard(opened):
    page = opened(example())
    page.evaluate("document.querySelector('#doubts-table th button').focus()")
    page.press("Enter")
    names = shown_rows(page, 0)
    assert names == sorted(names)
    assert names != [doubt.name for doubt in example().doubts[:20]]


def test_filters_of_the_doubtful_labels(opened):
    page, doubts = opened(example()), example().doubts
    assert shown_rows(page, 0) == [doubt.name for doubt in doubts[:20]]
    page.click(*page.middle_of("#doubts .more"))
    assert len(shown_rows(page, 0)) == len(doubts)
    page.evaluate("document.querySelector('#doubts-words').focus()")
    page.type(doubts[30].name.lower())
    assert set(shown_rows(page, 0)) == {doubts[30].name}
    slide = "(s => { s.value = 90; s.dispatchEvent(new Event('input')) })(document.querySelector('#doubts-least'))"
    page.evaluate(f"document.querySelector('#doubts-words').value = ''; {slide}")
    expected = [doubt.name for doubt in doubts if doubt.suspicion >= 0.9]
    assert shown_rows(page, 0) == expected
    assert page.evaluate("document.querySelector('#doubts-status').textContent") == (
        f"{len(expected)} of {len(doubts)} rows match"
    )


def test_hovering_a_chart_tells_the_nearest_numbers(opened):
    page = opened(example())
    assert page.evaluate(f"{TIP}.hidden")
    spot = page.middle_of("#curves .spot:nth-of-type(11)")
    page.move(spot[0], spot[1] + 40)
    expected = page.evaluate("document.querySelector('#curves .spot:nth-of-type(11)').dataset.tip")
    assert page.evaluate(f"{TIP}.checkVisibility() && {TIP}.textContent") == expected
    page.move(2, 2)
    assert page.evaluate(f"{TIP}.hidden")


def test_every_chart_tells_something_and_inside_its_box(opened):
    page = opened(hostile(), PHONE)
    for number in range(7):
        plot = f"document.querySelectorAll('.plot')[{number}]"
        selector = f"[data-test='{number}']"
        page.evaluate(f"{plot}.setAttribute('data-test', {number})")
        page.touch(*page.middle_of(selector))
        inside = (
            f"(([p, t]) => t.width > 0 && t.left >= p.left - 1 && t.right <= p.right + 1)"
            f"([{plot}, {plot}.querySelector('.tip')].map(e => e.getBoundingClientRect()))"
        )
        assert page.evaluate(inside), number
    assert page.evaluate("typeof window.hacked") == "undefined"


def test_arrows_go_from_spot_to_spot(opened):
    page = opened(example())
    tips = page.evaluate("[...document.querySelectorAll('#ranks .spot')].map(spot => spot.dataset.tip)")
    page.evaluate("document.querySelector('#ranks .plot').focus({focusVisible: true})")
    told = []
    for _ in range(3):
        told.append(page.evaluate("document.querySelector('#ranks .tip').textContent"))
        page.press("ArrowRight")
    assert told == tips[:3]


def test_without_script_everything_is_there(opened, browser):
    browser.send("Emulation.setScriptExecutionDisabled", value=True)
    try:
        page = opened(example())
        tree = page.send("DOM.getDocument", depth=-1)
        rows = page.send("DOM.querySelectorAll", nodeId=tree["root"]["nodeId"], selector="#doubts-table tbody tr")
        assert len(rows["nodeIds"]) == len(example().doubts)
        assert '"hidden"' not in json.dumps(page.send("DOM.getAttributes", nodeId=rows["nodeIds"][-1]))
    finally:
        browser.send("Emulation.setScriptExecutionDisabled", value=False)


def test_prints(opened):
    assert opened(example()).pdf().startswith(b"%PDF")
