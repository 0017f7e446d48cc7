"""Examples of `Findings`: ordinary ones, extreme ones, and ones with hostile names."""

import math
import random
from dataclasses import replace

from blindauc.report import (
    Asked,
    Baseline,
    Case,
    Curve,
    Doubt,
    Expected,
    Feature,
    Findings,
    Histogram,
    Interval,
    TuningSlice,
)

HOSTILE = (
    "<script>window.hacked = true</script>",
    "</script><script>window.hacked = true</script>",
    '"><img src=x onerror="window.hacked = true">',
    "' onmouseover='window.hacked = true",
    "</style><svg onload=window.hacked=true>",
    "&lt;b&gt; & \u2028\u2029",
    "abc\u202egnp.exe\u202c",
    "half a pair \ud800, a null \x00, a return \r",
    "מטופל 7",
    "=cmd|' /C calc'!A0",
    "a_very_long_name_without_any_place_to_break_it_" * 5,
)
"""Names that must be shown, not run."""

COLUMNS = (
    ("temperature_day_3", 0.92, 1.0, 1.0),
    ("c_reactive_protein_day_4", 0.81, 1.0, 0.98),
    ("wound_discharge=purulent", 0.55, 0.97, 0.91),
    ("haemoglobin_before_surgery", -0.44, 0.94, 0.83),
    ("operation_minutes", 0.38, 0.88, 0.77),
    ("albumin_before_surgery", -0.31, 0.79, 0.72),
    ("white_cells_day_4", 0.24, 0.71, 0.64),
    ("diabetes=yes", 0.17, 0.63, 0.52),
    ("age", 0.08, 0.55, 0.41),
)
"""Name, weight, inclusion probability and stability of the columns that are selected."""


def example(n_labelled=160, n_rows=2400, n_doubtful=12, n_columns=37, seed=0):
    """A surgical cohort in which some infections were recorded."""
    rng = random.Random(seed)
    suspicion = sorted((rng.betavariate(0.5, 4) for _ in range(n_labelled)), reverse=True)
    suspicion = [min(0.99, s + 0.6 * (i < n_doubtful)) for i, s in enumerate(suspicion)]
    return Findings(
        asked=Asked(
            data="patients.csv",
            label="infection",
            positive="yes",
            n_rows=n_rows,
            n_labelled=n_labelled,
            n_columns=n_columns,
            set_aside={"patient_id": "names each row", "ward": "has one value only", "notes": "holds free text"},
        ),
        auc=Interval(0.874, 0.832, 0.912),
        prior=Interval(0.183, 0.131, 0.247),
        contamination=Interval(0.081, 0.034, 0.142),
        is_auc_known=True,
        is_prior_known=True,
        capacity=None,
        found=_found(n_rows - n_labelled),
        cases=_cases(min(n_rows - n_labelled, 200)),
        wrong=_wrong(suspicion),
        n_doubtful=n_doubtful,
        roc=_roc(),
        ranks=_ranks(),
        tuning=_tuning(),
        features=_features(n_columns),
        doubts=_doubts(suspicion, rng),
        baselines=[
            Baseline("difference of means", 0.801, Interval(0.041, 0.018, 0.066), is_as_good=False),
            Baseline("l1 logistic regression", 0.836, Interval(0.006, -0.004, 0.017), is_as_good=True),
        ],
        chosen={"n_features_to_select": 9, "n_outliers": 0.1, "l2": 0.01, "scaling": "standard", "loss": "logistic"},
        provenance={
            "command": "blindauc fit patients.csv --label infection --positive yes --id patient_id",
            "blindauc": "0.1.0",
            "versions": {"python": "3.11.2", "numpy": "2.3.4", "scikit-learn": "1.8.0"},
            "seed": 0,
            "date": "2025-11-15T10:30:00+00:00",
            "sha256 of the data": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        },
    )


def hostile():
    """The example with names that try to break out of the page."""
    findings = example()
    names = dict(enumerate(HOSTILE))
    return replace(
        findings,
        asked=replace(
            findings.asked, data=HOSTILE[0], label=HOSTILE[1], positive=HOSTILE[2], set_aside={n: n for n in HOSTILE}
        ),
        tuning=[replace(tried, name=HOSTILE[i]) for i, tried in enumerate(findings.tuning)],
        features=[
            replace(each, column=names.get(i, each.column), source=names.get(i + 1, each.source))
            for i, each in enumerate(findings.features)
        ],
        doubts=[
            replace(each, name=names.get(i, each.name), reason=names.get(i, each.reason))
            for i, each in enumerate(findings.doubts)
        ],
        cases=[
            replace(
                each,
                name=names.get(i, each.name),
                reason=names.get(i, each.reason),
                cells={name: name for name in HOSTILE} if i < 25 else each.cells,
            )
            for i, each in enumerate(findings.cases)
        ],
        baselines=[replace(each, name=HOSTILE[i]) for i, each in enumerate(findings.baselines)],
        chosen={name: name for name in HOSTILE},
        provenance={"nested": {name: [name] for name in HOSTILE}} | {name: name for name in HOSTILE},
    )


def unknown_prior():
    """Findings without an identified class prior, and so without any number that depends on it."""
    findings = example()
    n_unlabelled = findings.asked.n_rows - findings.asked.n_labelled
    most = [min(each.k, 0.98 * n_unlabelled) for each in findings.found]
    return replace(
        findings,
        prior=Interval(0.4925, 0.003, 0.98),
        is_prior_known=False,
        capacity=200,
        found=[
            Expected(each.k, each.value, each.value / 50, each.high if each.k < 1000 else high)
            for each, high in zip(findings.found, most, strict=True)
        ],
        cases=[replace(each, probability=each.probability._replace(low=0.02)) for each in findings.cases],
    )


def shaky():
    """Findings that trigger every caution of the report."""
    return replace(
        example(n_labelled=14, n_rows=26, n_doubtful=2),
        auc=Interval(0.985, 0.48, 1.0),
        prior=Interval(0.5, 0.1, 0.8),
        contamination=Interval(0.25, 0.05, 0.45),
        is_prior_known=False,
    )


def large():
    """Many labelled rows, many columns, curves of many points."""
    findings = example(n_labelled=20_000, n_rows=100_000, n_doubtful=450, n_columns=5_000)
    x = [i / 50_000 for i in range(50_001)]
    return replace(findings, roc=Curve(x, x, x, x))


def nearly_empty():
    """Findings of the smallest possible fit."""
    return replace(
        example(n_labelled=1, n_rows=2, n_doubtful=0, n_columns=1),
        features=[Feature("age", "age", 0.0, 0.0, False, None, 12.0, "", 0.0)],
        doubts=[],
        found=[],
        cases=[],
        wrong=[],
        is_auc_known=False,
        is_prior_known=False,
        tuning=[],
        baselines=[],
        chosen={},
        provenance={},
    )


def _roc():
    x = [i / 100 for i in range(101)]
    y = [1 - (1 - value) ** 6 if value < 1 else 1.0 for value in x]
    return _with_band(x, y, [0.17 * math.sqrt(value) * (1 - value) for value in x])


def _found(n_unlabelled, prior=0.183):
    """Expected positives among the first rows, which hold most of them, with an interval of 20 % to either side."""
    most = prior * n_unlabelled
    steps = sorted({*range(1, min(n_unlabelled, 20) + 1), *(round(n_unlabelled * i / 60) for i in range(1, 61))})
    found = [(k, min(k, most * (1 - (1 - k / n_unlabelled) ** 5))) for k in steps if k]
    return [Expected(k, value, 0.8 * value, min(k, 1.2 * value)) for k, value in found]


def _cases(n, seed=1):
    rng = random.Random(seed)
    found = []
    for rank in range(1, n + 1):
        row, value = rng.randint(1, 2400), 0.95 * math.exp(-rank / 150)
        cells = {"age": str(rng.randint(20, 90)), "temperature_day_3": f"{rng.uniform(37, 40):.1f}", "ward": "B"}
        probability = Interval(value, 0.7 * value, min(1.0, 1.2 * value))
        reason = "temperature_day_3 39.4 (unlabelled rows: typically 37.2); wound_discharge purulent (mostly no)"
        found.append(Case(row, f"P-{row:05d}", rank, probability, reason, cells))
    return found


def _wrong(suspicion):
    found, total = [], 0.0
    for k, value in enumerate(suspicion, start=1):
        total += value
        if k <= 30 or k % 10 == 0:
            half = math.sqrt(total)
            found.append(Expected(k, total, max(0.0, total - half), min(k, total + half)))
    return found


def _with_band(x, y, half):
    low = [max(0.0, value - width) for value, width in zip(y, half, strict=True)]
    return Curve(x, y, low, [min(1.0, value + width) for value, width in zip(y, half, strict=True)])


def _ranks():
    edges = [i / 20 for i in range(21)]
    heights = [math.exp(4.2 * edge) + 2.5 * (edge < 0.1) for edge in edges[1:]]
    return Histogram(edges, [height / sum(heights) for height in heights], [0.05] * 20)


def _tuning():
    return [
        TuningSlice(
            "n_features_to_select",
            [2, 5, 9, 15, 25, 37],
            [0.79, 0.83, 0.842, 0.84, 0.836, 0.831],
            [0.012] * 6,
            [0.01, 0.19, 0.44, 0.26, 0.08, 0.02],
            9,
        ),
        TuningSlice(
            "n_outliers", [0, 0.03, 0.06, 0.1, 0.2], [0.828, 0.835, 0.84, 0.842, 0.837], [0.011] * 5, [0.2] * 5, 0.1
        ),
        TuningSlice(
            "l2",
            [10.0**exponent for exponent in range(-7, 7)],
            [0.81 + 0.032 * math.exp(-(((exponent + 2) / 4) ** 2)) for exponent in range(-7, 7)],
            [0.012] * 14,
            [0.02] * 5 + [0.72] + [0.02] * 7 + [0.04],
            0.01,
        ),
    ]


def _features(n_columns):
    """Features of an average, which has small weights on columns that are not selected, too."""
    selected = [
        Feature(column, column.partition("=")[0], weight, inclusion, True, frequency, *_step(column), weight / 3)
        for column, weight, inclusion, frequency in COLUMNS
    ]
    numbers = range(1, n_columns - len(selected) + 1)
    return selected + [
        Feature(f"lab_value_{i}", f"lab_value_{i}", 0.01 / i, 0.4 / i, False, 0.1 / i, 3.5, "", 0.003 / i)
        for i in numbers
    ]


def _step(column):
    """The step of a column and its unit."""
    return (1.0, "yes") if "=" in column else (12.3, "")


def _doubts(suspicion, rng):
    right, found = 0.0, []
    for i, value in enumerate(suspicion, start=1):
        right += 1 - value
        row = rng.randint(1, 2400)
        low = ", ".join(rng.sample(["temperature_day_3 low", "c_reactive_protein_day_4 low", "albumin high"], 2))
        found.append(Doubt(row, f"P-{row:05d}", value, right / i, f"pulled down by {low}"))
    return found
