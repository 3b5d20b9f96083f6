# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sessions: the threads or CPUs that are monitored, and their records."""

import collections
import ctypes
import dataclasses
import errno
import math
import os
import select
import time
from collections.abc import Iterable, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from . import _library
from ._control import Control, EventSet, pointers
from ._library import Handle, checked, fail, lib, to_bytes, unsigned
from ._record import HEADER, Header, Record, build

if TYPE_CHECKING:
    from ._program import ProgramSession

# poll() takes a C int of milliseconds.
_LONGEST_POLL_MS = 2**31 - 1


@dataclasses.dataclass(frozen=True, slots=True)
class SessionStats:
    """Health of a session."""

    #: threads that are monitored now
    threads: int
    #: threads that are not monitored because memory was short
    skipped_threads: int
    #: last records of threads that did not fit into the ring
    lost: int
    #: threads of running processes that are not monitored, because the process created
    #: them faster than they could be attached, or has more than attach_max_threads
    left_out_threads: int
    #: an administrator ended the session
    revoked: bool
    #: size of the kernel's buffer in bytes; of each CPU's if there are several
    ring_size: int
    #: the size in bytes if memory were not short (ulimit -l)
    ring_wanted: int


class Session:
    """The threads or CPUs that are monitored together, and their records.

    A session is a context manager that closes itself, and an iterable of records. It
    monitors

        Session(ctl, sets)                      the calling thread
        Session.run(ctl, sets, ["./app"])       a program from its exec on
        Session(ctl, sets, pids=[1234])         running processes
        Session(ctl, sets, system=True)         all CPUs
        Session(ctl, sets, cgroup="/sys/...")   the threads of a control group
    """

    _handle: Handle
    _own_thread: bool
    _over = False

    def __init__(
        self,
        ctl: Control,
        sets: str | EventSet | Sequence[EventSet] = (),
        *,
        pids: Iterable[int] | None = None,
        system: bool = False,
        cgroup: str | os.PathLike[str] | None = None,
        period_ns: int = 0,
        ring_size: int = 0,
        virtual: str | Iterable[str] = (),
        threads: bool | None = None,
        children: bool | None = None,
        user_read: bool = False,
    ) -> None:
        """Begin to monitor.

        sets: event sets, or a string for Control.parse_list(). Several sets of one core
            type take turns: each is counted for one sampling period. If the sets sample
            by events (either all sets do, or none), each is counted for one sample. No
            sets, with virtual: the sets of the monitoring module.
        pids: monitor these running processes with all their threads from now on.
        system: monitor all CPUs, whatever runs there; needs CAP_PERFMON.
        cgroup: directory of a control group (version 2): monitor its threads on all CPUs.
        period_ns: sampling period in nanoseconds, rounded up to a multiple of
            Control.tick_ns; 0: none.
        ring_size: size of the kernel's buffer in bytes, a power of two; 0: the default.
        virtual: names of virtual counters of the monitoring module.
        threads, children: whether to monitor threads (threads) and processes (children)
            that a monitored thread creates. Default: yes, but not for the calling thread.
        user_read: the calling thread reads its counters with read_counts().

        Errors: EBUSY: perf or another session uses the counters, the thread or the CPUs;
        EACCES: the target is not yours; ESRCH: no such thread; EINVAL, EOPNOTSUPP: the
        PMU cannot count this; ENOENT: another monitoring module is active by now; ENOMEM:
        no memory, or the limit of locked memory is reached; errors of Control.parse_list().
        """
        processes = [unsigned("pids", pid, 31) for pid in pids or ()]
        # For the library, an empty list of processes means the calling thread.
        if pids is not None and not processes:
            raise ValueError("pids is empty")
        wide = system or cgroup is not None
        self._own_thread = not (processes or wide)
        self._prepare(ctl, sets, virtual)
        self._open(
            ctl,
            flags=_flags(threads, children, not self._own_thread and not wide)
            | (_library.SESSION_SYSTEM if wide else 0)
            | (_library.SESSION_USER_READ if user_read else 0),
            processes=(ctypes.c_int * len(processes))(*processes) if processes else None,
            nr_processes=len(processes),
            cgroup=to_bytes(cgroup) if cgroup is not None else None,
            period_ns=unsigned("period_ns", period_ns, 64),
            ring_size=unsigned("ring_size", ring_size, 32),
        )

    def _prepare(
        self,
        ctl: Control,
        sets: str | EventSet | Sequence[EventSet],
        virtual: str | Iterable[str],
    ) -> None:
        # pylint: disable=protected-access
        self._virts = ctl._virtual_mask(virtual)
        self._of_mmon = not sets and self._virts != 0
        #: the event sets, in the order of Record.set_index
        self.sets = tuple(ctl.parse_mmon()) if self._of_mmon else _sets(ctl, sets)
        self._pointers = pointers(self.sets)
        self._virtual_names = tuple(v.name for v in ctl.virtual_counters)
        # Index in sets, by core type and set number of a record.
        self._set_index: dict[tuple[int, int], int | None] = {}
        # Records that a region took from the ring when it began, for take() to return.
        self._backlog: collections.deque[Record] = collections.deque()
        self._lib = lib()

    def _open(self, ctl: Control, **options: Any) -> None:
        # pylint: disable=protected-access
        opts = _library.SessionOpts(
            sz=ctypes.sizeof(_library.SessionOpts), virts=self._virts, **options
        )
        self._handle = Handle(
            "Session",
            lib().pmctrack_session__open(
                ctl._pointer(),
                self._pointers,
                0 if self._of_mmon else len(self.sets),
                ctypes.byref(opts),
            ),
            lib().pmctrack_session__close,
        )

    @staticmethod
    def run(
        ctl: Control,
        sets: str | EventSet | Sequence[EventSet],
        command: Sequence[str | os.PathLike[str]],
        *,
        period_ns: int = 0,
        ring_size: int = 0,
        virtual: str | Iterable[str] = (),
        threads: bool = True,
        children: bool = True,
        **popen: Any,
    ) -> "ProgramSession":
        """Run a program, and monitor it from its exec on.

        popen: arguments for subprocess.Popen: stdout, env, cwd and so on. The member
            process of the result is the Popen object.
        The other arguments are as for Session().

        Errors: those of Session(): then the program does not run; those of
        subprocess.Popen(), for example FileNotFoundError.
        """
        # Imported here, because _program imports this module.
        from ._program import ProgramSession  # pylint: disable=import-outside-toplevel

        return ProgramSession(
            ctl,
            sets,
            command,
            popen=popen,
            period_ns=period_ns,
            ring_size=ring_size,
            virtual=virtual,
            threads=threads,
            children=children,
        )

    def __enter__(self) -> Self:
        self._pointer()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        sets = "; ".join(",".join(s.names) for s in self.sets)
        return f"<pmctrack.{type(self).__name__} {'closed' if self.closed else sets}>"

    def _pointer(self) -> int:
        return self._handle.pointer

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._handle.closed

    def close(self) -> None:
        """End monitoring. Records that were not taken are lost. A second call does nothing."""
        self._handle.close()

    @property
    def period_ns(self) -> int:
        """The sampling period in use, in nanoseconds; 0: none. Errors: EBADF."""
        return int(self._lib.pmctrack_session__period_ns(self._pointer()))

    def fileno(self) -> int:
        """A descriptor that is readable if there are records, for select and asyncio.

        The session owns the descriptor. Errors: EBADF.
        """
        return int(self._lib.pmctrack_session__fd(self._pointer()))

    def start(self) -> None:
        """Begin to count the calling thread, in a session that it opened for itself.

        Makes one system call. Errors: ESRCH: the session is for another thread; EALREADY:
        the thread is counted already; EBADF.
        """
        checked(self._lib.pmctrack_session__start(self._pointer()))

    def stop(self) -> None:
        """End counting the calling thread.

        Makes one system call, which writes a record of kind SELF with what was counted
        since the start. Errors: ESRCH: as for start(); EALREADY: the thread is stopped
        already; EBADF.
        """
        checked(self._lib.pmctrack_session__stop(self._pointer()))

    def region(self) -> "Region":
        """A context manager that counts the calling thread in its body.

        The counts include overhead of the interpreter, which is the same each time. Errors:
        those of start() and stop().
        """
        return Region(self)

    def read_counts(self) -> dict[str, int]:
        """Events of the calling thread since the session was opened, while it was started.

        Makes no system call. The session needs user_read. Errors: EOPNOTSUPP: it was opened
        without user_read; ESRCH: another thread opened the session; EBADF.
        """
        pointer = self._pointer()
        value = ctypes.c_uint64()
        counts = {}
        for name, counter in zip(self.sets[0].names, self.sets[0].counters):
            checked(self._lib.pmctrack_session__count(pointer, counter, ctypes.byref(value)))
            counts[name] = value.value
        return counts

    def detach(self) -> None:
        """End the monitoring of running processes or CPUs.

        A last record of kind DETACH is written for each thread that is still being counted,
        or for each CPU. Iteration ends after these records. Errors: ENOTTY: the session
        monitors neither running processes nor CPUs; EBADF.
        """
        checked(self._lib.pmctrack_session__detach(self._pointer()))

    def take(self) -> Record | None:
        """The next record; None: there is no record at present. Makes no system call.

        Errors: EBADF.
        """
        pointer = self._pointer()
        return self._backlog.popleft() if self._backlog else self._next(pointer)

    def _next(self, pointer: int) -> Record | None:
        """The next record of the ring."""
        address = ctypes.c_void_p()
        if not checked(self._lib.pmctrack_session__next(pointer, ctypes.byref(address))):
            return None
        assert address.value
        return self._record(address.value)

    def _record(self, address: int) -> Record:
        size = ctypes.c_uint32.from_address(address).value
        data = ctypes.string_at(address, size)
        header = Header._make(HEADER.unpack_from(data))
        which = (header.core_type, header.set)
        if which not in self._set_index:
            i = self._lib.pmctrack_evset__of_record(self._pointers, len(self.sets), address)
            self._set_index[which] = i if i >= 0 else None
        index = self._set_index[which]
        names = self.sets[index].names if index is not None else ()
        return build(data, index, names, self._virtual_names)

    def pending(self) -> Iterator[Record]:
        """Yield the records that are there now, without waiting. Errors: EBADF."""
        while (record := self.take()) is not None:
            yield record

    @property
    def over(self) -> bool:
        """Whether wait() found that no thread is monitored any more and all records were taken."""
        return self._over

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for records, for at most timeout seconds; None: without a limit.

        True: there are records. False: no record came in time, or no record will come any
        more, because no thread is monitored; in the second case, over is true. Errors:
        EBADF; ESHUTDOWN: an administrator ended the session, and all records were taken.
        """
        if timeout is not None and timeout < 0:
            raise ValueError("timeout must not be negative")
        deadline = None if timeout is None else time.monotonic() + timeout
        poller = select.poll()
        while not self._backlog:
            result = self._lib.pmctrack_session__wait(self._pointer(), 0)
            self._over = result == -errno.ENODATA
            if self._over:
                return False
            if result == 1:
                return True
            if result not in (0, -errno.EINTR):
                fail(-result)
            remaining = _milliseconds(deadline)
            if remaining == 0:
                return False
            # poll() of Python releases the GIL, and runs Python's signal handlers.
            poller.register(self.fileno(), select.POLLIN)
            poller.poll(remaining)
        return True

    def __iter__(self) -> Iterator[Record]:
        """Yield records, and wait for them, until no thread is monitored any more.

        A session of the calling thread yields only the records that are there, because the
        thread cannot wait for itself. For CPUs, iteration ends after detach(). Errors: EBADF.
        """
        while True:
            yield from self.pending()
            if self._own_thread or not self.wait():
                return

    def stats(self) -> SessionStats:
        """Health of the session; makes no system call. Errors: EBADF."""
        info = _library.SessionStatsInfo(sz=ctypes.sizeof(_library.SessionStatsInfo))
        self._lib.pmctrack_session__stats(self._pointer(), ctypes.byref(info))
        return SessionStats(
            info.threads,
            info.skipped_threads,
            info.lost,
            info.left_out_threads,
            bool(info.revoked),
            info.ring_size,
            info.ring_wanted,
        )

    def lost_count(self, core_type: int, number: int, counter: int) -> int:
        """Events of one counter in lost records; number: of the set, within its core type.

        Errors: EBADF.
        """
        return int(
            self._lib.pmctrack_session__lost_count_of(
                self._pointer(), core_type, number, counter
            )
        )


def _sets(ctl: Control, sets: str | EventSet | Sequence[EventSet]) -> tuple[EventSet, ...]:
    if isinstance(sets, EventSet):
        return (sets,)
    if isinstance(sets, str):
        return tuple(ctl.parse_list(sets)) if sets else ()
    return tuple(sets)


def _flags(threads: bool | None, children: bool | None, default: bool) -> int:
    follow_threads = default if threads is None else threads
    follow_children = default if children is None else children
    return (_library.SESSION_THREADS if follow_threads else 0) | (
        _library.SESSION_CHILDREN if follow_children else 0
    )


def _milliseconds(deadline: float | None) -> int | None:
    """The time left until deadline, rounded up, because rounding down would busy-wait."""
    if deadline is None:
        return None
    return min(max(0, math.ceil((deadline - time.monotonic()) * 1000)), _LONGEST_POLL_MS)


class Region:
    """A piece of code that is counted in the calling thread; see Session.region().

    The results are there after the end of its body. Records from before the region stay
    in the session.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        #: one record, or several if the session samples or follows threads
        self.records: tuple[Record, ...] = ()

    def __enter__(self) -> Self:
        # pylint: disable=protected-access
        self._session._backlog.extend(self._fresh())
        self._session.start()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._session.stop()
        self.records = self._fresh()

    def _fresh(self) -> tuple[Record, ...]:
        """Take all records that are in the ring."""
        # pylint: disable=protected-access
        session = self._session
        pointer = session._pointer()
        return tuple(iter(lambda: session._next(pointer), None))

    @property
    def counts(self) -> dict[str, int]:
        """Sums over the region's records, by event.

        If sets take turns, the sums of a set are only over its own turns.
        """
        sums: collections.Counter[str] = collections.Counter()
        for record in self.records:
            sums.update(record.counts)
        return dict(sums)

    @property
    def run_ns(self) -> int:
        """Nanoseconds for which the thread ran on a CPU in the region."""
        return sum(record.run_ns for record in self.records)
