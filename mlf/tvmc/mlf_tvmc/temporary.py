"""Temporary directories."""

import contextlib
import os
import signal
import tempfile
import threading


class _Ended(BaseException):
    """A signal that ends the process."""

    def __init__(self, number):
        super().__init__(number)
        self.number = number


def _end(number, _frame):
    raise _Ended(number)


@contextlib.contextmanager
def _clean_end():
    """Let signals that end the process leave the block first, as an exception does.

    A signal that the user handles stays the user's. Only the main thread may handle signals.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    taken = [
        number
        for number in (signal.SIGTERM, signal.SIGHUP)
        if signal.getsignal(number) is signal.SIG_DFL
    ]
    for number in taken:
        signal.signal(number, _end)
    ended = None
    try:
        yield
    except _Ended as error:
        ended = error.number
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)
    if ended is not None:
        os.kill(os.getpid(), ended)


@contextlib.contextmanager
def directory():
    """Return a directory that is gone when the block ends, also by SIGTERM or SIGHUP."""
    with _clean_end(), tempfile.TemporaryDirectory(prefix="mlf-") as name:
        yield name
