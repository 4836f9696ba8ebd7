"""Problems: documents to choose terms on, and how these are tried."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from fsmj.documents import Documents
from fsmj.evaluation import Split, folds_of, held_out, split


@dataclass(frozen=True, eq=False, repr=False)
class Problem:
    """Documents to choose terms on; others to classify with them, or parts of the same.

    A dataset is one: ``Problem(*fsmj.datasets.r8())``.

    Attributes
    ----------
    name : str
        What it is called in tables and figures.
    train : Documents
        With one label each.
    test : Documents or None
        With the same columns; without them, the training documents are cross-validated.
    citation : str
        What to cite when results are published.
    cv : int
        In how many parts: each is held out once, while terms are chosen on the others.

    Examples
    --------
    >>> import fsmj
    >>> documents = fsmj.Documents([[2, 0], [0, 1], [1, 0], [0, 2]], ["a", "b", "a", "b"])
    >>> Problem("small", documents, cv=2)
    Problem('small', 4 documents in 2 parts × 2 terms)
    """

    name: str
    train: Documents
    test: Documents | None = None
    citation: str = ""
    cv: int = 5

    def __post_init__(self) -> None:
        for part in (self.train, self.tested):
            if part.n_docs == 0:
                raise ValueError(f"{self.name} needs training and test documents; one part is none")
            if not part.has_one_label_each:
                raise ValueError(
                    f"{self.name} has documents with several labels; one each is needed"
                )
        if self.tested.n_terms != self.train.n_terms:
            raise ValueError(
                f"the training documents of {self.name} have {self.train.n_terms:,} columns and "
                f"the test documents {self.tested.n_terms:,}; they must be the same"
            )

    def __repr__(self) -> str:
        how = f" documents in {self.cv} parts" if self.test is None else f" + {self.n_test:,}"
        return f"Problem({self.name!r}, {self.train.n_docs:,}{how} × {self.train.n_terms:,} terms)"

    @property
    def tested(self) -> Documents:
        """The documents that are classified, each once."""
        return self.train if self.test is None else self.test

    @property
    def n_test(self) -> int:
        """How many documents are classified."""
        return self.tested.n_docs

    @cached_property
    def splits(self) -> list[Split]:
        """Documents to rank and documents to classify, the same for all methods."""
        if self.test is None:
            return [split(self.train, fold) for fold in folds_of(self.train, self.cv)]
        return [held_out(self.train.heard(), self.test)]

    @property
    def slug(self) -> str:
        """The name as a folder is called."""
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-") or "problem"

    @cached_property
    def fingerprint(self) -> str:
        """A number that changes with any document, label, term, or how they are tried."""
        digest = hashlib.sha256(f"{self.cv}".encode() if self.test is None else b"")
        for part in (self.train,) if self.test is None else (self.train, self.test):
            cells = csr_array(part.X, copy=True)
            cells.sum_duplicates()
            digest.update(repr(cells.shape).encode())
            for array, kind in (
                (cells.indptr, np.int64), (cells.indices, np.int64), (cells.data, np.float64)
            ):  # fmt: skip
                digest.update(array.astype(kind).tobytes())
            digest.update("\0".join(map(str, part.y.tolist())).encode())
        terms = [] if self.train.terms is None else self.train.terms.tolist()
        digest.update("\0".join(terms).encode())
        return digest.hexdigest()
