"""Generated corpora for property tests."""

import numpy as np
from hypothesis import strategies as st
from scipy.sparse import csc_array

import fsmj


@st.composite
def class_term_counts(draw, max_classes=30, max_terms=60, real_valued=None):
    """Counts with the awkward cases: ties, duplicates, empty and exclusive terms, small classes."""
    n_classes = draw(st.integers(2, max_classes))
    n_terms = draw(st.integers(1, max_terms))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rate = draw(st.sampled_from([0.1, 0.5, 2.0, 20.0]))
    table = rng.poisson(rate * rng.pareto(1.5, n_terms), (n_classes, n_terms)).astype(float)
    shape = draw(st.sampled_from(["plain", "duplicates", "proportional", "exclusive"]))
    if shape == "duplicates":
        table = table[:, rng.integers(0, max(1, n_terms // 3), n_terms)]
    elif shape == "proportional":
        table = np.outer(rng.integers(1, 4, n_classes), rng.integers(0, 4, n_terms)).astype(float)
    elif shape == "exclusive":
        owner = rng.integers(0, n_classes, n_terms)
        table *= owner == np.arange(n_classes)[:, None]
    if draw(st.booleans()) if real_valued is None else real_valued:
        table *= rng.random(table.shape)
    table[table.sum(axis=1) == 0, rng.integers(n_terms)] = 1.0
    docs = rng.integers(1, draw(st.sampled_from([2, 50])) + 1, n_classes)
    return counts_of(table, docs)


def counts_of(table, docs):
    """ClassTermCounts with these numbers; every term in one document of each of its classes."""
    table = np.asarray(table)
    present = (table > 0).astype(np.int64)
    return fsmj.ClassTermCounts(
        classes=np.arange(len(table)),
        terms=None,
        term_counts=csc_array(table),
        doc_counts=csc_array(present),
        docs_per_class=np.asarray(docs),
        docs_per_term=present.sum(axis=0),
        rest_counts=np.zeros(len(table), table.dtype),
        n_docs=int(np.sum(docs)),
    )


@st.composite
def document_matrix(draw, max_docs=40, max_terms=12, real_valued=False):
    """A document-term matrix and labels."""
    n_docs = draw(st.integers(2, max_docs))
    n_terms = draw(st.integers(1, max_terms))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.poisson(0.4, (n_docs, n_terms))
    if real_valued:
        X = X * rng.random(X.shape)
    y = rng.choice(np.array(list("dacb")), n_docs)
    return X, y
