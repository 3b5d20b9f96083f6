# SPDX-License-Identifier: LGPL-2.1-or-later
"""Records: what one thread, or one CPU, did in one interval."""

import dataclasses
import enum
import struct
from collections.abc import Sequence
from typing import NamedTuple


class RecordKind(enum.IntEnum):
    """Why an interval was closed (enum pmctrack_record_kind)."""

    #: the sampling period expired
    TICK = 0
    #: an event count was reached
    EBS = 1
    #: the thread ended, or the CPU goes offline
    EXIT = 2
    #: the thread moved to another core type
    MIGRATION = 3
    #: the thread stopped counting itself
    SELF = 4
    #: Session.detach(); the counts are up to the last time they were read
    DETACH = 5
    #: an administrator ended the session, or a session with CAP_PERFMON took the
    #: thread over; the counts are up to the last time they were read
    REVOKED = 6


class RecordFlags(enum.IntFlag):
    """How to read the counts of a record (enum pmctrack_record_flags)."""

    #: an earlier record of this thread did not fit into the ring; this record
    #: covers its interval, too, so nothing is missing
    MERGED = 1 << 0
    #: monitoring of the thread ended here, because it executed a program with
    #: other privileges
    SETUID = 1 << 1
    #: of kind EBS: the window is longer than requested, because samples took too
    #: much of the CPU's time; the counts are exact
    WIDENED = 1 << 2
    #: other software wrote the counters; the events counted until this was detected
    #: are not in the counts, and their time is not in hw_ns
    DISTURBED = 1 << 3


@dataclasses.dataclass(frozen=True, slots=True)
class Record:
    """What one thread, or one CPU, did in one interval.

    The object is a copy, so it stays valid. All events of a record were counted during
    the same times.
    """

    kind: RecordKind
    flags: RecordFlags
    #: end of the interval, as of time.monotonic_ns(), in nanoseconds
    time_ns: int
    #: nanoseconds for which the thread ran on a CPU in the interval. Record of a CPU:
    #: the interval's length, or the time for which threads of the cgroup ran there.
    run_ns: int
    #: the part of run_ns in which the set was on the hardware. It is less than run_ns
    #: if threads of other sessions had the counters of a CPU, and in records with the
    #: flag DISTURBED: then events are missing.
    hw_ns: int
    #: thread ID; -1: the record is of a CPU
    tid: int
    #: process ID of the thread; -1: the record is of a CPU
    tgid: int
    #: CPU on which the interval ended
    cpu: int
    #: index in Control.pmus of that CPU's PMU; an index beyond the last one if the
    #: CPU's counters cannot be used
    core_type: int
    #: index in Session.sets of the set that was counted; None: there is no set for
    #: this core type, so there are no counts
    set_index: int | None
    #: counts, by the names in EventSet.names
    counts: dict[str, int]
    #: values of virtual counters, by name; counters without a value are left out
    virtual: dict[str, int]


class Header(NamedTuple):
    """struct pmctrack_record without its counts."""

    size: int
    kind: int
    flags: int
    time_ns: int
    run_ns: int
    hw_ns: int
    tid: int
    tgid: int
    cpu: int
    core_type: int
    set: int
    nr_counts: int
    nr_virt: int
    counters: int
    virt: int


# Native sizes and alignment; the struct has no holes.
HEADER = struct.Struct("@IHHQQQiiIBBBBII")


def bits(mask: int) -> tuple[int, ...]:
    """The numbers of the bits that are set in a mask."""
    return tuple(i for i in range(mask.bit_length()) if mask >> i & 1)


def unpack(data: bytes) -> tuple[Header, tuple[int, ...], tuple[int, ...]]:
    """Split the bytes of a record into header, counts, and values of virtual counters.

    Errors: ValueError: these are not the bytes of one record.
    """
    if len(data) < HEADER.size:
        raise ValueError(f"a record of {len(data)} bytes")
    header = Header._make(HEADER.unpack_from(data))
    nr_values = header.nr_counts + header.nr_virt
    if header.size != len(data) or HEADER.size + 8 * nr_values > header.size:
        raise ValueError(f"a record of {len(data)} bytes that says {header.size}, {nr_values}")
    values = struct.unpack_from(f"@{nr_values}Q", data, HEADER.size)
    counts = header.nr_counts
    return header, values[:counts], values[counts:]


def build(
    data: bytes, set_index: int | None, names: Sequence[str], virtual_names: Sequence[str]
) -> Record:
    """Make a record from bytes: names are its set's events, virtual_names all virtual counters."""
    header, counts, virtual = unpack(data)
    return Record(
        kind=RecordKind(header.kind),
        flags=RecordFlags(header.flags),
        time_ns=header.time_ns,
        run_ns=header.run_ns,
        hw_ns=header.hw_ns,
        tid=header.tid,
        tgid=header.tgid,
        cpu=header.cpu,
        core_type=header.core_type,
        set_index=set_index,
        counts=dict(zip(names, counts)),
        virtual={virtual_names[i]: v for i, v in zip(bits(header.virt), virtual)},
    )
