"""What a method returns, and how it tells of its progress."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

ProgressHook = Callable[[int, int], None]


class Ranked(NamedTuple):
    """Columns and scores, best first, and what the method chose itself."""

    order: NDArray[np.int64]
    scores: NDArray[np.float64]
    chosen: Mapping[str, Any] = MappingProxyType({})


class Progress:
    """Tells a caller how many of the steps planned so far are done."""

    def __init__(self, hook: ProgressHook | None) -> None:
        self.hook, self.done, self.total = hook, 0, 0

    def plan(self, steps: int) -> None:
        """Say that so many more steps are to come."""
        self.total += steps

    def advance(self, steps: int) -> None:
        """Say that so many more steps are done."""
        self.done += steps
        if self.hook is not None and steps:
            self.hook(self.done, self.total)
