# SPDX-License-Identifier: GPL-2.0-or-later
"""Run programs in a guest, and write down what they deliver with how many CPUs. See qos_programs.

Usage: measure.py model NAME | goal WAY
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

CPUS = 2
GROUPS = Path("/sys/fs/cgroup")
# A video with two kinds of parts by turns, and one with a part of one kind. They do not end.
VIDEO, CALM = "/tmp/video.yuv", "/tmp/calm.yuv"
ENCODED = "/tmp/calm.mkv"
CALM_BYTES = 200 * 176 * 144 * 3 // 2
TURNS = f"while :; do cat {VIDEO}; done"
LOOP = f"while :; do cat {CALM}; done"
LIBRARIES = "/usr/lib/x86_64-linux-gnu"
SYSTEM = "/lib/x86_64-linux-gnu"
RAW = "-s 176x144 -pix_fmt yuv420p"

# A program must deliver something within this time.
FIRST_UNIT_S = 60
X264 = ("x264 --quiet --no-progress --preset superfast --threads 8 --demuxer raw"
        " --input-res 176x144 -o /dev/null -")
X264_PROBE = f"-u frames/s -p uprobe:{LIBRARIES}/libx264.so.164:x264_encoder_encode"

# How each program's throughput is measured, and its command: more threads than there are CPUs.
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
    "vpxenc": (f"-u frames/s -p uprobe:{LIBRARIES}/libvpx.so.7:vpx_codec_encode",
               f"{LOOP} | vpxenc --quiet --codec=vp9 --rt --cpu-used=8 --threads=8 --row-mt=1"
               " --i420 -w 176 -h 144 -o /dev/null -"),
    # A unit is a piece of the input, because pigz writes seldom and much.
    "pigz": (f"-u pieces/s -p uprobe:{SYSTEM}/libz.so.1:deflate", f"{LOOP} | pigz -p 8 -c"),
}


def write(path: Path, text: str) -> None:
    """Write text to a file of the kernel."""
    path.write_text(text, encoding="ascii")


class Program:
    """A program that runs, in a control group of its own or in that of this script."""

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
        """Return a reader of the program. With LD_PRELOAD, this is a process of the child."""
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
        """Return the units so far."""
        return int(self.reader.count())


    def cpu_s(self) -> float:
        """Return the CPU time of the program's control group."""
        (path,) = (line.partition("::")[2] for line in
                   Path(f"/proc/{self.process.pid}/cgroup").read_text("ascii").split()
                   if line.startswith("0::"))
        (usec,) = (line.split()[1] for line in
                   Path(f"{GROUPS}{path}/cpu.stat").read_text("ascii").splitlines()
                   if line.startswith("usage_usec"))
        return int(usec) / 1e6


def prepare() -> None:
    """Prepare control groups, and the video in memory."""
    for folder, kind in ((GROUPS, "cgroup2"), (Path("/sys/kernel/tracing"), "tracefs")):
        if not os.path.ismount(folder):
            subprocess.run(["mount", "-t", kind, "none", str(folder)], check=True)
    write(GROUPS / "cgroup.subtree_control", "+cpu +cpuset")
    # Alternatives are not set up in this userland.
    os.environ["LD_LIBRARY_PATH"] = ":".join(
        [os.environ.get("LD_LIBRARY_PATH", ""),
         *(f"{LIBRARIES}/{name}" for name in ("blas", "lapack", "pulseaudio"))])
    shutil.copy("/share/video.yuv", VIDEO)
    with open(VIDEO, "rb") as video, open(CALM, "wb") as calm:
        calm.write(video.read(CALM_BYTES))
    subprocess.run(["x264", "--quiet", "--no-progress", "--preset", "superfast", "--input-res",
                    "176x144", "-o", ENCODED, CALM], check=True, stderr=subprocess.DEVNULL)


def set_bandwidth(group: Path, cpus: float) -> None:
    """Limit a group's CPUs, with the period of qosd."""
    write(group / "cpu.max", f"{int(cpus * 20000)} 20000")


# Somewhat more than the second for which rates are computed.
INTERVAL_S = 1.15


def measure_model(name: str) -> None:
    """Measure with other CPUs each second, first to learn, then to judge; then with fixed CPUs."""
    group = GROUPS / "one"
    group.mkdir()
    program = Program(name, name, group=group)
    lot = random.Random(7)
    plan = [("learn", round(lot.uniform(0.3, CPUS), 2)) for _ in range(25)]
    plan += [("judge", round(lot.uniform(0.3, CPUS), 2)) for _ in range(15)]
    plan += [("fixed", halves / 2) for halves in range(1, 2 * CPUS + 1) for _ in range(4)]
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


# Seconds in which one CPU's rate is measured, and the goal: between one CPU's rate and two's.
ALONE_S = 16
TIMES = 1.3
FIXED = 1.5
GOAL_S = 60


def measure_goal(way: str) -> None:
    """Measure an encoder of a video with calm and busy parts."""
    group = GROUPS / "one"
    group.mkdir()
    set_bandwidth(group, 1)
    program = Program("x264-turns", "alone", group=group)
    time.sleep(2)
    began, count = time.monotonic(), program.count()
    time.sleep(ALONE_S)
    goal = TIMES * (program.count() - count) / (time.monotonic() - began)
    write(group / "cgroup.kill", "1")
    program.process.wait()
    daemon = None
    if way == "qosd":
        # pylint: disable-next=consider-using-with
        daemon = subprocess.Popen(["qosd", "-l", "/share/log-qosd.csv"])
    elif way == "bandwidth":
        set_bandwidth(group, FIXED)
    else:
        write(group / "cpu.max", "max")
        write(group / "cpuset.cpus", {"one": "0", "two": "0-1"}[way])
    program = Program("x264-turns", "encoder", f"{goal:.6g}", None if daemon else group)
    with open(f"/share/goal-{way}.tmp", "w", encoding="ascii") as out:
        print("at_s,goal,count,cpu_s", file=out)
        began = time.monotonic()
        while time.monotonic() < began + GOAL_S:
            time.sleep(0.1)
            print(f"{time.monotonic() - began:.4f},{goal:.6g},{program.count()},"
                  f"{program.cpu_s():.3f}", file=out, flush=True)
    if daemon:
        daemon.terminate()
        daemon.wait()
    os.rename(f"/share/goal-{way}.tmp", f"/share/goal-{way}.csv")


if __name__ == "__main__":
    prepare()
    {"model": measure_model, "goal": measure_goal}[sys.argv[1]](sys.argv[2])
