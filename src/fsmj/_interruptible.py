"""Compiled loops that Ctrl-C can end."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

_TICK = 0.1  # seconds; some systems do not wake a waiting thread for a signal


def interruptible(kernel: Callable[..., Any], *args: Any) -> Any:
    """Call a compiled function in a thread of its own, so that an interrupt is raised at once.

    Python handles signals in the main thread between two of its own instructions. A compiled
    loop has none, and an interrupt that arrives while its result is handed over would be lost.
    So the loop runs elsewhere, without the interpreter's lock, and this thread waits for it.

    Parameters
    ----------
    kernel : callable
        Compiled with ``nogil=True``. Its last parameter is an array of one number: as soon as that
        is not 0, nobody wants the result any more.
    *args
        Its other arguments.

    Returns
    -------
    object
        What the kernel returns.
    """
    return _in_thread(lambda stop: kernel(*args, stop))


def shielded(kernel: Callable[..., Any], *args: Any) -> Any:
    """Call a compiled function that takes less than a second; an interrupt is raised after it.

    Parameters
    ----------
    kernel : callable
        Compiled with ``nogil=True``.
    *args
        Its arguments.

    Returns
    -------
    object
        What the kernel returns.
    """
    if threading.current_thread() is not threading.main_thread():
        return kernel(*args)  # no signal arrives here
    return _in_thread(lambda _: kernel(*args))


def _in_thread(call: Callable[[NDArray[np.uint8]], Any]) -> Any:
    stop, done = np.zeros(1, np.uint8), threading.Event()
    outcome: list[Any] = []
    failure: list[BaseException] = []

    def work() -> None:
        try:
            outcome.append(call(stop))
        except BaseException as reason:  # to be raised again in the caller's thread
            failure.append(reason)
        finally:
            done.set()

    threading.Thread(target=work, name="fsmj-kernel", daemon=True).start()
    try:
        while not done.wait(_TICK):
            pass
    except BaseException:
        stop[0] = 1
        while not done.is_set():
            try:
                done.wait(_TICK)
            except KeyboardInterrupt:  # once is enough
                continue
        raise
    if failure:
        raise failure[0]
    return outcome[0]
