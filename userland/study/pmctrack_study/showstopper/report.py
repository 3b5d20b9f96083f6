# SPDX-License-Identifier: GPL-2.0-or-later
"""The report of a run: plots and a summary of its log."""

from __future__ import annotations

from pathlib import Path
from typing import Sequence

from ..failure import Failure
from ..plots import Plot
from ..report import pictures, table
from ..runs import Iteration, throughput
from .runs import ITERATIONS, LOG, Period, mean_load, read_iterations, read_log

SETTLE_S = 3.0
WINDOW_S = 5.0


def _throughput(plot: Plot, periods: Sequence[Period], iterations: Sequence[Iteration]) -> None:
    """Draw a dot for each window: load and iterations a second of each program."""
    axes = plot.axes()
    end = min(periods[-1].at_s, max(i.end_s for i in iterations))
    for program in sorted({i.program for i in iterations}):
        mine = [i for i in iterations if i.program == program]
        starts = [SETTLE_S + WINDOW_S * n for n in range(int((end - SETTLE_S) / WINDOW_S))]
        axes.plot([mean_load(periods, s, s + WINDOW_S) for s in starts],
                  [throughput(mine, s, s + WINDOW_S) for s in starts], ".", label=program)
    axes.set(xlabel=f"load, % (means of {WINDOW_S:g} s)", ylabel="iterations a second",
             xlim=(0, 100))
    axes.set_ylim(bottom=0)
    axes.legend(fontsize="small")


def _summary(periods: Sequence[Period], iterations: Sequence[Iteration]) -> str:
    errors = sorted(p.target - p.load for p in periods if p.at_s > SETTLE_S)
    if not errors:
        raise Failure(f"the run ended before its load counts, after {SETTLE_S:g} s")
    rows = [
        ["periods of 500 ms after the first 3 s", f"{len(errors)}"],
        ["mean load, %", f"{mean_load(periods, SETTLE_S, periods[-1].at_s):.2f}"],
        ["mean of target minus load, % of load", f"{sum(errors) / len(errors):.2f}"],
        ["mean of its square, x 10^4", f"{sum(e * e for e in errors) / len(errors):.2f}"],
        ["half of the errors are between, % of load",
         f"{errors[len(errors) // 4]:.2f} and {errors[len(errors) * 3 // 4]:.2f}"],
        ["largest and smallest error, % of load", f"{errors[-1]:.2f} and {errors[0]:.2f}"],
    ]
    for program in sorted({i.program for i in iterations}):
        mine = [i for i in iterations if i.program == program]
        good = sorted(i.end_s - i.begin_s for i in mine if i.status == 0)
        rows.append([f"iterations of {program}", f"{len(good)}"])
        if good:
            rows.append([f"median length of one of {program}, s, with the time it was stopped",
                         f"{good[len(good) // 2]:.3f}"])
        if len(good) < len(mine):
            rows.append([f"of {program} that failed (not counted)", f"{len(mine) - len(good)}"])
    return table(["", "value"], rows)


def report(log: Path, folder: Path) -> None:
    """Write report.md and its plots of a log, and of the iterations beside it, to a folder."""
    periods = read_log(log)
    # In a folder of --report, iterations are of the same run. Elsewhere, they may be of any run.
    beside = log.parent / ITERATIONS
    iterations = read_iterations(beside) if log.name == LOG and beside.exists() else []
    text = _summary(periods, iterations)
    plots: list[str] = []
    with Plot(folder, "load.png", plots) as plot:
        axes = plot.axes()
        axes.plot([p.at_s for p in periods], [p.load for p in periods], linewidth=0.8,
                  label="load")
        axes.plot([p.at_s for p in periods], [p.target for p in periods], color="black",
                  linewidth=0.8, linestyle="--", label="target")
        if any(p.duty for p in periods):
            axes.plot([p.at_s for p in periods], [p.duty for p in periods], linewidth=0.5,
                      color="grey", label="duty cycle (mean)")
        axes.set(xlabel="s", ylabel="%", ylim=(0, 105))
        axes.legend(fontsize="small")
    with Plot(folder, "errors.png", plots) as plot:
        axes = plot.axes()
        axes.hist([p.target - p.load for p in periods if p.at_s >= SETTLE_S], bins=60)
        axes.set(xlabel="target minus load, % of load", ylabel="periods of 500 ms")
    if any(i.end_s > SETTLE_S + WINDOW_S for i in iterations):
        with Plot(folder, "throughput.png", plots) as plot:
            _throughput(plot, periods, iterations)
    how = ("Loads are those of each 500 ms, from /proc/stat or the group's cpu.stat, observed "
           "apart from the control. An iteration that lies in two windows counts in both, in "
           "part.")
    (folder / "report.md").write_text(
        f"# A run of showstopper\n\n{text}\n{how}\n\n{pictures(plots)}", "utf-8")
