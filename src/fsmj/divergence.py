r"""Divergences between the classes' multinomials: formulas, no state.

Notation, here and in the kernel: :math:`p_{im}` is the probability of cell :math:`m` in class
:math:`i`, :math:`\pi_i` the prior of the class, :math:`p_{0m} = \sum_i \pi_i p_{im}` the mixture.

The paper's equations for the KL divergence carry a factor 1/N; the expectation gives the
document's length instead. Either is the same for every term, so no ranking depends on it,
and it is left out.
"""

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import rel_entr

__all__ = ["jeffreys", "jensen_shannon", "kullback_leibler"]

Reference = Literal["mixture", "complement"]
Weights = Literal["uniform", "prior"]


def kullback_leibler(p: ArrayLike, q: ArrayLike) -> float:
    r"""Measure how well data from `p` can be told from `q`: the KL divergence (Remark 1).

    .. math:: KL(P:Q) = \sum_m p_m \log \frac{p_m}{q_m}

    Parameters
    ----------
    p, q : array-like of shape (n_cells,)
        Probabilities.

    Returns
    -------
    float
        In nats; infinite where `q` is 0 and `p` is not.

    Examples
    --------
    >>> from fsmj.divergence import kullback_leibler
    >>> round(kullback_leibler([0.5, 0.5], [0.25, 0.75]), 4)
    0.1438
    """
    return float(np.sum(rel_entr(p, q)))


def jeffreys(p: ArrayLike, q: ArrayLike) -> float:
    r"""Add the KL divergences of both directions: the J-divergence (Remark 2).

    Parameters
    ----------
    p, q : array-like of shape (n_cells,)
        Probabilities.

    Returns
    -------
    float
        In nats.

    Examples
    --------
    >>> from fsmj.divergence import jeffreys
    >>> round(jeffreys([0.5, 0.5], [0.25, 0.75]), 4)
    0.2747
    """
    return kullback_leibler(p, q) + kullback_leibler(q, p)


def jensen_shannon(
    p: ArrayLike,
    priors: ArrayLike | None = None,
    *,
    reference: Reference = "mixture",
    weights: Weights = "uniform",
) -> float:
    r"""Measure how far several classes lie apart: the JS divergence of Definition 1.

    .. math:: JS(P_1, \dots, P_N) = \sum_i w_i \, KL(P_i : Q_i)

    Parameters
    ----------
    p : array-like of shape (n_classes, n_cells)
        The classes' probabilities.
    priors : array-like of shape (n_classes,), optional
        The classes' shares; equal by default.
    reference : {"mixture", "complement"}, default="mixture"
        What each class is compared with: the mixture of all classes (the paper's equations),
        or the mixture of the other classes (the paper's words, "one-vs-all").
    weights : {"uniform", "prior"}, default="uniform"
        :math:`w_i` is 1 (the paper), or the prior (Lin's generalised form: the mutual
        information of token and class).

    Returns
    -------
    float
        In nats.

    Notes
    -----
    With two classes, the complement as reference and uniform weights, this is the
    J-divergence.

    Examples
    --------
    >>> from fsmj.divergence import jensen_shannon
    >>> round(jensen_shannon([[0.5, 0.5], [0.25, 0.75]]), 4)
    0.0676
    """
    p = np.asarray(p, dtype=np.float64)
    shares = np.full(len(p), 1 / len(p)) if priors is None else np.asarray(priors)
    return float(np.sum(contributions(p, shares, reference, weights)))


def contributions(
    p: NDArray[np.float64], priors: NDArray[np.float64], reference: Reference, weights: Weights
) -> NDArray[np.float64]:
    r"""Return what each class and cell adds to the JS divergence.

    .. math:: w_i \, p_{im} \log \frac{p_{im}}{q_{im}}

    It is positive where the class has more of the cell than its reference, else negative. The
    parameters are as those of `jensen_shannon`, the result has the shape of `p`.
    """
    share = priors[:, None]
    q = share.T @ p
    if require(reference, Reference, "reference") == "complement":
        # The classes before and after: subtracting from the mixture would lose digits.
        parts = np.vstack([np.zeros_like(p[:1]), share * p, np.zeros_like(p[:1])])
        before, after = np.cumsum(parts, axis=0), np.cumsum(parts[::-1], axis=0)[::-1]
        q = (before[:-2] + after[2:]) / (1 - share)
    w = class_weights(priors, weights)[:, None]
    return np.asarray(w * rel_entr(p, q))


def class_weights(priors: NDArray[np.float64], weights: Weights) -> NDArray[np.float64]:
    """Return the weight of each class in the sum of Definition 1."""
    uniform = require(weights, Weights, "weights") == "uniform"
    return np.ones(len(priors)) if uniform else priors


def require(value: str, allowed: Any, name: str) -> str:
    """Return `value` if it is one of the literal type's choices."""
    choices = get_args(allowed)
    if value not in choices:
        raise ValueError(f"{name} must be {' or '.join(map(repr, choices))}; got {value!r}")
    return value
