# SPDX-License-Identifier: GPL-2.0-or-later
"""python3 -m pmctrack_study TOOL ARGUMENT...: reports and studies of a tool."""

from __future__ import annotations

import importlib
import sys

TOOLS = ("fair", "mrc", "phasedb", "qos", "quality", "schedule", "showstopper", "simapp", "train")


def main(arguments: list[str]) -> int:
    """Run the command line of a tool, whose name is first. Returns the exit status."""
    if not arguments or arguments[0] not in TOOLS:
        print(f"Usage: python3 -m pmctrack_study {'|'.join(TOOLS)} ARGUMENT...", file=sys.stderr)
        return 2
    tool = arguments[0]
    try:
        command = importlib.import_module(f"pmctrack_study.{tool}.command")
    except ImportError as missing:
        print(f"{tool}: {missing}; install python3-matplotlib and python3-scipy", file=sys.stderr)
        return 1
    status: int = command.main(arguments[1:])
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
