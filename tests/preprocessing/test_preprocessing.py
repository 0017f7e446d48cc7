"""Kinds guessed from values, numbers against a slow reading of every cell, groups, odd tables, and Diabetes 130."""

import datetime
import math
import pickle
from collections import Counter
from decimal import Decimal
from statistics import median

import numpy as np
import pytest
from places import DATA
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from blindauc.estimators import BlindAUCClassifier
from blindauc.preprocessing import ColumnKind, column_kinds, feature_groups, group_names, make_preprocessor

pd = pytest.importorskip("pandas")

N = 60
RNG = np.random.default_rng(0)
DAYS = pd.date_range("2020-01-01", periods=N)

KINDS = {
    "floats": ("numeric", RNG.normal(size=N)),
    "distinct whole floats with decimals elsewhere": ("numeric", np.append(np.arange(N - 1) * 1e6, 0.5)),
    "few whole numbers": ("numeric", [1, 2, 3] * 20),
    "nullable whole numbers": ("numeric", pd.array([1, None, 3] * 20, dtype="Int64")),
    "numbers as text": ("numeric", ["1.5", " 7 ", "1e3"] * 20),
    "numbers and a word for missing": ("numeric", ["1.5", "7", "NA", "?"] * 15),
    "decimals": ("numeric", [Decimal(i) / 7 for i in range(N)]),
    "durations": ("numeric", pd.to_timedelta(np.arange(N) % 7, unit="D")),
    "birth weights": ("numeric", RNG.integers(2000, 4000, N)),
    "incomes": ("numeric", np.exp(RNG.normal(10, 2, 5000)).astype(int)),
    "one number, missing in places": ("numeric", [5, None] * 30),
    "bool": ("boolean", RNG.uniform(size=N) < 0.5),
    "nullable bool": ("boolean", pd.array([True, None, False] * 20, dtype="boolean")),
    "yes and no": ("boolean", ["Yes", "no", "YES", ""] * 15),
    "yes or nothing": ("boolean", ["y", None] * 30),
    "three words": ("categorical", ["yes", "no", "t"] * 20),
    "days": ("date", DAYS),
    "days somewhere": ("date", DAYS.tz_localize("Asia/Tokyo")),
    "date objects": ("date", DAYS.date),
    "ISO text": ("date", [*DAYS[1:].astype(str), ""]),
    "month first": ("date", DAYS.strftime("%m/%d/%Y")),
    "with a time": ("date", DAYS.strftime("%d.%m.%Y %H:%M")),
    "day first, as always between dots": ("date", ["03.04.2021", "05.06.2021"] * 30),
    "day and month the same": ("date", ["03/03/2021", "05/05/2021"] * 30),
    "text": ("categorical", ["a", "b", "c"] * 20),
    "one word, missing in places": ("categorical", ["X", ""] * 30),
    "diagnoses": ("categorical", ["428", "250.8", "V57"] * 20),
    "words for missing only": ("categorical", ["None", "?"] * 30),
    "today": ("categorical", ["today", "now"] * 30),
    "a date among other words": ("categorical", ["heart", "bowel", "2021-03-04"] * 20),
    "codes of numbers and dashes": ("categorical", ["12-34-5678", "45-10-2021", "10-2021"] * 20),
    "a thousand words": ("categorical", [f"Z{i % 1000}" for i in range(2000)]),
    "number categories": ("categorical", pd.Categorical([1, 2, 3] * 20)),
    "lists": ("categorical", [[1], {"a": 2}] * 30),
    "one value": ("constant", [5] * N),
    "one word": ("constant", ["No"] * N),
    "codes": ("identifier", [f"P{i:05}" for i in range(N)]),
    "row numbers": ("identifier", np.arange(N)),
    "row numbers as text": ("identifier", [str(i) for i in range(N)]),
    "patients, some of them twice": ("identifier", RNG.permutation(np.append(RNG.integers(0, 10**9, 45), range(15)))),
    "notes": ("text", [f"came back after {i} days" for i in range(N)]),
    "notes, most of them twice": ("text", [f"came back after {i % 1001} days" for i in range(2100)]),
}


@pytest.mark.parametrize("case", KINDS)
def test_kinds(case):
    expected, values = KINDS[case]
    [kind] = column_kinds(pd.DataFrame({"the column": values})).values()
    assert kind.kind == expected
    assert kind.reason.startswith("'the column' ")
    assert kind.is_used == (expected not in ("constant", "identifier", "text"))


GOOD_DAYS = DAYS.astype(str).tolist()
DASHED = " with '3-4-2021' in data row 1"
FAULTS = {
    "all missing": ([None] * N, "a column without a value in any row, 'the column': fill in values"),
    "all NaN": ([math.nan] * N, "without a value"),
    "all blank": (["", "  "] * 30, "without a value"),
    "one word for missing": (["NA", ""] * 30, "without a value"),
    "infinity": ([1.0, math.inf, 2.0] * 20, "infinite numbers, 'the column' in 20 rows, the first of them data row 2:"),
    "infinity once": ([0.5, 1.0, -math.inf, *range(N - 3)], "'the column' in data row 3: leave these cells blank"),
    "all infinite": ([math.inf] * N, "infinite numbers"),
    "infinity as text": (["1", "-Infinity", "NA"] * 20, "infinite numbers"),
    "as good as infinity": (["1", "1e999", "-1.7e308"] * 20, "infinite numbers, 'the column' in 40 rows"),
    "many words": ([f"Z{i % 1001}" for i in range(2100)], "more than 1,000 categories, 'the column' with 1,001: group"),
    "many categories": (pd.Categorical([i % 1001 for i in range(2100)]), "more than 1,000 categories"),
    "not in the calendar": (
        [*GOOD_DAYS[1:], "2021-02-30"],
        "cannot all be read.* with '2021-02-30' in data row 60",
    ),
    "two formats": ([*GOOD_DAYS[2:], "", "03.04.2021"], "cannot all be read.* with '03.04.2021' in data row 60"),
    "day and month first": (["13/01/2021", "12/01/2021", "01/13/2021"] * 20, "with '01/13/2021' in data row 3"),
    "a word among dates": ([*GOOD_DAYS[2:], "NA", "soon"], "cannot all be read.* with 'soon' in data row 60"),
    "two digits of a year": (["13/01/21", "12/01/21"] * 30, "cannot all be read.* with '13/01/21' in data row 1"),
    "months by name": (["4 March 2021", "March 5, 2021"] * 30, "cannot all be read.* with '4 March 2021'"),
    "day or month first": (
        ["NA", "05/05/2021", "03/04/2021"] * 20,
        "apart.* with '03/04/2021' in data row 3",
    ),
    "day or month first, dashes": (["3-4-2021", "5-6-2021"] * 30, f"cannot be told apart, 'the column'{DASHED}: write"),
    "with a time, too": (["03/04/2021 10:30", "05/06/2021 11:00"] * 30, "cannot be told apart"),
}


@pytest.mark.parametrize("case", FAULTS)
def test_what_would_need_guessing_is_refused(case):
    values, words = FAULTS[case]
    frame = pd.DataFrame({"fine": np.arange(len(values)) % 7, "the column": values})
    for judge in (column_kinds, make_preprocessor):
        with pytest.raises(ValueError, match=words) as error:
            judge(frame)
        assert str(error.value).endswith("or leave such columns out with frame.drop(columns=...).")
        assert str(error.value).isprintable()  # so it is one line
    assert column_kinds(frame[["fine"]])


def test_all_faults_are_told_at_once():
    frame = pd.DataFrame({f"empty {i}": [None] * N for i in range(7)} | {"fine": [1, 2] * 30, "x": [1, math.inf] * 30})
    with pytest.raises(ValueError, match="7 columns without") as error:
        column_kinds(frame)
    assert str(error.value) == (
        "The table has 7 columns without a value in any row, 'empty 0', 'empty 1', 'empty 2', 'empty 3', 'empty 4' and "
        "2 more: fill in values, or leave such columns out with frame.drop(columns=...). The table has a column with "
        "infinite numbers, 'x' in 30 rows, the first of them data row 2: leave these cells blank, or leave such "
        "columns out with frame.drop(columns=...)."
    )


def test_who_gives_the_kind_takes_the_blame():
    frame = pd.DataFrame(
        {
            "day": ["03/04/2021", "05/06/2021"] * 1500,
            "zip": [f"Z{i % 1400}" for i in range(3000)],
            "x": [1, math.inf] * 1500,
            "empty": None,
        }
    )
    kinds = {"day": "date", "zip": "categorical", "x": "numeric", "empty": "constant"}
    X = make_preprocessor(frame, kinds=kinds).set_output(transform="pandas").fit_transform(frame)
    april, june = (datetime.date(2021, month, day) - datetime.date(1970, 1, 1) for month, day in ((4, 3), (6, 5)))
    assert X["day"].tolist()[:2] == [april.days, june.days]
    assert X["x missing"].tolist()[:2] == [0, 1]
    assert X.columns.tolist() == ["x", "x missing", "day", "zip rare"]


def test_reasons_are_words():
    frame = pd.DataFrame({"case": [f"P{i}" for i in range(49)] + ["P0"], "day": ["31/12/2020", "01/02/2020"] * 25})
    assert column_kinds(frame) == {
        "case": ColumnKind("identifier", "'case' differs in 98 % of the rows: looks like an identifier"),
        "day": ColumnKind("date", "'day' holds dates such as 31/12/2020, read as day/month/year"),
    }


@pytest.mark.parametrize("span", [1_000, 10_000, 100_000])
def test_measured_whole_numbers_are_no_identifiers(span):
    rng = np.random.default_rng(span)
    for n in (50, 300, 2000):
        frame = pd.DataFrame({f"{i}": rng.integers(0, span, n) for i in range(20)})
        assert {kind.kind for kind in column_kinds(frame).values()} == {"numeric"}


INFINITIES = (math.inf, -1.7e308, "1e999")


def mixed_frame(rng, n, *, categories="abcd", odd=()):
    """Every kind of column, with missing values of every sort, and odd numbers."""
    days = pd.Timestamp("2019-12-25") + pd.to_timedelta(rng.integers(0, 400, n), unit="D")

    def holes(values, *others):
        values = np.asarray(values, dtype=object)
        gone = rng.uniform(size=n) < 0.2
        values[gone] = rng.choice(np.array([None, math.nan, *others], dtype=object), gone.sum())
        return values

    return pd.DataFrame(
        {
            "race": holes(
                rng.choice(
                    [*categories, "rare 1", "rare 2"], n, p=[0.96 / len(categories)] * len(categories) + [0.02] * 2
                ),
                "",
            ),
            "age": holes(rng.integers(20, 90, n), *odd, "", "?"),
            "smokes": holes(rng.choice(["Yes", "no"], n), "NA"),
            "weight": rng.normal(70, 10, n),
            "day": holes(days.strftime("%m/%d/%Y"), "", "none"),
            "code": holes(rng.choice([1, "1", 1.0, "2", 2, "X"], n)),
        }
    )


def cell_text(cell):
    if cell is None or (isinstance(cell, float) and math.isnan(cell)) or not str(cell).strip():
        return None
    try:
        return f"{float(cell):.17g}"
    except ValueError:
        return str(cell).strip()


def cell_number(kind, cell):
    text = cell_text(cell)
    try:
        if kind == "boolean":
            return {"yes": 1.0, "no": 0.0}[text.lower()]
        if kind == "date":
            return float(
                datetime.datetime.strptime(text, "%m/%d/%Y").toordinal() - datetime.date(1970, 1, 1).toordinal()
            )
        return float(text) if -1e100 <= float(text) <= 1e100 else None
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def slow_preprocessing(train, other, kinds, min_count):
    """Column names and values, cell by cell."""
    result = {}
    for name, kind in kinds.items():
        if kind == "categorical":
            counts = Counter(map(cell_text, train[name]))
            common = [text for text, count in counts.items() if count >= min_count]
            cells = [cell_text(cell) for cell in other[name]]
            for text in common:
                result[f"{name} missing" if text is None else f"{name}={text}"] = [cell == text for cell in cells]
            if len(common) < len(counts):
                result[f"{name} rare"] = [cell not in common for cell in cells]
        else:
            known = [cell_number(kind, cell) for cell in train[name]]
            present = [number for number in known if number is not None]
            centre = Counter(present).most_common(1)[0][0] if kind == "boolean" else median(present)
            cells = [cell_number(kind, cell) for cell in other[name]]
            result[name] = [centre if number is None else number for number in cells]
            if len(present) < len(known):
                result[f"{name} missing"] = [number is None for number in cells]
    return result


@pytest.mark.parametrize("seed", range(8))
def test_numbers_are_those_of_a_slow_reading(seed):
    rng = np.random.default_rng(seed)
    train, other = mixed_frame(rng, 301), mixed_frame(rng, 100, categories=["a", "b", "new"], odd=INFINITIES)
    kinds = {name: kind.kind for name, kind in column_kinds(train).items()}
    assert list(kinds.values()) == ["categorical", "numeric", "boolean", "numeric", "date", "categorical"]
    preprocessor = make_preprocessor(train, min_frequency=10).fit(train)
    for frame in (train, other):
        expected = slow_preprocessing(train, frame, kinds, min_count=10)
        X = preprocessor.transform(frame)
        assert X.dtype == np.float64
        assert set(preprocessor.get_feature_names_out()) == set(expected)
        for name, column in zip(preprocessor.get_feature_names_out(), X.T, strict=True):
            np.testing.assert_array_equal(column, np.array(expected[name], dtype=float), err_msg=name)


def test_groups_are_input_columns():
    frame = mixed_frame(np.random.default_rng(0), 300)
    preprocessor = make_preprocessor(frame, min_frequency=10).fit(frame)
    groups, names = feature_groups(preprocessor), group_names(preprocessor)
    assert names == ["age", "weight", "smokes", "day", "race", "code"]
    assert set(groups) == set(range(len(names)))
    for group, feature in zip(groups, preprocessor.get_feature_names_out(), strict=True):
        assert feature.removeprefix(names[group])[:1] in ("", " ", "=")
    assert np.bincount(groups).tolist() == [2, 1, 2, 2, 6, 4]


def test_groups_are_not_taken_from_names():
    frame = pd.DataFrame({"a": ["b=c", "d"], "a=b": ["c", "d"], "x": [1, None], "x missing": [1, 2]})
    preprocessor = make_preprocessor(frame).fit(frame)
    assert preprocessor.get_feature_names_out().tolist() == [
        "x",
        "x missing",
        "x missing",
        "a=b=c",
        "a=d",
        "a=b=c",
        "a=b=d",
    ]
    assert feature_groups(preprocessor).tolist() == [0, 1, 0, 2, 2, 3, 3]


def test_only_the_rows_of_fit_count():
    frame = mixed_frame(np.random.default_rng(0), 300)
    train = frame.iloc[:100].assign(age=range(100), race="a")
    preprocessor = make_preprocessor(frame, kinds=column_kinds(frame)).fit(train)
    assert preprocessor.transform(frame.assign(age=None))[0, 0] == 49.5
    assert {"age", "race=a"} <= set(preprocessor.get_feature_names_out())
    assert not {"age missing", "race=b", "race missing"} & set(preprocessor.get_feature_names_out())


def test_a_column_may_be_empty_in_the_rows_of_fit():
    frame = mixed_frame(np.random.default_rng(0), 300)
    preprocessor = make_preprocessor(frame).fit(pd.DataFrame({name: [None] * 5 for name in frame}))
    assert np.isfinite(preprocessor.transform(frame)).all()
    assert group_names(preprocessor) == ["age", "weight", "smokes", "day", "race", "code"]


def test_any_cell_of_any_type_is_read():
    frame = mixed_frame(np.random.default_rng(0), 100)
    preprocessor = make_preprocessor(frame).fit(frame)
    n_features = len(feature_groups(preprocessor))
    columns = [pd.Series(values).head(N) for _, values in KINDS.values()]
    columns += [pd.Series(values).head(N) for values, _ in FAULTS.values()]
    for column in [*columns, pd.Series([None] * 3), pd.Series([1 + 2j]), pd.Series(["9" * 400, "<b>"])]:
        X = preprocessor.transform(pd.DataFrame(dict.fromkeys(frame, column)))
        assert X.shape == (len(column), n_features)
        assert np.isfinite(X).all()


@pytest.mark.parametrize(
    ("trained", "stored"),
    [
        (["1", "2", "X", None], [1.0, 2.0, 2.0, math.nan]),
        (["07", "10", "X", "7"], [7, 10, 10, 7]),
        (["yes", "no", "no", None], pd.array([True, False, False, None], dtype="boolean")),
        (["yes", "no", "no", None], [1, 0, 0, math.nan]),
        (["1.5", "2", "NA", "7"], [1.5, 2, math.nan, 7]),
        (["12/31/2020", "01/02/2020", None, ""], pd.to_datetime(["2020-12-31", "2020-01-02", None, None])),
        (["12/31/2020", "01/02/2020", None, ""], [datetime.date(2020, 12, 31), "2020-01-02", None, None]),
    ],
)
def test_the_same_cells_in_another_type_give_the_same_numbers(trained, stored):
    preprocessor = make_preprocessor(pd.DataFrame({"x": trained})).fit(pd.DataFrame({"x": trained}))
    expected = preprocessor.transform(pd.DataFrame({"x": [None if t == "X" else t for t in trained]}))
    same = [i for i, text in enumerate(trained) if text != "X"]
    np.testing.assert_array_equal(preprocessor.transform(pd.DataFrame({"x": stored}))[same], expected[same])


def test_new_categories_do_no_harm():
    frame = pd.DataFrame({"x": ["a"] * 5 + ["b"] * 5, "y": ["a"] * 9 + ["b"]})
    preprocessor = make_preprocessor(frame, min_frequency=2).fit(frame)
    assert preprocessor.get_feature_names_out().tolist() == ["x=a", "x=b", "y=a", "y rare"]
    assert preprocessor.transform(pd.DataFrame({"x": ["new"], "y": ["new"]})).tolist() == [[0, 0, 0, 1]]


def test_a_share_keeps_the_table_narrow():
    frame = pd.DataFrame({"x": np.arange(1000) % 300}, dtype=object).astype(str) + "!"
    assert make_preprocessor(frame).fit_transform(frame).shape == (1000, 1)
    assert make_preprocessor(frame, min_frequency=0.001).fit_transform(frame).shape == (1000, 300)


def test_order_and_extra_columns_do_not_matter():
    frame = mixed_frame(np.random.default_rng(0), 100)
    frame["constant"] = 1
    preprocessor = make_preprocessor(frame).fit(frame)
    X = preprocessor.transform(frame)
    for other in (frame.iloc[:, ::-1], frame.assign(extra="?"), frame.drop(columns="constant")):
        np.testing.assert_array_equal(preprocessor.transform(other), X)


def test_pandas_output_is_named():
    frame = mixed_frame(np.random.default_rng(0), 100)
    preprocessor = make_preprocessor(frame)
    X = preprocessor.fit_transform(frame)
    for named in (
        preprocessor.set_output(transform="pandas"),
        clone(preprocessor).set_output(transform="pandas").fit(frame),
    ):
        output = named.transform(frame)
        assert output.columns.tolist() == named.get_feature_names_out().tolist()
        np.testing.assert_array_equal(output, X)


def test_given_kinds_win():
    frame = pd.DataFrame({"code": [1, 2, 3] * 10, "row": range(30), "note": ["a", "b", "c"] * 10})
    kinds = {"code": "categorical", "row": "numeric", "note": ColumnKind("text", "not wanted")}
    preprocessor = make_preprocessor(frame, kinds=kinds).fit(frame)
    assert preprocessor.get_feature_names_out().tolist() == ["row", "code=1", "code=2", "code=3"]


def test_pickle_there_and_back():
    frame = mixed_frame(np.random.default_rng(0), 100)
    preprocessor = make_preprocessor(frame).fit(frame)
    again = pickle.loads(pickle.dumps(preprocessor))
    np.testing.assert_array_equal(again.transform(frame), preprocessor.transform(frame))
    np.testing.assert_array_equal(feature_groups(again), feature_groups(preprocessor))


def test_groups_are_selected_together():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"noise": rng.choice(list("abc"), 400), "signal": rng.choice(list("abc"), 400), "x": rng.normal(size=400)}
    )
    y = (frame["signal"] == "b") & (rng.uniform(size=400) < 0.5)
    preprocessor = make_preprocessor(frame).fit(frame)
    groups = feature_groups(preprocessor)
    classifier = BlindAUCClassifier(sparsity="group_l0", groups=groups, n_features_to_select=1, n_outliers=0)
    classifier.fit(preprocessor.transform(frame), y.to_numpy())
    assert [group_names(preprocessor)[group] for group in set(groups[classifier.support_])] == ["signal"]


FRAME = pd.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "z"]})


def fitted():
    return make_preprocessor(FRAME).fit(FRAME)


BAD = {
    "array": (lambda: column_kinds(FRAME.to_numpy()), TypeError, "pandas or polars, not numpy.ndarray: convert"),
    "no rows": (lambda: make_preprocessor(FRAME.head(0)), ValueError, "no rows"),
    "names": (lambda: column_kinds(pd.DataFrame([[1, 2]])), ValueError, r"must be text, but there are \[0, 1\]"),
    "names twice": (lambda: make_preprocessor(FRAME[["a", "b", "a"]]), ValueError, r"\['a'\] occur more than once"),
    "nothing left": (lambda: make_preprocessor(FRAME.assign(a=1, b="x")), ValueError, "'a' is 1 in every row; 'b' is"),
    "unknown column": (lambda: make_preprocessor(FRAME, kinds={"c": "date"}), ValueError, r"names \['c'\]"),
    "unknown kind": (lambda: make_preprocessor(FRAME, kinds={"a": "float"}), ValueError, "one of numeric, .*'float'"),
    "no dates": (lambda: make_preprocessor(FRAME, kinds={"b": "date"}), ValueError, "'b' cannot be read as dates"),
    "missing column": (lambda: fitted().transform(FRAME[["a"]]), ValueError, "columns are missing: {'b'}"),
    "not fitted": (lambda: feature_groups(make_preprocessor(FRAME)), NotFittedError, "not fitted"),
    "pipeline": (lambda: feature_groups(make_pipeline(fitted())), TypeError, r"this Pipeline: .* pipeline\[0\]"),
    "another": (lambda: group_names(ColumnTransformer([]).fit(FRAME)), TypeError, "from make_preprocessor is needed"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_named(case):
    call, error, message = BAD[case]
    with pytest.raises(error, match=message):
        call()


def test_tables_of_polars_are_read_as_those_of_pandas():
    polars = pytest.importorskip("polars")
    mixed = mixed_frame(np.random.default_rng(0), 200)
    cells = {name: [None if pd.isna(cell) else str(cell) for cell in column] for name, column in mixed.items()}
    frame, other = pd.DataFrame(cells), polars.DataFrame(cells)
    assert column_kinds(other) == column_kinds(frame)
    expected = make_preprocessor(frame).fit(frame)
    found = make_preprocessor(other).fit(other)
    assert found.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()
    np.testing.assert_array_equal(found.transform(other), expected.transform(frame))
    # One that was fitted to the other kind reads it, too.
    np.testing.assert_array_equal(expected.transform(other), expected.transform(frame))


DIABETES = DATA / "diabetes130" / "diabetic_data.csv.xz"


def read_diabetes(**reading):
    if not DIABETES.exists():
        pytest.skip("needs ../shared/data/diabetes130")
    return pd.read_csv(DIABETES, keep_default_na=False, na_values=["?"], **reading).drop(columns="readmitted")


def test_diabetes():
    frame = read_diabetes(low_memory=False)
    kinds = column_kinds(frame)
    assert {name: kind.kind for name, kind in kinds.items() if not kind.is_used} == {
        "encounter_id": "identifier",
        "patient_nbr": "identifier",
        "examide": "constant",
        "citoglipton": "constant",
    }
    assert sum(kind.kind == "numeric" for kind in kinds.values()) == 11
    assert kinds["diag_1"].kind == kinds["weight"].kind == "categorical"
    preprocessor = make_preprocessor(frame, kinds=kinds).fit(frame.head(5000))
    X = preprocessor.transform(frame.tail(5000))
    assert np.isfinite(X).all()
    assert 100 < X.shape[1] < 300
    assert len(group_names(preprocessor)) == 45
    names = set(preprocessor.get_feature_names_out())
    assert {"weight missing", "race=Caucasian", "A1Cresult=None", "diag_1 rare"} <= names
    numbers = ["encounter_id", "patient_nbr", "num_lab_procedures", "num_medications"]
    for n in (100, 1000, 10_000):
        kinds = column_kinds(frame[numbers].sample(n, random_state=0))
        assert [kind.kind for kind in kinds.values()] == ["identifier", "identifier", "numeric", "numeric"]


def test_diabetes_read_as_text_is_the_same():
    # In these rows nobody's payer is known.
    guessed, text = (
        read_diabetes(nrows=3000, **reading).drop(columns="payer_code")
        for reading in ({"low_memory": False}, {"dtype": str})
    )
    assert column_kinds(guessed) == column_kinds(text)
    one, other = make_preprocessor(guessed).fit(guessed), make_preprocessor(text).fit(text)
    assert one.get_feature_names_out().tolist() == other.get_feature_names_out().tolist()
    for preprocessor in (one, other):
        np.testing.assert_array_equal(preprocessor.transform(guessed), preprocessor.transform(text))
