# SPDX-License-Identifier: LGPL-2.1-or-later
"""Control, EventSet and Session with the fake library."""

import contextlib
import errno
import gc
import os
import signal
import sys
import threading
import time
import unittest
from collections.abc import Callable, Iterator

from pmctrack import Control, PmctrackError, RecordKind, Session

from .fake import CTL, fake_library, record_bytes


class FakeTest(unittest.TestCase):
    """Base class: a test with a fake library and a connection to it."""

    def setUp(self) -> None:
        self.fake = self.enterContext(fake_library())
        self.ctl = Control()

    @contextlib.contextmanager
    def refused(self, err: int, regex: str) -> Iterator[None]:
        """Expect that the body raises PmctrackError with this errno and text."""
        with self.assertRaisesRegex(PmctrackError, regex) as caught:
            yield
        self.assertEqual(caught.exception.errno, err)


class ControlTest(FakeTest):
    """Tests of Control and EventSet."""

    def test_properties(self) -> None:
        """Control describes the machine."""
        self.assertEqual((self.ctl.version, self.ctl.backend), ("9.9", "fake"))
        self.assertEqual(self.ctl.tick_ns, 4_000_000)
        pmu = self.ctl.pmus[0]
        self.assertEqual((pmu.cpus, pmu.table), ("0-1", None))
        self.assertEqual((pmu.counters, pmu.fixed), ((0, 2, 3), (0,)))
        self.assertEqual([v.gauge for v in self.ctl.virtual_counters], [False, True])

    def test_events(self) -> None:
        """events() lists the events of a PMU."""
        events = self.ctl.events()
        self.assertEqual(
            [(e.name, e.code, e.alias_of, e.description) for e in events],
            [("instr", 8, "INST_RETIRED", "description"), ("cycles", 9, None, "description")],
        )

    def test_close(self) -> None:
        """A connection is freed once, even if close() is called twice."""
        self.ctl.close()
        self.ctl.close()
        del self.ctl
        gc.collect()
        self.assertEqual(self.fake.freed, [CTL])

    def test_garbage(self) -> None:
        """A connection is freed without close() if nothing refers to it."""
        del self.ctl
        gc.collect()
        self.assertEqual(self.fake.freed, [CTL])

    def test_use_after_close(self) -> None:
        """Methods of a closed connection raise EBADF."""
        with self.ctl as ctl:
            pass
        uses: list[Callable[[], object]] = [
            lambda: ctl.parse("instr"),
            lambda: ctl.parse_list("instr"),
            lambda: ctl.parse_raw("pmc0"),
            ctl.parse_mmon,
            ctl.events,
            ctl.__enter__,
            lambda: Session(ctl, ()),
        ]
        for use in uses:
            with self.refused(errno.EBADF, "this Control is closed"):
                use()

    def test_sets(self) -> None:
        """An event set has these members, and is freed with its last user."""
        events = self.ctl.parse("instr,cycles")
        self.assertEqual((events.names, events.counters), (("instr", "cycles"), (0, 1)))
        self.assertEqual((events.raw, events.core_type), ("pmc0,pmc1", None))
        self.assertEqual(self.ctl.parse("instr,instr").names, ("instr@pmc0", "instr@pmc1"))
        session = Session(self.ctl, events)
        pointer = events._pointer()  # pylint: disable=protected-access
        del events
        gc.collect()
        self.assertNotIn(pointer, self.fake.freed)
        del session
        gc.collect()
        self.assertIn(pointer, self.fake.freed)

    def test_wrong_names(self) -> None:
        """Wrong names raise errors with errno and text; a NUL in a name raises ValueError."""
        with self.refused(errno.EINVAL, "event 'instructionz': no such event"):
            self.ctl.parse("instructionz")
        with self.refused(errno.EINVAL, "no such event"):
            self.ctl.parse_list("cycles,none")
        with self.assertRaises(ValueError):
            self.ctl.parse("instr\0,none")


class SessionTest(FakeTest):
    """Sessions that do not run a program."""

    def test_options(self) -> None:
        """Arguments of Session() are passed in the structure."""
        Session(self.ctl, "instr", pids=[5, 6], period_ns=10**10, ring_size=4096, virtual=["v1"])
        opts = self.fake.opts
        self.assertEqual((opts["processes"], opts["flags"], opts["pid"]), ([5, 6], 0b11, 0))
        self.assertEqual((opts["period_ns"], opts["ring_size"], opts["virts"]), (10**10, 4096, 2))
        Session(self.ctl, "instr", cgroup="/sys/fs/cgroup/a")
        self.assertEqual(self.fake.opts["cgroup"], b"/sys/fs/cgroup/a")
        self.assertEqual(self.fake.opts["flags"], 8)
        Session(self.ctl, virtual="v0,v1")
        self.assertEqual((self.fake.opts["nr_sets"], self.fake.opts["virts"]), (0, 3))
        self.assertEqual(self.fake.opts["flags"], 0)

    def test_bad_options(self) -> None:
        """ValueError for values that C would truncate or take for something else."""
        for bad in ({"pids": []}, {"pids": [2**32]}, {"period_ns": -1}, {"ring_size": 2**32}):
            with self.subTest(bad=bad), self.assertRaises(ValueError):
                Session(self.ctl, "instr", **bad)  # type: ignore[arg-type]

    def test_refused(self) -> None:
        """If the kernel refuses a session, its error is raised."""
        self.fake.refuse_sessions = errno.EBUSY
        with self.refused(errno.EBUSY, "perf has the counters"):
            Session(self.ctl, "instr")

    def test_use_after_close(self) -> None:
        """Methods of a closed session raise EBADF, except a second close()."""
        with Session(self.ctl, "instr") as session:
            pass
        session.close()
        self.assertTrue(session.closed)
        uses: list[Callable[[], object]] = [
            session.start,
            session.stop,
            session.detach,
            session.take,
            session.stats,
            session.fileno,
            session.region().__enter__,
            lambda: session.wait(0),
            lambda: list(session),
            lambda: session.period_ns,
            lambda: session.lost_count(0, 0, 0),
            session.read_counts,
        ]
        for use in uses:
            with self.refused(errno.EBADF, "this Session is closed"):
                use()

    def test_outlives_control(self) -> None:
        """A session works after its Control was closed."""
        session = Session(self.ctl, "instr,cycles")
        self.ctl.close()
        with session.region() as region:
            pass
        self.assertEqual(region.counts, {"instr": 500, "cycles": 600})

    def test_region(self) -> None:
        """A region takes its own records, and leaves older records in the session."""
        session = Session(self.ctl, "instr,cycles")
        self.fake.records.append(record_bytes([1, 2]))
        with session.region() as region:
            self.fake.records.append(record_bytes([3, 4]))
        self.assertEqual(region.counts, {"instr": 503, "cycles": 604})
        self.assertEqual(region.run_ns, 4_000)
        self.assertEqual([r.kind for r in region.records], [RecordKind.TICK, RecordKind.SELF])
        self.assertTrue(session.wait(0))
        self.assertEqual([r.counts["instr"] for r in session], [1])

    def test_region_with_exception(self) -> None:
        """A region stops counting if its body raises."""
        session = Session(self.ctl, "instr,cycles")
        region = session.region()
        with self.assertRaises(KeyError), region:
            raise KeyError
        self.assertEqual(region.counts["instr"], 500)
        with session.region(), self.refused(errno.EALREADY, "counting already"):
            session.start()

    def test_records(self) -> None:
        """Records are copies, with the names of their sets."""
        session = Session(self.ctl, [self.ctl.parse("instr"), self.ctl.parse("cycles")])
        self.fake.records = [
            record_bytes([1], set=1, virt=2),
            record_bytes([2]),
            record_bytes([], set=7),
        ]
        records = list(session)
        self.assertEqual([r.set_index for r in records], [1, 0, None])
        self.assertEqual([r.counts for r in records], [{"cycles": 1}, {"instr": 2}, {}])
        self.assertEqual(records[0].virtual, {"v1": 71})

    def test_iteration_ends(self) -> None:
        """Iteration ends when no thread is monitored any more."""
        session = Session(self.ctl, "instr", pids=[5])
        self.fake.records.append(record_bytes([1]))
        self.fake.over = True
        self.assertEqual(len(list(session)), 1)
        self.assertTrue(session.over)
        self.assertFalse(session.wait())

    def test_wait(self) -> None:
        """wait() ends after its timeout, or when a record comes."""
        session = Session(self.ctl, "instr", pids=[5])
        before = time.monotonic()
        self.assertFalse(session.wait(0.03))
        self.assertGreaterEqual(time.monotonic() - before, 0.03)
        self.assertFalse(session.over)
        with self.assertRaises(ValueError):
            session.wait(-1)

        def come() -> None:
            time.sleep(0.03)
            self.fake.records.append(record_bytes([1]))
            os.write(self.fake.readable[1], b"\0")

        thread = threading.Thread(target=come)
        thread.start()
        self.assertTrue(session.wait())
        thread.join()

    def test_read_counts(self) -> None:
        """read_counts() reads each counter, and returns the values by name."""
        session = Session(self.ctl, "instr,cycles", user_read=True)
        counters = session.sets[0].counters
        expected = {name: 1000 + c for name, c in zip(session.sets[0].names, counters)}
        self.assertEqual(session.read_counts(), expected)

    def test_health(self) -> None:
        """stats() and lost_count() return the library's values."""
        session = Session(self.ctl, "instr")
        stats = session.stats()
        self.assertEqual((stats.threads, stats.skipped_threads, stats.lost), (3, 2, 1))
        self.assertEqual((stats.left_out_threads, stats.revoked), (4, True))
        self.assertEqual((stats.ring_size, stats.ring_wanted), (4096, 65536))
        self.assertEqual(session.lost_count(1, 2, 5), 1205)
        with self.refused(errno.EOPNOTSUPP, "not opened for reads"):
            session.read_counts()
        with self.refused(errno.ENOTTY, "neither"):
            session.detach()


class ProgramTest(FakeTest):
    """Sessions that run a program; the programs are real ones."""

    def setUp(self) -> None:
        super().setUp()
        self.fds = os.listdir("/proc/self/fd")

    def tearDown(self) -> None:
        self.assertEqual(os.listdir("/proc/self/fd"), self.fds)
        with self.assertRaises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)

    def test_runs(self) -> None:
        """A program runs with the arguments of Popen; its session is opened before."""
        self.fake.over = True
        with Session.run(self.ctl, "instr", ["sh", "-c", "echo $$; exit 3"], stdout=-1) as session:
            assert session.process.stdout
            self.assertEqual(int(session.process.stdout.read()), self.fake.opts["pid"])
            self.assertEqual(list(session), [])
        self.assertEqual(session.process.returncode, 3)
        self.assertEqual(session.process.pid, self.fake.opts["pid"])
        self.assertEqual(self.fake.opts["flags"], 0b111)
        with self.refused(errno.EBADF, "closed"):
            session.take()

    def test_is_held_back(self) -> None:
        """A program waits until its session is open. If that fails, it never runs."""
        self.fake.refuse_sessions = errno.EBUSY
        read, write = os.pipe()
        with self.refused(errno.EBUSY, "perf has the counters"):
            Session.run(self.ctl, "instr", ["sh", "-c", f"echo >&{write}"], pass_fds=[write])
        os.close(write)
        self.assertEqual(os.read(read, 1), b"")
        os.close(read)
        with self.assertRaises(ProcessLookupError):
            os.kill(self.fake.opts["pid"], 0)

    def test_cannot_run(self) -> None:
        """If a program cannot run, the error is that of Popen, and the session is closed."""
        with self.assertRaises(FileNotFoundError) as caught:
            Session.run(self.ctl, "instr", ["/no/such/program"])
        self.assertEqual(caught.exception.filename, "/no/such/program")
        with self.assertRaises(NotADirectoryError):
            Session.run(self.ctl, "instr", ["true"], cwd="/dev/null")
        with self.assertRaises(TypeError):
            Session.run(self.ctl, "instr", ["true"], no_such_option=1)
        gc.collect()
        self.assertEqual(len([p for p in self.fake.freed if p not in self.fake.sets]), 1)

    def test_interrupted(self) -> None:
        """A program that waits for its session never runs if run() is interrupted."""

        class Stop(BaseException):
            """Like KeyboardInterrupt, not a subclass of Exception."""

        def handler(_signal: int, _frame: object) -> None:
            raise Stop

        def slow() -> None:
            os.kill(os.getpid(), signal.SIGUSR1)
            time.sleep(0.1)

        old = signal.signal(signal.SIGUSR1, handler)
        self.addCleanup(signal.signal, signal.SIGUSR1, old)
        self.fake.before_session = slow
        with self.assertRaises(Stop):
            Session.run(self.ctl, "instr", ["sleep", "100"])
        gc.collect()
        with self.assertRaises(ProcessLookupError):
            os.kill(self.fake.opts["pid"], 0)

    def test_preexec(self) -> None:
        """The user's preexec_fn is called, too, before the package's own."""
        with Session.run(
            self.ctl, "instr", [sys.executable, "-c", "import os; print(os.getpriority(0, 0))"],
            stdout=-1, text=True, preexec_fn=lambda: os.nice(5),
        ) as session:
            out, _ = session.process.communicate()
        self.assertEqual(int(out), min(19, os.getpriority(os.PRIO_PROCESS, 0) + 5))
