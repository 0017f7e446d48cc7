"""Model files that run no code when loaded: every type in them must be on a list of known types.

A model file is a skops file (a zip archive of JSON and NumPy arrays, without pickles) with an additional member,
`blindauc.json`: the version of the format, the version of the library, and a checksum of every other member. The
checksums detect damage and edits. They are no signature: someone can forge a file whose model gives other scores, but
not one that runs code.

A file refers to classes and functions by their modules and holds the attributes of the models. `FORMAT` must be raised
whenever one of `KNOWN_TYPES` moves or its attributes change.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV

from blindauc import __version__, extras
from blindauc.files import write_whole
from blindauc.model_types import KNOWN_TYPES, register_states
from blindauc.rows.categories import Categories
from blindauc.scorers.forest import TreeModel, forest
from blindauc.scorers.mixed import MixedModel

_imported = partial(extras.imported, otherwise="Model files need skops: pip install 'blindauc[cli]'.")

FORMAT = 4
"""The version of the format that is written, and the newest that can be read."""

OLDEST_FORMAT = 4
"""The oldest version that can be read. Models of format 1 have no `inclusion_` and `leverage_`, those of format 2 no
intervals of probabilities, and those of format 3 coefficients in place of `model_`, and no effects."""

MANIFEST = "blindauc.json"

NO_CATEGORIES = Categories((), ())

_GET_ANOTHER = "get another copy, or save the model again with blindauc.save."

Place = str | os.PathLike[str]


class ModelFileError(ValueError):
    """A model cannot be saved or loaded; the message says why and what to do."""


def save(model: BaseEstimator, path: Place) -> None:
    """Save a model to a file that runs no code when it is loaded.

    The file is written completely or not at all; an existing file is replaced in one step.

    Parameters
    ----------
    model : estimator
        An estimator of blindauc or scikit-learn, or a pipeline of them.
    path : path
        The file to write, by convention with the extension ".skops".

    Raises
    ------
    ModelFileError
        If the model could not be loaded again, for example because it holds a callback or a class of your own, or trees
        of scikit-learn, whose compiled code does not validate what a file holds.
    OSError
        If the file cannot be written, for example because there is no such folder.

    See Also
    --------
    load : load a model.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from blindauc import DifferenceOfMeans
    >>> from blindauc.model_files import load, save
    >>> model = DifferenceOfMeans(scaling="none").fit([[0.0, 0.0], [2.0, 0.0], [4.0, 1.0], [4.0, 1.0]], [0, 0, 1, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, Path(folder) / "model.skops")
    ...     load(Path(folder) / "model.skops").coef_
    array([3., 1.])
    """
    if not isinstance(model, BaseEstimator):
        raise ModelFileError(f"A model file holds an estimator, not a {type(model).__name__}: pass a fitted model.")
    path = Path(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(
            f"There is no folder {path.parent} to write {path.name} to: make it, or choose another."
        )
    write_whole(path, _packed(model))


def load(path: Place) -> Any:
    """Load a model that `save` wrote. No code in the file is run.

    Parameters
    ----------
    path : path
        The model file.

    Returns
    -------
    estimator
        It predicts as the saved one did. scikit-learn warns if one of its estimators was saved by another version.

    Raises
    ------
    ModelFileError
        If the file is not a model file, is damaged or truncated, has a newer format, or holds unknown types.

    See Also
    --------
    save : save a model, with an example.
    """
    path = Path(path)
    if path.is_dir():
        raise ModelFileError(f"{path} is a folder: pass the model file in it.")
    if not path.exists():
        raise FileNotFoundError(f"There is no model file {path}: check the name.")
    skops_io = _imported("skops.io")
    with path.open("rb") as stream:
        try:
            return _model_in(stream, skops_io)
        except ModelFileError as refusal:
            raise ModelFileError(f"{path} {refusal}") from refusal
        except Exception as error:  # zipfile, json and skops can raise anything on a truncated or forged file
            reason = f"{type(error).__name__}: {_one_line(error)}"
            raise ModelFileError(f"{path} is damaged or truncated ({reason}): {_GET_ANOTHER}") from error


def _packed(model: BaseEstimator) -> bytes:
    skops_io = _imported("skops.io")
    register_states(_imported("skops.io._utils"))
    try:
        content = _loadable(model, skops_io)
    except Exception as error:  # a foreign object can raise anything
        raise ModelFileError(_why_not(model, error, skops_io)) from error
    stream = io.BytesIO(content)
    with zipfile.ZipFile(stream, "a", zipfile.ZIP_STORED) as archive:
        manifest = {"format": FORMAT, "blindauc": __version__, "sha256": _checksums(archive)}
        archive.writestr(MANIFEST, json.dumps(manifest, indent=2))
    return stream.getvalue()


def _loadable(model: BaseEstimator, skops_io: Any) -> bytes:
    """The content of a skops file from which the model was loaded once; raises if that fails."""
    # Uncompressed, so that a file that unpacks to more than its own size (a zip bomb) can be refused.
    content: bytes = skops_io.dumps(model, compression=zipfile.ZIP_STORED)
    skops_io.loads(content, trusted=KNOWN_TYPES)
    return content


def _why_not(model: BaseEstimator, error: Exception, skops_io: Any) -> str:
    """Why a model cannot be saved, with the part of it that is the reason, and the remedy."""
    part = _smallest_unsaved(model, skops_io)
    whole = "" if part is model else f", a part of this {type(model).__name__},"
    reason = _one_line(error)
    if isinstance(error, skops_io.exceptions.UntrustedTypesFoundException):
        unknown = skops_io.get_untrusted_types(data=skops_io.dumps(part))
        names = ", ".join(sorted(set(unknown) - set(KNOWN_TYPES)))
        reason = f"it holds {names}, and only types that are known to be harmless are loaded"
    remedy = (
        "save its best_estimator_"
        if isinstance(part, GridSearchCV | RandomizedSearchCV)
        else "remove a callback, use another estimator, or keep the model with joblib.dump, whose files can run code "
        "when they are loaded"
    )
    return f"The {type(part).__name__}{whole} could not be loaded again from a model file ({reason}): {remedy}."


def _smallest_unsaved(model: BaseEstimator, skops_io: Any) -> BaseEstimator:
    """The innermost estimator of a model that cannot be saved, although all of its own parts can."""
    for part in _estimators_in(vars(model)):
        try:
            _loadable(part, skops_io)
        except Exception:  # as of the whole model
            return _smallest_unsaved(part, skops_io)
    return model


def _estimators_in(part: Any) -> Iterator[BaseEstimator]:
    """The estimators that are parts of a model, and not parts of these in turn."""
    if isinstance(part, BaseEstimator):
        yield part
    elif isinstance(part, dict | list | tuple):
        for each in part.values() if isinstance(part, dict) else part:
            yield from _estimators_in(each)


def _model_in(stream: BinaryIO, skops_io: Any) -> Any:
    with _archive_in(stream) as archive:
        manifest = json.loads(archive.read(MANIFEST))
        _check_format(manifest["format"], manifest["blindauc"])
        if manifest["sha256"] != _checksums(archive):
            raise ModelFileError(f"was changed after it was saved: {_GET_ANOTHER}")
    try:
        model = skops_io.load(stream, trusted=KNOWN_TYPES)
    except skops_io.exceptions.UntrustedTypesFoundException as error:
        reason = f"holds types that are not known to be harmless ({_one_line(error)})"
        raise ModelFileError(f"{reason}: do not trust it, and get one that blindauc.save wrote.") from error
    except Exception as error:
        if manifest["blindauc"] == __version__:
            raise
        raise ModelFileError(
            f"was saved by blindauc {manifest['blindauc']}, and this blindauc {__version__} cannot read it "
            f"({_one_line(error)}): {_fit_again_or_load_with(manifest['blindauc'])}"
        ) from error
    if not isinstance(model, BaseEstimator):
        raise ModelFileError(f"holds a {type(model).__name__} instead of a model: {_GET_ANOTHER}")
    for trees, categories in _trees_in(model, NO_CATEGORIES):
        try:
            read = forest(trees.text, trees.n_features)  # parses and validates the text
            categories.check(read.n_levels, np.asarray(read.splits_on.any(axis=0)))
        except ValueError as error:
            raise ModelFileError(f"cannot be used. {error}") from error
    return model


def _trees_in(part: Any, categories: Categories) -> Iterator[tuple[TreeModel, Categories]]:
    """All tree models in a model, with the categories of the estimator that holds them.

    LightGBM does not validate their text, so that it must be checked.
    """
    if isinstance(part, TreeModel):
        yield part, categories
    elif isinstance(part, BaseEstimator | MixedModel):
        yield from _trees_in(vars(part), getattr(part, "categories_", categories))
    elif isinstance(part, dict | list | tuple):
        for each in part.values() if isinstance(part, dict) else part:
            yield from _trees_in(each, categories)


def _archive_in(stream: BinaryIO) -> zipfile.ZipFile:
    """The zip archive in a file; raises if it is none of ours or unpacks to more than its own size."""
    start = stream.read(2)
    if start != b"PK":
        guess = ", and looks like a pickle, which can run code when it is opened" * start.startswith(b"\x80")
        raise ModelFileError(f"is not a skops file{guess}: {_GET_ANOTHER}")
    archive = zipfile.ZipFile(stream)
    members = archive.infolist()
    if MANIFEST not in archive.namelist():
        raise ModelFileError(f"is a zip archive that blindauc.save did not write: {_GET_ANOTHER}")
    is_packed = any(
        (each.compress_type, each.compress_size) != (zipfile.ZIP_STORED, each.file_size) for each in members
    )
    if is_packed or sum(member.file_size for member in members) > stream.seek(0, os.SEEK_END):
        raise ModelFileError(f"would unpack to more than its own size, which no model file does: {_GET_ANOTHER}")
    return archive


def _check_format(written: int, version: str) -> None:
    if not re.fullmatch(r"[0-9][0-9A-Za-z.+]*", version):
        raise ValueError("it does not say which version wrote it")
    if written > FORMAT:
        raise ModelFileError(
            f"has format {written}, but this blindauc {__version__} reads formats up to {FORMAT}: "
            f"pip install --upgrade 'blindauc>={version}'."
        )
    if written < OLDEST_FORMAT:
        raise ModelFileError(
            f"has format {written}, but this blindauc {__version__} reads formats from {OLDEST_FORMAT}: "
            f"{_fit_again_or_load_with(version)}"
        )


def _fit_again_or_load_with(version: str) -> str:
    return f"fit and save the model again, or load it with pip install 'blindauc=={version}'."


def _checksums(archive: zipfile.ZipFile) -> dict[str, str]:
    members = (member for member in archive.infolist() if member.filename != MANIFEST)
    return {member.filename: hashlib.sha256(archive.read(member)).hexdigest() for member in members}


def _one_line(error: Exception) -> str:
    # Parts of the message may come from the file; control characters must not reach a terminal.
    first = str(error).split("\n")[0][:300].strip(" .")
    return "".join(letter if letter.isprintable() else "?" for letter in first)
