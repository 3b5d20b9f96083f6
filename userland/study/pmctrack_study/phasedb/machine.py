# SPDX-License-Identifier: GPL-2.0-or-later
"""What kind of machine is it? Speeds are not valid for another kind."""

from __future__ import annotations

import re
from pathlib import Path

from ..failure import Failure

INFO = Path("/proc/pmc/info")
CPUINFO = Path("/proc/cpuinfo")


def _cpu_models(cpuinfo: str) -> list[str]:
    """Models of the CPUs as the kernel calls them: x86 by name, others by number."""
    names = re.findall(r"^model name\s*:\s*(.*)$", cpuinfo, re.M)
    if not names:
        parts = zip(re.findall(r"^CPU implementer\s*:\s*(.*)$", cpuinfo, re.M),
                    re.findall(r"^CPU part\s*:\s*(.*)$", cpuinfo, re.M))
        names = [f"{implementer} {part}" for implementer, part in parts]
    return sorted(set(" ".join(name.split()) for name in names))


def kind_of_machine(info: Path = INFO, cpuinfo: Path = CPUINFO) -> str:
    """Machines with the same CPUs have the same kind."""
    try:
        text = info.read_text(encoding="utf-8")
    except OSError as error:
        raise Failure(f"{info}: {error.strerror}: the module pmctrack is not loaded") from error
    found = sorted(set(re.findall(r"^model: (.+)$", text, re.M)))
    if "pmu: simulated_" in text:
        # Which CPUs share its caches is a parameter of the simulated machine.
        caches = re.search(r"^caches: (.*)$", text, re.M)
        found += [f"simulated, caches {caches.group(1)}" if caches else "simulated"]
    else:
        found += _cpu_models(cpuinfo.read_text(encoding="utf-8"))
    return "; ".join(found)
