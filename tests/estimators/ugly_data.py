"""Data that no fit can take, and ugly data that every fit takes."""

import numpy as np
import pandas as pd
import scipy.sparse as sp

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 6))
X[:10] += 0.5
y = np.repeat([1, 0], [10, 30])


def with_value(value):
    spoiled = X.copy()
    spoiled[3, 2] = value
    return spoiled


BAD_DATA = {
    "no positives": (X, np.zeros(40, int), "Mark the labelled positives"),
    "zeros and missing": (X, np.where(y == 1, 0.0, np.nan), "Mark the labelled positives"),
    "minus one and missing": (X, np.where(y == 1, -1.0, np.nan), "Mark the labelled positives"),
    "mixed labels": (X, np.array(["a", 1] * 20, dtype=object), "the same way"),
    "one positive": (X, np.arange(40) == 0, "label more rows"),
    "all positives": (X, np.ones(40, int), "unlabelled rows .* are needed"),
    "all labels missing": (X, np.full(40, np.nan), "mark the labelled positives"),
    "NaN": (with_value(np.nan), y, "contains NaN"),
    "infinity": (with_value(np.inf), y, "contains infinity"),
    "three labels": (X, np.arange(40) % 3, "recode it"),
    "continuous labels": (X, rng.normal(size=40), "Unknown label type"),
    "float16": (X.astype(np.float16), y, "astype"),
    "float16 column": (pd.DataFrame(X).astype({0: np.float16}), y, "float32"),
    "text column": (pd.DataFrame(X).assign(sex="f"), y, "'sex'.*encode"),
    "category column": (pd.DataFrame(X).assign(sex=pd.Categorical(["f"] * 40)), y, "'sex'.*encode"),
    "text array": (X.astype(str).astype(object) + "x", y, "could not convert"),
    "too large": (with_value(1e300), y, "rescale"),
    "too large, sparse": (sp.csr_matrix(with_value(-1e300)), y, "rescale"),
    "too short y": (X, y[:-1], "as many rows"),
    "no y": (X, None, "requires y"),
    "one row": (X[:1], y[:1], "minimum of 2 is required"),
    "no columns": (X[:, :0], y, "minimum of 1 is required"),
    "a vector": (X[:, 0], y, "Reshape your data"),
}

UGLY = {
    "constant column": np.c_[X, np.ones(40)],
    "only constant columns": np.ones((40, 3)),
    "zero column": np.c_[X, np.zeros(40)],
    "all zeros": np.zeros((40, 3)),
    "duplicated columns": np.c_[X, X],
    "wide": rng.normal(size=(40, 1100)),  # too many for a dense Hessian
    "scales 1e-8 and 1e8": np.c_[X * 1e-8, X[:, ::-1] * 1e8],
    "far from zero": X + 1e8,
    "large": X * 1e99,
    "tiny": X * 1e-150,
    "one column": X[:, :1],
    "whole numbers": np.round(X * 3).astype(int),
    "booleans": X > 0,
    "sparse and empty columns": sp.csr_matrix(np.c_[np.where(np.abs(X) > 1, X, 0), np.zeros(40)]),
}
