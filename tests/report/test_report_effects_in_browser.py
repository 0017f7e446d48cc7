"""The section of effects in a real browser, on phones, desktops and paper, with hostile names."""

import re

import pytest
from bent_findings import bent, hostile_bent
from findings_examples import HOSTILE

from blindauc import report
from blindauc.report.effect_charts import curve_rows
from blindauc.report.elements import escaped

PHONE, DESKTOP = 390, 1280


# In a browser ---------------------------------------------------------------------------------------------------------


def test_hostile_names_are_text():
    page = report.as_html(hostile_bent())
    assert "<script>window" not in page
    assert "<img" not in page
    assert "onmouseover=" not in re.sub(r'"[^"]*"|>[^<]*<', "", page)
    for name in HOSTILE[:8]:
        assert f"<strong>{escaped(name)}</strong>" in page
        assert f'aria-label="What {escaped(name)} adds to the score"' in page


@pytest.mark.parametrize(("width", "dark"), [(PHONE, True), (DESKTOP, False)])
@pytest.mark.parametrize("make", [bent, hostile_bent], ids=lambda make: make.__name__)
def test_opens_without_complaint_request_or_sideways_scrolling(opened, make, width, dark):
    page = opened(make(), width, dark)
    page.evaluate("document.querySelectorAll('.effects details').forEach(folded => { folded.open = true })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("document.querySelectorAll('.effects svg').length") == len(make().effects)
    rights = "[...document.querySelectorAll('.effects, .effects *')].map(e => e.getBoundingClientRect().right)"
    assert 0 < max(page.evaluate(rights)) <= width
    assert page.evaluate("typeof window.hacked") == "undefined"
    assert page.complaints() == []
    assert len(page.requests()) == 1


@pytest.mark.parametrize(("width", "across"), [(PHONE, 1), (720, 2), (DESKTOP, 3)])
def test_charts_stand_side_by_side_where_there_is_room_and_begin_on_one_line(opened, width, across):
    page = opened(bent(), width)
    places = page.evaluate(
        "[...document.querySelectorAll('.effects .plot')].map(e => e.getBoundingClientRect()).map(b => [b.x, b.y])"
    )
    assert len({round(x) for x, _ in places}) == across
    assert len({round(y) for _, y in places[:across]}) == 1
    letters = "getComputedStyle(document.querySelector('.effects .tick')).fontSize"
    scale = "(s => s.clientWidth / s.viewBox.baseVal.width)(document.querySelector('.effects svg'))"
    assert float(page.evaluate(letters).removesuffix("px")) * page.evaluate(scale) >= 10


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_tables_of_numbers_need_no_scrolling_sideways(opened, width):
    page = opened(bent(), width)
    page.evaluate("document.querySelectorAll('.effects details').forEach(folded => { folded.open = true })")
    over = "[...document.querySelectorAll('.effects .scroll')].map(box => box.scrollWidth - box.clientWidth)"
    assert page.evaluate(over) == [0] * len(bent().effects)


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_every_chart_tells_its_numbers_inside_its_box(opened, width):
    page = opened(bent(), width)
    for number, effect in enumerate(bent().effects):
        plot = f"document.querySelectorAll('.effects .plot')[{number}]"
        page.evaluate(f"{plot}.setAttribute('data-test', {number})")
        page.move(*page.middle_of(f"[data-test='{number}']"))
        text = page.evaluate(f"{plot}.querySelector('.tip').textContent")
        assert re.match(r"\S+: adds [+\u2212]?\d\.\d\d\n95 % interval \S+ to \S+\n\S+\s% of the unlabelled rows", text)
        assert text.split(":")[0] in [row[0] for row in curve_rows(effect)]
        inside = (
            f"(([p, t]) => t.width > 0 && t.left >= p.left - 1 && t.right <= p.right + 1)"
            f"([{plot}, {plot}.querySelector('.tip')].map(e => e.getBoundingClientRect()))"
        )
        assert page.evaluate(inside)


def test_on_paper_three_charts_stand_side_by_side_and_tables_that_were_opened_are_printed(opened):
    page = opened(bent())
    page.evaluate("document.querySelectorAll('.effects details')[1].open = true")
    page.send("Emulation.setEmulatedMedia", media="print")
    try:
        page.send(
            "Emulation.setDeviceMetricsOverride", width=690, height=980, deviceScaleFactor=1, mobile=False
        )  # A4 less its margins
        lefts = page.evaluate("[...document.querySelectorAll('.effects svg')].map(s => s.getBoundingClientRect().x)")
        assert len({round(x) for x in lefts}) == 3
        shown = page.evaluate("[...document.querySelectorAll('.effects details')].map(d => d.checkVisibility())")
        assert shown == [i == 1 for i in range(len(bent().effects))]
        assert page.evaluate("document.documentElement.scrollWidth") <= 690
        assert page.pdf().startswith(b"%PDF")
    finally:
        page.send("Emulation.setEmulatedMedia", media="")
