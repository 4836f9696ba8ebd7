"""Slow, obvious references for the methods that need documents; nothing is from the package.

``X[d][m]`` is the count of term m in document d; ``y[d]`` its class, a number from 0.
The tie rule: likelihoods within 1e-11 nats per document, and scores of `cmim` within 1e-12 nats,
count as equal, and the lowest column wins. Terms that no document contains come last, by column.
"""

import math
import warnings

import numpy as np
from sklearn.model_selection import StratifiedKFold

CLL_TIE = 1e-11
CMIM_TIE = 1e-12
TEMPERATURES = (1.0, 0.5, 0.3, 0.2, 0.1)
FOLDS = 3


# ── greedy conditional likelihood ────────────────────────────────────────────────────────────


def conditional_likelihood(X, y, selected, temperature, alpha, X_new=None, y_new=None):
    """Train naive Bayes on the selected terms of X; return the log-likelihood of the new labels."""
    X_new, y_new = (X, y) if X_new is None else (X_new, y_new)
    n_classes = max(y) + 1
    prior = [sum(label == i for label in y) / len(y) for i in range(n_classes)]
    count = [
        [alpha + math.fsum(x[m] for x, label in zip(X, y) if label == i) for m in selected]
        for i in range(n_classes)
    ]
    total = [math.fsum(row) for row in count]
    likelihoods = []
    for x, label in zip(X_new, y_new):
        s = [
            math.log(prior[i])
            + temperature
            * math.fsum(
                x[m] * (math.log(c) - math.log(total[i]))
                for m, c in zip(selected, count[i])
                if x[m]
            )
            for i in range(n_classes)
        ]
        top = max(s)
        likelihoods.append(s[label] - top - math.log(math.fsum(math.exp(v - top) for v in s)))
    return math.fsum(likelihoods)


def cll(X, y, n_terms=None, temperature=1.0, alpha=1.0):
    """Evaluate every remaining term at every step; return the order and the likelihoods."""
    n_docs, vocabulary = len(X), len(X[0])
    n_terms = vocabulary if n_terms is None else n_terms
    contained_in = [sum(x[m] > 0 for x in X) for m in range(vocabulary)]
    # One term alone says nothing, whichever it is: so the first is the one in most documents.
    order = [contained_in.index(max(contained_in))]
    while len(order) < n_terms:
        rest = [m for m in range(vocabulary) if m not in order]
        candidates = [m for m in rest if contained_in[m]]
        if not candidates:
            order.append(rest[0])
            continue
        value = {
            m: conditional_likelihood(X, y, [*order, m], temperature, alpha) for m in candidates
        }
        best = max(value.values())
        order.append(min(m for m in candidates if value[m] >= best - CLL_TIE * n_docs))
    order = order[:n_terms]
    path = [
        conditional_likelihood(X, y, order[: k + 1], temperature, alpha) for k in range(n_terms)
    ]
    return order, path


def cll_dense(X, y, temperature, alpha=1.0):
    """The same in matrix form, for more documents and terms; every term occurs somewhere."""
    Y = np.eye(max(y) + 1)[y]
    counts, log_prior = Y.T @ X + alpha, np.log(Y.mean(axis=0))

    def likelihood(selected):
        log_rate = np.log(counts[:, selected] / counts[:, selected].sum(axis=1, keepdims=True))
        s = log_prior + temperature * X[:, selected] @ log_rate.T
        return (Y * (s - np.logaddexp.reduce(s, axis=1, keepdims=True))).sum()

    order = [int(np.argmax((X > 0).sum(axis=0)))]
    path = [likelihood(order)]
    while len(order) < X.shape[1]:
        rest = [m for m in range(X.shape[1]) if m not in order]
        present = [m for m in rest if X[:, m].any()]
        value = {m: likelihood([*order, m]) for m in present} or {rest[0]: likelihood(order)}
        best = max(value.values())
        order.append(min(m for m in value if value[m] >= best - CLL_TIE * len(y)))
        path.append(likelihood(order))
    return order, path


def held_out_likelihood(X, y, n_terms, temperature, alpha=1.0):
    """Choose terms on the documents outside each fold; return the likelihood of those inside."""
    if len(set(y)) == len(y):
        return [0.0] * n_terms
    parts = max(2, min(FOLDS, max(list(y).count(label) for label in y)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of classes smaller than the number of parts
        folds = list(StratifiedKFold(parts).split(X, y))
    total = [0.0] * n_terms
    for rest, part in folds:
        # Classes that are not learnt take no part, nor those without a token.
        learnt = sorted({y[d] for d in rest if any(X[d])})
        code = {label: k for k, label in enumerate(learnt)}
        train = [X[d] for d in rest if y[d] in code], [code[y[d]] for d in rest if y[d] in code]
        test = [X[d] for d in part if y[d] in code], [code[y[d]] for d in part if y[d] in code]
        if not learnt:
            continue
        order, _ = cll(*train, n_terms, temperature, alpha)
        for size in range(n_terms):
            total[size] += conditional_likelihood(
                *train, order[: size + 1], temperature, alpha, *test
            )
    return total


def best_temperature(X, y, n_terms):
    """Go down the temperatures while the held-out likelihood after all steps rises."""
    best, highest = None, -math.inf
    for temperature in TEMPERATURES:
        likelihood = held_out_likelihood(X, y, n_terms, temperature)[-1]
        if likelihood <= highest + CLL_TIE * len(y):
            break
        best, highest = temperature, likelihood
    return best


# ── conditional mutual information ───────────────────────────────────────────────────────────


def conditional_information(present, y, given):
    """I(Y; X_m | Z) of every term m, where Z is 0 or 1 in each document."""
    n_docs, n_terms = present.shape
    total = np.zeros(n_terms)
    for z in (0, 1):
        inside = given == z
        for x in (0, 1):
            joint = (present[inside] == x).sum(axis=0) / n_docs
            for label in np.unique(y):
                of_class = inside & (y == label)
                p = (present[of_class] == x).sum(axis=0) / n_docs
                some = p > 0
                expected = joint[some] * (of_class.sum() / inside.sum()) if inside.any() else 1.0
                total[some] += p[some] * np.log(p[some] / expected)
    return total


def cmim(X, y, n_terms=None):
    """Fleuret's criterion, all terms against all selected; return the order and the scores."""
    present, y = np.asarray(X) > 0, np.asarray(y)
    vocabulary = present.shape[1]
    n_terms = vocabulary if n_terms is None else n_terms
    score = conditional_information(present, y, np.zeros(len(y)))
    candidates = [m for m in range(vocabulary) if present[:, m].any()]
    empty = [m for m in range(vocabulary) if not present[:, m].any()]
    order, scores = [], []
    while candidates and len(order) < n_terms:
        best = max(score[m] for m in candidates)
        winner = min(m for m in candidates if score[m] >= best - CMIM_TIE)
        candidates.remove(winner)
        order.append(winner)
        scores.append(score[winner])
        score = np.minimum(score, conditional_information(present, y, present[:, winner]))
    order += empty
    scores += [0.0] * len(empty)
    return order[:n_terms], scores[:n_terms]
