"""Public files from a real server on this machine, from the cache and from a folder; never half, never wrong."""

import gzip
import io
import lzma
import pickle
import sys
import tarfile
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from places import DATA
from published import CONTENT, ZIP, Server, sha256, zipped

from blindauc.datasets import DataNotFoundError
from blindauc.datasets.fetching import fetch
from blindauc.datasets.sources import ALL_FILES, DataFile
from blindauc.datasets.unpacking import as_published, decompressed, member, stacked_recordings, stacked_stays


@pytest.fixture
def server(monkeypatch):
    state = Server({"/data/numbers.zip": ZIP})

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            state.asked.append(self.path)
            if self.path not in state.published:
                self.send_error(404)
                return
            content = state.published[self.path]
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if state.breaks.get(self.path, 0):
                state.breaks[self.path] -= 1
                content = content[: len(content) // 2]
            self.wfile.write(content)

        def log_message(self, *args):
            pass

    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()

    def stop():
        http.shutdown()
        http.server_close()
        thread.join()

    state.base = f"http://127.0.0.1:{http.server_port}/data/"
    state.stop = stop
    yield state
    if thread.is_alive():
        stop()


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("BLINDAUC_CACHE", str(folder))
    monkeypatch.delenv("BLINDAUC_DATA", raising=False)
    return folder


@pytest.fixture
def file(server):
    return DataFile(
        path="numbers/numbers.data",
        sha256=sha256(CONTENT),
        base=server.base,
        downloads={"numbers.zip": "numbers.zip"},
        unpack=member("numbers.data"),
        page="https://example.org/numbers",
        repacked=("numbers.tar.xz",),
    )


def files_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def the_line(error):
    line = str(error.value)
    assert "\n" not in line
    return line


def test_download_check_and_cache(server, file, cache):
    assert fetch(file) == CONTENT
    assert files_in(cache) == ["numbers/numbers.data"]
    server.stop()
    assert fetch(file) == CONTENT
    assert len(server.asked) == 1


def test_the_cache_is_a_data_folder(file, cache, server):
    fetch(file)
    server.stop()
    assert fetch(file, data_folder=cache) == CONTENT


def test_wrong_checksum_is_not_kept(file, cache):
    wrong = replace(file, sha256="0" * 64)
    with pytest.raises(DataNotFoundError) as error:
        fetch(wrong)
    line = the_line(error)
    assert "0" * 64 in line
    assert sha256(CONTENT) in line
    assert file.base + "numbers.zip" in line
    assert files_in(cache) == []


@pytest.mark.parametrize("half", [CONTENT[:100], b""])
def test_a_spoilt_cache_is_filled_anew(server, file, cache, half):
    fetch(file)
    (cache / file.path).write_bytes(half)
    assert fetch(file) == CONTENT
    assert (cache / file.path).read_bytes() == CONTENT
    assert len(server.asked) == 2


def test_a_spoilt_cache_and_no_server(server, file, cache):
    fetch(file)
    (cache / file.path).write_bytes(b"spoilt")
    server.stop()
    with pytest.raises(DataNotFoundError, match="cannot be downloaded"):
        fetch(file)


def test_a_transfer_that_breaks_once_is_repeated(server, file):
    server.breaks["/data/numbers.zip"] = 1
    assert fetch(file) == CONTENT
    assert len(server.asked) == 2


def test_a_transfer_that_keeps_breaking(server, file, cache):
    server.breaks["/data/numbers.zip"] = 99
    with pytest.raises(DataNotFoundError) as error:
        fetch(file)
    line = the_line(error)
    assert "interrupted" in line
    assert file.base + "numbers.zip" in line
    assert files_in(cache) == []
    server.breaks.clear()
    assert fetch(file) == CONTENT


def test_not_found(server, file, cache):
    with pytest.raises(DataNotFoundError) as error:
        fetch(replace(file, downloads={"gone.zip": "gone.zip"}))
    line = the_line(error)
    for part in (
        "numbers/numbers.data",
        "404 Not Found",
        server.base + "gone.zip",
        "data_folder=",
        "BLINDAUC_DATA=DIR",
    ):
        assert part in line
    assert server.asked == ["/data/gone.zip"]  # a refusal is not asked twice
    assert files_in(cache) == []


def test_no_server(server, file, cache):
    server.stop()
    with pytest.raises(DataNotFoundError) as error:
        fetch(file)
    line = the_line(error)
    for part in (file.path, "no connection", file.base, file.page, "data_folder=", "BLINDAUC_DATA"):
        assert part in line
    assert len(line) < 500
    assert files_in(cache) == []


@pytest.mark.parametrize("sent", [b"<html>Prove that you are human</html>", ZIP[:-200], zipped(other=CONTENT)])
def test_something_else_than_the_archive(server, file, cache, sent):
    server.published["/data/numbers.zip"] = sent
    with pytest.raises(DataNotFoundError, match="cannot be read from") as error:
        fetch(file)
    assert file.base + "numbers.zip" in the_line(error)
    assert files_in(cache) == []


def test_a_cache_that_cannot_be_written(file, cache):
    cache.write_text("a file where the folder should be")
    with pytest.raises(DataNotFoundError, match="cannot be written to the cache") as error:
        fetch(file)
    assert "BLINDAUC_CACHE" in the_line(error)


def test_the_error_travels_between_processes(file):
    with pytest.raises(DataNotFoundError) as error:
        fetch(replace(file, sha256="0"))
    copy = pickle.loads(pickle.dumps(error.value))
    assert str(copy) == str(error.value)
    assert copy.reason == error.value.reason
    assert copy.path == file.path


def forms(file):
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:xz") as packed:
        info = tarfile.TarInfo("folder/numbers.data")
        info.size = len(CONTENT)
        packed.addfile(info, io.BytesIO(CONTENT))
    return {
        "numbers.data": CONTENT,
        "numbers.data.xz": lzma.compress(CONTENT),
        "numbers.data.gz": gzip.compress(CONTENT),
        "numbers.zip": ZIP,
        "numbers.tar.xz": archive.getvalue(),
    }


@pytest.mark.parametrize(
    "form", ["numbers.data", "numbers.data.xz", "numbers.data.gz", "numbers.zip", "numbers.tar.xz"]
)
@pytest.mark.parametrize("way", ["argument", "environment"])
def test_a_folder_instead_of_the_network(server, file, cache, tmp_path, monkeypatch, form, way):
    (tmp_path / "mine" / "numbers").mkdir(parents=True)
    (tmp_path / "mine" / "numbers" / form).write_bytes(forms(file)[form])
    if way == "environment":
        monkeypatch.setenv("BLINDAUC_DATA", str(tmp_path / "mine"))
    assert fetch(file, tmp_path / "mine" if way == "argument" else None) == CONTENT
    assert server.asked == []
    assert not cache.exists()


def test_the_argument_comes_before_the_environment(file, tmp_path, monkeypatch):
    (tmp_path / "numbers").mkdir()
    (tmp_path / "numbers" / "numbers.data").write_bytes(CONTENT)
    monkeypatch.setenv("BLINDAUC_DATA", "nowhere")
    assert fetch(file, tmp_path) == CONTENT


def test_not_in_the_folder(server, file, tmp_path):
    with pytest.raises(DataNotFoundError) as error:
        fetch(file, tmp_path)
    line = the_line(error)
    for part in (file.path, str(tmp_path), file.base + "numbers.zip", "data_folder=", "BLINDAUC_DATA"):
        assert part in line
    assert server.asked == []


@pytest.mark.parametrize(
    ("form", "content", "message"),
    [
        ("numbers.data", CONTENT[:-1], "is not the file expected"),
        ("numbers.data.xz", b"no xz", "cannot be read"),
        ("numbers.data.gz", b"no gzip", "cannot be read"),
        ("numbers.zip", b"no zip", "cannot be read"),
    ],
)
def test_a_wrong_file_in_the_folder(file, tmp_path, form, content, message):
    (tmp_path / "numbers").mkdir()
    (tmp_path / "numbers" / form).write_bytes(content)
    with pytest.raises(DataNotFoundError, match=message):
        fetch(file, tmp_path)


def test_several_downloads_make_one_file(server, file, tmp_path):
    recordings = {"Z": zipped(**{"Z/Z001.txt": "1\r\n-2\r\n"}), "N": zipped(**{"N001.TXT": "3\n4\n"})}
    content = b"N001 3 4\nZ001 1 -2\n"
    for letter, archive in recordings.items():
        server.published[f"/data/{letter}/content"] = archive
    file = replace(
        file,
        downloads={"Z.zip": "Z/content", "N.zip": "N/content"},
        unpack=stacked_recordings,
        sha256=sha256(content),
    )
    assert fetch(file) == content
    (tmp_path / "numbers").mkdir()
    for letter, archive in recordings.items():
        with pytest.raises(DataNotFoundError, match="is not in"):
            fetch(file, tmp_path)
        (tmp_path / "numbers" / f"{letter}.zip").write_bytes(archive)
    assert fetch(file, tmp_path) == content


def test_gzip_and_plain_downloads(server, file):
    server.published["/data/numbers.gz"] = gzip.compress(CONTENT)
    server.published["/data/numbers.txt"] = CONTENT
    packed = replace(file, path="n/1", downloads={"numbers.gz": "numbers.gz"}, unpack=decompressed)
    plain = replace(file, path="n/2", downloads={"numbers.txt": "numbers.txt"}, unpack=as_published)
    assert fetch(packed) == fetch(plain) == CONTENT


def test_without_pooch(file, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(ImportError, match=r'need pooch: pip install "blindauc\[data\]"'):
        fetch(file)


def test_the_users_cache_folder_without_the_variable(monkeypatch, tmp_path, file):
    pooch = pytest.importorskip("pooch")
    monkeypatch.delenv("BLINDAUC_CACHE")
    monkeypatch.setattr(pooch, "os_cache", lambda project: tmp_path / "home" / project)
    fetch(file)
    assert files_in(tmp_path / "home") == ["blindauc/numbers/numbers.data"]


@pytest.mark.parametrize("file", ALL_FILES, ids=lambda file: file.path)
def test_the_registry_names_secure_addresses_and_whole_checksums(file):
    assert all(url.startswith("https://") for url in file.urls)
    assert file.page.startswith("https://")
    assert len(bytes.fromhex(file.sha256)) == 32


@pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data")
def test_stays_are_stacked_as_in_the_file_we_have():
    with lzma.open(DATA / "physionet2012" / "set-a.csv.xz") as stacked:
        head = b"".join(stacked.readline() for _ in range(20000))
    rows = [row.split(b",", maxsplit=1) for row in head.splitlines()[1:]]
    stays = {}
    for number, row in rows:
        stays.setdefault(number.decode(), [b"Time,Parameter,Value"]).append(row)
    assert len(stays) > 40
    packed = {f"set-a/{number}.txt": b"\n".join(rows) + b"\n" for number, rows in reversed(stays.items())}
    assert stacked_stays([zipped(**packed)]) == head
