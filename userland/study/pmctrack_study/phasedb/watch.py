# SPDX-License-Identifier: GPL-2.0-or-later
"""Keep what the module learns, and give it to new processes of the same programs."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Callable

from ..failure import Failure
from .identity import Identity, identity_of_process
from .records import Program, Programs, Record, decode
from .store import Key, Origin, Store, layout_of

SAVE_S = 10.0  # period of saving while a process runs


@dataclass
class Place:
    """What is known of a place of the module's table.

    @origin: which place it is
    @revision: revision of the database's row from which the place's record goes on
    @early: the place was in use when the watcher began
    @saved: windows of the record that the database has already
    """

    origin: str
    content: int
    uid: int
    early: bool
    process: int = 0
    revision: str | None = None
    saved: int = 0
    saved_at: float = 0.0


@dataclass
class Counts:
    """Counts of what was done."""

    given: int = 0
    saved: int = 0
    unknown: int = 0
    failed: int = 0


@dataclass
class Watch:
    """Looks at all places, again and again."""

    programs: Programs
    store: Store
    machine: str
    say: Callable[[str], None]
    identify: Callable[[int], Identity | None] = identity_of_process
    clock: Callable[[], float] = time.monotonic
    counts: Counts = field(default_factory=Counts)
    places: dict[int, Place] = field(default_factory=dict)
    names: dict[int, Identity] = field(default_factory=dict)
    trouble: str | None = None
    begun: bool = False

    def look(self, last: bool = False) -> None:
        """Look once. @last: this is the last look, so all is saved."""
        seen = set()
        for number, program in self.programs.heads():
            seen.add(program.content)
            place = self.places.get(number)
            if not place or (place.content, place.uid) != (program.content, program.uid):
                place = self.places[number] = Place(
                    f"{program.table:016x}/{number}/{program.content:016x}", program.content,
                    program.uid, not self.begun)
            if not self._identified(number, program):
                continue
            try:
                self._exchange(number, place, program, last)
            except Failure as failure:
                # A full disk, for example: what is not saved now may be saved later.
                self.trouble = str(failure)
                self.counts.failed += 1
        self.names = {content: name for content, name in self.names.items() if content in seen}
        self.begun = True

    def drop_older(self, days: float) -> None:
        """Forget programs that were not saved for so many days."""
        try:
            self.store.drop_older(days)
        except Failure as failure:
            self.trouble = str(failure)

    def _exchange(self, number: int, place: Place, program: Program, last: bool) -> None:
        """Exchange with the database what is known of a place."""
        if place.early:
            self._recall(place, program)
        if program.process and program.process != place.process:
            self._give(place, program)
        place.process = program.process
        self._save(number, place, program, last)

    def _identified(self, number: int, program: Program) -> bool:
        """Is it known which program it is?"""
        if program.content in self.names:
            return True
        if not program.process:
            return False
        found = self.identify(program.process)
        # The process may have executed another program meanwhile, or another one may have its PID.
        now = self.programs.head(number)
        if not found or not now or (now.content, now.process) != (program.content,
                                                                  program.process):
            self.counts.unknown += 1
            return False
        self.names[program.content] = found
        return True

    def _key(self, program: Program, layout: str) -> Key:
        return Key(self.names[program.content].text, program.uid, self.machine, layout)

    def _recall(self, place: Place, program: Program) -> None:
        """Find out what an earlier watcher saved of the place."""
        row = self.store.find(self._key(program, layout_of(Record(program=program))))
        origin = self.store.origin(row) if row else None
        if row and origin and origin.place == place.origin and origin.windows <= program.windows:
            place.revision, place.saved = row.revision, origin.windows
        place.early = False

    def _give(self, place: Place, program: Program) -> None:
        """Give a new process what the database knows, if that is more."""
        row = self.store.find(self._key(program, layout_of(Record(program=program))))
        if not row or row.record.program.windows <= program.windows or \
                not self.programs.give(row.record, program):
            return
        # The module goes on counting from what the process had.
        windows = program.windows + row.record.program.windows + 1
        place.revision, place.saved = row.revision, windows
        self.counts.given += 1
        self.say(f"{self.names[program.content].name}[{program.process}]: given "
                 f"{len(row.record.phases())} phases of {row.record.program.windows} windows")

    def _others(self, number: int, place: Place) -> bool:
        """Is there another process of the same program whose record goes on from the database's?"""
        return any(other is not place and other.process and other.revision and
                   (other.content, other.uid) == (place.content, place.uid)
                   for k, other in self.places.items() if k != number)

    def _save(self, number: int, place: Place, program: Program, last: bool) -> None:
        # Of several processes of a program, one is saved while it runs, others when they end.
        waits = program.process and not last and (
            self.clock() - place.saved_at < SAVE_S or self._others(number, place))
        if program.windows <= place.saved or waits:
            return
        record = self.programs.record(number)
        if not record or (record.program.content, record.program.uid) != (place.content, place.uid):
            return
        windows = record.program.windows
        new = (windows - place.saved) / windows
        key, name = self._key(program, layout_of(record)), self.names[program.content].name
        try:
            decode(bytes(record))
        except ValueError:
            return  # The record was read while it changed; the next look finds it whole.
        place.revision = self.store.save(key, name, record, place.revision, new,
                                         Origin(place.origin, windows))
        place.saved, place.saved_at = windows, self.clock()
        self.counts.saved += 1
