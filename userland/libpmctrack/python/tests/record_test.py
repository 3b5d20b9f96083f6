# SPDX-License-Identifier: LGPL-2.1-or-later
"""Records are made from bytes."""

import dataclasses
import unittest

from pmctrack import RecordFlags, RecordKind
from pmctrack._record import HEADER, bits, build, unpack

from .fake import record_bytes

# A struct pmctrack_record written by hand, in little endian.
SPELLED_OUT = bytes.fromhex(
    "48000000 0200 0300"  # size 72, kind exit, flags merged and setuid
    "0100000000000000 0200000000000000 0300000000000000"  # time_ns, run_ns, hw_ns
    "04000000 05000000 06000000"  # tid, tgid, cpu
    "01 00 01 01"  # core_type, set, nr_counts, nr_virt
    "04000000 02000000"  # counters, virt
    "ffffffffffffffff 0700000000000000"  # the count, the value
)


class RecordTest(unittest.TestCase):
    """The bytes of a record are read as the uapi header describes them."""

    def test_spelled_out(self) -> None:
        """Each field is where the header has it."""
        record = build(SPELLED_OUT, 0, ["instr"], ["power", "temperature"])
        self.assertEqual(record.kind, RecordKind.EXIT)
        self.assertEqual(record.flags, RecordFlags.MERGED | RecordFlags.SETUID)
        self.assertEqual((record.time_ns, record.run_ns, record.hw_ns), (1, 2, 3))
        self.assertEqual((record.tid, record.tgid, record.cpu), (4, 5, 6))
        self.assertEqual(record.core_type, 1)
        self.assertEqual(record.counts, {"instr": 2**64 - 1})
        self.assertEqual(record.virtual, {"temperature": 7})

    def test_cpu(self) -> None:
        """A record of a CPU has no thread, and may have no set."""
        record = build(record_bytes([], tid=-1, tgid=-1, core_type=4), None, (), ())
        self.assertEqual((record.tid, record.tgid, record.set_index), (-1, -1, None))
        self.assertEqual(record.counts, {})

    def test_frozen(self) -> None:
        """The members of a record cannot be assigned."""
        record = build(SPELLED_OUT, 0, ["instr"], ["power", "temperature"])
        with self.assertRaises(dataclasses.FrozenInstanceError):
            record.tid = 3  # type: ignore[misc]

    def test_not_a_record(self) -> None:
        """ValueError if there are too few or too many bytes, or if their sizes do not agree."""
        for data in (
            b"",
            SPELLED_OUT[: HEADER.size - 1],
            SPELLED_OUT[:-8],
            SPELLED_OUT + bytes(8),
            HEADER.pack(HEADER.size, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0),
        ):
            with self.subTest(data=data), self.assertRaises(ValueError):
                unpack(data)

    def test_bits(self) -> None:
        """bits() returns the numbers of the set bits."""
        self.assertEqual(bits(0), ())
        self.assertEqual(bits(0x80000005), (0, 2, 31))
