"""Rankings, texts and results as one HTML page that needs nothing else."""

from fsmj.reporting.build import Report, report
from fsmj.reporting.summary import Summary

__all__ = ["Report", "Summary", "report"]
