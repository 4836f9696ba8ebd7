"""What is compared: each method of the table, in each of its forms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fsmj.documents import Documents
from fsmj.methods.ranked import Ranked
from fsmj.methods.table import METHODS, Method, rank, unknown_method
from fsmj.ranking import Ranking

AGGREGATES = ("max", "sum", "average")  # the order of the paper's panels
KEY = ["method", "variant", "aggregate", "rest"]  # what tells the runs on a problem apart


def _chi2(documents: Documents, n_terms: int | None) -> Ranked:
    from sklearn.feature_selection import chi2

    return _ranked(chi2(documents.X, documents.codes)[0], n_terms)


def _mutual_info(documents: Documents, n_terms: int | None) -> Ranked:
    from sklearn.feature_selection import mutual_info_classif

    # It sorts the labels anew for each term, and numbers sort faster than names.
    scores = mutual_info_classif(
        documents.X, documents.codes, discrete_features=True, random_state=0
    )
    return _ranked(scores, n_terms)


def _ranked(scores: NDArray[np.float64], n_terms: int | None) -> Ranked:
    """Rank by scores, the largest first; the lowest column among equals, NaN last."""
    order = np.argsort(np.where(np.isnan(scores), np.inf, -scores), kind="stable")[:n_terms]
    return Ranked(order, scores[order])


# Rankings of others, to compare with: rows like those of `fsmj.METHODS`.
OUTSIDE: dict[str, Method] = {
    "sklearn-chi2": Method(
        "scikit-learn's chi2", "scikit-learn chi2", _chi2, "documents", marker="1"
    ),
    "sklearn-mutual-info": Method(
        "scikit-learn's mutual_info_classif", "scikit-learn mutual_info_classif", _mutual_info,
        "documents", slow=True, marker="2",
    ),
}  # fmt: skip


def _unknown(*_: object) -> Ranked:
    raise ValueError("this method is known from results only")


class Candidate(NamedTuple):
    """A method in one of its forms."""

    method: str
    """What the `method` column of the results says: a key of `fsmj.METHODS`."""
    variant: str = ""
    """One of the method's forms, or nothing for the usual one."""
    aggregate: str = ""
    """How its scores per class become one, if it has such scores."""
    rest: bool = False
    """Whether naive Bayes sees the rest of a document as one more feature."""
    n_terms: int | None = None
    """Rank so many terms only."""

    @property
    def key(self) -> str:
        """The method with its variant, as the command line names it."""
        return f"{self.method}-{self.variant}" if self.variant else self.method

    @property
    def name(self) -> str:
        """What the file of its results is called."""
        parts = (self.method, self.variant, self.aggregate, "rest" if self.rest else "")
        return "_".join(part for part in parts if part)

    @property
    def row(self) -> Method:
        """Its row in the table of methods; a plain one if only results know it."""
        name = self._row_name
        return METHODS.get(name) or OUTSIDE.get(name) or Method(name, name, _unknown)

    @property
    def label(self) -> str:
        """What tables and legends call it.

        Examples
        --------
        >>> Candidate("ig", aggregate="max", rest=True).label
        'IG, max, with rest cell'
        """
        forms = {form.name: form.label for form in self.row.forms}
        variant = "" if self._row_name == self.key else forms.get(self.variant, self.variant)
        parts = self.row.label, variant, self.aggregate, "with rest cell" if self.rest else ""
        return ", ".join(part for part in parts if part)

    def rank(self, documents: Documents) -> Ranking:
        """Rank the terms of training documents."""
        name = self._row_name
        if name in OUTSIDE:
            ranked = self.row.rank(documents, self.n_terms)
            return Ranking(documents.counts, name, ranked.order, ranked.scores)
        options = dict({form.name: form.options for form in self.row.forms}.get(self.variant, {}))
        if self.aggregate:
            options["aggregate"] = self.aggregate
        return rank(documents, name, self.n_terms, **options)

    @property
    def _row_name(self) -> str:
        return self.key if self.key in METHODS else self.method


def all_candidates() -> dict[str, Candidate]:
    """Return what can be compared, by name.

    These are the methods of `fsmj.METHODS` in all their forms and with each aggregate, FSMJ also
    with the rest cell, and the rankings of others; a method that is added to the table is among
    them. Take some of them for `run_all`.

    Examples
    --------
    >>> [name for name in all_candidates() if name.startswith("ig")]
    ['ig_max', 'ig_sum', 'ig_average']
    """
    rows = METHODS | OUTSIDE
    listed = [one for name, row in rows.items() for one in _forms_of(name, row)]
    return {candidate.name: candidate for candidate in listed}


def _forms_of(name: str, row: Method) -> Iterator[Candidate]:
    base = row.variant_of
    variants = [name.removeprefix(f"{base}-")] if base else ["", *(f.name for f in row.forms)]
    choices = {option.name: option.choices for option in row.options}
    for variant in variants:
        for aggregate in choices.get("aggregate", ("",)):
            plain = Candidate(base or name, variant, aggregate, n_terms=row.most)
            yield plain
            if name == "fsmj":  # the rest cell belongs to its criterion
                yield plain._replace(rest=True)


def named_candidates(names: Iterable[str], aggregate: str = "max") -> dict[str, Candidate]:
    """Return the methods of these names; scores per class combined in one way.

    Parameters
    ----------
    names : iterable of str
        Keys of `fsmj.METHODS`, or forms of methods such as ``fsmj-prior``.
    aggregate : {"max", "sum", "average"}, default="max"
        How the scores of the classes become one.
    """
    known = [one for one in all_candidates().values() if one.aggregate in ("", aggregate)]
    chosen = {}
    for name in names:
        found = [one for one in known if one.key == name]
        if not found:
            raise unknown_method(name, list(dict.fromkeys(one.key for one in known)))
        # With the rest cell, the usual FSMJ is enough for a comparison.
        chosen.update({one.name: one for one in found if not (one.rest and one.variant)})
    if not chosen:
        raise ValueError("no method is named")
    return chosen
