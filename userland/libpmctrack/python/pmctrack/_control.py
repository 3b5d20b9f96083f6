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

    #: its place in Control.pmus, which is the core type
    index: int
    name: str
    #: identification of the CPU, for example "midr=0x410fd0c0"
    model: str
    #: list of its CPUs, for example "0-3,6"
    cpus: str
    #: libpfm4 table that event names come from; None: only codes and portable names
    table: str | None
    #: usable counters
    counters: tuple[int, ...]
    #: those of them that count one event only
    fixed: tuple[int, ...]
    #: bits of a general counter
    width: int


@dataclasses.dataclass(frozen=True, slots=True)
class Event:
    """An event that a PMU implements."""

    name: str
    code: int
    #: for portable names, the event of the PMU
    alias_of: str | None
    #: empty if there is none
    description: str


@dataclasses.dataclass(frozen=True, slots=True)
class VirtualCounter:
    """A virtual counter of the active monitoring module."""

    #: its place in Control.virtual_counters
    index: int
    name: str
    #: of its values; may be empty
    unit: str
    description: str
    #: a value is a state at the end of its interval; otherwise what was added in
    #: it, so that values can be summed up
    gauge: bool


class EventSet:
    """Events that are counted together, each on a hardware counter.

    Made by Control.parse() and its like; may outlive the Control.
    """

    def __init__(self, pointer: int | None) -> None:
        """Not for you: take over a set of the library."""
        self._handle = Handle("event set", pointer, lib().pmctrack_evset__free)
        nr = range(lib().pmctrack_evset__nr(pointer))
        #: the set as a raw string
        self.raw: Final[str] = text(lib().pmctrack_evset__raw(pointer))
        #: index of the PMU that it is for; None: any
        self.core_type: Final[int | None] = _core_type(lib().pmctrack_evset__core_type(pointer))
        #: counter of each event
        self.counters: Final[tuple[int, ...]] = tuple(
            lib().pmctrack_evset__counter(pointer, i) for i in nr
        )
        #: name of each event, as it was written, with its mode if that is not "u";
        #: with "@pmcN" for the counter where the same is counted twice. The library
        #: makes them unique (pmctrack_evset__name() in its header).
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
    """An array of the library's sets; the caller keeps the sets."""
    # pylint: disable=protected-access
    return (ctypes.c_void_p * len(sets))(*(s._pointer() for s in sets))


def _sets_of(nr: int, array: Iterable[int | None]) -> list[EventSet]:
    return [EventSet(pointer) for _, pointer in zip(range(checked(nr)), array)]


class Control:
    """Connection to the kernel module, with the event tables of this machine.

    Errors: ENOENT: the module is not loaded; EPROTO: it speaks another version;
    ELIBACC: libpmctrack is not installed.
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
        #: the monitoring module that was active; None: none was
        self.mmon: Final[str | None] = text(lib().pmctrack_ctl__mmon(pointer)) or None
        #: its virtual counters
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
        """End the connection; again is fine. Sessions and event sets live on."""
        self._handle.close()

    def events(self, pmu: int = 0) -> list[Event]:
        """The events that a PMU implements: portable names first, then its table.

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
        """Event set from mnemonics, for one PMU.

        events is a comma-separated list of NAME[:FLAGS] or 0xCODE[:FLAGS]. Names are
        those of events(), in any case; flags are "u" (user mode, the default), "k"
        (kernel mode), "uk" (both), "ebs=N" (a sample each N events; one event of a
        set can have it), "ebs" (each 500,000,000).

        Errors: EINVAL: not of the grammar, or no such event; EOPNOTSUPP: the PMU
        lacks it; ENOSPC: more events than counters; EBADF.
        """
        return EventSet(lib().pmctrack_evset__parse(self._pointer(), pmu, to_bytes(events)))

    def parse_list(self, events: str, *, strict: bool = False) -> list[EventSet]:
        """Event sets from mnemonics, as many as it takes.

        There are sets for each PMU, unless an item "coretype=N" restricts them to
        PMU N. Events for which a set has no counter left go into further sets, which
        take turns; with strict, that fails (ENOSPC or E2BIG).

        Errors: those of parse(); E2BIG: too many sets.
        """
        flags = _library.EVSET_STRICT if strict else 0
        sets = (ctypes.c_void_p * _MAX_SETS)()
        nr = lib().pmctrack_evset__parse_list(
            self._pointer(), to_bytes(events), flags, sets, len(sets)
        )
        return _sets_of(nr, sets)

    def parse_raw(self, raw: str) -> EventSet:
        """Event set from a raw string, for example "pmc0,pmc1=0x8,os1".

        The kernel checks it when a session is opened. Errors: EINVAL: uses no
        counter; E2BIG: too long; EBADF.
        """
        return EventSet(lib().pmctrack_evset__parse_raw(self._pointer(), to_bytes(raw)))

    def parse_mmon(self) -> list[EventSet]:
        """The event sets of the monitoring module. Errors: ENOENT: it has none; EBADF."""
        sets = (ctypes.c_void_p * _MAX_SETS)()
        nr = lib().pmctrack_evset__parse_mmon(self._pointer(), sets, len(sets))
        return _sets_of(nr, sets)

    def _virtual_mask(self, names: str | Iterable[str]) -> int:
        """Mask of virtual counters by name."""
        joined = names if isinstance(names, str) else ",".join(names)
        mask = ctypes.c_uint32()
        if joined:
            checked(
                lib().pmctrack_ctl__parse_virts(
                    self._pointer(), to_bytes(joined), ctypes.byref(mask)
                )
            )
        return mask.value
