"""Ctrl-C during a long compiled loop, in a process of its own."""

import subprocess
import sys

import pytest

PREPARE = """
import sys, threading, time, os, signal
import numpy as np
from scipy.sparse import csr_array, random as sparse_random
import fsmj
rng = np.random.default_rng(0)
small = fsmj.ClassTermCounts.from_matrix([[1, 2], [2, 1]], [0, 1])
fsmj.sweep(fsmj.rank(small), small, [[1, 2]], [0], log_loss=True)  # compile first
"""
LONG = {
    "rank": """
X = csr_array(rng.poisson(rng.pareto(1.0, 60_000) + 0.3, (200, 60_000)))
counts = fsmj.ClassTermCounts.from_matrix(X, np.arange(200))
call = lambda: fsmj.rank(counts)
""",
    "sweep": """
X = csr_array(rng.poisson(0.05, (3_000, 15_000)))
y = rng.integers(0, 20, 3_000)
counts = fsmj.ClassTermCounts.from_matrix(X, y)
ranking = fsmj.rank(counts, "df")
call = lambda: fsmj.sweep(ranking, counts, X, y, log_loss=True)
""",
}
INTERRUPTED = """
def interrupt():
    time.sleep(0.7)
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)
sent = []
threading.Thread(target=interrupt).start()
try:
    call()
except KeyboardInterrupt:
    late = time.monotonic() - sent[0]
    # What was interrupted can be used again.
    fsmj.rank(small)
    print("interrupted" if late < 5 else f"only after {late:.1f} s")
else:
    print("ended by itself" if sent else "too short to be interrupted")
"""


@pytest.mark.parametrize("name", LONG)
def test_an_interrupt_ends_a_long_call(name):
    code = PREPARE + LONG[name] + INTERRUPTED
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout.strip()) == (0, "interrupted"), done.stderr
