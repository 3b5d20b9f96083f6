# SPDX-License-Identifier: GPL-2.0-or-later
"""The identity of a program: its build ID, or else what is in its file, but not its name."""

from __future__ import annotations

import errno
import hashlib
import os
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

NOTE_SEGMENT = 4
BUILD_ID_NOTE = 3
MOST_NOTES = 1 << 20
# A file without a build ID is read to its end; a larger one has no identity.
MOST_BYTES = 256 << 20


def printable(text: str) -> str:
    """Make a name safe: what users call their programs is shown on terminals, and kept."""
    return "".join(c if c.isprintable() else "?" for c in text) or "?"


@dataclass(frozen=True)
class Identity:
    """Of a program: @text is the same wherever the program is installed; @name is for people."""

    text: str
    name: str


def _build_id_in(notes: bytes, order: str, align: int) -> str | None:
    """The build ID in a segment of notes, or None."""
    place = 0
    while place + 12 <= len(notes):
        name_size, size, kind = struct.unpack_from(order + "3I", notes, place)
        name_at = place + 12
        body_at = name_at + (name_size + align - 1) // align * align
        if kind == BUILD_ID_NOTE and notes[name_at:name_at + name_size] == b"GNU\0" and \
                0 < size <= 64 and body_at + size <= len(notes):
            return notes[body_at:body_at + size].hex()
        place = body_at + (size + align - 1) // align * align
    return None


def build_id(file: BinaryIO) -> str | None:
    """The build ID of an ELF file. None: it is no ELF file, or has no build ID."""
    head = file.read(64)
    if len(head) < 64 or head[:4] != b"\x7fELF" or head[4] not in (1, 2) or head[5] not in (1, 2):
        return None
    order, wide = "<>"[head[5] - 1], head[4] == 2
    start, = struct.unpack_from(order + ("Q" if wide else "I"), head, 32 if wide else 28)
    size, number = struct.unpack_from(order + "2H", head, 54 if wide else 42)
    if size < (56 if wide else 32):
        return None
    for i in range(number):
        file.seek(start + i * size)
        segment = file.read(size)
        if len(segment) < size:
            return None
        if struct.unpack_from(order + "I", segment)[0] != NOTE_SEGMENT:
            continue
        offset, = struct.unpack_from(order + ("Q" if wide else "I"), segment, 8 if wide else 4)
        length, = struct.unpack_from(order + ("Q" if wide else "I"), segment, 32 if wide else 16)
        align, = struct.unpack_from(order + ("Q" if wide else "I"), segment, 48 if wide else 28)
        file.seek(offset)
        found = _build_id_in(file.read(min(length, MOST_NOTES)), order, 8 if align == 8 else 4)
        if found:
            return found
    return None


def identity_of(path: Path, name: str) -> Identity:
    """The identity of the program in a file. Raises OSError."""
    with open(path, "rb") as file:
        found = build_id(file)
        if found:
            return Identity(f"build-id:{found}", name)
        if os.fstat(file.fileno()).st_size > MOST_BYTES:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
        file.seek(0)
        return Identity(f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}", name)


def identity_of_process(pid: int, proc: Path = Path("/proc")) -> Identity | None:
    """The identity of what a process executes. None: it has ended, or may not be looked at."""
    exe = proc / str(pid) / "exe"
    try:
        path = os.readlink(exe).removesuffix(" (deleted)")
        name = os.fsencode(os.path.basename(path)).decode("utf-8", "replace")
        return identity_of(exe, printable(name))
    except (OSError, struct.error):
        return None
