"""
How many words are enough
=========================

`FSMJCV` tries every number of words by cross-validation, in one sweep for each fold, and keeps the
best. Here it does so for 8 topics of Reuters news.
"""

# %%
# A word that fewer than 4 documents contain says little; ``min_df=4`` leaves it out.
import matplotlib.pyplot as plt
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB

import fsmj
from fsmj.datasets import r8

news = r8()
vectorizer = CountVectorizer(min_df=4)
X, y = vectorizer.fit_transform(news.train.texts), news.train.y
best = fsmj.FSMJCV(cv=5).fit(X, y)
frugal = fsmj.FSMJCV(cv=5, one_standard_error=True).fit(X, y)
print(f"best: {best.n_features_:,} of {X.shape[1]:,} words")
print(f"within one standard error of the best: {frugal.n_features_:,}")

# %%
# The whole curve, one point for each of the numbers. It rises steeply and is then flat for
# thousands of words: any number along the flat part is a fair choice, and the one-standard-error
# rule takes the smallest that cannot be told from the best.
fig, axes = plt.subplots(figsize=(7.5, 4.2), layout="constrained")
fsmj.TermCurveDisplay.from_estimator(best, ax=axes)
axes.axvline(frugal.n_features_, color="#D55E00", linestyle=":", linewidth=1.6)
axes.annotate(
    f"one standard error:\n{frugal.n_features_:,} words",
    (frugal.n_features_, 0.6), xytext=(-8, 0), textcoords="offset points",
    color="#D55E00", ha="right",
)  # fmt: skip
axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# What did the choice cost on documents that it has never seen?
X_test, y_test = vectorizer.transform(news.test.texts), news.test.y
for name, selector in [("best", best), ("one standard error", frugal)]:
    model = MultinomialNB().fit(selector.transform(X), y)
    print(f"{name:18}  test accuracy {model.score(selector.transform(X_test), y_test):.3f}")
print(f"{'all words':18}  test accuracy {MultinomialNB().fit(X, y).score(X_test, y_test):.3f}")
