"""Tables as numbers, against a slow reading of every cell: groups, odd tables, and Diabetes 130."""

import datetime
import math
import pickle
from collections import Counter
from statistics import median

import numpy as np
import pytest
from mixed_tables import FAULTS, KINDS, N, mixed_frame
from places import DATA
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from blindauc.estimators import BlindAUCClassifier
from blindauc.preprocessing import ColumnKind, column_kinds, feature_groups, group_names, make_preprocessor

pd = pytest.importorskip("pandas")

INFINITIES = (math.inf, -1.7e308, "1e999")


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
