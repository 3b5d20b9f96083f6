#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""In an x86-64 guest, as root: CPU 0 changes the memory map, CPU 1 reads a device's memory.

If an emulator looks devices up in a newer map than that of the CPU's TLB, it reads another
device, or fails an assertion. The device that comes and goes is that of /share, which is given up.
"""

import mmap
import os
import subprocess
import sys
from multiprocessing import Process

PCI = "/sys/bus/pci"
AHCI = PCI + "/devices/0000:00:1f.2"  # no driver; its memory is above the other's
COMMAND, MEMORY = 4, 2  # a register, and its bit: the device's memory can be accessed


def given_up() -> str:
    """Take the last virtio device from its driver; return its folder."""
    drivers = PCI + "/drivers/virtio-pci"
    subprocess.run(["umount", "/share"], cwd="/", check=True)
    device = max(name for name in os.listdir(drivers) if name.startswith("0000:"))
    with open(drivers + "/unbind", "w", encoding="ascii") as unbind:
        unbind.write(device)
    return f"{PCI}/devices/{device}"


def change_the_map(device: str) -> None:
    """Enable and disable the device's memory, until killed."""
    os.sched_setaffinity(0, {0})
    config = os.open(device + "/config", os.O_RDWR)
    command = int.from_bytes(os.pread(config, 2, COMMAND), "little")
    while True:
        for value in command & ~MEMORY, command | MEMORY:
            os.pwrite(config, value.to_bytes(2, "little"), COMMAND)


def main() -> int:
    """Compare the same register with itself."""
    os.chdir("/")
    os.sched_setaffinity(0, {1})
    with open(AHCI + "/enable", "w", encoding="ascii") as enable:
        enable.write("1")
    with open(AHCI + "/resource5", "rb") as memory:
        words = memoryview(mmap.mmap(memory.fileno(), 4096, prot=mmap.PROT_READ)).cast("I")
    capabilities = words[0]
    changer = Process(target=change_the_map, args=[given_up()], daemon=True)
    changer.start()
    different = sum(words[0] != capabilities for _ in range(200000))
    print(f"{different} reads of another device than {capabilities:#x}")
    return different != 0 or not changer.is_alive()


if __name__ == "__main__":
    sys.exit(main())
