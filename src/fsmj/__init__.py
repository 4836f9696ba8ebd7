"""fsmj: choose the words that tell text categories apart."""

from fsmj.counts import ClassTermCounts, load_counts

__all__ = ["ClassTermCounts", "load_counts"]
