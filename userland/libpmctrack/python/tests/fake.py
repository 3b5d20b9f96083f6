# SPDX-License-Identifier: LGPL-2.1-or-later
"""A fake libpmctrack: one PMU, the events "instr" and "cycles", records made by the tests."""

# pylint: disable=protected-access

import contextlib
import ctypes
import errno
import os
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

from pmctrack._library import EventInfo
from pmctrack._record import HEADER

CTL = 0x1000


def record_bytes(counts: list[int], **fields: int) -> bytes:
    """Make a record of the fake library; fields are members of struct pmctrack_record.

    virt may have the bits 0x1 and 0x2.
    """
    virtual = [70 + i for i in range(2) if fields.get("virt", 0) >> i & 1]
    header = HEADER.pack(
        HEADER.size + 8 * (len(counts) + len(virtual)),
        fields.get("kind", 0),
        fields.get("flags", 0),
        fields.get("time_ns", 1_000_000),
        fields.get("run_ns", 2_000),
        fields.get("hw_ns", 2_000),
        fields.get("tid", 11),
        fields.get("tgid", 10),
        fields.get("cpu", 0),
        fields.get("core_type", 0),
        fields.get("set", 0),
        len(counts),
        len(virtual),
        (1 << len(counts)) - 1,
        fields.get("virt", 0),
    )
    return header + b"".join(v.to_bytes(8, "little") for v in counts + virtual)


class FakeLibrary:
    """Records what is freed, and refuses the calls that a test wants to fail."""

    def __init__(self) -> None:
        self.freed: list[int] = []
        self.error = b""
        self.sets: dict[int, list[str]] = {}
        self.records: list[bytes] = []
        self.over = False
        self.opts: dict[str, Any] = {}
        self.refuse_sessions = 0
        self.running = False
        self.before_session: Callable[[], object] = lambda: None
        self.readable = os.pipe()
        self._next = 0x2000
        self._record = ctypes.create_string_buffer(0)

    def _object(self) -> int:
        self._next += 0x10
        return self._next

    def _fail(self, err: int, message: str) -> int:
        self.error = message.encode()
        ctypes.set_errno(err)
        return -err

    def __getattr__(self, name: str) -> Any:
        """Map the name pmctrack_X to the method _do_X."""
        if not name.startswith("pmctrack_"):
            raise AttributeError(name)
        return getattr(self, "_do_" + name.removeprefix("pmctrack_"))

    def _do_error(self) -> bytes:
        return self.error

    def _do_ctl__open(self) -> int:
        return CTL

    def _do_ctl__close(self, ctl: int) -> None:
        self.freed.append(ctl)

    def _do_ctl__version(self, _ctl: int) -> bytes:
        return b"9.9"

    def _do_ctl__backend(self, _ctl: int) -> bytes:
        return b"fake"

    def _do_ctl__tick_ns(self, _ctl: int) -> int:
        return 4_000_000

    def _do_ctl__nr_pmus(self, _ctl: int) -> int:
        return 1

    def _do_ctl__pmu_info(self, _ctl: int, _pmu: int, ref: Any) -> int:
        info = ref._obj
        info.name, info.model, info.cpus, info.table = b"fake_pmu", b"m", b"0-1", None
        info.counters, info.fixed, info.width = 0b1101, 0b1, 64
        return 0

    def _do_ctl__each_event(self, _ctl: int, _pmu: int, callback: Any, arg: Any) -> int:
        for i, name in enumerate((b"instr", b"cycles")):
            alias_of = None if i else b"INST_RETIRED"
            callback(ctypes.byref(EventInfo(name, alias_of, b"description", 8 + i)), arg)
        return 0

    def _do_ctl__mmon(self, _ctl: int) -> bytes:
        return b"fake_mmon"

    def _do_ctl__nr_virts(self, _ctl: int) -> int:
        return 2

    def _do_ctl__virt_info(self, _ctl: int, virt: int, ref: Any) -> int:
        info = ref._obj
        info.name, info.unit, info.desc, info.gauge = b"v%d" % virt, b"W", b"", virt
        return 0

    def _do_ctl__parse_virts(self, _ctl: int, names: bytes, ref: Any) -> int:
        ref._obj.value = sum({b"v0": 1, b"v1": 2}[name] for name in names.split(b","))
        return 0

    def _do_evset__parse(self, _ctl: int, _pmu: int, events: bytes) -> int | None:
        names = events.decode().split(",")
        for name in names:
            if name not in ("instr", "cycles"):
                self._fail(errno.EINVAL, f"event '{name}': no such event")
                return None
        self.sets[self._object()] = names
        return self._next

    def _do_evset__parse_raw(self, ctl: int, raw: bytes) -> int | None:
        return self._do_evset__parse(ctl, 0, raw)

    def _do_evset__parse_list(
        self, ctl: int, events: bytes, _flags: int, sets: Any, _max: int
    ) -> int:
        pointer = self._do_evset__parse(ctl, 0, events)
        if not pointer:
            return -ctypes.get_errno()
        sets[0] = pointer
        return 1

    def _do_evset__parse_mmon(self, ctl: int, sets: Any, _max: int) -> int:
        return self._do_evset__parse_list(ctl, b"cycles", 0, sets, 1)

    def _do_evset__core_type(self, _set: int) -> int:
        return -1

    def _do_evset__of_record(self, _sets: Any, nr: int, record: int) -> int:
        number = HEADER.unpack(ctypes.string_at(record, HEADER.size))[10]
        return int(number) if number < nr else -errno.ENOENT

    def _do_evset__free(self, pointer: int) -> None:
        self.freed.append(pointer)

    def _do_evset__raw(self, pointer: int) -> bytes:
        return ",".join(f"pmc{i}" for i in range(len(self.sets[pointer]))).encode()

    def _do_evset__nr(self, pointer: int | None) -> int:
        return len(self.sets[pointer or 0])

    def _do_evset__counter(self, _set: int, i: int) -> int:
        return i

    def _do_evset__name(self, pointer: int, i: int) -> bytes:
        names = self.sets[pointer]
        return (names[i] if names.count(names[i]) == 1 else f"{names[i]}@pmc{i}").encode()

    def _do_session__open(self, _ctl: int, _sets: Any, nr: int, ref: Any) -> int | None:
        self.opts = {name: getattr(ref._obj, name) for name, *_ in ref._obj._fields_}
        self.opts["nr_sets"] = nr
        self.opts["processes"] = [ref._obj.processes[i] for i in range(ref._obj.nr_processes)]
        self.before_session()
        if self.refuse_sessions:
            self._fail(self.refuse_sessions, "perf has the counters")
            return None
        return self._object()

    def _do_session__close(self, session: int) -> None:
        self.freed.append(session)

    def _do_session__fd(self, _session: int) -> int:
        return self.readable[0]

    def _do_session__period_ns(self, _session: int) -> int:
        return int(self.opts["period_ns"])

    def _do_session__start(self, _session: int) -> int:
        if self.running:
            return self._fail(errno.EALREADY, "the calling thread is counting already")
        self.running = True
        return 0

    def _do_session__stop(self, _session: int) -> int:
        if not self.running:
            return self._fail(errno.EALREADY, "the calling thread is stopped already")
        self.running = False
        self.records.append(record_bytes([500, 600], kind=4))
        return 0

    def _do_session__detach(self, _session: int) -> int:
        return self._fail(errno.ENOTTY, "neither for running processes nor for CPUs")

    def _do_session__next(self, _session: int, ref: Any) -> int:
        if not self.records:
            return 0
        # This overwrites the previous record, as the ring may do.
        self._record = ctypes.create_string_buffer(self.records.pop(0))
        ref._obj.value = ctypes.addressof(self._record)
        return 1

    def _do_session__wait(self, _session: int, timeout_ms: int) -> int:
        assert timeout_ms == 0
        if self.records:
            return 1
        return self._fail(errno.ENODATA, "no thread") if self.over else 0

    def _do_session__stats(self, _session: int, ref: Any) -> None:
        ref._obj.threads, ref._obj.skipped_threads, ref._obj.lost = 3, 2, 1
        ref._obj.left_out_threads, ref._obj.revoked = 4, 1
        ref._obj.ring_size, ref._obj.ring_wanted = 4096, 65536

    def _do_session__count(self, _session: int, counter: int, value: Any) -> int:
        if not self.opts["flags"] & 1 << 4:
            return self._fail(errno.EOPNOTSUPP, "not opened for reads")
        value._obj.value = 1000 + counter
        return 0

    def _do_session__lost_count_of(
        self, _session: int, core_type: int, number: int, counter: int
    ) -> int:
        return 1000 * core_type + 100 * number + counter


@contextlib.contextmanager
def fake_library() -> Iterator[FakeLibrary]:
    """A context manager: in its body, the package uses the fake library."""
    fake = FakeLibrary()
    with contextlib.ExitStack() as stack:
        for module in ("_library", "_control", "_session"):
            stack.enter_context(mock.patch(f"pmctrack.{module}.lib", return_value=fake))
        yield fake
    for fd in fake.readable:
        os.close(fd)
