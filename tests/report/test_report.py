"""The report tells all that was found, in one file that asks for nothing and runs nothing that the data holds."""

import base64
import hashlib
import re
import time
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from findings_examples import HOSTILE, bent, example, hostile, large, nearly_empty, shaky, unknown_prior

from blindauc import report
from blindauc.cli.summary import summary
from blindauc.report import Baseline, Curve, Expected, Feature, Findings, Interval
from blindauc.report.cautions import cautions
from blindauc.report.charts import place_of, round_steps, thinned, tuning_chart
from blindauc.report.comparing import verdict
from blindauc.report.counting import among_first, wrong_first
from blindauc.report.elements import UNREADABLE, VOID, Markup, tag, together
from blindauc.report.findings import Checks
from blindauc.report.sections.trust import more_rows
from blindauc.report.sections.tuning import why
from blindauc.report.words import climbed, percent, percent_range, stepped

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


def test_summary_says_what_was_asked_and_found():
    text = text_of(example())
    first, second, third = example().cases[:3]
    for words in (
        "Which rows of patients.csv are like those labelled positive?",
        "The table has 2,400 rows. 160 are labelled positive (infection = yes). Of the other 2,240",
        "Positives, first 50 rows4495 % interval 34 to 50",
        "Wrong, first 20 labels1495 % interval 10 to 19",
        "Estimated AUC0.8795 % interval 0.83 to 0.91",
        "Columns selected9of 37",
        f"Whom do I check first?{first.name}, then {second.name}, then {third.name}. Go on in the order of the list.",
        "The order is good: of a positive row and one that is not, it puts the positive one first in about 87 of 100",
        "How many will I find?Of the first 50 rows without a label expect about 44 (95 % interval 34 to 50) to be "
        "positive. In all, about 410 (95 % interval 327 to 492) of the 2,240 unlabelled rows are.",
        "Which labels do I check?Of the first 20 in the list expect about 14 (95 % interval 10 to 19) to be wrong.",
        "9 columns tell the rows apart.",
        "The strongest of them: temperature_day_3, c_reactive_protein_day_4, wound_discharge.",
        "Nothing in these numbers calls for special care.",
    ):
        assert words in text
    assert "That cannot be estimated" not in text


def test_where_no_label_is_probably_wrong_the_page_says_so():
    found = example()
    fewer = replace(found, doubts=[replace(each, suspicion=each.suspicion / 2.5) for each in found.doubts])
    told = "No single label is probably wrong; of the first 20 in the list expect about 14 (95 % interval 10 to 19)"
    assert f"{told} to be wrong. Check them in this order." in text_of(fewer)
    assert "turn out to be correct" not in text_of(fewer)
    assert "No single label" not in text_of(found)


def test_summary_speaks_of_as_many_rows_as_can_be_checked():
    text = text_of(replace(example(), capacity=200))
    assert "Of the first 200 rows without a label expect about 153 (95 % interval 122 to 184) to be positive." in text
    assert "Positives, first 200 rows153" in text
    assert "Of the first 2,240 rows without a label expect about 410" in text_of(replace(example(), capacity=10**6))


def test_a_prior_that_cannot_be_told_leaves_no_bare_number():
    findings = unknown_prior()
    page = report.as_html(findings)
    text = Reader(page).text
    for words in (
        "Positives, first 200 rows3 to 184",
        "That cannot be estimated from these data alone. Of the first 200 rows without a label anything from 3 to 184 "
        "may be positive; of all 2,240 unlabelled rows, from 8 to 2,196.",
        "If you know what share of the unlabelled rows is positive, fit again with --prior (in Python prior=): that "
        "settles it.",
        "Positives among unlabellednot known0.3 to 98 %",
        "It is given as a range, from the lowest to the highest value that fits the data",
    ):
        assert words in text
    rows = page.split('id="capacity-curve"')[1].split("</table>")[0].split("<tr>")[2:]
    for expected, row in zip(findings.found, rows, strict=True):
        shown = [float(value) for value in re.findall(r'data-value="([^"]*)"', row)]
        assert shown == pytest.approx([expected.k, expected.low, expected.high], rel=1e-4)
    assert "expect about" not in text.split("Which labels do I check?")[0]
    assert "49 %" not in text.split("Rows to check first")[0]
    # Neither a line nor a chance to compare with is drawn: the band is all that is known.
    assert 'class="band"' in page
    assert 'class="curve"' not in page.split('id="capacity"')[1].split("</section>")[0]


def test_fewer_than_fifteen_positives_have_no_auc_and_no_counts():
    findings = replace(example(n_labelled=9, n_rows=60), is_auc_known=False, is_prior_known=False, baselines=[])
    text = text_of(findings)
    assert "at least 15 different rows have to be labelled" in text
    assert "Labelled rows9too few to estimate anything" in text
    assert "How many will I find?That cannot be estimated from so few labels." in text
    assert "How many of them are wrong cannot be estimated from so few labels." in text
    assert "The order rests on 9 columns; none could be tested." in text
    before_the_glossary = text.split("Appendix")[0]
    numbers = ("Estimated AUC", "0.874", "ROC", "expect about", "Probably wrong", "95 % interval 0", "8.1 %")
    for word in (*numbers, "Belongs", "belongs in the ranking with", "optimistic"):
        assert word not in before_the_glossary
    assert findings.cases[0].name in text
    assert findings.cases[0].reason in text
    assert findings.doubts[0].reason in text


def test_few_unlabelled_rows_and_no_columns():
    assert "No column helps." in text_of(nearly_empty())
    assert "None was compared." in text_of(nearly_empty())


def test_baselines_are_told_alike_everywhere():
    baselines = [
        Baseline("a", 0.7, Interval(0.1, 0.05, 0.2), is_as_good=False),
        Baseline("b", 0.6, Interval(0.004, -0.01, 0.02), is_as_good=True),
        Baseline("c", 0.9, Interval(-0.02, -0.1, -0.01), is_as_good=True),
    ]
    text = text_of(replace(example(), baselines=baselines))
    told = (
        "a ranks worse by 0.100 (95 % interval 0.050 to 0.200)",
        "against b no difference could be shown (difference 0.004, 95 % interval -0.010 to 0.020)",
        "c ranks better by 0.020 (95 % interval 0.010 to 0.100)",
    )
    for baseline, words in zip(baselines, told, strict=True):
        assert verdict(baseline) == words
        assert text.count(words) == 2  # at the top, and where it is explained
    assert text.count("A simpler ranking does not tell which labels are wrong.") == 2
    assert "surely" not in text
    assert "do as well" not in text


def test_groups_and_notes_are_told():
    findings = example()
    assert "Rows are independent." in text_of(findings)
    asked = replace(findings.asked, n_groups=1800, notes=["'ward_id' holds few whole numbers <b>"])
    text = text_of(replace(findings, asked=asked))
    assert "The table has 2,400 rows of 1,800 groups." in text
    assert text.count("'ward_id' holds few whole numbers <b>") == 1
    assert "those of one group were held out together" in text
    assert "Rows are independent." not in text


def test_checks_are_told_where_labels_and_numbers_are():
    checks = Checks(9, 31, 0, 0, auc=Interval(0.97, 0.94, 0.99), expected=Interval(32.1, 25.0, 37.0))
    findings = replace(example(), checks=checks)
    assert Findings.from_json(findings.to_json()).checks == checks
    told = text_of(findings)
    expected = "31 were wrong; by their ranks alone about 32 (95 % interval 25 to 37) were expected."
    assert told.count("Of 40 labels that were checked 31 were wrong") == 2
    assert expected in told
    for words in ("AUC against known negatives", "0.970", "31 of 40", "25 to 37 were expected", "nobody has checked"):
        assert words in told
    lines = summary(findings, Path("run"))
    assert "wrong labels among the checked    31 of 40; by their ranks about 32 (95 % interval 25 to 37)" in lines
    unknown = replace(findings, checks=replace(checks, auc=None, expected=None))
    assert "were expected" not in text_of(unknown) + summary(unknown, Path("run"))


def test_what_was_checked_is_not_to_be_checked_next():
    findings = example()
    n_open = 12
    checks = Checks(len(findings.doubts) - n_open - 1, 1, 3, 4)
    findings = replace(findings, checks=checks)
    assert wrong_first(findings).k == n_open
    n_unlabelled = findings.asked.n_rows - findings.asked.n_labelled - 7
    assert f"of {n_unlabelled:,} unlabelled rows that nobody has checked" in text_of(findings)
    assert "rows of ranking.csv without a label or a check" in summary(findings, Path("run"))
    one = replace(findings, checks=Checks(1, 1, 0, 1, expected=Interval(1.2, 0.0, 2.0)))
    told = summary(one, Path("run"))
    assert "Of 2 labels that were checked 1 was wrong. Of 1 unlabelled row that was checked 0 were positive." in told
    assert "by their ranks about 1 (95 % interval 0 to 2) was expected" in told


def test_an_interval_shows_on_which_side_of_zero_it_ends():
    nearly = Baseline("a", 0.7, Interval(0.008, -0.0001, 0.016), is_as_good=True)
    assert verdict(nearly).endswith("(difference 0.0080, 95 % interval -0.0001 to 0.0160)")


def test_the_list_has_names_probabilities_reasons_and_the_users_own_columns():
    findings = replace(example(), features=[*example().features[1:], example().features[0]])
    section = report.as_html(findings).split('id="cases"')[1].split("</section>")[0]
    seen, folded = section.split('<summary class="more">')
    assert seen.count("<li>") == 25
    assert folded.startswith("Rows 26 to 200")
    assert folded.count("<li>") == len(findings.cases) - 25 == 175
    for case, row in zip(findings.cases, section.split("<li>")[1:], strict=True):
        text = Reader(row.split("</li>")[0]).text
        assert text.startswith(f"{case.rank}{case.name}row {case.row:,}{round(100 * case.probability.value)} %")
        assert case.reason in text
        # The strongest column first; a column that the ranking does not know last.
        assert text.endswith(
            f"age{case.cells['age']}temperature_day_3{case.cells['temperature_day_3']}ward{case.cells['ward']}"
        )
    assert "These are 200 of 2,240 unlabelled rows" in section


def test_rows_have_a_range_of_probabilities_where_the_prior_cannot_be_told():
    findings = unknown_prior()
    case = findings.cases[0]
    section = report.as_html(findings).split('id="cases"')[1].split("</section>")[0]
    assert f'<span class="chance">{percent_range(case.probability)}</span>' in section
    assert f'<span class="chance">{percent(case.probability.value)}</span>' not in section


def test_rows_without_columns_do_not_open_and_very_wide_tables_are_cut():
    bare = replace(example(), cases=[replace(example().cases[0], cells={})])
    section = report.as_html(bare).split('id="cases"')[1].split("</section>")[0]
    assert "<details" not in section
    wide = {f"c{i}": str(i) for i in range(50)}
    assert "10 more columns are in your table." in text_of(
        replace(example(), cases=[replace(example().cases[0], cells=wide)])
    )


def test_expectations_lie_on_straight_lines_between_those_that_are_known():
    curve = [Expected(1, 0.5, 0.25, 1.0), Expected(11, 5.5, 4.25, 8.0)]
    assert among_first(curve, 6) == Expected(6, 3.0, 2.25, 4.5)
    assert among_first(curve, 11) == among_first(curve, 500) == curve[-1]
    assert among_first(curve[1:], 1) == Expected(1, 0.5, round(4.25 / 11, 9), round(8 / 11, 9))


def test_the_whole_capacity_curve_is_a_table_and_a_chart():
    findings = replace(example(), capacity=120)
    section = report.as_html(findings).split('id="capacity"')[1].split("</section>")[0]
    rows = section.split('id="capacity-curve"')[1].split("<tr>")[2:]
    assert len(rows) == len(findings.found)
    for expected, row in zip(findings.found, rows, strict=True):
        shown = [float(value) for value in re.findall(r'data-value="([^"]*)"', row)]
        assert shown == pytest.approx([expected.k, expected.value, expected.low, expected.high], rel=1e-4)
    short = Reader(section.split("<caption>Positives to expect</caption>")[1].split("</table>")[0]).text
    for k in (10, 20, 50, 100, 120, 200, 500, "1,000", "2,000", "2,240"):
        assert str(k) in short
    assert "The first 480 rows" in section
    assert "All 2,240 unlabelled rows" in section
    assert section.count(">120 rows</text>") == 2


def test_labels_come_with_how_many_to_expect_so_far():
    findings = example()
    text = text_of(findings)
    assert "Of the first 20 expect about 14 (95 % interval 10 to 19) to be wrong." in text
    assert "No single label" not in text
    twelfth = findings.doubts[11]
    assert (
        f"{twelfth.name}{twelfth.row:,}12{percent(twelfth.suspicion)}12{twelfth.reason}".replace("\u00a0", " ") in text
    )


def test_technical_words_are_in_the_appendix_only():
    for findings in (example(), unknown_prior(), shaky()):
        page, appendix = text_of(findings).split("Appendix: method, words and sources")
        for word in ("regularisation strength", "contamination", "blind AUC", "suspicion", "outlier", "l2"):
            assert word.lower() not in page.lower(), word
            assert word.lower() in appendix.lower(), word


def test_what_was_tried_is_folded_and_says_why_its_mark_is_where_it_is():
    page = report.as_html(example())
    assert '<details id="tuning"><summary>What was tried</summary>' in page
    text = Reader(page).text
    assert "Marked: 9, the value of the candidate with the largest weight. No other value scores higher." in text
    other = replace(example().tuning[0], chosen=15.0)
    assert why(other, "15") == (
        "Marked: 15, the value of the candidate with the largest weight. The highest score is 0.002 higher, less than "
        "its standard error of 0.012."
    )
    far = replace(other, chosen=2.0)
    assert "0.052 higher, more than its standard error" in why(far, "2")
    assert why(replace(other, chosen=3.0), "3").endswith("largest weight.")


def test_columns_are_counted_alike_on_the_page_and_on_the_terminal():
    findings = example()
    several = [replace(each, source="wound_discharge") for each in findings.features[:4]]
    findings = replace(findings, features=[*several, *findings.features[4:]])
    assert "Columns selected6of 37 that were used" in text_of(findings)
    assert "Of 37 columns used, 6 are selected" in text_of(findings)
    assert re.search(r"columns selected +6 of 37: .* and 1 more\n", summary(findings, Path("out")))


def test_two_dates_that_stand_for_the_time_between_them_are_told():
    findings = example()
    admitted, left = (
        Feature(name, name, weight, 0.9, True, 1.0, 200.0, "days", 0.5)
        for name, weight in (("admitted", -31.0), ("left", 30.0))
    )
    spoken = replace(findings, features=[admitted, left, *findings.features])
    [caution] = cautions(spoken)
    assert caution.title == "The ranking goes by the time from admitted to left"
    assert f"{caution.title}. {caution.advice}" in summary(spoken, Path("out"))
    # Selected or not, they carry most of the score; the page names them beside the strongest selected ones.
    unselected = [replace(each, selected=False) for each in (admitted, left)]
    spoken = replace(findings, features=[*unselected, *findings.features])
    assert cautions(spoken) == [caution]
    assert "wound_discharge. With a larger weight, but not selected: admitted, left." in text_of(spoken)
    light = [replace(each, weight=each.weight / 1e4) for each in (admitted, left)]
    assert not cautions(replace(findings, features=[*findings.features, *light]))
    # One of them counts far more: the day itself matters.
    assert not cautions(replace(findings, features=[replace(admitted, weight=-9.0), left, *findings.features]))


def test_every_caution_speaks_where_it_should():
    assert cautions(example()) == []
    titles = [caution.title for caution in cautions(shaky())]
    assert titles == [
        "The ranking may be no better than chance",
        "The AUC is uncertain",
        "The AUC is suspiciously high",
        "Few labels: 14 rows are labelled",
        "Few unlabelled rows: 12",
        "Many labels may be wrong",
        "The number of hidden positives cannot be estimated",
    ]
    alike = replace(example(), prior=Interval(0.6, 0.55, 0.65), contamination=Interval(0.2, 0.15, 0.25))
    assert [caution.title for caution in cautions(alike)] == ["Labelled and unlabelled rows are much alike"]
    nothing_known = replace(shaky(), is_auc_known=False)
    assert [caution.title for caution in cautions(nothing_known)] == [
        "Too few labels to estimate anything",
        "Few labels: 14 rows are labelled",
        "Few unlabelled rows: 12",
    ]
    text = text_of(shaky())
    for title, advice in cautions(shaky()):
        # Once at the top, once where it is explained.
        assert text.count(title) >= 2
        assert advice.replace("\u00a0", " ") in text


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


def test_columns_say_what_they_do_in_their_own_units():
    page = report.as_html(example())
    table = page.split("<caption>Columns and what they do</caption>")[1].split("</tbody>")[0]
    for feature, row in zip(example().features, table.split("<tr>")[2:], strict=True):
        shown = re.findall(r'<td class="number"[^>]*>([^<]*)</td>', row)
        assert shown == [
            f"{stepped(feature)}: {climbed(feature)}",
            percent(feature.inclusion),
            percent(feature.frequency),
        ]
    assert "+12.3: up 31\u00a0%" in table
    assert "yes: up 18\u00a0%" in table
    assert "probability 97\u00a0%\nselected by 91\u00a0% of the half-samples" in page
    days = Feature("admitted", "admitted", 0.3, 0.9, True, None, 120.4, "days", 0.1)
    assert stepped(days) == "+120 days"
    assert stepped(replace(days, step=0.01234, unit="")) == "+0.0123"
    assert stepped(replace(days, step=123456.7, unit="")) == "+123,457"
    assert climbed(replace(days, climb=0.0)) == "no move"


def test_columns_are_counted_where_they_are_selected_not_where_they_have_a_weight():
    findings = example()
    assert sum(feature.weight != 0 for feature in findings.features) == 37
    unselected = [replace(feature, selected=False) for feature in findings.features]
    assert "No column helps." in text_of(replace(findings, features=unselected))
    assert "cannot be estimated here" in more_rows(replace(findings, features=unselected))


def test_the_reason_of_a_row_with_leverage_is_on_the_page():
    reason = "unlike all other rows, unusual in 180 columns: temperature_day_3 3900 (labelled rows: typically 38)"
    first, *rest = example().doubts
    findings = replace(example(), doubts=[replace(first, suspicion=1.0, false_alarms=0.0, reason=reason), *rest])
    assert f"100 %1.0{reason}" in text_of(findings)


def test_more_rows_help_as_the_theory_says():
    assert re.search(r"about (7|8|9)\d\u00a0% of what it is", more_rows(example()))
    few = more_rows(shaky())
    assert re.search(r"^\d+ unlabelled rows are few for \d+ selected columns, .* get at least \d+, or leave out", few)


def test_a_page_made_again_from_json_is_the_same(tmp_path):
    findings = hostile()
    again = Findings.from_json(findings.to_json())
    assert report.as_html(again) == report.as_html(findings)
    report.write(again, tmp_path / "report.html")
    assert (tmp_path / "report.html").read_bytes().decode() == report.as_html(findings)
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
