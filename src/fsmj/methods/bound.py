"""bound: the terms that lower a bound on naive Bayes's error most, from counts alone."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from fsmj.counts import ClassTermCounts
from fsmj.documents import Documents
from fsmj.methods.ranked import Ranked

TEMPERATURE = 3.0  # chosen with the form of the rates, see docs/theory/bound.md
TEMPERATURES = (1.0, 2.0, 3.0, 4.0, 6.0)  # what temperature="auto" chooses from
SIZES = (10, 20, 50, 100, 200)  # by the accuracy at these numbers of terms, on average
FOLDS = 5


def rank_bound(
    source: ClassTermCounts | Documents,
    n_terms: int,
    *,
    temperature: float | Literal["auto"] = TEMPERATURE,
) -> Ranked:
    r"""Take the terms that lower the Bhattacharyya bound on naive Bayes's error most.

    With the rate :math:`r_{it}` of term t in class i, the share of its documents that contain the
    term, and :math:`R_i = 1 + \sum_{t \in S} r_{it}`,

    .. math::
        \sum_{i<j} \sqrt{\pi_i \pi_j} \exp\Bigl(-T \bigl[\sqrt{R_i R_j} - 1
        - \sum_{t \in S} \sqrt{r_{it} r_{jt}}\bigr]\Bigr)

    bounds the error of the best decision between documents of independent words, of which the
    classifier sees the selected ones only. A pair of classes that is told apart has hardly any
    weight left, so the next term goes to those still confused.

    With the temperature "auto" and documents of one label each, T is that of `TEMPERATURES` with
    which naive Bayes classifies held-out documents best; with counts alone, the default.

    Returns
    -------
    Ranked
        The score of a term is what it takes from the bound. Scores that differ by less than 1e-11
        of the best count as equal; then the lowest column wins. Terms that no document contains
        come last, by column.

    Notes
    -----
    One term alone tells the classifier nothing, whichever it is. The first is therefore the one
    that most documents contain, against which later ones can be measured.

    R is looked at anew whenever a quarter more terms are taken, not in every step. In between,
    gains only fall, and old ones serve as upper bounds.
    """
    counts = source if isinstance(source, ClassTermCounts) else source.counts
    chosen = TEMPERATURE
    if temperature != "auto":
        chosen = float(temperature)
    elif isinstance(source, Documents) and source.has_one_label_each:
        chosen = _best_temperature(source, n_terms)
    return Ranked(*_descend(counts, n_terms, chosen), {"temperature": chosen})


def _descend(
    counts: ClassTermCounts, n_terms: int, temperature: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    from fsmj.methods._bound import descend

    return descend(
        rates_of(counts.doc_counts, counts),
        counts.priors,
        temperature=temperature,
        first=int(np.argmax(counts.docs_per_term)) if counts.n_terms else -1,
        n_terms=n_terms,
    )


def rates_of(table: csc_array, counts: ClassTermCounts) -> csc_array:
    """Divide a table of classes and terms by the documents of the classes."""
    rates = csc_array(table, dtype=np.float64, copy=True)
    rates.eliminate_zeros()
    rates.data /= counts.docs_per_class[rates.indices]
    return rates


def _best_temperature(documents: Documents, n_terms: int) -> float:
    """Return the temperature with the highest accuracy on held-out documents; T near 3 if equal."""
    sizes = sorted({min(size, n_terms) for size in SIZES})
    right = dict.fromkeys(sorted(TEMPERATURES, key=lambda T: abs(T - TEMPERATURE)), 0)
    if not sizes[0] or documents.n_docs < 2:
        return TEMPERATURE
    for fold in documents.folds(FOLDS):
        learnt, held = documents.take(fold.train).heard(), documents.take(fold.held)
        if len(learnt.classes) < 2:
            continue
        for temperature in right:
            order, _ = _descend(learnt.counts, sizes[-1], temperature)
            for size in sizes:
                columns = order[:size]
                labels = learnt.counts.naive_bayes(columns).predict(held.X[:, columns])
                right[temperature] += int((labels == held.y).sum())
    return max(right, key=lambda temperature: right[temperature])
