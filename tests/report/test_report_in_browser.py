"""The report in a real browser: no complaint, no request, no script but its own; charts and tables answer."""

import json
import math
from dataclasses import replace

import pytest
from chromium import is_complaint
from findings_examples import example, hostile, large, shaky, unknown_prior

from blindauc import report
from blindauc.report.counting import among_first, whole_range

PHONE, DESKTOP = 375, 1280
TIP = "document.querySelector('#curves .tip')"


def shown_rows(page, column, table="#doubts-table"):
    rows = f"[...document.querySelectorAll('{table} tbody tr')].filter(row => row.checkVisibility())"
    return page.evaluate(f"{rows}.map(row => row.cells[{column}].textContent)")


@pytest.mark.parametrize(("width", "dark"), [(PHONE, True), (DESKTOP, False)])
@pytest.mark.parametrize("make", [example, hostile, shaky, large, unknown_prior], ids=lambda make: make.__name__)
def test_opens_without_complaint_request_or_sideways_scrolling(opened, make, width, dark):
    page = opened(make(), width, dark)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate("document.querySelectorAll('details').forEach(folded => { folded.open = true })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("[...document.querySelectorAll('svg')].every(s => s.getBoundingClientRect().height > 100)")
    # Of few rows there is one chart of how many to find, without a second one of the first rows.
    assert page.evaluate("document.querySelectorAll('svg').length") == (7 if make is shaky else 8)
    assert page.evaluate("typeof window.hacked") == "undefined"
    assert page.complaints() == []
    assert len(page.requests()) == 1


def test_complaints_and_requests_would_be_seen(browser, tmp_path):
    bad = tmp_path / "bad.html"
    bad.write_text("<img src=missing.png><script>window.hacked = true; nothing.there</script>")
    browser.open(bad, width=DESKTOP)
    assert browser.evaluate("window.hacked")
    browser.until_heard(is_complaint, n_times=2)
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


def slide(selector, value):
    """Move a slider, or type a number, as a person would."""
    return (
        f"(s => {{ s.value = {value}; s.dispatchEvent(new Event('input')); s.dispatchEvent(new Event('change')) }})"
        f"(document.querySelector('{selector}'))"
    )


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_the_slider_tells_how_many_to_expect(opened, width):
    page, findings = opened(example(), width), example()
    told = "document.querySelector('#capacity-found').textContent"
    assert page.evaluate("document.querySelector('#capacity-slider').checkVisibility()")
    assert page.evaluate(told) == "Of the first 50 rows expect about 44 to be positive (95 % interval 34 to 50)."
    for k in (1, 7, 63, 200, 999, 2240):
        page.evaluate(slide("#capacity-rows", k))
        value, low, high = (getattr(among_first(findings.found, k), name) for name in ("value", "low", "high"))
        assert f"about {math.floor(value + 0.5):,} to be" in page.evaluate(told)
        assert f"interval {whole_range(low, high)})" in page.evaluate(told)
    page.evaluate(slide("#capacity-slider", 1000))
    assert page.evaluate("document.querySelector('#capacity-rows').value") == "2240"
    assert page.evaluate(told).startswith("Of the first 2,240 rows expect about 410")
    page.evaluate(slide("#capacity-slider", 0))
    assert page.evaluate(told).startswith("Of the first row expect about 1")
    for typed, meant in (("'x'", "1"), ("-5", "1"), ("1e9", "2240"), ("12.4", "12")):
        page.evaluate(slide("#capacity-rows", typed))
        assert page.evaluate("document.querySelector('#capacity-rows').value") == meant


def test_the_slider_answers_the_keyboard_and_needs_no_network(opened):
    page = opened(unknown_prior())
    told = "document.querySelector('#capacity-found').textContent"
    assert page.evaluate(told) == (
        "Of the first 200 rows anything from 3 to 184 may be positive. Giving the prior would narrow this."
    )
    page.evaluate("document.querySelector('#capacity-slider').focus()")
    page.press("ArrowRight")
    page.press("ArrowRight")
    assert page.evaluate("Number(document.querySelector('#capacity-rows').value)") > 200
    assert page.evaluate("document.querySelector('#capacity-slider').getAttribute('aria-valuetext')").endswith(" rows")
    assert len(page.requests()) == 1


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_a_row_opens_by_click_and_by_key_and_shows_its_own_columns(opened, width):
    page, cells = opened(example(), width), example().cases[0].cells
    shown = "document.querySelector('.case .cells').checkVisibility()"
    assert not page.evaluate(shown)
    page.click(*page.middle_of(".case summary"))
    assert page.evaluate(shown)
    text = page.evaluate("document.querySelector('.case .cells').textContent")
    assert all(f"{column}{value}" in text for column, value in cells.items())
    page.evaluate("document.querySelector('.case summary').focus()")
    page.press("Enter")
    assert not page.evaluate(shown)
    rows = "[...document.querySelectorAll('.cases li')].filter(row => row.checkVisibility()).length"
    assert page.evaluate(rows) == 25
    page.click(*page.middle_of("#cases summary.more"))
    assert page.evaluate(rows) == len(example().cases)
    ends = "[...document.querySelectorAll('.line, .why')].map(each => each.getBoundingClientRect().right)"
    assert 0 < max(page.evaluate(ends)) <= width


def test_without_numbers_labels_can_still_be_found_by_words(opened):
    findings = replace(example(n_labelled=9, n_rows=60), is_auc_known=False, is_prior_known=False)
    page = opened(findings)
    page.evaluate("document.querySelector('#doubts-words').focus()")
    page.type(findings.doubts[4].name)
    assert set(shown_rows(page, 0)) == {findings.doubts[4].name}
    assert page.complaints() == []


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
    page.evaluate(f"document.querySelector('#doubts-words').value = ''; {slide('#doubts-least', 90)}")
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
    page.evaluate("document.querySelector('#tuning').open = true")
    for number in range(8):
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
    tips = page.evaluate(
        "[...document.querySelectorAll('#curves figure:last-child .spot')].map(spot => spot.dataset.tip)"
    )
    page.evaluate("document.querySelector('#curves figure:last-child .plot').focus({focusVisible: true})")
    told = []
    for _ in range(3):
        told.append(page.evaluate("document.querySelector('#curves figure:last-child .tip').textContent"))
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
        root = tree["root"]["nodeId"]
        # The slider would do nothing, and is not shown; tables have what it tells, and rows open by themselves.
        slider = page.send("DOM.querySelector", nodeId=root, selector="#capacity > .filter")["nodeId"]
        assert "hidden" in page.send("DOM.getAttributes", nodeId=slider)["attributes"]
        for selector, n_rows in (("#capacity-curve tbody tr", len(example().found)), ("#cases li details.case", 200)):
            assert len(page.send("DOM.querySelectorAll", nodeId=root, selector=selector)["nodeIds"]) == n_rows
    finally:
        browser.send("Emulation.setScriptExecutionDisabled", value=False)


def test_prints(opened):
    assert opened(example()).pdf().startswith(b"%PDF")
