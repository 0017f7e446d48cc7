"""`analyse` and the command line told whom rows belong to, when they were and what columns are; new rows to score."""

import json
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from command_line import FIT, run
from sklearn.pipeline import make_pipeline

from blindauc import BlindAUCClassifier, BlindAUCClassifierCV
from blindauc.analysis import analyse, score_table, scored_parts, unused_columns
from blindauc.analysis.pipeline import steps_of
from blindauc.cli.wording import as_options
from blindauc.preprocessing import code_like, column_kinds, make_preprocessor

pytestmark = pytest.mark.usefixtures("few_candidates")

N_PATIENTS, N_VISITS = 60, 3


def visits():
    rng = np.random.default_rng(0)
    is_ill = rng.random(N_PATIENTS) < 0.5
    patient = np.repeat(np.arange(N_PATIENTS), N_VISITS)
    n = len(patient)
    day = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.permutation(n), unit="D")
    table = pd.DataFrame(
        {
            "patient": [f"=P{number}" for number in patient],
            "day": day.strftime("%Y-%m-%d"),
            "crp": np.round((rng.normal(20, 8, N_PATIENTS) + 12 * is_ill)[patient] + rng.normal(0, 1, n), 1),
            "ward_code": rng.choice([3, 5, 8, 9], N_PATIENTS)[patient],
            "grade": rng.integers(1, 5, n),
            "since": pd.Series(["03/04/2021", "05/06/2021"] * (n // 2)),
            "infected": np.where((is_ill & (rng.random(N_PATIENTS) < 0.6))[patient], "yes", None),
        }
    )
    return table


@pytest.fixture(scope="module")
def table():
    return visits()


@pytest.fixture(scope="module")
def by_patient(table):
    return analyse(table, "infected", rows_by="patient", categorical=["ward_code"], date=["since"], shape="linear")


# --- whom rows belong to ---


def test_rows_of_a_patient_are_held_out_together(table, monkeypatch):
    given = {}

    def remember(self, X, y, **options):
        given.update(options)
        raise KeyboardInterrupt

    monkeypatch.setattr(BlindAUCClassifierCV, "fit", remember)
    with pytest.raises(KeyboardInterrupt):
        analyse(table, "infected", rows_by="patient", time="day", drop=["since"], shape="linear")
    assert given["groups"].tolist() == table["patient"].tolist()
    assert np.argsort(given["time"]).tolist() == np.argsort(pd.to_datetime(table["day"])).tolist()
    with pytest.raises(KeyboardInterrupt):
        analyse(table, "infected", drop=["patient", "since"], shape="linear")
    assert (given["groups"], given["time"]) == (None, None)


def test_patients_are_ranked_by_their_best_row(table, by_patient):
    groups, ranking = by_patient.groups, by_patient.ranking
    probability = ["probability", "probability_low", "probability_high"]
    assert groups.columns.tolist() == ["group", "rank", "row", "score", *probability, "n_rows", "n_labelled"]
    assert len(groups) == by_patient.findings.asked.n_groups == N_PATIENTS
    assert groups["rank"].is_monotonic_increasing
    assert ranking.columns[:2].tolist() == ["group", "row"]
    for _, group in groups.iterrows():
        rows = ranking[ranking["group"] == group["group"]]
        assert (group["score"], len(rows)) == (rows["score"].max(), group["n_rows"])
        assert group["row"] in rows.loc[rows["score"] == group["score"], "row"].tolist()
        assert table["patient"][group["row"] - 1] == group["group"]
        assert rows["labelled"].sum() == group["n_labelled"]
    assert analyse_asked(by_patient) == {"patient": "names the group of each row"}


def analyse_asked(found):
    return found.findings.asked.set_aside


def test_without_groups_there_is_no_ranking_of_them(table):
    found = analyse(table, "infected", drop=["since", "patient"], time="day", shape="linear")
    assert found.groups is None
    assert found.findings.asked.n_groups is None
    assert found.findings.asked.set_aside["day"] == "holds the time of each row"
    is_known = ~np.isnan(found.model[-1].held_out_rank_)
    assert table["day"][is_known].min() > table["day"][~is_known].max()


BAD = {
    "no such column": ({}, {"rows_by": "patent"}, "no column 'patent' for rows_by=: did you mean 'patient'"),
    "no such time": ({}, {"time": "dy"}, "no column 'dy' for time=: did you mean 'day'"),
    "blank": ({"patient": ["", *["P1"] * 100, *["P2"] * 79]}, {"rows_by": "patient"}, "blank in 1 rows.* data row 1: "),
    "all positives in one": (
        {"patient": lambda frame: frame["infected"].fillna("no")},
        {"rows_by": "patient"},
        "labelled rows have 'yes' in 'patient', so that no fold can hold them out",
    ),
    "one group": ({"patient": "P"}, {"rows_by": "patient"}, "labelled rows have 'P' in 'patient'"),
    "the label": (
        {},
        {"rows_by": "infected"},
        "'infected' holds the labels and cannot be named with rows_by= as well",
    ),
    "words": ({"day": ["soon", "later"] * 90}, {"time": "day"}, "'soon' in data row 1 cannot be read: write dates"),
    "a word": (
        {"day": lambda frame: [*frame["day"][1:], "soon"]},
        {"time": "day"},
        "with 'soon' in data row 180: write every date as year-month-day.$",
    ),
    "a word among dates": (
        {"since": lambda frame: [*frame["since"][1:], "soon"]},
        {"date": ["since"], "drop": []},
        "'since' cannot be read as dates: 'soon' in data row 180. .* with date=.",
    ),
    "no day": (
        {"day": lambda frame: [None, *frame["day"][1:]]},
        {"time": "day"},
        "'day' .*blank in 1 rows.*data row 1: ",
    ),
    "day or month": (
        {},
        {"time": "since"},
        "'since' should hold the time of each row.* day and month cannot be told apart.*declare the column as dates",
    ),
    "kinds twice": ({}, {"numeric": ["crp"], "date": ["crp"]}, "'crp' can be of one kind only"),
    "no such kind": (
        {},
        {"categorical": ["wrd_code"]},
        "no column 'wrd_code' for categorical=: did you mean 'ward_code'",
    ),
    "no numbers": (
        {"ward": ["A", "B"] * 90},
        {"numeric": ["ward"]},
        "'ward' cannot be read as numbers: 'A' in data row 1",
    ),
    "no dates": (
        {"ward": ["A", "B"] * 90},
        {"date": ["ward"]},
        "'ward' cannot be read as dates: 'A' in data row 1",
    ),
    "names of rows": ({}, {"id": "patient"}, "occurs more than once: .* pass it as rows_by="),
}


@pytest.mark.parametrize("case", BAD)
def test_what_makes_no_sense_is_told_before_the_fit(table, case, monkeypatch):
    monkeypatch.setattr(BlindAUCClassifierCV, "fit", lambda *_, **__: pytest.fail("this was fitted"))
    change, options, message = BAD[case]
    with pytest.raises(ValueError, match=message) as error:
        analyse(
            table.assign(**change),
            "infected",
            **{"drop": ["since"] if "since" not in options.values() else []} | options,
            shape="linear",
        )
    assert str(error.value).isprintable()


# --- what columns are ---


def test_kinds_that_are_given_count(by_patient):
    kinds = steps_of(by_patient.model).kinds
    assert (kinds["ward_code"], kinds["since"], kinds["grade"]) == ("categorical", "date", "numeric")
    # The day comes first where that is not plain.
    assert steps_of(by_patient.model).date_formats == {"since": "%d/%m/%Y", "day": "ISO8601"}
    assert by_patient.findings.asked.notes == []


def test_numbers_that_may_be_codes_are_suggested_as_categories(table):
    found = analyse(table, "infected", drop=["since", "patient", "day"], shape="linear")
    [note] = found.findings.asked.notes
    assert note.startswith("These columns are used as numbers but may be codes: 'ward_code' (4 different values)")
    assert "categor" in note


@pytest.mark.parametrize("name", ["admission_type_id", "type id", "typeId", "ID", "ICD code", "Code2", "zip_code"])
def test_codes_by_their_names(name):
    frame = pd.DataFrame({name: [1, 2, 3, None] * 20})
    assert code_like(frame, column_kinds(frame)) == {name: 3}


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("fluid", [1, 2, 3] * 20),
        ("n_visits", [1, 2, 3] * 20),
        ("dose_id", [1.5, 2, 3] * 20),
        ("flag_code", [0, 1] * 30),
        ("case_id", list(range(60))),
        ("lab_code", list(range(150)) * 4),
    ],
)
def test_what_is_no_code(name, values):
    frame = pd.DataFrame({name: values})
    assert code_like(frame, column_kinds(frame)) == {}


# --- new rows ---


@pytest.fixture(scope="module")
def sparse_model():
    """A ranking by crp and ward alone, of a table with two more columns."""
    rng = np.random.default_rng(0)
    is_ill = np.arange(160) < 60
    frame = pd.DataFrame(
        {
            "crp": np.round(rng.normal(20 + 20 * is_ill, 8), 1),
            "ward": np.where(is_ill, rng.choice(["A", "A", "B"], 160), rng.choice(["B", "C"], 160)),
            "age": rng.integers(20, 90, 160),
            "clinic": rng.choice(["north", "south"], 160),
        }
    )
    preprocessor = make_preprocessor(frame)
    X = preprocessor.fit_transform(frame)
    ranking = BlindAUCClassifier().fit(X, np.arange(160) < 40)
    for place, name in enumerate(preprocessor.get_feature_names_out()):
        if name.startswith(("age", "clinic")):
            ranking.coef_[place] = 0.0
    return make_pipeline(preprocessor, ranking), frame


def test_columns_of_zero_weight_are_not_needed(sparse_model):
    model, frame = sparse_model
    expected = score_table(model, frame)
    pd.testing.assert_frame_equal(score_table(model, frame[["ward", "crp"]]), expected)
    # Nor does it matter what they hold.
    pd.testing.assert_frame_equal(score_table(model, frame.assign(age="unknown", clinic="west")), expected)
    assert unused_columns(model, frame) == ["age", "clinic"]
    with pytest.raises(ValueError, match=r"lacks 1 of the 2 columns that the model needs, 'crp': add or rename it\."):
        score_table(model, frame[["ward", "age"]])


def test_categories_that_were_not_there_are_counted_and_told(sparse_model, tmp_path):
    model, frame = sparse_model
    new = frame.assign(ward=["Z9"] * 12 + ["Q"] + ["A"] * 147)
    with pytest.warns(
        UserWarning,
        match=r"2 categories are not in the training table .*: 'ward' 'Z9' \(12 rows\), 'ward' 'Q' \(1 row\)",
    ):
        score_table(model, new)
    new.to_csv(tmp_path / "new.csv", index=False)
    unseen = Counter()
    list(scored_parts(model, tmp_path / "new.csv", unseen=unseen))
    assert unseen == {("ward", "Z9"): 12, ("ward", "Q"): 1}


# --- the command line ---


@pytest.fixture(scope="module")
def folder(table, tmp_path_factory):
    place = tmp_path_factory.mktemp("visits")
    leaking = np.where(table["infected"].notna(), table["day"], None)
    table.assign(treated=leaking).to_csv(place / "visits.csv", index=False)
    return place


OPTIONS = ("--rows-by", "patient", "--categorical", "ward_code,grade", "--ignore", "since,day", "--jobs", "1")


@pytest.fixture(scope="module")
def fitted(folder):
    fit = (*FIT, folder / "visits.csv", "--label", "infected", "--drop", "treated", *OPTIONS)
    return run(*fit, "--out", folder / "out")


def test_a_leak_is_named_before_the_fit_with_the_two_ways_on(folder, monkeypatch):
    monkeypatch.setattr(BlindAUCClassifierCV, "fit", lambda *_, **__: pytest.fail("this was fitted"))
    fit = ("fit", folder / "visits.csv", "--label", "infected", *OPTIONS, "--out", folder / "new")
    result = run(*fit, "--json")
    assert result.exit_code == 2
    [line] = result.stderr.splitlines()
    assert "'treated' is filled in for" in line
    assert line.endswith("leave it out with --drop COLUMN, or use it anyway with --allow-leak COLUMN.")
    assert not (folder / "new").exists()
    with pytest.raises(BaseException, match="this was fitted"):
        raise run(*fit, "--allow-leak", "treated").exception


def test_patients_are_ranked_in_a_file(fitted, folder):
    assert fitted.exit_code == 0, fitted.output
    assert f"180 rows of {N_PATIENTS} groups" in fitted.stdout
    assert str(folder / "out" / "ranking_by_group.csv") in fitted.stdout
    groups = pd.read_csv(folder / "out" / "ranking_by_group.csv")
    assert len(groups) == N_PATIENTS
    assert groups["group"].str.startswith("'=P").all()  # a spreadsheet runs nothing
    arguments = json.loads((folder / "out" / "run.json").read_text())["arguments"]
    assert (arguments["rows_by"], arguments["drop"]) == ("patient", ["treated", "since,day"])


def test_a_ranking_of_patients_of_an_earlier_run_is_not_left_behind(fitted, folder, tmp_path):
    for name in ("run.json", "ranking_by_group.csv"):
        (tmp_path / name).write_bytes((folder / "out" / name).read_bytes())
    fit = (
        *FIT,
        folder / "visits.csv",
        "--label",
        "infected",
        "--drop",
        "treated,since,day,patient",
        "--out",
        tmp_path,
    )
    assert run(*fit).exit_code == 2  # would be replaced
    assert (tmp_path / "ranking_by_group.csv").exists()
    assert run(*fit, "--force", "--jobs", "1").exit_code == 0
    assert not (tmp_path / "ranking_by_group.csv").exists()


def test_score_tells_of_categories_that_were_not_there(fitted, folder, table, tmp_path):
    table.assign(ward_code=77).to_csv(tmp_path / "new.csv", index=False)
    result = run("score", folder / "out", tmp_path / "new.csv", "--out", tmp_path / "scores.csv")
    assert result.exit_code == 0, result.output
    assert (
        "1 category is not in the training table and is treated as rare: 'ward_code' '77' (180 rows)." in result.stdout
    )
    result = run("score", folder / "out", tmp_path / "new.csv", "--out", tmp_path / "again.csv", "--json")
    assert json.loads(result.stdout)["unseen_categories"] == [{"column": "ward_code", "category": "77", "n_rows": 180}]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("no column 'x' for drop=: did you mean", "no column 'x' for --drop COLUMN: did you mean"),
        ("or omit rows_by=.", "or omit --rows-by."),
        ("holds the names (header_row).", "holds the names (--header-row)."),
        ("its row 9 (header_row) should hold", "its row 9 (--header-row) should hold"),
        ("no column 'since (date)' for", "no column 'since (date)' for"),
        ("capacity must be a whole number", "--capacity must be a whole number"),
        ("prior=2.0 must lie", "--prior=2.0 must lie"),
        ("the column 'id=7', 'drop=' and a=b", "the column 'id=7', 'drop=' and a=b"),
    ],
)
def test_parameters_are_told_as_options(message, expected):
    assert as_options(message) == expected
