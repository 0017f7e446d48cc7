"""The report tells all that was found, in one file that asks for nothing and runs nothing that the data holds."""

import base64
import hashlib
import re
import time
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from findings_examples import HOSTILE, example, hostile, large, nearly_empty, shaky

from blindauc import report
from blindauc.report import Baseline, Curve, Feature, Findings, Interval
from blindauc.report.cautions import cautions
from blindauc.report.charts import place_of, round_steps, thinned, tuning_chart
from blindauc.report.elements import UNREADABLE, VOID, Markup, tag, together
from blindauc.report.sections.trust import more_rows
from blindauc.report.words import number, percent

EXAMPLES = [example, hostile, shaky, large, nearly_empty]
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


@pytest.fixture(scope="module", params=EXAMPLES, ids=lambda make: make.__name__)
def page(request):
    return report.as_html(request.param())


def text_of(findings):
    return Reader(report.as_html(findings)).text


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
    assert len(page.encode()) < 270_000
    findings = large()
    start = time.process_time()
    report.as_html(findings)
    assert time.process_time() - start < 0.8


def test_typical_page_is_smaller_still():
    assert len(report.as_html(example()).encode()) < 170_000


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


def test_summary_says_what_was_asked_and_found():
    text = text_of(example())
    for words in (
        "Which rows of patients.csv are like those labelled positive?",
        "The table has 2,400 rows. 160 are labelled positive (infection = yes). Of the other 2,240",
        "Estimated AUC0.8795 % interval 0.83 to 0.91",
        "Labels to re-check12of 160 labelled rows",
        "Positives among unlabelled18 %95 % interval 13 to 25 %",
        "Columns selected9of 37",
        "The ranking is good.",
        "About 410 unlabelled rows are positive, too",
        f"12 labels should be checked again. Expect about {example().n_false_alarms} of them to be correct.",
        "9 columns tell the rows apart.",
        "The strongest: temperature_day_3, c_reactive_protein_day_4, wound_discharge.",
        "A simpler method may do as well. The ranking here scores 0.006 higher than l1 logistic regression",
        "Nothing in these numbers calls for special care.",
    ):
        assert words in text


def test_summary_of_other_findings():
    baselines = [
        Baseline("a", 0.7, Interval(0.1, 0.05, 0.2), is_as_good=False),
        Baseline("b", 0.6, Interval(0.2, 0.1, 0.3), is_as_good=False),
    ]
    text = text_of(replace(example(n_doubtful=0), baselines=baselines))
    assert "No single label is doubtful enough" in text
    assert "Simpler methods do not do as well. The ranking here scores 0.100 higher than a" in text
    worse = replace(example(n_doubtful=1), baselines=[Baseline("c", 0.9, Interval(-0.02, -0.1, 0.1), is_as_good=True)])
    assert "0.020 lower than c" in text_of(worse)
    assert "1 label should be checked again. It is more likely wrong than right." in text_of(worse)
    assert "No column helps." in text_of(nearly_empty())
    assert "None was compared." in text_of(nearly_empty())


def test_every_caution_speaks_where_it_should():
    assert cautions(example()) == []
    titles = [caution.title for caution in cautions(shaky())]
    assert titles == [
        "The ranking may be no better than chance",
        "The AUC is not known well",
        "This is almost too good",
        "Few labels: 14 rows are labelled",
        "Few unlabelled rows: 12",
        "Many labels may be wrong",
        "How many positives are hidden is hardly known",
        "Labelled and unlabelled rows are much alike",
    ]
    text = text_of(shaky())
    for title, advice in cautions(shaky()):
        # Once at the top, once where it is explained.
        assert text.count(title) >= 2
        assert advice.replace("\u00a0", " ") in text


def test_every_chart_has_spots_and_its_numbers_as_a_table():
    page = report.as_html(example())
    plots = page.split('<div class="plot"')[1:]
    assert len(plots) == 1 + 1 + 1 + 3 + 1
    for plot in plots:
        svg, rest = plot.split("</svg>")[:2]
        assert svg.count("data-tip=") >= 5
        assert 'role="img"' in svg
        assert "aria-label=" in svg
        assert rest.index("<table") < rest.index("</tbody>")


def test_tables_say_what_they_leave_away():
    text = text_of(large())
    assert "19,550 less doubtful rows are not on this page." in text
    assert "4,900 columns of less weight are not on this page." in text
    assert "not on this page" not in text_of(example())


def test_all_labels_to_check_are_on_the_page():
    assert report.as_html(large()).count("<strong>check</strong>") == 450


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
        assert "leading:" in tuning_chart(replace(tried, chosen=chosen), "l2")
    alone = replace(tried, values=[1.0], scores=[0.8], errors=[0.0], chosen=1.0)
    assert "nan" not in tuning_chart(alone, "l2")


def test_frequencies_that_were_not_computed_are_not_made_up():
    findings = replace(example(), features=[Feature("age", "age", -0.5, 0.75, True, None)])
    page = report.as_html(findings)
    assert "not computed" in page
    assert "half-samples" not in page
    assert "against positive" in page


def test_columns_have_their_inclusion_beside_the_weight():
    page = report.as_html(example())
    table = page.split("<caption>Columns and their weights</caption>")[1].split("</tbody>")[0]
    for feature, row in zip(example().features, table.split("<tr>")[2:], strict=True):
        shown = re.findall(r'<td class="number"[^>]*>([^<]*)</td>', row)
        assert shown == [number(feature.weight), percent(feature.inclusion), percent(feature.frequency)]
    assert "inclusion 97\u00a0%\nselected by 91\u00a0% of the half-samples" in page


def test_columns_are_counted_where_they_are_selected_not_where_they_have_a_weight():
    findings = example()
    assert sum(feature.weight != 0 for feature in findings.features) == 37
    unselected = [replace(feature, selected=False) for feature in findings.features]
    assert "No column helps." in text_of(replace(findings, features=unselected))
    assert "promises nothing" in more_rows(replace(findings, features=unselected))
    assert "The 15 strongest of 37." in text_of(findings)  # all weights rank


def test_the_reason_of_a_row_with_leverage_is_on_the_page():
    reason = "unlike all other rows, unusual in 180 columns: temperature_day_3 3900 (labelled rows: typically 38)"
    first, *rest = example().doubts
    findings = replace(example(), doubts=[replace(first, suspicion=1.0, false_alarms=0.0, reason=reason), *rest])
    assert f"100 %0 %check{reason}" in text_of(findings)


def test_more_rows_help_as_the_theory_says():
    assert re.search(r"about (7|8|9)\d\u00a0% of what it is", more_rows(example()))
    assert "promises nothing" in more_rows(shaky())


def test_a_page_made_again_from_json_is_the_same(tmp_path):
    findings = hostile()
    again = Findings.from_json(findings.to_json())
    assert report.as_html(again) == report.as_html(findings)
    report.write(again, tmp_path / "report.html")
    assert (tmp_path / "report.html").read_bytes().decode() == report.as_html(findings)
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
