# SPDX-License-Identifier: LGPL-2.1-or-later
"""libthroughput: say what a program delivers, and what it should deliver. See libthroughput(3).

    import throughput
    throughput.goal(8, "frames/s")
    ...
    throughput.tick()
"""

from __future__ import annotations

import ctypes
import os
from types import TracebackType

_library = ctypes.CDLL("libthroughput.so.0")
_library.throughput_goal.argtypes = [ctypes.c_double, ctypes.c_char_p]
_library.throughput_goal_range.argtypes = [ctypes.c_double, ctypes.c_double, ctypes.c_uint]
_library.throughput_begin.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
_library.throughput_tick.argtypes = [ctypes.c_uint64]
_library.throughput_tick.restype = None
_library.throughput_count.restype = ctypes.c_uint64
_library.throughput_open.argtypes = [ctypes.c_int, ctypes.POINTER(ctypes.c_void_p)]
_library.throughput_close.argtypes = [ctypes.c_void_p]
_library.throughput_close.restype = None
_library.throughput_read.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_uint64)]
_library.throughput_rate.argtypes = [ctypes.c_void_p, ctypes.c_uint64,
                                     ctypes.POINTER(ctypes.c_double)]


def _check(status: int) -> None:
    if status < 0:
        raise OSError(-status, f"libthroughput: {os.strerror(-status)}")


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


def begin(name: str | None = None, unit: str | None = None) -> None:
    """Register this program, see throughput_begin(). Raises OSError."""
    _check(_library.throughput_begin(_bytes(name), _bytes(unit)))


def goal(least: float, unit: str | None = None, most: float | None = None,
         weight: int = 100) -> None:
    """Set the goal, in units in a second: @least, or @least to @most. Raises OSError."""
    _check(_library.throughput_goal(least, _bytes(unit)))
    if most is not None or weight != 100:
        _check(_library.throughput_goal_range(least, least if most is None else most, weight))


def tick(units: int = 1) -> None:
    """Count what was delivered. Raises ValueError if @units is negative."""
    if units < 0:
        raise ValueError(f"throughput: {units} units")
    _library.throughput_tick(units)


def count() -> int:
    """Return the units since the beginning."""
    return int(_library.throughput_count())


def end() -> None:
    """Unregister this program; this is done automatically at exit."""
    _check(_library.throughput_end())


class Reader:
    """Reads what another application delivers. Raises OSError."""

    def __init__(self, pid: int) -> None:
        self._handle = ctypes.c_void_p()
        _check(_library.throughput_open(pid, ctypes.byref(self._handle)))

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the reader, which must not be used afterwards."""
        _library.throughput_close(self._handle)
        self._handle = ctypes.c_void_p()

    def count(self) -> int:
        """Return the units since the beginning."""
        units = ctypes.c_uint64()
        _check(_library.throughput_read(self._handle, ctypes.byref(units)))
        return units.value

    def rate(self, window_s: float = 1.0) -> float:
        """Return the units in a second over the last @window_s seconds, see throughput_rate()."""
        units = ctypes.c_double()
        _check(_library.throughput_rate(self._handle, int(window_s * 1e9), ctypes.byref(units)))
        return units.value
