# SPDX-License-Identifier: LGPL-2.1-or-later
"""Hardware performance counters per thread, through the PMCTrack kernel module.

Bindings of libpmctrack.so.0:

    with pmctrack.Control() as ctl:
        with pmctrack.Session(ctl, "instr,cycles") as session:
            with session.region() as region:
                work()
            print(region.counts["instr"], region.counts["cycles"])

        with pmctrack.Session.run(ctl, "instr,cycles", ["./app"]) as session:
            for record in session:
                print(record.tid, record.kind.name, record.counts)

Times of records and sampling periods are integers, in nanoseconds. Timeouts are
in seconds, as everywhere in Python. Counts are event counts, never scaled.

If the library or the kernel refuses a call, PmctrackError (an OSError) is raised.
Its errno is one of those in <pmctrack/libpmctrack.h>. Its text says what failed, and
what to do about it. Any thread may use an object, but only one thread at a time. In a
session of the calling thread, the thread that opened the session is counted.
"""

from ._control import Control, Event, EventSet, Pmu, VirtualCounter
from ._error import PmctrackError
from ._program import ProgramSession
from ._record import Record, RecordFlags, RecordKind
from ._session import Region, Session, SessionStats
from ._version import __version__

__all__ = [
    "Control",
    "Event",
    "EventSet",
    "Pmu",
    "PmctrackError",
    "ProgramSession",
    "Record",
    "RecordFlags",
    "RecordKind",
    "Region",
    "Session",
    "SessionStats",
    "VirtualCounter",
    "__version__",
]
