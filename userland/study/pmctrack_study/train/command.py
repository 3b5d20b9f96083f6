# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line: pmctrack-train collect, fit, judge."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, Sequence

from ..failure import Failure


def _collect(options: argparse.Namespace) -> int:
    from . import collect  # pylint: disable=import-outside-toplevel
    collect.collect(Path(options.folder), collect.read_tasks(Path(options.programs)),
                    options.window, features=not options.truth_only, estimates=options.estimates)
    return 0


def _plot(path: Path, title: str, truth: Any, guess: Any) -> None:
    import matplotlib  # pylint: disable=import-outside-toplevel
    matplotlib.use("Agg")
    from matplotlib import pyplot  # pylint: disable=import-outside-toplevel
    figure, axes = pyplot.subplots(figsize=(5, 5))
    axes.plot(truth, guess, ".", markersize=3)
    both = [*truth, *guess]
    ends = [min(both), max(both)]
    axes.plot(ends, ends, "k-", linewidth=0.5)
    axes.set_xlabel("observed")
    axes.set_ylabel("predicted")
    axes.set_title(title)
    figure.savefig(path, dpi=120, bbox_inches="tight")
    pyplot.close(figure)


def _row(into: Path, result: Any, small: str, mark: str) -> str:
    """What cross validation says of an output: a plot, a line for people, a row of the report."""
    from . import fit  # pylint: disable=import-outside-toplevel
    data, guess = result.data[small], result.guesses[small]
    related, error = fit.correlation(data, guess), fit.mean_error(data, guess) / 1000
    print(f"  over {small}: cross-validated correlation {related:.3f}, error {error:.3f}")
    _plot(into / f"{result.model.core_type}-{small}.png",
          f"{result.model.core_type}{mark}, cross validation", data.target / 1000, guess / 1000)
    names = ", ".join(f.name for f in result.model.features)
    return (f"| {result.model.core_type} over {small} | {names} | {len(result.model.sets)} | "
            f"{related:.3f} | {error:.3f} |")


def _fit(options: argparse.Namespace) -> int:
    """A model for each core type, and what cross validation says of it."""
    from . import fit, judge, windows  # pylint: disable=import-outside-toplevel
    folder = judge.read_folder(Path(options.folder))
    into = Path(options.models)
    into.mkdir(parents=True, exist_ok=True)
    big, mark = folder.big(), " (simulated)" if folder.simulated else ""
    lines = [f"# Speedup factor: models of {len(folder.programs)} programs{mark}", "",
             "| from | features | sets | correlation | mean absolute error |",
             "|---|---|---|---|---|"]
    for index, core_type in folder.types.items():
        print(f"{core_type}:", flush=True)
        result = fit.train(
            [windows.pieces(p, core_type, big, options.piece) for p in folder.programs],
            fit.Wish(core_type, big, folder.general[index], features=options.features,
                     guard=options.guard,
                     comment=[f"by pmctrack-train, of {len(folder.programs)} programs{mark}"]),
            progress=lambda text: print(f"  {text}", flush=True))
        (into / f"{core_type}.model").write_text(result.model.text(), encoding="utf-8")
        lines += [_row(into, result, small, mark) for small in result.data]
    (into / "report.md").write_text("\n".join(lines + [""]), encoding="utf-8")
    print(f"see {into}")
    return 0


def _judge(options: argparse.Namespace) -> int:
    from . import judge  # pylint: disable=import-outside-toplevel
    folder = judge.read_folder(Path(options.folder))
    big, mark = folder.big(), " (simulated)" if folder.simulated else ""
    print(f"estimates of the kernel{mark}, of {len(folder.programs)} programs")
    # The virtual counter sf is for the first small type.
    small = next(t for t in folder.types.values() if t != big)
    for index, core_type in folder.types.items():
        found = judge.judge(Path(options.folder), big, index, small)
        print(f"over {small}, from {core_type}: correlation {found.correlation():.3f}, "
              f"mean absolute error {found.mean_error():.3f}, "
              f"{len(found.guess)} estimates in {found.samples} samples")
        _plot(Path(options.folder) / f"judged-{core_type}.png", f"{core_type}{mark}",
              found.truth, found.guess)
    return 0


def main(arguments: Sequence[str]) -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(prog="pmctrack-train", description=(
        "Make regression models for monitoring modules, from runs on the machine: collect there, "
        "fit anywhere, write the models to /proc/pmc/mmon_model, judge with other programs."))
    commands = parser.add_subparsers(required=True)

    collect = commands.add_parser("collect", help="run programs alone on each core type")
    collect.add_argument("folder", help="for the results")
    collect.add_argument("--programs", required=True, help="file of lines NAME FAMILY COMMAND...")
    collect.add_argument("--window", type=int, default=20_000_000, help="instructions (20000000)")
    collect.add_argument("--truth-only", action="store_true", help="count instr and cycles only")
    collect.add_argument("--estimates", type=float, default=0, metavar="SECONDS",
                         help="also run with the active monitoring module's estimates")
    collect.set_defaults(run=_collect)

    fit = commands.add_parser("fit", help="make models; needs scikit-learn and matplotlib")
    fit.add_argument("folder", help="of collect")
    fit.add_argument("models", help="folder for models, report and plots")
    fit.add_argument("--piece", type=int, default=100_000_000, help="instructions (100000000)")
    fit.add_argument("--features", type=int, default=6, help="at most, beside IPC (6)")
    fit.add_argument("--guard", type=int, default=15, help="percent of the phase guard (15)")
    fit.set_defaults(run=_fit)

    judge = commands.add_parser("judge", help="compare estimates of collect --estimates")
    judge.add_argument("folder")
    judge.set_defaults(run=_judge)

    options = parser.parse_args(arguments)
    try:
        status: int = options.run(options)
    except (Failure, OSError) as error:
        print(f"pmctrack-train: {error}", file=sys.stderr)
        return 1
    return status
