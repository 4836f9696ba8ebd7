"""Compiled loops that Ctrl-C can end."""

from __future__ import annotations

import _thread
import atexit
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

_TICK = 0.1  # seconds; some systems do not wake a waiting thread for a signal
_PATIENCE = 0.5  # seconds in which every loop looks at its flag; compiling one takes longer


def interruptible(kernel: Callable[..., Any], *args: Any) -> Any:
    """Call a compiled function in a thread of its own, so that an interrupt is raised at once.

    Python handles signals in the main thread between two of its own instructions. A compiled
    loop has none, and an interrupt that arrives while its result is handed over would be lost.
    So the loop runs elsewhere, without the interpreter's lock (``nogil=True``), and this thread
    waits for it. A loop that is still being compiled is not waited for: as soon as it is, it ends.

    The kernel's last parameter is an array of one number: as soon as that is not 0, nobody wants
    the result any more.
    """
    return _in_thread(lambda stop: kernel(*args, stop))


def shielded(kernel: Callable[..., Any], *args: Any) -> Any:
    """Call a compiled function that takes less than a second; an interrupt is raised after it."""
    if threading.current_thread() is not threading.main_thread():
        return kernel(*args)  # no signal arrives here
    return _in_thread(lambda _: kernel(*args))


def _in_thread(call: Callable[[NDArray[np.uint8]], Any]) -> Any:
    stop = np.zeros(1, np.uint8)
    task = Task(lambda: None if stop[0] else call(stop))
    try:
        task.start()
        task.wait()
    except BaseException:
        stop[0] = 1  # what has not begun by now never will
        while True:
            try:
                leave([task])
                break
            except KeyboardInterrupt:  # once is enough
                continue
        raise
    if task.failure is not None:
        raise task.failure
    return task.outcome


_T = TypeVar("_T")


def as_they_end(jobs: Iterable[Future[_T]]) -> Iterator[Future[_T]]:
    """Yield jobs of threads in the order in which they end; an interrupt is raised at once."""
    waiting = set(jobs)
    while waiting:
        ended, waiting = wait(waiting, _TICK, FIRST_COMPLETED)
        yield from ended


def cores() -> int:
    """Return how many cores this process may use."""
    if _others_beside:
        return 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def leave_cores_to_others() -> None:
    """Let `cores` be 1 from now on, in one of several processes that share them."""
    _others_beside.append(True)


_others_beside: list[bool] = []
_left: list[Task] = []


def leave(tasks: Sequence[Task]) -> None:
    """Wait for tasks that have been told to end; if one is being compiled, not to the end."""
    begun = [task for task in tasks if task.begun]
    _left.extend(begun)
    end = time.monotonic() + _PATIENCE
    for task in begun:
        task.wait(end - time.monotonic())
    _left[:] = [task for task in _left if not task.done]


def any_left() -> bool:
    """Whether something is still being compiled that nobody waits for."""
    return any(not task.done for task in _left)


@atexit.register
def _wait_for_all() -> None:
    """Keep the interpreter from being taken down around a thread that compiles."""
    try:
        for task in _left:
            task.wait()
    except KeyboardInterrupt:
        os._exit(130)


class Task:
    """A call in a thread of its own.

    It is made of the system's locks: an interrupt within Python's own `threading.Event`,
    `Thread.start` or `Queue` may leave them broken, and whoever waits for them waits for ever.
    """

    def __init__(self, call: Callable[[], Any]) -> None:
        self.outcome: Any = None
        self.failure: BaseException | None = None
        self.begun = self.done = False
        self._call = call
        self._running = _thread.allocate_lock()
        self._running.acquire()

    def start(self) -> None:
        """Begin; it does not keep the process from ending."""
        _thread.start_new_thread(self._run, ())

    def wait(self, patience: float = float("inf")) -> None:
        """Return when it is done, or patience ends; an interrupt is raised at once."""
        end = time.monotonic() + patience
        while not self.done and time.monotonic() < end:
            self._running.acquire(timeout=_TICK)

    def _run(self) -> None:
        self.begun = True
        try:
            self.outcome = self._call()
        except BaseException as reason:  # to be raised again in the caller's thread
            self.failure = reason
        finally:
            self.done = True
            self._running.release()
