"""Ctrl-C during every long call, in one process that has to stay usable."""

import json
import os
import signal
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.posix, pytest.mark.long]
PREPARE = """
import _thread, csv, gc, json, os, random, signal, sys, tempfile, threading, time, warnings
import numpy as np
from scipy.sparse import csr_array
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from typer.testing import CliRunner
import fsmj
from fsmj.cli.app import app
from fsmj.corpus import read_documents
from fsmj.experiment import Problem, named_candidates, run_all
from fsmj.paper import setup
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
# Compile first: a loop that is being compiled when the interrupt comes goes on until it is.
few = fsmj.Documents([[3, 1, 2], [1, 2, 0]] * 9, [0, 1] * 9)
for method in fsmj.METHODS:
    fsmj.rank(few, method)
    fsmj.cross_validate(few, method, cv=2)
fsmj.sweep(fsmj.rank(few, "df"), few.counts, few.X, few.y, log_loss=True)
fsmj.stability(few, n_resamples=2)
fsmj.count_files(file, memory_limit="1MB")
read_documents(file)
pipeline = make_pipeline(fsmj.FSMJ(), MultinomialNB())
problem, some = Problem("Reuters-10", documents, cv=3), named_candidates(["fsmj", "logit"])
setup.problems_from = lambda source: [problem]
setup.candidates = lambda: some
def command(*arguments):
    done = CliRunner().invoke(app, [*arguments, "--quiet"])
    # Before the command has begun, the library that reads its arguments ends it.
    if done.exit_code == 130 and done.stderr in ("fsmj: interrupted\\n", ""):
        raise KeyboardInterrupt
    assert done.exit_code == 0, (done.exit_code, done.output, done.exception)
def here(name):
    return os.path.join(sys.argv[1], name)
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
    "many processes": "run_all([problem], candidates=some, n_jobs=2)",
    "rank --resamples": "command('rank', file, '--resamples', '50')",
    "train --cv": "command('train', file, '--cv', '5', '-o', here('model.parquet'))",
    "report": "command('report', file, '-o', here('report.html'), '--resamples', '5')",
    "compare": "command('compare', file, '--methods', 'fsmj,ig', '--cv', '3')",
    "reproduce": "command('reproduce', '--results', here('results'), '--source', 'mat')",
    "GridSearchCV": "GridSearchCV(pipeline, {'fsmj__n_features_to_select': [9, 99]}).fit(X, y)",
    "from_matrix": "fsmj.ClassTermCounts.from_matrix(X, y)",
    "count_texts": "fsmj.count_texts(texts, labels)",
    "count_files": "fsmj.count_files(file, memory_limit='1MB')",
    "read_documents": "read_documents(file)",
}
LATER = {"many processes": 6, "report": 3}  # seconds within which the interrupt comes
# Each call is made again and again, so that an interrupt may come at any point of it.
INTERRUPTED = """
def outcome(call, delay):
    gc.collect()  # Python ignores an interrupt while it says goodbye to a thread of before
    start = time.monotonic()
    interrupt = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
    try:
        interrupt.start()
        while time.monotonic() < start + 60:
            call()
        return "no interrupt came"
    except KeyboardInterrupt:
        late = time.monotonic() - start - delay
        return "interrupted" if late < 5 else f"only after {late:.1f} s"
    except BaseException as reason:
        return repr(reason)
    finally:
        interrupt.cancel()
delays = random.Random(7)
found, threads_before = {}, _thread._count()
calls, later = json.loads(sys.argv[2])
for name, source in calls.items():
    call = eval(f"lambda: {source}")
    longest = later.get(name, 0.3)
    found[name] = [outcome(call, 0.02 + longest * delays.random()) for _ in range(3)]
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
        [sys.executable, "-c", code, here, json.dumps([LONG, LATER])],
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return {**json.loads(done.stdout), "folders": [path.name for path in scratch.iterdir()]}


@pytest.mark.parametrize("name", LONG)
def test_an_interrupt_ends_a_long_call(ran, name):
    assert ran["found"][name] == ["interrupted"] * 3


def test_interrupts_leave_nothing_behind(ran):
    assert (ran["threads"], ran["folders"]) == (0, [])


# Nothing has been compiled yet; the interrupt comes when the loop of the ranking begins to be.
COMPILING = """
import _thread, sys
from numba.core import event
import fsmj
from fsmj.methods import _greedy
counts = fsmj.ClassTermCounts.from_matrix([[1, 2], [2, 1]], [0, 1])
class Interrupt(event.Listener):
    def on_start(self, found):
        if found.data["dispatcher"] is _greedy._rank:
            _thread.interrupt_main()
    def on_end(self, found):
        pass
with event.install_listener("numba:compile", Interrupt()):
    try:
        fsmj.rank(counts)
    except KeyboardInterrupt:
        print("interrupted", len(_greedy._rank.signatures), flush=True)
        if sys.argv[1] == "end":
            raise
print(*fsmj.rank(counts).order)
"""


@pytest.mark.parametrize(("then", "status", "said"), [("go on", 0, "0 1"), ("end", 130, "")])
def test_an_interrupt_does_not_wait_for_the_compiler(tmp_path, then, status, said):
    done = subprocess.run(
        [sys.executable, "-c", COMPILING, then],
        capture_output=True, text=True, timeout=300,
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
    )  # fmt: skip
    assert done.stdout == f"interrupted 0\n{said}\n" if said else "interrupted 0\n"
    assert done.returncode in (status, -signal.SIGINT if status else 0), done.stderr


def test_an_interrupted_command_does_not_wait_for_the_compiler(tmp_path):
    (tmp_path / "a.csv").write_text("text,label\n" + "gold,a\noil,b\n" * 9)
    code = (
        COMPILING.split("counts =")[0]
        + "class" + COMPILING.split("class")[1].split("with event")[0]
        + "from numba.core import compiler_lock\nimport atexit\n"
        "atexit.register(lambda: print('the interpreter was taken down'))\n"
        "from fsmj.cli import main\n"
        "with event.install_listener('numba:compile', Interrupt()):\n    main()\n"
    )  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", code, "rank", str(tmp_path / "a.csv"), "--quiet"],
        capture_output=True, text=True, timeout=300,
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "fsmj: interrupted\n")
