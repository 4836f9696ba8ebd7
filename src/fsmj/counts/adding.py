"""Sum and difference of the counts of two corpora."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from fsmj._matrix import difference

if TYPE_CHECKING:
    from fsmj.counts.class_term_counts import ClassTermCounts
    from fsmj.tokens.rule import TokenRule

_SUMS = ("term_counts", "doc_counts", "docs_per_class", "docs_per_term", "rest_counts", "n_docs")


def added(mine: ClassTermCounts, yours: ClassTermCounts) -> ClassTermCounts:
    """Count both corpora together."""
    _refuse_different_kinds(mine, yours)
    _refuse_overflow(mine, yours)
    rule = _common_rule(mine, yours)
    classes = np.union1d(mine.classes, yours.classes)
    terms, n_terms = mine.terms, max(mine.n_terms, yours.n_terms)
    if not same_names(mine.terms, yours.terms):
        terms = np.union1d(mine.terms, yours.terms)  # type: ignore[arg-type]
        n_terms = len(terms)
    mine, yours = (_laid_out(side, classes, terms, n_terms) for side in (mine, yours))
    sums = {name: getattr(mine, name) + getattr(yours, name) for name in _SUMS}
    return replace(mine, **sums, rule=rule)


def subtracted(whole: ClassTermCounts, part: ClassTermCounts) -> ClassTermCounts:
    """Take a part of the corpus away again."""
    _refuse_different_kinds(whole, part)
    rule = _common_rule(whole, part)
    part = _laid_out(part, whole.classes, whole.terms, whole.n_terms)
    left = {name: difference(getattr(whole, name), getattr(part, name)) for name in _SUMS}
    # Of real-valued counts, rounding leaves crumbs where the last document is gone.
    left["term_counts"] = csc_array(left["term_counts"].multiply(left["doc_counts"] != 0))
    if left["term_counts"].nnz != left["doc_counts"].nnz:
        raise ValueError("cannot subtract: these documents are no part of the larger counts")
    return replace(whole, **left, rule=rule)


def _laid_out(
    counts: ClassTermCounts, classes: NDArray[Any], terms: NDArray[Any] | None, n_terms: int
) -> ClassTermCounts:
    """Lay counts out over more classes and terms, or the same ones in another order."""
    rows = np.searchsorted(classes, counts.classes)
    known = rows < len(classes)
    if not (known.all() and np.array_equal(classes[rows], counts.classes)):
        raise ValueError("cannot subtract: a class is missing in the larger counts")
    columns = np.arange(counts.n_terms)
    if not same_names(terms, counts.terms):
        columns = places(terms, counts.terms)
    if (columns < 0).any() or counts.n_terms > n_terms:
        raise ValueError("cannot subtract: a term is missing in the larger counts")

    def spread(table: csc_array) -> csc_array:
        cells = table.tocoo()
        where = (rows[cells.row], columns[cells.col])
        return csc_array((cells.data, where), shape=(len(classes), n_terms))

    def scatter(values: NDArray[Any], index: NDArray[Any], size: int) -> NDArray[Any]:
        out = np.zeros(size, values.dtype)
        out[index] = values
        return out

    return replace(
        counts,
        classes=classes,
        terms=terms,
        term_counts=spread(counts.term_counts),
        doc_counts=spread(counts.doc_counts),
        docs_per_class=scatter(counts.docs_per_class, rows, len(classes)),
        docs_per_term=scatter(counts.docs_per_term, columns, n_terms),
        rest_counts=scatter(counts.rest_counts, rows, len(classes)),
    )


def _refuse_overflow(mine: ClassTermCounts, yours: ClassTermCounts) -> None:
    """Refuse whole numbers whose sum 64 bits cannot hold."""
    for what in ("tokens_per_class", "docs_per_class"):
        sides = [getattr(counts, what) for counts in (mine, yours)]
        if any(side.dtype.kind == "f" for side in sides):
            continue
        total = sum(int(number) for side in sides for number in side)
        if total >= 2**63:
            raise ValueError(
                f"together these counts add up to {total:.3g}, more than 64 bits can hold"
            )


def _common_rule(mine: ClassTermCounts, yours: ClassTermCounts) -> TokenRule | None:
    """Return the rule of both sides; none where one side does not know."""
    if mine.rule is None or yours.rule is None:
        return None
    if mine.rule != yours.rule:
        raise ValueError(
            "these counts were made by different rules of what a word is; count the texts anew"
        )
    return mine.rule


def _refuse_different_kinds(mine: ClassTermCounts, yours: ClassTermCounts) -> None:
    if (mine.terms is None) != (yours.terms is None):
        raise ValueError("one side names its terms and the other does not; name both or neither")
    numbers = [counts.classes.dtype.kind in "biuf" for counts in (mine, yours)]
    if numbers[0] != numbers[1]:
        raise ValueError("the class labels of one side are numbers, of the other they are not")


def same_names(mine: NDArray[Any] | None, yours: NDArray[Any] | None) -> bool:
    """Whether both sides have the same terms, or none that has a name."""
    if mine is None or yours is None:
        return mine is yours
    return mine is yours or np.array_equal(mine, yours)


def places(names: Any, wanted: Any) -> NDArray[np.intp]:
    """Return where each of the wanted names stands among the names; -1 where it does not."""
    place = {name: column for column, name in enumerate(names)}
    return np.fromiter((place.get(name, -1) for name in wanted), np.intp, len(wanted))
