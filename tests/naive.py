"""Slow, obvious references. Nothing here comes from the package.

They work on plain lists: ``counts[i][m]`` is how often term m occurs in class i.
"""

import decimal
import math
from decimal import Decimal

import numpy as np

TIE = 1e-12


# ── divergences ──────────────────────────────────────────────────────────────────────────────


def kl(p, q):
    return sum(a * math.log(a / b) if b > 0 else math.inf for a, b in zip(p, q) if a > 0)


def jensen_shannon(classes, priors, complement=False, prior_weights=False):
    total = 0.0
    for i, p in enumerate(classes):
        others = [k for k in range(len(classes)) if not (complement and k == i)]
        share = sum(priors[k] for k in others)
        q = [sum(priors[k] * classes[k][m] for k in others) / share for m in range(len(p))]
        total += (priors[i] if prior_weights else 1) * kl(p, q)
    return total


def probabilities(counts, alpha=0.0, rest=None):
    """Each class's terms, and as the last cell whatever lies outside the terms."""
    rest = rest or [0] * len(counts)
    outside_alpha = alpha if any(rest) else 0
    classes = []
    for row, r in zip(counts, rest):
        total = math.fsum(row) + r + alpha * len(row) + outside_alpha
        classes.append([(c + alpha) / total for c in row] + [(r + outside_alpha) / total])
    return classes


# ── the greedy ranking of Algorithm 1 ────────────────────────────────────────────────────────


def greedy(counts, priors, complement=False, prior_weights=False, alpha=0.0, rest=None):
    """Evaluate every remaining term at every step; return the order and the gains."""
    n_classes, n_terms = len(counts), len(counts[0])
    rest = rest or [0] * n_classes
    outside = any(rest)
    totals = [math.fsum(row) + r + alpha * (n_terms + outside) for row, r in zip(counts, rest)]
    w = list(priors) if prior_weights else [1.0] * n_classes

    def reference(a, i):
        if complement:
            return sum(priors[k] * a[k] for k in range(n_classes) if k != i) / (1 - priors[i])
        return sum(priors[k] * a[k] for k in range(n_classes))

    remaining = [m for m in range(n_terms) if alpha > 0 or any(row[m] for row in counts)]
    empty = [m for m in range(n_terms) if m not in set(remaining)]
    order, gains = [], []
    while remaining:
        R = [
            (math.fsum(counts[i][m] for m in remaining) + rest[i]
             + alpha * (len(remaining) + outside)) / totals[i]
            for i in range(n_classes)
        ]  # fmt: skip
        if sum(r > 0 for r in R) < 2 or len(remaining) + outside < 2:
            break
        gain, weight = {}, {}
        for m in remaining:
            p = [(counts[i][m] + alpha) / totals[i] for i in range(n_classes)]
            weight[m] = sum(a * b for a, b in zip(w, p))
            weight[m] = min(weight[m], sum(a * b for a, b in zip(w, R)) - weight[m])
            g = 0.0
            for i in range(n_classes):
                q, Q = reference(p, i), reference(R, i)
                if p[i] > 0:
                    g += w[i] * p[i] * (math.log(p[i] / q) - math.log(R[i] / Q))
                left = math.fsum(counts[i][k] for k in remaining if k != m) + rest[i]
                left = (left + alpha * (len(remaining) - 1 + outside)) / totals[i]
                if left > 0:
                    g += w[i] * left * (math.log1p(-p[i] / R[i]) - math.log1p(-q / Q))
            gain[m] = max(g, 0.0)
        best = max(remaining, key=lambda m: gain[m])
        tied = [
            m
            for m in remaining
            if gain[m] >= gain[best] - TIE * max(weight[m], weight[best])
            or len(remaining) + outside == 2
        ]
        order.append(min(tied))
        gains.append(gain[min(tied)])
        remaining.remove(min(tied))
    tail = sorted(remaining) + empty
    return order + tail, gains + [0.0] * len(tail)


def greedy_in_decimals(counts, docs, complement=False, prior_weights=False, alpha=0.0):
    """The same by the definition, f(p) + f(R - p) - f(R), with 60 digits; a list of columns."""
    with decimal.localcontext(prec=60):
        alpha, n_terms, classes = Decimal(alpha), len(counts[0]), range(len(counts))
        priors = [Decimal(int(d)) / Decimal(int(sum(docs))) for d in docs]
        w = priors if prior_weights else [Decimal(1)] * len(counts)
        rows = [[Decimal(c) + alpha for c in row] for row in counts]
        p = [[c / sum(row) for c in row] for row in rows]

        def f(a):
            total = Decimal(0)
            for i in classes:
                others = [k for k in classes if not (complement and k == i)]
                q = sum(priors[k] * a[k] for k in others) / sum(priors[k] for k in others)
                if a[i] > 0:
                    total += w[i] * a[i] * (a[i] / q).ln()
            return total

        remaining = [m for m in range(n_terms) if any(row[m] for row in rows)]
        empty = [m for m in range(n_terms) if m not in remaining]
        order = []
        while len(remaining) > 1:
            R = [sum(p[i][m] for m in remaining) for i in classes]
            if sum(r > 0 for r in R) < 2:
                break
            gain, weight = {}, {}
            for m in remaining:
                rest = [sum(p[i][k] for k in remaining if k != m) for i in classes]
                gain[m] = f([p[i][m] for i in classes]) + f(rest) - f(R)
                weight[m] = min(
                    sum(w[i] * p[i][m] for i in classes), sum(w[i] * rest[i] for i in classes)
                )
            best = max(remaining, key=lambda m: gain[m])
            tied = [
                m
                for m in remaining
                if gain[m] >= gain[best] - Decimal(TIE) * max(weight[m], weight[best])
                or len(remaining) == 2
            ]
            order.append(min(tied))
            remaining.remove(min(tied))
        return order + remaining + empty


def greedy_steps(counts, priors, complement=False, prior_weights=False, alpha=0.0):
    """The same in NumPy, dense, for thousands of terms: a generator of (column, gain)."""
    counts = np.asarray(counts, dtype=float)
    priors = np.asarray(priors, dtype=float)[:, None]
    w = priors if prior_weights else np.ones_like(priors)
    remaining = np.arange(counts.shape[1])
    if alpha == 0:
        remaining = remaining[counts.any(axis=0)]
    totals = counts.sum(axis=1, keepdims=True) + alpha * counts.shape[1]
    left = counts + alpha
    left = left[:, remaining]
    while len(remaining):
        gain, weight = gains(left / totals, left.sum(axis=1, keepdims=True) / totals, priors, w,
                             complement)  # fmt: skip
        best = gain.argmax()
        tied = gain >= gain[best] - TIE * np.maximum(weight, weight[best])
        if len(remaining) == 2 or (left.sum(axis=1) > 0).sum() < 2:
            tied[:] = True
        chosen = np.flatnonzero(tied)[0]
        yield remaining[chosen], gain[chosen]
        keep = np.arange(len(remaining)) != chosen
        remaining, left = remaining[keep], left[:, keep]


def gains(p, R, priors, w, complement):
    """The gains of all terms, from their probabilities p and the remaining mass R."""

    def reference(a):
        parts = priors * a
        if not complement:
            return parts.sum(axis=0, keepdims=True) + 0 * a
        nothing = np.zeros_like(parts[:1])
        before = np.vstack([nothing, np.cumsum(parts, axis=0)[:-1]])
        after = np.vstack([np.cumsum(parts[::-1], axis=0)[::-1][1:], nothing])
        return (before + after) / (1 - priors)

    q, Q = reference(p), reference(R)
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = np.where(p > 0, p * (np.log(p / q) - np.log(R / Q)), 0)
        left = R - p
        outside = np.where(p < R, left * (np.log1p(-p / R) - np.log1p(-q / Q)), 0)
    gain = np.maximum((w * (inside + outside)).sum(axis=0), 0)
    weight = (w * p).sum(axis=0)
    return gain, np.minimum(weight, (w * R).sum() - weight)


# ── the classical scores ─────────────────────────────────────────────────────────────────────


def score(method, with_term, docs_with_term, docs_of_class, n_docs):
    """One term and one class; the arguments are numbers of documents."""
    a, t, c, n = with_term, docs_with_term, docs_of_class, n_docs
    p_tc, p_tC, p_Tc, p_TC = a / n, (t - a) / n, (c - a) / n, (n - t - c + a) / n
    p_t, p_c = t / n, c / n
    if method == "mi":
        return math.log(p_tc / (p_t * p_c)) if a else 0.0
    if method == "cet":
        return p_tc * math.log(p_tc / (p_t * p_c)) if a else 0.0
    if method == "ig":
        absent = p_Tc * math.log(p_Tc / ((1 - p_t) * p_c)) if c > a else 0.0
        return score("cet", a, t, c, n) + absent
    if method == "rs":
        inside = a / c if c else 0.0
        outside = (n - t - c + a) / (n - c) if n > c else 0.0
        return math.log((inside + 1 / 6) / (outside + 1 / 6))
    excess = p_tc * p_TC - p_tC * p_Tc
    if method in ("ngl", "chi2"):
        below = p_t * (1 - p_t) * p_c * (1 - p_c)
        value = math.sqrt(n) * excess / math.sqrt(below) if 0 < t < n and 0 < c < n else 0.0
    else:
        value = excess / (math.sqrt(p_tc * p_tC * p_Tc * p_TC) + 1e-8)
    return value**2 if method.startswith("chi2") else value


def aggregate(scores, shares, how):
    if how == "sum":
        return math.fsum(scores)
    if how == "max":
        return max(scores)
    return math.fsum(s * f for s, f in zip(shares, scores))
