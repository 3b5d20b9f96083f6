# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line: pmctrack-mrc."""

from __future__ import annotations

import argparse
import csv
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, Sequence

from ..command_line import command, interruptible, number
from ..failure import Failure
from . import collect
from .curve import Curve, curve_of
from .points import Points, read_points

INFO = Path("/proc/pmc/info")
COLUMNS = ("occupancy_bytes", "mpki", "measured_mpki", "spread_mpki", "windows")


def _levels(text: str) -> tuple[float, ...]:
    """Percentages."""
    found = tuple(float(x) for x in text.split(","))
    if not all(0 <= x <= 100 for x in found):
        raise ValueError
    return found


def _cpus(text: str) -> frozenset[int]:
    """CPUs in the form of taskset -c."""
    found: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    if not found or min(found) < 0:
        raise ValueError
    return frozenset(found)


def _window(text: str) -> int:
    if int(text) < 1000:
        raise ValueError
    return int(text)


def _seconds(text: str) -> float:
    """Seconds, which may be 0."""
    return 0.0 if text == "0" else number(text)


_levels.__name__ = "list of percentages"
_cpus.__name__ = "list of CPUs"
_window.__name__ = "number of instructions, at least 1000"
_seconds.__name__ = "number of seconds"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pmctrack-mrc", usage="pmctrack-mrc [option ...] [--] program [argument ...]",
        description="Measure how often a program misses in the last-level cache, by how much of "
                    "it the program has, beside co-runners that are slowed down step by step.")
    parser.add_argument("--beside", metavar="COMMAND", action="append", type=command, default=[],
                        help="a co-runner; begun again when it ends. May be given several times")
    parser.add_argument("--cpus", type=_cpus, default=frozenset(), metavar="LIST",
                        help="run the program on these CPUs")
    parser.add_argument("--beside-cpus", type=_cpus, default=frozenset(), metavar="LIST",
                        help="and the co-runners on these")
    parser.add_argument("--levels", type=_levels, default=(100, 60, 35, 20, 10, 5, 0),
                        help="percent of their time that co-runners get (100,60,35,20,10,5,0)")
    parser.add_argument("--dwell", type=number, default=1.0, metavar="SECONDS",
                        help="time of each level (1)")
    parser.add_argument("--starve", type=_seconds, default=0.05, metavar="SECONDS",
                        help="the program stands still so long before each level (0.05)")
    parser.add_argument("--slow", choices=["auto", "clock", "quota"], default="auto",
                        help="how co-runners are slowed down")
    parser.add_argument("--window", type=_window, default=200_000, metavar="INSTR",
                        help="instructions of a window (200000)")
    parser.add_argument("--seconds", type=_seconds, default=0.0,
                        help="end the program after so long; 0 (default): when it ends")
    parser.add_argument("--places", type=int, choices=range(2, 257), default=48, metavar="N",
                        help="parts of the range of occupancy, 2 to 256 (48)")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_true", help="print comma-separated values")
    form.add_argument("--json", action="store_true", help="print an object of JSON")
    parser.add_argument("-o", "--output", metavar="FILE", help="print to a file")
    parser.add_argument("--points", metavar="FILE", help="keep the windows (CSV of pmctrack)")
    parser.add_argument("--plot", metavar="FILE", help="draw windows and curve; needs matplotlib")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="program")
    return parser


def _simulated() -> bool:
    return INFO.exists() and "pmu: simulated_" in INFO.read_text(encoding="utf-8")


def _rows(curve: Curve) -> list[tuple[int, float, float, float, int]]:
    return [(round(p.occupancy), p.mpki, p.measured, p.spread, p.windows) for p in curve.places]


def _notes(run: collect.Run, points: Points, curve: Curve) -> list[str]:
    """Notes that a reader of the curve has to know."""
    used = sum(p.windows for p in curve.places)
    notes = [f"{used} windows of {len(points.kept)}; occupancy changed by "
             f"{curve.mean_change / 1024:.1f} KiB in each, on average",
             f"co-runners slowed by {run.way}, to "
             f"{', '.join(f'{level:.3g}' for level in run.levels)} %" if run.levels else run.way]
    if curve.unsettled:
        notes.append(f"{curve.unsettled} windows in which it changed by more than a part of the "
                     "range were left out")
    if points.unknown:
        notes.append(f"{points.unknown} windows without a known occupancy at both ends")
    if points.others:
        notes.append(f"{points.others} windows of other processes that the program started")
    if points.disturbed:
        notes.append(f"{points.disturbed} windows whose counts somebody else has changed")
    return notes


def _print(out: Any, options: argparse.Namespace, run: collect.Run, points: Points,
           curve: Curve) -> None:
    """Print the curve, in the form that was asked for."""
    rows, mark = _rows(curve), _simulated()
    if options.csv:
        lines = csv.writer(out, lineterminator="\n")
        lines.writerow([*COLUMNS, "simulated"])
        lines.writerows([r[0], *(f"{x:.6g}" for x in r[1:4]), r[4], int(mark)] for r in rows)
    elif options.json:
        json.dump({
            "schema": 1, "program": options.command, "simulated": mark,
            "way": run.way, "levels_percent": run.levels, "window_instr": options.window,
            "windows": len(points.kept), "windows_unsettled": curve.unsettled,
            "windows_unknown": points.unknown, "windows_of_others": points.others,
            "windows_disturbed": points.disturbed,
            "mean_change_bytes": round(curve.mean_change), "interrupted": run.interrupted,
            "curve": [dict(zip(COLUMNS, r)) for r in rows]}, out, indent=1)
        out.write("\n")
    else:
        out.write(f"misses of the last-level cache per 1000 instructions"
                  f"{' (simulated)' if mark else ''}\n")
        out.write(f"{'KiB':>10} {'misses':>10} {'measured':>10} {'spread':>10} {'windows':>10}\n")
        for row in rows:
            out.write(f"{row[0] / 1024:10.0f} {row[1]:10.3f} {row[2]:10.3f} {row[3]:10.3f} "
                      f"{row[4]:10}\n")
        for note in _notes(run, points, curve):
            out.write(f"# {note}\n")


def _pyplot() -> Any:
    """What draws, into files. Few need it."""
    try:
        import matplotlib  # pylint: disable=import-outside-toplevel
        matplotlib.use("Agg")
        from matplotlib import pyplot  # pylint: disable=import-outside-toplevel
    except Exception as error:  # pylint: disable=broad-exception-caught # what it raises is its own
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if missing == "matplotlib":
            raise Failure("--plot: there is no matplotlib; install python3-matplotlib") from error
        raise Failure(f"--plot: matplotlib does not work: {error}") from error
    return pyplot


def _plot(path: str, options: argparse.Namespace, points: Points, curve: Curve) -> None:
    pyplot = _pyplot()
    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    axes.plot([p.occupancy / 1024 for p in points.kept], [p.mpki for p in points.kept], ".",
              markersize=2, color="0.7", label="windows")
    axes.plot([p.occupancy / 1024 for p in curve.places], [p.mpki for p in curve.places], "k-",
              label="curve")
    axes.set_xlabel("KiB of the last-level cache")
    axes.set_ylabel("misses per 1000 instructions")
    axes.set_title(f"{Path(options.command[0]).name}{' (simulated)' if _simulated() else ''}")
    axes.set_ylim(bottom=0)
    axes.legend()
    figure.savefig(path, dpi=120, bbox_inches="tight")
    pyplot.close(figure)


def _result(options: argparse.Namespace, run: collect.Run, file: Path) -> None:
    """Print and draw what the windows say; nothing is printed if they do not suffice."""
    points = read_points(file)
    curve = curve_of(points.kept, places=options.places)
    if options.output:
        with open(options.output, "w", encoding="utf-8", newline="") as out:
            _print(out, options, run, points, curve)
    else:
        _print(sys.stdout, options, run, points, curve)
    if options.plot:
        _plot(options.plot, options, points, curve)


def _check_files(options: argparse.Namespace) -> None:
    """Check that files can be made, so that the user does not learn only after hours."""
    if options.plot:
        _pyplot()
    names: list[str | None] = [options.output, options.points, options.plot]
    for path in (Path(name) for name in names if name):
        if not path.parent.is_dir():
            raise Failure(f"{path}: No such file or directory: make the folder first")
        if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
            raise Failure(f"{path} cannot be written")


def _measure(options: argparse.Namespace) -> int:
    _check_files(options)
    plan = collect.Plan(
        command=options.command, beside=options.beside, cpus=options.cpus,
        beside_cpus=options.beside_cpus, levels=options.levels, dwell=options.dwell,
        starve=options.starve, window=options.window, seconds=options.seconds, way=options.slow)
    with tempfile.TemporaryDirectory(prefix="pmctrack-mrc-") as folder:
        file = Path(folder) / "windows.csv"
        run = collect.run(plan, file)
        if not file.exists() or not file.stat().st_size:
            # pmctrack has said why.
            return 130 if run.interrupted else run.status or 1
        if options.points:
            shutil.copyfile(file, options.points)
        try:
            _result(options, run, file)
        except Failure as error:
            if not run.interrupted:
                raise
            print(f"pmctrack-mrc: interrupted, too early for a curve: {error}", file=sys.stderr)
            return 130
    if run.interrupted:
        print("pmctrack-mrc: interrupted; the curve is of what there was", file=sys.stderr)
        return 130
    return run.status


def main(arguments: Sequence[str]) -> int:
    """Returns the exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.command[:1] == ["--"]:
        del options.command[0]
    if not options.command:
        parser.error("a program is missing")
    if not shutil.which("pmctrack"):
        parser.exit(1, "pmctrack-mrc: pmctrack is not in $PATH\n")
    interruptible()
    try:
        return _measure(options)
    except (Failure, OSError) as error:
        print(f"pmctrack-mrc: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("pmctrack-mrc: interrupted", file=sys.stderr)
        return 130
