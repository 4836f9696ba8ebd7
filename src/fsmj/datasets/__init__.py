"""Reuters and 20 Newsgroups: fetch, verify, cache, load."""

from fsmj.datasets.corpus import Corpus, Part
from fsmj.datasets.news import newsgroups, r8, r52, reuters

__all__ = ["Corpus", "Part", "newsgroups", "r8", "r52", "reuters"]
