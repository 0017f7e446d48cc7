"""Tables, columns and models that cannot be used are told in one line, and nothing is left."""

import pickle

import forging
import pandas as pd
import pytest
import skops.io
from command_line import FIT, run, told
from small_ward import N_SMALL, SMALL, WRITTEN, names_in, small

pytestmark = pytest.mark.usefixtures("few_candidates")


# --- bad input --------------------------------------------------------------------------------------------------------

DAYS = [f"2021-{1 + k // 28:02}-{1 + k % 28:02}" for k in range(N_SMALL)]
STAGES = ["deep", "superficial", "none so far"] * (N_SMALL // 3)


def many_categories():
    rows = pd.concat([SMALL] * 500, ignore_index=True)
    return rows.assign(zip=[f"Z{k % 10_000}" for k in range(len(rows))]).drop(columns="id").to_csv(index=False).encode()


BAD_TABLES = {
    "empty": (lambda: b"", "empty"),
    "header only": (lambda: b"id,age,infection\n", "no rows"),
    "no label column": (lambda: SMALL.drop(columns="infection").to_csv(index=False).encode(), "no column 'infection'"),
    "one value": (lambda: small(infection="yes"), "holds 'yes' in every row"),
    "one value that means no": (lambda: small(infection="no"), "holds only 'no'"),
    "blank labels": (lambda: small(infection=""), "blank in every row"),
    "three values": (lambda: small(infection=STAGES), "--positive"),
    "not UTF-8": (lambda: small(ward="Köln") + b"\x81", "neither in UTF-8 nor in Windows-1252 (see row 62"),
    "ragged": (lambda: small() + b"1,2\n", "row 62"),
    "names twice": (lambda: small().replace(b"id,age", b"age,age"), "same name, 'age'"),
    "10,000 categories": (many_categories, "more than 1,000 categories, 'zip' with 10,000: group them first, or leave"),
    "missing in every row": (
        lambda: small(weight="", payer="NA"),
        "2 columns without a value in any row, 'weight', 'p",
    ),
    "infinity": (lambda: small(ratio=["inf", 1.5, "-inf"] * 20), "infinite numbers, 'ratio' in 40 rows, the first of"),
    "no day of the calendar": (lambda: small(day=[*DAYS[1:], "2021-02-30"]), "'day' with '2021-02-30' in data row 60"),
    "mixed dates": (
        lambda: small(day=[*DAYS[1:], "04.03.2021"]),
        "'day' with '04.03.2021' in data row 60: write every",
    ),
    "ambiguous dates": (lambda: small(day=["03/04/2021", "05/06/2021"] * 30), "day and month cannot be told apart"),
    "label among the features": (lambda: small(copy=SMALL["infection"]), "'copy' repeats the labels in every row"),
    "nothing to learn from": (lambda: SMALL[["infection"]].to_csv(index=False).encode(), "No column is left"),
}


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["for people", "for machines"])
@pytest.mark.parametrize("name", BAD_TABLES)
def test_bad_tables_are_told_in_one_line_and_nothing_is_left(name, options, tmp_path):
    content, words = BAD_TABLES[name]
    path = tmp_path / "table.csv"
    path.write_bytes(content())
    told(run("fit", path, "--label", "infection", "--out", tmp_path / "new" / "out", *options), words)
    assert names_in(tmp_path) == {"table.csv"}


def test_bad_columns_can_be_left_out(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(small(weight="", ratio=["inf", 1.5, "-inf"] * 20, day=[*DAYS[1:], "soon"]))
    fit = (*FIT, path, "--label", "infection", "--out", tmp_path / "out", "--drop", "weight", "--drop", "ratio")
    told(run(*fit), "a column of dates that cannot all be read, 'day' with 'soon' in data row 60")
    result = run(*fit, "--drop", "day")
    assert result.exit_code == 0, result.output
    assert names_in(tmp_path / "out") == WRITTEN


def test_several_positives_are_all_positive(small_table, tmp_path, monkeypatch):
    asked = {}
    monkeypatch.setattr("blindauc.analysis.analyse", lambda *_, **options: asked.update(options) or 1 / 0)
    run(*FIT, small_table, "--label", "infection", "--positive", "yes", "--positive", "no", "--out", tmp_path / "out")
    assert asked["positive"] == ["yes", "no"]


@pytest.mark.parametrize(
    ("share", "words"), [("6,5%", "write it as 0.065"), ("6.5 %", "write it as 0.065"), ("few", "such as 0.065")]
)
def test_a_share_that_is_written_otherwise(share, words, small_table, tmp_path):
    result = run(*FIT, small_table, "--label", "infection", "--prior", share, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert words in result.stderr


@pytest.mark.parametrize("command", ["score", "audit", "monitor", "compare"])
def test_a_table_in_the_place_of_the_model(command, small_table):
    told(run(command, small_table, small_table), "is a table, but the first ")


@pytest.mark.parametrize("option", ["--id", "--drop", "--groups", "--group"])
def test_the_label_column_is_nothing_else(option, small_table, tmp_path):
    (tmp_path / "groups.csv").write_text("column,group\nage,a\ninfection,a\n", encoding="utf-8")
    value = {"--groups": tmp_path / "groups.csv", "--group": "(infection)"}.get(option, "infection")
    told(run("fit", small_table, "--label", "infection", "--out", tmp_path / "out", option, value), "infection")
    assert names_in(tmp_path) == {"small.csv", "groups.csv"}


def test_places_that_cannot_be_read_or_written(table, fitted, tmp_path):
    folder, _ = fitted
    label = ("--label", "infection")
    told(run("fit", tmp_path / "nowhere.csv", *label), "nowhere.csv")
    told(run("fit", tmp_path, *label), "folder")
    file = tmp_path / "file"
    file.write_text("here", encoding="utf-8")
    told(run("fit", table, *label, "--out", file), "is not a folder")
    told(run("fit", table, *label, "--out", file / "out"), f"Not a directory: {file / 'out'}")
    told(run("score", folder, table, "--out", tmp_path), "is a folder")
    told(run("score", folder, table, "--out", tmp_path / "nowhere" / "scores.csv"), "nowhere")
    told(run("score", folder, table, "--out", file / "scores.csv"), f"Not a directory: {file / 'scores.csv'}")
    told(run("report", tmp_path), "findings.json")
    told(run("fit", table, *label, "--group", "(a", "--groups", table), "--group")
    assert file.read_text(encoding="utf-8") == "here"
    assert names_in(tmp_path) == {"file"}


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"asked": 1}', "\x00", "[" * 100_000], ids=lambda text: text[:3])
def test_findings_that_are_none(content, tmp_path):
    (tmp_path / "findings.json").write_text(content, encoding="utf-8")
    told(run("report", tmp_path), "findings.json cannot be read")
    assert names_in(tmp_path) == {"findings.json"}


def test_a_table_without_the_columns_of_the_model(fitted, tmp_path):
    folder, _ = fitted
    path = tmp_path / "new.csv"
    path.write_text("patient,temprature\nP1,37\n", encoding="utf-8")
    told(run("score", folder, path, "--out", tmp_path / "scores.csv"), "perhaps 'temprature'")
    assert names_in(tmp_path) == {"new.csv"}


def test_new_rows_that_cannot_be_read(fitted, table, tmp_path):
    folder, _ = fitted
    rows = pd.read_csv(table, dtype=str, keep_default_na=False)
    rows.loc[250, "temperature"] = "inf"
    rows.loc[260, "smoker"] = "perhaps"
    rows.to_csv(tmp_path / "new.csv", index=False)
    words = (
        "'inf' in data row 251 of 'temperature' is not a number, 'perhaps' in data row 261 of 'smoker' is not yes or no"
    )
    told(run("score", folder, tmp_path / "new.csv", "--out", tmp_path / "scores.csv"), words)
    assert names_in(tmp_path) == {"new.csv"}


def test_what_a_model_ranks_by_is_no_label(fitted, table):
    told(run("audit", fitted[0], table, "--label", "age"), "The model uses 'age' as a feature")


# --- models that are none ---------------------------------------------------------------------------------------------

BOMB = {"schema.json": bytes(10**8)}
FOREIGN_MODELS = {
    "elsewhere": (lambda marker: b"GIF89a", "is not a skops file"),
    "pickle": (
        lambda marker: pickle.dumps(forging.Payload(marker)),
        "is not a skops file, and looks like a pi",
    ),
    "pickle in a zip": (
        lambda marker: forging.zipped({"model.pkl": pickle.dumps(forging.Payload(marker))}),
        "is a zip archive that blindauc.save did not write",
    ),
    "skops": (lambda marker: skops.io.dumps(forging.Stateful(marker)), "is a zip archive that blindauc.save did not"),
    "skops that looks like ours": (
        lambda marker: forging.forged(forging.members_of(skops.io.dumps(forging.Stateful(marker)))),
        "holds types that are not known to be harmless",
    ),
    "zip bomb": (lambda marker: forging.forged(BOMB, packed=BOMB), "would unpack to more than its own size"),
    "zip bomb that lies": (
        lambda marker: forging.lying(forging.forged(BOMB, packed=BOMB), "schema.json", method=0, unpacked=100),
        "would unpack to more than its own size",
    ),
}


@pytest.mark.parametrize("name", FOREIGN_MODELS)
def test_foreign_models_are_refused_and_not_run(name, small_table, tmp_path):
    content, words = FOREIGN_MODELS[name]
    path = tmp_path / "model.skops"
    path.write_bytes(content(tmp_path / "marker"))
    for arguments in (
        ("score", path, small_table, "--out", tmp_path / "scores.csv"),
        ("audit", path, small_table, "--label", "infection"),
    ):
        told(run(*arguments), f"{path} {words}")
    assert names_in(tmp_path) == {"model.skops", "small.csv"}


def test_a_model_that_was_cut_short(fitted, table, tmp_path):
    content = (fitted[0] / "model.skops").read_bytes()
    path = tmp_path / "model.skops"
    path.write_bytes(content[: len(content) // 2])
    told(run("score", path, table, "--out", tmp_path / "scores.csv"), f"{path} is damaged or truncated")
    told(run("score", tmp_path / "none.skops", table), "none.skops")
    assert names_in(tmp_path) == {"model.skops"}
