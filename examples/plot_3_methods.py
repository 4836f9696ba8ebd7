"""
Methods compared at every number of words
=========================================

Which method to rank words by? `sweep` measures naive Bayes with the first k words of a ranking for
every k in one pass, so whole curves are compared rather than a few points.
"""

# %%
# We rank the words of R8 by FSMJ and by six classical scores (of which each takes the largest over
# the topics), and classify the test documents.
import matplotlib.pyplot as plt
import numpy as np

import fsmj
from fsmj.datasets import r8

corpus = r8(min_docs=4)
counts = corpus.train.counts
curves = {}
for method in ["fsmj", "ig", "chi2", "cet", "ngl", "df", "mi"]:
    ranking = fsmj.rank(counts, method)
    curves[method] = fsmj.sweep(ranking, counts, corpus.test.X, corpus.test.y)

# %%
# Accuracy over the number of words. Pointwise mutual information prefers the rarest words and
# needs thousands of them; document frequency asks nothing about topics and is the line to beat.
COLOURS = ["#000000", "#0072B2", "#D55E00", "#E69F00", "#CC79A7", "#7f7f7f", "#56B4E9"]
fig, axes = plt.subplots(figsize=(7.5, 4.6), layout="constrained")
for colour, (method, curve) in zip(COLOURS, curves.items(), strict=True):
    axes.plot(
        curve.ks, curve.accuracy, color=colour, linewidth=2.4 if method == "fsmj" else 1.4,
        label=fsmj.METHODS[method].title, zorder=3 if method == "fsmj" else 2,
    )  # fmt: skip
axes.set(xscale="log", xlim=(10, None), ylim=(0.6, 1), xlabel="number of words")
axes.set_ylabel("test accuracy of naive Bayes")
axes.xaxis.set_major_formatter("{x:,.0f}")
axes.grid(color="#e4e4e4", linewidth=0.6)
axes.spines[["top", "right"]].set_visible(False)
axes.legend(frameon=False, ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1))
plt.show()

# %%
# The same in numbers, and the mean over 100, 200, …, 2,000 words, as the paper averages.
print(f"{'':30}{'k=20':>7}{'k=100':>7}{'k=500':>7}{'mean':>7}")
for method, curve in curves.items():
    at = dict(zip(curve.ks.tolist(), curve.accuracy.tolist(), strict=True))
    mean = np.mean([at[k] for k in range(100, 2001, 100)])
    print(f"{fsmj.METHODS[method].title:30}{at[20]:7.3f}{at[100]:7.3f}{at[500]:7.3f}{mean:7.3f}")
