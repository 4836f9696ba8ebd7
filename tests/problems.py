"""Problems for tests: documents of classes that each have words of their own among common ones."""

import numpy as np

from fsmj import Documents
from fsmj.experiment import Problem


def generated(name="Generated", n_terms=300, seed=0, cv=None):
    """A problem of 90 training and 61 test documents; with `cv`, all of them in so many parts."""
    generator = np.random.default_rng(seed)
    shares = generator.gamma(0.3, size=(3, n_terms)) + 0.05
    shares /= shares.sum(axis=1, keepdims=True)
    terms = [f"t{m}" for m in range(n_terms)]

    def part(n_docs):
        labels = np.array([0, 1, 2, 1, 0, 0])[np.arange(n_docs) % 6]
        X = np.array([generator.multinomial(12, shares[label]) for label in labels])
        return Documents(X, np.array(["corn", "gold", "ship"])[labels], terms)

    if cv is not None:
        return Problem(name, part(151), cv=cv)
    return Problem(name, part(90), part(61), "nobody")


def corpus(n_docs=120, n_terms=50, n_classes=4, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_docs)
    taste = rng.gamma(0.3, 1, (n_classes, n_terms))
    return rng.poisson(2 * taste[y]), y
