r"""What taking a term gains, and how fast that can rise: the formulas of the compiled ranking.

Symbols, for a term and the state of the ranking:

- ``p_i``: probability of the term in class i; ``w_i``: weight of the class; ``pi_i``: its prior.
- ``R_i``: mass of class i that is not yet selected. ``Q_i``: the same of its reference, which is
  the mixture (equal for all i) or the complement of the class; ``q_i``: the term's part of it.
- The gain of taking a term out of the rest cell, never negative::

      gain = sum_i w_i [ p_i log(p_i/q_i) - p_i log(R_i/Q_i)
                         + (R_i - p_i) (log(1 - p_i/R_i) - log(1 - q_i/Q_i)) ]

The gain is not submodular: it may rise as other terms are taken. But it rises slowly. For a term
with p_i <= TAU R_i in all classes, going from one state to the next raises it by no more than
``sum_i w_i p_i dF_i``, where F is a vector of one number per class that only depends on the two
states (`refresh` has its formula, docs/theory/ranking.md the proof).

With smoothing, p_i = alpha scale_i + x_i: the first part is common to all terms, and so are its
part of the gain (``common``) and of the drift, which are kept up to date once a step.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fsmj._cache import inner

TAU = 0.05  # above this share of a class's remaining mass a term is heavy
SLACK = 1e-14  # more than what rounding can take from a step's drift
STEEP = -np.log1p(-TAU) / TAU  # log(1/(1-u)) <= STEEP u,
KAPPA = TAU / (1 - TAU)  # u/(1-u) <= KAPPA,
BEND = (TAU + (1 - TAU) * np.log1p(-TAU)) / TAU  # (1-u) log(1-u) <= (BEND - 1) u, for u <= TAU

CLASS = np.dtype(
    [
        ("scale", "f8"),  # one over the class's total, smoothing included
        ("prior", "f8"),  # pi_i
        ("weight", "f8"),  # w_i
        ("unit", "f8"),  # w_i scale_i: the weight of one occurrence
        ("share", "f8"),  # pi_i / w_i
        ("group", "i8"),  # of classes in which an occurrence weighs about as much
        ("rest", "f8"),  # counts outside all terms
        ("left", "f8"),  # counts in the rest cell,
        ("crumbs", "f8"),  # what rounding took from them,
        ("entries", "i8"),  # and how many terms they come from
        ("R", "f8"),
        ("log_R", "f8"),
        ("Q", "f8"),
        ("log_Q", "f8"),
        ("ratio", "f8"),  # R / Q
        ("common", "f8"),  # what an absent term gains here by smoothing, but for its reference
        ("drift", "f8"),  # the last step's dF_i, but for lift and sinking
        ("F", "f8"),
        ("F_then", "f8"),  # what it was when the present stretch of steps began
        ("p", "f8"),  # of `_large_gain`: the term, and what it leaves behind,
        ("s", "f8"),
        ("q_after", "f8"),  # and the mixtures of the classes after this one
        ("t_after", "f8"),
        ("ceiling", "f8"),  # of what w_i p_i adds to a gain before the first step
    ]
)
COLUMN = np.dtype(  # 64 bytes, as much as a processor fetches at once
    [
        ("start", "i8"),  # its entries
        ("stop", "i8"),
        ("heap", "i4"),
        ("heavy", "?"),
        ("next_term", "i8"),  # the terms that it stands for
        ("last_term", "i8"),
        ("own", "f8"),  # its cell's divergence, sum_i w_i p_i log(p_i/q_i); NaN until asked for
        ("mixed", "f8"),  # p_0 = sum_i pi_i p_i
        ("P", "f8"),  # sum_i w_i p_i
    ],
    align=True,
)
ENTRY = np.dtype([("class_", "i8"), ("count", "f8")])


class Variant(NamedTuple):
    """What applies to all classes and terms alike."""

    alpha: float
    complement: bool
    rest_cells: int
    """1 if there are counts outside all terms (one more cell to smooth), else 0."""


class Model(NamedTuple):
    """What is ranked."""

    columns: NDArray[Any]
    entries: NDArray[Any]
    classes: NDArray[Any]
    variant: Variant


class Totals(NamedTuple):
    """Sums over the classes."""

    A: float
    """sum_i w_i R_i."""
    a0: float
    """sum_i pi_i R_i."""
    common: float
    classes: int
    """How many classes have mass left."""
    cells: int
    """How many terms are left, and the rest outside all terms."""
    lift: float
    """dF_i is class_.drift + class_.share * lift - sinking."""
    sinking: float


@inner
def light_gain(column: Any, model: Any, totals: Any) -> Any:
    """Work out the gain of a column that is not heavy: by series, without a logarithm."""
    entries, classes, variant = model.entries, model.classes, model.variant
    if np.isnan(column.own):
        column.own = _own(column, model)
    if variant.complement:
        return gain_of(column, model, totals)
    gain = column.own + totals.common + column.P * classes[0].log_Q
    gain += (totals.A - column.P) * _log_left(column.mixed / totals.a0)
    for k in range(column.start, column.stop):
        class_ = classes[entries[k].class_]
        x = (entries[k].count + variant.alpha) * class_.unit
        u = x / (class_.weight * class_.R)
        gain += x * (_bend(u) - 1 - class_.log_R) - class_.common
    return max(gain, 0.0)


@inner
def _bend(u: float) -> Any:
    """Return 1 + (1-u) log(1-u) / u, to the last digits for u <= TAU."""
    total = u / 132
    for k in range(10, 0, -1):
        total = u * (total + 1 / (k * (k + 1.0)))
    return total


@inner
def _log_left(v: float) -> Any:
    """Return -log(1-v), to the last digits for v <= TAU."""
    total = v / 12
    for k in range(11, 0, -1):
        total = v * (total + 1.0 / k)
    return total


@inner
def gain_of(column: Any, model: Any, totals: Any) -> Any:
    """Work out a column's gain, over the classes where it occurs as far as possible."""
    entries, classes, variant = model.entries, model.classes, model.variant
    if np.isnan(column.own):
        column.own = _own(column, model)
    for k in range(column.start, column.stop):
        class_ = classes[entries[k].class_]
        if 2 * (entries[k].count + variant.alpha) * class_.scale > class_.R:
            return _large_gain(column, model, totals)
    gain = column.own + totals.common
    if variant.complement:
        k = column.start
        for i in range(len(classes)):
            class_, p = classes[i], variant.alpha
            if k < column.stop and entries[k].class_ == i:
                p += entries[k].count
                k += 1
            p *= class_.scale
            v = _others(column, model, i, p) / class_.Q
            if class_.R > 0:
                gain += class_.weight * p * class_.log_Q
                if v < 1:
                    gain -= class_.weight * (class_.R - p) * np.log1p(-v)
    else:
        v = column.mixed / totals.a0
        gain += column.P * classes[0].log_Q
        if v < 1:
            gain -= (totals.A - column.P) * np.log1p(-v)
    for k in range(column.start, column.stop):
        class_ = classes[entries[k].class_]
        p = (entries[k].count + variant.alpha) * class_.scale
        part = -p * class_.log_R
        if p < class_.R:
            part += (class_.R - p) * np.log1p(-p / class_.R)
        gain += class_.weight * part - class_.common
    return max(gain, 0.0)


@inner
def _large_gain(column: Any, model: Any, totals: Any) -> Any:
    """Work out the gain of a column that takes most of a class, where 1 - p/R would lose digits.

    What it leaves behind is taken from the counts, and the two cells are treated alike::

        sum_i w_i [ p_i (log p_i/R_i - log q_i/Q_i) + s_i (log s_i/R_i - log t_i/Q_i) ]

    with s = R - p, and t its reference.
    """
    entries, classes, variant = model.entries, model.classes, model.variant
    n, k = len(classes), column.start
    for i in range(n):
        class_, count = classes[i], 0.0
        left = class_.left + class_.crumbs
        if k < column.stop and entries[k].class_ == i:
            count = entries[k].count
            left = (class_.left - count) + class_.crumbs
            if class_.entries == 1:  # of real values, rounding leaves crumbs
                left = class_.rest
            k += 1
        class_.p = (count + variant.alpha) * class_.scale
        class_.s = max(left + variant.alpha * (totals.cells - 1), 0.0) * class_.scale
    # Of the classes before and after i: subtracting from the mixture would lose digits.
    q_after, t_after = 0.0, 0.0
    for i in range(n - 1, -1, -1):
        class_ = classes[i]
        class_.q_after, class_.t_after = q_after, t_after
        q_after += class_.prior * class_.p
        t_after += class_.prior * class_.s
    gain, q_before, t_before = 0.0, 0.0, 0.0
    for i in range(n):
        class_ = classes[i]
        p, s, q, t = class_.p, class_.s, q_after, t_after
        if variant.complement:
            q, t = q_before + class_.q_after, t_before + class_.t_after
            q_before += class_.prior * p
            t_before += class_.prior * s
        if p > 0:
            gain += class_.weight * p * (_log_share(p, s) - _log_share(q, t))
        if s > 0:
            gain += class_.weight * s * (_log_share(s, p) - _log_share(t, q))
    return max(gain, 0.0)


@inner
def _log_share(one: float, other: float) -> Any:
    """Return log(one / (one + other)) to the last digits, however near to 0 it is."""
    if one > other:
        return -np.log1p(other / one)
    return np.log(one / (one + other))


@inner
def weight_of(column: Any, totals: Any) -> Any:
    """Return what gains are compared by: of the term or of what it leaves, the lighter one."""
    return min(column.P, max(totals.A - column.P, 0.0))


@inner
def _others(column: Any, model: Any, i: int, p: float) -> Any:
    """Return q_i, the column's probability in the complement of class i, where it has p."""
    entries, classes, variant = model.entries, model.classes, model.variant
    q = column.mixed - classes[i].prior * p
    if 2 * q < column.mixed:  # of one class at most; there, subtracting would lose digits
        q = 0.0
        for k in range(len(classes)):
            if k != i:
                q += classes[k].prior * variant.alpha * classes[k].scale
        for k in range(column.start, column.stop):
            if entries[k].class_ != i:
                class_ = classes[entries[k].class_]
                q += class_.prior * entries[k].count * class_.scale
    return q / (1 - classes[i].prior)


@inner
def prepare(model: Any) -> None:
    """Add up the classes' counts before the first step."""
    columns, entries, classes = model.columns, model.entries, model.classes
    for i in range(len(classes)):
        classes[i].left = classes[i].rest
    for c in range(len(columns)):
        n_terms = columns[c].last_term - columns[c].next_term
        for k in range(columns[c].start, columns[c].stop):
            class_ = classes[entries[k].class_]
            _add(class_, entries[k].count * n_terms)
            class_.entries += n_terms


@inner
def _own(column: Any, model: Any) -> Any:
    """Work out the divergence of a column's cell."""
    entries, classes, variant = model.entries, model.classes, model.variant
    own, k = 0.0, column.start
    n_cells = len(classes) if variant.alpha > 0 else column.stop - column.start
    for j in range(n_cells):
        i, p = j, variant.alpha
        if variant.alpha == 0:
            i = entries[k].class_
        if k < column.stop and entries[k].class_ == i:
            p += entries[k].count
            k += 1
        p *= classes[i].scale
        q = column.mixed
        if variant.complement:
            q = _others(column, model, i, p)
        own += classes[i].weight * p * np.log(p / q)
    return own


@inner
def _add(class_: Any, count: float) -> None:
    """Add to a class's counts, keeping what rounding loses: real values must not wander."""
    before = class_.left
    class_.left = before + count
    seen = class_.left - before
    class_.crumbs += (before - (class_.left - seen)) + (count - seen)


@inner
def subtract(column: Any, model: Any) -> None:
    """Take one of the column's terms out of the rest cell."""
    for k in range(column.start, column.stop):
        class_ = model.classes[model.entries[k].class_]
        _add(class_, -model.entries[k].count)
        class_.entries -= 1
        if class_.entries == 0:
            class_.left, class_.crumbs = class_.rest, 0.0


@inner
def refresh(model: Any, terms_left: int) -> Any:
    """Bring the classes in line with the counts left, and work out how much F rises.

    dF_i = STEEP dpsi_i - dlambda_i + pi_i/w_i sum_k w_k e_k, with psi = -log R, lambda = -log Q,
    r = R/Q, and e_k = dr_k + max(r_k before and after) KAPPA dlambda_k; where the reference is
    the complement, e_k is divided by 1 - pi_k and the sum leaves out k = i; where it is the
    mixture, the sum is e of all classes together, with r = sum_k w_k R_k / Q. What concerns the
    mixture stands with the first class.
    """
    classes, variant = model.classes, model.variant
    A, a0, common, n_classes = 0.0, 0.0, 0.0, 0
    cells = terms_left + variant.rest_cells
    for i in range(len(classes)):
        class_ = classes[i]
        R = (class_.left + class_.crumbs + variant.alpha * cells) * class_.scale
        class_.drift = 0.0
        if R != class_.R and R > 0:
            log_R = np.log(R)
            class_.drift = STEEP * (class_.log_R - log_R)
            class_.log_R = log_R
        class_.R = R
        beta = variant.alpha * class_.scale
        if 0 < beta < R:
            part = (R - beta) * np.log1p(-beta / R) - beta * class_.log_R
            class_.common = class_.weight * part
            common += class_.common
        A += class_.weight * R
        a0 += class_.prior * R
        n_classes += R > 0
    lift, sinking = 0.0, 0.0
    if variant.complement:
        _refresh_complements(classes, a0)
    else:
        mixture, log_Q, ratio = classes[0], np.log(a0), A / a0
        sinking = mixture.log_Q - log_Q
        largest = max(ratio, mixture.ratio)
        lift = ratio - mixture.ratio + largest * (KAPPA * sinking + SLACK)
        mixture.log_Q, mixture.ratio = log_Q, ratio
    return Totals(A, a0, common, n_classes, cells, lift, sinking - SLACK)


@inner
def _refresh_complements(classes: Any, a0: float) -> None:
    """Add to the drift what comes from the complements of the classes."""
    lifts = 0.0
    for i in range(len(classes)):
        class_ = classes[i]
        Q = a0 - class_.prior * class_.R
        if a0 > 2 * Q:  # as in `_others`
            Q = 0.0
            for k in range(len(classes)):
                if k != i:
                    Q += classes[k].prior * classes[k].R
        Q /= 1 - class_.prior
        log_Q, ratio = np.log(Q), class_.R / Q
        sinking = class_.log_Q - log_Q
        largest = max(ratio, class_.ratio)
        lift = ratio - class_.ratio + largest * (KAPPA * sinking + SLACK)
        lift /= 1 - class_.prior
        class_.Q, class_.log_Q, class_.ratio = Q, log_Q, ratio
        class_.drift -= sinking + class_.prior * lift
        lifts += class_.weight * lift
    for i in range(len(classes)):
        classes[i].drift += classes[i].share * lifts
