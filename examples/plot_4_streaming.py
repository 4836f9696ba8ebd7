"""
A stream of documents, and counts that add up
=============================================

All that FSMJ needs of a corpus are sums. So documents may come in batches of any size, or be
counted on different machines: the result is the same as from all of them at once, exactly.
"""

# %%
# News arrive in batches of 250. ``partial_fit`` adds each to the counts and forgets the texts;
# after each batch we look at the 100 best words so far.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer

import fsmj
from fsmj.datasets import r8

news = r8()
order = np.random.default_rng(0).permutation(news.train.n_docs)
texts, labels = np.array(news.train.texts, object)[order], news.train.y[order]
hashing = HashingVectorizer(n_features=2**16, norm=None, alternate_sign=False)

selector = fsmj.FSMJ(n_features_to_select=100)
seen, selected = [], []
for start in range(0, len(texts), 250):
    batch = slice(start, start + 250)
    selector.partial_fit(hashing.transform(texts[batch]), labels[batch])
    seen.append(int(selector.counts_.n_docs))
    selected.append(set(selector.get_support(indices=True).tolist()))

# %%
# Fitted in batches or at once: the same counts, the same ranking, to the last term.
at_once = fsmj.FSMJ(n_features_to_select=100).fit(hashing.transform(texts), labels)
print("same counts:", selector.counts_ == at_once.counts_)
print("same ranking:", np.array_equal(selector.ranking_.order, at_once.ranking_.order))

# %%
# Counts of different parts add up in the same way, whoever made them. Here two halves are counted
# apart, words by name this time, and merged.
half = len(texts) // 2
first = fsmj.count_texts(texts[:half], labels[:half])
second = fsmj.count_texts(texts[half:], labels[half:])
print(first, second, first + second, sep="\n")
print("same as all at once:", first + second == fsmj.count_texts(texts, labels))

# %%
# How soon does the choice settle? The figure shows how many of the final 100 words were already
# chosen after each batch. It drops when the first document on *grain* arrives, in the second batch:
# every word of a topic with one document looks typical of it. Where classes are as small as that,
# ``weights="prior"`` gives them no more say than their share of the documents.
shared = [len(chosen & selected[-1]) for chosen in selected]
fig, axes = plt.subplots(figsize=(7.5, 3.8), layout="constrained")
axes.plot(seen, shared, color="#0072B2", marker="o", markersize=4.5)
axes.fill_between(seen, shared, color="#0072B2", alpha=0.12, linewidth=0)
axes.set(xlabel="documents seen", ylabel="of the final 100 words, chosen", ylim=(0, 103))
axes.set_xlim(0, seen[-1] + 60)
axes.xaxis.set_major_formatter("{x:,.0f}")
axes.spines[["top", "right"]].set_visible(False)
axes.grid(axis="y", color="#e4e4e4", linewidth=0.6)
plt.show()
