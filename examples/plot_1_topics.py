"""
Which words speak for which topic
=================================

A ranking says which words tell the topics of a news archive apart. Its *contributions* say more:
for which topic each word speaks, and how strongly.
"""

# %%
# R8 holds 5,485 Reuters news items on 8 topics for training. One pass over the texts counts how
# often each word occurs in each topic; all that follows works on these counts.
import matplotlib.pyplot as plt

import fsmj
from fsmj.datasets import r8

news = r8()
rule = fsmj.TokenRule(stop_words="english")
counts = fsmj.count_texts(news.train.texts, news.train.y, rule, min_docs=4)
ranking = fsmj.rank(counts, n_terms=1000)
print(ranking.to_frame(8).round(3).to_string(index=False))

# %%
# Among the best 1,000 words, we draw for each topic those that add most to its divergence from
# the mixture of all topics. A long bar is a word that is frequent in the topic and rare
# elsewhere.
fsmj.ClassWordsDisplay.from_ranking(ranking)
plt.show()

# %%
# The abbreviations of company results (*vs*, *cts*, *shr*: against, cents, a share) separate
# *earn* from everything else, which is why the ranking begins with them. Reports of most other
# topics are told by the words one would expect, without anyone having said so.
