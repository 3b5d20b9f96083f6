# SPDX-License-Identifier: GPL-2.0-or-later
"""Run programs in a guest, and write down what they deliver with how many CPUs. See qos_programs.

Usage: measure.py model NAME | goals WAY
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, "/opt/pmctrack/share/pmctrack/python")
import throughput  # noqa: E402  # pylint: disable=import-error,wrong-import-position

CPUS = 4
GROUPS = Path("/sys/fs/cgroup")
# Of two kinds by turns; and a part of one kind. They have no end.
VIDEO, CALM = "/tmp/video.yuv", "/tmp/calm.yuv"
ENCODED = "/tmp/calm.mkv"
CALM_BYTES = 200 * 176 * 144 * 3 // 2
TURNS = f"while :; do cat {VIDEO}; done"
LOOP = f"while :; do cat {CALM}; done"
LIBRARIES = "/usr/lib/x86_64-linux-gnu"
SYSTEM = "/lib/x86_64-linux-gnu"
RAW = "-s 176x144 -pix_fmt yuv420p"

# Until a program delivers something.
FIRST_UNIT_S = 60
X264 = ("x264 --quiet --no-progress --preset superfast --threads 8 --demuxer raw"
        " --input-res 176x144 -o /dev/null -")
X264_PROBE = f"-u frames/s -p uprobe:{LIBRARIES}/libx264.so.164:x264_encoder_encode"

# How each says what it delivers, and its command: more threads than there are CPUs.
PROGRAMS = {
    "x264": (X264_PROBE, f"{LOOP} | {X264}"),
    "x264-turns": (X264_PROBE, f"{TURNS} | {X264}"),
    "x265": (f"-u frames/s -p uprobe:{LIBRARIES}/libx265.so.199:x265_encoder_encode",
             f"{LOOP} | x265 --log-level none --no-progress --preset ultrafast --pools 8"
             " --input-res 176x144 --fps 25 --input - -o /dev/null"),
    "ffmpeg": ("-u frames/s -f avcodec_receive_packet",
               f"exec ffmpeg -nostdin -v error -stream_loop -1 -f rawvideo {RAW} -i {CALM}"
               " -c:v mpeg4 -threads 8 -f null -"),
    "ffmpeg-decode": ("-u frames/s -f avcodec_receive_frame",
                      "exec ffmpeg -nostdin -v error -stream_loop -1 -threads 8"
                      f" -i {ENCODED} -f null -"),
    "kvazaar": ("-u frames/s -e ^POC",
                f"{LOOP} | kvazaar -i - --input-res 176x144 --preset ultrafast --threads 8 --owf 4"
                " -o /dev/null"),
    # A unit is a piece of the input, as it writes seldom and much.
    "pigz": (f"-u pieces/s -p uprobe:{SYSTEM}/libz.so.1:deflate", f"{LOOP} | pigz -p 8 -c"),
}


def write(path: Path, text: str) -> None:
    """Say it to the kernel."""
    path.write_text(text, encoding="ascii")


class Program:
    """One that runs, in a control group of its own or in that where we are."""

    def __init__(self, name: str, label: str, goal: str | None = None,
                 group: Path | None = None) -> None:
        says, command = PROGRAMS[name]

        def enter() -> None:
            if group:
                write(group / "cgroup.procs", str(os.getpid()))

        words = ["throughput", "run", "-n", label, *says.split()]
        if goal:
            words += ["-g", goal]
        # pylint: disable-next=consider-using-with,subprocess-popen-preexec-fn
        self.process = subprocess.Popen([*words, "--", "sh", "-c", command],
                                        stdout=subprocess.DEVNULL, preexec_fn=enter)
        self.reader = self._find(label)

    def _find(self, label: str) -> throughput.Reader:
        """By LD_PRELOAD, it is a process that our child has started."""
        end = time.monotonic() + FIRST_UNIT_S
        while time.monotonic() < end:
            out = subprocess.run(["throughput", "list", "--json"], check=True, capture_output=True)
            for found in json.loads(out.stdout)["programs"]:
                if found["program"] == label and found["count"]:
                    return throughput.Reader(found["pid"])
            if self.process.poll() is not None:
                sys.exit(f"{label} has ended: status {self.process.returncode}")
            time.sleep(0.1)
        sys.exit(f"{label} has delivered nothing in {FIRST_UNIT_S} s")

    def count(self) -> int:
        """Units so far."""
        return int(self.reader.count())


    def cpu_s(self) -> float:
        """CPU time of its control group."""
        (path,) = (line.partition("::")[2] for line in
                   Path(f"/proc/{self.process.pid}/cgroup").read_text("ascii").split()
                   if line.startswith("0::"))
        (usec,) = (line.split()[1] for line in
                   Path(f"{GROUPS}{path}/cpu.stat").read_text("ascii").splitlines()
                   if line.startswith("usage_usec"))
        return int(usec) / 1e6


def prepare() -> None:
    """Control groups, and the video in memory."""
    for folder, kind in ((GROUPS, "cgroup2"), (Path("/sys/kernel/tracing"), "tracefs")):
        if not os.path.ismount(folder):
            subprocess.run(["mount", "-t", kind, "none", str(folder)], check=True)
    write(GROUPS / "cgroup.subtree_control", "+cpu +cpuset")
    # Nobody has set up alternatives in this userland.
    os.environ["LD_LIBRARY_PATH"] = ":".join(
        [os.environ.get("LD_LIBRARY_PATH", ""),
         *(f"{LIBRARIES}/{name}" for name in ("blas", "lapack", "pulseaudio"))])
    shutil.copy("/share/video.yuv", VIDEO)
    with open(VIDEO, "rb") as video, open(CALM, "wb") as calm:
        calm.write(video.read(CALM_BYTES))
    subprocess.run(["x264", "--quiet", "--no-progress", "--preset", "superfast", "--input-res",
                    "176x144", "-o", ENCODED, CALM], check=True, stderr=subprocess.DEVNULL)


def set_bandwidth(group: Path, cpus: float) -> None:
    """Likewise for qosd's programs."""
    write(group / "cpu.max", f"{int(cpus * 20000)} 20000")


# Somewhat more than the second of which rates are.
INTERVAL_S = 1.15


def measure_model(name: str) -> None:
    """Other CPUs each second, twice, to learn and to judge; then whole ones."""
    group = GROUPS / "one"
    group.mkdir()
    program = Program(name, name, group=group)
    lot = random.Random(7)
    plan = [("learn", round(lot.uniform(0.5, CPUS), 2)) for _ in range(25)]
    plan += [("judge", round(lot.uniform(0.5, CPUS), 2)) for _ in range(15)]
    plan += [("fixed", float(cpus)) for cpus in range(1, CPUS + 1) for _ in range(4)]
    with open(f"/share/model-{name}.tmp", "w", encoding="ascii") as out:
        print("part,cpus,at_s,count", file=out)
        for part, cpus in plan:
            set_bandwidth(group, cpus)
            end = time.monotonic() + INTERVAL_S
            while time.monotonic() < end:
                time.sleep(0.05)
                print(f"{part},{cpus},{time.monotonic():.4f},{program.count()}", file=out,
                      flush=True)
    os.rename(f"/share/model-{name}.tmp", f"/share/model-{name}.csv")


# What one CPU does in a second, and the goals: together they take most of the machine.
ALONE_S = 16
TIMES = (1.1, 1.4)
GOALS_S = 50


def measure_goals(way: str) -> None:
    """Two encoders of the same video, by turns of calm and busy parts."""
    group = GROUPS / "alone"
    group.mkdir()
    set_bandwidth(group, 1)
    program = Program("x264-turns", "alone", group=group)
    time.sleep(2)
    began, count = time.monotonic(), program.count()
    time.sleep(ALONE_S)
    alone = (program.count() - count) / (time.monotonic() - began)
    write(group / "cgroup.kill", "1")
    program.process.wait()
    goals = [alone * times for times in TIMES]
    groups: list[Path | None] = [None, None]
    daemon = None
    if way.startswith("qosd"):
        Path("/tmp/qosd.json").write_text(
            json.dumps({"actuator": "cpuset" if way == "qosd-cpuset" else "bandwidth"}), "ascii")
        # pylint: disable-next=consider-using-with
        daemon = subprocess.Popen(["qosd", "-f", "/tmp/qosd.json", "-l", f"/share/log-{way}.csv"])
    else:
        for index, (cpus, times) in enumerate(zip(("0", "1-2"), TIMES)):
            group = GROUPS / f"static{index}"
            group.mkdir()
            groups[index] = group
            if way != "bandwidth":
                write(group / "cpuset.cpus", cpus)
            if way != "cpuset":
                set_bandwidth(group, times)
    programs = [Program("x264-turns", f"encoder{index}", f"{goals[index]:.6g}", groups[index])
                for index in range(2)]
    with open(f"/share/goals-{way}.tmp", "w", encoding="ascii") as out:
        print("at_s,goal0,goal1,count0,count1,cpu0_s,cpu1_s", file=out)
        began = time.monotonic()
        while time.monotonic() < began + GOALS_S:
            time.sleep(0.1)
            print(f"{time.monotonic() - began:.4f},{goals[0]:.6g},{goals[1]:.6g},"
                  f"{programs[0].count()},{programs[1].count()},"
                  f"{programs[0].cpu_s():.3f},{programs[1].cpu_s():.3f}", file=out, flush=True)
    if daemon:
        daemon.terminate()
        daemon.wait()
    os.rename(f"/share/goals-{way}.tmp", f"/share/goals-{way}.csv")


if __name__ == "__main__":
    prepare()
    {"model": measure_model, "goals": measure_goals}[sys.argv[1]](sys.argv[2])
