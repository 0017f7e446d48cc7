"""Models come back as they were; anything else is refused in one line, unopened, and nothing half is left."""

import errno
import io
import json
import pickle
import sys
import tracemalloc
import zipfile
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from forging import Payload, Stateful, forged, lying, members_of, zipped
from sklearn.base import BaseEstimator, clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, SplineTransformer, StandardScaler

import blindauc
from blindauc import (
    BiasedSVM,
    BlindAUCClassifier,
    BlindAUCClassifierCV,
    DifferenceOfMeans,
    Estimate,
    OneClassRanker,
    PUErrorClassifier,
    PUErrorClassifierCV,
    make_preprocessor,
    model_files,
)
from blindauc.datasets import make_paper_data
from blindauc.losses import SquaredHinge
from blindauc.metrics import blind_auc_scorer
from blindauc.model_files import FORMAT, KNOWN_TYPES, MANIFEST, ModelFileError, load, save
from blindauc.preprocessing import feature_groups

pytestmark = pytest.mark.usefixtures("few_candidates")

pd = pytest.importorskip("pandas")
skops_io = pytest.importorskip("skops.io")

DATA = make_paper_data(n_features=8, n_relevant=5, n_pos=30, n_negatives=60, n_outliers=3, random_state=0)
X, Y = DATA.X, DATA.y_pu
PLAIN = {"n_features_to_select": 5, "n_outliers": 2, "l2": 1.0}
QUICK = {"shape": "linear", "cv": 3, "n_repeats": 1, "scaling": ["none"], "l2": [1.0, 10.0], "n_outliers": [0, 0.1]}
TUNED = QUICK | {"n_features_to_select": [5, 3]}
NAMES = [f"variable {i}" for i in range(8)]
MIXED = pd.DataFrame(
    {
        "age": np.where(X[:, 0] > 1, np.nan, X[:, 0]),
        "race": np.where(X[:, 1] > 1, None, np.where(X[:, 2] > 0, "A", "B")),
        "smokes": np.where(X[:, 3] > 0, "yes", "no"),
        "admitted": pd.date_range("2020-01-01", periods=len(X)).strftime("%d.%m.%Y"),
    }
)

MODELS = {
    "blind AUC": lambda: BlindAUCClassifier(**PLAIN).fit(X, Y),
    "blind AUC, uncalibrated": lambda: BlindAUCClassifier(**PLAIN, calibrate=False).fit(X, Y),
    "PU error": lambda: PUErrorClassifier(**PLAIN, prior=0.2).fit(X, Y),
    "blind AUC, tuned": lambda: BlindAUCClassifierCV(**TUNED).fit(X, Y),
    "PU error, tuned": lambda: PUErrorClassifierCV(**TUNED, prior=0.2).fit(X, Y),
    "tuned, too few positives": lambda: BlindAUCClassifierCV(shape="linear").fit(X[20:], Y[20:]),
    "columns with names": lambda: BlindAUCClassifier(**PLAIN).fit(pd.DataFrame(X, columns=NAMES), Y),
    "a row with leverage": lambda: BlindAUCClassifierCV(**TUNED).fit(np.r_[X, 1e3 * np.ones((1, 8))], np.r_[Y, 1]),
    "named classes": lambda: BlindAUCClassifier(pos_label="case").fit(X, np.where(Y == 1, "case", "unknown")),
    "tuned, with every option": lambda: BlindAUCClassifierCV(
        **QUICK | {"cv": list(GroupKFold(3).split(X, Y, np.arange(len(Y)) // 2))},
        loss=[SquaredHinge(), "logistic"],
        sparsity="exclusive_l0",
        groups=[[0, 1, 2], [3, 4], [5, 6, 7]],
        n_features_to_select=[[2, 1, 2], [1, 1, 1]],
        grow_unlabelled=True,
    ).fit(X, Y),
    "odd parameters": lambda: BlindAUCClassifier(
        prior=Estimate(0.2, 0.1, 0.3), random_state=np.random.RandomState(0), l2=np.float64(2)
    ).fit(X, Y),
    "biased SVM": lambda: BiasedSVM(C=1e-3).fit(X, Y),
    "biased SVM, weighted": lambda: BiasedSVM(C=1e-3, pos_weight=3.0).fit(X, Y),
    "one class": lambda: OneClassRanker().fit(X, Y),
    "difference of means": lambda: DifferenceOfMeans().fit(X, Y),
    "scaled": lambda: make_pipeline(StandardScaler(), BlindAUCClassifier(**PLAIN)).fit(X, Y),
    "mixed columns": lambda: make_pipeline(
        make_preprocessor(MIXED), BlindAUCClassifierCV(**TUNED | {"n_features_to_select": [4, 2]})
    ).fit(MIXED, Y),
    "not fitted": lambda: BlindAUCClassifierCV(cv=GroupKFold(3)),
}


@cache
def made(name):
    return MODELS[name]()


def rows_for(name):
    """New rows, with what was not there in fitting, for the model of this name."""
    if name != "mixed columns":
        return pd.DataFrame(DATA.X_test, columns=NAMES) if name == "columns with names" else DATA.X_test
    return pd.DataFrame(
        {
            "age": ["41", "NA", None, "7.5"],
            "race": ["B", "C", "", "A"],
            "smokes": [True, False, None, True],
            "admitted": ["03.04.2021", "2021-04-03", "soon", None],
        }
    )


def assert_same(one, other):
    """Equal to the last bit and type, all the way down."""
    assert type(one) is type(other)
    if isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        assert_same(one.tolist(), other.tolist())
    elif isinstance(one, dict):
        assert_same(list(one), list(other))
        assert_same(list(one.values()), list(other.values()))
    elif isinstance(one, list | tuple):
        assert len(one) == len(other)
        for pair in zip(one, other, strict=True):
            assert_same(*pair)
    elif isinstance(one, Estimate):
        assert repr(one) == repr(other)
    elif isinstance(one, np.random.RandomState):
        assert_same(one.get_state(), other.get_state())
    elif is_dataclass(one):
        for each in fields(one):
            assert_same(getattr(one, each.name), getattr(other, each.name))
    elif hasattr(one, "__dict__") and not callable(one):
        assert_same(vars(one), vars(other))
    else:
        assert one == other or one != one


def answers(model, rows):
    asked = ("decision_function", "predict", "predict_proba")
    given = [getattr(model, name)(rows) for name in asked if hasattr(model, name)]
    last = model[-1] if hasattr(model, "steps") else model
    told = [getattr(last, name)() for name in ("doubtful_labels", "summary") if hasattr(last, name)]
    return given + told


@pytest.mark.parametrize("name", MODELS)
def test_a_model_comes_back_as_it_was(name, tmp_path):
    model = made(name)
    save(model, tmp_path / "model.skops")
    loaded = load(tmp_path / "model.skops")
    assert_same(vars(loaded), vars(model))
    assert_same(vars(clone(loaded)), vars(clone(model)))
    if name != "not fitted":
        assert_same(answers(loaded, rows_for(name)), answers(model, rows_for(name)))
    save(loaded, tmp_path / "again.skops")
    assert_same(vars(load(tmp_path / "again.skops")), vars(model))


def test_what_a_search_found_is_kept(tmp_path):
    model = made("a row with leverage")
    assert model.leverage_.tolist() == [0] * (len(model.leverage_) - 1) + [8]
    save(model, tmp_path / "model.skops")
    loaded = load(tmp_path / "model.skops")
    for name in ("inclusion_", "support_", "support_cost_", "leverage_", "suspicion_", "cv_results_", "baselines_"):
        assert_same(getattr(loaded, name), getattr(model, name))
    assert isinstance(loaded.support_cost_, Estimate)
    assert_same(loaded.best_estimator_.coef_, model.best_estimator_.coef_)
    again = clone(loaded.best_estimator_).fit(np.r_[X, 1e3 * np.ones((1, 8))], np.r_[Y, 1])
    assert_same(again.coef_, model.best_estimator_.coef_)


def test_groups_of_a_loaded_preprocessor(tmp_path):
    model = made("mixed columns")
    save(model, tmp_path / "model.skops")
    loaded = load(tmp_path / "model.skops")
    assert_same(feature_groups(loaded[0]), feature_groups(model[0]))
    assert_same(loaded[0].get_feature_names_out(), model[0].get_feature_names_out())


@pytest.mark.parametrize("extrapolation", ["constant", "periodic"])
def test_steps_of_scikit_learn_come_back(extrapolation, path):
    table = pd.DataFrame(X[:, :3], columns=["a", "b", "c"]).assign(
        d=pd.Series(np.where(X[:, 3] > 0, "u", "v"), dtype=object)
    )
    columns = make_column_transformer(
        (SplineTransformer(extrapolation=extrapolation), make_column_selector(dtype_include=np.number)),
        (OneHotEncoder(), make_column_selector("^d$", dtype_include=object)),
    )
    model = make_pipeline(columns, BlindAUCClassifier(calibrate=False)).fit(table, Y)
    save(model, path)
    assert (load(path).decision_function(table) == model.decision_function(table)).all()


def test_every_estimator_is_among_the_models():
    estimators = {each for each in vars(import_module("blindauc.estimators")).values() if isinstance(each, type)}
    public = {each for each in estimators if issubclass(each, BaseEstimator)}
    assert public == {type(made(name)) for name in MODELS if "mixed" not in name and name != "scaled"}


def test_only_types_of_ours_of_scikit_learn_and_of_numpy_are_known():
    for known in KNOWN_TYPES:
        module, _, name = known.rpartition(".")
        assert module.split(".")[0] in ("blindauc", "sklearn", "numpy") or known == "builtins.object"
        assert hasattr(import_module(module), name)


def test_the_file_says_its_format_and_version(tmp_path):
    save(made("difference of means"), tmp_path / "model.skops")
    with zipfile.ZipFile(tmp_path / "model.skops") as archive:
        manifest = json.loads(archive.read(MANIFEST))
    assert manifest["format"] == FORMAT
    assert manifest["blindauc"] == blindauc.__version__


def test_it_is_a_skops_file(tmp_path):
    save(made("blind AUC, tuned"), tmp_path / "model.skops")
    model = skops_io.load(tmp_path / "model.skops", trusted=list(KNOWN_TYPES))
    assert_same(vars(model), vars(made("blind AUC, tuned")))


def test_nothing_is_pickled(tmp_path, monkeypatch):
    model = made("mixed columns")

    def refuse(*args, **options):
        raise AssertionError("pickle was asked for")

    for name in ("dump", "dumps", "load", "loads", "Pickler", "Unpickler"):
        monkeypatch.setattr(pickle, name, refuse)
    save(model, tmp_path / "model.skops")
    loaded = load(tmp_path / "model.skops")
    assert_same(answers(loaded, rows_for("mixed columns")), answers(model, rows_for("mixed columns")))


# Files that are not to be trusted.


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.skops"


@pytest.fixture
def saved(path):
    save(made("difference of means"), path)
    return path.read_bytes()


def refusal(path):
    with pytest.raises(ModelFileError) as refused:
        load(path)
    line = str(refused.value)
    assert line.startswith(str(path))
    assert line.isprintable()  # so it is one line
    return line


FOREIGN = {
    "nothing": lambda marker: b"",
    "text": lambda marker: b"age,race\n41,A\n",
    "a pickle": lambda marker: pickle.dumps(Payload(marker)),
    "an old pickle": lambda marker: pickle.dumps(Payload(marker), protocol=0),
    "a zip archive": lambda marker: zipped({"a.txt": b"hello"}),
    "a plain skops file": lambda marker: skops_io.dumps(DifferenceOfMeans()),
    "a skops file of a class of one's own": lambda marker: skops_io.dumps(Stateful(marker)),
    "a pickle in a zip archive": lambda marker: zipped({"model.pkl": pickle.dumps(Payload(marker))}),
    "a pickle for a schema": lambda marker: forged({"schema.json": pickle.dumps(Payload(marker))}),
    "the beginning of an archive": lambda marker: b"PK\x03\x04",
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_foreign_file_is_refused_and_not_run(name, path, tmp_path):
    path.write_bytes(FOREIGN[name](tmp_path / "marker"))
    assert ("pickle, which can run code" in refusal(path)) == (name == "a pickle")
    assert not (tmp_path / "marker").exists()


def test_the_payload_would_run(tmp_path):
    pickle.loads(pickle.dumps(Payload(tmp_path / "marker")))
    assert (tmp_path / "marker").exists()


def test_a_pickled_array_is_refused_and_not_run(path, saved, tmp_path):
    members = members_of(saved)
    array = io.BytesIO()
    np.save(array, np.array([Payload(tmp_path / "marker")], dtype=object), allow_pickle=True)
    (name,) = [name for name, content in members.items() if b"'<f8'" in content]
    path.write_bytes(forged(members | {name: array.getvalue()}))
    assert "allow_pickle=False" in refusal(path)
    assert not (tmp_path / "marker").exists()


def node(loader, module, name, **more):
    return {"__class__": name, "__module__": module, "__loader__": loader, **more}


def text(value):
    return node("JsonNode", "builtins", "str", content=json.dumps(value), is_json=True)


def several(*nodes, of="tuple"):
    return node(f"{of.title()}Node", "builtins", of, content=list(nodes))


def keyed(**values):
    names = several(*[node("TypeNode", "builtins", "str") for _ in values], of="list")
    content = {name: text(value) for name, value in values.items()}
    return node("DictNode", "builtins", "dict", content=content, key_types=names)


EXIT = several(text("raise SystemExit('the file was run')"))
MALICIOUS = {
    "a function": node("FunctionNode", "os", "system"),
    "a type": node("TypeNode", "subprocess", "Popen"),
    "a call": node("ConstructorFromReduceNode", "builtins", "exec", content=EXIT),
    "a call as an old object": node("ObjectNode", "builtins", "exec", content=EXIT),
    "a call as a list": node("ListNode", "builtins", "exec", content=[text("raise SystemExit")]),
    "a call of keys": node(
        "DictNode",
        "builtins",
        "dict",
        content={"raise SystemExit": text(1)},
        key_types=several(node("TypeNode", "builtins", "exec"), of="list"),
    ),
    "a partial call": node(
        "PartialNode",
        "functools",
        "partial",
        content={
            "func": node("FunctionNode", "builtins", "exec"),
            "args": EXIT,
            "kwds": text({}),
            "namespace": text(None),
        },
    ),
    "a method": node(
        "MethodNode", "pathlib", "Path", content={"func": "unlink", "obj": node("ObjectNode", "pathlib", "Path")}
    ),
    "an operator": node("OperatorFuncNode", "operator", "methodcaller", attrs=several(text("unlink"))),
    "a function of an old protocol": node(
        "FunctionNode", "numpy", "sqrt", content={"module_path": "os", "function": "system"}
    ),
    "a call as a generator of numbers": node(
        "RandomGeneratorNode",
        "numpy.random._generator",
        "Generator",
        content={"bit_generator": keyed(bit_generator="get_state"), "seed_seq": keyed(entropy=0)},
    ),
    "a tree": node("ObjectNode", "sklearn.tree._tree", "Tree"),
    "a spline that was not validated": node("ObjectNode", "scipy.interpolate._bsplines", "BSpline"),
    "a name that a terminal obeys": node("ObjectNode", "\x1b[2J\n", "Model"),
    "a loader that does not exist": node("\x1b[2JNode\n", "os", "system"),
    "text": text("a model"),
}


@pytest.mark.parametrize("protocol", [0, 2])
@pytest.mark.parametrize("name", MALICIOUS)
def test_a_malicious_file_is_refused_and_not_run(name, protocol, path):
    schema = MALICIOUS[name] | {"protocol": protocol, "_skops_version": "0.16.0"}
    path.write_bytes(forged({"schema.json": json.dumps(schema).encode()}))
    refusal(path)


@pytest.mark.parametrize("name", ["a function", "a call", "a spline that was not validated"])
def test_a_malicious_part_of_a_model_is_refused(name, path, saved):
    members = members_of(saved)
    schema = json.loads(members["schema.json"])
    schema["content"]["content"]["model_"] = MALICIOUS[name]
    path.write_bytes(forged(members | {"schema.json": json.dumps(schema).encode()}))
    bad = MALICIOUS[name]
    assert f"{bad['__module__']}.{bad['__class__']}" in refusal(path)


def test_an_impossible_estimate_is_refused(path):
    save(BlindAUCClassifier(prior=Estimate(0.2, 0.1, 0.3)), path)
    members = members_of(path.read_bytes())
    schema = members["schema.json"].replace(b'"0.1"', b'"0.9"')
    assert schema != members["schema.json"]
    path.write_bytes(forged(members | {"schema.json": schema}))
    assert "not between" in refusal(path)


def test_what_unpacks_to_much_is_not_unpacked(path, saved):
    n_bytes = 10**7
    bomb = members_of(saved) | {"schema.json": bytes(n_bytes)}
    path.write_bytes(forged(bomb, packed=["schema.json"]))
    assert path.stat().st_size < n_bytes / 100
    del bomb
    tracemalloc.start()
    try:
        assert "more than its own size" in refusal(path)
        assert tracemalloc.get_traced_memory()[1] < n_bytes / 10
    finally:
        tracemalloc.stop()


LIES = {
    "small": {"unpacked": 100},
    "not packed": {"method": zipfile.ZIP_STORED},
    "not packed, and small": {"method": zipfile.ZIP_STORED, "unpacked": 100},
    "not packed, and larger than the file": {"method": zipfile.ZIP_STORED, "packed": 4 * 10**9, "unpacked": 100},
    "of four gigabytes": {"method": zipfile.ZIP_STORED, "packed": 4 * 10**9, "unpacked": 4 * 10**9},
}


@pytest.mark.parametrize("lie", LIES)
def test_an_archive_that_lies_about_sizes_is_not_unpacked(lie, path):
    n_bytes = 10**7
    bomb = forged({"schema.json": bytes(n_bytes)}, packed=["schema.json"])
    path.write_bytes(lying(bomb, "schema.json", **LIES[lie]))
    tracemalloc.start()
    try:
        refusal(path)
        assert tracemalloc.get_traced_memory()[1] < n_bytes / 10
    finally:
        tracemalloc.stop()


def test_an_array_that_lies_about_its_size_takes_no_memory(path, saved):
    members = members_of(saved)
    (name,) = [name for name, content in members.items() if b"'<f8'" in content]
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (10**15,)})
    path.write_bytes(forged(members | {name: header.getvalue()}))
    assert "damaged" in refusal(path)


def test_a_class_of_ones_own_is_refused_and_not_made(path, tmp_path):
    content = skops_io.dumps(Stateful(tmp_path / "marker"))
    path.write_bytes(forged(members_of(content)))
    assert "holds types that are not known to be harmless" in refusal(path)
    assert not (tmp_path / "marker").exists()
    skops_io.loads(content, trusted=["forging.Stateful"])
    assert (tmp_path / "marker").exists()


def test_members_that_overlap_are_not_unpacked(path, saved):
    # The same bytes under many names would unpack to many times the file.
    archive = io.BytesIO(forged({"schema.json": bytes(10**5)}))
    with zipfile.ZipFile(archive, "a") as packed:
        twin = packed.getinfo("schema.json")
        packed.filelist += [twin] * 5
        packed._didModify = True
    path.write_bytes(archive.getvalue())
    assert "more than its own size" in refusal(path)


def test_a_deep_schema_is_refused(path):
    path.write_bytes(forged({"schema.json": b"[" * 10**5}))
    refusal(path)


@pytest.mark.parametrize("share", [0.0001, 0.1, 0.5, 0.9, 0.999])
def test_a_file_cut_short_is_refused(share, path, saved):
    path.write_bytes(saved[: int(share * len(saved))])
    refusal(path)


def test_no_changed_byte_goes_unnoticed(path, saved):
    # Or it is of no meaning, such as the time in the archive.
    for place in range(0, len(saved), 17):
        path.write_bytes(saved[:place] + bytes([saved[place] ^ 0x55]) + saved[place + 1 :])
        try:
            assert_same(vars(load(path)), vars(made("difference of means")))
        except ModelFileError:
            refusal(path)


def test_an_edited_file_is_refused(path, saved):
    members = members_of(saved)
    edited = members["schema.json"].replace(b"standard", b"stardand")
    path.write_bytes(zipped(members | {"schema.json": edited}))
    assert "changed after it was saved" in refusal(path)
    path.write_bytes(zipped(members | {"more.json": b"{}"}))
    assert "changed after it was saved" in refusal(path)


@pytest.mark.parametrize("manifest", [b"", b"[]", b"{}", b'{"format": "1", "blindauc": "0.1", "sha256": {}}'])
def test_an_odd_manifest_is_refused(manifest, path, saved):
    path.write_bytes(zipped(members_of(saved) | {MANIFEST: manifest}))
    assert "damaged" in refusal(path)


def test_a_newer_format_says_what_it_needs(path, saved):
    path.write_bytes(forged(members_of(saved), format=FORMAT + 1, version="7.2.1rc1"))
    assert "pip install --upgrade 'blindauc>=7.2.1rc1'" in refusal(path)


def test_an_older_format_says_what_to_do(path, saved, monkeypatch):
    monkeypatch.setattr(model_files, "OLDEST_FORMAT", FORMAT + 1)
    monkeypatch.setattr(model_files, "FORMAT", FORMAT + 1)
    assert f"load it with pip install 'blindauc=={blindauc.__version__}'" in refusal(path)


def test_files_from_before_the_average_are_refused(path, saved):
    path.write_bytes(forged(members_of(saved), format=1, version="0.1.0"))
    assert "has format 1" in refusal(path)
    assert "load it with pip install 'blindauc==0.1.0'" in refusal(path)


def test_an_older_version_that_cannot_be_read_says_what_to_do(path, saved):
    members = members_of(saved)
    schema = members["schema.json"].replace(b"NdArrayNode", b"SomethingElse")
    path.write_bytes(forged(members | {"schema.json": schema}, version="0.0.1"))
    assert "was saved by blindauc 0.0.1" in refusal(path)


def test_no_command_comes_from_a_file(path, saved):
    path.write_bytes(forged(members_of(saved), format=FORMAT + 1, version="1'; rm -r ~; '"))
    assert "rm -r" not in refusal(path)


def test_a_missing_file_and_a_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"There is no model file .*none.skops: check the name"):
        load(tmp_path / "none.skops")
    assert "is a folder" in refusal(tmp_path)


# Saving.


class Stranger(DifferenceOfMeans):
    """A class that no model file may hold."""


UNKEPT = {
    "a callback": BlindAUCClassifier(callback=lambda progress: None),
    "a builtin": BlindAUCClassifier(callback=print),
    "a class of one's own": make_pipeline(StandardScaler(), Stranger()),
    "sparse support vectors": BiasedSVM(kernel="rbf").fit(sp.csr_matrix(X), Y),
    "a generator": BlindAUCClassifierCV(cv=(split for split in [])),
    "an estimator class": DifferenceOfMeans,
    "no model": {"coef": 1.0},
}


@pytest.mark.parametrize("name", UNKEPT)
def test_what_would_not_come_back_is_not_saved(name, path):
    with pytest.raises(ModelFileError) as refused:
        save(UNKEPT[name], path)
    assert str(refused.value).isprintable()
    assert list(path.parent.iterdir()) == []


def test_the_part_that_would_not_come_back_is_named(path):
    model = make_pipeline(StandardScaler(), HistGradientBoostingClassifier(max_iter=1)).fit(X, Y)
    with pytest.raises(ModelFileError, match=r"^The HistGradientBoostingClassifier, a part of this Pipeline, .*Tree"):
        save(model, path)


def test_of_a_search_by_scikit_learn_its_best_estimator_is_to_be_saved(path):
    search = GridSearchCV(DifferenceOfMeans(), {}, scoring=blind_auc_scorer)
    with pytest.raises(ModelFileError, match="save its best_estimator_"):
        save(search, path)


@pytest.mark.parametrize("interruption", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_nothing_half_is_left(interruption, path, saved, monkeypatch):
    def half(self, content):
        with self.open("wb") as stream:
            stream.write(content[: len(content) // 2])
        raise interruption

    monkeypatch.setattr(Path, "write_bytes", half)
    with pytest.raises(type(interruption)):
        save(made("one class"), path)
    assert list(path.parent.iterdir()) == [path]
    assert path.read_bytes() == saved


def test_where_it_cannot_be_written(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"^There is no folder .*nowhere to write model.skops to: make it"):
        save(DifferenceOfMeans(), tmp_path / "nowhere" / "model.skops")
    with pytest.raises(FileExistsError, match=f"{tmp_path} is a folder, a link or a device"):
        save(DifferenceOfMeans(), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_file_can_be_replaced(path, saved):
    save(made("one class"), path)
    assert isinstance(load(str(path)), OneClassRanker)


def test_without_skops_one_line_names_the_extra(path, saved, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("skops")]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ModuleNotFoundError, match=r"^Model files need skops: pip install 'blindauc\[cli\]'\.$"):
        load(path)
    with pytest.raises(ModuleNotFoundError, match="pip install"):
        save(DifferenceOfMeans(), path)
