#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""watch.py --limit S --test-limit S --port PATH --log FILE -- QEMU…: run a guest.

The guest's tests have limits, which it cannot measure: an idle one with -icount is ahead of the
host's clock. Its test runner (tests/selftests/run.sh) therefore says at a virtio port which test
begins and ends. The limits are measured here, like those of any command (supervise.py). A test
that exceeds its limit is named at the port, and the runner ends it. If the runner does not, or if
the guest exceeds its own limit, the guest is ended, with exit status 124. A line names the test
that ran.
"""

import os
import sys
from dataclasses import dataclass, field

from supervise import Command, Usage, arguments, supervise

# The part of its limit that a test may use in addition, while the guest's runner ends it.
GRACE = 0.5
# A test that uses more CPU time is named.
SLOW_S = 20


@dataclass
class Test:
    """The test that runs in the guest."""

    number: str
    name: str
    began: Usage
    hangs: bool = False


@dataclass
class Runner:
    """The guest's test runner, at the other end of the port's two FIFOs."""

    path: str
    limit: float
    test: Test | None = None
    unread: bytes = field(default=b"", init=False)

    def __post_init__(self) -> None:
        self.from_guest = os.open(self.path + ".out", os.O_RDONLY | os.O_NONBLOCK)
        # Open it for reading, too, so that nobody needs to be at the other end.
        self.to_guest = os.open(self.path + ".in", os.O_RDWR | os.O_NONBLOCK)

    def listen(self, now: Usage) -> None:
        """Read lines "begin NUMBER NAME" and "end NUMBER"."""
        try:
            while text := os.read(self.from_guest, 4096):
                self.unread += text
        except BlockingIOError:
            pass
        *lines, self.unread = self.unread.split(b"\n")
        for line in lines:
            what, number, *name = line.decode(errors="replace").split(maxsplit=2) + ["", ""]
            if what == "begin":
                self.test = Test(number, name[0], now)
            elif what == "end" and self.test:
                used = now.since(self.test.began)
                if used.cpu >= SLOW_S:
                    print(f"# {self.test.name}: {used} on the host", file=sys.stderr, flush=True)
                self.test = None

    def look(self, now: Usage) -> str | None:
        """Have a test that hangs ended; return the reason if the guest must be ended."""
        self.listen(now)
        if self.test is None:
            return None
        used = now.since(self.test.began)
        if used.exceeds(self.limit * (1 + GRACE)):
            return f"guest does not end a test that hangs: {self.test.name}"
        if used.exceeds(self.limit) and not self.test.hangs:
            self.test.hangs = True
            os.write(self.to_guest, f"{self.test.number} {used} on the host\n".encode())
        return None


def main() -> int:
    """Watch one guest."""
    parser = arguments()
    parser.add_argument("--test-limit", type=float, required=True)
    parser.add_argument("--port", required=True)
    parser.add_argument("--log", required=True)
    args = parser.parse_args()
    runner = Runner(args.port, args.test_limit)

    def look(now: Usage) -> str | None:
        reason = runner.look(now)
        if not reason and now.exceeds(args.limit):
            reason = f"guest did not end within {args.limit:.0f} s"
            if runner.test:
                reason += f"; it was in test {runner.test.name}"
        return reason

    return supervise(Command(args.command, args.log), look)


if __name__ == "__main__":
    sys.exit(main())
