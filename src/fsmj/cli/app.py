"""The command `fsmj`: the table of its subcommands, and how it fails."""

from __future__ import annotations

import io
import os
import re
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
        except BrokenPipeError:
            raise  # whoever read our output has gone; Typer ends quietly
        except (ValueError, OSError, ImportError, MemoryError) as error:
            say(_sentence(error))
            raise typer.Exit(2) from None
        except KeyboardInterrupt:
            say("interrupted")
            raise typer.Exit(130) from None

    return wrapped


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
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
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


def _open_streams() -> None:
    """Let messages to a closed stream go nowhere; results to one are an error.

    A file that is opened must not take the place of the stream, either.
    """
    for name, access in (("stdout", os.O_RDONLY), ("stderr", os.O_WRONLY)):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, access)
            setattr(sys, name, open(nowhere, "w", encoding="utf-8"))  # noqa: PTH123, SIM115


def _flushed(status: int) -> int:
    """Write what is held back; return the status, which is another where that fails."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError as error:
            if stream is sys.stdout and status == 0:
                status = 1 if isinstance(error, BrokenPipeError) else 2
                if status == 2:
                    say(_sentence(error))
            # Python will try again when it ends, and complain.
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return status


def main() -> None:
    """Run the command."""
    _open_streams()
    _write_alike_everywhere()
    status = 0
    try:
        app(prog_name="fsmj")
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0
    except OSError as error:  # of the help; a command says itself what goes wrong in it
        say(_sentence(error))
        status = 2
    status = _flushed(status)
    if any_left():  # all is done but to wait for a loop that was being compiled at an interrupt
        os._exit(status)
    sys.exit(status)
