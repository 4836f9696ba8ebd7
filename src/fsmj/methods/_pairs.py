r"""What a term takes from the bound, and what it takes at most: the formulas of `bound`'s kernel.

Symbols, for a term and the state of the ranking:

- ``r_i``: the term's rate in class i, documents with the term by documents.
- ``R_i``: the rates of the terms taken, added up, and the ballast; as they were at the last look.
- ``W_ij``: what the pair of classes still adds to the bound.
- ``tau``: the temperature. Taking the term makes W_ij fall by the factor ``exp(-tau delta_ij)``::

      delta_ij = sqrt((R_i + r_i) (R_j + r_j)) - sqrt(R_i R_j) - sqrt(r_i r_j)
               = (sqrt(R_i r_j) - sqrt(R_j r_i))^2 / (the three roots added up)

The second form loses no digits, and shows that delta_ij is never negative. The term gains
``sum_{i<j} W_ij (1 - exp(-tau delta_ij))``.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fsmj._cache import inner

ROUNDING = 1e-9  # more than what rounding can take, in a round, from a sum of weights: this share
SAME = 1e-13  # shares whose roots differ by less than this, relatively, are equal

COLUMN = np.dtype(
    [
        ("start", "i8"),  # its entries
        ("stop", "i8"),
        ("next_term", "i8"),  # the terms that it stands for
        ("last_term", "i8"),
        ("round", "i8"),  # in which its entries were made ready
        ("step", "i8"),  # in which its bound was lowered last
        ("tried", "i8"),  # how often it was, in that step
    ]
)


class Classes(NamedTuple):
    """What is kept of each class; the sums are a little more than that."""

    R: NDArray[np.float64]  # at the beginning of the round
    root: NDArray[np.float64]  # its root
    after: NDArray[np.float64]  # now
    sum: NDArray[np.float64]  # of W_ij over j
    reach: NDArray[np.float64]  # of W_ij sqrt(R_j) over j
    pull: NDArray[np.float64]  # that by sqrt(R_i)


class Entries(NamedTuple):
    """The rates of the columns, and what they come to in a round."""

    class_: NDArray[np.uint32]  # without a sign, so that it is not looked for when it is an index
    r: NDArray[np.float64]
    root: NDArray[np.float64]  # its root
    base: NDArray[np.float64]  # the root of R_i
    grown: NDArray[np.float64]  # the root of R_i + r_i
    slope: NDArray[np.float64]
    """tau delta_ij for a class j without the term is this times sqrt(R_j)."""
    sum: NDArray[np.float64]  # of W_ij over the classes j without the term
    reach: NDArray[np.float64]  # of W_ij sqrt(R_j) over the same


class Corpus(NamedTuple):
    """What the loops work on; they change it in place."""

    columns: NDArray[Any]
    entries: Entries
    classes: Classes
    W: NDArray[np.float64]
    terms: NDArray[np.int64]
    round: NDArray[np.int64]


@inner
def _fall(x: float) -> float:
    """Return 1 - exp(-x) without loss of digits; x is not negative."""
    if x < 0.01:
        return x * (1 - x / 2 * (1 - x / 3 * (1 - x / 4 * (1 - x / 5 * (1 - x / 6)))))
    return float(1 - np.exp(-x))


@inner
def _apart(entries: Any, one: int, two: int) -> float:
    """Return delta of two classes in which a term occurs."""
    base, root, grown = entries.base, entries.root, entries.grown
    u, v = base[one] * root[two], base[two] * root[one]
    if abs(u - v) <= SAME * (u + v):
        return 0.0
    roots = grown[one] * grown[two] + root[one] * root[two] + base[one] * base[two]
    return float((u - v) * (u - v) / roots)


@inner
def _prepare(column: Any, corpus: Any, tau: float) -> None:
    """Work out what a column's entries need in this round."""
    if column.round != corpus.round[0]:
        column.round = corpus.round[0]
        entries = corpus.entries
        for k in range(column.start, column.stop):
            i, r = entries.class_[k], entries.r[k]
            entries.base[k] = corpus.classes.root[i]
            entries.grown[k] = np.sqrt(corpus.classes.R[i] + r)
            entries.slope[k] = tau * r / (entries.grown[k] + entries.base[k])


@inner
def _fall_or_more(x: float) -> float:
    """Return a number that is not below 1 - exp(-x), and close to it for small x."""
    if x > 2:
        return 1.0  # below, the series to the fifth power is above the sum of all
    return x - x * x * (1 / 2 - x * (1 / 6 - x * (1 / 24 - x * (1 / 120))))


@inner
def loose(column: Any, corpus: Any, tau: float) -> float:
    """Return more than what a column takes from the bound: a multiplication for a class."""
    class_, r, pull, x = corpus.entries.class_, corpus.entries.r, corpus.classes.pull, 0.0
    for k in range(column.start, column.stop):
        x += r[k] * pull[class_[k]]
    return tau / 2 * x


@inner
def rough(column: Any, corpus: Any, tau: float) -> float:
    """Return more than what a column takes from the bound: a multiplication for two classes."""
    class_, root, classes, W = corpus.entries.class_, corpus.entries.root, corpus.classes, corpus.W
    start, weight, pull, shared = column.start, 0.0, 0.0, 0.0
    for k in range(start, column.stop):
        i, twice, with_others = class_[k], 0.0, 0.0
        for other in range(start, k):
            w = W[i, class_[other]]
            twice += w
            with_others += w * root[other]
        weight += classes.sum[i] - twice
        pull += classes.pull[i] * root[k] * root[k]
        shared += with_others * root[k]
    x = tau * (pull / 2 - shared)
    return weight * _fall_or_more(x / weight) if x > 0 and weight > 0 else 0.0


@inner
def upper(column: Any, corpus: Any, tau: float) -> float:
    """Return a little more than what a column takes from the bound, without a single exp."""
    _prepare(column, corpus, tau)
    entries, classes, W = corpus.entries, corpus.classes, corpus.W
    class_, root, base, grown = entries.class_, entries.root, entries.base, entries.grown
    start, stop, upper = column.start, column.stop, 0.0
    for k in range(start, stop):
        i, q, b, g = class_[k], root[k], base[k], grown[k]
        sum_, reach = classes.sum[i], classes.reach[i]
        for other in range(start, k):
            w = W[i, class_[other]]
            sum_ -= w
            entries.sum[other] -= w
            reach -= w * base[other]
            entries.reach[other] -= w * b
            d = b * root[other] - base[other] * q
            roots = g * grown[other] + q * root[other] + b * base[other]
            upper += w * _fall_or_more(tau * d * d / roots)
        entries.sum[k], entries.reach[k] = sum_, reach
    for k in range(start, stop):
        outside = entries.sum[k]
        if outside > 0:
            upper += outside * _fall_or_more(entries.slope[k] * entries.reach[k] / outside)
    return upper


@inner
def gain(column: Any, corpus: Any, tau: float) -> float:
    """Return what a column takes from the bound."""
    _prepare(column, corpus, tau)
    entries, root, W = corpus.entries, corpus.classes.root, corpus.W
    start, stop, gain = column.start, column.stop, 0.0
    for k in range(start, stop):
        i = entries.class_[k]
        for other in range(start, k):
            gain += W[i, entries.class_[other]] * _fall(tau * _apart(entries, k, other))
        # The classes without the term: those between its entries.
        j = 0
        for other in range(start, stop + 1):
            end = entries.class_[other] if other < stop else len(root)
            while j < end:
                gain += W[i, j] * _fall(entries.slope[k] * root[j])
                j += 1
            j += 1
    return gain


@inner
def take(column: Any, corpus: Any, tau: float) -> None:
    """Add a term, evaluated in this step, to those taken."""
    entries, classes, W = corpus.entries, corpus.classes, corpus.W
    start, stop, root = column.start, column.stop, corpus.classes.root
    column.next_term += 1
    for k in range(start, stop):
        i, other, lost_sum, lost_reach = entries.class_[k], start, 0.0, 0.0
        for j in range(len(root)):
            before = W[i, j]
            if other < stop and entries.class_[other] == j:
                if j < i:
                    W[i, j] *= np.exp(-tau * _apart(entries, k, other))
                other += 1
            else:
                W[i, j] *= np.exp(-entries.slope[k] * root[j])
            lost = before - W[i, j]
            W[j, i] = W[i, j]
            classes.sum[j] -= lost
            classes.reach[j] -= lost * root[i]
            lost_sum += lost
            lost_reach += lost * root[j]
        classes.sum[i] -= lost_sum
        classes.reach[i] -= lost_reach
        classes.after[i] += entries.r[k]
    for i in range(len(root)):
        classes.pull[i] = classes.reach[i] / root[i]


@inner
def add_up(corpus: Any) -> None:
    """Add up the weights of each class, and what rounding may take from them later."""
    classes = corpus.classes
    for i in range(len(classes.root)):
        classes.sum[i] = classes.reach[i] = 0.0
        for j in range(len(classes.root)):
            classes.sum[i] += corpus.W[i, j] * (1 + ROUNDING)
            classes.reach[i] += corpus.W[i, j] * (1 + ROUNDING) * classes.root[j]
        classes.pull[i] = classes.reach[i] / classes.root[i]
