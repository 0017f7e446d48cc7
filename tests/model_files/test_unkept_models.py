"""What would not come back is not saved, and nothing half is left."""

import errno
import sys
from pathlib import Path

import pytest
import scipy.sparse as sp
from saved_models import X, Y, made
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from blindauc import BiasedSVM, BlindAUCClassifier, BlindAUCClassifierCV, DifferenceOfMeans, OneClassRanker
from blindauc.metrics import blind_auc_scorer
from blindauc.model_files import ModelFileError, load, save

pytestmark = pytest.mark.usefixtures("few_candidates")


# Saving.


class Stranger(DifferenceOfMeans):
    """A class that no model file may hold."""


UNKEPT = {
    "a callback": BlindAUCClassifier(callback=lambda progress: None),
    "a builtin": BlindAUCClassifier(callback=print),
    "a class of one's own": make_pipeline(StandardScaler(), Stranger()),
    "sparse support vectors": BiasedSVM(kernel="rbf").fit(sp.csr_matrix(X), Y),
    "a generator": BlindAUCClassifierCV(cv=(split for split in [])),
    "an estimator class": DifferenceOfMeans,
    "no model": {"coef": 1.0},
}


@pytest.mark.parametrize("name", UNKEPT)
def test_what_would_not_come_back_is_not_saved(name, path):
    with pytest.raises(ModelFileError) as refused:
        save(UNKEPT[name], path)
    assert str(refused.value).isprintable()
    assert list(path.parent.iterdir()) == []


def test_the_part_that_would_not_come_back_is_named(path):
    model = make_pipeline(StandardScaler(), HistGradientBoostingClassifier(max_iter=1)).fit(X, Y)
    with pytest.raises(ModelFileError, match=r"^The HistGradientBoostingClassifier, a part of this Pipeline, .*Tree"):
        save(model, path)


def test_of_a_search_by_scikit_learn_its_best_estimator_is_to_be_saved(path):
    search = GridSearchCV(DifferenceOfMeans(), {}, scoring=blind_auc_scorer)
    with pytest.raises(ModelFileError, match="save its best_estimator_"):
        save(search, path)


@pytest.mark.parametrize("interruption", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_nothing_half_is_left(interruption, path, saved, monkeypatch):
    def half(self, content):
        with self.open("wb") as stream:
            stream.write(content[: len(content) // 2])
        raise interruption

    monkeypatch.setattr(Path, "write_bytes", half)
    with pytest.raises(type(interruption)):
        save(made("one class"), path)
    assert list(path.parent.iterdir()) == [path]
    assert path.read_bytes() == saved


def test_where_it_cannot_be_written(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"^There is no folder .*nowhere to write model.skops to: make it"):
        save(DifferenceOfMeans(), tmp_path / "nowhere" / "model.skops")
    with pytest.raises(FileExistsError, match=f"{tmp_path} is a folder, a link or a device"):
        save(DifferenceOfMeans(), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_file_can_be_replaced(path, saved):
    save(made("one class"), path)
    assert isinstance(load(str(path)), OneClassRanker)


def test_without_skops_one_line_names_the_extra(path, saved, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("skops")]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ModuleNotFoundError, match=r"^Model files need skops: pip install 'blindauc\[cli\]'\.$"):
        load(path)
    with pytest.raises(ModuleNotFoundError, match="pip install"):
        save(DifferenceOfMeans(), path)
