"""Tables in files: which files, which columns and labels, and one line for whatever is wrong with them."""

import numpy as np
import pandas as pd
import pytest
from small_files import refused, table

from blindauc.model_files import load, save
from blindauc.rows.disk.parquet import ParquetRows


@pytest.fixture
def folder(tmp_path):
    table().iloc[:100].to_parquet(tmp_path / "1.parquet")
    table().iloc[100:].to_parquet(tmp_path / "2.parquet")
    return tmp_path


def test_a_file_a_folder_and_a_list_are_the_same(folder):
    table().to_parquet(folder / "all.parq.parquet")
    whole = ParquetRows(folder / "all.parq.parquet", "y").prepared()
    (folder / "all.parq.parquet").unlink()
    for name in ("_SUCCESS", ".hidden.parquet", "README.md"):
        (folder / name).write_text("no table")
    paths = [folder / "1.parquet", str(folder / "2.parquet")]
    for rows in (ParquetRows(folder, "y"), ParquetRows(str(folder), "y"), ParquetRows(paths, "y")):
        np.testing.assert_array_equal(rows.prepared().X, whole.X)
        assert [path.name for path in rows.paths] == ["1.parquet", "2.parquet"]
    turned = ParquetRows(paths[::-1], "y").prepared()
    np.testing.assert_array_equal(turned.X, np.concatenate([whole.X[100:], whole.X[:100]]))


def test_rows_are_named_by_their_files(folder):
    table().iloc[:0].to_parquet(folder / "0.parquet")
    rows = ParquetRows(folder, "y").prepared()
    assert rows.part_rows == (0, 100, 200)
    assert rows.place(0) == (folder / "1.parquet", 1)
    assert rows.place(99) == (folder / "1.parquet", 100)
    assert rows.place(100) == (folder / "2.parquet", 1)
    assert rows.place(299) == (folder / "2.parquet", 200)
    for row in (-1, 300):
        with pytest.raises(IndexError, match="numbered from 0 to 299"):
            rows.place(row)


def test_columns_that_are_not_learnt_from(folder):
    assert ParquetRows(folder, "y", id="b").prepared().feature_names == ["a"]
    assert ParquetRows(folder, "y", drop="b").prepared().feature_names == ["a"]
    refused(folder, "No column is left as a feature", id="b", drop=["a"])


def test_frames_give_the_table_again(folder):
    frames = list(ParquetRows(folder, "y", drop=["b"]).frames(n_rows=64))
    pd.testing.assert_frame_equal(pd.concat(frames), table(), check_dtype=False)
    assert list(next(ParquetRows(folder, "y").frames(["b"])).columns) == ["b"]


def test_the_preprocessor_goes_into_a_model_file(folder, tmp_path):
    rows = ParquetRows(folder, "y").prepared()
    save(rows.preprocessor, tmp_path / "model.skops")
    again = load(tmp_path / "model.skops").transform(table())
    np.testing.assert_array_equal(again.astype(np.float32), rows.X)


LABELS = {
    "words": (["yes", None, "no"], "yes", ["no", "yes"]),
    "one word": (["case", None, None], "case", ["unlabelled", "case"]),
    "numbers": ([1, 0, -0], 1, [0, 1]),
    "floats with gaps": ([1.0, np.nan, np.nan], 1, [0, 1]),
    "booleans": ([True, False, None], True, [False, True]),
    "categories": (pd.Categorical(["yes", "no", "no"]), "yes", ["no", "yes"]),
}


@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize("case", LABELS)
def test_labels_are_read_as_in_memory(tmp_path, case, ending):
    values, positive, classes = LABELS[case]
    frame = pd.DataFrame({"a": np.arange(30.0) % 7, "y": pd.Series(values).repeat(10).to_numpy()})
    frame.to_csv(tmp_path / "a.csv", index=False) if ending == "csv" else frame.to_parquet(tmp_path / "a.parquet")
    rows = ParquetRows(tmp_path, "y").prepared()
    assert np.flatnonzero(rows.is_positive).tolist() == list(range(10))
    if ending == "parquet" or case not in ("booleans",):
        assert rows.classes.tolist() == classes
    assert rows.label_values[rows.label_codes[0]] in (positive, str(positive))


WRONG_LABELS = {
    "no positive": ([0, 0, 0], "The label column 'y' holds only 0, .* pos_label="),
    "nothing": ([None, None, None], "The label column 'y' is blank in every row"),
    "three": (["a", "b", "c"], r"'y' holds 3 different values \('a', 'b', 'c'\): name the one .* with pos_label="),
}


@pytest.mark.parametrize("case", WRONG_LABELS)
def test_wrong_labels_are_told(tmp_path, case):
    values, words = WRONG_LABELS[case]
    pd.DataFrame({"a": np.arange(30.0) % 7, "y": values * 10}).to_parquet(tmp_path / "a.parquet")
    refused(tmp_path, words)


def test_what_is_no_label_is_told(tmp_path):
    pd.DataFrame({"a": np.arange(3000.0) % 7, "b": np.arange(3000) % 2, "y": np.arange(3000)}).to_parquet(
        tmp_path / "a.parquet"
    )
    refused(tmp_path, "'y' holds more than 1,000 different values")
    words = "The label column 'b' does not hold 8 in any row: its values are 0, 1; name one of them with pos_label="
    refused(tmp_path, words, label="b", pos_label=8, drop="y")


def test_who_names_the_positive_label_may_have_more_than_two(tmp_path):
    pd.DataFrame({"a": np.arange(30.0) % 7, "y": [0, 1, 2] * 10}).to_csv(tmp_path / "a.csv", index=False)
    rows = ParquetRows(tmp_path, "y", pos_label=1).prepared()
    assert (np.flatnonzero(rows.is_positive) == np.arange(1, 30, 3)).all()
    assert rows.classes.tolist() == [0, 1]


def test_columns_that_are_not_there_are_told(folder):
    refused(folder, r"has no column 'z' \(label\): its columns are 'a', 'b', 'y'", label="z")
    refused(folder, r"has no column 'z' \(weight\)", weight="z")
    refused(folder, r"has no column 'z' \(id\)", id="z")
    refused(folder, r"has no column 'z' \(drop\)", drop=["b", "z"])
    refused(folder, "'y' holds the labels and cannot be weight, too", weight="y")


@pytest.mark.parametrize(("weight", "told"), [(np.nan, "None"), (-1.0, "-1.0"), (np.inf, "inf")])
def test_wrong_weights_are_told(folder, weight, told):
    weights = np.ones(300)
    for path, part in (("1.parquet", slice(0, 100)), ("2.parquet", slice(100, 300))):
        weights[250] = weight
        table().assign(w=weights).iloc[part].to_parquet(folder / path)
    refused(folder, rf"data row 151 of .*2\.parquet holds '{told}'", weight="w")


def test_no_files_are_told(tmp_path):
    refused(tmp_path, "There are no Parquet or CSV files in")
    refused([], "There are no Parquet or CSV files in")
    with pytest.raises(FileNotFoundError, match="There is no file"):
        ParquetRows(tmp_path / "none.parquet", "y")
    (tmp_path / "a.xlsx").write_text("")
    refused(tmp_path / "a.xlsx", "is neither a Parquet nor a text file")


def test_parquet_and_text_together_are_told(folder):
    table().to_csv(folder / "a.csv", index=False)
    refused(folder, r"beside Parquet files there is the text file '.*a\.csv': remove it, or move it to another folder")
    table().to_csv(folder / "b.csv", index=False)
    (folder / "2.parquet").unlink()
    refused(folder, r"beside text files there is the Parquet file '.*1\.parquet': remove it")


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_text_about_a_table_is_no_part_of_it(folder, ending):
    if ending == "csv":
        for name in ("1", "2"):
            pd.read_parquet(folder / f"{name}.parquet").to_csv(folder / f"{name}.csv", index=False)
            (folder / f"{name}.parquet").unlink()
    for text in ("", "Rows of the ward, by year.\n", "Rows\n\nfrom 2019, 2020, and 2021;\n  ask, if in doubt\n" * 9):
        (folder / "README.txt").write_text(text)
        assert [path.stem for path in ParquetRows(folder, "y").paths] == ["1", "2"]
    table().to_csv(folder / "README.txt", index=False)
    if ending == "csv":
        assert len(ParquetRows(folder, "y").paths) == 3
    else:
        refused(folder, r"the text file '.*README\.txt'")


def test_empty_parts_alone_are_told(tmp_path):
    table().iloc[:0].to_parquet(tmp_path / "a.parquet")
    refused(tmp_path, "has no rows, and no other file has any")


OTHER_COLUMNS = {
    "one more": (table().assign(c=1), r"3\.parquet has other columns than .*1\.parquet: only 3\.parquet has 'c'"),
    "one less": (table()[["a", "y"]], r"3\.parquet has other columns than .*1\.parquet: only 1\.parquet has 'b'"),
    "text": (
        table().astype({"a": str}),
        r"3\.parquet holds text in the column 'a', but the files before it hold numbers",
    ),
    "dates": (table().assign(a=pd.Timestamp("2020-01-01")), "holds dates in the column 'a'"),
}


@pytest.mark.parametrize("case", OTHER_COLUMNS)
def test_other_columns_are_told(folder, case):
    frame, words = OTHER_COLUMNS[case]
    frame.to_parquet(folder / "3.parquet")
    refused(folder, words)


def test_alike_is_enough(folder):
    expected = np.array(ParquetRows(folder, "y").prepared().X)
    frame = table().iloc[100:]
    frame[["y", "b", "a"]].to_parquet(folder / "2.parquet")
    np.testing.assert_array_equal(ParquetRows(folder, "y").prepared().X, expected)
    frame.assign(a=np.arange(200)).to_parquet(folder / "2.parquet")
    frame.assign(a=None).iloc[:5].to_parquet(folder / "3.parquet")
    X = ParquetRows(folder, "y").prepared().X
    np.testing.assert_array_equal(X[100:300, 0], np.arange(200))
    assert X[300:, 1].tolist() == [1] * 5


def test_damaged_files_are_told(folder):
    content = (folder / "2.parquet").read_bytes()
    for damaged in (content[:-100], content[: len(content) // 2], b"", b"PAR1"):
        (folder / "2.parquet").write_bytes(damaged)
        refused(folder, r"2\.parquet is damaged, truncated or not in the format of its")
    (folder / "2.parquet").write_bytes(content[:4] + b"\xff" * 200 + content[204:])
    refused(folder, r"2\.parquet is damaged, truncated or not in the format of its")


def test_wrong_kinds_are_told(folder):
    refused(folder, "must be one of categorical, numeric, date, not 'text'", kinds={"b": "text"})
    refused(folder, r"has no column 'z' \(kinds\)", kinds={"z": "date"})
    refused(folder, "'y' holds the labels and cannot be kinds, too", kinds={"y": "date"})
