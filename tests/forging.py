"""Forge malicious model files, with full knowledge of the format."""

import io
import json
import struct
import zipfile
from hashlib import sha256
from pathlib import Path

import blindauc
from blindauc.model_files import FORMAT, MANIFEST


class Payload:
    """An object that creates a file when it is unpickled."""

    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return Path.touch, (self.marker,)


class Stateful:
    """An object that creates a file when its state is set."""

    def __init__(self, marker):
        self.marker = str(marker)

    def __getstate__(self):
        return {"marker": self.marker}

    def __setstate__(self, state):
        Path(state["marker"]).touch()


def members_of(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(members, packed=()):
    """A zip archive of these members; those named in `packed` are compressed."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content, zipfile.ZIP_DEFLATED if name in packed else zipfile.ZIP_STORED)
    return stream.getvalue()


def forged(members, format=FORMAT, version=blindauc.__version__, packed=()):
    """The file that `save` would have written for a model of these members."""
    members = {name: content for name, content in members.items() if name != MANIFEST}
    checksums = {name: sha256(content).hexdigest() for name, content in members.items()}
    manifest = {"format": format, "blindauc": version, "sha256": checksums}
    return zipped(members | {MANIFEST: json.dumps(manifest).encode()}, packed)


def lying(content, name, *, method=None, packed=None, unpacked=None):
    """The archive with a wrong entry for a member in its central directory, which readers rely on."""
    entry = content.rindex(b"PK\x01\x02", 0, content.rindex(name.encode()))
    lied = bytearray(content)
    for place, size, value in ((10, "<H", method), (20, "<I", packed), (24, "<I", unpacked)):
        if value is not None:
            struct.pack_into(size, lied, entry + place, value)
    return bytes(lied)
