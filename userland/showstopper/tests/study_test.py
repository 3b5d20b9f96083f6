#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of reports and studies, in TAP: study_test.py SHOWSTOPPER.

The package pmctrack_study must be on Python's path.
"""

from __future__ import annotations

import csv
import dataclasses
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Callable
from unittest import mock

import pmctrack_study
from pmctrack_study import energy, groups, topology
from pmctrack_study.failure import Failure
from pmctrack_study.fit import fit
from pmctrack_study.load import Sample
from pmctrack_study.runs import Iteration, throughput
from pmctrack_study.showstopper import accuracy, interference, metric, runs
from pmctrack_study.showstopper.throughput import Point, deviation

# The folder that holds the package: where showstopper looks for its studies.
STUDY = Path(pmctrack_study.__file__).resolve().parent.parent
BINARY = str(Path(sys.argv[1]).resolve())
# A program whose iterations take a moment.
SHORT = ["sh", "-c", "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done"]


def close(value: float, expected: float, most: float = 1e-9) -> None:
    """The value is nearly the expected one."""
    assert abs(value - expected) <= most, f"{value}, not {expected}"


def refused(text: str, what: Callable[[], object]) -> None:
    """The call fails with a message that has the text."""
    try:
        what()
    except Failure as failure:
        assert text in str(failure), f"says: {failure}"
        return
    raise AssertionError(f"no refusal with '{text}'")


def test_throughput_counts_parts() -> None:
    """An iteration that spans windows counts in each by its part; failed ones do not."""
    iterations = [Iteration(0, "a", begin, end, status)
                  for begin, end, status in ((0, 2, 0), (1, 5, 0), (2, 3, 1))]
    close(throughput(iterations, 0, 2), (1 + 0.25) / 2)
    close(throughput(iterations, 2, 4), 0.5 / 2)
    total = sum(throughput(iterations, t, t + 1) for t in range(5))
    close(total, 2)


def test_logs() -> None:
    """CSV and JSON lines have the same content; other logs are refused with a reason."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        values = {"time_s": 0.5, "target_percent": 40, "load_percent": 39.5, "duty_percent": 41,
                  "running": 2, "iterations": 7}
        (folder / "a.csv").write_text(",".join(values) + "\n0.5,40,39.5,41,2,7\n", "ascii")
        (folder / "a.jsonl").write_text(str(values).replace("'", '"') + "\n", "ascii")
        assert runs.read_log(folder / "a.csv") == runs.read_log(folder / "a.jsonl")
        assert runs.read_log(folder / "a.csv")[0].load == 39.5
        (folder / "b.csv").write_text("foo,bar\n1,2\n", "ascii")
        refused("b.csv: not a log of showstopper", lambda: runs.read_log(folder / "b.csv"))
        refused("c.csv: No such file", lambda: runs.read_log(folder / "c.csv"))


def halves(pinning: str, *arguments: str) -> tuple[list[int], list[int]]:
    """CPUs of foreground and background, on a machine that hwloc simulates."""
    made = topology.PINNINGS[pinning](topology.machine(arguments))
    assert made.foreground is not None and made.background is not None
    assert not made.foreground & made.background
    return sorted(made.foreground), sorted(made.background)


def test_pinnings() -> None:
    """The machine has two chips of two cores of two hardware threads."""
    two = ("-i", "pack:2 core:2 pu:2")
    assert halves("per-chip", *two) == ([0, 1, 2, 3], [4, 5, 6, 7])
    assert halves("per-core", *two) == ([0, 1, 4, 5], [2, 3, 6, 7])
    assert halves("per-thread", *two) == ([0, 2, 4, 6], [1, 3, 5, 7])
    assert topology.PINNINGS["neutral"](topology.machine(two)).foreground is None
    # CPU numbers above 32, and NUMA nodes that are not packages.
    assert halves("per-chip", "-i", "pack:1 numa:2 core:20 pu:2")[1] == list(range(40, 80))


def test_pinnings_that_cannot_be() -> None:
    """Each pinning is refused with what the machine lacks."""
    one = topology.machine(("-i", "pack:1 core:3 pu:1"))
    refused("per-chip: the number of this machine's chips is 1",
            lambda: topology.PINNINGS["per-chip"](one))
    refused("per-core: the number of cores of a chip is 3",
            lambda: topology.PINNINGS["per-core"](one))
    refused("per-thread: the number of hardware threads of a core is 1",
            lambda: topology.PINNINGS["per-thread"](one))


def test_energy() -> None:
    """Energy is that of packages and memory, without their parts; counters may wrap."""
    with tempfile.TemporaryDirectory() as name:
        for zone, text, value in (("intel-rapl:0", "package-0", 900), ("intel-rapl:0:0", "core", 5),
                                  ("intel-rapl:0:1", "dram", 10), ("intel-rapl:1", "psys", 7),
                                  ("intel-rapl-mmio:0", "package-0", 900)):
            folder = Path(name) / zone
            folder.mkdir()
            (folder / "name").write_text(text + "\n", "ascii")
            (folder / "max_energy_range_uj").write_text("1000\n", "ascii")
            (folder / "energy_uj").write_text(f"{value}\n", "ascii")
        zones = energy.zones(Path(name))
        assert [z.file.parent.name for z in zones] == ["intel-rapl:0", "intel-rapl:0:1"]
        meter = energy.Meter(zones)
        meter.sample()
        zones[0].file.write_text("100\n", "ascii")
        zones[1].file.write_text("30\n", "ascii")
        meter.sample()
        close(meter.joules[-1], (200 + 20) / 1e6)
        meter.at_s = [10.0, 12.0]
        close(meter.between(11, 12), 110 / 1e6)


def test_interference_metric() -> None:
    """A line is found; values that are no line are not significant."""
    loads = [0.05 * n for n in range(1, 20)]
    line = fit(loads, [8 - 2 * x for x in loads])
    close(metric.metric(line), 25, 1e-6)
    assert line.p_slope < 1e-6 and line.p_intercept < 1e-6

    def steps(*rates: Callable[[float], float]) -> list[interference.Step]:
        return [interference.Step("x", half, 100 * x, 100 * x, rate(x), 0, None)
                for half, rate in zip(("up", "down"), rates) for x in loads]

    good = interference.interference(steps(lambda x: 8 - 2 * x, lambda x: 8 - 2.1 * x))
    close(good.metric, (25 + 26.25) / 2, 1e-6)
    assert good.symmetric and good.significant
    # Angles of slopes -0.25 and -0.5 are 12.5 degrees apart.
    assert not interference.interference(steps(lambda x: 8 - 2 * x, lambda x: 8 - 4 * x)).symmetric
    noise = interference.interference(
        steps(lambda x: 8 + math.sin(900 * x), lambda x: 8 + math.cos(900 * x)))
    assert not noise.significant


def test_staircase() -> None:
    """38 steps from 5 to 95 % and back, as in the paper."""
    steps = interference.Staircase(5, 95, 5).steps()
    assert len(steps) == 38 and steps[18] == ("up", 95.0) and steps[19] == ("down", 95.0)


def test_deviation() -> None:
    """Deviation from the baseline at the same load, if the baseline has that."""
    baseline = [Point("nbench", 0, 50, 10, 0), Point("nbench", 0, 100, 20, 0)]
    points = [Point("x", 0, 75, 16.5, 0), Point("x", 0, 20, 1, 0)]
    (apart,) = deviation(points, baseline)
    close(apart, 10)
    assert not deviation(points, [])
    assert not deviation(points, [Point("nbench", 0, 75, 0, 0)])


def command(folder: str, *arguments: str, status: int = 0) -> str:
    """The output of showstopper, which has to end with the status."""
    done = subprocess.run([BINARY, *arguments], cwd=folder, timeout=300, text=True, check=False,
                          env={**os.environ, "SHOWSTOPPER_STUDY": str(STUDY)},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == status, f"status {done.returncode}: {done.stdout}"
    return done.stdout


def columns(path: Path) -> dict[str, list[str]]:
    """The columns of a CSV file."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: [r[name] for r in rows] for name in rows[0]}


def test_report_of_a_run() -> None:
    """--report has logs, plots and a summary."""
    with tempfile.TemporaryDirectory() as folder:
        command(folder, "-q", "-l", "50", "-m", "cdc", "--restart", "-n", "1", "-d", "9",
                "--report", "out", "--", *SHORT)
        have = set(os.listdir(f"{folder}/out"))
        assert have == {"load.csv", "iterations.csv", "report.md", "load.png", "errors.png",
                        "throughput.png"}, have
        iterations = runs.read_iterations(Path(folder, "out", "iterations.csv"))
        text = Path(folder, "out", "report.md").read_text("utf-8")
        assert re.search(rf"iterations of sh +\| +{len(iterations)} \|", text), text
        assert {i.program for i in iterations} == {"sh"} and {i.status for i in iterations} == {0}
        periods = runs.read_log(Path(folder, "out", "load.csv"))
        first, last = periods[2], periods[-1]
        logged = sum(first.at_s < i.end_s <= last.at_s for i in iterations)
        # A program may end between the reading of the clock and the count.
        assert abs(logged - (last.iterations - first.iterations)) <= 2, logged


class Watch:
    """Measures for how long at most this machine was held up by other work."""

    def __init__(self) -> None:
        self.longest_s = 0.0
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def _watch(self) -> None:
        before = time.monotonic()
        while not self._end.wait(0.05):
            self.longest_s = max(self.longest_s, time.monotonic() - before)
            before = time.monotonic()

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()


def test_studies() -> None:
    """Short real studies: every file is there, every load was tried.

    They are repeated if they fail while other work holds the machine up, because there was
    nothing to observe then.
    """
    for _ in range(4):
        with Watch() as watch:
            try:
                short_studies()
                return
            except AssertionError as error:
                failure = error
        if watch.longest_s < 0.5:
            break
        print(f"# held up for {watch.longest_s:.1f} s: {failure}")
    raise failure


def short_studies() -> None:
    """Each study once."""
    with (tempfile.TemporaryDirectory() as name, ThreadPoolExecutor() as pool):
        other = pool.submit(command, name, "study", "throughput", "--seconds", "4", "--warmup",
                            "1", "--loads", "30,60", "--methods", "cdc,nbench", "--", *SHORT)
        Path(name, "trace.csv").write_text("0,20\n10,60\n", "ascii")
        out = command(name, "study", "replay", "--trace", "trace.csv", "--speeds", "1,2", "--",
                      *SHORT)
        assert "see showstopper-replay" in out
        assert columns(Path(name, "showstopper-replay", "replay.csv"))["speed"] == ["1", "2"]
        other.result()
        found = columns(Path(name, "showstopper-throughput", "throughput.csv"))
        assert found["method"][:2] == ["cdc"] * 2 and found["method"][2] == "nbench"
        assert all(float(x) > 0 for x in found["rate"]), found
        assert Path(name, "showstopper-throughput", "throughput.png").stat().st_size > 5000

        # Control groups need root, and pinning "per-core" needs an even number of cores.
        try:
            with interference.control_group():
                pinning = "neutral"
        except Failure:
            pinning = "per-core"
        quoted = "sh -c 'i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done'"
        out = command(name, "study", "interference", "--seconds", "2.5", "--staircase",
                      "20,80,30", "--foreground", quoted, "--background", quoted,
                      "--pinnings", pinning)
        steps = columns(Path(name, "showstopper-interference", "steps.csv"))
        assert [float(t) for t in steps["target"]] == [20, 50, 80, 80, 50, 20], steps
        assert all(float(x) > 0 for x in steps["foreground"]), steps


def test_log_while_it_is_written() -> None:
    """A last line that is not complete yet is not read."""
    with tempfile.TemporaryDirectory() as name:
        log = Path(name, "iterations.csv")
        log.write_text("unit,program,begin_s,end_s,status\n0,sh,0.5,1.5,0\n0,sh,1.", "ascii")
        assert runs.read_iterations(log) == [Iteration(0, "sh", 0.5, 1.5, 0)]


def test_ends_that_are_missing() -> None:
    """Iterations that are cut off are waited for; those that never end are reported."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["SHOWSTOPPER"] = BINARY
        once = f"test -e {name}/x || {{ : >{name}/x; exec sleep 2.5; }}; exec sleep 60"
        one = runs.run(folder / "a", ["-l", "100", "-m", "nbench", "-n", "1", "--restart", "-d",
                                      "60"], ["sleep", "2.5"], 4, 10)
        assert one.iterations[-1].end_s >= 4 and not one.note(), one.iterations
        close(throughput(one.iterations, 0, 4), 0.4, 0.05)
        one = runs.run(folder / "b", ["-l", "100", "-m", "nbench", "-n", "1", "--restart", "-d",
                                      "60"], ["sh", "-c", once], 4, 1)
        note = one.note()
        assert note and "1 programs did not end an iteration" in note, note
        refused("it ended before its time", lambda: runs.run(
            folder / "c", ["-l", "100", "-m", "nbench", "-n", "1", "-d", "5"], ["true"], 9, 1))


def test_ends_with_what_it_began() -> None:
    """After SIGTERM, no program is left, and what was measured is there."""
    with tempfile.TemporaryDirectory() as name:
        marked = ["sh", "-c", f"sleep 0.1; : {name}"]
        # pylint: disable-next=consider-using-with
        one = subprocess.Popen(
            [BINARY, "study", "throughput", "--loads", "50,60", "--methods", "cdc", "--seconds",
             "3.5", "--warmup", "1", "--folder", f"{name}/out", "--", *marked],
            env={**os.environ, "SHOWSTOPPER_STUDY": str(STUDY)}, stdout=subprocess.PIPE, text=True)
        assert one.stdout is not None
        assert one.stdout.readline().startswith("cdc")
        time.sleep(1)
        one.terminate()
        assert one.wait(30) == 130
        one.stdout.close()
        left = subprocess.run(["pgrep", "-f", f": {name}"], stdout=subprocess.PIPE, check=False)
        assert not left.stdout, left
        assert len(columns(Path(name, "out", "throughput.csv"))["rate"]) == 1


def test_bad_input() -> None:
    """Bad input is refused with one line that says what to do."""
    with tempfile.TemporaryDirectory() as folder:
        assert "none.csv: No such file" in command(folder, "report", "none.csv", "x", status=1)
        assert "positive" in command(folder, "study", "throughput", "--seconds", "nan", "--",
                                     "true", status=2)
        assert "list of methods (pi/even" in command(
            folder, "study", "throughput", "--methods", "foo", "--", "true", status=2)
        assert "staircase FROM,TO,STEP" in command(
            folder, "study", "interference", "--foreground", "true", "--background", "true",
            "--staircase", "50,5,5", status=2)
        assert "its quotes closed" in command(
            folder, "study", "interference", "--foreground", "sh 'x", "--background", "true",
            status=2)
        assert "ends at once" in command(
            folder, "study", "throughput", "--loads", "50", "--", "false", status=1)
        assert "either --report" in command(folder, "-l", "5", "--report", "x", "-o", "y", "--",
                                            "true", status=2)


def test_accuracy_tables() -> None:
    """Tables have all tools that do not crash; a machine that is not idle is refused."""
    quiet = [Sample(4, 0, 1.0)]
    lengths = []

    def run(argv: list[str], seconds: float, points: list[tuple[float, float]]
            ) -> list[Sample]:
        if "cpulimit" in argv[-1]:
            raise Failure("segmentation fault")
        if "--trace" in argv:
            lines = Path(argv[argv.index("--trace") + 1]).read_text("ascii").split()
            lengths.append((seconds, float(lines[-1].split(",")[0])))
        return [Sample(4, points[0][1], points[0][1] - 2),
                Sample(5, points[0][1], points[0][1])]

    with (tempfile.TemporaryDirectory() as folder, mock.patch.object(accuracy, "run", run),
          mock.patch.object(groups, "CGROUPS", Path(folder)),
          mock.patch.object(accuracy, "observe", lambda *_: quiet),
          mock.patch.object(shutil, "which", lambda _: "/usr/bin/cpulimit")):
        config = accuracy.Config(folder=Path(folder), seconds=9, loads=[50], lengths=[20])
        accuracy.study(config)
        text = Path(folder, "tables.md").read_text("utf-8")
        assert re.search(r"heavy +\| +50 % +\| +pi/even +\| +1.00 \| +2.00 \| +4 ", text), text
        assert re.search(r"mild +\| +20 s +\| +geom/uneven +\| +1.00 \| +2.00 ", text), text
        assert "- light, cpulimit, 50 %: it ended by itself" in text, text
        # showstopper must not end before it has been observed.
        assert lengths and all(end > seconds + 1 for seconds, end in lengths), lengths
        assert Path(folder, "light-pi-even.png").stat().st_size > 1000
        quiet[0].load = 50.0
        refused("own load is 50 %", lambda: accuracy.study(config))
        accuracy.study(dataclasses.replace(config, busy=True, methods=["geom/even"]))
        text = Path(folder, "tables.md").read_text("utf-8")
        assert "geom/even" in text and "pi/even" not in text, text


def test_cpu_max() -> None:
    """The kernel's limit, of the version of control groups that has it, is removed at the end."""
    with (tempfile.TemporaryDirectory() as folder,
          mock.patch.object(groups, "CGROUPS", Path(folder)),
          mock.patch.object(groups, "remove_group", shutil.rmtree)):
        with groups.cpu_max("showstopper", 50, 2) as group:
            assert group is None
        for version, enabled in ("unified", "memory"), ("cpu", None):
            Path(folder, version).mkdir()
            Path(folder, version, "cgroup.procs").touch()
            if enabled:
                Path(folder, version, "cgroup.subtree_control").write_text(enabled, "ascii")
        with groups.cpu_max("showstopper", 50, 2) as group:
            assert group and (group / "cpu.max").read_text("ascii") == "100000 100000"
        assert not group.exists()
        # The kernel's error if version 2 has no such controller.
        with mock.patch.object(Path, "write_text", refuse_cpu(Path.write_text)):
            with groups.cpu_max("showstopper", 50, 2) as group:
                assert group and (group / "cpu.cfs_quota_us").read_text("ascii") == "100000"
        assert sorted(path.name for path in Path(folder).glob("*/showstopper*")) == []


def refuse_cpu(write: Callable[..., int]) -> Callable[..., int]:
    """A Path.write_text that refuses the controller."""
    def refusing(path: Path, text: str, encoding: str) -> int:
        if text == "+cpu":
            raise OSError("Invalid argument")
        return write(path, text, encoding)
    return refusing


def main() -> int:
    """Run all tests. Returns 1 if one has failed."""
    tests = [f for name, f in globals().items() if name.startswith("test_")]
    print(f"1..{len(tests)}")
    failed = 0
    for number, test in enumerate(tests, 1):
        try:
            test()
            print(f"ok {number} - study: {test.__name__[5:]}", flush=True)
        except Exception:  # pylint: disable=broad-exception-caught
            failed = 1
            print(f"not ok {number} - study: {test.__name__[5:]}")
            print("# " + traceback.format_exc().replace("\n", "\n# "), flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
