"""Columns of every kind, columns with every fault, and tables of mixed ones."""

import math
from decimal import Decimal

import numpy as np
import pytest

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
