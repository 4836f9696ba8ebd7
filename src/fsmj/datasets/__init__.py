"""Reuters and 20 Newsgroups: fetch, verify, cache, load."""

from fsmj.datasets.dataset import Dataset
from fsmj.datasets.news import newsgroups, r8, r52, reuters

__all__ = ["Dataset", "newsgroups", "r8", "r52", "reuters"]
