# SPDX-License-Identifier: GPL-2.0-or-later
"""phasedb: records, merging, the database under writers and damage, and the watcher."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import multiprocessing
import os
import random
import shutil
import signal
import sqlite3
import tempfile
import time
import unittest
from pathlib import Path
from typing import Iterator
from unittest import mock

from pmctrack_study.failure import Failure
from pmctrack_study.phasedb import command, records, show, top
from pmctrack_study.phasedb.identity import Identity, identity_of, identity_of_process
from pmctrack_study.phasedb.machine import kind_of_machine
from pmctrack_study.phasedb.merge import distance, merge
from pmctrack_study.phasedb.plot import plot
from pmctrack_study.phasedb.records import NO_PHASE, SIZE, UNIT, Program, Record, copy_of, decode
from pmctrack_study.phasedb import store as store_module
from pmctrack_study.phasedb.store import Key, Store, layout_of
from pmctrack_study.phasedb.watch import SAVE_S, Watch

KEY = Key("build-id:0123456789abcdef", 1000, "cpu", "1/200000/2")


def record(*phases: tuple[int, int, float], seed: int = 1) -> Record:
    """Of these phases: (code, windows, cycles per instruction alone). Code is a number."""
    made = Record()
    program = made.program
    program.version, program.bytes = records.VERSION, SIZE
    program.address_instr, program.core_types = 200000, 2
    noise = random.Random(seed)
    for i, (code, seen, alone) in enumerate(phases):
        phase = made.phase[i]
        blocks = random.Random(code).sample(range(records.BUCKETS), 40)
        for block in blocks:
            phase.mean[block] = int(65536 / 40 * noise.uniform(0.95, 1))
        phase.seen = seen
        phase.speed[0].valid, phase.speed[0].alone = min(seen, 32), int(alone * UNIT)
        phase.speed[0].pressure = 10
        made.followers[i].phase, made.followers[i].before = i, NO_PHASE
        made.followers[i].next[0], made.followers[i].times[0] = (i + 1) % len(phases), 3
        program.windows += seen
    return made


class Records(unittest.TestCase):
    """The kernel's structures."""

    def test_layout(self) -> None:
        """As the header has it."""
        self.assertEqual(records.HEAD, 88)
        self.assertEqual(SIZE, 88 + 24 * (8 + 4 * 20 + 1024) + 64 * 8)

    def test_decode(self) -> None:
        """What cannot be one is none."""
        good = record((1, 10, 1.0), (2, 20, 2.0))
        self.assertEqual(bytes(decode(bytes(good))), bytes(good))
        for wrong in (bytes(good)[:-1], b"", bytes(good) + b"0"):
            with self.assertRaisesRegex(ValueError, "bytes, not"):
                decode(wrong)
        for field, value, text in (("version", 2, "version"), ("windows", 5, "impossible")):
            other = copy_of(good)
            setattr(other.program, field, value)
            with self.assertRaisesRegex(ValueError, text):
                decode(bytes(other))
        other = copy_of(good)
        other.followers[0].next[0] = 23
        with self.assertRaisesRegex(ValueError, "follows"):
            decode(bytes(other))


class Merge(unittest.TestCase):
    """Two records of a program."""

    def test_same(self) -> None:
        """The same phases are found again, in whatever order; means are weighted."""
        both = merge(record((1, 10, 1.0), (2, 20, 2.0)), record((2, 20, 2.2), (1, 30, 1.2), seed=2))
        self.assertEqual([both.phase[i].seen for i in both.phases()], [40, 40])
        self.assertEqual(both.program.windows, 80)
        self.assertAlmostEqual(both.phase[0].speed[0].alone / UNIT, 1.15, 2)
        self.assertAlmostEqual(both.phase[1].speed[0].alone / UNIT, 2.1, 2)
        decode(bytes(both))

    def test_more(self) -> None:
        """Phases of one only, and what follows on them."""
        both = merge(record((1, 10, 1.0), (2, 20, 2.0)), record((3, 20, 2.0), (4, 30, 1.2)))
        self.assertEqual(sorted(both.phase[i].seen for i in both.phases()), [10, 20, 20, 30])
        decode(bytes(both))
        four = next(i for i in both.phases() if both.phase[i].seen == 30)
        self.assertEqual(len(show.followers_of(both, four)), 1)

    def test_too_many(self) -> None:
        """Those who were seen most stay."""
        some = record(*((i, 10 + i, 1.0) for i in range(24)))
        others = record(*((100 + i, 20 + i, 1.0) for i in range(24)))
        both = merge(some, others)
        seen = sorted((both.phase[i].seen for i in both.phases()), reverse=True)
        self.assertEqual(seen, sorted([10 + i for i in range(24)] + [20 + i for i in range(24)],
                                      reverse=True)[:24])
        decode(bytes(both))

    def test_pressure(self) -> None:
        """Who was disturbed less is nearer to the truth."""
        noisy, quiet = record((1, 10, 1.5)), record((1, 10, 1.0))
        noisy.phase[0].speed[0].pressure = 100
        for pair in ((noisy, quiet), (quiet, noisy)):
            self.assertAlmostEqual(merge(*pair).phase[0].speed[0].alone / UNIT, 1.0, 5)

    def test_random(self) -> None:
        """Whatever is merged can be merged again."""
        lot = random.Random(5)
        whole = record((1, 1, 1.0))
        for _ in range(30):
            other = record(*((lot.randrange(60), lot.randrange(1, 9), lot.uniform(0.5, 5))
                             for _ in range(lot.randrange(1, 24))), seed=lot.randrange(99))
            whole = decode(bytes(merge(whole, other, lot.choice([1.0, 0.3]))))
        self.assertEqual(len(whole.phases()), 24)
        self.assertGreater(min(distance(whole.phase[i], whole.phase[k])
                               for i in range(24) for k in range(i)), 9000)


class Folder(unittest.TestCase):
    """Tests with files."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="phasedb-test-"))
        self.file = self.folder / "phases.db"
        self.addCleanup(shutil.rmtree, self.folder)

    @contextlib.contextmanager
    def store(self, write: bool = True) -> Iterator[Store]:
        """The database."""
        opened = Store(self.file, write=write)
        yield opened
        opened.close()

    def run_command(self, *words: str) -> tuple[int, str, str]:
        """Status, output, and errors of phasedb."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = command.main(["-d", str(self.file), *words])
        return status, out.getvalue(), err.getvalue()


def _write(file: Path, number: int) -> None:
    store = Store(file, write=True)
    for i in range(10):
        store.save(KEY, "program", record((1000 * number + i, 2, 1.0)))
        store.save(Key(f"build-id:{number}-{i}", 1, "cpu", "1/200000/2"), "x", record((1, 1, 1.0)))


def _write_for_ever(file: Path) -> None:
    store, number = Store(file, write=True), 0
    while True:
        number += 1
        store.save(KEY, "program", record((number % 50, 2, 1.0)))


class Database(Folder):
    """One file, many hands."""

    def test_saved(self) -> None:
        """What goes on from what is there replaces it; else both are merged."""
        with self.store() as store:
            first = store.save(KEY, "a", record((1, 10, 1.0)))
            second = store.save(KEY, "a", record((1, 15, 1.0)), first)
            row = store.find(KEY)
            assert row
            self.assertEqual((row.revision, row.record.program.windows), (second, 15))
            store.save(KEY, "a", record((1, 10, 1.0)), first, 0.5)
            row = store.find(KEY)
            assert row
            self.assertEqual(row.record.program.windows, 20)
            self.assertEqual(row.key.layout, layout_of(row.record))
        self.assertEqual(os.stat(self.file).st_mode & 0o777, 0o600)

    def test_writers(self) -> None:
        """Nothing of what some write at once is lost."""
        writers = [multiprocessing.Process(target=_write, args=(self.file, n)) for n in range(4)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
            self.assertEqual(writer.exitcode, 0)
        with self.store() as store:
            self.assertEqual(len(list(store.rows())), 41)
            row = store.find(KEY)
            assert row
            self.assertEqual(row.record.program.windows, 80)

    def test_killed(self) -> None:
        """Who is killed leaves what was there."""
        for _ in range(5):
            writer = multiprocessing.Process(target=_write_for_ever, args=(self.file,))
            writer.start()
            for _ in range(3000):
                time.sleep(0.01)
                with contextlib.suppress(Failure), self.store(write=False) as store:
                    if store.find(KEY):
                        break
            assert writer.pid
            os.kill(writer.pid, signal.SIGKILL)
            writer.join()
            with self.store() as store:
                row = store.find(KEY)
                assert row and not store.damaged

    def test_damaged(self) -> None:
        """It is told, not used, and can be dropped; the next save replaces it."""
        with self.store() as store:
            store.save(KEY, "a", record((1, 10, 1.0)))
            store.save(Key("sha256:ffffffffffff", 0, "cpu", "1/200000/2"), "b", record((2, 5, 1.0)))
            store.base.execute("UPDATE programs SET record = zeroblob(100) WHERE name = 'a'")
        status, out, err = self.run_command("list", "--csv")
        self.assertEqual((status, len(out.splitlines())), (1, 2))
        self.assertRegex(err, r"row 1 is damaged \(its digest is another one\) and not used: "
                              r"phasedb drop 1\n$")
        self.assertEqual(self.run_command("drop", "1")[:2], (0, "dropped 1\n"))
        self.assertEqual(self.run_command("list")[0], 0)
        self.assertRegex(self.run_command("drop", "1")[2], "no program '1'")

    def test_limits(self) -> None:
        """A user has so many rows; what cannot be read again is not saved."""
        with self.store() as store, mock.patch.object(store_module, "MOST_ROWS", 3):
            for i in range(5):
                store.save(Key(f"sha256:{i}", 7, "cpu", "1/200000/2"), "x", record((1, 10, 1.0)))
            store.save(KEY, "a", record((1, 10, 1.0)))
            self.assertEqual([r.key.identity for r in store.rows() if r.key.uid == 7],
                             ["sha256:2", "sha256:3", "sha256:4"])
            found = store.find(KEY)
            assert found
            wrong = record((1, 10, 1.0))
            wrong.phase[0].speed[0].alone = 0
            with self.assertRaisesRegex(Failure, "a: its phase 1 is impossible: not saved"):
                store.save(KEY, "a", wrong, found.revision)
            row = store.find(KEY)
            assert row
            self.assertEqual(row.record.program.windows, 10)

    def test_refused(self) -> None:
        """Other files, and files of other versions."""
        self.assertRegex(self.run_command("list")[2], "No such file: 'phasedb watch' makes it")
        self.file.write_bytes(b"hello" * 1000)
        self.assertRegex(self.run_command("list")[2], "file is not a database")
        self.file.unlink()
        sqlite3.connect(self.file).execute("CREATE TABLE x (y)")
        self.assertRegex(self.run_command("list")[2], "is not a database of phasedb")
        self.file.unlink()
        with self.store() as store:
            store.save(KEY, "a", record((1, 10, 1.0)))
            store.base.execute("PRAGMA user_version = 9")
        self.assertRegex(self.run_command("show", "a")[2], "of version 9, phasedb of 1")
        half = self.file.read_bytes()[:6000]
        self.file.write_bytes(half)
        status, _, err = self.run_command("list")
        self.assertEqual(status, 1)
        self.assertEqual(err.count("\n"), 1)


class Commands(Folder):
    """What people type."""

    def test_list_and_show(self) -> None:
        """Aligned text, CSV and JSON say the same."""
        with self.store() as store:
            store.save(KEY, "mcf", record((1, 10, 1.25), (2, 3, 4.0)))
        status, out, _ = self.run_command("list")
        self.assertEqual(status, 0)
        self.assertRegex(out, r"(?m)^ +1 mcf +\w+ +13 +2 +2 .* build-id:0123456789abcdef$")
        listed = json.loads(self.run_command("list", "--json")[1])["programs"]
        self.assertEqual((listed[0]["windows"], listed[0]["known"]), (13, 2))
        self.assertRegex(self.run_command("list", "--csv")[1], "(?m)^1,mcf,build-id:")
        for word in ("1", "mcf", "01234567"):
            self.assertRegex(self.run_command("show", word)[1],
                             r"(?m)^ +1 +10 +0 +40 +0 +1\.250 .* +2 \(3\)$")
        detail = json.loads(self.run_command("show", "mcf", "--json")[1])["detail"]
        self.assertEqual(detail[1]["speeds"][0]["cpi_alone"], 4.0)
        self.assertIsNone(detail[1]["speeds"][1]["cpi_alone"])
        self.assertEqual(self.run_command("show", "0123")[0], 1)

    def test_merge_and_drop(self) -> None:
        """Another machine's; again, it changes nothing."""
        with self.store() as store:
            store.save(KEY, "a", record((1, 10, 1.0)))
        other = self.folder / "other.db"
        foreign = Key(KEY.identity, 1000, "another cpu", KEY.layout)
        there = Store(other, write=True)
        there.save(KEY, "a", record((1, 5, 1.0)))
        there.save(foreign, "a", record((9, 7, 1.0)))
        there.close()
        self.assertEqual(self.run_command("merge", str(other))[1],
                         "merged 2 of 2 programs; 0 were here\n")
        self.assertEqual(self.run_command("merge", str(other))[1],
                         "merged 0 of 2 programs; 2 were here\n")
        with self.store() as store:
            mine, theirs = store.find(KEY), store.find(foreign)
            assert mine and theirs
            self.assertEqual(mine.record.program.windows, 15)
            self.assertEqual(theirs.record.program.windows, 7)
            store.base.execute("UPDATE programs SET updated = 0 WHERE machine = 'cpu'")
        self.assertRegex(self.run_command("drop", "--older-than", "30")[1], "dropped 1")
        self.assertRegex(self.run_command("drop", "b")[2], "no program 'b'")
        self.assertRegex(self.run_command("drop", "a")[1], "dropped 1")
        self.assertEqual(len(self.run_command("list")[1].splitlines()), 1)

    def test_plot(self) -> None:
        """Of what top wrote; other files are refused."""
        names = ",".join(f.name for f in dataclasses.fields(top.Line))
        line = top.Line(1, 7, "mcf", "root", 1, 2, True, False, 10, 9, 3, 2, 1.0, 0.9, 1.1, 0.8)
        rows = [",".join(str(x) for x in dataclasses.asdict(line).values())] * 3
        (self.folder / "top.csv").write_text("\n".join([names, *rows]) + "\n", encoding="utf-8")
        try:
            made = plot(self.folder / "top.csv", self.folder / "plots")
        except ImportError as missing:
            self.skipTest(str(missing))
        self.assertEqual(made, ["progress.png", "phases.png", "foreseen.png"])
        self.assertRegex(self.run_command("plot", str(self.folder / "none"), "x")[2], "No such")
        (self.folder / "bad.csv").write_text("a,b\n1,2\n", encoding="utf-8")
        self.assertRegex(self.run_command("plot", str(self.folder / "bad.csv"), "x")[2],
                         "not of 'phasedb top --csv'")
        self.assertIn("~1.111", top.text_of(top.Line(1, 7, "mcf", "root", 1, 2, False, True, 10, 9,
                                                     3, 2, 1.0, 0.9, 1 / 0.9, 0.8)))


class Identities(Folder):
    """By what is in a file."""

    def test_copies(self) -> None:
        """A copy is the same program, a changed one is not."""
        copy = self.folder / "another"
        shutil.copy("/bin/ls", copy)
        first = identity_of(Path("/bin/ls"), "ls")
        self.assertEqual(identity_of(copy, "x").text, first.text)
        self.assertRegex(first.text, "^build-id:[0-9a-f]{16,}$")
        copy.write_bytes(copy.read_bytes()[:100])
        self.assertRegex(identity_of(copy, "x").text, "^sha256:")
        with open(copy, "r+b") as file:
            file.truncate(300 << 20)
        with self.assertRaisesRegex(OSError, "too large"):
            identity_of(copy, "x")
        for size in (0, 3, 20, 64, 80, 500):
            copy.write_bytes(Path("/bin/ls").read_bytes()[:size])
            self.assertRegex(identity_of(copy, "x").text, "^sha256:")

    def test_process(self) -> None:
        """Of a running one, though its file has gone."""
        found = identity_of_process(os.getpid())
        assert found
        self.assertRegex(found.name, "python")
        # A name that is none.
        (self.folder / "7").mkdir()
        os.symlink(b"/bin/l\xff\x1b[2J", os.fsencode(self.folder / "7" / "exe"))
        self.assertIsNone(identity_of_process(7, self.folder))
        shutil.copy(b"/bin/ls", os.path.join(os.fsencode(self.folder), b"l\xff\x1b[2J"))
        os.unlink(self.folder / "7" / "exe")
        os.symlink(os.path.join(os.fsencode(self.folder), b"l\xff\x1b[2J"),
                   os.fsencode(self.folder / "7" / "exe"))
        found = identity_of_process(7, self.folder)
        assert found
        self.assertEqual(found.name, "l\ufffd?[2J")
        self.assertIsNone(identity_of_process(4_000_000))

    def test_machine(self) -> None:
        """Its name is that of its CPUs."""
        info, cpuinfo = self.folder / "info", self.folder / "cpuinfo"
        info.write_text("coretype: 0\npmu: intel\nmodel: v5\n", encoding="utf-8")
        cpuinfo.write_text("model name\t: A  CPU\nmodel name\t: A CPU\n", encoding="utf-8")
        self.assertEqual(kind_of_machine(info, cpuinfo), "v5; A CPU")
        info.write_text("caches: 0,1 2,3\npmu: simulated_big\nmodel: big\n", encoding="utf-8")
        self.assertEqual(kind_of_machine(info, cpuinfo), "big; simulated, caches 0,1 2,3")
        with self.assertRaisesRegex(Failure, "not loaded"):
            kind_of_machine(self.folder / "none", cpuinfo)


class Table:
    """The module's table, played."""

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
        """It has seen these, in all."""
        old = self.rows[place].program
        new = record(*phases)
        for name in ("table", "content", "uid", "process", "threads"):
            setattr(new.program, name, getattr(old, name))
        self.rows[place] = new

    def head(self, place: int) -> Program | None:
        """As Programs has it."""
        return self.rows[place].program if place in self.rows else None

    def heads(self) -> list[tuple[int, Program]]:
        """Likewise."""
        return [(place, r.program) for place, r in self.rows.items()]

    @staticmethod
    def alive() -> bool:
        """Likewise."""
        return True

    def record(self, place: int) -> Record | None:
        """Likewise."""
        return copy_of(self.rows[place])

    def give(self, given: Record, process: Program) -> bool:
        """Likewise."""
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
    """The watcher, with a table that is played."""

    def setUp(self) -> None:
        super().setUp()
        self.now = 100.0
        self.table = Table()

    def watch(self, store: Store) -> Watch:
        """One that calls all processes by one name."""
        return Watch(self.table, store, "cpu", lambda _: None,  # type: ignore[arg-type]
                     identify=lambda pid: Identity(KEY.identity, "mcf") if pid < 9 else None,
                     clock=lambda: self.now)

    def windows(self, store: Store) -> int:
        """In the database."""
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
