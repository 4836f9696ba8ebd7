"""Run methods over documents, one result file each; tables and figures are made from these."""

from fsmj._extras import from_extras

with from_extras():
    from fsmj.experiment.candidates import Candidate, all_candidates, named_candidates
    from fsmj.experiment.lines import draw_curves
    from fsmj.experiment.problems import Problem
    from fsmj.experiment.results import Results, averages, comparisons, read_results
    from fsmj.experiment.schedule import run_all

__all__ = [
    "Candidate",
    "Problem",
    "Results",
    "all_candidates",
    "averages",
    "comparisons",
    "draw_curves",
    "named_candidates",
    "read_results",
    "run_all",
]
