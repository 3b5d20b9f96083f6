# SPDX-License-Identifier: GPL-2.0-or-later
"""The database: a file of SQLite, with one record for each program, user and kind of machine.

All changes are transactions: writers wait for each other, and a writer that is killed leaves the
old content.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import time
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterator, TypeVar

from ..failure import Failure
from .identity import printable
from .merge import merge
from .records import Record, decode

DEFAULT = Path("/var/lib/pmctrack/phases.db")
APPLICATION = 0x506D5048  # "PmPH"
SCHEMA = 2
WAIT_S = 30
MOST_ROWS = 1000  # of a user; the oldest rows make room for new ones

TABLES = """
CREATE TABLE programs (
    id INTEGER PRIMARY KEY, identity TEXT NOT NULL, uid INTEGER NOT NULL, machine TEXT NOT NULL,
    layout TEXT NOT NULL, name TEXT NOT NULL, updated INTEGER NOT NULL, revision TEXT NOT NULL,
    record BLOB NOT NULL, digest BLOB NOT NULL, origin TEXT, origin_windows INTEGER,
    UNIQUE (identity, uid, machine, layout));
CREATE TABLE merged (revision TEXT PRIMARY KEY) WITHOUT ROWID;
"""
Result = TypeVar("Result")
COLUMNS = "id, identity, uid, machine, layout, name, updated, revision, record, digest"


@dataclass(frozen=True)
class Key:
    """Whose phases a row has: those of a program, as one user runs it, on machines of one kind.
    @layout is how they were sampled. Phases with another layout are not comparable."""

    identity: str
    uid: int
    machine: str
    layout: str


@dataclass(frozen=True)
class Row:
    """What is kept for a key."""

    number: int
    key: Key
    name: str
    updated: int
    revision: str
    record: Record


@dataclass(frozen=True)
class Origin:
    """The place of the module's table that a row was saved from last, and what was there."""

    place: str
    windows: int


def digest_of(key: Key, name: str, record: bytes) -> bytes:
    """The digest of all that says whose phases these are, and of the phases."""
    whose = "\0".join((key.identity, str(key.uid), key.machine, key.layout, name))
    return hashlib.sha256(whose.encode("utf-8", "replace") + b"\0" + record).digest()


def layout_of(record: Record) -> str:
    """The layout of a record; see Key."""
    program = record.program
    return f"{program.version}/{program.address_instr}/{program.core_types}"


class Store:
    """A database, opened."""

    def __init__(self, path: Path, *, write: bool = False) -> None:
        self.path = path
        self.damaged: list[str] = []
        if write:
            self._make()
        elif not path.exists():
            raise Failure(f"{path}: No such file: 'phasedb watch' makes it")
        try:
            application, version = self._open("rw" if write else "ro")
        except sqlite3.Error as error:
            # A writer was killed: the next program that may write undoes what it had begun.
            if write or not os.access(path, os.W_OK):
                raise Failure(f"{path}: {error}") from error
            application, version = self._open_again()
        if application != APPLICATION:
            raise Failure(f"{path} is not a database of phasedb")
        if version != SCHEMA:
            raise Failure(f"{path} is of version {version}, phasedb of {SCHEMA}: install the "
                          "release that made it, or drop it")

    def _open(self, mode: str) -> tuple[int, int]:
        """Open the file. Returns the application that it belongs to, and its version."""
        self.base = sqlite3.connect(f"{self.path.absolute().as_uri()}?mode={mode}", uri=True,
                                    timeout=WAIT_S, isolation_level=None)
        self.base.text_factory = lambda text: text.decode("utf-8", "replace")
        application, = self.base.execute("PRAGMA application_id").fetchone()
        version, = self.base.execute("PRAGMA user_version").fetchone()
        return int(application), int(version)

    def _open_again(self) -> tuple[int, int]:
        try:
            return self._open("rw")
        except sqlite3.Error as error:
            raise Failure(f"{self.path}: {error}") from error

    def _make(self) -> None:
        """Make the file, for its owner only, because it shows what others run."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            made = os.open(self.path, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600)
            owner = os.fstat(made).st_uid
            os.close(made)
            if owner not in (0, os.geteuid()):
                raise Failure(f"{self.path} is another user's, who could read it")
            base = sqlite3.connect(self.path, timeout=WAIT_S, isolation_level=None)
            base.execute("BEGIN IMMEDIATE")
            if not base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                for statement in TABLES.split(";"):
                    base.execute(statement)
                base.execute(f"PRAGMA application_id = {APPLICATION}")
                base.execute(f"PRAGMA user_version = {SCHEMA}")
            base.execute("COMMIT")
            base.close()
        except sqlite3.Error as error:
            raise Failure(f"{self.path}: {error}") from error

    def close(self) -> None:
        """Close the database. It is not used afterwards."""
        self.base.close()

    def _row(self, row: tuple[object, ...]) -> Row | None:
        """Check a row. If others than phasedb changed it, this is told, and it is not used."""
        number, identity, uid, machine, layout, name, updated, revision, data, digest = row
        try:
            key = Key(str(identity), int(str(uid)), str(machine), str(layout))
            if digest_of(key, str(name), bytes(data)) != digest:  # type: ignore[call-overload]
                raise ValueError("its digest is another one")
            # Names are shown on terminals.
            if any(printable(x) != x for x in (key.identity, key.machine, str(name))):
                raise ValueError("its names are no text")
            record = decode(bytes(data))  # type: ignore[call-overload]
            if layout_of(record) != layout:
                raise ValueError("it was sampled otherwise")
            return Row(int(str(number)), key, str(name), int(str(updated)), str(revision), record)
        except (ValueError, TypeError) as error:
            self.damaged.append(f"{self.path}: row {number} is damaged ({error}) and not used: "
                                f"phasedb drop {number}")
            return None

    def rows(self) -> Iterator[Row]:
        """All rows that are not damaged."""
        yield from self._select("ORDER BY name, machine, uid")

    def row(self, number: int) -> Row | None:
        """The row with a number, or None."""
        return next(self._select("WHERE id = ?", number), None)

    def find(self, key: Key) -> Row | None:
        """The row of a key, or None."""
        return next(self._select("WHERE identity = ? AND uid = ? AND machine = ? AND layout = ?",
                                 key.identity, key.uid, key.machine, key.layout), None)

    def _select(self, which: str, *values: object) -> Iterator[Row]:
        try:
            found = self.base.execute(f"SELECT {COLUMNS} FROM programs {which}", values).fetchall()
        except sqlite3.Error as error:
            raise Failure(f"{self.path}: {error}") from error
        yield from (row for row in map(self._row, found) if row)

    def origin(self, row: Row) -> Origin | None:
        """The place that a row was saved from last. None: it comes from elsewhere."""
        try:
            found = self.base.execute("SELECT origin, origin_windows FROM programs WHERE id = ?",
                                      (row.number,)).fetchone()
        except sqlite3.Error as error:
            raise Failure(f"{self.path}: {error}") from error
        return Origin(*found) if found and found[0] else None

    def save(self, key: Key, name: str, record: Record, base: str | None = None,
             new: float = 1.0, origin: Origin | None = None) -> str:
        """Keep what was learnt. Returns the revision.

        @base: the revision that @record goes on from. If the database has this revision, it is
        replaced. Otherwise, both are merged, and @new is the part of the windows that the database
        does not have.
        """
        def change() -> str:
            return self._save(key, name, record, base, new, origin)

        return self._transaction(change)

    def _transaction(self, change: Callable[[], Result]) -> Result:
        """Do all of @change, or nothing."""
        try:
            self.base.execute("BEGIN IMMEDIATE")
            try:
                result = change()
                self.base.execute("COMMIT")
            except BaseException:
                # Also if others read for so long that the change cannot be committed.
                with contextlib.suppress(sqlite3.Error):
                    self.base.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            raise Failure(f"{self.path}: {error}") from error
        return result

    def _save(self, key: Key, name: str, record: Record, base: str | None, new: float,
              origin: Origin | None) -> str:
        there = self.find(key)
        if there and there.revision != base:
            record = merge(there.record, record, new)
        # A record that cannot be read again must not replace one that can.
        try:
            decode(bytes(record))
        except ValueError as error:
            raise Failure(f"{name}: {error}: not saved") from error
        data, revision = bytes(record), uuid.uuid4().hex
        self.base.execute(
            "INSERT OR REPLACE INTO programs (identity, uid, machine, layout, name, updated, "
            "revision, record, digest, origin, origin_windows, id) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (key.identity, key.uid, key.machine, key.layout, name, int(time.time()), revision,
             data, digest_of(key, name, data), origin and origin.place,
             origin and origin.windows, there.number if there else None))
        self.base.execute("DELETE FROM programs WHERE uid = ? AND id NOT IN (SELECT id FROM "
                          "programs WHERE uid = ? ORDER BY updated DESC, id DESC LIMIT ?)",
                          (key.uid, key.uid, MOST_ROWS))
        return revision

    def take(self, row: Row) -> bool:
        """Add a row of another database. Returns False if it is here already."""
        def change() -> bool:
            known = self.base.execute("SELECT 1 FROM merged WHERE revision = ? UNION SELECT 1 FROM "
                                      "programs WHERE revision = ?",
                                      (row.revision, row.revision)).fetchone()
            if not known:
                self._save(row.key, row.name, row.record, None, 1.0, None)
                self.base.execute("INSERT INTO merged VALUES (?)", (row.revision,))
            return not known

        return self._transaction(change)

    def drop_older(self, days: float) -> int:
        """Forget rows that were not saved for so many days. Returns how many there were."""
        try:
            limit = time.time() - days * 86400
            return self.base.execute("DELETE FROM programs WHERE updated < ?", (limit,)).rowcount
        except sqlite3.Error as error:
            raise Failure(f"{self.path}: {error}") from error

    def drop(self, numbers: list[int]) -> int:
        """Forget rows. Returns how many there were."""
        try:
            before = self.base.total_changes
            self.base.executemany("DELETE FROM programs WHERE id = ?", [(n,) for n in numbers])
            return self.base.total_changes - before
        except sqlite3.Error as error:
            raise Failure(f"{self.path}: {error}") from error
