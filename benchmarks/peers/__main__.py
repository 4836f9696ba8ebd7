"""Compare fsmj with its peers: all figures of docs/peers.md, from the documents on.

Run it with ``make bench-peers``, which makes the environment. A run that broke off goes on where it
stopped: what it had measured is in results/peers.jsonl. FSMJ_REUTERS_MAT names the paper's matrix;
without it, Reuters-10 and Reuters-20 are made from texts.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

from fsmj.experiment.sheets import write_csv
from peers.corpora import CORPORA
from peers.figures import draw_figures
from peers.machine import load, machine, versions
from peers.measure import Limits, Task
from peers.methods import METHODS
from peers.page import fill_page
from peers.plan import Journal, Row, climb_down
from peers.runner import install, run

REQUIREMENTS = Path(__file__).parent.parent / "requirements-peers.txt"


def main() -> None:
    options = _options()
    if not options.page_only:
        reasons = install_all() if options.install else {}
        table = measure_all(Limits(options.limit, options.memory), options.journal, reasons)
        write_csv(table, options.docs / "peers.csv")
        options.journal.unlink()
    publish(options.docs)


def install_all() -> dict[str, str]:
    """Install the peers one by one; return why some could not be, by package."""
    reasons = {}
    for line in REQUIREMENTS.read_text().splitlines():
        if line and not line.startswith("#"):
            print(f"installing {line}", flush=True)
            reasons[line.split(">=")[0]] = install(line)
    return {package: reason for package, reason in reasons.items() if reason}


def measure_all(limits: Limits, journal: Path, reasons: dict[str, str]) -> pd.DataFrame:
    """Run every measurement that the journal does not have yet."""
    where = machine() | {"versions": versions()}

    def measured(task: Task) -> Row:
        before = load()
        package = METHODS[task.method].package
        if package in reasons:
            return {"status": "absent", "reason": reasons[package], "load": before}
        row = run(task, limits) | {"load": before}
        print(*task, *row.values(), flush=True)
        return row

    rows = climb_down(Journal(journal, where, limits).recorded(measured), CORPORA)
    return pd.DataFrame(rows).assign(**where)


def publish(docs: Path) -> None:
    """Make the page's tables and figures from the numbers beside it."""
    table = pd.read_csv(docs / "peers.csv")
    fill_page(docs / "peers.md", table)
    draw_figures(table, docs)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="peers", description=__doc__)
    parser.add_argument("--limit", type=int, default=120, help="seconds of CPU time for each call")
    parser.add_argument("--memory", type=float, default=8, help="GiB that a call may add")
    parser.add_argument("--install", action="store_true", help="install the peers first")
    parser.add_argument("--page-only", action="store_true", help="only remake tables and figures")
    parser.add_argument("--journal", type=Path, default=Path("results/peers.jsonl"))
    parser.add_argument("--docs", type=Path, default=Path("docs"))
    return parser.parse_args()


if __name__ == "__main__":
    main()
