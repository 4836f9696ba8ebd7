"""fsmj: choose the words that tell text categories apart."""

from fsmj.corpus import TokenRule, count_files, count_frame, count_texts
from fsmj.counts import ClassTermCounts, load_counts
from fsmj.crossvalidation import FSMJCV, TermCurveDisplay
from fsmj.documents import rank_documents
from fsmj.model import TextModel, load_model
from fsmj.ranking import METHODS, Ranking, rank
from fsmj.reporting import report
from fsmj.selection import FSMJ, TermSelector
from fsmj.sweep import Curve, sweep

__all__ = [
    "FSMJ",
    "FSMJCV",
    "METHODS",
    "ClassTermCounts",
    "Curve",
    "Ranking",
    "TermCurveDisplay",
    "TermSelector",
    "TextModel",
    "TokenRule",
    "count_files",
    "count_frame",
    "count_texts",
    "load_counts",
    "load_model",
    "rank",
    "rank_documents",
    "report",
    "sweep",
]
