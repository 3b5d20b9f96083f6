# SPDX-License-Identifier: GPL-2.0-or-later
"""Control groups."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Iterator

CGROUPS = Path("/sys/fs/cgroup")


def remove_group(group: Path) -> None:
    """Remove a group whose programs are ending. They stay in it until they are reaped."""
    for _ in range(50):
        try:
            group.rmdir()
            return
        except OSError:
            time.sleep(0.1)


def _give_back(control: Path) -> None:
    """Switch off the controller of a removed group, unless other groups use it by now."""
    if not any(entry.is_dir() for entry in control.parent.iterdir()):
        with suppress(OSError):
            control.write_text("-cpu", "ascii")


@contextmanager
def cpu_max(name: str, load: float, cpus: int) -> Iterator[Path | None]:
    """A group, of version 1 or 2, with the kernel's bandwidth limit. None: there is none.

    The group's name is @name and our PID. It may use @load percent of @cpus.
    """
    quota = f"{1000 * load * cpus:.0f}"
    second = {"cpu.max": f"{quota} 100000"}
    first = {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": quota}
    for root, limits in (("", second), ("unified", second), ("cpu", first), ("cpu,cpuacct", first)):
        folder = CGROUPS / root
        if not (folder / "cgroup.procs").exists():
            continue
        with ExitStack() as undo:
            control = folder / "cgroup.subtree_control"
            group = folder / f"{name}-{os.getpid()}"
            try:
                if control.exists() and "cpu" not in control.read_text("ascii").split():
                    control.write_text("+cpu", "ascii")
                    undo.callback(_give_back, control)
                group.mkdir()
                undo.callback(remove_group, group)
                for file, value in limits.items():
                    (group / file).write_text(value, "ascii")
            except OSError:
                continue
            yield group
            return
    yield None
