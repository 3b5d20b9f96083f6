# SPDX-License-Identifier: GPL-2.0-or-later
"""phasedb: the watcher, with a stand-in for the module's table."""

from __future__ import annotations

import time
import unittest
from unittest import mock

from phasedb_test import KEY, Folder, record
from pmctrack_study.failure import Failure
from pmctrack_study.phasedb import top
from pmctrack_study.phasedb.identity import Identity
from pmctrack_study.phasedb.records import Program, Record, copy_of
from pmctrack_study.phasedb.store import Store
from pmctrack_study.phasedb.watch import SAVE_S, Watch


class Table:
    """A stand-in for the module's table."""

    def __init__(self) -> None:
        self.rows: dict[int, Record] = {}
        self.given: list[int] = []

    def begin(self, place: int, process: int, content: int = 77) -> None:
        """A process takes a place."""
        if place not in self.rows or self.rows[place].program.content != content:
            self.rows[place] = record()
        program = self.rows[place].program
        program.table, program.content, program.uid = 5, content, 1000
        program.process, program.threads = process, 1

    def learn(self, place: int, *phases: tuple[int, int, float]) -> None:
        """The process has seen these phases, in all."""
        old = self.rows[place].program
        new = record(*phases)
        for name in ("table", "content", "uid", "process", "threads"):
            setattr(new.program, name, getattr(old, name))
        self.rows[place] = new

    def head(self, place: int) -> Program | None:
        """As in Programs."""
        return self.rows[place].program if place in self.rows else None

    def heads(self) -> list[tuple[int, Program]]:
        """As in Programs."""
        return [(place, r.program) for place, r in self.rows.items()]

    @staticmethod
    def alive() -> bool:
        """As in Programs."""
        return True

    def record(self, place: int) -> Record | None:
        """As in Programs."""
        return copy_of(self.rows[place])

    def give(self, given: Record, process: Program) -> bool:
        """As in Programs."""
        there = {r.program.process: place for place, r in self.rows.items()}
        place = there.get(process.process)
        if place is None or given.program.windows <= self.rows[place].program.windows:
            return False
        windows = self.rows[place].program.windows
        self.learn(place, *((1, given.phase[i].seen, 1.0) for i in given.phases()))
        self.rows[place].program.windows += windows + 1
        self.given.append(process.process)
        return True


class Watching(Folder):
    """The watcher, with a stand-in for the table."""

    def setUp(self) -> None:
        super().setUp()
        self.now = 100.0
        self.table = Table()

    def watch(self, store: Store) -> Watch:
        """A watcher that calls all processes by one name."""
        return Watch(self.table, store, "cpu", lambda _: None,  # type: ignore[arg-type]
                     identify=lambda pid: Identity(KEY.identity, "mcf") if pid < 9 else None,
                     clock=lambda: self.now)

    def windows(self, store: Store) -> int:
        """The number of windows in the database."""
        row = store.find(KEY)
        return row.record.program.windows if row else 0

    def test_saved_and_given(self) -> None:
        """While it runs, when it ends, and to the next one after a reboot."""
        with self.store() as store:
            watch = self.watch(store)
            self.table.begin(0, 3)
            self.table.learn(0, (1, 10, 1.0))
            watch.look()
            self.assertEqual(self.windows(store), 10)
            self.table.learn(0, (1, 15, 1.0))
            watch.look()
            self.assertEqual(self.windows(store), 10)
            self.now += SAVE_S + 1
            watch.look()
            self.assertEqual(self.windows(store), 15)
            self.table.learn(0, (1, 16, 1.0))
            self.table.rows[0].program.process = 0
            watch.look()
            self.assertEqual(self.windows(store), 16)
            # Another boot.
            self.table = Table()
            watch = self.watch(store)
            self.table.begin(4, 5, content=99)
            self.table.learn(4, (1, 2, 1.0))
            watch.look()
            self.assertEqual((self.table.given, self.windows(store)), ([5], 16))
            self.table.rows[4].program.windows += 7
            self.table.rows[4].phase[0].seen += 7
            self.table.rows[4].program.process = 0
            watch.look()
            # What the process had before counts as well, see pmct_program_replace().
            self.assertEqual(self.windows(store), 26)

    def test_full(self) -> None:
        """What cannot be saved is tried again."""
        with self.store() as store:
            watch = self.watch(store)
            self.table.begin(0, 5)
            self.table.learn(0, (1, 10, 1.0))
            with mock.patch.object(store, "save", side_effect=Failure("the disk is full")):
                watch.look()
            self.assertEqual((watch.trouble, watch.counts.failed), ("the disk is full", 1))
            self.assertEqual(self.windows(store), 0)
            watch.look()
            self.assertEqual(self.windows(store), 10)

    def test_again(self) -> None:
        """Another watcher goes on, and counts nothing twice."""
        with self.store() as store:
            self.table.begin(0, 3)
            self.table.learn(0, (1, 10, 1.0))
            self.watch(store).look()
            self.table.learn(0, (1, 12, 1.0))
            self.watch(store).look(last=True)
            self.assertEqual(self.windows(store), 12)

    def test_two_processes(self) -> None:
        """Of two of a program, each window counts once."""
        with self.store() as store:
            watch = self.watch(store)
            self.table.begin(0, 3)
            self.table.begin(1, 4)
            self.table.learn(0, (1, 10, 1.0))
            self.table.learn(1, (2, 20, 1.0))
            for i in range(5):
                watch.look()
                self.now += SAVE_S + 1
                self.table.learn(0, (1, 10 + i, 1.0))
                self.table.learn(1, (2, 20 + i, 1.0))
            watch.look(last=True)
            self.assertEqual(self.windows(store), 14 + 24)

    def test_unknown(self) -> None:
        """Who has ended before he was looked at, and who executes another program meanwhile."""
        with self.store() as store:
            watch = self.watch(store)
            self.table.begin(0, 9)
            self.table.learn(0, (1, 10, 1.0))
            watch.look()
            self.table.begin(1, 0, content=5)
            watch.look()
            self.assertEqual((watch.counts.unknown, len(list(store.rows()))), (2, 0))
            self.table.begin(2, 7, content=6)

            def changes(_: int) -> Identity:
                self.table.rows[2].program.content = 8
                return Identity("build-id:wrong", "wrong")

            watch.identify = changes
            watch.look()
            self.assertNotIn(6, watch.names)

    def test_top(self) -> None:
        """What a process made in the last seconds, and who has gone."""
        self.table.begin(0, 3)
        self.table.rows[0].program.run_windows = 2
        looks = None
        with mock.patch.object(time, "monotonic", lambda: self.now):
            looks = top.Looks(self.table)  # type: ignore[arg-type]
            looks.look()
            for _ in range(10):
                self.now += 1
                self.table.rows[0].program.run_ns += 500_000_000
                self.table.rows[0].program.run_alone += 400_000_000
                lines = looks.look()
            self.assertAlmostEqual(lines[0].advance or 0, 0.4)
            self.assertAlmostEqual(lines[0].slowdown or 0, 1.25)
            self.assertIn("########", top.text_of(lines[0]))
            self.table.rows[0].program.process = 0
            self.assertEqual(looks.look(), [])
            self.assertEqual(looks.past, {})


if __name__ == "__main__":
    unittest.main()
