"""Tables are written without formulas, whole or not at all, with their provenance."""

import csv
import hashlib
import json

import numpy as np
import pandas as pd
import pytest

from blindauc.analysis import provenance
from blindauc.analysis.spreadsheets import write_csv

pytestmark = pytest.mark.usefixtures("few_candidates")

HOSTILE = [
    "=cmd|' /C calc'!A0",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "\uff1d1",
    "a=1",
    "a\nb",
    'a"b,c',
    "ü",
    "",
]


def test_nothing_in_a_file_is_a_formula(tmp_path):
    frame = pd.DataFrame({"=name": HOSTILE, "score": -np.arange(13.0), "n": pd.array([-1, None] * 6 + [3], "Int64")})
    frame["kind"] = frame["=name"].astype("category")
    frame["mixed"] = pd.Series([-1, "-1", None] * 4 + [0.5], dtype=object)
    write_csv(frame, tmp_path / "table.csv")
    with (tmp_path / "table.csv").open(encoding="utf-8-sig", newline="") as stream:
        header, *rows = csv.reader(stream)
    assert header == ["'=name", "score", "n", "kind", "mixed"]
    expected = ["'" * (place < 8) + cell for place, cell in enumerate(HOSTILE)]
    assert [row[0] for row in rows] == [row[3] for row in rows] == expected
    assert [float(row[1]) for row in rows] == frame["score"].tolist()
    assert [row[2] for row in rows] == ["-1", ""] * 6 + ["3"]
    assert [row[4] for row in rows] == ["-1", "'-1", ""] * 4 + ["0.5"]


def test_parts_are_written_as_one_table(tmp_path):
    frame = pd.DataFrame({"a": range(7), "b": list("abcdefg")})
    write_csv(frame, tmp_path / "whole.csv")
    write_csv((frame[i : i + 3] for i in (0, 3, 6)), tmp_path / "parts.csv")
    assert (tmp_path / "whole.csv").read_bytes() == (tmp_path / "parts.csv").read_bytes()


def test_two_columns_may_look_alike_once_harmless(tmp_path):
    write_csv(pd.DataFrame([[1, 2]], columns=["=a", "'=a"]), tmp_path / "table.csv")
    assert (tmp_path / "table.csv").read_text(encoding="utf-8-sig") == '"\'=a","\'=a"\n1,2\n'


def test_an_interrupted_file_is_not_there(tmp_path):
    def interrupted():
        yield pd.DataFrame({"a": [1]})
        raise KeyboardInterrupt

    (tmp_path / "table.csv").write_text("as before")
    with pytest.raises(KeyboardInterrupt):
        write_csv(interrupted(), tmp_path / "table.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]
    assert (tmp_path / "table.csv").read_text() == "as before"


def test_provenance_holds_what_json_can(tmp_path):
    (tmp_path / "data.csv").write_bytes(b"a,b\n1,2\n")
    origin = provenance({"data": tmp_path, "drop": ("a",), "n": np.int64(3)}, {"data": tmp_path / "data.csv"}, seed=7)
    assert json.loads(json.dumps(origin)) == origin
    assert origin["arguments"] == {"data": str(tmp_path), "drop": ["a"], "n": 3}
    assert origin["data_sha256"] == hashlib.sha256(b"a,b\n1,2\n").hexdigest()
    assert origin["seed"] == 7
    assert origin["date"].endswith("+00:00")
    assert set(origin["versions"]) >= {"blindauc", "python", "numpy", "scikit-learn"}
