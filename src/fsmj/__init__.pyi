from . import datasets, divergence, experiment, paper, scores, spark
from .corpus import count_files, count_frame, count_texts
from .counts import ClassTermCounts, load_counts
from .crossvalidation import FSMJCV
from .displays import ClassWordsDisplay, ConfusionDisplay, TermCurveDisplay
from .documents import Documents
from .evaluation import Curve, cross_validate, sweep
from .methods import METHODS, rank
from .model import TextModel, load_model
from .ranking import Ranking
from .reporting import report
from .resampling import Stability, stability
from .selection import FSMJ, TermSelector
from .tokens import TokenRule
from .tokens.vectorizer import TermVectorizer

__all__ = [
    "FSMJ",
    "FSMJCV",
    "METHODS",
    "ClassTermCounts",
    "ClassWordsDisplay",
    "ConfusionDisplay",
    "Curve",
    "Documents",
    "Ranking",
    "Stability",
    "TermCurveDisplay",
    "TermSelector",
    "TermVectorizer",
    "TextModel",
    "TokenRule",
    "count_files",
    "count_frame",
    "count_texts",
    "cross_validate",
    "datasets",
    "divergence",
    "experiment",
    "load_counts",
    "load_model",
    "paper",
    "rank",
    "report",
    "scores",
    "spark",
    "stability",
    "sweep",
]
