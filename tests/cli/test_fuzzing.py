"""Whatever is in a file, a command ends with 0, 1 or 2, tells errors in one line, and writes all or nothing."""

import gzip
import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest
from command_line import FIT, run

pytestmark = pytest.mark.usefixtures("few_candidates")

N_ROWS = 40
LABEL = ("--label", "infection")
WORDS = [
    "#REF!",
    "#DIV/0!",
    "=1+1",
    "NaN",
    "inf",
    "-inf",
    "1e999",
    "1,5",
    "12.345,67",
    "'",
    '"',
    "\\",
    "\ufeff",
    "é",
    "0x1F",
]
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "cp1252", "latin1", "utf-16-le", "utf-32", "cp437", "shift_jis"]


def table(rng):
    """A table that could be someone's, with words here and there that no column should hold."""
    k = np.arange(N_ROWS)
    frame = pd.DataFrame(
        {
            "id": [f"P{number}" for number in k],
            "age": 30 + 7 * k % 41,
            "ward": rng.choice(["a", "b", "c"], N_ROWS),
            "seen": pd.Timestamp("2024-01-01") + pd.to_timedelta(k, "D"),
            "infection": np.where(k % 10 == 0, "yes", ""),
        }
    ).astype(str)
    for _ in range(rng.integers(6)):
        frame.iloc[rng.integers(N_ROWS), rng.integers(len(frame.columns))] = rng.choice(WORDS)
    return frame


# --- what can happen to a file of text --------------------------------------------------------------------------------


def untouched(content, rng):
    """So that odd words alone reach further into a command than a file that cannot be read."""
    return content


def random_bytes(content, rng):
    return rng.bytes(int(rng.integers(0, 2000)))


def bytes_amid(content, rng):
    place = int(rng.integers(len(content) + 1))
    return content[:place] + rng.bytes(int(rng.integers(1, 20))) + content[place:]


def cut(content, rng):
    return content[: int(rng.integers(len(content) + 1))]


def without_a_piece(content, rng):
    start, end = sorted(rng.integers(len(content) + 1, size=2).tolist())
    return content[:start] + content[end:]


def mixed_line_ends(content, rng):
    lines = content.split(b"\n")
    return b"".join(line + [b"\n", b"\r\n", b"\r", b"\n\n", b"\n\r"][rng.integers(5)] for line in lines)


def quotes(content, rng):
    for _ in range(int(rng.integers(1, 4))):
        place = int(rng.integers(len(content) + 1))
        content = content[:place] + [b'"', b'""', b"'", b'"\n', b'\\"'][rng.integers(5)] + content[place:]
    return content


def nothing_bytes(content, rng):
    place = int(rng.integers(len(content) + 1))
    return content[:place] + b"\0" * int(rng.integers(1, 5)) + content[place:]


def another_encoding(content, rng):
    return content.decode(errors="replace").encode(ENCODINGS[rng.integers(len(ENCODINGS))], errors="replace")


def other_separators(content, rng):
    return content.replace(b",", [b";", b"\t", b"|", b" ", b",,", b";;"][rng.integers(6)])


def flipped_bits(content, rng):
    flipped = bytearray(content)
    for _ in range(int(rng.integers(1, 8))):
        if flipped:
            flipped[rng.integers(len(flipped))] ^= 1 << int(rng.integers(8))
    return bytes(flipped)


def repeated(content, rng):
    return content * int(rng.integers(2, 4))


DAMAGES = [
    untouched,
    untouched,
    untouched,
    random_bytes,
    bytes_amid,
    cut,
    without_a_piece,
    mixed_line_ends,
    quotes,
    nothing_bytes,
    another_encoding,
    other_separators,
    flipped_bits,
    repeated,
]


def as_csv(frame):
    return frame.to_csv(index=False).encode()


def as_excel(frame):
    stream = io.BytesIO()
    frame.to_excel(stream, index=False)
    return stream.getvalue()


def as_parquet(frame):
    stream = io.BytesIO()
    frame.to_parquet(stream)
    return stream.getvalue()


def zipped(content):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("table.csv", content)
    return stream.getvalue()


WRITERS = {
    ".tsv": lambda frame: as_csv(frame).replace(b",", b"\t"),
    ".xlsx": as_excel,
    ".parquet": as_parquet,
}
PACKERS = {".csv.gz": gzip.compress, ".zip": zipped}
ENDINGS = [".csv"] * 5 + [".tsv", ".txt", ".xlsx", ".xlsx", ".parquet", ".csv.gz", ".zip"]


def damaged_table(folder, rng):
    """A file of a table, damaged once or twice; now and then not of the kind that it says."""
    ending = ENDINGS[rng.integers(len(ENDINGS))]
    content = WRITERS.get(ending, as_csv)(table(rng))
    if ending == ".xlsx" and rng.random() < 0.5:
        content = damaged_inside(content, rng)
    else:
        for damage in rng.choice(len(DAMAGES), size=rng.integers(1, 3)).tolist():
            content = DAMAGES[damage](content, rng)
    path = folder / f"table{ending}"
    path.write_bytes(PACKERS[ending](content) if ending in PACKERS and rng.random() < 0.8 else content)
    return path


def damaged_inside(content, rng):
    """An archive that is sound, with one of its members damaged."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = sorted(members)[rng.integers(len(members))]
    members[name] = DAMAGES[rng.integers(len(DAMAGES))](members[name], rng)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in members.items():
            archive.writestr(name, member)
    return stream.getvalue()


# --- what is asked ----------------------------------------------------------------------------------------------------


def fit_case(folder, results, rng):
    path = damaged_table(folder, rng)
    return (
        *FIT,
        path,
        *LABEL,
        *(("--id", "id") if rng.random() < 0.3 else ()),
        "--out",
        folder / "out",
        "--jobs",
        "1",
    )


def score_case(folder, results, rng):
    return "score", results, damaged_table(folder, rng), "--out", folder / f"out{['.csv', '.xlsx'][rng.integers(2)]}"


def audit_case(folder, results, rng):
    return "audit", results, damaged_table(folder, rng), "--out", folder / "out.csv"


def model_case(folder, results, rng):
    """A model file that was damaged, as a whole or inside."""
    content = (results / "model.skops").read_bytes()
    damage = damaged_inside if rng.random() < 0.5 else flipped_bits if rng.random() < 0.6 else cut
    (folder / "model.skops").write_bytes(damage(content, rng))
    (folder / "table.csv").write_bytes(as_csv(table(rng)))
    return "score", folder / "model.skops", folder / "table.csv", "--out", folder / "out.csv"


def config_case(folder, results, rng):
    for name in ("run.json", "findings.json"):
        content = (results / name).read_bytes()
        (folder / name).write_bytes(DAMAGES[rng.integers(len(DAMAGES))](content, rng))
    if rng.random() < 0.5:
        return "report", folder
    return "fit", "--config", folder / "run.json", "--out", folder / "out"


CASES = [fit_case, fit_case, score_case, audit_case, model_case, config_case]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    place = tmp_path_factory.mktemp("results")
    table(np.random.default_rng(0)).to_csv(place / "table.csv", index=False)
    fitted = run(*FIT, place / "table.csv", *LABEL, "--out", place / "out", "--json")
    assert fitted.exit_code == 0, fitted.output
    return place / "out"


def check(number, folder, results):
    rng = np.random.default_rng(number)
    command = [str(part) for part in CASES[number % len(CASES)](folder, results, rng)]
    before = {path: path.read_bytes() for path in folder.iterdir()}
    result = run(*command)
    assert result.exit_code in (0, 1, 2), (number, command, result.output, result.exception)
    assert result.exception is None or isinstance(result.exception, SystemExit), (number, command, result.exception)
    after = set(folder.iterdir()) - set(before)
    page = folder / "report.html"
    assert all(path.read_bytes() == content for path, content in before.items() if path != page)
    assert not list(folder.rglob(".unfinished-*"))
    if result.exit_code == 2:
        lines = [line for line in result.stderr.splitlines() if line.startswith("blindauc: ")]
        assert len(lines) == 1, (number, command, result.stderr)
        assert result.stderr.splitlines()[-1] == lines[0], (number, command, result.stderr)
        assert lines[0].isprintable()
        assert len(lines[0]) < 1000, (number, command, lines[0])
        assert not result.stdout.strip()
        assert after == set(), (number, command)
    elif (folder / "out").exists():
        assert json.loads((folder / "out" / "run.json").read_text(encoding="utf-8"))
        assert (folder / "out" / "results.xlsx").exists()


@pytest.mark.parametrize("number", range(12))
def test_commands_survive_anything(number, tmp_path, results):
    check(number, tmp_path, results)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(12, 312))
def test_commands_survive_300_files(number, tmp_path, results):
    check(number, tmp_path, results)
