"""The methods: one table, one module a family, its compiled kernel beside it."""

from fsmj.methods.table import METHODS, Method, Option, Ranked, rank

__all__ = ["METHODS", "Method", "Option", "Ranked", "rank"]
