"""Measure what this process spends, not what the machine was busy with."""

import platform
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def cpu_seconds(function: Callable[[], Any], repeat: int = 5) -> float:
    """Return the median CPU time of a call; the first, which may compile, does not count."""
    function()
    times = []
    for _ in range(repeat):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return statistics.median(times)


def cpu_seconds_in_turn(*functions: Callable[[], Any], repeat: int = 9) -> list[float]:
    """Return the median CPU time of each function; a busy moment meets all of them alike."""
    for function in functions:
        function()
    times = [[cpu_seconds_once(function) for function in functions] for _ in range(repeat)]
    return [statistics.median(column) for column in zip(*times, strict=True)]


def cpu_seconds_once(function: Callable[[], Any]) -> float:
    """Return the CPU time of one call, for what takes long."""
    start = time.process_time()
    function()
    return time.process_time() - start


def additional_mib(function: Callable[[], Any]) -> float:
    """Return how far memory rises above its present level during a call (Linux only)."""
    Path("/proc/self/clear_refs").write_text("5")  # forget the highest level so far
    before = _status_mib("VmRSS")
    function()
    return _status_mib("VmHWM") - before


def _status_mib(field: str) -> float:
    status = Path("/proc/self/status").read_text()
    return int(status.split(f"{field}:")[1].split()[0]) / 1024


def print_machine() -> None:
    """Say where the figures come from."""
    import numba
    import numpy
    import scipy
    import sklearn

    versions = ", ".join(f"{m.__name__} {m.__version__}" for m in (numpy, scipy, numba, sklearn))
    print(f"{platform.machine()}, Python {sys.version.split()[0]}, {versions}", flush=True)


def print_ratio(what: str, ratio: float, target: str, detail: str = "") -> None:
    """Print one line of a report."""
    print(f"{what:<66} {ratio:>9.2f}  ({target}) {detail}", flush=True)
