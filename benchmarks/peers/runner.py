"""Run measurements, each in a new process, and say what became of each."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from peers.measure import Limits, Task

WORKER = (sys.executable, "-m", "peers.measure")
PATIENCE = 30  # even on a busy machine, a second of CPU time takes fewer seconds than this
GRACE = 120  # seconds for loading a corpus, and for the accuracies at the end
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONPATH": str(Path(__file__).parent.parent),
}


def run(task: Task, limits: Limits, worker: Sequence[str] = WORKER) -> dict[str, Any]:
    """Measure in a new process.

    Returns
    -------
    dict
        Its ``status``: ``done``, with what was measured; ``time`` or ``memory``, if a limit was
        reached; ``absent``, if a package cannot be imported; or ``failed``. All but the first two
        have a ``reason``.
    """
    command = [*worker, json.dumps([task, limits])]
    try:
        ended = subprocess.run(
            command, capture_output=True, text=True, errors="replace",
            env=os.environ | ENVIRONMENT, timeout=PATIENCE * limits.seconds + GRACE,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return {"status": "time"}
    if ended.returncode == 0:
        return dict(json.loads(ended.stdout.splitlines()[-1]))
    if ended.returncode == -signal.SIGXCPU:
        return {"status": "time"}
    return {"status": "failed", "reason": _reason(ended)}


def install(requirement: str, python: str = sys.executable) -> str:
    """Install a package; return why that failed, or nothing."""
    command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    ended = subprocess.run([*command, requirement], capture_output=True, text=True)
    return "" if ended.returncode == 0 else _reason(ended)


def _reason(ended: subprocess.CompletedProcess[str]) -> str:
    if ended.returncode < 0:
        return f"ended by {signal.Signals(-ended.returncode).name}"
    lines = [line for line in ended.stderr.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")] or lines
    return errors[-1] if errors else f"exit status {ended.returncode}"
