"""cll: the terms with which naive Bayes explains the labels best, one by one."""

from __future__ import annotations

from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from fsmj._interruptible import interruptible
from fsmj.documents import Documents
from fsmj.methods.likelihood import Run, Setting, Trial, best_temperature
from fsmj.methods.ranked import Progress, ProgressHook, Ranked

TEMPERATURES = (1.0, 0.5, 0.3, 0.2, 0.1)  # what temperature="auto" chooses from, in this order
PILOT_TERMS = 100  # temperatures are compared after so many terms, or n_terms if that is less


def rank_cll(
    documents: Documents,
    n_terms: int | Literal["auto"],
    *,
    temperature: float | Literal["auto"] = "auto",
    alpha: float = 1.0,
    progress: ProgressHook | None = None,
) -> Ranked:
    r"""Take the terms with which naive Bayes explains the labels best, one by one.

    Multinomial naive Bayes on the selected terms S gives a document with counts x the scores

    .. math::
        s_i = \log \pi_i + T \sum_{m \in S} x_m
              \Bigl[\log(c_{im} + \alpha) - \log \sum_{m \in S} (c_{im} + \alpha)\Bigr]

    and each step adds the term that most raises the conditional log-likelihood
    :math:`\sum_d \log \mathrm{softmax}(s(d))_{y_d}` of the training documents.

    Naive Bayes takes dependent terms for independent ones; a temperature T below 1 makes up for
    its overconfidence. "auto" is the one of `TEMPERATURES` under which terms chosen on two thirds
    of the documents give the other third the highest likelihood. The number of terms "auto" is as
    many as raise the likelihood of held-out documents.

    Returns
    -------
    Ranked
        The score of a term is what it adds to the conditional log-likelihood of the documents,
        and the temperature is that given, or chosen. Gains that differ by less than 1e-11 nats
        per document count as equal; then the lowest column wins. Terms that no document contains
        come last, by column.

    Notes
    -----
    The likelihood is concave in the scores, so a term's gain to first order is an upper bound of
    its gain, and an old bound remains one if what the documents have moved since is added. Only
    terms whose bound reaches the best gain are evaluated. So the choice is that among all terms.

    One term alone leaves the likelihood at that of the priors, whichever it is. The first is
    therefore the one that most documents contain, against which later ones can be measured.

    Held-out likelihood, not accuracy, decides on the temperature: it is the criterion itself, and
    has one clear peak where accuracy is flat within its error. So temperatures are tried from 1
    downwards while it rises.
    """
    return cast(Ranked, interruptible(_rank, documents, n_terms, temperature, alpha, progress))


def _rank(
    documents: Documents,
    n_terms: int | Literal["auto"],
    temperature: float | Literal["auto"],
    alpha: float,
    progress: ProgressHook | None,
    stop: NDArray[np.uint8],
) -> Ranked:
    from fsmj.methods._cll import corpus_of

    labels, vocabulary = documents.codes, documents.n_terms
    size = None if n_terms == "auto" else n_terms
    temperatures = TEMPERATURES if temperature == "auto" else (float(temperature),)
    setting = Setting(alpha, Progress(progress), stop)
    chosen = temperatures[0]
    depth = min(PILOT_TERMS, vocabulary if size is None else size)
    if depth and len(temperatures) > 1:
        chosen = best_temperature(documents, temperatures, setting, depth)
    if vocabulary and size is None:
        size = Trial(documents, chosen, setting).peak(vocabulary)
    corpus = corpus_of(documents.X, labels, documents.counts, alpha)
    run = Run(corpus, documents.counts, chosen, setting)
    setting.progress.plan(size or 0)
    run.extend(size or 0)
    before = np.log(np.bincount(labels) / documents.n_docs)[labels].sum()
    scores = np.diff(run.likelihood, prepend=before)
    return Ranked(run.order, scores, {"temperature": chosen})
