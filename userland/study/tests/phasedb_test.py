# SPDX-License-Identifier: GPL-2.0-or-later
"""phasedb: records, merging, and the database under writers and damage."""

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
from pmctrack_study.phasedb.identity import identity_of, identity_of_process
from pmctrack_study.phasedb.machine import kind_of_machine
from pmctrack_study.phasedb.merge import distance, merge
from pmctrack_study.phasedb.plot import plot
from pmctrack_study.phasedb.records import NO_PHASE, SIZE, UNIT, Record, copy_of, decode
from pmctrack_study.phasedb import store as store_module
from pmctrack_study.phasedb.store import Key, Store, layout_of

KEY = Key("build-id:0123456789abcdef", 1000, "cpu", "1/200000/2")


def record(*phases: tuple[int, int, float], seed: int = 1) -> Record:
    """A record of these phases: (code, windows, cycles per instruction alone). Code: a number."""
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
        for field, value, text in (("version", 2, "version"), ("windows", 5, "impossible"),
                                   ("windows", 1 << 31, "2147483648 windows")):
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
    """One file, with many readers and writers."""

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
            # A program that only reads finds the row, too, though a change may have been begun.
            with self.store(write=False) as store:
                row = store.find(KEY)
                assert row and not store.damaged

    def test_journal(self) -> None:
        """A writer was killed while it wrote to the file: who only reads undoes that."""
        with self.store() as store:
            store.save(KEY, "a", record((1, 10, 1.0)))
        pid = os.fork()
        if not pid:
            base = sqlite3.connect(self.file, isolation_level=None)
            base.execute("PRAGMA cache_size = 1")
            base.execute("BEGIN IMMEDIATE")
            for i in range(200):
                base.execute("INSERT INTO programs SELECT ?, identity || ?, uid, machine, layout, "
                             "name, updated, revision, record, digest, origin, origin_windows "
                             "FROM programs WHERE id = 1", (i + 2, str(i)))
            os.kill(os.getpid(), signal.SIGKILL)
        os.waitpid(pid, 0)
        self.assertTrue(Path(f"{self.file}-journal").exists())
        with self.store(write=False) as store:
            self.assertEqual([row.number for row in store.rows()], [1])

    def test_others_rows(self) -> None:
        """Whose a row is cannot be changed; names are text, or the row is not used."""
        with self.store() as store:
            for name in "abc":
                store.save(dataclasses.replace(KEY, identity=f"sha256:{name}"), name,
                           record((1, 10, 1.0)))
            store.base.execute("UPDATE programs SET uid = 0 WHERE name = 'a'")
            store.base.execute("UPDATE programs SET identity = CAST(x'ff41' AS TEXT) "
                               "WHERE name = 'b'")
            key = dataclasses.replace(KEY, identity="sha256:d")
            store.save(key, "\x1b[2J", record((1, 10, 1.0)))
            self.assertEqual([row.name for row in store.rows()], ["c"])
            self.assertEqual(len(store.damaged), 3)
            self.assertRegex(store.damaged[-1] + store.damaged[0], "its names are no text")

    def test_busy(self) -> None:
        """Somebody reads for longer than a writer waits: it can be tried again."""
        with mock.patch.object(store_module, "WAIT_S", 0.1), self.store() as store:
            store.save(KEY, "a", record((1, 10, 1.0)))
            reader = sqlite3.connect(self.file, isolation_level=None)
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM programs").fetchone()
            with self.assertRaisesRegex(Failure, "locked"):
                store.save(KEY, "a", record((2, 10, 1.0)))
            reader.execute("COMMIT")
            store.save(KEY, "a", record((2, 10, 1.0)))
            found = store.find(KEY)
            assert found
            self.assertEqual(found.record.program.windows, 20)

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
        self.assertRegex(self.run_command("show", "a")[2], "of version 9, phasedb of 2")
        half = self.file.read_bytes()[:6000]
        self.file.write_bytes(half)
        status, _, err = self.run_command("list")
        self.assertEqual(status, 1)
        self.assertEqual(err.count("\n"), 1)


class Commands(Folder):
    """Commands that people type."""

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

    def test_top_ends(self) -> None:
        """Ctrl-C is how top is normally ended, also on a screen: status 0."""
        with mock.patch.object(command, "Programs"), mock.patch("sys.stdout"), \
                mock.patch.object(command, "interruptible"), \
                mock.patch.object(top, "screen", side_effect=KeyboardInterrupt):
            status = command.main(["top"])
        self.assertEqual(status, 0)

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
    """The identity of a program is what is in its file."""

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
        # A name that is not text.
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


if __name__ == "__main__":
    unittest.main()
