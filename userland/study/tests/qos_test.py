# SPDX-License-Identifier: GPL-2.0-or-later
"""qosplot: logs that are right, cut off, or something else."""

from __future__ import annotations

import math
import tempfile
import unittest
from pathlib import Path

from pmctrack_study.failure import Failure
from pmctrack_study.qos import command, log

HEAD = ("monotonic_s,pid,program,unit,rate,goal_min,goal_max,weight,asked,part,granted,used,"
        "threads,a,b,pole,trusted,state\n")
ROWS = ('10.250,7,"a, ""b""","frames/s",8,10,12,100,2,2,2,1.9,4,0.5,2,0.6,1,settling\n'
        '10.500,7,"a, ""b""","frames/s",11,10,12,100,2,2,2.5,2.1,4,0.5,2,0.6,1,held\n'
        '10.500,8,"c","B/s",,1000,1000,100,1,1,1,,1,,,0.6,0,new\n')


class LogTest(unittest.TestCase):
    """What is read, and what is refused."""

    def setUp(self) -> None:
        # pylint: disable-next=consider-using-with
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.path = self.folder / "log.csv"

    def write(self, text: str) -> None:
        """Write the log."""
        self.path.write_text(text, encoding="utf-8")

    def test_read(self) -> None:
        """Names with commas; what is not known."""
        self.write(HEAD + ROWS)
        programs = log.read(self.path)
        first, second = programs[0], programs[1]
        self.write(HEAD + ROWS + '10.750,8,"c')
        self.assertEqual(len(log.read(self.path)[1].columns["rate"]), 1)
        self.write(HEAD + ROWS + '10.750,8,"c\n' + HEAD + ROWS.replace(",7,", ",9,"))
        self.assertEqual([program.pid for program in log.read(self.path)], [9, 8])
        self.assertEqual((first.name, first.pid, first.unit), ('a, "b"', 7, "frames/s"))
        self.assertEqual(first.columns["granted"], [2, 2.5])
        self.assertTrue(math.isnan(second.columns["rate"][0]))

    def test_plots(self) -> None:
        """Files are written, and named."""
        self.write(HEAD + ROWS)
        self.assertEqual(command.main([str(self.path), str(self.folder / "new/plots")]), 0)
        for name in ("rates", "cpus", "model"):
            self.assertGreater((self.folder / f"new/plots/{name}.png").stat().st_size, 1000)

    def test_wrong(self) -> None:
        """Each says what is wrong."""
        for text, why in ((HEAD, "no program was managed"), ("x,y\n1,2\n", "is not a log of qosd"),
                          ("", "is not a log of qosd"),
                          (HEAD + ROWS + HEAD, "no program was managed"),
                          (HEAD + "1,x" + 16 * ",1" + "\n", "'1,x,1")):
            self.write(text)
            with self.assertRaisesRegex(Failure, why):
                log.read(self.path)
        self.assertEqual(command.main(["/nowhere", str(self.folder)]), 1)


if __name__ == "__main__":
    unittest.main()
