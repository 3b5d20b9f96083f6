# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Energy of threads: the sums agree with the meters, wherever the threads ran. Tested on the
# simulated machine and, with the emulator's RAPL, on x86.

MODULES=/opt/pmctrack/modules
MANAGER=/proc/pmc/mmon_manager STATE=/proc/pmc/mmon_state
log_says() { dmesg | tail -n 3 | grep -qE -- "$1" || fail "the log says: $(dmesg | tail -n 3)"; }
machine_uj() { simapp -x 1 -j hmmer >/tmp/now; truth /tmp/now machine_energy_uj; }
# active: the module "energy" counts from now on
active() {
	lsmod | grep -q "^pmctrack_mmon_energy " || insmod $MODULES/pmctrack_mmon_energy.ko
	echo energy >$MANAGER
}
inactive() { echo none >$MANAGER; rmmod pmctrack_mmon_energy; }
# state METER NAME: sum over all meters of that kind, in units
state() { awk -v m="meter=$1" -v n="$2" '$1 == m { for (i = 2; i <= NF; i++) { split($i, w, "="); if (w[1] == n) s += w[2] } } END { print s + 0 }' ${3-$STATE}; }
# Fails unless every unit of each meter has exactly one owner.
adds_up() {
	cat $STATE >/tmp/state
	awk '{ for (i = 1; i <= NF; i++) { split($i, w, "="); v[w[1]] = w[2] }
		if (v["total"] != v["threads"] + v["others"] + v["idle"] + v["unwatched"]) bad++; n++ }
		END { exit bad || !n }' /tmp/state || fail "does not add up: $(cat /tmp/state)"
}
sum_of() { local f s=0; for f in "${@:2}"; do s=$((s + $(csv_sum "$f" "$1"))); done; echo $s; }

# A program that runs alone has all energy that the machine uses meanwhile, except for memories of
# other nodes.
test_energy_alone() {
	only sim
	local cpu percent=1
	active
	# Linux 7.2 counts a part of a tick as busy whenever an idle CPU wakes up (energy.md), and
	# one does so every 50 ms to read the meters.
	[[ $(uname -r) != 7.* ]] || [ "$(nproc)" != 4 ] || percent=5
	[ "$(grep -c ^meter=dram $STATE)" = 1 ] || { inactive; only "one memory"; }
	for cpu in 0 $(($(nproc) - 1)); do
		taskset -c $cpu pmctrack --csv -T 0.1 -V energy,power,edp -o /tmp/mine simapp -x 40 -j mcf >/tmp/truth
		near "$(csv_sum /tmp/mine energy)" "$(truth /tmp/truth machine_energy_of_run_uj)" $percent "energy on CPU $cpu"
		# Power and EDP follow from the record by their definitions. Only records that are
		# shorter than ten readings of the meters have none. A reading takes 100 us for each
		# CPU, but at least 1 ms.
		paste -d, <(csv /tmp/mine energy) <(csv /tmp/mine run_ns) <(csv /tmp/mine pmc0) <(csv /tmp/mine power) <(csv /tmp/mine edp) |
			awk -F, -v least=$((1000000 * ($(nproc) > 10 ? $(nproc) : 10))) 'function wrong() { print "# " $0; bad++ }
				$4 == "" || $5 == "" { if ($2 >= least || $4 $5 != "") wrong(); next }
				{ p = $1 * 1e6 / $2; e = $1 * 1e6 / $3 * ($2 * 1e3 / $3); n++
				if ($4 < p - 1 || $4 > p + 1 || $5 < e * 0.999 - 1 || $5 > e * 1.001 + 1) wrong() }
			END { print "# " n " records, " bad + 0 " bad"; exit !(n > 5 && !bad) }' || fail "power or EDP"
	done
	inactive
}

# metered FROM TO: uJ between two readings of the meters
metered() { echo $((($(state package total "$2") - $(state package total "$1") + $(state dram total "$2") - $(state dram total "$1")) * 15625 / 1024)); }
# books NAME: the machine's own account as $uj, between two readings of the meters, NAME.0 and
# NAME.1. It is repeated if much time has passed between the readings, because the host was busy.
books() {
	local try
	for try in 1 2 3 4 5; do
		cp $STATE "$1.0"
		uj=$(machine_uj)
		cp $STATE "$1.1"
		[ "$(metered "$1.0" "$1.1")" -ge 2000000 ] || break
	done
}

# Programs migrate, and CPUs go offline and come back: no energy is lost, and none is counted twice.
# The meters wrap around every 16 or 32 J.
test_energy_adds_up() {
	only sim
	local i n=0 pids uj before after low high units
	active
	books /tmp/first
	before=$uj
	for i in 1 2 3 4 5 6; do
		pmctrack --csv -T 0.05 -c instr -V energy,energy_package,energy_cores,energy_dram -o /tmp/mine$i simapp -s $i -x 10000 soplex >/dev/null &
	done
	all_run() { mapfile -t pids < <(pgrep -x simapp); [ ${#pids[@]} = 6 ]; }
	eventually all_run
	# Until a CPU has gone and come back, and the meter has wrapped around twice.
	until [ $((n % 10)) = 9 ] && [ $(($(state package total) >> 20)) -ge 2 ]; do
		n=$((n + 1))
		taskset -cp $(((n + n / 6) % $(nproc))) "${pids[n % 6]}" >/dev/null 2>&1 || true
		[ $((n % 10)) != 2 ] || echo 0 >/sys/devices/system/cpu/cpu1/online
		[ $((n % 10)) != 6 ] || echo 1 >/sys/devices/system/cpu/cpu1/online
		[ $((n % 10)) != 8 ] || adds_up
		nap 0.02
	done
	kill "${pids[@]}"
	wait
	adds_up
	for i in package cores dram; do
		# Each thread's share is rounded down to a uJ, at the end only.
		units=$(state $i threads /tmp/state)
		sum=$(sum_of energy_$i /tmp/mine[1-6])
		[ "$sum" -le $((units * 15625 / 1024)) ] && [ "$sum" -ge $((units * 15625 / 1024 - 7)) ] ||
			fail "$i: threads have $sum uJ, and the sum is $units units"
	done
	# The meters agree with the machine's own account, before and after. Each account is taken
	# between two readings of the meters, whatever time passes between them. Meters are late by
	# up to 1 ms.
	books /tmp/last
	after=$uj low=$(metered /tmp/first.1 /tmp/last.0) high=$(metered /tmp/first.0 /tmp/last.1)
	echo "# $low to $high uJ; in truth $before to $after"
	awk -v a="$after" -v b="$before" -v low="$low" -v high="$high" \
		'BEGIN { d = a - b; exit !(low <= 1.001 * d && d <= 1.001 * high && high < 1.2 * low) }' || fail "the meters say something else"
	equal "$(state package resets)" 0 resets
	[ "$(state package unwatched)" -lt $(($(state package total) / 10)) ] || fail "unwatched: $(cat $STATE)"
	inactive
}

# The machine's power reveals what others do, so users without CAP_PERFMON are refused.
test_energy_of_others() {
	only sim
	active
	! user cat $STATE 2>/dev/null || fail "a user reads $STATE"
	echo 2 >/proc/sys/kernel/perf_event_paranoid
	expect_refusal 1 "virtual counter energy shows what others do, too: that needs CAP_PERFMON" \
		user pmctrack -c instr -V energy true
	expect_status 0 user pmctrack -c instr:u true
	# The energy of a whole CPU cannot be attributed to a control group.
	cgroup_of some
	expect_refusal 1 "virtual counter energy is of whole CPUs: it cannot be had of a control group" \
		pmctrack --cgroup $CG/some -c instr -V energy true
	inactive
}

# The register and the value that the module read agree. A package has one meter for all its CPUs.
test_energy_rapl() {
	only x86-intel
	[ -e /dev/cpu/0/msr ] || modprobe msr 2>/dev/null || true
	[ -e /dev/cpu/0/msr ] || only "/dev/cpu/0/msr"
	local i low raw high
	rapl() { dd if=/dev/cpu/0/msr bs=8 count=1 skip=$(($1)) iflag=skip_bytes 2>/dev/null | od -An -tu4 -N4 | tr -d " "; }
	active
	grep -q "^meter=package cpus=0-$(($(nproc) - 1)) .* unit_uj=1000000/2^14 " $STATE || fail "$(cat $STATE)"
	for i in 1 2 3 4 5; do
		low=$(rapl 0x611)
		raw=$(sed -n 's/^meter=package .* raw=\([0-9]*\) .*/\1/p' $STATE)
		high=$(rapl 0x611)
		[ "$low" -gt 0 ] && [ "$((raw + 1))" -ge "$low" ] && [ "$raw" -le "$high" ] || fail "$low, $raw, $high"
		adds_up
	done
	pmctrack --csv -T 0.05 -c instr -V energy,energy_package -o /tmp/mine $S/handcount 10000000 0
	adds_up
	i=$(csv_sum /tmp/mine energy_package)
	[ "$i" -gt 0 ] && [ "$i" -le $(($(state package threads) * 1000000 >> 14)) ] || fail "$i uJ; $(cat /tmp/state)"
	inactive
}

# CPUs have their energy in each of their rows, also if no thread is monitored, so that nobody else
# reads the meters, and nothing of what was before the session.
test_energy_of_cpus() {
	local program=("$S/burn" 3000000000) units=1024 per_units=15625 before uj period
	[ "$BACKEND" = sim ] && program=(simapp -x 300 hmmer) || only x86-intel
	[ "$BACKEND" = sim ] || units=16384 per_units=1000000
	active
	for period in 1 0.05; do
		timeout 2 taskset -c 0 "${program[@]}" >/dev/null || true
		[ $period = 1 ] || sleep 0.2
		before=$(state package total)
		[ $period = 1 ] || timeout 2 taskset -c 0 "${program[@]}" >/dev/null || true
		# Twenty short periods last a second.
		[ $period = 1 ] || [ "$BACKEND" = sim ] || program=("$S/burn" 500000000)
		pmctrack -S --csv -T $period -c instr -V energy_package,power -o /tmp/cpus taskset -c 0 "${program[@]}" >/dev/null
		uj=$((($(state package total) - before) * per_units / units))
		# One CPU was busy all the time, so hardly any energy is nobody's.
		[ $period != 1 ] || on_time near "$(csv_sum /tmp/cpus energy_package)" $uj 3 "energy of all CPUs"
		# The program ends before the session does.
		paste -d, <(csv /tmp/cpus cpu) <(csv /tmp/cpus energy_package) <(csv /tmp/cpus power) |
			awk -F, '$1 == 0 { n++; e[n] = $2; p[n] = $3 } END {
				for (i = 1; i < n - 1; i++) if (e[i] <= 0 || p[i] <= 0 || p[i] > 1.5 * p[int(n / 2)]) { print "# row " i " of " n ": " e[i] " uJ, " p[i] " mW"; bad++ }
				exit bad || n < 3 }' || fail "rows of CPU 0 in periods of $period s"
	done
	inactive
}

test_energy_without_meters() {
	[ "$BACKEND" = arm64-pmuv3 ] || only x86-amd
	insmod $MODULES/pmctrack_mmon_energy.ko
	! echo energy 2>/dev/null >$MANAGER || fail "active without meters"
	log_says "there is no energy meter|this CPU shows no energy meters"
	rmmod pmctrack_mmon_energy
}
