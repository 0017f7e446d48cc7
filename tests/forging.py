"""Model files that are not to be trusted, made by someone who knows all that `save` knows."""

import io
import json
import struct
import zipfile
from hashlib import sha256
from pathlib import Path

import blindauc
from blindauc.model_files import FORMAT, MANIFEST


class Payload:
    """Whoever unpickles it makes a file."""

    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return Path.touch, (self.marker,)


class Stateful:
    """Whoever sets its state makes a file."""

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
    """An archive of these members, those that are named packed, the others as they are."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content, zipfile.ZIP_DEFLATED if name in packed else zipfile.ZIP_STORED)
    return stream.getvalue()


def forged(members, format=FORMAT, version=blindauc.__version__, packed=()):
    """What `save` would have written, had the model been of these members."""
    members = {name: content for name, content in members.items() if name != MANIFEST}
    checksums = {name: sha256(content).hexdigest() for name, content in members.items()}
    manifest = {"format": format, "blindauc": version, "sha256": checksums}
    return zipped(members | {MANIFEST: json.dumps(manifest).encode()}, packed)


def lying(content, name, *, method=None, packed=None, unpacked=None):
    """The archive with other words about a member in its directory, which is what readers go by."""
    entry = content.rindex(b"PK\x01\x02", 0, content.rindex(name.encode()))
    lied = bytearray(content)
    for place, size, value in ((10, "<H", method), (20, "<I", packed), (24, "<I", unpacked)):
        if value is not None:
            struct.pack_into(size, lied, entry + place, value)
    return bytes(lied)
