"""What the page says: the summary, the cautions, and what cannot be told."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from findings_examples import example, nearly_empty, shaky, unknown_prior
from reading_pages import Reader, text_of

from blindauc import report
from blindauc.cli.summary import summary
from blindauc.report import Baseline, Feature, Findings, Interval
from blindauc.report.cautions import cautions
from blindauc.report.comparing import verdict
from blindauc.report.counting import wrong_first
from blindauc.report.findings import Checks
from blindauc.report.sections.trust import more_rows
from blindauc.report.words import climbed, percent, stepped


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
        f"Which rows do I check first?{first.name}, then {second.name}, then {third.name}. Go on in the order of the "
        "list.",
        "The order is good: of a positive row and one that is not, it puts the positive one first in about 87 of 100",
        "How many will I find?Of the first 50 rows without a label expect about 44 (95 % interval 34 to 50) to be "
        "positive. In all, about 410 (95 % interval 327 to 492) of the 2,240 unlabelled rows are.",
        "Which labels do I check?Of the first 20 in the list expect about 14 (95 % interval 10 to 19) to be wrong.",
        "9 columns are selected.",
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
        "If you know what share of the unlabelled rows is positive, fit again with --prior (in Python prior=).",
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
