"""A slow, obvious reference for `bound`; nothing is from the package.

``docs[i][t]`` is the number of documents of class i with term t; ``n[i]`` that of its documents.
The tie rule: gains within 1e-11 of the best, relatively, count as equal, and the lowest column
wins. Two classes whose roots of shares differ by less than 1e-13, relatively, have the same share.
R, the rates taken so far, is looked at anew when the terms taken have grown by a quarter, and when
by the last look no term gains anything.
"""

import math

GROWTH = 1.25
TIE = 1e-11


def distance(R, r, i, j):
    """What a term with rates r adds to the distance of two classes."""
    u, v = math.sqrt(R[i] * r[j]), math.sqrt(R[j] * r[i])
    if abs(u - v) <= 1e-13 * (u + v):
        return 0.0
    roots = math.sqrt((R[i] + r[i]) * (R[j] + r[j])) + math.sqrt(R[i] * R[j])
    return (u - v) ** 2 / (roots + math.sqrt(r[i] * r[j]))


def bound(docs, n, first, temperature, growth=GROWTH):
    """Evaluate every remaining term at every step; return the order and what each takes away."""
    classes, terms = range(len(n)), range(len(docs[0]))
    rate = [[docs[i][t] / n[i] if n[i] else 0.0 for i in classes] for t in terms]
    pairs = [(i, j) for i in classes for j in classes if i < j]
    W = {(i, j): math.sqrt(n[i] * n[j]) / sum(n) for i, j in pairs}
    now = [1.0 for i in classes]
    order, falls, look_at = [], [], 0

    def gains(rest, R):
        away = {t: [temperature * distance(R, rate[t], *p) for p in pairs] for t in rest}
        return {t: math.fsum(-W[p] * math.expm1(-d) for p, d in zip(pairs, away[t])) for t in rest}

    empty = [t for t in terms if not any(rate[t])]
    while len(order) < len(terms) - len(empty):
        if len(order) == look_at:
            R = list(now)
            look_at = max(len(order) + 1, math.ceil(len(order) * growth))
        rest = [t for t in terms if t not in order and t not in empty] if order else [first]
        gain = gains(rest, R)
        if order and not any(gain.values()):
            R = list(now)
            gain = gains(rest, R)
        best = max(gain.values())
        taken = min(t for t in rest if gain[t] >= best * (1 - TIE))
        order.append(taken)
        falls.append(gain[taken])
        for p in pairs:
            W[p] *= math.exp(-temperature * distance(R, rate[taken], *p))
        now = [now[i] + rate[taken][i] for i in classes]
    return order + empty, falls + [0.0] * len(empty)
