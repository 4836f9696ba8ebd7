"""How fast naive Bayes at every number of terms is: ratios, each measured in this one run.

Run it with ``make bench``; FSMJ_REUTERS_MAT names the paper's matrix, which it needs.
"""

import os
import sys
import warnings

import numpy as np
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

import fsmj
import fsmj.datasets
from timing import cpu_seconds, cpu_seconds_once, print_machine, print_ratio

SAMPLED = 60


def main():
    if "FSMJ_REUTERS_MAT" not in os.environ:
        sys.exit("FSMJ_REUTERS_MAT does not name the paper's matrix; nothing to measure")
    print_machine()
    corpus = fsmj.datasets.reuters(10, source="mat")
    X, y = corpus.train.X, corpus.train.y
    X_test, y_test = corpus.test.X, corpus.test.y
    counts = corpus.train.counts
    ranking = fsmj.rank(counts)

    def refit(k):
        columns = ranking.order[:k]
        model = MultinomialNB().fit(X[:, columns], y)
        return model.score(X_test[:, columns], y_test)

    curve = fsmj.sweep(ranking, counts, X_test, y_test)
    sizes = np.linspace(1, len(ranking), SAMPLED).astype(int)
    same = [refit(k) == curve.accuracy[k - 1] for k in sizes]
    each = cpu_seconds_once(lambda: [refit(k) for k in sizes]) / SAMPLED
    every = each * len(ranking)
    ours = cpu_seconds(lambda: fsmj.sweep(ranking, counts, X_test, y_test), 5)
    detail = f"{every:.0f} s, extrapolated from {SAMPLED}, / {ours:.2f} s"
    what = f"Reuters-10, all {len(ranking):,} prefixes: refitting / sweep"
    print_ratio(what, every / ours, "at least 400", detail)
    print_ratio("  sampled prefixes with the same accuracy", sum(same), f"of {SAMPLED}")

    grid = {"selectkbest__k": np.unique(np.geomspace(10, len(ranking), 20).astype(int)).tolist()}
    search = GridSearchCV(make_pipeline(SelectKBest(chi2), MultinomialNB()), grid, cv=5)
    theirs = cpu_seconds_once(lambda: search.fit(X, y))
    ours = cpu_seconds(lambda: fsmj.FSMJCV(cv=5).fit(X, y), 3)
    print_ratio("FSMJCV over all sizes / GridSearchCV over 20 sizes, 5 folds", ours / theirs,
                "at most 1", f"{ours:.2f} s / {theirs:.2f} s")  # fmt: skip
    print()
    print("Chosen without the test set: terms, cross-validated accuracy, test accuracy;")
    print("and the best test accuracy over all numbers of terms, which nobody could have known")
    for topics in (10, 20):
        corpus = fsmj.datasets.reuters(topics, source="mat")
        train, test = corpus.train, corpus.test
        for rule in (False, True):
            choice = fsmj.FSMJCV(cv=5, one_standard_error=rule).fit(train.X, train.y)
            curve = fsmj.sweep(choice.ranking_, choice.counts_, test.X, test.y)
            print(
                f"Reuters-{topics}{', one standard error' if rule else '':<20} "
                f"{choice.n_features_:>5} {choice.best_score_:.4f} "
                f"{curve.accuracy[choice.n_features_ - 1]:.4f}  best {curve.accuracy.max():.4f} "
                f"at {curve.ks[curve.accuracy.argmax()]}"
            )


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        main()
