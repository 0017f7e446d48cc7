"""Files that are no models of ours are refused in one line, and nothing of them is run or unpacked."""

import io
import json
import pickle
import tracemalloc
import zipfile

import numpy as np
import pytest
from forging import Payload, Stateful, forged, lying, members_of, zipped
from saved_models import refusal, skops_io

from blindauc import BlindAUCClassifier, DifferenceOfMeans, Estimate
from blindauc.model_files import save

pytestmark = pytest.mark.usefixtures("few_candidates")

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
