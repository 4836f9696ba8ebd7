"""Binary heaps for the compiled kernel: many of them, in one array."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fsmj._cache import inner

TOP: Any = np.int64(0)  # for a literal of Python's the compiler makes one more copy of a function
SLOT = np.dtype([("key", "f8"), ("item", "i8")])


class Heaps(NamedTuple):
    """Several binary heaps in one array, largest key first."""

    start: NDArray[np.int64]
    size: NDArray[np.int64]
    slot: NDArray[Any]


def new_heaps(sizes: NDArray[np.int64]) -> Heaps:
    """Make empty heaps with room for so many items each."""
    return Heaps(np.cumsum(sizes) - sizes, np.zeros_like(sizes), np.empty(sizes.sum(), SLOT))


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
def top_key(heaps: Any, b: int) -> float:
    """Return the largest key, less than any where there is none."""
    return heaps.slot[heaps.start[b]].key if heaps.size[b] > 0 else -np.inf


@inner
def push(heaps: Any, b: int, key: float, item: int) -> None:
    """Add an item."""
    start, slot, j = heaps.start[b], heaps.slot, heaps.size[b]
    heaps.size[b] += 1
    while j > 0 and slot[start + (j - 1) // 2].key < key:
        slot[start + j] = slot[start + (j - 1) // 2]
        j = (j - 1) // 2
    slot[start + j].key, slot[start + j].item = key, item


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
    start, slot, size = heaps.start[b], heaps.slot, heaps.size[b]
    if j >= size:
        return
    key, item = slot[start + j].key, slot[start + j].item
    while 2 * j + 1 < size:
        child = 2 * j + 1
        if child + 1 < size and slot[start + child + 1].key > slot[start + child].key:
            child += 1
        if slot[start + child].key <= key:
            break
        slot[start + j] = slot[start + child]
        j = child
    slot[start + j].key, slot[start + j].item = key, item
