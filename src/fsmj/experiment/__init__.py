"""Run methods over corpora, one result file each; the paper's experiment as one of them."""

from fsmj.experiment.candidates import CANDIDATES, Candidate, ranking_of
from fsmj.experiment.figures import draw_curves, draw_figures
from fsmj.experiment.problems import (
    Problem,
    fold_problems,
    problem_of,
    read_corpus,
    split_corpus,
)
from fsmj.experiment.reproduction import reproduce
from fsmj.experiment.results import Results, averages, comparisons, read_results
from fsmj.experiment.schedule import run_all

__all__ = [
    "CANDIDATES",
    "Candidate",
    "Problem",
    "Results",
    "averages",
    "comparisons",
    "draw_curves",
    "draw_figures",
    "fold_problems",
    "problem_of",
    "ranking_of",
    "read_corpus",
    "read_results",
    "reproduce",
    "run_all",
    "split_corpus",
]
