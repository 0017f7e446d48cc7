"""No command replaces what it reads, and none replaces anything else without `--force`; files are what they end in."""

import gzip
import json
import os
from pathlib import Path

import pandas as pd
import pytest
from command_line import FIT, run, told

from blindauc import read_table
from blindauc.cli.outputs import NAMES, check_outputs
from blindauc.files import check_apart

pytestmark = pytest.mark.usefixtures("few_candidates")

LABEL = ("--label", "infection")
N_ROWS = 60
TABLE = pd.DataFrame(
    {
        "age": [30 + 7 * k % 41 for k in range(N_ROWS)],
        "infection": ["yes" if k % 20 == 0 else "" for k in range(N_ROWS)],
    }
)
"""So few positives that there is nothing to choose, and a fit takes no time."""


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    place = tmp_path_factory.mktemp("model")
    TABLE.to_csv(place / "table.csv", index=False)
    result = run(*FIT, place / "table.csv", *LABEL, "--out", place / "results", "--json")
    assert result.exit_code == 0, result.output
    return place / "results"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "mine.csv"
    TABLE.to_csv(path, index=False)
    return path


# --- an output is never an input --------------------------------------------------------------------------------------


def same(table):
    return table


def dotted(table):
    return table.parent / "." / "elsewhere" / ".." / table.name


def relative(table):
    return Path(os.path.relpath(table))


def hard_link(table):
    os.link(table, table.with_name("link.csv"))
    return table.with_name("link.csv")


def symbolic_link(table):
    table.with_name("link.csv").symlink_to(table.name)
    return table.with_name("link.csv")


def through_a_folder(table):
    (table.parent / "folder").symlink_to(".", target_is_directory=True)
    return table.parent / "folder" / table.name


def capitals(table):
    return table.with_name("Mine.CSV")


OTHER_NAMES = [same, dotted, relative, hard_link, symbolic_link, through_a_folder, capitals]


@pytest.mark.parametrize("force", [[], ["--force"]], ids=["", "forced"])
@pytest.mark.parametrize("other_name", OTHER_NAMES)
@pytest.mark.parametrize("command", ["score", "audit"])
def test_the_table_is_never_replaced(command, other_name, force, model, table):
    (table.parent / "elsewhere").mkdir()
    out = other_name(table)
    before = contents(table.parent)
    told(run(command, model, table, "--out", out, *force), "an input and would be lost: write to another file")
    assert contents(table.parent) == before


@pytest.mark.parametrize("other_name", OTHER_NAMES)
def test_a_table_that_is_named_by_a_link_is_not_replaced_either(other_name, model, table):
    (table.parent / "elsewhere").mkdir()
    source = other_name(table)
    if not source.exists():
        pytest.skip("needs a disk that does not tell capitals apart")
    before = contents(table.parent)
    told(run("score", model, source, "--out", table, "--force"), "an input and would be lost")
    assert contents(table.parent) == before


@pytest.mark.parametrize("command", ["score", "audit"])
def test_the_model_is_never_replaced(command, model, table):
    before = contents(model)
    told(run(command, model, table, "--out", model / "model.skops", "--force"), "an input and would be lost")
    assert contents(model) == before


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith(".csv")])
def test_fit_does_not_replace_a_table_that_is_named_as_a_result(name, tmp_path):
    TABLE.to_csv(tmp_path / name, index=False)
    before = contents(tmp_path)
    told(run("fit", tmp_path / name, *LABEL, "--out", tmp_path, "--force"), "an input and would be lost")
    told(run("fit", tmp_path / name, *LABEL, "--out", tmp_path / "new" / ".."), "an input and would be lost")
    assert contents(tmp_path) == before


def test_fit_does_not_replace_its_groups_or_its_config(model, table):
    folder = table.parent
    (folder / "ranking.csv").write_text("column,group\nage,a\n", encoding="utf-8")
    before = contents(folder)
    told(
        run("fit", table, *LABEL, "--groups", folder / "ranking.csv", "--out", folder, "--force"),
        "ranking.csv is an input and would be lost",
    )
    assert contents(folder) == before
    before = contents(model)
    told(
        run("fit", "--config", model / "run.json", "--out", model, "--force"), "run.json is an input and would be lost"
    )
    assert contents(model) == before


def test_report_does_not_replace_its_findings(model, tmp_path):
    (tmp_path / "findings.json").write_bytes((model / "findings.json").read_bytes())
    os.link(tmp_path / "findings.json", tmp_path / "report.html")
    before = contents(tmp_path)
    told(run("report", tmp_path), "would be lost")
    assert contents(tmp_path) == before


def test_names_that_differ_in_how_letters_are_composed_are_the_same(tmp_path):
    with pytest.raises(ValueError, match="would be lost"):
        check_apart([tmp_path / "Mu\u0308ller.csv"], [tmp_path / "m\u00fcller.csv"])
    check_apart([tmp_path / "scores.csv"], [tmp_path / "table.csv"])


# --- nothing else is replaced without --force -------------------------------------------------------------------------


def test_results_are_replaced_only_by_force(table, tmp_path, monkeypatch):
    fit = (*FIT, table, *LABEL, "--out", tmp_path / "out", "--json")
    assert run(*fit).exit_code == 0
    (tmp_path / "out" / "ranking.csv").write_text("with a note of mine", encoding="utf-8")
    before = contents(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr("blindauc.analysis.analyse", lambda *_, **__: pytest.fail("this was fitted"))
        told(run(*fit), "and 7 more files would be replaced: pass --force to replace them, or another --out")
    assert contents(tmp_path) == before
    assert run(*fit, "--force").exit_code == 0
    assert (tmp_path / "out" / "ranking.csv").read_bytes() != before["out/ranking.csv"]


@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_mine_in_the_folder_is_not_replaced(name, table, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / name).write_text("mine", encoding="utf-8")
    told(run("fit", table, *LABEL, "--out", tmp_path / "out"), f"{name} would be replaced: pass --force to replace it")
    assert contents(tmp_path / "out") == {name: b"mine"}


def test_a_folder_with_other_files_takes_results(table, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "notes.txt").write_text("mine", encoding="utf-8")
    assert run(*FIT, table, *LABEL, "--out", tmp_path / "out").exit_code == 0
    assert {"notes.txt", "ranking.csv"} <= {path.name for path in (tmp_path / "out").iterdir()}


@pytest.mark.parametrize("command", ["score", "audit"])
def test_a_file_is_replaced_only_by_force(command, model, table, tmp_path):
    (tmp_path / "out.csv").write_text("mine", encoding="utf-8")
    told(run(command, model, table, "--out", tmp_path / "out.csv"), "out.csv would be replaced: pass --force")
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == "mine"
    assert run(command, model, table, "--out", tmp_path / "out.csv", "--force").exit_code == 0
    assert "row" in read_table(tmp_path / "out.csv").columns


def test_the_file_that_score_names_itself_is_not_replaced(model, table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("score", model, table).exit_code == 0
    told(run("score", model, table), "mine-scores.csv would be replaced")


def test_a_demo_replaces_nothing_but_a_demo(tmp_path):
    (tmp_path / "patients.csv").write_text("mine", encoding="utf-8")
    told(run("demo", "--out", tmp_path), "patients.csv would be replaced")
    assert contents(tmp_path) == {"patients.csv": b"mine"}


@pytest.mark.parametrize("name", ["table2.csv", "table2.png"])
def test_reproduce_does_not_replace_what_is_not_its_own(name, tmp_path):
    (tmp_path / name).write_text("mine", encoding="utf-8")
    few = ("--rows", "1", "--repeats", "1", "--jobs", "1", "--systems", "Difference of means")
    told(run("reproduce", "table2", *few, "--out", tmp_path), f"{name} would be replaced")
    assert contents(tmp_path) == {name: b"mine"}
    for _ in range(2):  # what is beside its own runs is its own
        assert run("reproduce", "table2", *few, "--out", tmp_path, "--force").exit_code == 0
    assert run("reproduce", "table2", *few, "--out", tmp_path).exit_code == 0


def test_links_and_devices_are_not_replaced_by_force_either(tmp_path):
    (tmp_path / "link").symlink_to("elsewhere")
    for path in (tmp_path / "link", Path(os.devnull)):
        with pytest.raises(FileExistsError, match="not a regular file"):
            check_outputs([path], force=True)


# --- files are what they end in ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["score", "audit"])
@pytest.mark.parametrize("ending", [".csv", ".tsv", ".csv.gz", ".tsv.gz", ".xlsx", ".parquet", ".CSV", ".XLSX"])
def test_files_are_what_they_end_in(ending, command, model, table, tmp_path):
    out = tmp_path / f"out{ending}"
    result = run(command, model, table, "--out", out)
    assert result.exit_code == 0, result.output
    frame = read_table(out)
    assert len(frame) == (N_ROWS if command == "score" else 3)
    start = out.read_bytes()[:4]
    kinds = {".xlsx": b"PK\x03\x04", ".parquet": b"PAR1", ".gz": b"\x1f\x8b"}
    expected = kinds.get(out.suffix.lower(), b"\xef\xbb\xbf")
    assert start.startswith(expected)
    text = gzip.decompress(out.read_bytes()).decode() if out.suffix == ".gz" else None
    if text is not None:
        assert ("\t" in text) == (".tsv" in ending)


@pytest.mark.parametrize("command", ["score", "audit"])
@pytest.mark.parametrize("name", ["out.txt", "out.xls", "out", "out.json", "out.parquet.gz"])
def test_other_endings_are_refused(name, command, model, table, tmp_path):
    told(run(command, model, table, "--out", tmp_path / name), "should end in .csv, .tsv, .csv.gz, .tsv.gz, .xlsx or")
    assert contents(tmp_path).keys() == {"mine.csv"}


# --- small things -----------------------------------------------------------------------------------------------------


def test_version():
    from blindauc import __version__

    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, f"blindauc {__version__}\n")


def test_audit_gives_machines_as_many_as_were_asked_for(model, table):
    all_of_them = json.loads(run("audit", model, table, "--json").stdout)
    assert len(all_of_them) == 3
    assert json.loads(run("audit", model, table, "--json", "--top", "2").stdout) == all_of_them[:2]


def test_columns_to_drop_may_be_listed(tmp_path):
    TABLE.assign(ward="a", payer="b", **{"name, first": "c"}).to_csv(tmp_path / "table.csv", index=False)
    fit = (*FIT, tmp_path / "table.csv", *LABEL, "--json")
    listed = run(*fit, "--drop", "ward, payer", "--drop", "name, first", "--out", tmp_path / "a")
    assert json.loads(listed.stdout)["set_aside"] == dict.fromkeys(
        ["ward", "payer", "name, first"], "left out, as asked"
    )
    told(run(*fit, "--drop", "ward,wrong", "--out", tmp_path / "b"), "no column 'wrong'")


def test_results_of_an_older_run_do_not_stay_among_new_ones(table, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    for name in ("ranking_by_group.csv", "notes.txt"):
        (out / name).write_text("old", encoding="utf-8")
    assert run(*FIT, table, *LABEL, "--out", out, "--force").exit_code == 0
    assert not (out / "ranking_by_group.csv").exists()
    assert (out / "notes.txt").exists()
