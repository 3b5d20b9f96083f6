# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line: pmctrack-train collect, fit, judge."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Sequence

from ..command_line import dispatch, interruptible
from ..failure import Failure


KINDS = {"speedup_factor": ["speedup_factor"], "ef": ["speedup_factor", "ef"],
         "contention": ["undisturbed", "speedup_factor"]}
"""Outputs of each module's models."""
NEEDS = {"ef": "--energy", "contention": "--beside"}
"""Options of collect that models of a module need."""


def _collect(options: argparse.Namespace) -> int:
    from . import collect  # pylint: disable=import-outside-toplevel
    if options.visits < 0 or (options.visits and not options.estimates):
        raise Failure("--visits is a time, for a run with --estimates")
    collect.collect(Path(options.folder), collect.read_tasks(Path(options.programs)),
                    options.window, features=not options.truth_only, energy=options.energy,
                    estimates=options.estimates, others=options.beside,
                    visits=options.visits)
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


def _row(into: Path, result: Any, key: tuple[str, str], mark: str) -> str:
    """What cross validation says of an output: a plot, a line for people, a row of the report."""
    from .data import correlation, mean_error  # pylint: disable=import-outside-toplevel
    data, guess = result.data[key], result.guesses[key]
    kind, small = key
    related, error = correlation(data, guess), mean_error(data, guess) / 1000
    print(f"  {kind}, {small}: {result.form}, cross-validated correlation {related:.3f}, "
          f"error {error:.3f}")
    _plot(into / f"{result.model.core_type}-{small}-{kind}.png",
          f"{kind} from {result.model.core_type}{mark}, cross validation",
          data.target / 1000, guess / 1000)
    names = ", ".join(f.name for f in result.model.features)
    return (f"| {kind} of {small}, from {result.model.core_type} | {result.form} | {names} | "
            f"{len(result.model.sets)} | {related:.3f} | {error:.3f} |")


def _programs(folder: Any, without: str | None) -> Any:
    """The programs of a folder of collect, without the families of a list."""
    from .collect import read_tasks  # pylint: disable=import-outside-toplevel
    left_out = {task.family for task in read_tasks(Path(without))} if without else set()
    unknown = left_out - {p.family for p in folder.programs}
    if unknown:
        raise Failure(f"{without}: no program is of the family {sorted(unknown)[0]}")
    found = [p for p in folder.programs if p.family not in left_out]
    if not found:
        raise Failure(f"{without} leaves out all programs")
    return found


def _seen(programs: Any, core_type: str, big: str, options: argparse.Namespace) -> Any:
    """Windows of all programs."""
    from . import windows  # pylint: disable=import-outside-toplevel
    found = [windows.pieces(p, core_type, big, options.piece) for p in programs]
    if options.module == "contention":
        found += [windows.beside(p, core_type, big, options.piece) for p in programs]
    if not all(kind in w.truth for w in found for kind in KINDS[options.module]):
        raise Failure(f"{options.folder} has not all that is needed: collect it with "
                      f"{NEEDS[options.module]}")
    return found


def _fit(options: argparse.Namespace) -> int:
    """Make a model for each core type, and report what cross validation says of it."""
    from . import fit, judge  # pylint: disable=import-outside-toplevel
    folder = judge.read_folder(Path(options.folder))
    programs = _programs(folder, options.without)
    into = Path(options.models)
    into.mkdir(parents=True, exist_ok=True)
    big = folder.big()
    about = f"of {len(programs)} programs{folder.mark()}"
    if options.without:
        about += f", without the families of {Path(options.without).name}"
    forms = list(fit.FORMS) if options.form == "best" else [options.form]
    if options.module == "contention":
        if options.form == "steps":
            raise Failure("models of contention are quadratic")
        forms = ["quadratic"]
    lines = [f"# {options.module}: models {about}", "",
             "| output | form | features | sets | correlation | mean absolute error |",
             "|---|---|---|---|---|---|"]
    for index, core_type in folder.types.items():
        print(f"{core_type}:", flush=True)
        result = fit.train(
            _seen(programs, core_type, big, options),
            fit.Wish(core_type, big, folder.general[index], module=options.module,
                     kinds=KINDS[options.module], features=options.features,
                     guard=options.guard, forms=forms,
                     comment=[f"by pmctrack-train, {about}"]),
            progress=lambda text: print(f"  {text}", flush=True))
        (into / f"{core_type}.model").write_text(result.model.text(), encoding="utf-8")
        lines += [_row(into, result, key, folder.mark()) for key in result.data]
    lines += ["", "Features and form were chosen by this cross validation, of the first output:",
              "pmctrack-train judge says how good the models are."]
    (into / "report.md").write_text("\n".join(lines + [""]), encoding="utf-8")
    print(f"see {into}")
    return 0


def _judge(options: argparse.Namespace) -> int:
    """Judge each folder, and all of them together."""
    from . import judge  # pylint: disable=import-outside-toplevel
    folders = [judge.read_folder(Path(name)) for name in options.folders]
    if len({tuple(folder.types.items()) for folder in folders}) > 1:
        raise Failure("the folders are of different machines")
    # Virtual counters without a number are for the first small type.
    big, mark = folders[0].big(), folders[0].mark()
    small = next(t for t in folders[0].types.values() if t != big)
    count = sum(len(folder.programs) for folder in folders)
    print(f"estimates of the kernel{mark}, of {count} programs")
    for kind in options.kinds.split(","):
        if kind not in judge.COLUMNS:
            raise Failure(f"--kinds {kind}: there are {', '.join(judge.COLUMNS)}")
        for run, place in judge.runs(Path(options.folders[0])).items():
            found = [judge.judge(Path(name), run, judge.Question(kind, big, small))
                     for name in options.folders]
            where = Path(options.folders[0])
            if len(found) > 1:
                where = where.parent
                for name, one in zip(options.folders, found):
                    print(f"  {Path(name).name}: {kind} from {place}: {one.summary()}")
            together = judge.together(found)
            if not together.guess.size:
                raise Failure(f"there are no estimates from {place}")
            print(f"{kind} of {small}, from {place}: {together.summary()}")
            _plot(where / f"judged-{kind}-{place.replace(' ', '-')}.png",
                  f"{kind} from {place}{mark}", together.truth, together.guess)
    return 0


def _instr(text: str) -> int:
    if int(text) < 1000:
        raise ValueError
    return int(text)


_instr.__name__ = "number of instructions, at least 1000"


def main(arguments: Sequence[str]) -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(prog="pmctrack-train", description=(
        "Make regression models for monitoring modules, from runs on the machine: collect there, "
        "fit anywhere, write the models to /proc/pmc/mmon_model, judge with other programs."))
    commands = parser.add_subparsers(required=True)

    collect = commands.add_parser("collect", help="run programs alone on each core type")
    collect.add_argument("folder", help="for the results")
    collect.add_argument("--programs", required=True, help="file of lines NAME FAMILY COMMAND...")
    collect.add_argument("--window", type=_instr, default=20_000_000,
                         help="instructions (20000000)")
    collect.add_argument("--truth-only", action="store_true", help="count instr and cycles only")
    collect.add_argument("--energy", action="store_true",
                         help="also the energy of each window, from the active monitoring module")
    collect.add_argument("--beside", action="store_true",
                         help="also beside others; pmctrack_mmon_contention has training=1")
    collect.add_argument("--estimates", type=float, default=0, metavar="SECONDS",
                         help="also run with the active monitoring module's estimates")
    collect.add_argument("--visits", type=float, default=0, metavar="SECONDS",
                         help="with --estimates: in one run, which is moved to another core type "
                              "each time (0: in one run on each core type)")
    collect.set_defaults(run=_collect)

    fit = commands.add_parser("fit", help="make models; needs scikit-learn and matplotlib")
    fit.add_argument("folder", help="of collect")
    fit.add_argument("models", help="folder for models, report and plots")
    fit.add_argument("--module", choices=list(KINDS), default="speedup_factor",
                     help="which monitoring module the models are for (speedup_factor)")
    fit.add_argument("--piece", type=_instr, default=100_000_000, help="instructions (100000000)")
    fit.add_argument("--form", choices=["best", "steps", "quadratic"], default="best",
                     help="of models: the better one in cross validation (best)")
    fit.add_argument("--features", type=int, default=6, help="of steps, at most, beside IPC (6)")
    fit.add_argument("--without", metavar="FILE",
                     help="leave out families that this list of programs has: they are for judging")
    fit.add_argument("--guard", type=int, default=15, help="percent of the phase guard (15)")
    fit.set_defaults(run=_fit)

    judge = commands.add_parser("judge", help="compare estimates of collect --estimates")
    judge.add_argument("folders", nargs="+", metavar="folder")
    judge.add_argument("--kinds", default="speedup_factor",
                       help="of estimates: speedup_factor, ef, or both with a comma")
    judge.set_defaults(run=_judge)

    interruptible()
    return dispatch("pmctrack-train", parser, arguments)
