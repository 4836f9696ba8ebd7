"""
When only a few words may be kept
=================================

FSMJ scores the chosen words together with the rest of the document; a classifier that is shown the
chosen words alone does not see that rest. With few words this matters, and there are two answers:
show it the rest (``keep_rest=True``), or choose by what helps the classifier (``cll``).
"""

# %%
# Four selectors, each in a scikit-learn pipeline with naive Bayes, on 8 topics of Reuters news.
import matplotlib.pyplot as plt
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

import fsmj
from fsmj.datasets import r8

news = r8()
vectorizer = CountVectorizer(min_df=4)
X = vectorizer.fit_transform(news.train.texts)
X_test = vectorizer.transform(news.test.texts)

SIZES = [5, 10, 20, 50]
SELECTORS = {
    "FSMJ": lambda k: fsmj.FSMJ(k),
    "FSMJ, and the rest": lambda k: fsmj.FSMJ(k, keep_rest=True),
    "information gain": lambda k: fsmj.TermSelector("ig", k),
    "conditional likelihood (cll)": lambda k: fsmj.TermSelector("cll", k),
}
models = {
    name: [make_pipeline(selector(k), MultinomialNB()).fit(X, news.train.y) for k in SIZES]
    for name, selector in SELECTORS.items()
}

# %%
# With 5 to 50 words, conditional likelihood is ahead of all others.
COLOURS = ["#000000", "#7f7f7f", "#0072B2", "#009E73"]
width = 0.2
fig, axes = plt.subplots(figsize=(7.5, 4.2), layout="constrained")
for place, (colour, (name, fitted)) in enumerate(zip(COLOURS, models.items(), strict=True)):
    values = [model.score(X_test, news.test.y) for model in fitted]
    left = [size + (place - 1.5) * width for size in range(len(SIZES))]
    bars = axes.bar(left, values, width * 0.92, color=colour, label=name)
    axes.bar_label(bars, fmt="{:.2f}", fontsize=8, padding=2)
axes.set_xticks(range(len(SIZES)), [f"{k} words" for k in SIZES])
axes.set(ylim=(0, 1), ylabel="test accuracy of naive Bayes")
axes.spines[["top", "right", "bottom"]].set_visible(False)
axes.tick_params(bottom=False)
axes.legend(frameon=False, ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1))
plt.show()

# %%
# The 20 words it takes. The first is one that most documents contain, against which the others can
# be measured; then come the words that settle the most doubtful labels.
selector = models["conditional likelihood (cll)"][2][0]
words = vectorizer.get_feature_names_out()[selector.ranking_.order]
print(*words[:10])
print(*words[10:])
