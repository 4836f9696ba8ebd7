r"""The classical scores: how much a term's presence in a document tells of its class.

Each is a function of the documents in which the term is (``t``) or is not (``~t``), and which
belong to the class (``c``) or do not (``~c``); `DocumentTable` holds these four numbers for
every class and term. The score of a term over all classes is the sum, the maximum, or the average
weighted by the classes' shares.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import rel_entr

Aggregate = Literal["sum", "max", "average"]
Floats = NDArray[np.float64]

_RS_CONSTANT = 1 / 6  # Wiener, Pedersen and Weigend 1995, where the score comes from
_PRINTED_CONSTANT = 1e-8


class DocumentTable(NamedTuple):
    """Numbers of documents, of shape (n_classes, n_terms) or broadcast to it."""

    t_c: Floats
    """With the term, of the class."""
    t: Floats
    """With the term."""
    c: Floats
    """Of the class."""
    n: float
    """All."""

    @property
    def t_notc(self) -> Floats:
        """With the term, of another class."""
        return np.maximum(self.t - self.t_c, 0)

    @property
    def nott_c(self) -> Floats:
        """Without the term, of the class."""
        return np.maximum(self.c - self.t_c, 0)

    @property
    def nott_notc(self) -> Floats:
        """Without the term, of another class."""
        return np.maximum(self.n - self.t - self.c + self.t_c, 0)

    @property
    def excess(self) -> Floats:
        """P(t,c) P(~t,~c) - P(t,~c) P(~t,c): 0 where term and class are independent."""
        product = self.t_c * self.nott_notc - self.t_notc * self.nott_c
        return np.asarray(product / self.n**2)


def information_gain(d: DocumentTable) -> Floats:
    """P(t,c) log P(t,c)/P(t)P(c) + P(~t,c) log P(~t,c)/P(~t)P(c)."""
    absent = rel_entr(d.nott_c / d.n, (d.n - d.t) / d.n * (d.c / d.n))
    return np.asarray(cross_entropy(d) + absent)


def cross_entropy(d: DocumentTable) -> Floats:
    """P(t,c) log P(t,c)/P(t)P(c)."""
    return np.asarray(rel_entr(d.t_c / d.n, d.t / d.n * (d.c / d.n)))


def mutual_information(d: DocumentTable) -> Floats:
    """Pointwise: log P(t,c)/P(t)P(c); 0 where the term never meets the class."""
    ratio = _ratio(d.t_c * d.n, d.t * d.c)
    return np.log(ratio, out=np.zeros_like(ratio), where=ratio > 0)


def relevance_score(d: DocumentTable) -> Floats:
    """log (P(t|c) + 1/6) / (P(~t|~c) + 1/6)."""
    in_class = _ratio(d.t_c, d.c)
    outside = _ratio(d.nott_notc, d.n - d.c)
    return np.asarray(np.log((in_class + _RS_CONSTANT) / (outside + _RS_CONSTANT)))


def ngl(d: DocumentTable) -> Floats:
    """sqrt(n) [P(t,c)P(~t,~c) - P(t,~c)P(~t,c)] / sqrt(P(t)P(~t)P(c)P(~c)): a signed chi."""
    spread = d.t * (d.n - d.t) * d.c * (d.n - d.c) / d.n**4
    return np.sqrt(d.n) * _ratio(d.excess, np.sqrt(spread))  # type: ignore[no-any-return]


def chi_squared(d: DocumentTable) -> Floats:
    """The square of `ngl`: the statistic of the 2 × 2 table."""
    return ngl(d) ** 2


def ngl_printed(d: DocumentTable) -> Floats:
    """As the paper prints it: the four joint probabilities below, and a small constant.

    Without the constant it is undefined as soon as one of the four is 0.
    """
    cells = d.t_c * d.t_notc * d.nott_c * d.nott_notc / d.n**4
    return np.asarray(d.excess / (np.sqrt(cells) + _PRINTED_CONSTANT))


def chi_squared_printed(d: DocumentTable) -> Floats:
    """The square of `ngl_printed`."""
    return ngl_printed(d) ** 2


def _ratio(above: Floats, below: Floats) -> Floats:
    """Divide; 0 where there is nothing to divide by."""
    result = np.zeros(np.broadcast_shapes(above.shape, below.shape))
    return np.divide(above, below, out=result, where=below > 0)


CLASS_SCORES: dict[str, Callable[[DocumentTable], Floats]] = {
    "ig": information_gain,
    "chi2": chi_squared,
    "rs": relevance_score,
    "cet": cross_entropy,
    "ngl": ngl,
    "mi": mutual_information,
    "chi2-printed": chi_squared_printed,
    "ngl-printed": ngl_printed,
}


def combined(local: Floats, table: DocumentTable, aggregate: Aggregate) -> Floats:
    """Make one score of each term's scores in the classes.

    Parameters
    ----------
    local : ndarray of shape (n_classes, n_terms)
        From one of the other functions of this module.
    table : DocumentTable
        What they were worked out from.
    aggregate : {"sum", "max", "average"}
        The average is weighted by the classes' shares of the documents.
    """
    if aggregate == "average":
        return np.asarray((table.c / table.n * local).sum(axis=0))
    return np.asarray(local.max(axis=0) if aggregate == "max" else local.sum(axis=0))
