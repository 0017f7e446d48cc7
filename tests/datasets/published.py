"""A public file, as a server on this machine has it."""

import hashlib
import io
import zipfile
from dataclasses import dataclass, field

CONTENT = b"1,2,3\n4,5,6\n" * 1000


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def zipped(**members):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    return archive.getvalue()


ZIP = zipped(**{"folder/Numbers.DATA": CONTENT, "folder/numbers.names": b"what they are"})


@dataclass
class Server:
    """What is published by path, the paths that break off half-way (and how often still), and what was asked for."""

    published: dict[str, bytes]
    breaks: dict[str, int] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    base: str = ""
    stop: object = None
