"""The runs of the study: choices by cross-validation on the training part, one look at the test.

A run is one form of one method on one corpus: it chooses the words, and two classifiers are fitted
to them at every number of words. Its rows go to a file of its own, and nothing is done twice.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

import fsmj
from fsmj import Documents
from fsmj._atomic import whole_file
from fsmj.experiment import Problem
from fsmj.resampling import agreement_of

SIZES = (10, 20, 50, 100, 200, 500)
FOLDS = 3
STRENGTHS = (0.3, 3.0, 30.0)  # C of the logistic regression
L1_STRENGTHS = tuple(1e-4 * 2.0**i for i in range(15))  # C of the L1 peer, up to 1.6
RESAMPLES, WORDS = 10, 50  # of the stability
KEY = ["corpus", "classifier", "method", "k"]  # what is compared
CHOICE = ["option", "strength"]  # what is left open: chosen anew for each of these

Columns = NDArray[np.int64]
Chooser = Callable[[Documents, Sequence[int]], dict[int, Columns]]


class Candidate(NamedTuple):
    """A method in one of its forms."""

    method: str
    option: str
    choose: Chooser
    """Returns the columns for each number of words that the documents have."""

    @property
    def name(self) -> str:
        """What its files are called."""
        return f"{self.method} {self.option}".strip().lower().replace(" ", "-")


def ours(method: str, **options: Any) -> Chooser:
    """Take the first words of a ranking."""

    def choose(documents: Documents, sizes: Sequence[int]) -> dict[int, Columns]:
        order = fsmj.rank(documents, method, max(sizes), **options).order
        return {k: order[:k] for k in sizes if k <= len(order)}

    return choose


def l1_svm(documents: Documents, sizes: Sequence[int]) -> dict[int, Columns]:
    """Take the words with the largest coefficients of a linear SVM with an L1 penalty.

    The penalty is the strongest, of a series of halves, that leaves as many words as are wanted;
    if none does, words without a coefficient fill up.
    """
    X, chosen = logs(documents.X), dict[int, Columns]()
    for strength in L1_STRENGTHS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of convergence: what is there will do
            model = LinearSVC(C=strength, penalty="l1", dual=False, tol=1e-3, random_state=0)
            model.fit(X, documents.codes)
        largest = np.abs(model.coef_).max(axis=0)
        order = np.argsort(-largest, kind="stable")
        for k in sizes:
            if k not in chosen and k <= np.count_nonzero(largest):
                chosen[k] = order[:k]
        if len(chosen) == len(sizes):
            break
    return {k: chosen.get(k, order[:k]) for k in sizes}


def _candidates() -> Iterator[Candidate]:
    yield Candidate("IG", "max", ours("ig", aggregate="max"))
    yield Candidate("IG", "sum", ours("ig", aggregate="sum"))
    yield Candidate("Chi", "average", ours("chi2", aggregate="average"))
    yield Candidate("Chi", "sum", ours("chi2", aggregate="sum"))
    yield Candidate("FSMJ", "prior", ours("fsmj", weights="prior"))
    yield Candidate("FSMJ", "uniform", ours("fsmj"))
    yield Candidate("Bound", "", ours("bound"))
    yield Candidate("CMIM", "", ours("cmim"))
    yield Candidate("L1 SVM", "", l1_svm)
    yield Candidate("Logit", "", ours("logit"))
    yield Candidate("CLL", "", ours("cll"))


CANDIDATES = {candidate.name: candidate for candidate in _candidates()}
DEFAULTS = {
    "IG": ours("ig"), "Chi": ours("chi2"), "FSMJ": ours("fsmj"), "Bound": ours("bound"),
    "CMIM": ours("cmim"), "L1 SVM": l1_svm, "Logit": ours("logit"), "CLL": ours("cll"),
}  # fmt: skip


def logs(X: Any) -> csr_matrix:
    """Return log(1 + count), as the linear classifiers get it."""
    logged = csr_matrix(X, dtype=np.float64, copy=True)
    logged.data = np.log1p(logged.data)
    logged.indices, logged.indptr = logged.indices.astype("i4"), logged.indptr.astype("i4")
    return logged


def naive_bayes(train: Documents, X: Any, columns: Columns, strength: float) -> NDArray[Any]:
    """Classify documents by multinomial naive Bayes on some words."""
    model = MultinomialNB().fit(train.X[:, columns], train.y)
    return np.asarray(model.predict(X[:, columns]))


def logistic(train: Documents, X: Any, columns: Columns, strength: float) -> NDArray[Any]:
    """Classify documents by logistic regression on the logarithms of some words' counts."""
    model = LogisticRegression(C=strength, max_iter=200)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(logs(train.X[:, columns]), train.y)
    return np.asarray(model.predict(logs(X[:, columns])))


CLASSIFIERS: dict[str, tuple[Any, tuple[float, ...]]] = {
    "naive Bayes": (naive_bayes, (0.0,)),
    "logistic regression": (logistic, STRENGTHS),
}


def validate(
    problems: Iterable[Problem], folder: Path, candidates: Mapping[str, Candidate] = CANDIDATES
) -> pd.DataFrame:
    """Cross-validate every option of every method with both classifiers on the training parts.

    Returns
    -------
    pandas.DataFrame
        One row for each of `KEY` and `CHOICE`: cv_accuracy, the mean over the folds.
    """
    tables = [
        _kept(folder / problem.slug / name, lambda p=problem, c=one: _folds(p, c))  # type: ignore[misc]
        for problem in problems
        for name, one in candidates.items()
    ]
    return pd.concat(tables, ignore_index=True)


def choose(validated: pd.DataFrame) -> pd.DataFrame:
    """Keep each method's best option and strength; the first in order among equals."""
    ordered = validated.sort_values(CHOICE, kind="stable")
    best = ordered.groupby(KEY, sort=False)["cv_accuracy"].idxmax()
    return validated.loc[sorted(best)].reset_index(drop=True)


def look_at_test(
    problems: Iterable[Problem],
    chosen: pd.DataFrame,
    folder: Path,
    candidates: Mapping[str, Candidate] = CANDIDATES,
) -> pd.DataFrame:
    """Measure what was chosen, and nothing else, on the test parts.

    Returns
    -------
    pandas.DataFrame
        `chosen` with test_accuracy, test_macro_f1, seconds (of CPU, to choose the words) and
        right, a bit for each test document, 1 where it is classified right, in hexadecimals.
    """
    tables = []
    for problem in problems:
        for name, one in candidates.items():
            rows = chosen[
                (chosen["corpus"] == problem.name)
                & (chosen["method"] == one.method)
                & (chosen["option"] == one.option)
            ]
            if len(rows):
                path = folder / problem.slug / name
                tables.append(_kept(path, lambda p=problem, c=one, r=rows: _tested(p, c, r)))  # type: ignore[misc]
    return chosen.merge(pd.concat(tables), on=[*KEY, *CHOICE])


def draw_anew(
    problems: Iterable[Problem], folder: Path, choosers: Mapping[str, Chooser] = DEFAULTS
) -> pd.DataFrame:
    """Measure how alike the words are that a method takes when documents are drawn anew.

    Returns
    -------
    pandas.DataFrame
        corpus, method, stability, low, high: of the first `WORDS` words in `RESAMPLES` draws.
    """
    tables = [
        _kept(folder / problem.slug / name, lambda p=problem, n=name, c=one: _drawn(p, n, c))  # type: ignore[misc]
        for problem in problems
        for name, one in choosers.items()
    ]
    return pd.concat(tables, ignore_index=True)


def _drawn(problem: Problem, name: str, chooser: Chooser) -> pd.DataFrame:
    """Return the stability of a method on a training part, each class drawn from its own."""
    train, generator = problem.train, np.random.default_rng(0)
    chosen = np.zeros((RESAMPLES, train.n_terms), bool)
    for one in chosen:
        rows = [
            generator.choice(np.flatnonzero(train.codes == code), size)
            for code, size in enumerate(np.bincount(train.codes))
        ]
        one[chooser(train.take(np.concatenate(rows)), (WORDS,))[WORDS]] = True
    found = agreement_of(chosen, int((train.counts.docs_per_term > 0).sum()))
    columns = ["corpus", "method", "stability", "low", "high"]
    return pd.DataFrame([(problem.name, name, *found)], columns=columns)


def _folds(problem: Problem, candidate: Candidate) -> pd.DataFrame:
    """Return the mean accuracy over the folds for each classifier, strength and size."""
    hits: dict[tuple[str, float, int], list[float]] = {}
    for fold in problem.train.folds(FOLDS):
        learnt, held = problem.train.take(fold.train), problem.train.take(fold.held)
        for k, columns in candidate.choose(learnt, SIZES).items():
            for name, (classify, strengths) in CLASSIFIERS.items():
                for strength in strengths:
                    given = classify(learnt, held.X, columns, strength)
                    hits.setdefault((name, strength, k), []).append((given == held.y).mean())
    rows = [(*key, np.mean(each)) for key, each in hits.items() if len(each) == FOLDS]
    table = pd.DataFrame(rows, columns=["classifier", "strength", "k", "cv_accuracy"])
    return table.assign(corpus=problem.name, method=candidate.method, option=candidate.option)


def _tested(problem: Problem, candidate: Candidate, rows: pd.DataFrame) -> pd.DataFrame:
    """Return what the chosen rows of a candidate come to on the test part."""
    problem.train.counts  # noqa: B018 - before the clock starts: a cost that all methods share
    start = time.process_time()
    columns = candidate.choose(problem.train, SIZES)
    seconds = time.process_time() - start
    test, found = problem.tested, []
    for key in rows[[*KEY, *CHOICE]].itertuples(index=False):
        classify, _ = CLASSIFIERS[key.classifier]
        given = classify(problem.train, test.X, columns[key.k], key.strength)
        right = given == test.y
        f1 = f1_score(test.y, given, average="macro")
        found.append((*key, right.mean(), f1, seconds, np.packbits(right).tobytes().hex()))
    figures = ["test_accuracy", "test_macro_f1", "seconds", "right"]
    return pd.DataFrame(found, columns=[*KEY, *CHOICE, *figures])


def _kept(path: Path, measure: Callable[[], pd.DataFrame]) -> pd.DataFrame:
    """Read the rows of a run, or make and write them."""
    path = path.with_name(f"{path.name}.parquet")
    if path.exists():
        return pd.read_parquet(path)
    table = measure()
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as scratch:
        table.to_parquet(scratch)
    print(path, flush=True)
    return table
