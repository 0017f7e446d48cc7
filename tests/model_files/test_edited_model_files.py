"""Edited, older and newer model files are refused with what to do."""

import pytest
from forging import forged, members_of, zipped
from same_models import assert_same
from saved_models import made, refusal

import blindauc
from blindauc import model_files
from blindauc.model_files import FORMAT, MANIFEST, ModelFileError, load

pytestmark = pytest.mark.usefixtures("few_candidates")


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
