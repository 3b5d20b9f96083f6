# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Cache monitoring with the emulator's CMT (tests/vm/run --cpu intel,x-cmt=on --llc): its registers
# and events show what the emulator's cache really holds.

MODULES=/opt/pmctrack/modules
MANAGER=/proc/pmc/mmon_manager STATE=/proc/pmc/mmon_state
log_says() { dmesg | tail -n 3 | grep -qE -- "$1" || fail "the log says: $(dmesg | tail -n 3)"; }
cmt() {
	grep -q ' cqm_llc ' /proc/cpuinfo || { echo "for cache monitors" >/tmp/elsewhere; exit 0; }
	[ -e /dev/cpu/1/msr ] || modprobe msr 2>/dev/null || true
	# A test that failed may have left these.
	umount /sys/fs/resctrl 2>/dev/null || true
	echo none >$MANAGER
	rmmod pmctrack_mmon_cmt 2>/dev/null || true
}
active() { insmod $MODULES/pmctrack_mmon_cmt.ko "$@"; echo cmt >$MANAGER; }
inactive() { echo none >$MANAGER; rmmod pmctrack_mmon_cmt; }
# fill KIB N: copy zeros to a buffer of KIB KiB, N times
fill() { dd if=/dev/zero of=/dev/null bs="$1K" count="$2" 2>/dev/null; }
export -f fill
median() { grep . | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
state() { sed -n "s/.* $1=\([0-9]*\).*/\1/p" $STATE | tail -n 1; }

# A program that uses more than the cache again and again occupies all of it (2 MiB). A program that
# needs little occupies little: pages that others brought into the cache do not count for it.
test_cmt_occupancy() {
	cmt
	local kib used least most
	active
	for kib in 6144 512; do
		least=1 most=$((kib * 1024 + 700000))
		[ $kib = 512 ] || least=1950000 most=2097152
		taskset -c 0 pmctrack --csv -T 0.004 -c instr -V llc_usage -o /tmp/mine bash -c "fill $kib 8"
		used=$(csv /tmp/mine llc_usage | sort -n | tail -n 1)
		echo "# $((used / 1024)) KiB of $kib"
		[ "$used" -ge $least ] && [ "$used" -le $most ] || fail "$kib KiB: $used bytes"
	done
	inactive
}

# The bandwidth agrees with the counter of misses: 64 bytes each, in user and kernel mode.
test_cmt_bandwidth() {
	cmt
	active
	# The buffer is larger than the cache, so each round misses.
	taskset -c 0 pmctrack --csv -T 0.004 -c llc_misses:uk -V total_llc_bw,local_llc_bw -o /tmp/mine dd if=/dev/zero of=/dev/null bs=6M count=12 2>/dev/null
	paste -d' ' <(csv /tmp/mine time_ns) <(csv /tmp/mine llc_misses:uk) <(csv /tmp/mine total_llc_bw) |
		awk 'NF == 3 && before { n++; bytes += $3 * ($1 - before) / 1e9; misses += $2 } { before = $1 }
			END { d = bytes - 64 * misses; if (d < 0) d = -d
				print "# " n " samples, " bytes " bytes, " misses " misses"; exit !(n >= 3 && misses > 10000 && d <= 0.02 * bytes) }' ||
		fail "$(cat /tmp/mine)"
	inactive
}

# Threads of a process have the same RMID, different processes have different ones, and all RMIDs
# are free at the end.
test_cmt_applications() {
	cmt
	local i
	active wait=0
	for i in 1 2; do
		pmctrack -T 0.01 -c instr -V llc_usage -o /tmp/mine$i $S/handcount 90000000 3 &
	done
	eventually eval '[ "$(grep -c "^rmid=.* threads=4\$" $STATE)" = 2 ]'
	[ "$(sed -n 's/^rmid=\([0-9]*\) .*/\1/p' $STATE | sort -u | wc -l)" = "$(grep -c ^rmid= $STATE)" ] || fail "$(cat $STATE)"
	# A CPU goes and comes back while they run.
	echo 0 >/sys/devices/system/cpu/cpu1/online
	echo 1 >/sys/devices/system/cpu/cpu1/online
	wait
	equal "$(grep -c ^rmid= $STATE || true)" 0 "numbers that are kept"
	equal "$(state free)" "$(state rmids)" "free numbers"
	inactive
}

# There are more processes than RMIDs. Processes without an RMID have no value, which is not 0.
test_cmt_used_up() {
	cmt
	local nr other
	active
	nr=$(($(state rmids) + 5))
	pmctrack -T 0.05 --csv -c instr -V llc_usage -o /tmp/mine bash -c "for i in {1..$nr}; do sleep 0.5 & done; wait"
	[ "$(state refused)" -gt 0 ] || fail "$(cat $STATE)"
	csv /tmp/mine llc_usage | grep -qx "" || fail "all samples have values"
	# A process for which nobody asked for llc_usage has no RMID.
	bash -c 'while :; do sleep 0.02; done' & other=$!
	start_attached /tmp/other -T 0.02 -c instr -p $other
	sleep 0.2
	! grep "tgid=$other " $STATE || fail "a number for nobody"
	kill $mine
	wait $mine || true
	start_attached /tmp/other -T 0.02 -c instr -V llc_usage -p $other
	eventually grep -q "tgid=$other " $STATE
	kill $mine $other
	wait $mine $other || true
	# RMIDs of ended processes are free again when their lines have left the cache.
	fill 6144 3
	eventually eval '[ "$(state stale)" -lt 3 ]'
	inactive
}

# While resctrl is mounted, the registers belong to it; the module leaves no RMID in them.
test_cmt_and_resctrl() {
	cmt
	[ -d /sys/fs/resctrl ] || only "resctrl"
	active
	pmctrack -p $$ -N 0.1 -T 0.02 -c instr -V llc_usage >/dev/null || true
	mount -t resctrl resctrl /sys/fs/resctrl
	eventually grep -q ' lost$' $STATE
	log_says "somebody else uses the cache monitor now"
	pmctrack --csv -T 0.01 -c instr -V llc_usage -o /tmp/mine bash -c 'fill 512 20'
	equal "$(csv /tmp/mine llc_usage | sort -u)" "" "values while it is lost"
	echo none >$MANAGER
	! echo cmt 2>/dev/null >$MANAGER || fail "active beside resctrl"
	log_says "resctrl is mounted, and the cache monitoring registers are its own: use its mon_groups, or umount it"
	umount /sys/fs/resctrl
	echo cmt >$MANAGER
	inactive
	[ ! -e /dev/cpu/0/msr ] ||
		equal "$(dd if=/dev/cpu/0/msr bs=8 count=1 skip=$((0xc8f)) iflag=skip_bytes 2>/dev/null | od -An -tu8 | tr -d ' ')" 0 "PQR_ASSOC of CPU 0"
}

# The same program has the same misses and the same part of the cache on each CPU.
test_cmt_cpus() {
	cmt
	local cpu
	active
	for cpu in 0 1; do
		taskset -c $cpu pmctrack --csv -T 0.01 -c llc_misses:uk -V llc_usage -o /tmp/on$cpu \
			dd if=/dev/zero of=/dev/null bs=6M count=40 2>/dev/null
		echo "$(csv_sum /tmp/on$cpu llc_misses:uk) $(csv /tmp/on$cpu llc_usage | sort -n | tail -n 1)"
	done >/tmp/told
	# 98304 lines in each round, and few others
	awk '$1 < 40 * 98304 || $1 > 41 * 98304 || $2 < 2000000 || $2 > 2097152 { bad = 1 } END { exit bad || NR != 2 }' /tmp/told ||
		fail "misses and bytes on both CPUs: $(xargs </tmp/told)"
	inactive
}

# The module's values, what the registers hold at the same time, and what resctrl says of the same
# program are the same. The program fills the cache (2 MiB) again and again.
test_cmt_books() {
	cmt
	[ -d /sys/fs/resctrl ] || only "resctrl"
	local group=/sys/fs/resctrl/mon_groups/mine program rmid
	# From a process on the other CPU: what a register says of an RMID.
	cat >/tmp/books.py <<-'END'
		import os, sys, time
		def read_msr(event):
		    fd = os.open("/dev/cpu/1/msr", os.O_RDWR)
		    os.pwrite(fd, (int(sys.argv[1]) << 32 | event).to_bytes(8, "little"), 0xc8d)
		    return int.from_bytes(os.pread(fd, 8, 0xc8e), "little") * 64
		def read_file(event):
		    name = {1: "llc_occupancy", 2: "mbm_total_bytes"}[event]
		    return int(open(f"{sys.argv[1]}/mon_data/mon_L3_00/{name}").read())
		read = read_msr if sys.argv[1].isdigit() else read_file
		begin, before = time.monotonic(), read(2)
		used, moved = [], 0
		for _ in range(20):
		    time.sleep(0.02)
		    used.append(read(1))
		    now = read(2)
		    moved += (now - before) % (64 << 24)
		    before = now
		print(round(sum(used) / len(used)), round(moved / (time.monotonic() - begin)))
	END
	active
	taskset -c 0 dd if=/dev/zero of=/dev/null bs=6M 2>/dev/null & program=$!
	start_attached /tmp/mine --csv -T 0.02 -c instr -V llc_usage,total_llc_bw -p $program
	eventually eval '[ "$(csv /tmp/mine llc_usage | tail -n 1)" -gt 1950000 ]'
	rmid=$(sed -n "s/^rmid=\([0-9]*\) tgid=$program .*/\1/p" $STATE)
	: >/tmp/told
	taskset -c 1 python3 /tmp/books.py "$rmid" >>/tmp/told
	kill $mine
	wait $mine || true
	kill $program
	inactive
	mount -t resctrl resctrl /sys/fs/resctrl
	mkdir $group
	taskset -c 0 bash -c "echo \$\$ >$group/tasks; exec dd if=/dev/zero of=/dev/null bs=6M" 2>/dev/null & program=$!
	eventually eval "[ \$(cat $group/mon_data/mon_L3_00/llc_occupancy) -gt 1950000 ]"
	taskset -c 1 python3 /tmp/books.py $group >>/tmp/told
	kill $program
	wait $program || true
	rmdir $group
	umount /sys/fs/resctrl
	# The registers were read during the last samples. Who reads them, or resctrl's files, takes
	# some lines before he reads.
	echo "$(csv /tmp/mine llc_usage | tail -n 15 | median) $(csv /tmp/mine total_llc_bw | tail -n 15 | median)" >>/tmp/told
	sed 's/^/# /' /tmp/told
	awk '{ used[NR] = $1; bw[NR] = $2 }
		function same(a, b, part) { d = a - b; return a > 0 && (d < 0 ? -d : d) <= part * a }
		END { exit !(NR == 3 && same(used[3], used[1], 0.05) && same(used[3], used[2], 0.05) &&
			same(bw[3], bw[1], 0.02) && same(bw[3], bw[2], 0.02)) }' /tmp/told ||
		fail "bytes, and bytes/s: of registers, resctrl, the module: $(xargs </tmp/told)"
}

test_cmt_of_others() {
	cmt
	active
	echo 2 >/proc/sys/kernel/perf_event_paranoid
	expect_refusal 1 "virtual counter llc_usage shows what others do, too: that needs CAP_PERFMON" \
		user pmctrack -c instr:u -V llc_usage true
	inactive
}

test_cmt_policies() {
	cmt
	insmod $MODULES/pmctrack_mmon_cmt.ko policy=best
	! echo cmt 2>/dev/null >$MANAGER || fail "active"
	log_says "there is no policy 'best': fifo, lifo or random"
	rmmod pmctrack_mmon_cmt
	for policy in lifo random; do
		active policy=$policy
		expect_status 0 pmctrack -c instr -V llc_usage bash -c 'true; true'
		inactive
	done
}

test_cmt_without_hardware() {
	[ "$BACKEND" != sim ] || only "no simulated machine"
	! grep -q ' cqm_llc ' /proc/cpuinfo || only "no cache monitor"
	need_instr
	insmod $MODULES/pmctrack_mmon_cmt.ko
	! echo cmt 2>/dev/null >$MANAGER || fail "active without a cache monitor"
	log_says "there is no cache monitor|this CPU does not monitor its cache"
	rmmod pmctrack_mmon_cmt
}
