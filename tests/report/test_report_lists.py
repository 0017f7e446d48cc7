"""Lists of rows and labels, what to expect of them, and what was tried."""

import re
from dataclasses import replace

import pytest
from findings_examples import example, unknown_prior
from reading_pages import Reader, text_of

from blindauc import report
from blindauc.report import Expected
from blindauc.report.counting import among_first
from blindauc.report.sections.tuning import why
from blindauc.report.words import percent, percent_range


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
