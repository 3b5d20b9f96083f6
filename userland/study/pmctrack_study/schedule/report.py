# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables and plots of policies: ASP and unfairness, beside the paper's."""

from __future__ import annotations

from pathlib import Path
from statistics import mean
from typing import Callable, Mapping, Sequence

from ..failure import Failure
from ..plots import Plot
from ..report import pictures, table, write_csv
from .fluid import Fluid, fair, programs_of, shared, swift
from .mixes import FAST, PAPER, Mix, mixes
from .results import Alone, Merit, merits, read_alone, stagger_of

Cells = dict[tuple[str, str], Merit]


def _complete(cells: Cells, policies: Sequence[str]) -> list[str]:
    """Mixes that ran under all policies: only these can be compared."""
    names = list(dict.fromkeys(mix for mix, _ in cells))
    return [name for name in names if all((name, policy) in cells for policy in policies)]


def _spread(values: Sequence[float], digits: int = 3) -> str:
    """A mean, and least and greatest of several seeds."""
    text = f"{mean(values):.{digits}f}"
    if len(values) == 1:
        return text
    return f"{text} ({min(values):.{digits}f}..{max(values):.{digits}f})"


def _table(seeds: Sequence[Cells], names: Sequence[str], policies: Sequence[str],
           value: Callable[[Merit], float]) -> str:
    rows = [[name, *(_spread([value(cells[name, policy]) for cells in seeds])
                     for policy in policies)] for name in names]
    rows.append(["mean", *(_spread([mean(value(cells[name, policy]) for name in names)
                                    for cells in seeds]) for policy in policies)])
    return table(["mix", *policies], rows)


def _less(seeds: Sequence[Cells], names: Sequence[str], machine: str,
          policies: Sequence[str]) -> str:
    """A table of how much less unfairness ACFS has than other policies."""
    def change(cells: Cells, other: str, least: float) -> float:
        acfs, theirs = (mean(cells[name, policy].unfairness - least for name in names)
                        for policy in ("acfs", other))
        return 100 * (acfs / theirs - 1) if theirs else 0.0

    rows = []
    for other in policies:
        if other == "acfs":
            continue
        paper = PAPER[machine].get(other)
        rows.append([other, _spread([change(cells, other, 0) for cells in seeds], 1),
                     "" if paper is None else f"{paper:g}",
                     _spread([change(cells, other, 1) for cells in seeds], 1)])
    return table(["than", "unfairness, %", "paper, %", "unfairness - 1, %"], rows)


def _bounds(seeds: Sequence[Cells], alone: Sequence[Mapping[str, Alone]], wanted: Sequence[Mix],
            policies: Sequence[str]) -> str:
    """What fluids could reach, and what part of the way from RR to there ACFS has come."""
    def ideal(mix: Mix, kind: Callable[[Sequence[Fluid], int], Merit],
              value: Callable[[Merit], float]) -> list[float]:
        fast = FAST[mix.machine]
        return [value(kind(programs_of(mix, fast, known), fast)) for known in alone]

    columns: list[list[list[float]]] = [
        [ideal(mix, kind, value) for mix in wanted]
        for kind, value in ((fair, _unfairness), (fair, _speedup), (swift, _speedup),
                            (shared, _unfairness), (shared, _speedup))]
    rows = [[mix.name, *(_spread(column[at]) for column in columns)]
            for at, mix in enumerate(wanted)]
    rows.append(["mean", *(_spread([mean(seed) for seed in zip(*column)]) for column in columns)])
    text = table(["mix", "fair: unfairness", "fair: ASP", "greatest ASP", "equal time: unfairness",
                  "equal time: ASP"], rows)
    if not {"rr", "acfs"} <= set(policies):
        return text
    least = [mean(seed) for seed in zip(*columns[0])]
    done = []
    for cells, bound in zip(seeds, least):
        theirs, ours = (mean(cells[mix.name, policy].unfairness for mix in wanted)
                        for policy in ("rr", "acfs"))
        if theirs > bound:
            done.append(100 * (theirs - ours) / (theirs - bound))
    if done:
        text += f"\nOf what is possible in means, from rr's unfairness to the fair one's, acfs " \
                f"has {_spread(done, 0)} %.\n"
    return text


def _unfairness(merit: Merit) -> float:
    return merit.unfairness


def _speedup(merit: Merit) -> float:
    return merit.speedup


def _plot(folder: Path, seeds: Sequence[Cells], names: Sequence[str], policies: Sequence[str],
          pictured: list[str]) -> None:
    with Plot(folder, "policies.png", pictured, 2) as plot:
        for column, (title, value) in enumerate((("unfairness", _unfairness), ("ASP", _speedup))):
            axes = plot.axes(column)
            width = 0.8 / len(policies)
            for number, policy in enumerate(policies):
                axes.bar([at + width * number for at in range(len(names))],
                         [mean(value(cells[name, policy]) for cells in seeds) for name in names],
                         width, label=policy)
            axes.set_xticks([at + 0.4 - width / 2 for at in range(len(names))],
                            [name.rpartition("-")[2] for name in names])
            axes.set(xlabel="mix", title=f"{title} (simulated)")
            if column == 0:
                axes.set_ylim(bottom=0.9)
                axes.legend(fontsize="small")


def _starts(folders: Sequence[Path]) -> str:
    within = {stagger_of(folder) for folder in folders}
    if within == {0.0}:
        return "together"
    return f"at random within {' or '.join(f'{seconds:g}' for seconds in sorted(within))} s"


def report(machine: str, folders: Sequence[Path], into: Path) -> None:
    """Write the report of several folders, one for each seed."""
    seeds = [merits(folder) for folder in folders]
    policies = list(dict.fromkeys(policy for _, policy in seeds[0]))
    names = [name for name in _complete(seeds[0], policies)
             if all(name in _complete(cells, policies) for cells in seeds)]
    if not names:
        raise Failure("no mix ran under all policies")
    by_name = {mix.name: mix for mix in mixes(machine)}
    pictured: list[str] = []
    into.mkdir(parents=True, exist_ok=True)
    _plot(into, seeds, names, policies, pictured)
    write_csv(into / "merits.csv", ["seed", "mix", "policy", "unfairness", "asp"],
              [[seed, mix, policy, found.unfairness, found.speedup]
               for seed, cells in enumerate(seeds, 1) for (mix, policy), found in cells.items()])
    missing = len(by_name) - len(names)
    text = [
        f"# Policies on the simulated machine {machine}\n",
        f"{len(names)} mixes of the paper's table" + (f" ({missing} did not run under all policies)"
                                                      if missing else "") +
        f", {len(seeds)} seed(s). All programs of a mix start {_starts(folders)}, and again until "
        "each has run three times; times are geometric means. Slowdown: time over that alone with "
        "all fast cores there. Everything is simulated.\n",
        "## Unfairness: greatest slowdown over the smallest\n",
        _table(seeds, names, policies, _unfairness),
        "## ASP: sum of time on slow cores only over time, less 1\n",
        _table(seeds, names, policies, _speedup),
    ]
    if "acfs" in policies and len(policies) > 1:
        text += ["## ACFS against the others, means of all mixes\n",
                 _less(seeds, names, machine, policies)]
    text += [
        "## Bounds\n",
        "Programs as fluids: any part of a fast core can be given to them, moves cost nothing, "
        "and a program's speedup factor is always that of its whole run. \"fair\": slowed down "
        "as equally as can be; \"greatest ASP\": fast cores to those who gain most; \"equal "
        "time\": time on fast cores in equal parts for all threads. They share no caches and no "
        "memory, so that they reach more than real ones; programs that change, and those with "
        "serial phases, can pass these bounds.\n",
        _bounds(seeds, [read_alone(folder) for folder in folders],
                [by_name[name] for name in names], policies),
    ]
    text += ["## Mixes\n", "".join(f"- {name}: {by_name[name]}\n" for name in names),
             pictures(pictured)]
    (into / "report.md").write_text("\n".join(text), "utf-8")
    print("\n".join(text[2:-2]))
