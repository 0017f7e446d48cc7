"""The page is one file that asks for nothing and runs nothing that the data hold; its charts and tables."""

import base64
import hashlib
import re
import time
from dataclasses import replace

import pytest
from bent_findings import bent
from findings_examples import HOSTILE, example, hostile, large, nearly_empty, shaky, unknown_prior
from reading_pages import Reader, text_of

from blindauc import report
from blindauc.report import Curve, Feature, Findings
from blindauc.report.charts import place_of, round_steps, thinned, tuning_chart
from blindauc.report.elements import UNREADABLE, Markup, tag, together

EXAMPLES = [example, hostile, shaky, large, nearly_empty, unknown_prior, bent]
FROM_ELSEWHERE = {
    "src",
    "href",
    "srcset",
    "action",
    "formaction",
    "data",
    "poster",
    "background",
    "style",
    "xlink:href",
}


@pytest.fixture(scope="module", params=EXAMPLES, ids=lambda make: make.__name__)
def page(request):
    return report.as_html(request.param())


def test_page_is_well_formed(page):
    reader = Reader(page)
    assert reader.open == []
    ids = [attributes["id"] for _, attributes in reader.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    page.encode()  # no half of a surrogate pair


def test_nothing_comes_from_elsewhere(page):
    for name, attributes in Reader(page).elements:
        assert name not in {"link", "img", "iframe", "object", "embed", "base", "form", "foreignobject"}
        assert all(not attribute.startswith("on") for attribute in attributes)
        for attribute in FROM_ELSEWHERE & set(attributes):
            assert (attribute, attributes[attribute][:1]) == ("href", "#")
            assert f'id="{attributes[attribute][1:]}"' in page
    assert "@import" not in page
    assert "url(" not in page


def test_policy_allows_this_style_and_this_script_only(page):
    reader = Reader(page)
    assert len(reader.all("style")) == len(reader.all("script")) == 1
    (policy,) = [each["content"] for each in reader.all("meta") if each.get("http-equiv") == "Content-Security-Policy"]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    for name in ("style", "script"):
        inside = re.search(f"<{name}>(.*?)</{name}>", page, flags=re.DOTALL).group(1)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert rules[f"{name}-src"] == f"'sha256-{digest}'"


def test_pages_are_small_and_made_at_once(page):
    assert len(page.encode()) < 420_000
    findings = large()
    start = time.process_time()
    report.as_html(findings)
    assert time.process_time() - start < 0.8


def test_typical_page_is_smaller_still():
    assert len(report.as_html(example()).encode()) < 310_000


def test_hostile_names_are_text():
    reader = Reader(report.as_html(hostile()))
    plain = Reader(report.as_html(example()))
    # Neither an element nor an attribute more than names may bring: rows, cells, places to break a line.
    assert {name for name, _ in reader.elements} == {name for name, _ in plain.elements}
    names = {key for _, attributes in reader.elements for key in attributes}
    assert names == {key for _, attributes in plain.elements for key in attributes}
    for name in HOSTILE:
        assert " ".join(UNREADABLE.sub("\ufffd", name).split()) in reader.text


def test_tag_escapes_whatever_was_not_built_by_it():
    inner = tag("b", "<i>")
    assert tag("p", inner) == "<p><b>&lt;i&gt;</b></p>"
    assert tag("p", f"{inner}") == "<p>&lt;b&gt;&amp;lt;i&amp;gt;&lt;/b&gt;</p>"
    assert not isinstance(inner + "<i>", Markup)
    assert tag("p", title='"><script>') == '<p title="&quot;&gt;&lt;script&gt;"></p>'
    assert tag("p", "a\u202eb\ud800\x00") == "<p>a\ufffdb\ufffd\ufffd</p>"
    assert together([None, "a", [1, inner]]) == "a1<b>&lt;i&gt;</b>"
    assert tag("input", hidden=True, value=None, max=False, data_x=0.1) == '<input hidden data-x="0.1">'


def test_technical_words_are_in_the_appendix_only():
    for findings in (example(), unknown_prior(), shaky()):
        page, appendix = text_of(findings).split("Appendix: method, words and sources")
        for word in ("regularisation strength", "contamination", "blind AUC", "suspicion", "outlier", "l2"):
            assert word.lower() not in page.lower(), word
            assert word.lower() in appendix.lower(), word


def test_every_chart_has_spots_and_its_numbers_as_a_table():
    page = report.as_html(example())
    plots = page.split('<div class="plot"')[1:]
    assert len(plots) == 2 + 1 + 2 + 3
    for plot in plots:
        svg = plot.split("</svg>")[0]
        rest = page[page.index(svg) :].split("</section>")[0]
        assert svg.count("data-tip=") >= 5
        assert 'role="img"' in svg
        assert "aria-label=" in svg
        assert rest.index("<table") < rest.index("</tbody>")


def test_tables_say_what_they_leave_away():
    text = text_of(large())
    assert "19,550 less doubtful rows are not on this page." in text
    assert "4,900 lines of less weight are not on this page." in text
    assert "not on this page" not in text_of(example())


def test_all_labels_to_check_are_on_the_page():
    table = report.as_html(large()).split('id="doubts-table"')[1].split("</table>")[0]
    assert table.count("<tr>") == 1 + 450


def test_thinned_curves_keep_their_ends():
    x = [i / 999 for i in range(1000)]
    few = thinned(Curve(x, x, x, x), 7)
    assert (len(few.x), few.x[0], few.x[-1]) == (7, 0.0, 1.0)
    assert thinned(Curve(x[:5], x[:5], x[:5], x[:5]), 7).high == x[:5]


@pytest.mark.parametrize(("low", "high"), [(0, 1), (0.7812, 0.8541), (0, 0.031), (-3, 400), (5, 5)])
def test_steps_are_round_few_and_inside(low, high):
    steps = round_steps(low, high)
    assert len(steps) <= 6
    assert all(low - 1e-9 <= step <= high + 1e-9 for step in steps)
    if high > low:
        assert len(steps) >= 2


def test_choices_between_and_beyond_the_values_tried_are_drawn():
    tried = example().tuning[2]
    assert place_of(tried.chosen, tried.values) == tried.values.index(tried.chosen)
    for chosen in (0.0, 0.05, 1e12):
        assert "largest weight:" in tuning_chart(replace(tried, chosen=chosen), "l2")
    alone = replace(tried, values=[1.0], scores=[0.8], errors=[0.0], shares=[1.0], chosen=1.0)
    assert "nan" not in tuning_chart(alone, "l2")


def test_frequencies_that_were_not_computed_are_not_made_up():
    findings = replace(example(), features=[Feature("age", "age", -0.5, 0.75, True, None, 12.0, "", -0.15)])
    page = report.as_html(findings)
    assert "not computed" in page
    assert "half-samples" not in page
    assert "+12: down 15\u00a0%" in page


def test_a_page_made_again_from_json_is_the_same(tmp_path):
    findings = hostile()
    again = Findings.from_json(findings.to_json())
    assert report.as_html(again) == report.as_html(findings)
    report.write(again, tmp_path / "report.html")
    assert (tmp_path / "report.html").read_bytes().decode() == report.as_html(findings)
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
