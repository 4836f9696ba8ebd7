"""Slow, obvious references for what is said of words. Nothing here comes from the package."""

import math
from itertools import combinations
from statistics import mean


def log2_ratio(count, tokens, count_elsewhere, tokens_elsewhere):
    """Compare what is counted with what is expected, half an occurrence added to each."""
    rate = (count + count_elsewhere) / (tokens + tokens_elsewhere)
    here = (count + 0.5) / (rate * tokens + 0.5)
    elsewhere = (count_elsewhere + 0.5) / (rate * tokens_elsewhere + 0.5)
    return math.log2(here) - math.log2(elsewhere)


def kuncheva(choices, d):
    """Kuncheva's index, averaged over all pairs: the stability where all choices are as large."""
    k = len(choices[0])
    return mean((len(a & b) - k * k / d) / (k - k * k / d) for a, b in combinations(choices, 2))


def agreement(choices, d):
    """The stability of Nogueira, Sechidis and Brown, and its variance, feature by feature."""
    m = len(choices)
    sizes = [len(choice) for choice in choices]
    mean_size = mean(sizes)
    chance = mean_size / d * (1 - mean_size / d)
    shares = [sum(f in choice for choice in choices) / m for f in range(d)]
    stability = 1 - mean(m / (m - 1) * p * (1 - p) for p in shares) / chance
    parts = [
        (
            mean((f in choice) * shares[f] for f in range(d))
            - size * mean_size / d**2
            + stability / 2 * (2 * size * mean_size / d**2 - size / d - mean_size / d + 1)
        )
        / chance
        for choice, size in zip(choices, sizes)
    ]
    variance = 4 / m**2 * sum((part - mean(parts)) ** 2 for part in parts)
    return stability, variance
