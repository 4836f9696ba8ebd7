r"""The classical scores: how much a term's presence in a document tells of its class.

Each is a function of the documents in which the term is (``t``) or is not (``~t``), and which
belong to the class (``c``) or do not (``~c``); `Documents` holds these four numbers for
every class and term. The score of a term over all classes is the sum, the maximum, or the average
weighted by the classes' shares.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, vstack
from scipy.special import rel_entr

from fsmj._columns import distinct_columns
from fsmj.counts import ClassTermCounts
from fsmj.divergence import require

Aggregate = Literal["sum", "max", "average"]
Floats = NDArray[np.float64]

_BLOCK = 1 << 20  # cells of a dense table at a time
_RS_CONSTANT = 1 / 6  # Wiener, Pedersen and Weigend 1995, where the score comes from
_PRINTED_CONSTANT = 1e-8


class Documents(NamedTuple):
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


def information_gain(d: Documents) -> Floats:
    """P(t,c) log P(t,c)/P(t)P(c) + P(~t,c) log P(~t,c)/P(~t)P(c)."""
    present = rel_entr(d.t_c / d.n, d.t / d.n * d.c / d.n)
    absent = rel_entr(d.nott_c / d.n, (d.n - d.t) / d.n * d.c / d.n)
    return np.asarray(present + absent)


def cross_entropy(d: Documents) -> Floats:
    """P(t,c) log P(t,c)/P(t)P(c)."""
    return np.asarray(rel_entr(d.t_c / d.n, d.t / d.n * d.c / d.n))


def mutual_information(d: Documents) -> Floats:
    """Pointwise: log P(t,c)/P(t)P(c); 0 where the term never meets the class."""
    ratio = _ratio(d.t_c * d.n, d.t * d.c)
    return np.log(ratio, out=np.zeros_like(ratio), where=ratio > 0)


def relevance_score(d: Documents) -> Floats:
    """log (P(t|c) + 1/6) / (P(~t|~c) + 1/6)."""
    in_class = _ratio(d.t_c, d.c)
    outside = _ratio(d.nott_notc, d.n - d.c)
    return np.asarray(np.log((in_class + _RS_CONSTANT) / (outside + _RS_CONSTANT)))


def ngl(d: Documents) -> Floats:
    """sqrt(n) [P(t,c)P(~t,~c) - P(t,~c)P(~t,c)] / sqrt(P(t)P(~t)P(c)P(~c)): a signed chi."""
    spread = d.t * (d.n - d.t) * d.c * (d.n - d.c) / d.n**4
    return np.sqrt(d.n) * _ratio(d.excess, np.sqrt(spread))  # type: ignore[no-any-return]


def chi_squared(d: Documents) -> Floats:
    """The square of `ngl`: the statistic of the 2 × 2 table."""
    return ngl(d) ** 2


def ngl_printed(d: Documents) -> Floats:
    """As the paper prints it: the four joint probabilities below, and a small constant.

    Without the constant it is undefined as soon as one of the four is 0.
    """
    cells = d.t_c * d.t_notc * d.nott_c * d.nott_notc / d.n**4
    return np.asarray(d.excess / (np.sqrt(cells) + _PRINTED_CONSTANT))


def chi_squared_printed(d: Documents) -> Floats:
    """The square of `ngl_printed`."""
    return ngl_printed(d) ** 2


def _ratio(above: Floats, below: Floats) -> Floats:
    """Divide; 0 where there is nothing to divide by."""
    result = np.zeros(np.broadcast_shapes(above.shape, below.shape))
    return np.divide(above, below, out=result, where=below > 0)


CLASS_SCORES: dict[str, Callable[[Documents], Floats]] = {
    "ig": information_gain,
    "chi2": chi_squared,
    "rs": relevance_score,
    "cet": cross_entropy,
    "ngl": ngl,
    "mi": mutual_information,
    "chi2-printed": chi_squared_printed,
    "ngl-printed": ngl_printed,
}


def document_frequency(counts: ClassTermCounts) -> Floats:
    """Return in how many documents each term occurs."""
    return counts.docs_per_term.astype(np.float64)


def term_scores(counts: ClassTermCounts, method: str, aggregate: Aggregate = "max") -> Floats:
    """Score every term by one of `CLASS_SCORES`.

    Parameters
    ----------
    counts : ClassTermCounts
        Of any corpus; only the numbers of documents are used.
    method : str
        A key of `CLASS_SCORES`.
    aggregate : {"sum", "max", "average"}, default="max"
        How the scores of the classes become one; the average is weighted by their shares.

    Returns
    -------
    ndarray of shape (n_terms,)
        Higher is better.

    Examples
    --------
    >>> import fsmj
    >>> from fsmj.scores import term_scores
    >>> counts = fsmj.ClassTermCounts.from_matrix([[2, 1], [0, 1], [0, 1]], [0, 1, 1])
    >>> term_scores(counts, "chi2").round(3)
    array([3., 0.])
    """
    combine = require(aggregate, Aggregate, "aggregate")
    # Terms with the same numbers score the same: work each case out once.
    total = csc_array(counts.docs_per_term[None, :])
    distinct, group = distinct_columns(csc_array(vstack([counts.doc_counts, total], format="csc")))
    n_classes, n_docs = counts.n_classes, float(counts.n_docs)
    of_class = counts.docs_per_class.astype(np.float64)[:, None]
    scores = np.empty(distinct.shape[1])
    step = max(1, _BLOCK // n_classes)
    for first in range(0, len(scores), step):
        block = distinct[:, first : first + step].toarray().astype(np.float64)
        table = Documents(block[:-1], block[-1:], of_class, n_docs)
        local = CLASS_SCORES[method](table)
        scores[first : first + step] = (
            local.max(axis=0) if combine == "max"
            else local.sum(axis=0) if combine == "sum"
            else (of_class / n_docs * local).sum(axis=0)
        )  # fmt: skip
    return scores[group]
