# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs with all that they start, and signals that end this program."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import suppress
from typing import IO, Callable, Sequence

from ..command_line import ENDINGS

LOOK_S = 0.02
PATIENCE_S = 5.0


class Ending:
    """Signals that end this program stay pending until wait() looks for them.

    So nothing is left half done: no child is lost, and no cleanup is broken off.
    """

    def __init__(self) -> None:
        self._signals = {s for s in ENDINGS if signal.getsignal(s) != signal.SIG_IGN}
        signal.pthread_sigmask(signal.SIG_BLOCK, self._signals)

    def wait(self, seconds: float) -> bool:
        """Wait for a signal. Returns True if one has come."""
        return signal.sigtimedwait(self._signals, seconds) is not None

    def release(self) -> None:
        """Let signals come at once again: in a child, or after the cleanup."""
        signal.pthread_sigmask(signal.SIG_UNBLOCK, self._signals)


class Session:
    """A program that leads a session of its own.

    It is reaped only at the end, so that no other process or session can have its ID before.
    """

    def __init__(self, arguments: Sequence[str], prepare: Callable[[], None],
                 output: int | IO[str]) -> None:
        # This process has no other threads.
        # pylint: disable-next=subprocess-popen-preexec-fn,consider-using-with
        self._leader = subprocess.Popen(arguments, stdout=output, start_new_session=True,
                                        preexec_fn=prepare)
        self.pid = self._leader.pid

    def ended(self) -> bool:
        """True if the program itself has ended."""
        return self._leader.returncode is not None or os.waitid(
            os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def send(self, number: signal.Signals) -> None:
        """Send a signal to all of the session."""
        if self._leader.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self.pid, number)

    def send_leader(self, number: signal.Signals) -> None:
        """Send a signal to the program alone."""
        if not self.ended():
            os.kill(self.pid, number)

    def wait(self, seconds: float) -> bool:
        """Wait for the program. Returns True if it has ended by then."""
        end = time.monotonic() + seconds
        while not self.ended():
            if time.monotonic() >= end:
                return False
            time.sleep(LOOK_S)
        return True

    def reap(self) -> int:
        """Wait for the program, and return its status. What it has started may go on."""
        return self._leader.wait()

    def kill(self) -> int:
        """Kill all of the session. Returns the program's status."""
        self.send(signal.SIGKILL)
        return self.reap()

    def end(self) -> int:
        """End all of the session, which has some seconds for it. Returns the program's status."""
        self.send(signal.SIGCONT)
        self.send(signal.SIGTERM)
        self.wait(PATIENCE_S)
        return self.kill()
