# SPDX-License-Identifier: GPL-2.0-or-later
"""/proc/pmc/programs: see <linux/pmctrack_programs.h>, whose structures these are."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Iterator

from ..failure import Failure

FILE = Path("/proc/pmc/programs")
VERSION = 1
CORE_TYPES, PHASES, BUCKETS, FOLLOWERS, NEXT = 4, 24, 512, 64, 3
NO_PHASE = 255
ONE = 65536  # shares of a vector add up to this
UNIT = 1 << 20  # speeds are cycles for so many instructions
MOST_WINDOWS = (1 << 31) - 1
FADING = 32  # means are of so many windows at most
# A mean stays where it is while windows are nearer to it than a half in their weight.
MOST_MEAN = ONE + BUCKETS * FADING // 2


class Speed(ctypes.Structure):
    """struct pmctrack_phase_speed"""

    _fields_ = [(name, ctypes.c_uint16) for name in ("valid", "other", "pressure", "ignored")] + [
        (name, ctypes.c_uint32) for name in ("alone", "beside", "variance")]
    valid: int
    other: int
    pressure: int
    ignored: int
    alone: int
    beside: int
    variance: int


class Phase(ctypes.Structure):
    """struct pmctrack_phase"""

    _fields_ = [("seen", ctypes.c_uint32), ("age", ctypes.c_uint32),
                ("speed", Speed * CORE_TYPES), ("mean", ctypes.c_uint16 * BUCKETS)]
    seen: int
    age: int
    speed: ctypes.Array[Speed]
    mean: ctypes.Array[ctypes.c_uint16]


class Followers(ctypes.Structure):
    """struct pmctrack_followers"""

    _fields_ = [("before", ctypes.c_uint8), ("phase", ctypes.c_uint8),
                ("next", ctypes.c_uint8 * NEXT), ("times", ctypes.c_uint8 * NEXT)]
    before: int
    phase: int
    next: ctypes.Array[ctypes.c_uint8]
    times: ctypes.Array[ctypes.c_uint8]


class Program(ctypes.Structure):
    """struct pmctrack_program"""

    _fields_ = [("version", ctypes.c_uint32), ("bytes", ctypes.c_uint32),
                ("table", ctypes.c_uint64), ("content", ctypes.c_uint64), ("uid", ctypes.c_uint32),
                ("process", ctypes.c_int32)] + [
        (name, ctypes.c_uint32) for name in (
            "threads", "address_instr", "core_types", "windows", "forgotten", "run_windows",
            "run_valid", "run_changes", "run_foreseen")] + [
        (name, ctypes.c_uint8) for name in ("run_phase", "run_known", "run_wanted", "reserved")] + [
        (name, ctypes.c_uint64) for name in ("run_ns", "run_alone")]
    version: int
    bytes: int
    table: int
    content: int
    uid: int
    process: int
    threads: int
    address_instr: int
    core_types: int
    windows: int
    forgotten: int
    run_windows: int
    run_valid: int
    run_changes: int
    run_foreseen: int
    run_phase: int
    run_known: int
    run_wanted: int
    run_ns: int
    run_alone: int


class Record(ctypes.Structure):
    """struct pmctrack_program_record"""

    _fields_ = [("program", Program), ("phase", Phase * PHASES),
                ("followers", Followers * FOLLOWERS)]
    program: Program
    phase: ctypes.Array[Phase]
    followers: ctypes.Array[Followers]

    def phases(self) -> list[int]:
        """Numbers of the phases that there are, from 0."""
        return [i for i in range(PHASES) if self.phase[i].seen]

    def known(self) -> int:
        """How many phases have a speed alone, on some core type."""
        return sum(any(s.valid for s in self.phase[i].speed) for i in self.phases())


SIZE = ctypes.sizeof(Record)
HEAD = ctypes.sizeof(Program)


def followers_in(entry: Followers) -> dict[int, int]:
    """How often each phase followed. Phases are counted from 0."""
    return {n: times for n, times in zip(entry.next, entry.times) if times}


def copy_of(record: Record) -> Record:
    """A copy of a record."""
    return Record.from_buffer_copy(record)


def _is_sane(speed: Speed) -> bool:
    """The same check as in the kernel."""
    return (speed.valid <= FADING and speed.other <= FADING and
            bool(speed.valid) == bool(speed.alone) and bool(speed.other) == bool(speed.beside) and
            max(speed.alone, speed.beside) < 1 << 31 and speed.variance <= 10000 ** 2)


def decode(data: bytes) -> Record:
    """Read a record that was kept. Raises ValueError if it cannot be a record."""
    if len(data) != SIZE:
        raise ValueError(f"{len(data)} bytes, not {SIZE}")
    record = Record.from_buffer_copy(data)
    if record.program.version != VERSION or record.program.bytes != SIZE:
        raise ValueError(f"of version {record.program.version}, not {VERSION}")
    if record.program.windows > MOST_WINDOWS:
        raise ValueError(f"{record.program.windows} windows")
    for i in record.phases():
        phase = record.phase[i]
        if phase.seen + phase.age > record.program.windows or \
                sum(phase.mean) > MOST_MEAN or not all(map(_is_sane, phase.speed)):
            raise ValueError(f"its phase {i + 1} is impossible")
    for entry in record.followers:
        named = [entry.phase, *followers_in(entry)]
        named += [] if entry.before == NO_PHASE else [entry.before]
        if entry.times[0] and not all(n < PHASES and record.phase[n].seen for n in named):
            raise ValueError("what follows on its phases is impossible")
    return record


class Programs:
    """The kernel's file, opened."""

    def __init__(self, path: Path = FILE) -> None:
        try:
            self.fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError as missing:
            raise Failure(f"{path}: there is none: as root, 'modprobe pmctrack-mmon-fair_progress' "
                          "and 'echo fair_progress > /proc/pmc/mmon_manager', or run "
                          "'pmctrack-sched fps'") from missing
        except PermissionError as refused:
            raise Failure(f"{path} is root's: it says what others run") from refused
        self.path = path

    def close(self) -> None:
        """Close the file. It is not used afterwards."""
        os.close(self.fd)

    def head(self, place: int) -> Program | None:
        """The program that has a place. None: there is no such place, or the module has gone."""
        try:
            data = os.pread(self.fd, HEAD, place * SIZE)
        except OSError:
            return None
        if len(data) != HEAD:
            return None
        program = Program.from_buffer_copy(data)
        if program.version != VERSION or program.bytes != SIZE:
            raise Failure(f"{self.path} is of version {program.version}, phasedb of {VERSION}: "
                          "install both from the same release")
        return program

    def heads(self) -> Iterator[tuple[int, Program]]:
        """All places that a program has, or had."""
        place = 0
        while True:
            program = self.head(place)
            if not program:
                return
            if program.content:
                yield place, program
            place += 1

    def alive(self) -> bool:
        """Is the module still there?"""
        return self.head(0) is not None

    def record(self, place: int) -> Record | None:
        """All that is known of the program that has a place."""
        try:
            data = os.pread(self.fd, SIZE, place * SIZE)
        except OSError:
            return None
        return Record.from_buffer_copy(data) if len(data) == SIZE else None

    def give(self, record: Record, process: Program) -> bool:
        """Give a process what was learnt before. False: it has ended, or knows more."""
        given = copy_of(record)
        # What processes did is not given.
        given.program = Program.from_buffer_copy(process)
        given.program.windows = record.program.windows
        given.program.forgotten = record.program.forgotten
        try:
            return os.pwrite(self.fd, bytes(given), 0) == SIZE
        except OSError:
            # A record that the kernel takes for impossible is not given, either.
            return False
