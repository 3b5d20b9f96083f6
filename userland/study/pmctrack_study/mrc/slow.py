# SPDX-License-Identifier: GPL-2.0-or-later
"""Ways to slow programs down, so that others get more of the cache."""

from __future__ import annotations

import fcntl
import os
import struct
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Iterator, Protocol, Sequence

from ..failure import Failure
from ..groups import cpu_max

IA32_CLOCK_MODULATION = 0x19a
DUTY_ENABLE = 1 << 4
"""If it is set, bits 1 to 3 are eighths of the time (Intel SDM, volume 3, 15.8.3)."""

PERIOD_US = 10000
LEAST_US = 1000
MOST_US = 1000000
"""The kernel takes no smaller quota, and no larger period."""


class Slow(Protocol):
    """A way to slow programs down."""

    name: str

    def set(self, percent: float) -> float:
        """Give the programs @percent of their time, above 0. Returns what they really get."""

    def enter(self, pid: int) -> None:
        """Slow down a process, too, with what it will start."""


class Quota:
    """The kernel's CPU bandwidth limit of a control group."""

    name = "CPU bandwidth"

    def __init__(self, group: Path, cpus: int) -> None:
        self._group = group
        self._cpus = cpus

    def set(self, percent: float) -> float:
        """See Slow."""
        if percent >= 100:
            self._write("max", "-1", PERIOD_US)
            return 100
        part = percent / 100 * self._cpus
        period = min(max(PERIOD_US, round(LEAST_US / part)), MOST_US)
        limit = max(LEAST_US, round(part * period))
        self._write(f"{limit}", f"{limit}", period)
        return 100 * limit / period / self._cpus

    def _write(self, second: str, first: str, period: int) -> None:
        """Write the limit, for version 2 or 1 of control groups."""
        if (self._group / "cpu.max").exists():
            (self._group / "cpu.max").write_text(f"{second} {period}", "ascii")
            return
        # A quota that is larger than the new period allows is refused.
        for file, text in (("quota", "-1"), ("period", f"{period}"), ("quota", first)):
            (self._group / f"cpu.cfs_{file}_us").write_text(text, "ascii")

    def enter(self, pid: int) -> None:
        """See Slow."""
        (self._group / "cgroup.procs").write_text(f"{pid}", "ascii")


class Clock:
    """Duty-cycle modulation of Intel's CPUs: their clock stands still for eighths of the time."""

    name = "clock modulation"

    def __init__(self, files: Sequence[int]) -> None:
        self._files = files

    def set(self, percent: float) -> float:
        """See Slow."""
        eighths = min(8, max(1, round(percent * 8 / 100)))
        value = 0 if eighths == 8 else DUTY_ENABLE | eighths << 1
        for file in self._files:
            write_register(file, value)
        return 100 * eighths / 8

    def enter(self, pid: int) -> None:
        """All that runs on these CPUs is slowed down: the caller has bound the process to them."""


def read_register(file: int) -> int:
    """Read the register of a CPU, by /dev/cpu/N/msr."""
    value: int = struct.unpack("<Q", os.pread(file, 8, IA32_CLOCK_MODULATION))[0]
    return value


def write_register(file: int, value: int) -> None:
    """Write the register of a CPU, in the same way."""
    os.pwrite(file, struct.pack("<Q", value), IA32_CLOCK_MODULATION)


def _restore(file: int, path: Path, value: int) -> None:
    """Restore the register. A CPU that has gone has lost the setting by itself."""
    try:
        write_register(file, value)
    except OSError as error:
        print(f"pmctrack-mrc: {path}: clock modulation was not ended: {error.strerror}",
              file=sys.stderr)


@contextmanager
def clock(cpus: Sequence[int], devices: Path = Path("/dev/cpu")) -> Iterator[Slow]:
    """Clock modulation of @cpus. Afterwards, the registers are restored.

    The files are locked. Otherwise, if two programs changed a register, the second one to finish
    would leave there what the first one had written.
    """
    with ExitStack() as undo:
        files = []
        for cpu in cpus:
            path = devices / str(cpu) / "msr"
            try:
                file = os.open(path, os.O_RDWR)
                undo.callback(os.close, file)
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                undo.callback(_restore, file, path, read_register(file))
            except BlockingIOError as error:
                raise Failure(f"{path}: another pmctrack-mrc slows CPU {cpu} down") from error
            except OSError as error:
                raise Failure(f"{path}: {error.strerror}: clock modulation needs Intel's CPU, root "
                              "and 'modprobe msr'; else --slow quota") from error
            files.append(file)
        yield Clock(files)


@contextmanager
def quota(cpus: int) -> Iterator[Slow]:
    """The bandwidth limit for programs on @cpus CPUs."""
    with cpu_max("pmctrack-mrc", 100, cpus) as group:
        if not group:
            raise Failure("co-runners cannot be slowed down: no control group with CPU bandwidth "
                          "can be made here (are you root, and is /sys/fs/cgroup mounted?)")
        yield Quota(group, cpus)


def has_clock(devices: Path = Path("/dev/cpu"), info: Path = Path("/proc/cpuinfo")) -> bool:
    """Is there hardware for clock modulation, and may it be used? (Feature "acpi".)"""
    words = info.read_text(encoding="utf-8", errors="replace").split()
    return "GenuineIntel" in words and "acpi" in words and "hypervisor" not in words and \
        os.access(devices / "0" / "msr", os.R_OK | os.W_OK)


class Nothing:
    """No program is slowed down."""

    name = "no co-runners"

    def set(self, percent: float) -> float:
        """See Slow."""
        return percent

    def enter(self, pid: int) -> None:
        """See Slow."""
