"""fsmj: choose the words that tell text categories apart."""

from fsmj.counts import ClassTermCounts, load_counts
from fsmj.ranking import METHODS, Ranking, rank

__all__ = ["METHODS", "ClassTermCounts", "Ranking", "load_counts", "rank"]
