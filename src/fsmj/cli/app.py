"""The command `fsmj`: the table of its subcommands, and how it fails."""

from __future__ import annotations

import io
import os
import re
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from importlib.metadata import version
from typing import Annotated, Any

import typer

from fsmj._interruptible import any_left
from fsmj.cli.classify import classify
from fsmj.cli.compare import compare
from fsmj.cli.count import count, merge
from fsmj.cli.evaluate import evaluate
from fsmj.cli.options import spread
from fsmj.cli.rank import rank
from fsmj.cli.report import report
from fsmj.cli.reproduce import reproduce
from fsmj.cli.terminal import say
from fsmj.cli.train import train

COMMANDS: dict[str, Callable[..., None]] = {
    command.__name__: command
    for command in (
        rank, count, merge, train, classify, evaluate, compare, report, reproduce
    )
}  # fmt: skip


# Which are spelled in another way on the command line.
_PARAMETERS = re.compile(
    "(skip_(unlabelled|missing)|min_((class_)?docs|length)|label_separator|memory_limit)"
)


def friendly(command: Callable[..., None]) -> Callable[..., None]:
    """Turn what goes wrong into one sentence and an exit status."""

    @wraps(command)
    def wrapped(*args: Any, **options: Any) -> None:
        try:
            with _signals_raised(), _warnings_as_sentences(), _compilation_said():
                command(*args, **options)
                sys.stdout.flush()  # a full disk is said here, not by Python at its end
        except BrokenPipeError:
            raise  # whoever read our output has gone; Typer ends quietly
        except (ValueError, OSError, ImportError, MemoryError) as error:
            say(_sentence(error))
            _drop_unwritten()
            raise typer.Exit(2) from None
        except KeyboardInterrupt:
            say("interrupted")
            raise typer.Exit(130) from None

    return wrapped


def _drop_unwritten() -> None:
    """Forget what standard output could not take, or Python would try again at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


@contextmanager
def _signals_raised() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end a command as exceptions, so that it can clean up."""
    after = {
        signal.SIGINT: signal.signal(signal.SIGINT, signal.default_int_handler),
        signal.SIGTERM: signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM)),
    }
    try:
        yield
    finally:
        for sent, handler in after.items():
            signal.signal(sent, handler)


@contextmanager
def _warnings_as_sentences() -> Iterator[None]:
    """Say what fsmj warns of, without the line of code that Python adds."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = lambda message, *_, **__: say(f"warning: {message}")
        yield


@contextmanager
def _compilation_said() -> Iterator[None]:
    """Say it, to whoever waits at a terminal, when loops are compiled: after installation, once."""
    if not sys.stderr.isatty():
        yield
        return
    from numba.core import event

    class Said(event.Listener):
        said = False

        def on_start(self, _: Any) -> None:
            if not self.said:
                say("compiling for this machine; this happens once and takes some seconds")
            self.said = True

        def on_end(self, _: Any) -> None:
            pass

    with event.install_listener("numba:compile", Said()):
        yield


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, UnicodeEncodeError):  # only what was typed can be such text
        return f"{error.object}: a name must be UTF-8; rename it, or set PYTHONUTF8=1"
    sentence = " ".join(str(error).split()) or type(error).__name__
    return _PARAMETERS.sub(lambda name: f"--{name[0].replace('_', '-')}", sentence)


app = typer.Typer(
    name="fsmj",
    help="Choose the words that tell text categories apart.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"fsmj {version('fsmj')}")
        raise typer.Exit


@app.callback()
def _root(
    _: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    pass


for _name, _command in COMMANDS.items():
    app.command(_name)(friendly(spread(_command)))


def _write_alike_everywhere() -> None:
    """Write UTF-8 and plain line ends into pipes and files, whatever this system would do.

    To a terminal goes what it can show; the user's own `PYTHONIOENCODING` is obeyed.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            if not stream.isatty() and "PYTHONIOENCODING" not in os.environ:
                stream.reconfigure(encoding="utf-8", newline="\n")
            stream.reconfigure(errors="backslashreplace")


def main() -> None:
    """Run the command."""
    _write_alike_everywhere()
    try:
        app(prog_name="fsmj")
    except SystemExit as end:
        if not any_left():
            raise
        # All is done but to wait for a loop that was being compiled at the interrupt.
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError):
                stream.flush()
        os._exit(end.code if isinstance(end.code, int) else 0)
