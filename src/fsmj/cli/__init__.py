"""The command `fsmj`: one subcommand for each public call."""

import os
import signal
import sys

from fsmj._extras import from_extras


def main() -> None:
    """Run the command; where its packages are not installed, say how to install them."""
    for sent in (signal.SIGINT, signal.SIGTERM):  # nothing has been begun while modules load
        signal.signal(sent, lambda number, _: os._exit(128 + number))
    try:
        with from_extras():
            from fsmj.cli.app import main as run
    except ModuleNotFoundError as missing:
        print(f"fsmj: {missing}", file=sys.stderr)
        sys.exit(2)
    run()
