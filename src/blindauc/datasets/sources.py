"""The registry of public data files: where each is published, how to unpack it, and its checksum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from blindauc.datasets.unpacking import Unpack, as_published, decompressed, member, stacked_recordings, stacked_stays


@dataclass(frozen=True)
class DataFile:
    """A file of a public data set.

    Attributes
    ----------
    path : its path below a data folder and in the cache
    sha256 : the checksum of its uncompressed content
    base : the base URL of the downloads
    downloads : the published files that it is made from, by name, with their URLs relative to `base`
    unpack : makes the content from the downloads
    page : the web page of the data set
    repacked : names of other archives with the same members, accepted in a data folder
    """

    path: str
    sha256: str
    base: str
    downloads: Mapping[str, str]
    unpack: Unpack
    page: str
    repacked: tuple[str, ...] = ()

    @property
    def urls(self) -> tuple[str, ...]:
        """The URLs of the `downloads`."""
        return tuple(self.base + place for place in self.downloads.values())

    @property
    def source(self) -> str:
        """The URL for messages: that of the only download, or the web page if there are several."""
        return self.urls[0] if len(self.urls) == 1 else self.page


_UCI = "https://archive.ics.uci.edu/static/public/"
_PMLB = "https://github.com/EpistasisLab/pmlb/raw/master/datasets/"
_UPF = "https://repositori.upf.edu/server/api/core/bitstreams/"
_PHYSIONET = "https://physionet.org/files/challenge-2012/1.0.0/"


def _in_uci_archive(path: str, sha256: str, archive: str, number: int) -> DataFile:
    return DataFile(
        path=path,
        sha256=sha256,
        base=_UCI,
        downloads={archive: f"{number}/{archive}"},
        unpack=member(path.rpartition("/")[2]),
        page=f"https://archive.ics.uci.edu/dataset/{number}",
    )


def _hill_valley(name: str, sha256: str) -> DataFile:
    return DataFile(
        path=f"hill_valley/{name}.tsv",
        sha256=sha256,
        base=_PMLB,
        downloads={f"{name}.tsv.gz": f"{name}/{name}.tsv.gz"},
        unpack=decompressed,
        page=f"https://github.com/EpistasisLab/pmlb/tree/master/datasets/{name}",
    )


def _physionet(name: str, sha256: str, download: str, unpack: Unpack, repacked: tuple[str, ...] = ()) -> DataFile:
    return DataFile(
        path=f"physionet2012/{name}",
        sha256=sha256,
        base=_PHYSIONET,
        downloads={download: download},
        unpack=unpack,
        page="https://physionet.org/content/challenge-2012/1.0.0",
        repacked=repacked,
    )


ARRHYTHMIA = _in_uci_archive(
    "arrhythmia/arrhythmia.data",
    "a7f0f4ca289a4c58b5ed85a9adb793189acd38425828ce3dfbb70adb45f30169",
    "arrhythmia.zip",
    5,
)
SPECTF_TRAIN = _in_uci_archive(
    "spectf/SPECTF.train",
    "9c837e4fd4b7931d9be5304989e39f284f35f767518ffd4dfd42a6a519a9f30c",
    "spectf+heart.zip",
    96,
)
SPECTF_TEST = _in_uci_archive(
    "spectf/SPECTF.test",
    "467a65c81e14a71c029fa58bf9350ecdf28ff072303b99a832e8606e193a3882",
    "spectf+heart.zip",
    96,
)
DIABETES130 = _in_uci_archive(
    "diabetes130/diabetic_data.csv",
    "0689e7ec031237dc63031b938805c48377748761a3b26acab621567afa24df97",
    "diabetes+130-us+hospitals+for+years+1999-2008.zip",
    296,
)
HILL_VALLEY_WITH_NOISE = _hill_valley(
    "Hill_Valley_with_noise", "0d980b74b940ffd30ce802dc7f5e8691022b4a0fb2a28f2b7ea7bfcf30466a68"
)
HILL_VALLEY_WITHOUT_NOISE = _hill_valley(
    "Hill_Valley_without_noise", "979af51030acdc0af2d13573cd724f1d7cdda558f6336fe4c0db3166949730a3"
)
BONN_EEG = DataFile(
    path="bonn_eeg/bonn_eeg.txt",
    sha256="884b46235f047135fcdbf3cc6af710e8d38504846e251fedfaadb395bf495ae6",
    base=_UPF,
    downloads={
        "Z.zip": "bb2c41b0-6c8b-4c9c-b7c0-62f4f87c9b48/content",
        "O.zip": "ca3563e5-09bb-4373-84b3-c707e724432a/content",
        "N.zip": "8b2c6173-2538-41ac-bff9-d569755ade66/content",
        "F.zip": "91342498-960f-410f-9df8-42f3c4da2b45/content",
        "S.zip": "500b0f1d-aa9b-49c2-abd8-0410acd4b86c/content",
    },
    unpack=stacked_recordings,
    page="https://repositori.upf.edu/handle/10230/42894",
    repacked=("bonn_eeg.tar.xz",),
)
PHYSIONET2012_STAYS = {
    "a": _physionet(
        "set-a.csv",
        "3b59c77f6ad0a390af9193952cbd9b4ec3308c9b7741b0c3c28c4bc00c1c5575",
        "set-a.zip",
        stacked_stays,
        repacked=("set-a.tar.gz",),
    ),
    "b": _physionet(
        "set-b.csv",
        "3459eb8597f01d2f263d355136b1aaf581946e260299073a0cf53e57a817f01c",
        "set-b.zip",
        stacked_stays,
        repacked=("set-b.tar.gz",),
    ),
}
PHYSIONET2012_OUTCOMES = {
    "a": _physionet(
        "Outcomes-a.txt",
        "2613ea60ccda29f87571a7d6b09ad130858a8ccd66325bd073365925026883c2",
        "Outcomes-a.txt",
        as_published,
    ),
    "b": _physionet(
        "Outcomes-b.txt",
        "1305f29734da374a809483229a99f33a9230aa8d4fa74b1a2d6ad788136423d5",
        "Outcomes-b.txt",
        as_published,
    ),
}

ALL_FILES = (
    ARRHYTHMIA,
    SPECTF_TRAIN,
    SPECTF_TEST,
    HILL_VALLEY_WITH_NOISE,
    HILL_VALLEY_WITHOUT_NOISE,
    DIABETES130,
    BONN_EEG,
    *PHYSIONET2012_STAYS.values(),
    *PHYSIONET2012_OUTCOMES.values(),
)
