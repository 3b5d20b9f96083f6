#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Suspend the guest to RAM and to disk while sessions are open, in KTAP. Only as the command of
# tests/vm/run: the guest's root is over 9p, which does not survive a suspend. So everything that is
# needed afterwards is copied to memory, and the folder to which the guest's init reports is mounted
# anew. With policies in /share (tests/sched-ext/build), one of them is tested, too.
set -euo pipefail
new=/tmp/awake
selftests=/opt/pmctrack/selftests

# keep PROGRAM…: with its libraries
keep() {
	local file
	for file in "$@"; do
		file=$(command -v "$file")
		{ echo "$file"; ldd "$file" 2>/dev/null | grep -oE '/[^ ]+' || true; } |
			while read -r file; do
				mkdir -p "$new${file%/*}"
				[ -e "$new$file" ] || cp -L "$file" "$new$file"
			done
	done
}
mkdir -p $new/{proc,sys,dev,tmp,run,opt/pmctrack}
keep bash cat touch rtcwake mkswap swapon mount taskset awk grep sleep mkdir mkfifo rm rmmod head tail sort paste ps pkill pmctrack throughput \
	qosd qosctl \
	$selftests/handwait $selftests/handcount
cp -a /opt/pmctrack/{lib,share} $new/opt/pmctrack
cp $selftests/lib.sh "$selftests/awake.sh" $new
[ ! -e /share/lib ] || { mkdir $new/share && cp -r /share/lib $new/share/; }
mountpoint -q /sys/fs/cgroup || mount -t cgroup2 none /sys/fs/cgroup
mount -t proc proc $new/proc
mount --rbind /sys $new/sys
mount --rbind /dev $new/dev
mount --bind /tmp $new/tmp
for device in /sys/bus/virtio/drivers/9pnet_virtio/virtio*; do
	[ "$(tr -d '\0' <"$device/mount_tag")" != ctl ] || ctl=${device##*/}
done
umount /run/vm
# The host's clock goes on while the guest sleeps.
echo 0 >/proc/sys/kernel/soft_watchdog
export LC_ALL=C
insmod /opt/pmctrack/modules/pmctrack_mmon_energy.ko
insmod /opt/pmctrack/modules/pmctrack_hold.ko
insmod /opt/pmctrack/modules/pmctrack_mmon_quality_time.ko hold_us=5000 budget=50
insmod /opt/pmctrack/modules/pmctrack_mmon_fair_progress.ko address_instr=20000 peak=1000000
echo energy >/proc/pmc/mmon_manager
exec chroot $new /bin/bash /awake.sh "$ctl"
