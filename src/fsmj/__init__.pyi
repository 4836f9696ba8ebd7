from . import datasets, divergence, experiment, scores, spark
from .corpus import TokenRule, count_files, count_frame, count_texts
from .counts import ClassTermCounts, load_counts
from .crossvalidation import FSMJCV, TermCurveDisplay
from .curves import Curve, sweep
from .documents import rank_documents
from .model import TextModel, load_model
from .ranking import METHODS, Ranking, rank
from .reporting import report
from .selection import FSMJ, TermSelector

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
    "datasets",
    "divergence",
    "experiment",
    "load_counts",
    "load_model",
    "rank",
    "rank_documents",
    "report",
    "scores",
    "spark",
    "sweep",
]
