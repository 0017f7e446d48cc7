"""Files are there whole or not at all, and nothing but a plain file is ever replaced."""

import errno
import os
from pathlib import Path

import pytest

from blindauc.files import errors_told_of, whole, write_whole


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_replaced_at_the_end(tmp_path):
    path = tmp_path / "a"
    write_whole(path, b"old")
    with whole(path) as part:
        part.write_bytes(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert names_in(tmp_path) == ["a"]


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, ValueError])
def test_nothing_half_is_left(interruption, tmp_path):
    def interrupted():
        with whole(tmp_path / "a") as part:
            part.write_bytes(b"half")
            raise interruption

    with pytest.raises(interruption):
        interrupted()
    assert names_in(tmp_path) == []


def test_what_is_no_plain_file_stays(tmp_path):
    (tmp_path / "file").write_bytes(b"kept")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "to nothing").symlink_to("nothing")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    before = names_in(tmp_path)
    for name in ("link", "to nothing", "folder", "pipe"):
        with pytest.raises(FileExistsError, match=f"{name} is a folder, a link or a device"):
            write_whole(tmp_path / name, b"new")
    assert names_in(tmp_path) == before
    assert (tmp_path / "file").read_bytes() == b"kept"


def test_a_device_is_not_replaced():
    with pytest.raises(FileExistsError, match="not a regular file"):
        write_whole(Path(os.devnull), b"")


def test_errors_name_the_file_that_was_wanted(tmp_path):
    with pytest.raises(FileNotFoundError) as error:
        write_whole(tmp_path / "nowhere" / "a", b"")
    assert error.value.filename == str(tmp_path / "nowhere" / "a")

    def full():
        with errors_told_of(tmp_path / "a"):
            raise OSError(errno.ENOSPC, "No space left on device", str(tmp_path / ".unfinished-1" / "a"))

    with pytest.raises(OSError, match=r"No space left on device: '.*a'") as error:
        full()
    assert (error.value.errno, error.value.filename) == (errno.ENOSPC, str(tmp_path / "a"))


def test_errors_without_a_number_stay_as_they_are(tmp_path):
    with pytest.raises(OSError, match="odd"), errors_told_of(tmp_path / "a"):
        raise OSError("odd")
