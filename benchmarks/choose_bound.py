"""Choose the form of `bound` by cross-validation on the training parts of the study's corpora.

The rule, which docs/theory/bound.md repeats: of all forms, the one whose accuracy (MultinomialNB
without a rest cell) on held-out training documents is highest on average over corpora, folds and
numbers of terms; then the longest rounds that lose no more than 0.001 of it. No test document is
read. FSMJ_REUTERS_MAT names the paper's matrix.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from fsmj import ClassTermCounts, Documents
from fsmj.methods._bound import descend
from fsmj.methods.bound import rates_of
from study import corpora

SIZES = (10, 20, 50, 100, 200)
FOLDS = 5
TABLES = ("documents", "both", "occurrences")  # both: the geometric mean
BALLAST = {"shares": 0.01, "one word": 1.0, "rates": 1e6}
TEMPERATURES = (1.0, 2.0, 3.0, 4.0, 6.0)
GROWTHS = (1.0, 1.25, 1.5, 2.0)
LOSS = 0.001


def table_of(counts: ClassTermCounts, name: str) -> csc_array:
    """Return the counts from which the rates are made."""
    if name == "documents":
        return counts.doc_counts
    if name == "occurrences":
        return counts.term_counts
    return csc_array(counts.term_counts.multiply(counts.doc_counts)).sqrt()


def accuracies(counts: ClassTermCounts, held: Documents, order: NDArray[np.int64]) -> list[float]:
    """Return naive Bayes's accuracy at every size."""
    result = []
    for size in SIZES:
        shares = counts.term_counts[:, order[:size]].toarray() + 1.0
        log_share = np.log(shares / shares.sum(axis=1, keepdims=True))
        scores = held.X[:, order[:size]] @ log_share.T + np.log(counts.priors)
        result.append(float((counts.classes[scores.argmax(axis=1)] == held.y).mean()))
    return result


def parts() -> Iterator[tuple[str, ClassTermCounts, Documents]]:
    """Return the folds of the training parts: what is learnt from, and what is held out."""
    for problem in itertools.chain.from_iterable(corpora().values()):
        for fold in problem.train.folds(FOLDS):
            learnt = problem.train.take(fold.train).counts
            yield problem.name, learnt, problem.train.take(fold.held)


def main() -> None:
    warnings.simplefilter("ignore")
    forms = list(itertools.product(TABLES, BALLAST, TEMPERATURES, (1.25,)))
    forms += [("documents", "one word", 3.0, growth) for growth in GROWTHS if growth != 1.25]
    results: dict[tuple[str, str, float, float], dict[str, list[list[float]]]] = {}
    for name, counts, held in parts():
        first = int(np.argmax(counts.docs_per_term))
        for form in forms:
            table, ballast, temperature, growth = form
            order, _ = descend(
                rates_of(table_of(counts, table), counts), counts.priors, first=first,
                temperature=temperature, ballast=BALLAST[ballast], growth=growth,
                n_terms=max(SIZES),
            )  # fmt: skip
            row = accuracies(counts, held, order)
            results.setdefault(form, {}).setdefault(name, []).append(row)
        print(f"# {name} done", flush=True)
    print("table         form      T    growth   mean  ", *(f"k={k:<5}" for k in SIZES))
    averages = {form: np.mean([np.mean(rows, 0) for rows in of.values()], 0)
                for form, of in results.items()}  # fmt: skip
    for form, row in sorted(averages.items(), key=lambda item: -item[1].mean()):
        table, ballast, temperature, growth = form
        print(f"{table:13} {ballast:9} {temperature:<4g} {growth:<6g} {row.mean():.4f}  ",
              *(f"{value:.4f} " for value in row))  # fmt: skip


if __name__ == "__main__":
    main()
