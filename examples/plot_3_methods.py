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
# The table of methods says how each line looks.
fig, axes = plt.subplots(figsize=(7.5, 4.8), layout="constrained")
for method, curve in curves.items():
    row = fsmj.METHODS[method]
    axes.plot(
        curve.ks, curve.accuracy, label=row.title, color=row.colour, linestyle=row.dashes,
        marker=row.marker, markevery=0.12, markersize=5, linewidth=row.width,
    )  # fmt: skip
axes.set(xscale="log", xlim=(10, None), ylim=(0.6, 1), xlabel="number of words")
axes.set_ylabel("test accuracy of naive Bayes")
axes.xaxis.set_major_formatter("{x:,.0f}")
axes.grid(color="#e4e4e4", linewidth=0.6)
axes.spines[["top", "right"]].set_visible(False)
axes.legend(frameon=False, ncols=3, handlelength=3.6, loc="lower center", bbox_to_anchor=(0.5, 1))
plt.show()

# %%
# The same in numbers, and the mean over 100, 200, …, 2,000 words, as the paper averages.
print(f"{'':30}{'k=20':>7}{'k=100':>7}{'k=500':>7}{'mean':>7}")
for method, curve in curves.items():
    at = dict(zip(curve.ks.tolist(), curve.accuracy.tolist(), strict=True))
    mean = np.mean([at[k] for k in range(100, 2001, 100)])
    print(f"{fsmj.METHODS[method].title:30}{at[20]:7.3f}{at[100]:7.3f}{at[500]:7.3f}{mean:7.3f}")
