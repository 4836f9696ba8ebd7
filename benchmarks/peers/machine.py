"""Where figures come from: the machine, how busy it is, and the versions of all packages."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = (
    "fsmj", "numpy", "scipy", "numba", "pandas", "scikit-learn", "mrmr_selection", "scikit-lego",
    "feature-engine", "shifterator",
)  # fmt: skip


def machine() -> dict[str, str | int]:
    """Name the processor, its cores, the memory in GiB, and Python (Linux only)."""
    processor = platform.machine()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            processor = line.split(":", 1)[1].strip()
            break
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "processor": processor,
        "cores": os.cpu_count() or 1,
        "memory_gib": round(memory / 2**30),
        "python": platform.python_version(),
    }


def versions() -> str:
    """List the packages compared, and those that they are built on."""
    return ", ".join(f"{package} {_version(package)}" for package in PACKAGES)


def load() -> float:
    """Return how many processes wanted a core in the last minute, on average."""
    return round(os.getloadavg()[0], 1)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"
