"""Choose the form of `logit` by cross-validation on the training parts of the study's corpora.

The rule, which docs/theory/documents.md repeats: of all forms, the one with which logistic
regression, its strength chosen for each corpus and number of words, classifies held-out training
documents best on average over corpora and numbers of words. No test document is read. Runs are
kept in results/logit. FSMJ_REUTERS_MAT names the paper's matrix.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from fsmj import Documents
from fsmj.methods.logit import Run, transformed
from study import corpora
from study_runs import SIZES, Candidate, Chooser, Columns, choose, validate


class NewtonRun(Run):
    """A selection by the curvature where the model is, not midway to where the step leads."""

    def score(self) -> NDArray[np.float64]:
        """Return what a Newton step along each free term would add; -1 for the others."""
        spread = self.weight[:, None] * self.probabilities * (1 - self.probabilities)
        slope = self.turned @ (self.weight[:, None] * (self.indicator - self.probabilities))
        curvature = csr_array(self.x.multiply(self.x).T) @ spread + 1 / self.strength
        return np.where(self.free, 0.5 * (slope * slope / curvature).sum(axis=1), -1.0)


def form(kind: type[Run], strength: float) -> Chooser:
    """Take the words of a forward selection in some form."""

    def chosen(documents: Documents, sizes: Sequence[int]) -> dict[int, Columns]:
        x = transformed(documents.X, "log", documents.weight)
        run = kind(x, documents.codes, documents.weight, strength)
        while len(run.order) < max(sizes):
            run.extend(max(sizes))
        return {k: run.order[:k] for k in sizes}

    return chosen


def main() -> None:
    tried = (("at once", NewtonRun, 1.0), ("midway", Run, 1.0), ("midway", Run, 0.3))
    forms = [Candidate(f"{name}, C = {C:g}", "", form(kind, C)) for name, kind, C in tried]
    problems = list(itertools.chain.from_iterable(corpora().values()))
    rows = validate(problems, Path("results/logit"), {one.name: one for one in forms})
    best = choose(rows[rows["classifier"] == "logistic regression"])
    table = best.pivot_table(index="method", columns="k", values="cv_accuracy")
    print(f"{'form':22} mean   ", *(f"k={k:<5}" for k in SIZES))
    for name, row in table.assign(mean=table.mean(axis=1)).sort_values("mean").iterrows():
        print(f"{name:22} {row['mean']:.4f} ", *(f"{row[k]:.4f} " for k in SIZES))


if __name__ == "__main__":
    main()
