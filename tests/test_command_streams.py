"""Commands whose streams are closed, full, links or pipes, or that a signal ends."""

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commands import COMMAND, refused, run
from commands import news as news


@pytest.mark.posix
def test_links_are_followed_and_pipes_are_written_to(news, tmp_path):
    real, link, pipe = (tmp_path / f"{name}.csv" for name in ("real", "link", "pipe"))
    link.symlink_to(real)
    run("rank", news, "-o", link)
    assert link.is_symlink()
    assert "gold" in real.read_text()
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        run("rank", news, "-o", pipe)
        assert b"gold" in reader.stdout.read()
    assert pipe.is_fifo()
    assert "this is a folder" in refused("rank", news, "-o", tmp_path)
    assert "give one of them" in refused("rank", news, "-o", "-", "--json")


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_signals_while_modules_are_loaded(sent):
    code = (
        "import sys, os, signal, threading\n"
        "class Signal:\n"
        "    def find_spec(self, name, *_):\n"
        f"        if name == 'typer': os.kill(os.getpid(), {int(sent)})\n"
        "sys.meta_path.insert(0, Signal())\n"
        "from fsmj.cli import main\nmain()"
    )
    done = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (128 + sent, "", "")


@pytest.mark.parametrize("place", ["typer.main.get_command", "fsmj.cli.rank.check_target"])
def test_an_interrupt_before_and_in_a_command_is_no_traceback(news, tmp_path, place):
    """Also while options are read, where no command has begun that could say something."""
    module, name = place.rsplit(".", 1)
    code = (
        f"import sys, os, signal\nimport {module} as m\nbefore = m.{name}\n"
        f"def after(*args, **options):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n    return before(*args, **options)\n"
        f"m.{name} = after\n"
        "from fsmj.cli import main\nmain()"
    )
    given = ["rank", str(news), "-o", str(tmp_path / "words.csv")]
    done = subprocess.run([sys.executable, "-c", code, *given], capture_output=True, text=True)
    assert done.returncode == 130
    assert done.stderr in ("", "fsmj: interrupted\n")


@pytest.mark.long
@pytest.mark.parametrize("top", [1, 10**6])  # less than a buffer holds, and more
def test_a_closed_pipe_is_no_error(news, top):
    with subprocess.Popen(
        [*COMMAND, "rank", str(news), "-o", "-", f"--top={top}"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        process.stdout.close()
        said = process.stderr.read().decode()
    assert "Traceback" not in said
    assert "Exception ignored" not in said


def in_a_shell(line, *arguments):
    """Run the command with its arguments in place of the sign, and all that a shell redirects."""
    line = line.replace("fsmj", shlex.join([*COMMAND, *map(str, arguments)]))
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {line}"], capture_output=True)
    return done.returncode, done.stderr.decode()


@pytest.mark.long
@pytest.mark.posix
@pytest.mark.parametrize("closed", ["2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_a_result_in_a_file_needs_no_streams(news, tmp_path, closed):
    given, words = ["rank", news, "--top", "3", "-o"], tmp_path / "words.csv"
    assert in_a_shell(f"fsmj {closed}", *given, words) == (0, "")
    assert words.read_bytes() == run(*given, "-").stdout_bytes


FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")


@pytest.mark.long
@pytest.mark.posix
@pytest.mark.parametrize(
    ("line", "status", "said"),
    [
        ("fsmj >&-", 2, "fsmj: Bad file descriptor\n"),
        pytest.param("fsmj >/dev/full", 2, "fsmj: No space left on device\n", marks=FULL),
        pytest.param("fsmj >/dev/full 2>/dev/full", 2, "", marks=FULL),
        pytest.param("fsmj 2>/dev/full", 0, "", marks=FULL),  # it has nothing to say but warnings
        ("fsmj | true", 1, ""),
    ],
)
@pytest.mark.parametrize("given", [["--help"], ["--version"], ["rank", "--json"], ["count", "-o-"]])
def test_what_cannot_be_printed_is_said(news, given, line, status, said):
    data = [] if given[0].startswith("-") else [news]
    assert in_a_shell(line, *given, *data, *(["-q"] if data else [])) == (status, said)


@pytest.mark.long
@FULL
@pytest.mark.posix
@pytest.mark.parametrize("top", [1, 10**6])  # less than a buffer holds, and more
def test_a_full_disk_is_said(news, top):
    status, said = in_a_shell("fsmj >/dev/full", "rank", news, "-o-", f"--top={top}")
    assert (status, said.splitlines()[-1]) == (2, "fsmj: No space left on device")


@pytest.mark.long
@pytest.mark.posix
@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (9, -9)])
def test_an_interrupted_command_leaves_the_old_output(news, tmp_path, sent, status):
    output = tmp_path / "counts.parquet"
    run("count", news, "-o", output, "-q")
    before = output.read_bytes()
    pipe = tmp_path / "endless.csv"
    os.mkfifo(pipe)
    process = subprocess.Popen(
        [*COMMAND, "count", str(pipe), "-o", str(output)], stderr=subprocess.PIPE
    )
    with pipe.open("wb") as writer:
        writer.write(b"text,label\ngold,metal\n" * 100)
        writer.flush()
        time.sleep(0.2)
        process.send_signal(sent)
        said = process.communicate(timeout=60)[1]
    assert process.returncode == status
    assert b"Traceback" not in said
    assert output.read_bytes() == before
