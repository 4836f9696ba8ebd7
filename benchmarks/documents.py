"""How fast the methods are that need documents: ratios, each measured in this one run.

Time is that of the CPU, and one line says what two cores save of the time that passes.

FSMJ_REUTERS_MAT names the paper's matrix; 20 Newsgroups is downloaded if it is not in the cache.
What cannot be had is left out.
"""

import os
import time

import numpy as np
from scipy.sparse import csr_array
from scipy.special import log_softmax, xlogy
from threadpoolctl import threadpool_limits

import fsmj
import fsmj.datasets
from timing import additional_mib, cpu_seconds, cpu_seconds_once, print_machine, print_ratio


def plain_cll(X, y, n_terms, temperature, screen=30, alpha=1.0):
    """Evaluate the 30 terms of the largest first-order gain in every step, in plain NumPy."""
    X = csr_array(X, dtype=np.float64)
    by_term, columns = csr_array(X.T), X.tocsc()
    Y = (np.asarray(y)[:, None] == np.unique(y)).astype(float)
    count = Y.T @ X + alpha
    log_count, log_prior = np.log(count), np.log(Y.mean(axis=0))
    evidence, tokens, total = np.zeros(Y.shape), np.zeros(len(Y)), np.zeros(Y.shape[1])
    z, free, order = np.zeros(Y.shape[1]), np.ones(X.shape[1], bool), []
    reached = 0.0
    for _ in range(n_terms):
        s = log_prior + temperature * (evidence - tokens[:, None] * z)
        E = Y - np.exp(log_softmax(s, axis=1))
        z_new = np.log(total[:, None] + count)
        gain = ((by_term @ E).T * (log_count - z_new)).sum(axis=0)
        gain -= (z_new - z[:, None]).T @ (tokens @ E)
        likelihood = {}
        for m in np.argsort(-np.where(free, gain, -np.inf), kind="stable")[:screen]:
            x = columns[:, [m]].toarray().ravel()
            changed = evidence + x[:, None] * log_count[:, m]
            s = log_prior + temperature * (changed - (tokens + x)[:, None] * z_new[:, m])
            likelihood[m] = (Y * log_softmax(s, axis=1)).sum()
        best = max(likelihood, key=likelihood.get)
        reached = likelihood[best]
        x = columns[:, [best]].toarray().ravel()
        evidence += x[:, None] * log_count[:, best]
        tokens += x
        total += count[:, best]
        z, free[best] = np.log(total), False
        order.append(best)
    return order, reached


def dense_cmim(X, y, n_terms):
    """Fleuret's criterion on a dense matrix: one product with every term in each step."""
    y = np.asarray(y)
    present = [(X[y == label].toarray() > 0).astype(np.float32) for label in np.unique(y)]
    sizes = np.array([len(part) for part in present], float)[:, None]
    having = np.array([part.sum(axis=0) for part in present], float)

    def f(c):
        return xlogy(c, c)

    def information(both, having_s):
        cells = ((both, having_s), (having - both, sizes - having_s))
        total = 0.0
        for a, b in cells:
            total = total + (f(a) + f(b - a) - f(b)).sum(axis=0)
            a, b = a.sum(axis=0), b.sum(axis=0)
            total = total - (f(a) + f(b - a) - f(b))
        return total

    score, order = information(np.zeros_like(having), np.zeros_like(sizes)), []
    score[~having.any(axis=0)] = -np.inf
    for _ in range(n_terms):
        best = int(np.argmax(score >= score.max() - 1e-12 * len(y)))
        order.append(best)
        both = np.array([part.T @ part[:, best] for part in present], float)
        score = np.minimum(score, information(both, having[:, [best]]))
        score[best] = -np.inf
    return order


def cll_likelihood(documents, n_terms, temperature):
    """The likelihood that the exact ranking reaches: that of the priors, and what terms add."""
    sizes = np.bincount(documents.codes)
    priors = xlogy(sizes, sizes / documents.n_docs).sum()
    return priors + fsmj.rank(documents, "cll", n_terms, temperature=temperature).scores.sum()


def print_cores(call):
    """Elapsed time, since two cores save no CPU time; where T is chosen, runs go side by side."""
    everywhere, elapsed = os.sched_getaffinity(0), []
    for cores in ({min(everywhere)}, everywhere):
        os.sched_setaffinity(0, cores)
        start = time.perf_counter()
        call()
        elapsed.append(time.perf_counter() - start)
    what = f"cll, 100 of Reuters-10, T chosen: elapsed on one core / on {len(everywhere)}"
    detail = f"{elapsed[0]:.2f} s / {elapsed[1]:.2f} s"
    print_ratio(what, elapsed[0] / elapsed[1], "for the record", detail)


def bench_reuters():
    train = fsmj.datasets.reuters(10, source="mat").train
    X, y = train.X, train.y
    fsmj.rank(train, "cmim", 2)
    used = additional_mib(lambda: fsmj.rank(train, "cmim", 1000))
    print_ratio("cmim, 1,000 of Reuters-10: additional memory in MiB", used, "at most 200")
    for temperature in (1.0, 0.3):
        ours = cpu_seconds(lambda t=temperature: fsmj.rank(train, "cll", 500, temperature=t))
        plain = cpu_seconds_once(lambda t=temperature: plain_cll(X, y, 500, t))
        print_ratio(f"cll, 500 of Reuters-10, T={temperature}: NumPy with 30 candidates / exact",
                    plain / ours, "at least 5", f"{plain:.1f} s / {ours:.2f} s")  # fmt: skip
        exact = cll_likelihood(train, 100, temperature)
        for screen in (30, 300):
            narrow = plain_cll(X, y, 100, temperature, screen)[1]
            print_ratio(f"cll, 100 of Reuters-10, T={temperature}: likelihood / that of {screen}"
                        " candidates", exact / narrow, "for the record")  # fmt: skip
    ours = cpu_seconds(lambda: fsmj.rank(train, "cll", 500), repeat=3)
    print_ratio("cll, 500 of Reuters-10, choice of T included, in seconds", ours, "for the record")
    if hasattr(os, "sched_setaffinity"):
        print_cores(lambda: fsmj.rank(train, "cll", 100))
    ours = cpu_seconds(lambda: fsmj.rank(train, "cmim", 1000))
    orders = []
    dense = cpu_seconds_once(lambda: orders.append(dense_cmim(X, y, 1000)))
    print_ratio("cmim, 1,000 of Reuters-10: dense NumPy / ours", dense / ours, "at least 20",
                f"{dense:.1f} s / {ours:.2f} s")  # fmt: skip
    same = np.count_nonzero(fsmj.rank(train, "cmim", 1000).order == orders[0])
    print_ratio("cmim, 1,000 of Reuters-10: terms that both take at the same step", same, "of 1000")


def bench_newsgroups():
    train = fsmj.datasets.newsgroups().train
    size = f"300 of {train.n_terms:,} words of 20 Newsgroups"
    for name, method, options in (
        (f"cmim, {size}, in seconds", "cmim", {}),
        (f"cll at T=0.5, {size}, in seconds", "cll", {"temperature": 0.5}),
        (f"cll, {size}, choice of T included", "cll", {}),
    ):
        spent = cpu_seconds_once(lambda m=method, o=options: fsmj.rank(train, m, 300, **o))
        print_ratio(name, spent, "at most 20")


def short_documents(n_docs=1_000_000, n_words=12, n_terms=20_000, n_classes=10):
    """Documents of a sentence each, of Zipfian terms that every class has a liking for."""
    rng = np.random.default_rng(0)
    y, terms = rng.integers(n_classes, size=n_docs), np.empty((n_docs, n_words), np.int32)
    for i in range(n_classes):
        p = np.exp(rng.normal(0, 1, n_terms)) / (np.arange(1, n_terms + 1) + 2.7)
        rows = np.flatnonzero(y == i)
        terms[rows] = rng.choice(n_terms, size=(len(rows), n_words), p=p / p.sum())
    starts = np.arange(n_docs + 1) * n_words
    counts = (np.ones(terms.size, np.int64), terms.ravel(), starts)
    return fsmj.Documents(csr_array(counts, shape=(n_docs, n_terms)), y)


def bench_million():
    documents = short_documents()
    fsmj.rank(documents.take(np.arange(1000)), "cll", 2)
    for name, options, most in (
        ("at T=0.5", {"temperature": 0.5}, "at most 500"),
        ("with T chosen", {}, "at most 700 on two cores"),
    ):
        used = additional_mib(lambda o=options: fsmj.rank(documents, "cll", 50, **o))
        print_ratio(f"cll {name}, 50 words of a million short documents: memory in MiB", used, most)


def main():
    print_machine()
    bench_million()
    if "FSMJ_REUTERS_MAT" in os.environ:
        bench_reuters()
    else:
        print("FSMJ_REUTERS_MAT is not set: the Reuters figures are left out")
    try:
        bench_newsgroups()
    except OSError as reason:
        print(f"the figures of 20 Newsgroups are left out: {reason}")


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
