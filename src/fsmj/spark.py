"""Counting on a Spark cluster: `fsmj.spark.count` and `fsmj.spark.load`."""

from fsmj.corpus.spark import count, load

__all__ = ["count", "load"]
