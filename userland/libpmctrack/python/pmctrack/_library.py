# SPDX-License-Identifier: LGPL-2.1-or-later
"""Declarations of libpmctrack.so.0 for ctypes: structures, functions, errors.

A test compares the layout and the list of functions with the C headers.
"""

import ctypes
import errno
import functools
import os
import types
import weakref
from collections.abc import Callable
from ctypes import POINTER, c_char_p, c_int, c_size_t, c_uint, c_uint32, c_uint64, c_void_p
from typing import Any, NoReturn

from ._error import PmctrackError

SONAME = "libpmctrack.so.0"

MAX_SETS = 8
MAX_CORE_TYPES = 4

EVSET_STRICT = 1 << 0

SESSION_THREADS = 1 << 0
SESSION_CHILDREN = 1 << 1
SESSION_ON_EXEC = 1 << 2
SESSION_SYSTEM = 1 << 3
SESSION_USER_READ = 1 << 4


class PmuInfo(ctypes.Structure):
    """struct pmctrack_pmu_info"""

    _fields_ = [
        ("sz", c_size_t),
        ("name", c_char_p),
        ("model", c_char_p),
        ("cpus", c_char_p),
        ("table", c_char_p),
        ("counters", c_uint32),
        ("fixed", c_uint32),
        ("width", c_uint32),
    ]


class EventInfo(ctypes.Structure):
    """struct pmctrack_event_info"""

    _fields_ = [
        ("name", c_char_p),
        ("alias_of", c_char_p),
        ("desc", c_char_p),
        ("code", c_uint64),
    ]


class VirtInfo(ctypes.Structure):
    """struct pmctrack_virt_info"""

    _fields_ = [
        ("sz", c_size_t),
        ("name", c_char_p),
        ("unit", c_char_p),
        ("desc", c_char_p),
        ("gauge", c_int),
    ]


class SessionOpts(ctypes.Structure):
    """struct pmctrack_session_opts"""

    _fields_ = [
        ("sz", c_size_t),
        ("flags", c_uint32),
        ("pid", c_int),
        ("period_ns", c_uint64),
        ("ring_size", c_uint32),
        ("processes", POINTER(c_int)),
        ("nr_processes", c_uint),
        ("cgroup", c_char_p),
        ("virts", c_uint32),
    ]


class SessionStatsInfo(ctypes.Structure):
    """struct pmctrack_session_stats"""

    _fields_ = [
        ("sz", c_size_t),
        ("threads", c_uint32),
        ("skipped_threads", c_uint32),
        ("lost", c_uint64),
        ("left_out_threads", c_uint32),
        ("revoked", c_uint32),
        ("ring_size", c_uint32),
        ("ring_wanted", c_uint32),
    ]


EVENT_CALLBACK = ctypes.CFUNCTYPE(c_int, POINTER(EventInfo), c_void_p)

_POINTERS = POINTER(c_void_p)

# For each function: name, type of the result, types of the arguments. Pointers to opaque
# objects are void pointers.
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "pmctrack_error": (c_char_p, []),
    "pmctrack_ctl__open": (c_void_p, []),
    "pmctrack_ctl__close": (None, [c_void_p]),
    "pmctrack_ctl__version": (c_char_p, [c_void_p]),
    "pmctrack_ctl__backend": (c_char_p, [c_void_p]),
    "pmctrack_ctl__tick_ns": (c_uint64, [c_void_p]),
    "pmctrack_ctl__nr_pmus": (c_uint, [c_void_p]),
    "pmctrack_ctl__pmu_info": (c_int, [c_void_p, c_uint, POINTER(PmuInfo)]),
    "pmctrack_ctl__each_event": (c_int, [c_void_p, c_uint, EVENT_CALLBACK, c_void_p]),
    "pmctrack_ctl__mmon": (c_char_p, [c_void_p]),
    "pmctrack_ctl__nr_virts": (c_uint, [c_void_p]),
    "pmctrack_ctl__virt_info": (c_int, [c_void_p, c_uint, POINTER(VirtInfo)]),
    "pmctrack_ctl__parse_virts": (c_int, [c_void_p, c_char_p, POINTER(c_uint32)]),
    "pmctrack_evset__parse": (c_void_p, [c_void_p, c_uint, c_char_p]),
    "pmctrack_evset__parse_raw": (c_void_p, [c_void_p, c_char_p]),
    "pmctrack_evset__parse_list": (c_int, [c_void_p, c_char_p, c_uint32, _POINTERS, c_uint]),
    "pmctrack_evset__parse_mmon": (c_int, [c_void_p, _POINTERS, c_uint]),
    "pmctrack_evset__core_type": (c_int, [c_void_p]),
    "pmctrack_evset__of_record": (c_int, [_POINTERS, c_uint, c_void_p]),
    "pmctrack_evset__free": (None, [c_void_p]),
    "pmctrack_evset__raw": (c_char_p, [c_void_p]),
    "pmctrack_evset__nr": (c_uint, [c_void_p]),
    "pmctrack_evset__counter": (c_uint, [c_void_p, c_uint]),
    "pmctrack_evset__name": (c_char_p, [c_void_p, c_uint]),
    "pmctrack_session__open": (c_void_p, [c_void_p, _POINTERS, c_uint, POINTER(SessionOpts)]),
    "pmctrack_session__close": (None, [c_void_p]),
    "pmctrack_session__fd": (c_int, [c_void_p]),
    "pmctrack_session__period_ns": (c_uint64, [c_void_p]),
    "pmctrack_session__start": (c_int, [c_void_p]),
    "pmctrack_session__stop": (c_int, [c_void_p]),
    "pmctrack_session__detach": (c_int, [c_void_p]),
    "pmctrack_session__next": (c_int, [c_void_p, POINTER(c_void_p)]),
    "pmctrack_record__virt": (c_int, [c_void_p, c_uint, POINTER(c_uint64)]),
    "pmctrack_session__wait": (c_int, [c_void_p, c_int]),
    "pmctrack_session__stats": (None, [c_void_p, POINTER(SessionStatsInfo)]),
    "pmctrack_session__lost_count_of": (c_uint64, [c_void_p, c_uint, c_uint, c_uint]),
    "pmctrack_session__count": (c_int, [c_void_p, c_uint, POINTER(c_uint64)]),
}


@functools.cache
def lib() -> Any:
    """The functions of the library, which is loaded at the first call.

    The functions are called with the GIL held. Therefore, no thread can free an object
    while another thread's call is using it, and little besides the program itself is
    counted between start and stop. All calls are short: to wait, this package polls.
    """
    try:
        dll = ctypes.PyDLL(SONAME, use_errno=True)
    except OSError as e:
        raise PmctrackError(
            errno.ELIBACC,
            f"{e}; install PMCTrack, or name the folder of {SONAME} in LD_LIBRARY_PATH",
        ) from None
    functions = types.SimpleNamespace()
    for name, (result, arguments) in FUNCTIONS.items():
        try:
            function = getattr(dll, name)
        except AttributeError:
            raise PmctrackError(
                errno.ELIBACC,
                f"{SONAME} has no {name}(): install matching versions of it and this package",
            ) from None
        function.restype = result
        function.argtypes = arguments
        setattr(functions, name, function)
    return functions


def fail(err: int) -> NoReturn:
    """Raise the error of this thread's last call of the library; err is a positive errno."""
    raise PmctrackError(err, os.fsdecode(lib().pmctrack_error()))


def checked(result: int) -> int:
    """Return the result of a library function, or raise if it is a negative errno."""
    if result < 0:
        fail(-result)
    return result


def text(value: bytes | None) -> str:
    """Convert a string of the library; NULL becomes the empty string."""
    return os.fsdecode(value or b"")


def to_bytes(value: str | os.PathLike[str]) -> bytes:
    """Convert a string for the library. ValueError: it has a NUL, where C would end it."""
    encoded = os.fsencode(value)
    if b"\0" in encoded:
        raise ValueError("embedded null character")
    return encoded


def unsigned(name: str, value: int, bits: int) -> int:
    """Check an argument, because ctypes would silently drop the bits that do not fit."""
    if not 0 <= value < 1 << bits:
        raise ValueError(f"{name}: {value} is not within 0..2**{bits}-1")
    return value


class Handle:
    """A pointer of the library. It is freed once: by close(), or when its owner is freed."""

    def __init__(self, what: str, pointer: int | None, free: Callable[[int], object]) -> None:
        """Take over a pointer that the library returned; NULL raises the error of that call."""
        if not pointer:
            fail(ctypes.get_errno())
        self._what = what
        self._pointer = pointer
        self._free = weakref.finalize(self, free, pointer)

    @property
    def closed(self) -> bool:
        """Whether the pointer was freed."""
        return not self._free.alive

    @property
    def pointer(self) -> int:
        """The pointer. Errors: EBADF: closed."""
        if not self._free.alive:
            raise PmctrackError(errno.EBADF, f"this {self._what} is closed")
        return self._pointer

    def close(self) -> None:
        """Free the pointer. A second call does nothing."""
        self._free()
