"""Documents, labels, weights and names as users hand them in: checked, in one form."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csc_array, csr_array, issparse

LISTS = (list, tuple, set, frozenset)  # what several labels of a document come in,
SEVERAL = (*LISTS, np.ndarray)  # or a row of a table
_ROUNDING = 1e-12  # what subtracting sums of real-valued weights may leave of nothing


def checked(
    X: Any, y: Any, terms: Iterable[str] | None, sample_weight: ArrayLike | None
) -> tuple[csr_array, NDArray[Any], csr_array, NDArray[Any] | None, NDArray[Any]]:
    """Return documents, classes, membership, terms and weights; a data frame names the terms."""
    if terms is None and hasattr(X, "columns"):
        terms = [str(column) for column in X.columns]
    documents = documents_of(X)
    n_docs, n_terms = documents.shape
    classes, membership = membership_of(y, n_docs)
    names = names_of(terms, n_terms)
    return documents, classes, membership, names, weights_of(sample_weight, n_docs)


def documents_of(X: Any) -> csr_array:
    """Return the document-term matrix in 64 bits, without stored zeros."""
    from sklearn.utils import check_array

    X = check_array(
        X,
        accept_sparse=["csr", "csc", "coo"],
        ensure_min_samples=0,
        ensure_min_features=0,
        input_name="X",
        estimator="ClassTermCounts",
    )
    if X.dtype.kind == "u":
        _refuse_beyond_64_bits(X.data if issparse(X) else X)
    documents = csr_array(X, dtype=np.int64 if X.dtype.kind in "biu" else np.float64)
    least = documents.data.min(initial=1)
    if least < 0:
        raise ValueError("Negative values in data: a term cannot occur less than 0 times")
    if least == 0 or not documents.has_canonical_format:
        documents = documents.copy()
        documents.sum_duplicates()
        documents.eliminate_zeros()
    return documents


def _refuse_beyond_64_bits(numbers: NDArray[Any]) -> None:
    """Refuse unsigned numbers that would be negative ones with a sign."""
    most = int(numbers.max(initial=0))
    if most >= 2**63:
        raise ValueError(
            f"the number {most} is more than 64 bits can hold with a sign; pass it as a float"
        )


def membership_of(y: Any, n_docs: int) -> tuple[NDArray[Any], csr_array]:
    """Return the sorted classes and the documents' 0/1 membership in them.

    `y` holds labels of any sortable type, or is an indicator matrix of documents and classes.
    """
    given = y if issparse(y) else labels_of(y)
    if issparse(y) or (given.ndim == 2 and given.shape[1] != 1):
        classes = np.asarray(y.columns) if hasattr(y, "columns") else np.arange(given.shape[1])
        if len(set(classes.tolist())) < len(classes):
            raise ValueError("two columns of the label indicator matrix have the same name")
        membership = csr_array(given if issparse(y) else given.astype(np.float64), copy=True)
        membership.sum_duplicates()
        membership.eliminate_zeros()
        if not (membership.data == 1).all():
            raise ValueError("a label indicator matrix holds only 0 and 1")
        order = np.argsort(classes, kind="stable")
        classes, membership = classes[order], csr_array(membership[:, order], dtype=np.int64)
    else:
        labels = given.reshape(-1)
        if labels.dtype.kind == "O":  # which takes long to sort
            classes, membership = listed_membership(labels.tolist())
        else:
            classes, codes = np.unique(labels, return_inverse=True)
            membership = one_label_each(codes, len(classes))
    if membership.shape[0] != n_docs:
        raise ValueError(
            f"there are {n_docs} documents but {membership.shape[0]} labels; "
            "give one label, or one indicator row, to each document"
        )
    return classes, membership


def labels_of(y: Any) -> NDArray[Any]:
    """Return labels, or an indicator matrix, as an array in which nothing is missing."""
    if isinstance(y, Sequence):  # among strings, an array would make the word "nan" of NaN
        _refuse_missing(y)
    labels = np.atleast_1d(np.asarray(y))
    _refuse_missing(labels)
    return labels


def require_number_of_docs(number: Any, name: str = "min_docs") -> None:
    """Refuse what is no number of documents, such as a share of them."""
    if not (isinstance(number, Real) and float(number) >= 1):
        raise ValueError(
            f"{name} is a number of documents, 1 or more, and not a share of them; got {number!r}"
        )


def one_label_each(codes: NDArray[np.intp], n_classes: int) -> csr_array:
    """Return the membership of documents that have one class each, given by number."""
    ones, starts = np.ones(len(codes), np.int64), np.arange(len(codes) + 1)
    return csr_array((ones, codes, starts), shape=(len(codes), n_classes))


def object_array(values: Sequence[Any]) -> NDArray[Any]:
    """Return values as an array of objects, whatever they are."""
    array = np.empty(len(values), object)
    array[:] = list(values)
    return array


def strings_of(values: Iterable[Any], each: str = "the text of document") -> Iterator[str]:
    """Yield strings; refuse what is none, by what each is called and its number from 0."""
    for number, value in enumerate(values):
        if not isinstance(value, str):
            raise ValueError(
                f"{each} {number} is not a string but {type(value).__name__}: {value!r:.40}"
            )
        yield value


class LabelCodes:
    """Numbers labels as they appear."""

    def __init__(self) -> None:
        self.labels: list[Any] = []
        self._codes: dict[Any, int] = {}

    def encode(self, labels: Iterable[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the classes of each document: those of d are ``member[first[d]:first[d + 1]]``.

        A document has a label, or a list of labels.
        """
        given = list(labels)
        first = np.arange(len(given) + 1)
        if any(issubclass(kind, LISTS) for kind in set(map(type, given))):
            each = [dict.fromkeys(one) if isinstance(one, LISTS) else (one,) for one in given]
            first[1:] = np.cumsum([len(several) for several in each])
            given = [one for several in each for one in several]
        for label in dict.fromkeys(given):
            if self._codes.setdefault(label, len(self.labels)) == len(self.labels):
                self.labels.append(label)
        member = np.fromiter(map(self._codes.__getitem__, given), np.int64, len(given))
        return first, member

    def in_order(self) -> tuple[NDArray[Any], NDArray[np.intp]]:
        """Return the labels sorted, numbers as numbers, and where each of them has gone."""
        classes = object_array(
            [getattr(label, "item", lambda label=label: label)() for label in self.labels]
        )
        try:
            order = np.argsort(classes, kind="stable")
        except TypeError:
            kinds = " and ".join(sorted({type(label).__name__ for label in classes}))
            raise ValueError(
                f"labels of different types cannot be sorted: {kinds}; make them all strings or "
                "all numbers"
            ) from None
        if all(isinstance(label, (bool, int, float)) for label in classes):
            classes = np.array(classes.tolist())
        return classes[order], np.argsort(order)


def listed_membership(labels: Sequence[Any]) -> tuple[NDArray[Any], csr_array]:
    """Return classes and membership of documents that have a label, or a list of labels, each."""
    codes = LabelCodes()
    first, member = codes.encode(labels)
    if any(map(is_null, codes.labels)):
        _refuse_missing(labels)
    classes, place = codes.in_order()
    ones, shape = np.ones(len(member), np.int64), (len(labels), len(classes))
    return classes, csr_array((ones, place[member], first), shape=shape)


def _refuse_missing(labels: Any) -> None:
    if getattr(labels, "dtype", np.dtype(object)).kind == "O":
        if set(map(type, labels)) <= {str, int, bool}:  # what most labels are
            return
        each = (label if isinstance(label, SEVERAL) else (label,) for label in labels)
        missing = np.array([any(map(is_null, several)) for several in each], bool)
    else:
        missing = labels != labels  # NaN is the value that differs from itself
    if np.any(missing):
        raise ValueError(
            f"the label of document {np.argwhere(missing)[0, 0]} is missing; "
            "leave out documents without a label"
        )


def is_null(label: Any) -> bool:
    """Whether a value stands for none: None, not a number, pandas's NA."""
    try:
        return label is None or bool(label != label)
    except TypeError:  # pandas's NA is neither equal nor different
        return True


def weights_of(sample_weight: ArrayLike | None, n_docs: int) -> NDArray[Any]:
    """Return how often each document counts, in whole numbers where possible."""
    if sample_weight is None:
        return np.ones(n_docs, np.int64)
    weight = np.asarray(sample_weight)
    if weight.dtype.kind == "u":
        _refuse_beyond_64_bits(weight)
    weight = weight.astype(np.int64 if weight.dtype.kind in "biu" else np.float64)
    if weight.shape != (n_docs,):
        raise ValueError(
            f"sample_weight has shape {weight.shape}; expected one weight for each of "
            f"{n_docs} documents"
        )
    if not (np.isfinite(weight).all() and (weight >= 0).all()):
        raise ValueError("sample_weight must be finite and not negative")
    return weight


def refuse_overflow(documents: csr_array, membership: csr_array, weight: NDArray[Any]) -> None:
    """Refuse counts whose sum a 64-bit number cannot hold."""
    if documents.dtype.kind == "f" or weight.dtype.kind == "f":
        with np.errstate(over="ignore"):
            total = documents.data.sum(dtype=np.float64) * weight.max(initial=1)
        if not np.isfinite(total):
            raise ValueError("the counts add up to more than a floating-point number can hold")
        return
    most = np.diff(membership.indptr).max(initial=1) * float(weight.max(initial=1))
    if float(documents.data.max(initial=0)) * documents.nnz * most < 2.0**62:
        return
    total = float(documents.astype(np.float64).sum(axis=1) @ weight.astype(np.float64))
    if not total < 2.0**63:
        raise ValueError(
            f"the counts add up to {total:.3g}, more than 64 bits can hold; pass them as floats"
        )


def names_of(terms: Iterable[str] | None, n_terms: int) -> NDArray[Any] | None:
    """Return the names of the terms as an object array, each of them once."""
    if terms is None:
        return None
    listed = list(terms)
    if len(listed) != n_terms:
        raise ValueError(f"there are {n_terms} columns but {len(listed)} terms")
    names = object_array([*strings_of(listed, "the term of column")])
    if len(set(listed)) < len(listed):
        twice = Counter(listed).most_common(1)[0][0]
        raise ValueError(f"the term {twice!r} names two columns; give each column its own name")
    return names


def difference(whole: Any, part: Any) -> Any:
    """Subtract, sparse or dense; what rounding leaves of nothing becomes nothing."""
    left = whole - part
    if np.ndim(left) == 0 and not issparse(left):
        return difference(np.array([whole]), np.array([part])).item()
    if not np.issubdtype(left.dtype, np.integer):
        left = left * (abs(left) > _ROUNDING * whole)
    if (left.data if issparse(left) else left).min(initial=0) < 0:
        raise ValueError("cannot subtract: a count would become negative")
    if issparse(left):
        left = csc_array(left)
        left.eliminate_zeros()
    return left
