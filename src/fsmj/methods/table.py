"""METHODS, the one list of what fsmj can rank by, and `rank`, which goes by it.

To add a method, write a function like those of the families beside this module and add a row:
the command line, the estimators, the comparisons, the figures and the reports read them here.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from numbers import Integral
from typing import Any, Literal, NamedTuple

import numpy as np

from fsmj._names import listed
from fsmj.counts import ClassTermCounts
from fsmj.documents import Documents
from fsmj.methods import bound, classical, cll, cmim, fsmj, logit
from fsmj.methods.option import (
    AGGREGATE,
    ALPHA,
    BOUND_TEMPERATURE,
    REFERENCE,
    SMOOTHING,
    STRENGTH,
    TEMPERATURE,
    TRANSFORM,
    WEIGHTS,
    Option,
)
from fsmj.methods.ranked import ProgressHook, Ranked
from fsmj.ranking import Ranking

__all__ = ["METHODS", "Form", "Method", "Option", "Ranked", "rank"]


class Form(NamedTuple):
    """A method with some of its options set."""

    name: str
    label: str
    options: dict[str, Any]


@dataclass(frozen=True)
class Method:
    """A way to rank, as a row of `METHODS`.

    Attributes
    ----------
    title, label : str
        Its name in full, and in a legend.
    rank : callable
        Called as ``rank(counts, n_terms, **options)``, or with documents in place of counts;
        with `progress` beside the options if `slow`. It returns the columns and their scores.
    needs : {"counts", "documents"}
        What it ranks. Documents can always be counted.
    uses_documents : bool
        Whether a method that needs counts only is given documents where there are any.
    takes_weights : bool
        Whether documents may weigh more or less; where counts are enough, they always may.
    chooses_size : bool
        Whether it can choose the number of terms (``n_terms="auto"``).
    options : tuple of Option
        What may be chosen.
    note : str
        What a reader of its ranking should know, in one sentence.
    slow : bool
        Whether it takes seconds to minutes rather than milliseconds.
    most : int or None
        In comparisons it ranks no more terms than these.
    variant_of : str
        The method of which it is another form: not compared unless asked for.
    forms : tuple of Form
        Other settings of its options that have a name of their own, to be compared by it.
    colour, marker, dashes, width
        Its line in a figure: known by colour, and without colour by marker and dashes.
    """

    title: str
    label: str
    rank: Callable[..., Ranked]
    needs: Literal["counts", "documents"] = "counts"
    options: tuple[Option, ...] = ()
    uses_documents: bool = False
    takes_weights: bool = False
    chooses_size: bool = False
    note: str = ""
    slow: bool = False
    most: int | None = None
    variant_of: str = ""
    forms: tuple[Form, ...] = ()
    colour: str = "#555555"
    marker: str = "."
    dashes: Any = "-"
    width: float = 1.3


def _score(title: str, label: str, name: str, colour: str, marker: str, dashes: Any) -> Method:
    return Method(
        title, label, classical.by_class(name), options=(AGGREGATE,),
        colour=colour, marker=marker, dashes=dashes,
    )  # fmt: skip


def _printed(title: str, label: str, name: str, of: str) -> Method:
    return Method(
        f"{title} as printed in the paper", f"{label}, as printed", classical.by_class(name),
        options=(AGGREGATE,), variant_of=of,
    )  # fmt: skip


_FIRST = "its first word may tell nothing itself: the others are compared with it"

# Okabe and Ito's colours, which the colour-blind can tell apart, without the pale yellow.
METHODS: dict[str, Method] = {
    "fsmj": Method(
        "FSMJ", "FSMJ", fsmj.rank_fsmj, options=(REFERENCE, WEIGHTS, SMOOTHING),
        forms=(
            Form("prior", "prior weights", {"weights": "prior"}),
            Form("smoothed", "smoothed", {"smoothing": 1.0}),
            # Without smoothing, a term of one class only is infinitely far from the others.
            Form(
                "complement", "against the complement",
                {"reference": "complement", "smoothing": 1.0},
            ),
        ),
        colour="#000000", marker="o", width=2.2,
    ),
    "df": Method(
        "Document frequency", "DF", classical.rank_df,
        colour="#7f7f7f", marker="s", dashes=(0, (4, 1.5)),
    ),
    "ig": _score("Information gain", "IG", "ig", "#0072B2", "^", "-"),
    "chi2": _score("Chi-squared", "Chi", "chi2", "#D55E00", "v", (0, (6, 1.5))),
    "rs": _score("Relevance score", "RS", "rs", "#009E73", "D", (0, (1, 1))),
    "cet": _score("Cross entropy", "CET", "cet", "#E69F00", "P", (0, (4, 1, 1, 1))),
    "ngl": _score("NGL coefficient", "NGL", "ngl", "#CC79A7", "X", (0, (2, 1))),
    "mi": _score(
        "Pointwise mutual information", "MI", "mi", "#56B4E9", "*", (0, (6, 1, 1, 1, 1, 1))
    ),
    "chi2-printed": _printed("Chi-squared", "Chi", "chi2-printed", "chi2"),
    "ngl-printed": _printed("NGL coefficient", "NGL", "ngl-printed", "ngl"),
    "bound": Method(
        "Bound on naive Bayes's error", "Bound", bound.rank_bound,
        options=(BOUND_TEMPERATURE,), uses_documents=True, note=_FIRST,
        colour="#882255", marker=">", dashes=(0, (8, 1.5, 1, 1.5)), width=1.8,
    ),
    "cmim": Method(
        "Conditional mutual information", "CMIM", cmim.rank_cmim, "documents",
        slow=True, most=2000, colour="#8C510A", marker="<", dashes=(0, (2, 1.5)), width=1.8,
    ),
    "cll": Method(
        "Conditional likelihood", "CLL", cll.rank_cll, "documents",
        note=_FIRST, options=(TEMPERATURE, ALPHA), chooses_size=True, slow=True, most=500,
        colour="#6A3D9A", marker="d", width=1.8,
    ),
    "logit": Method(
        "Forward logistic regression", "Logit", logit.rank_logit, "documents",
        options=(STRENGTH, TRANSFORM), takes_weights=True, chooses_size=True, slow=True, most=500,
        colour="#117733", marker="h", dashes=(0, (10, 2)), width=1.8,
    ),
}  # fmt: skip


def rank(
    source: ClassTermCounts | Documents,
    method: str = "fsmj",
    n_terms: int | Literal["auto"] | None = None,
    *,
    progress: ProgressHook | None = None,
    **options: Any,
) -> Ranking:
    """Order the terms by how well they tell the classes apart.

    Parameters
    ----------
    source : ClassTermCounts or Documents
        Two classes at least. A class without any token takes no part, with a warning.
    method : str, default="fsmj"
        A key of `fsmj.METHODS`: ``fsmj`` (Algorithm 1 of the paper); a classical score, ``df``,
        ``ig``, ``chi2``, ``rs``, ``cet``, ``ngl`` or ``mi``; ``bound``, best with few terms; or
        ``cll``, ``logit`` or ``cmim``, which need the documents and not only their counts.
    n_terms : int or "auto", optional
        Rank the best so many; all by default. ``cll`` and ``logit`` can choose the number
        ("auto").
    progress : callable, optional
        Called as ``progress(done, total)`` by methods that take their time.
    **options
        Of the method. Of ``fsmj``: ``reference`` ("mixture", "complement"), ``weights``
        ("uniform", "prior") and ``smoothing``, added to every count. Of the classical scores:
        ``aggregate`` ("max", "sum", "average"), how a term's scores in the classes become one.
        Of ``bound``: ``temperature``. Of ``cll``: ``temperature`` and ``alpha``. Of
        ``logit``: ``strength`` and ``transform``.

    Returns
    -------
    Ranking
        Ties go to the lowest column; terms that no document contains come last.

    Notes
    -----
    FSMJ's ranking is exactly the paper's, found in near-linear time instead of O(M² N):
    `fsmj.methods._greedy` says how. The proof is docs/theory/ranking.md, also installed as
    share/doc/fsmj/theory/ranking.md.

    Examples
    --------
    >>> import fsmj
    >>> documents = fsmj.Documents(
    ...     [[3, 0, 1], [0, 2, 1], [0, 3, 1]], ["wheat", "gold", "gold"], ["crop", "ore", "the"]
    ... )
    >>> fsmj.rank(documents.counts).terms.tolist()
    ['crop', 'ore', 'the']
    >>> fsmj.rank(documents, "cmim", 1)
    Ranking('cmim', 1 terms: crop)
    """
    row = method_named(method)
    chosen = checked_options(method, options)
    if not isinstance(source, ClassTermCounts | Documents):
        raise TypeError(
            f"rank takes counts or documents, not a {type(source).__name__}; "
            "make fsmj.Documents(X, y), or count with fsmj.count_texts"
        )
    if row.needs == "documents" and isinstance(source, ClassTermCounts):
        raise ValueError(
            f"{method} needs the documents, not only their counts: rank fsmj.Documents"
        )
    weighted = isinstance(source, Documents) and source.is_weighted
    if weighted and row.needs == "documents" and not row.takes_weights:
        raise ValueError(f"{method} takes no sample_weight")
    heard = _heard(source)
    counts = heard if isinstance(heard, ClassTermCounts) else heard.counts
    size: Any = n_terms
    if n_terms is None:
        size = counts.n_terms
    elif isinstance(n_terms, Integral) and n_terms >= 0:
        size = min(int(n_terms), counts.n_terms)
    elif not (n_terms == "auto" and row.chooses_size):
        raise ValueError(f"n_terms must be a whole number, 0 or more; got {n_terms}")
    hook = {"progress": progress} if row.slow else {}
    given = heard if row.needs == "documents" or row.uses_documents else counts
    ranked = row.rank(given, size, **chosen, **hook)
    return Ranking(counts, method, ranked.order, ranked.scores, {**chosen, **ranked.chosen})


def method_named(name: str) -> Method:
    """Return a row of the table, or say which there are."""
    if name not in METHODS:
        raise unknown_method(name, list(METHODS))
    return METHODS[name]


def unknown_method(name: str, known: Sequence[str]) -> ValueError:
    """Return the error that says which methods there are, and which may be meant."""
    near = get_close_matches(str(name), known, 1)
    meant = f" (did you mean {near[0]}?)" if near else ""
    return ValueError(f"unknown method {name!r}; choose from {', '.join(known)}{meant}")


def checked_options(method: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return all options of a method, those not given at their defaults."""
    known = {option.name: option for option in method_named(method).options}
    for name in given:
        if name not in known:
            has = f"its options are {', '.join(known)}" if known else "it has none"
            raise ValueError(f"{method} has no option {name!r}; {has}")
    return {name: option.check(given.get(name, option.default)) for name, option in known.items()}


def _heard(source: ClassTermCounts | Documents) -> ClassTermCounts | Documents:
    """Leave out classes without tokens, and refuse a single class."""
    counts = source if isinstance(source, ClassTermCounts) else source.counts
    _refuse_what_is_no_number(counts)
    silent = counts.classes[counts.tokens_per_class <= 0].tolist()
    if counts.n_classes < 2:
        found = f"only one class: {counts.classes.tolist()[0]!r}" if counts.n_classes else "none"
        raise ValueError(
            f"ranking needs two classes at least, but there is {found}; check the labels"
        )
    if counts.n_classes - len(silent) < 2:
        raise ValueError(
            "ranking needs two classes with tokens, but of the class "
            f"{silent[0]!r}{' and others' if len(silent) > 1 else ''} no token is left; the "
            "likely cause is min_docs or min_length that is too high, or a token pattern that "
            "does not fit the texts (words of Indic scripts need marks)"
        )
    if silent:
        warnings.warn(
            f"no token is left of the {'class' if len(silent) == 1 else 'classes'} "
            f"{listed(silent, 5)}: left out of the ranking",
            stacklevel=3,
        )
    heard = source.heard()
    _refuse_what_vanishes(heard if isinstance(heard, ClassTermCounts) else heard.counts)
    return heard


def _refuse_what_vanishes(counts: ClassTermCounts) -> None:
    """Refuse classes with so little in them that one cannot be divided by it."""
    tokens = counts.tokens_per_class
    if tokens.min() < np.finfo(np.float64).tiny:
        raise ValueError(
            f"the counts of the class {counts.classes.tolist()[tokens.argmin()]!r} add "
            f"up to {tokens.min():.3g}, too little to work with; multiply all counts"
        )


def _refuse_what_is_no_number(counts: ClassTermCounts) -> None:
    """Refuse counts that cannot be compared, with which a ranking would never end."""
    for name, values in {
        "a count": counts.term_counts.data,
        "a count outside the terms": counts.rest_counts,
        "the number of documents of a class": counts.docs_per_class,
    }.items():
        if len(values) and not (values.min() >= 0 and values.max() < float("inf")):
            strange = values[~((values >= 0) & (values < float("inf")))][0]
            raise ValueError(
                f"{name} is {strange}; ranking needs finite numbers, 0 or more: count anew"
            )
    if counts.n_classes and not counts.docs_per_class.sum() > 0:
        raise ValueError("the classes have no documents, so no priors; count the documents anew")
