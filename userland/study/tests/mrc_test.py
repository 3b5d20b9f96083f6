# SPDX-License-Identifier: GPL-2.0-or-later
"""pmctrack-mrc: windows, curves, and ways to slow others down. PYTHONPATH has the study."""

from __future__ import annotations

import csv
import io
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

from pmctrack_study.failure import Failure
from pmctrack_study.mrc import collect, command, processes, slow
from pmctrack_study.mrc.curve import curve_of, falling
from pmctrack_study.mrc.points import Point, Points, Windows, points_of

KIB = 1024


def row(**fields: object) -> dict[str, str]:
    """A sample of pmctrack --csv."""
    common: dict[str, object] = {
        "time_ns": 0, "pid": 7, "tgid": 7, "cpu": 0, "merged": 0, "disturbed": 0,
        "instr": 1_000_000, "llc_misses": 5000, "llc_usage": 1 << 20}
    return {key: str(value) for key, value in {**common, **fields}.items()}


def points(*rows: dict[str, str]) -> Points:
    """The windows of these samples."""
    return points_of(lambda: rows)


def steep(kib: float) -> float:
    """Misses per 1000 instructions: steep, and flat from 1 MiB on."""
    return 40 - 35 * min(kib, 1024) / 1024


class PointsTest(unittest.TestCase):
    """Windows of samples."""

    def test_a_window_lies_between_two_samples(self) -> None:
        """Its occupancy is the mean of both, its counts are the second one's."""
        found = list(points(row(llc_usage=1000), row(llc_usage=3000)).kept)
        self.assertEqual(found, [Point(2000, 2000, 1_000_000, 5000)])
        self.assertEqual(found[0].mpki, 5)

    def test_what_is_not_known_is_not_zero(self) -> None:
        """No occupancy, another cache, merged samples: no window; nor the first sample."""
        found = points(row(), row(llc_usage=""), row(), row(cpu=1), row(cpu=1, merged=2),
                       row(cpu=1))
        self.assertEqual((len(found.kept), found.unknown), (1, 5))

    def test_others(self) -> None:
        """The process that works most is the program; what others disturbed is left out."""
        found = points(row(), row(), row(disturbed=1), row(pid=8, tgid=8, instr=10))
        self.assertEqual((len(found.kept), found.others, found.disturbed), (1, 1, 1))

    def test_threads(self) -> None:
        """Each has its own windows."""
        found = points(row(), row(pid=8), row(llc_usage=3 << 20), row(pid=8))
        self.assertEqual([p.occupancy for p in found.kept], [2 << 20, 1 << 20])

    def test_nothing(self) -> None:
        """An empty file says so."""
        with self.assertRaisesRegex(Failure, "no samples"):
            points()


class CurveTest(unittest.TestCase):
    """Regression."""

    def test_falling(self) -> None:
        """Worked out by hand: 3 and 5 are pooled by their weights, then with 4.5."""
        self.assertEqual(falling([6, 3, 5, 1], [1, 3, 1, 1]), [6, 3.5, 3.5, 1])
        self.assertEqual(falling([4.5, 3, 9], [1, 1, 1]), [5.5, 5.5, 5.5])

    def test_known_curve(self) -> None:
        """Windows with noise: within 5 % where the program was, nothing where it was not."""
        dice = random.Random(1)
        curve = curve_of(Windows(
            Point(kib * KIB, dice.uniform(-20, 20) * KIB, 1_000_000,
                  round(1000 * steep(kib) * dice.gauss(1, 0.1)))
            for kib in (dice.uniform(100, 1900) for _ in range(5000))))
        for kib in range(150, 1850, 50):
            found = curve.misses_at(kib * KIB)
            assert found is not None
            self.assertLess(abs(found - steep(kib)), 0.05 * steep(kib), f"at {kib} KiB")
        self.assertIsNone(curve.misses_at(50 * KIB))
        self.assertIsNone(curve.misses_at(2000 * KIB))

    def test_unsettled(self) -> None:
        """A window in which the program lost half of its lines says little."""
        curve = curve_of(Windows(
            [*(Point(kib * KIB, 0, 1_000_000, 1000) for kib in range(1024)),
             *[Point(512 * KIB, 512 * KIB, 1_000_000, 90000)] * 100]))
        self.assertEqual(curve.unsettled, 100)
        self.assertEqual({p.mpki for p in curve.places}, {1.0})
        self.assertEqual(curve.mean_change, 0)

    def test_one_window_does_not_widen_the_range(self) -> None:
        """The last one of a run, in which all lines go."""
        curve = curve_of(Windows(
            [*(Point((3900 + n / 10) * KIB, 0, 1_000_000, 1000) for n in range(1000)),
             Point(2000 * KIB, -4000 * KIB, 1_000_000, 1000)]))
        self.assertEqual(len(curve.places), 48)

    def test_no_range(self) -> None:
        """A program that always has the whole cache has no curve."""
        with self.assertRaisesRegex(Failure, "--beside"):
            curve_of(Windows([Point(1 << 20, 0, 1_000_000, 1000)] * 100))
        with self.assertRaisesRegex(Failure, "cmt"):
            curve_of(Windows())


class PlotTest(unittest.TestCase):
    """--plot: a picture, or a refusal before anything is measured."""

    def plot(self, path: Path) -> tuple[int, bool, str]:
        """The exit status, whether something was measured, and what was complained of."""
        def run(_plan: object, file: Path) -> collect.Run:
            with open(file, "w", encoding="utf-8") as out:
                rows = csv.DictWriter(out, row().keys())
                rows.writeheader()
                rows.writerows(row(llc_usage=n << 10, llc_misses=9000 - n)
                               for n in range(1, 1000))
            return collect.Run(0, False, [100.0], "CPU bandwidth")
        with mock.patch("pmctrack_study.mrc.collect.run", side_effect=run) as measured, \
                mock.patch("shutil.which"), mock.patch("sys.stdout", io.StringIO()), \
                mock.patch("sys.stderr", io.StringIO()) as complaints:
            status = command.main(["--plot", str(path), "app"])
        return status, measured.called, complaints.getvalue()

    def test_picture(self) -> None:
        """A picture is drawn of what was measured."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "curve.png"
            self.assertEqual(self.plot(path), (0, True, ""))
            self.assertEqual(path.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_no_matplotlib(self) -> None:
        """The user does not learn only after hours that there can be no picture."""
        with mock.patch.dict(sys.modules, {"matplotlib": None}):
            status, measured, complaint = self.plot(Path("/tmp/curve.png"))
        self.assertEqual((status, measured), (1, False))
        self.assertRegex(complaint, "install python3-matplotlib")

    def test_broken_matplotlib(self) -> None:
        """Nor that there is one that does not work, or that lacks something itself."""
        for error in (OSError("no such font"), ModuleNotFoundError("no numpy", name="numpy")):
            with mock.patch("matplotlib.use", side_effect=error):
                status, measured, complaint = self.plot(Path("/tmp/curve.png"))
            self.assertEqual((status, measured), (1, False))
            self.assertIn(f"matplotlib does not work: {error}", complaint)


class SlowTest(unittest.TestCase):
    """Registers and control groups, as files."""

    def setUp(self) -> None:
        # pylint: disable-next=consider-using-with
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.path = Path(self._folder.name)

    def register(self, cpu: int) -> int:
        """The value of a CPU's register."""
        data = (self.path / str(cpu) / "msr").read_bytes()
        value: int = struct.unpack_from("<Q", data, slow.IA32_CLOCK_MODULATION)[0]
        return value

    def test_clock(self) -> None:
        """Eighths, as the SDM has them; what was there is there again afterwards."""
        for cpu, before in ((2, 0), (5, 0x1a)):
            (self.path / str(cpu)).mkdir()
            (self.path / str(cpu) / "msr").write_bytes(
                bytes(slow.IA32_CLOCK_MODULATION) + struct.pack("<Q", before))
        with slow.clock([2, 5], self.path) as way:
            self.assertEqual(way.set(50), 50)
            self.assertEqual([self.register(2), self.register(5)], [0x18, 0x18])
            self.assertEqual(way.set(1), 12.5)
            self.assertEqual(self.register(5), 0x12)
            self.assertEqual(way.set(100), 100)
            self.assertEqual(self.register(5), 0)
        self.assertEqual([self.register(2), self.register(5)], [0, 0x1a])

    def test_clock_of_another(self) -> None:
        """Two that change a register: the second is refused, and what was there comes back."""
        (self.path / "0").mkdir()
        (self.path / "0" / "msr").write_bytes(bytes(slow.IA32_CLOCK_MODULATION + 8))
        with slow.clock([0], self.path) as way:
            way.set(50)
            with self.assertRaisesRegex(Failure, "another pmctrack-mrc"), \
                    slow.clock([0], self.path):
                self.fail("entered")
            self.assertEqual(self.register(0), 0x18)
        self.assertEqual(self.register(0), 0)

    def test_no_clock(self) -> None:
        """A CPU without the register changes nothing on the others."""
        (self.path / "0").mkdir()
        (self.path / "0" / "msr").write_bytes(
            bytes(slow.IA32_CLOCK_MODULATION) + struct.pack("<Q", 6))
        with self.assertRaisesRegex(Failure, "--slow quota"), slow.clock([0, 1], self.path):
            self.fail("entered")
        self.assertEqual(self.register(0), 6)

    def test_quota(self) -> None:
        """The kernel takes no quota below 1 ms: the period grows."""
        (self.path / "cpu.max").touch()
        way = slow.Quota(self.path, 3)
        for percent, text in ((100, "max 10000"), (50, "15000 10000"), (5, "1500 10000"),
                              (1, "1000 33333")):
            self.assertAlmostEqual(way.set(percent), percent, places=2)
            self.assertEqual((self.path / "cpu.max").read_text("ascii"), text)

        # 0.01 % of three CPUs would be a period above a second.
        self.assertAlmostEqual(way.set(0.01), 1 / 30)

    def test_quota_of_version_1(self) -> None:
        """The same in three files."""
        way = slow.Quota(self.path, 2)
        self.assertEqual(way.set(25), 25)
        self.assertEqual([(self.path / f"cpu.cfs_{f}_us").read_text("ascii")
                          for f in ("quota", "period")], ["5000", "10000"])
        self.assertEqual(way.set(100), 100)
        self.assertEqual((self.path / "cpu.cfs_quota_us").read_text("ascii"), "-1")


class ProcessesTest(unittest.TestCase):
    """Sessions, and signals that wait."""

    def test_signals_wait(self) -> None:
        """What comes while nobody looks is seen at the next look, and does nothing before."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
        ending = processes.Ending()
        self.assertFalse(ending.wait(0))
        os.kill(os.getpid(), signal.SIGTERM)
        self.assertTrue(ending.wait(0))
        self.assertFalse(ending.wait(0))
        ending.release()
        self.assertEqual(signal.pthread_sigmask(signal.SIG_BLOCK, []), before)

    def test_session(self) -> None:
        """A leader that has ended leaves somebody, who ends with the session; its status stays."""
        session = processes.Session(["sh", "-c", "sleep 99 & exit 3"], lambda: None,
                                    subprocess.DEVNULL)
        self.assertTrue(session.wait(10))
        os.killpg(session.pid, 0)
        self.assertEqual(session.kill(), 3)
        for _ in range(500):
            try:
                os.killpg(session.pid, 0)
            except ProcessLookupError:
                break
            time.sleep(0.01)
        else:
            self.fail("somebody is left")

    def test_stopped_session(self) -> None:
        """One that stands still and ignores SIGTERM is ended, too."""
        with mock.patch.object(processes, "PATIENCE_S", 0.1):
            session = processes.Session(["sh", "-c", "trap '' TERM; kill -STOP $$; sleep 99"],
                                        lambda: None, subprocess.DEVNULL)
            # It has said that it ignores SIGTERM when it stands still.
            while Path(f"/proc/{session.pid}/stat").read_text("ascii").split()[2] != "T":
                time.sleep(0.01)
            self.assertEqual(session.end(), -signal.SIGKILL)
        self.assertEqual(session.end(), -signal.SIGKILL)


if __name__ == "__main__":
    unittest.main()
