"""Whether bending was worth it is told on the page, and findings of earlier versions are still read."""

import json
from dataclasses import replace

import pytest
from bent_findings import bent
from findings_examples import example
from sections_of_pages import features_section, text_of

from blindauc import report
from blindauc.estimate import Estimate
from blindauc.report import ColumnPair, EffectCurve, Findings, Interval
from blindauc.report.bending import bending_sentence, carrying, does_select, is_mostly_linear, selection_sentence
from blindauc.report.comparing import verdict
from blindauc.report.sections.method import method_sentences
from blindauc.report.sections.trust import more_rows

GAIN, NO_GAIN, LOSS = Interval(0.021, 0.010, 0.033), Interval(0.002, -0.004, 0.008), Interval(-0.02, -0.03, -0.01)


# What is kept ---------------------------------------------------------------------------------------------------------


def test_findings_are_the_same_after_json():
    findings = bent()
    again = Findings.from_json(findings.to_json())
    assert again == findings
    assert isinstance(again.effects[0], EffectCurve)
    assert isinstance(again.interactions[0], ColumnPair)
    assert isinstance(again.bending, Interval)
    assert report.as_html(again) == report.as_html(findings)


def test_findings_of_earlier_versions_are_still_read():
    parts = json.loads(example().to_json())
    for name in ("effects", "interactions", "bending", "shapes"):
        del parts[name]
    for feature in parts["features"]:
        del feature["bends"]
    assert Findings.from_json(json.dumps(parts)) == example()
    assert "What the columns do" not in report.as_html(example())


@pytest.mark.parametrize("broken", [{"effects": [{"column": "age"}]}, {"bending": 0.1}, {"interactions": [3]}])
def test_broken_findings_are_refused_in_one_line(broken):
    with pytest.raises(ValueError, match="these are no findings of blindauc"):
        Findings.from_json(json.dumps(json.loads(bent().to_json()) | broken))


# Was bending worth it -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shapes", "bending", "words"),
    [
        (
            {"linear": 0.2, "curves": 0.8},
            GAIN,
            "Curves carry 80 % of the ranking, linear scores 20 %; a linear score ranks worse by "
            "0.021 (95 % interval 0.010 to 0.033).",
        ),
        (
            {"linear": 0.2, "curves": 0.1, "trees": 0.699, "kernel": 0.001},
            NO_GAIN,
            "Trees carry 70 % of the ranking, linear scores 20 % and curves 10 %; against a linear score "
            "no difference could be shown (difference 0.002, 95 % interval -0.004 to 0.008).",
        ),
        (
            {"linear": 0.0, "kernel": 1.0},
            LOSS,
            "Kernels carry the whole ranking; a linear score ranks better by 0.020 (95 % interval 0.010 to 0.030).",
        ),
        (
            {"linear": 0.4, "curves": 0.6},
            None,
            "Curves carry 60 % of the ranking, linear scores 40 %; the gain over a linear score could not be "
            "estimated.",
        ),
        (
            {"curves": 1.0},
            None,
            "Curves carry the whole ranking; linear scores were not tried, so the gain over them is not known.",
        ),
        (
            {"linear": 1.0, "curves": 0.0, "kernel": 0.0, "trees": 0.0},
            None,
            "Linear scores carry the whole ranking; curves, kernels and trees were tried and got no weight.",
        ),
        ({"linear": 1.0}, None, None),
        ({}, None, None),
    ],
)
def test_whether_bending_was_worth_it_is_told_in_a_sentence_on_two_places(shapes, bending, words):
    assert bending_sentence(shapes, bending) == words
    page = text_of(report.as_html(replace(bent(), shapes=shapes, bending=bending)))
    assert page.count("Do nonlinear scores help?") == (words is not None)
    if words:
        assert page.count(words) == 2


def test_the_gain_of_bending_is_told_as_that_over_any_other_method_and_for_estimates_too():
    class Lines:
        name, advantage = "a linear score", GAIN

    shapes = {"linear": 0.2, "curves": 0.8}
    assert verdict(Lines()) in bending_sentence(shapes, GAIN)
    assert bending_sentence(shapes, Estimate(GAIN.value, GAIN.low, GAIN.high)) == bending_sentence(shapes, GAIN)


def test_what_does_not_select_columns_says_so():
    assert selection_sentence({"linear": 0.5, "curves": 0.5}) is None
    assert selection_sentence({}) is None
    assert selection_sentence({"linear": 0.0, "kernel": 1.0}) == "A kernel uses all columns: it selects none."
    assert selection_sentence({"trees": 1.0}) == "Trees use the columns they split on: they select none."
    assert selection_sentence({"trees": 0.4, "kernel": 0.6}) == (
        "A kernel uses all columns: it selects none. Trees use the columns they split on: they select none."
    )
    assert "25 % of the ranking may use any" in selection_sentence({"linear": 0.75, "trees": 0.25})
    assert does_select({})
    assert not does_select({"linear": 0.001, "kernel": 0.999})
    assert carrying({"linear": 0.001, "kernel": 0.999}) == ["kernel"]


def test_a_page_of_a_kernel_selects_nothing():
    kernel = replace(bent(), shapes={"linear": 0.0, "kernel": 1.0})
    page, section = text_of(report.as_html(kernel)), features_section(kernel)
    assert section.count("A kernel uses all columns: it selects none.") == 1
    assert "Columns used37none is selected" in page
    assert "The order rests on 37 columns; none is selected. The strongest: temperature_day_3" in page
    assert "37 columns are used." in page
    for word in ("Belongs", "Stability", "belongs in the ranking with", "are selected", "half-samples"):
        assert word not in section
    mixed = features_section(bent())
    assert "Belongs" in mixed
    assert "Only linear scores and curves select columns; 25 % of the ranking may use any of them." in mixed


def test_the_method_is_that_of_the_shapes():
    linear = method_sentences({})
    assert linear == method_sentences({"linear": 1.0, "curves": 0.0})
    assert linear.startswith("The ranking is a weighted sum of columns. It maximises the blind AUC")
    assert "A fit limits how many columns it uses and leaves out" in linear
    both = method_sentences({"linear": 0.3, "curves": 0.7})
    assert both.startswith(
        "The ranking is the average of a sum of curves, one for each column; and a weighted sum of columns. "
    )
    assert "limits how many columns" not in method_sentences({"kernel": 0.6, "trees": 0.4})


def test_a_theory_of_straight_lines_does_not_speak_of_curves():
    assert "shrinks to about" in more_rows(replace(bent(), shapes={"linear": 0.6, "curves": 0.4}))
    assert more_rows(bent()).endswith("which covers linear scores only, does not say how much.")
    assert is_mostly_linear({})
