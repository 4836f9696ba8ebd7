"""Binary heaps for the compiled kernel: many of them, in one array."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fsmj._cache import njit

# For what only compiled code calls: without ways in from Python and C it compiles a quarter faster.
_OPTIONS: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
inner = njit(error_model="numpy", **_OPTIONS)

phase = njit(error_model="numpy", inline="always", **_OPTIONS)

TOP = np.int64(0)  # for a literal of Python's the compiler makes one more copy of a function
SLOT = np.dtype([("key", "f8"), ("item", "i8")])


class Heaps(NamedTuple):
    """Several binary heaps in one array, largest key first."""

    start: NDArray[np.int64]
    size: NDArray[np.int64]
    slot: NDArray[Any]


@inner
def new_heaps(sizes: Any) -> Any:
    """Make empty heaps with room for so many items each."""
    start, total = np.empty(len(sizes), np.int64), 0
    for b in range(len(sizes)):
        start[b] = total
        total += sizes[b]
    return Heaps(start, np.zeros(len(sizes), np.int64), np.empty(total, SLOT))


@inner
def append(heaps: Any, b: int, key: float, item: int) -> None:
    """Add an item at the end; `heapify` brings it to its place."""
    slot = heaps.slot[heaps.start[b] + heaps.size[b]]
    slot.key, slot.item = key, item
    heaps.size[b] += 1


@inner
def heapify(heaps: Any) -> None:
    """Bring all items to their places."""
    for b in range(len(heaps.size)):
        for j in range(heaps.size[b] // 2, -1, -1):
            sink(heaps, b, j)


@inner
def push(heaps: Any, b: int, key: float, item: int) -> None:
    """Add an item."""
    append(heaps, b, key, item)
    heap = heaps.slot[heaps.start[b] : heaps.start[b] + heaps.size[b]]
    j = len(heap) - 1
    while j > 0 and heap[(j - 1) // 2].key < key:
        heap[j] = heap[(j - 1) // 2]
        j = (j - 1) // 2
    heap[j].key, heap[j].item = key, item


@inner
def pop(heaps: Any, b: int) -> int:
    """Take out and return the item with the largest key."""
    start = heaps.start[b]
    item: int = heaps.slot[start].item
    heaps.size[b] -= 1
    heaps.slot[start] = heaps.slot[start + heaps.size[b]]
    sink(heaps, b, TOP)
    return item


@inner
def sink(heaps: Any, b: int, j: int) -> None:
    """Bring the item in slot `j` down to its place."""
    heap = heaps.slot[heaps.start[b] : heaps.start[b] + heaps.size[b]]
    if j >= len(heap):
        return
    key, item = heap[j].key, heap[j].item
    while 2 * j + 1 < len(heap):
        child = 2 * j + 1
        if child + 1 < len(heap) and heap[child + 1].key > heap[child].key:
            child += 1
        if heap[child].key <= key:
            break
        heap[j] = heap[child]
        j = child
    heap[j].key, heap[j].item = key, item
