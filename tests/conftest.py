import os
import signal
import warnings
from collections import Counter
from typing import NamedTuple

import numpy as np
import pytest
import scipy.io
from hypothesis import settings
from scipy.sparse import csr_array

import fsmj

# Peers are measured within limits that only these systems can set.
collect_ignore = [] if os.name == "posix" else ["test_peers.py"]

# A job in the background begins with interrupts ignored; so would all that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("fsmj", deadline=None, derandomize=True, max_examples=60)
settings.register_profile("quick", settings.get_profile("fsmj"), max_examples=15)
settings.load_profile("fsmj")


FOLDERS = ("spark", "docs", "browser")  # a test there has the folder's name as its mark


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.parent.name in FOLDERS:
            item.add_marker(item.path.parent.name)
        if "reuters_matrix" in getattr(item, "fixturenames", ()):
            item.add_marker("long")
        if "posix" in item.keywords and os.name != "posix":
            item.add_marker(
                pytest.mark.skip(reason="this system has no such signals, links or pipes")
            )
    every = os.environ.get("FSMJ_TEST_ALL") == "1"
    if not every:
        reason = pytest.mark.skip(reason="takes minutes; set FSMJ_TEST_ALL=1 to run it")
        for item in items:
            if "slow" in item.keywords:
                item.add_marker(reason)
    # A file is one worker's; what takes long begins first, so that neither waits at the end.
    seconds = Counter()
    for item in items:
        seconds[item.path] += ("long" in item.keywords) + 30 * (every and "slow" in item.keywords)
    items.sort(key=lambda item: (_place(item), -seconds[item.path]))


def _place(item):
    folder = item.path.parent.name
    return FOLDERS.index(folder) if folder in FOLDERS else len(FOLDERS)


class Reuters(NamedTuple):
    X_train: csr_array
    y_train: np.ndarray
    X_test: csr_array
    y_test: np.ndarray

    @property
    def counts(self):
        return fsmj.ClassTermCounts.from_matrix(self.X_train, self.y_train)


@pytest.fixture(scope="session")
def reuters_matrix():
    """The paper's data, as a function of the number of topics."""
    path = os.environ.get("FSMJ_REUTERS_MAT")
    if not path:
        pytest.skip("FSMJ_REUTERS_MAT does not name the paper's matrix, Reuters21578.mat")
    with warnings.catch_warnings(action="ignore"):  # as in `fsmj.datasets`
        file = scipy.io.loadmat(path)
    X, topic = csr_array(file["fea"]), file["gnd"].ravel()
    train, test = (file[name].ravel() - 1 for name in ("trainIdx", "testIdx"))
    in_20 = train[topic[train] <= 20]
    X = X[:, np.flatnonzero((X[in_20] > 0).sum(axis=0) >= 4)]

    def load(n_topics):
        a, b = (part[topic[part] <= n_topics] for part in (train, test))
        return Reuters(X[a], topic[a], X[b], topic[b])

    return load
