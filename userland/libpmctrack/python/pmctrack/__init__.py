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

Times of records and sampling periods are integers, in nanoseconds; timeouts are
in seconds, as everywhere in Python. Counts are event counts, never scaled.

What the library or the kernel refuses is a PmctrackError, an OSError: its errno
is one of those in <pmctrack/libpmctrack.h>, its text names the thing and the
remedy. Objects may be used from any thread, but not by two at once; the thread
that counts itself is the one that opened the session.
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
