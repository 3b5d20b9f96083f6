# SPDX-License-Identifier: LGPL-2.1-or-later
"""The connection to the kernel module, and event sets."""

import ctypes
import dataclasses
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Any, Final, Self

from . import _library
from ._library import Handle, checked, lib, text, to_bytes
from ._record import bits

_MAX_SETS = _library.MAX_SETS * _library.MAX_CORE_TYPES


@dataclasses.dataclass(frozen=True, slots=True)
class Pmu:
    """What the PMU of a core type can do."""

    #: index in Control.pmus, which is the number of the core type
    index: int
    name: str
    #: identification of the CPU, for example "midr=0x410fd0c0"
    model: str
    #: list of the CPUs with this PMU, for example "0-3,6"
    cpus: str
    #: libpfm4 table that event names come from; None: there are only codes and portable names
    table: str | None
    #: usable counters
    counters: tuple[int, ...]
    #: the usable counters that can count only one event
    fixed: tuple[int, ...]
    #: width of a general counter in bits
    width: int


@dataclasses.dataclass(frozen=True, slots=True)
class Event:
    """An event that a PMU implements."""

    name: str
    code: int
    #: if name is a portable name, the PMU's own name of the event; else None
    alias_of: str | None
    #: empty if there is none
    description: str


@dataclasses.dataclass(frozen=True, slots=True)
class VirtualCounter:
    """A virtual counter of the active monitoring module."""

    #: index in Control.virtual_counters
    index: int
    name: str
    #: unit of its values; may be empty
    unit: str
    description: str
    #: True: a value is the state at the end of its interval. False: a value is the
    #: increase during its interval, so values of intervals can be added up.
    gauge: bool


class EventSet:
    """Events that are counted together, each on a hardware counter.

    Control.parse(), parse_list(), parse_raw() and parse_mmon() make event sets. An event
    set may be used after its Control was closed.
    """

    def __init__(self, pointer: int | None) -> None:
        """Internal: take over a set of the library. Programs call Control.parse()."""
        self._handle = Handle("event set", pointer, lib().pmctrack_evset__free)
        nr = range(lib().pmctrack_evset__nr(pointer))
        #: the set as a raw string
        self.raw: Final[str] = text(lib().pmctrack_evset__raw(pointer))
        #: index of the PMU that the set is for; None: any PMU
        self.core_type: Final[int | None] = _core_type(lib().pmctrack_evset__core_type(pointer))
        #: counter of each event
        self.counters: Final[tuple[int, ...]] = tuple(
            lib().pmctrack_evset__counter(pointer, i) for i in nr
        )
        #: name of each event, as the user wrote it, with its mode if that is not "u".
        #: If the set counts an event twice, "@pmcN" with the counter is added. The names
        #: are unique, see pmctrack_evset__name() in the header of the library.
        self.names: Final[tuple[str, ...]] = tuple(
            text(lib().pmctrack_evset__name(pointer, i)) for i in nr
        )

    def __repr__(self) -> str:
        return f"<pmctrack.EventSet {','.join(self.names)} ({self.raw})>"

    def _pointer(self) -> int:
        return self._handle.pointer


def _core_type(value: int) -> int | None:
    return value if value >= 0 else None


def pointers(sets: Sequence[EventSet]) -> Any:
    """An array of pointers to the library's sets; the caller must keep the sets alive."""
    # pylint: disable=protected-access
    return (ctypes.c_void_p * len(sets))(*(s._pointer() for s in sets))


def _sets_of(nr: int, array: Iterable[int | None]) -> list[EventSet]:
    return [EventSet(pointer) for _, pointer in zip(range(checked(nr)), array)]


class Control:
    """Connection to the kernel module, with the event tables of this machine.

    Errors: ENOENT: the module is not loaded; EPROTO: the module has another version of
    the interface; ELIBACC: libpmctrack is not installed.
    """

    def __init__(self) -> None:
        self._handle = Handle("Control", lib().pmctrack_ctl__open(), lib().pmctrack_ctl__close)
        pointer = self._handle.pointer
        #: version of the kernel module
        self.version: Final[str] = text(lib().pmctrack_ctl__version(pointer))
        #: name of the module's PMU backend
        self.backend: Final[str] = text(lib().pmctrack_ctl__backend(pointer))
        #: resolution of sampling periods in nanoseconds
        self.tick_ns: Final[int] = lib().pmctrack_ctl__tick_ns(pointer)
        #: the PMUs, one for each core type
        self.pmus: Final[tuple[Pmu, ...]] = tuple(
            self._pmu(i) for i in range(lib().pmctrack_ctl__nr_pmus(pointer))
        )
        #: name of the monitoring module that was active when this object was made, or None
        self.mmon: Final[str | None] = text(lib().pmctrack_ctl__mmon(pointer)) or None
        #: virtual counters of that monitoring module
        self.virtual_counters: Final[tuple[VirtualCounter, ...]] = tuple(
            self._virt(i) for i in range(lib().pmctrack_ctl__nr_virts(pointer))
        )

    def _pmu(self, index: int) -> Pmu:
        info = _library.PmuInfo(sz=ctypes.sizeof(_library.PmuInfo))
        checked(lib().pmctrack_ctl__pmu_info(self._handle.pointer, index, ctypes.byref(info)))
        return Pmu(
            index=index,
            name=text(info.name),
            model=text(info.model),
            cpus=text(info.cpus),
            table=text(info.table) or None,
            counters=bits(info.counters),
            fixed=bits(info.fixed),
            width=info.width,
        )

    def _virt(self, index: int) -> VirtualCounter:
        info = _library.VirtInfo(sz=ctypes.sizeof(_library.VirtInfo))
        checked(lib().pmctrack_ctl__virt_info(self._handle.pointer, index, ctypes.byref(info)))
        return VirtualCounter(
            index=index,
            name=text(info.name),
            unit=text(info.unit),
            description=text(info.desc),
            gauge=bool(info.gauge),
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
        state = "closed" if self.closed else f"module {self.version}, {self.backend}"
        return f"<pmctrack.Control {state}>"

    def _pointer(self) -> int:
        return self._handle.pointer

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._handle.closed

    def close(self) -> None:
        """End the connection. Sessions and event sets stay open. A second call does nothing."""
        self._handle.close()

    def events(self, pmu: int = 0) -> list[Event]:
        """The events that a PMU implements: portable names first, then the PMU's table.

        Errors: EINVAL: no such PMU; EBADF.
        """
        found: list[Event] = []

        def take(info: Any, _arg: Any) -> int:
            event = info.contents
            alias_of = text(event.alias_of) or None
            found.append(Event(text(event.name), event.code, alias_of, text(event.desc)))
            return 0

        callback = _library.EVENT_CALLBACK(take)
        checked(lib().pmctrack_ctl__each_event(self._pointer(), pmu, callback, None))
        return found

    def parse(self, events: str, pmu: int = 0) -> EventSet:
        """Make an event set from mnemonics, for one PMU.

        events is a comma-separated list of NAME[:FLAGS] or 0xCODE[:FLAGS]. Names are
        those of events(); upper and lower case are the same. Flags are "u" (user mode,
        the default), "k" (kernel mode), "uk" (both), "ebs=N" (take a sample every N
        events; at most one event of a set can have this flag), "ebs" (N = 500,000,000).

        Errors: EINVAL: events does not follow this syntax, or there is no such event;
        EOPNOTSUPP: the PMU does not have the event; ENOSPC: more events than counters;
        EBADF.
        """
        return EventSet(lib().pmctrack_evset__parse(self._pointer(), pmu, to_bytes(events)))

    def parse_list(self, events: str, *, strict: bool = False) -> list[EventSet]:
        """Make as many event sets from mnemonics as are needed.

        Sets are made for each PMU, unless an item "coretype=N" restricts the events to
        PMU N. If a set has no counter left for an event, the event goes into a further
        set, and the sets take turns. If strict is true, the call fails instead (ENOSPC or
        E2BIG).

        Errors: those of parse(); E2BIG: too many sets.
        """
        flags = _library.EVSET_STRICT if strict else 0
        sets = (ctypes.c_void_p * _MAX_SETS)()
        nr = lib().pmctrack_evset__parse_list(
            self._pointer(), to_bytes(events), flags, sets, len(sets)
        )
        return _sets_of(nr, sets)

    def parse_raw(self, raw: str) -> EventSet:
        """Make an event set from a raw string, for example "pmc0,pmc1=0x8,os1".

        The kernel checks the string when a session is opened. Errors: EINVAL: raw uses
        no counter; E2BIG: raw is too long; EBADF.
        """
        return EventSet(lib().pmctrack_evset__parse_raw(self._pointer(), to_bytes(raw)))

    def parse_mmon(self) -> list[EventSet]:
        """Get the event sets of the monitoring module. Errors: ENOENT: there are none; EBADF."""
        sets = (ctypes.c_void_p * _MAX_SETS)()
        nr = lib().pmctrack_evset__parse_mmon(self._pointer(), sets, len(sets))
        return _sets_of(nr, sets)

    def _virtual_mask(self, names: str | Iterable[str]) -> int:
        """The mask of the virtual counters with these names."""
        joined = names if isinstance(names, str) else ",".join(names)
        mask = ctypes.c_uint32()
        if joined:
            checked(
                lib().pmctrack_ctl__parse_virts(
                    self._pointer(), to_bytes(joined), ctypes.byref(mask)
                )
            )
        return mask.value
