"""Interrupting a cell of a notebook: a real Jupyter kernel, which has to stay usable."""

import time

import pytest
from jupyter_client.manager import start_new_kernel

pytestmark = [pytest.mark.posix, pytest.mark.long]
SECONDS = 120  # within which anything happens, however busy the machine is
PREPARE = """
import threading
import numpy as np
from scipy.sparse import csr_array
import fsmj
rng = np.random.default_rng(0)
frequency = 1 / np.arange(1, 6001)
X = csr_array(rng.poisson(frequency / frequency.sum() * 150, (2000, 6000)))
y = rng.integers(0, 20, 2000)
documents = fsmj.Documents(X, y)
table = rng.poisson(rng.pareto(1.0, 40_000) + 0.3, (100, 40_000))
wide = fsmj.ClassTermCounts.from_matrix(csr_array(table), np.arange(100))
small = fsmj.Documents([[3, 1, 2], [1, 2, 0]] * 9, [0, 1] * 9)
for method in ("fsmj", "cll"):  # compile first
    fsmj.rank(small, method)
fsmj.FSMJCV(cv=2).fit(small.X, small.y)
"""
LONG = {
    "rank": "fsmj.rank(wide)",
    "FSMJCV": "fsmj.FSMJCV().fit(X, y)",
    "cll": "fsmj.rank(documents, 'cll', n_terms=500)",
}


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    own = str(tmp_path_factory.mktemp("jupyter"))
    with pytest.MonkeyPatch.context() as patch:  # of the user's own settings and kernels, none
        for name in ("JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
            patch.setenv(name, own)
        manager, client = start_new_kernel(startup_timeout=SECONDS)
        try:
            prepared = client.execute_interactive(PREPARE, timeout=SECONDS)
            assert prepared["content"]["status"] == "ok"
            yield manager, client
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)


def printed(client, cell):
    """Wait for what a cell prints."""
    while True:
        message = client.get_iopub_msg(timeout=SECONDS)
        if message["parent_header"].get("msg_id") == cell and message["msg_type"] == "stream":
            return message["content"]["text"]


def ended(client, cell):
    """Wait for the end of a cell."""
    while True:
        reply = client.get_shell_msg(timeout=SECONDS)
        if reply["parent_header"].get("msg_id") == cell:
            return reply["content"]


@pytest.mark.parametrize("delay", [0.05, 0.5])
@pytest.mark.parametrize("name", LONG)
def test_an_interrupted_cell_ends_and_the_kernel_stays_usable(kernel, name, delay):
    manager, client = kernel
    # Another thread says so when the work has begun: an interrupt is for us, not for `print`.
    begun = "threading.Timer(0.3, print, ['begun'], {'flush': True}).start()"
    # What follows a cell that fails is to be run, not dropped.
    cell = client.execute(f"{begun}\nwhile True:\n    {LONG[name]}", stop_on_error=False)
    assert printed(client, cell).strip() == "begun"
    time.sleep(delay)
    sent = time.monotonic()
    manager.interrupt_kernel()
    content = ended(client, cell)
    late = time.monotonic() - sent
    assert (content["status"], content.get("ename")) == ("error", "KeyboardInterrupt")
    assert late < 5  # as in the other tests of interrupts
    again = client.execute("", user_expressions={"ranked": "len(fsmj.rank(small))"})
    assert ended(client, again)["user_expressions"]["ranked"]["data"] == {"text/plain": "3"}
