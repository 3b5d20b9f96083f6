# SPDX-License-Identifier: GPL-2.0-or-later
"""Run the programs of a plan in a guest, once each way, and write down what they deliver.

Usage: machine_measure.py NAME WAY…, where plan-NAME.json is in this folder. See qos_machine.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, "/opt/pmctrack/share/pmctrack/python")
import throughput  # noqa: E402  # pylint: disable=import-error,wrong-import-position

GROUPS = Path("/sys/fs/cgroup")
PERIOD_US = 20000
EACH_S = 0.1
FIRST_ROUND_S = 60


def write(path: Path, text: str) -> None:
    """Write text to a file of the kernel."""
    path.write_text(text, encoding="ascii")


def whole(programs: list[dict[str, Any]], cpus: int) -> list[str]:
    """Return CPUs for each program, as many as suffice; if too few, the last programs share."""
    found, first = [], 0
    for program in programs:
        wanted = math.ceil(program["cpus"])
        first = min(first, cpus - wanted)
        found.append(f"{first}-{first + wanted - 1}")
        first += wanted
    return found


def reader_of(process: subprocess.Popen[bytes], name: str) -> throughput.Reader:
    """Return a reader of the program, once it delivers something."""
    end = time.monotonic() + FIRST_ROUND_S
    while time.monotonic() < end:
        try:
            reader = throughput.Reader(process.pid)
            if reader.count():
                return reader
            time.sleep(0.05)
        except OSError:
            time.sleep(0.05)
        if process.poll() is not None:
            sys.exit(f"{name} has ended: status {process.returncode}")
    sys.exit(f"{name} has delivered nothing in {FIRST_ROUND_S} s")


def group_of(pid: int) -> str:
    """Return the path of a process's control group."""
    (path,) = (line.partition("::")[2] for line in
               Path(f"/proc/{pid}/cgroup").read_text("ascii").split() if line.startswith("0::"))
    return path


def cpu_s(pid: int) -> float:
    """Return the CPU time of a process's control group."""
    (usec,) = (line.split()[1] for line in
               Path(f"{GROUPS}{group_of(pid)}/cpu.stat").read_text("ascii").splitlines()
               if line.startswith("usage_usec"))
    return int(usec) / 1e6


def begin(program: dict[str, Any], way: str, cpus: str) -> subprocess.Popen[bytes]:
    """Start a program in a group of its own, with fixed CPUs if they are not qosd's."""
    group = GROUPS / program["name"]
    group.mkdir(exist_ok=True)
    if way in ("cpuset", "both"):
        write(group / "cpuset.cpus", cpus)
    if way in ("bandwidth", "both"):
        write(group / "cpu.max", f"{int(program['cpus'] * PERIOD_US)} {PERIOD_US}")

    def enter() -> None:
        write(group / "cgroup.procs", str(os.getpid()))

    return subprocess.Popen(  # pylint: disable=subprocess-popen-preexec-fn
        ["throughput", "run", "-n", program["name"], "-u", "frames/s", "-g", str(program["goal"]),
         "-e", "^round", "--", "simapp", "-r", "-s", str(program["seed"]),
         f"/share/{program['profile']}"], stdout=subprocess.DEVNULL, preexec_fn=enter)


def run(plan: dict[str, Any], name: str, way: str) -> None:
    """Run all programs at once."""
    cpus = whole(plan["programs"], plan["cpus"])
    running = [begin(program, way, cpus[i]) for i, program in enumerate(plan["programs"])]
    readers = [reader_of(process, program["name"])
               for process, program in zip(running, plan["programs"])]
    daemon = None
    if way.startswith("qosd"):
        settings = Path("/tmp/qosd.json")
        # qosd leaves groups with limits of their own alone: these have none.
        settings.write_text(json.dumps({"actuator": way.removeprefix("qosd-")}), encoding="ascii")
        # pylint: disable-next=consider-using-with
        daemon = subprocess.Popen(["qosd", "-f", str(settings), "-l",
                                   f"/share/log-{name}-{way}.csv"])
    with open(f"/share/{name}-{way}.tmp", "w", encoding="ascii") as out:
        print("at_s,program,goal,count,group,cpu_s", file=out)
        began = time.monotonic()
        while time.monotonic() < began + plan["seconds"]:
            time.sleep(EACH_S)
            for process, reader, program in zip(running, readers, plan["programs"]):
                print(f"{time.monotonic() - began:.4f},{program['name']},{program['goal']},"
                      f"{reader.count()},{group_of(process.pid)},{cpu_s(process.pid):.4f}",
                      file=out, flush=True)
    if daemon:
        daemon.terminate()
        if daemon.wait():
            sys.exit(f"qosd has failed: status {daemon.returncode}")
    for process, program in zip(running, plan["programs"]):
        write(GROUPS / program["name"] / "cgroup.kill", "1")
        process.wait()
    time.sleep(0.5)
    for program in plan["programs"]:
        (GROUPS / program["name"]).rmdir()
    os.rename(f"/share/{name}-{way}.tmp", f"/share/{name}-{way}.csv")


def main() -> None:
    """Run the plan each way."""
    name = sys.argv[1]
    plan = json.loads(Path(f"/share/plan-{name}.json").read_text(encoding="ascii"))
    if not os.path.ismount(GROUPS):
        subprocess.run(["mount", "-t", "cgroup2", "none", str(GROUPS)], check=True)
    write(GROUPS / "cgroup.subtree_control", "+cpu +cpuset")
    for way in sys.argv[2:]:
        print(f"{name}: {way}", file=sys.stderr, flush=True)
        run(plan, name, way)


if __name__ == "__main__":
    main()
