"""The command `fsmj`: the table of its subcommands, and how it fails."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

import typer

from fsmj.cli import reproduction

COMMANDS: dict[str, Callable[..., None]] = {
    "reproduce": reproduction.reproduce,
}


def friendly(command: Callable[..., None]) -> Callable[..., None]:
    """Turn what goes wrong into one sentence and an exit status."""

    @wraps(command)
    def wrapped(*args: Any, **options: Any) -> None:
        try:
            command(*args, **options)
        except BrokenPipeError:
            raise  # whoever read our output has gone; Typer ends quietly
        except (ValueError, OSError) as error:
            print(f"fsmj: {_sentence(error)}", file=sys.stderr)
            raise typer.Exit(2) from None
        except KeyboardInterrupt:
            print("fsmj: interrupted", file=sys.stderr)
            raise typer.Exit(130) from None

    return wrapped


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split()) or type(error).__name__


app = typer.Typer(
    name="fsmj",
    help="Choose the words that tell text categories apart.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback()
def _root() -> None:
    # With a callback, Typer asks for the subcommand's name even while there is only one.
    pass


for _name, _command in COMMANDS.items():
    app.command(_name)(friendly(_command))


def main() -> None:
    """Run the command."""
    app()
