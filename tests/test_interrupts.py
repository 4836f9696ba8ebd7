"""Ctrl-C during every long call, in one process that has to stay usable."""

import json
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.posix, pytest.mark.long]
PREPARE = """
import _thread, csv, json, os, random, signal, sys, tempfile, time, warnings
import numpy as np
from scipy.sparse import csr_array
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
import fsmj
from fsmj.corpus import read_documents
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
frequency = 1 / np.arange(1, 6001)
X = csr_array(rng.poisson(frequency / frequency.sum() * 150, (2000, 6000)))
y = rng.integers(0, 20, 2000)
documents = fsmj.Documents(X, y)
counts = documents.counts
by_df = fsmj.rank(counts, "df")
table = rng.poisson(rng.pareto(1.0, 40_000) + 0.3, (100, 40_000))
wide = fsmj.ClassTermCounts.from_matrix(csr_array(table), np.arange(100))
texts = [" ".join(map("w{}".format, row)) for row in rng.integers(0, 20_000, (3000, 100))]
labels = ["a", "b", "c"] * 1000
file = os.path.join(sys.argv[1], "a.csv")
with open(file, "w") as stream:
    csv.writer(stream).writerows([("text", "label"), *zip(texts, labels)])
small = fsmj.ClassTermCounts.from_matrix([[1, 2], [2, 1]], [0, 1])
for method in fsmj.METHODS:  # compile first
    fsmj.rank(fsmj.Documents([[3, 1, 2], [1, 2, 0]] * 9, [0, 1] * 9), method)
pipeline = make_pipeline(fsmj.FSMJ(), MultinomialNB())
"""
LONG = {
    "rank": "fsmj.rank(wide)",
    "a score": "fsmj.rank(wide, 'ig')",
    "bound": "fsmj.rank(documents, 'bound')",
    "cmim": "fsmj.rank(documents, 'cmim')",
    "cll": "fsmj.rank(documents, 'cll', n_terms=200)",
    "logit": "fsmj.rank(documents, 'logit')",
    "sweep": "fsmj.sweep(by_df, counts, X, y, log_loss=True)",
    "cross_validate": "fsmj.cross_validate(documents, 'fsmj')",
    "stability": "fsmj.stability(documents, 'fsmj', n_resamples=50)",
    "FSMJCV": "fsmj.FSMJCV(cv=5).fit(X, y)",
    "GridSearchCV": "GridSearchCV(pipeline, {'fsmj__n_features_to_select': [9, 99]}).fit(X, y)",
    "from_matrix": "fsmj.ClassTermCounts.from_matrix(X, y)",
    "count_texts": "fsmj.count_texts(texts, labels)",
    "count_files": "fsmj.count_files(file, memory_limit='1MB')",
    "read_documents": "read_documents(file)",
}
# Each call is made again and again, so that an interrupt may come at any point of it.
INTERRUPTED = """
signal.signal(signal.SIGALRM, signal.default_int_handler)
def outcome(call, delay):
    start = time.monotonic()
    try:
        signal.setitimer(signal.ITIMER_REAL, delay)
        while True:
            call()
    except KeyboardInterrupt:
        late = time.monotonic() - start - delay
        return "interrupted" if late < 5 else f"only after {late:.1f} s"
    except BaseException as reason:
        return repr(reason)
delays = random.Random(7)
found, threads_before = {}, _thread._count()
for name, source in json.loads(sys.argv[2]).items():
    call = eval(f"lambda: {source}")
    found[name] = [outcome(call, 0.02 + 0.3 * delays.random()) for _ in range(3)]
    fsmj.rank(small)
for _ in range(50):  # a thread that has been told to end takes a moment
    if _thread._count() > threads_before:
        time.sleep(0.1)
print(json.dumps({"found": found, "threads": _thread._count() - threads_before}))
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    here, scratch = tmp_path_factory.mktemp("here"), tmp_path_factory.mktemp("scratch")
    code = "import tempfile; tempfile.tempdir = " + repr(str(scratch)) + PREPARE + INTERRUPTED
    done = subprocess.run(
        [sys.executable, "-c", code, here, json.dumps(LONG)],
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    # An interrupt while a folder is being removed leaves that to the end of the process.
    return {**json.loads(done.stdout), "folders": [path.name for path in scratch.iterdir()]}


@pytest.mark.parametrize("name", LONG)
def test_an_interrupt_ends_a_long_call(ran, name):
    assert ran["found"][name] == ["interrupted"] * 3


def test_interrupts_leave_nothing_behind(ran):
    assert (ran["threads"], ran["folders"]) == (0, [])
