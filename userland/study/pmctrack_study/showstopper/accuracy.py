# SPDX-License-Identifier: GPL-2.0-or-later
"""The paper's Tables 1 and 2 on this machine, beside the paper's figures.

This program observes loads, from /proc/stat each 500 ms, the same way for all tools. The machine
must be idle: the load of other programs is reported, and is part of the result.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

from ..failure import Failure
from ..groups import cpu_max
from ..load import SETTLE_S, Sample, observe
from ..plots import Plot
from ..report import notes, table, write_csv
from ..runs import end_session
from .methods import CONTROLLED, METHODS
from .runs import binary

MOST_OWN_LOAD = 3.0
# One compressor of Debian (xz-utils), lightly, mildly and heavily threaded.
PROGRAMS = {
    "light": "exec xz -T1 -1 -k -c {data} >/dev/null",
    "mild": "xz -T1 -1 -k -c {data} | xz -T1 -d -c | xz -T1 -0 -c >/dev/null",
    "heavy": "exec xz -T{threads} --block-size=128KiB -1 -k -c {data} >/dev/null",
}
ALL = (*(name for name in METHODS if name != "1cdc"), "cpulimit", "cpu.max")
# Mean squared error x 10^4 at 25, 33, 50, 66, 75 % (Table 1: fop, avrora, sunflow on 12 CPUs).
PAPER_LOADS = (25.0, 33.0, 50.0, 66.0, 75.0)
PAPER = {
    ("light", "pi/even"): [3.63, 5.25, 3.49, 2.74, 2.56],
    ("light", "pi/uneven"): [1.98, 1.67, 2.82, 3.07, 2.04],
    ("mild", "pi/even"): [0.77, 0.56, 0.2, 0.13, 0.2],
    ("mild", "pi/uneven"): [0.47, 0.21, 0.33, 0.25, 0.74],
    ("heavy", "pi/even"): [2.58, 2.84, 4.0, 7.74, 11.3],
    ("heavy", "pi/uneven"): [5.38, 7.28, 13.9, 26.6, 28.4],
}
NINE = [20, 35, 60, 80, 70, 55, 65, 40, 25]  # the shape of the paper's trace, %


@dataclass(frozen=True, kw_only=True)
class Config:
    """What is observed: constant loads (in percent), and a trace of these lengths (in s)."""

    folder: Path
    seconds: float = 60
    loads: Sequence[float] = PAPER_LOADS
    lengths: Sequence[float] = (90, 180)
    methods: Sequence[str] = ALL
    busy: bool = False
    """measure even if the machine is not idle"""


@dataclass
class Row:
    """A cell of a table: how well a method held a load."""

    program: str
    method: str
    what: str
    samples: list[Sample]

    def error(self) -> float:
        """Mean of target minus load, % of load."""
        return sum(s.target - s.load for s in self.samples) / len(self.samples)

    def square(self) -> float:
        """Mean of the square of that, x 10^4 of fractions."""
        return sum((s.target - s.load) ** 2 for s in self.samples) / len(self.samples)


def run(argv: list[str], seconds: float, points: list[tuple[float, float]]) -> list[Sample]:
    """Observe while a tool runs, from its start on."""
    # pylint: disable-next=consider-using-with
    tool = subprocess.Popen(
        argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True
    )
    try:
        samples = observe(seconds, points)
        if tool.poll() is not None:
            raise Failure(f"{' '.join(argv)}: it ended before its time, with status "
                          f"{tool.returncode}")
        if not samples:
            raise Failure(f"{seconds:g} s are too short: the first {SETTLE_S:g} s do not count")
        return samples
    finally:
        end_session(tool)


def forever(command: str) -> str:
    """A shell command that repeats @command without an end."""
    return f"while :; do {command.replace('exec ', '')}; done"


def cpulimit(program: str, load: float, cpus: int) -> list[str] | None:
    """
    One cpulimit for each CPU, because its limit is that of a process tree. The programs
    have no end, because version 2.8 crashes when a process of the tree ends.
    """
    if not shutil.which("cpulimit"):
        return None
    command = PROGRAMS[program].format(data="/dev/urandom", threads=4 * cpus)
    one = f"cpulimit -q -m -f -l {load:.0f} -- sh -c '{command}' &"
    return ["sh", "-c", one * cpus + " wait"]


class Experiments:
    """All experiments, on one machine."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.folder = config.folder
        self.cpus = len(os.sched_getaffinity(0))
        self.rows: list[Row] = []
        self.failures: list[str] = []
        self.own_load = 0.0
        self.folder.mkdir(parents=True, exist_ok=True)
        data = self.folder / "data"
        # Half of the data can be compressed, so that iterations take a second or so.
        data.write_bytes(b"".join(os.urandom(512) + bytes(512) for _ in range(2048)))
        self.commands = {
            name: text.format(data=shlex.quote(str(data.resolve())), threads=4 * self.cpus)
            for name, text in PROGRAMS.items()
        }

    def showstopper(self, program: str, arguments: list[str]) -> list[str]:
        """The command line of showstopper."""
        return [
            binary(), "-q", "--restart", *arguments, "--", "sh", "-c", self.commands[program]
        ]

    def add(self, row: Row) -> None:
        """Keep a result, and print it."""
        self.rows.append(row)
        print(f"{row.program:6} {row.method:12} {row.what:>6}: error {row.error():z7.2f} %, "
              f"squared {row.square():8.2f}", flush=True)

    def measure(
        self, program: str, method: str, what: str, argv: list[str],
        points: list[tuple[float, float]],
    ) -> None:
        """Measure a cell. If a tool of others crashes (cpulimit 2.8 does), the study goes on."""
        try:
            self.add(Row(program, method, what, run(argv, self.config.seconds, points)))
        except Failure as failure:
            if argv[0] == binary():
                raise
            self.failures.append(f"{program}, {method}, {what}: it ended by itself")
            print(f"{self.failures[-1]} ({failure})", flush=True)

    def table_1(self) -> None:
        """Measure constant loads."""
        for program in self.commands:
            for load in self.config.loads:
                flat = [(0.0, float(load)), (1e9, float(load))]
                for method in self.config.methods:
                    with ExitStack() as undo:
                        argv = self.tool(program, method, load, undo)
                        if argv:
                            self.measure(program, method, f"{load:g} %", argv, flat)

    def tool(self, program: str, method: str, load: float, undo: ExitStack) -> list[str] | None:
        """A command line that is to hold a load; None: there is no such tool here."""
        if method in METHODS:
            return self.showstopper(program, ["-l", f"{load:g}", *METHODS[method]])
        if method == "cpulimit":
            return cpulimit(program, load, self.cpus)
        group = undo.enter_context(cpu_max("showstopper-study", load, self.cpus))
        jobs = f"sh -c '{forever(self.commands[program])}' & " * self.cpus
        return ["sh", "-c", f"echo $$ >{group}/cgroup.procs; {jobs} wait"] if group else None

    def table_2(self) -> None:
        """Replay a trace of nine loads, in each of the lengths."""
        for program in self.commands:
            for length in self.config.lengths:
                points = [(length / 8 * i, float(load)) for i, load in enumerate(NINE)]
                trace = self.folder / f"trace-{length:.0f}.csv"
                # The trace must not end before the observation.
                after = [(length + 5, float(NINE[-1]))]
                trace.write_text("".join(f"{t},{x}\n" for t, x in points + after), "ascii")
                for method in CONTROLLED:
                    if method not in self.config.methods:
                        continue
                    argv = self.showstopper(
                        program, ["--trace", str(trace), "--gaps", *METHODS[method]])
                    samples = run(argv, length, points)
                    self.add(Row(program, method, f"{length:.0f} s", samples))

    def write(self) -> None:
        """Write samples, tables and plots."""
        write_csv(self.folder / "samples.csv",
                  ["program", "method", "what", "at_s", "target_percent", "load_percent"],
                  [[row.program, row.method, row.what, s.at_s, s.target, s.load]
                   for row in self.rows for s in row.samples])
        rows = []
        for row in self.rows:
            paper = ""
            if (row.program, row.method) in PAPER and row.what.endswith("%"):
                load = float(row.what.split()[0])
                if load in PAPER_LOADS:
                    paper = f"{PAPER[row.program, row.method][PAPER_LOADS.index(load)]:g}"
            rows.append([row.program, row.what, row.method, f"{row.error():z.2f}",
                         f"{row.square():.2f}", paper])
        names: list[str] = []
        for program in self.commands:
            for method in sorted({r.method for r in self.rows if r.program == program}):
                self.plot(program, method, names)
        head = ["program", "load or length", "method", "error", "squared", "paper, squared"]
        (self.folder / "tables.md").write_text(
            f"{self.cpus} CPUs, {self.config.seconds:g} s each; mean error (target minus load) "
            "in % of load, mean squared error x 10^4, of periods of 500 ms after the first 3 s. "
            f"Without any of this, the machine's load was {self.own_load:.2f} %. Programs: xz with "
            "one thread, a pipe of three, and four threads for each CPU, again and again "
            "(cpulimit's read /dev/urandom without an end); the paper's were fop, avrora and "
            f"sunflow on 12 CPUs.\n\n{table(head, rows)}\n{notes(self.failures)}\n"
            + "".join(f"![{name}]({name})\n" for name in names), "utf-8")

    def plot(self, program: str, method: str, names: list[str]) -> None:
        """Draw observed loads and targets, and a histogram of the errors."""
        rows = [r for r in self.rows if r.program == program and r.method == method]
        with Plot(self.folder, f"{program}-{method.replace('/', '-')}.png", names, 2) as plot:
            left, right = plot.axes(0), plot.axes(1)
            for row in rows:
                left.plot([s.at_s for s in row.samples], [s.load for s in row.samples],
                          linewidth=0.8, label=row.what)
                left.plot([s.at_s for s in row.samples], [s.target for s in row.samples],
                          color="black", linewidth=0.5, linestyle=":")
            left.set(xlabel="s", ylabel="load, %", ylim=(0, 105))
            left.set_title(f"{program}, {method}")
            left.legend(fontsize="small")
            right.hist([s.target - s.load for r in rows for s in r.samples], bins=60)
            right.set(xlabel="target minus load, %", ylabel="periods of 500 ms")


def study(config: Config) -> None:
    """Make both tables."""
    quiet = observe(SETTLE_S + 3, [(0, 0), (1e9, 0)])
    experiments = Experiments(config)
    experiments.own_load = -Row("", "", "", quiet).error()
    print(f"the machine's own load: {experiments.own_load:.2f} %", flush=True)
    if experiments.own_load > MOST_OWN_LOAD and not config.busy:
        raise Failure(f"the machine's own load is {experiments.own_load:.0f} %: end what keeps it "
                      "busy ('top' shows it), or use --busy")
    try:
        experiments.table_1()
        experiments.table_2()
    finally:
        experiments.write()
