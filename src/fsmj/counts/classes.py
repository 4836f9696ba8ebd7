"""Classes by their size and by their names."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fsmj._matrix import require_number_of_docs
from fsmj._names import listed

if TYPE_CHECKING:
    from fsmj.counts.class_term_counts import ClassTermCounts


def small_classes(counts: ClassTermCounts, min_docs: int | float = 5) -> dict[Any, int | float]:
    """Return the documents of each class with fewer than `min_docs`.

    A ranking weighs all classes alike, so the words of a few stray documents may lead it.
    """
    small = counts.docs_per_class < min_docs
    return dict(
        zip(counts.classes[small].tolist(), counts.docs_per_class[small].tolist(), strict=True)
    )


def warn_of_small_classes(counts: ClassTermCounts, min_docs: int | float) -> None:
    """Say which classes are left out for having few documents, and how many these are."""
    require_number_of_docs(min_docs)
    small = small_classes(counts, min_docs)
    if len(small) == counts.n_classes > 0:
        raise ValueError(
            f"no class has {min_docs:,} documents; the largest has {max(small.values()):,.6g}"
        )
    if small:
        named = [f"{label!r} ({n_docs:,.6g})" for label, n_docs in small.items()]
        warnings.warn(
            f"left out {len(small):,} of {counts.n_classes:,} classes, which have fewer than "
            f"{min_docs:,} documents, {sum(small.values()):,.6g} in all: "
            f"{', '.join(named[:10])}{', ...' if len(named) > 10 else ''}",
            stacklevel=3,
        )


def class_number(classes: NDArray[Any], wanted: Any) -> int:
    """Return the place of a class, given as it is or as it is written."""
    known = classes.tolist()
    for same in (lambda label: label == wanted, lambda label: str(label) == str(wanted)):
        found = [number for number, label in enumerate(known) if same(label)]
        if found:
            break
    else:
        raise ValueError(f"there is no class {wanted!r}; the classes are {listed(known)}")
    if len(known) < 2:
        raise ValueError(f"there is no other class than {wanted!r}")
    return found[0]


def two_sides(classes: NDArray[Any], this: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Name one class and its rest, and return to which of the two each class belongs."""
    name = str(classes[this])
    names = np.array(sorted([name, f"not {name}"]), object if classes.dtype == object else None)
    side = np.full(len(classes), names.tolist().index(f"not {name}"))
    side[this] = 1 - side[this]
    return names, side
