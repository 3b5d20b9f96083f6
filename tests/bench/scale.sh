# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# scale.sh THREADS…: the cost of monitoring with the number of CPUs that this guest has, and with
# THREADS threads. Prints lines "name figure", like guest.sh.
#
# The kernel's function-graph tracer says how long functions of the module take, without the time in
# which they sleep. A fixed icount makes an instruction last 1 ns. The figures include what the
# tracer does at the end of a function, which is the same for all numbers of CPUs.
set -e
. /opt/pmctrack/selftests/lib.sh

trace=/sys/kernel/tracing
mountpoint -q $trace || mount -t tracefs tracefs $trace
ours=instr,cycles,branches,branch_misses
# Once it can be compared: this module has a symbol of each name.
functions="pmct_tp_switch pmct_sample_close pmct_attach_ioctl pmct_session_end"
# Functions of the kernel that send interrupts to some CPUs.
interrupts="native_send_call_func_ipi native_send_call_func_single_ipi"
# Callers whose interrupts the module did not ask for: a timer that came in between, and the wake-up
# of a task on an idle CPU, for which the scheduler may send an interrupt of the same kind
others="try_to_wake_up|asm_sysvec_apic_timer"
locks="_raw_spin_lock _raw_spin_lock_irq _raw_spin_lock_irqsave _raw_spin_lock_bh"

profile_begin() {
	echo "$functions" | tr ' ' '\n' >$trace/set_ftrace_filter
	echo 0 >$trace/options/sleep-time
	echo 1 >$trace/options/funcgraph-tail
	echo 4096 >$trace/buffer_size_kb
	echo function_graph >$trace/current_tracer
	echo 1 >$trace/tracing_on
}
# profile_end: print "FUNCTION INSTRUCTIONS" of each call, the longest calls of a function first. If
# the buffers have no room for more, these are the last calls.
profile_end() {
	echo 0 >$trace/tracing_on
	# "0)   0.234 us    |  pmct_tp_switch [pmctrack]();", or at its end "} /* pmct_tp_switch */"
	awk '{
			for (i = 1; i < NF && $i != "us"; i++) ;
			if ($i != "us" || !match($0, /pmct_[a-z_]*/)) next
			print substr($0, RSTART, RLENGTH), 1000 * $(i - 1)
		}' $trace/trace | sort -k1,1 -k2,2gr
	echo nop >$trace/current_tracer
}
# mean_of FUNCTION: instructions of a call, on average, from the output of profile_end. The longest
# of each thousand calls are left out: the one clock of all CPUs goes on while another CPU's turn
# comes in.
mean_of() {
	awk -v f="$1" '$1 == f { ns[++n] = $2 }
		END { for (i = int((n + 999) / 1000) + 1; i <= n; i++) { sum += ns[i]; calls++ } printf "%.0f", sum / calls }'
}
sum_of() { awk -v f="$1" '$1 == f { sum += $2 } END { printf "%.0f", sum }'; }

# calls_begin FUNCTION…: record all stacks in which these functions of the kernel are called
calls_begin() {
	local f
	for f; do
		echo "p:pmct/$f $f" >>$trace/kprobe_events
		echo hist:keys=common_stacktrace:size=65536 >"$trace/events/pmct/$f/trigger"
	done
}
# calls_from PATTERN EXCEPT FUNCTION…: how often the functions were called by a caller that matches
# PATTERN, with none in between that matches EXCEPT
calls_from() {
	local f pattern=$1 except=$2; shift 2
	for f; do
		awk -v p="$pattern" -v e="$except" '/^\{/ { mine = others = 0 } !mine && $0 ~ e { others = 1 } $0 ~ p { mine = 1 }
			/hitcount:/ { if (mine && !others) n += $NF; mine = 0 } END { print n + 0 }' "$trace/events/pmct/$f/hist"
	done | awk '{ n += $1 } END { print n + 0 }'
}
calls_end() {
	local f
	for f; do echo '!hist:keys=common_stacktrace:size=65536' >"$trace/events/pmct/$f/trigger"; done
	echo >$trace/kprobe_events
}

insmod "$KO" hooks=tracepoint
cpus=$(nproc)

# least_mean NAME FUNCTION COMMAND…: "NAME_CPUS MEAN" of the function's calls while COMMAND runs;
# the least of three, because that can happen more often than mean_of leaves out
least_mean() {
	local name=$1 f=$2; shift 2
	for _ in 1 2 3; do
		profile_begin
		"$@" >/dev/null 2>&1
		profile_end | mean_of "$f"
		echo
	done | sort -g | sed -n "1s/^/${name}_$cpus /p"
}
least_mean unmonitored pmct_tp_switch $S/pingpong
least_mean switch pmct_tp_switch pmctrack -L -c $ours $S/pingpong
least_mean record pmct_sample_close pmctrack -S -T 0.01 -N 1 -A -c $ours

# All CPUs sample by events at once, and one process reads, with rings of 256 KiB. Prints "MESSAGES
# COST": messages about losses, and a CPU's instructions for each sample, including the window.
# Emulated CPUs take turns, so the time that all of them had for their samples is guest time.
all_sample() {
	local rounds=10000000 window=12000
	rm -f /tmp/gate
	mkfifo /tmp/gate
	pmctrack -k 256K -A -o /tmp/samples -c instr:ebs=$window bash -c "
		for ((c = 0; c < $cpus; c++)); do
			taskset -c \$c bash -c '{ read -r || :; } </tmp/gate; exec $S/burn $rounds' &
		done
		sleep 0.3; : >/tmp/gate; wait" >/tmp/burns 2>/tmp/err
	# Two instructions a round.
	sort -k2gr /tmp/burns | awk -v of="$((cpus * (2 * rounds / window)))" -v messages="$(wc -l </tmp/err)" -v cpus="$cpus" \
		'NR == 1 { longest = $2 } END { if (NR != cpus) exit 1; printf "%d %.0f\n", messages, longest / of }'
}
if [ "$cpus" = 16 ]; then
	echo ebs_cpu_percent=0 >/proc/pmc/config
	# Take the least of three, for the same reason.
	for _ in 1 2 3; do all_sample; done | sort -g | sed -n '1s/\(.*\) \(.*\)/sampling_lost \1\nsampling \2/p'
	echo ebs_cpu_percent=25 >/proc/pmc/config
fi

# shellcheck disable=SC2086
{
	calls_begin $locks
	pmctrack -S -T 0.01 -N 0.5 -A -c $ours >/dev/null 2>&1
	pmctrack -T 0.01 -A -c $ours $S/pingpong >/dev/null 2>&1
	echo "locks_$cpus $(calls_from 'pmct_(tp_switch|sample_close|syswide_timer)[+].*pmctrack' ' none ' $locks)"
	echo "locks_seen_$cpus $(calls_from pmctrack ' none ' $locks)"
	calls_end $locks
}

for threads in "$@"; do
	sysctl -qw kernel.threads-max=30000 kernel.pid_max=32768 vm.max_map_count=200000
	start_waiting 00001000 "$threads"
	profile_begin
	pmctrack -p "$waiting" -N 0.01 -A -c $ours >/dev/null 2>&1
	profile_end >/tmp/profile
	echo "attach_${cpus}_$threads $(($(sum_of pmct_attach_ioctl </tmp/profile) / threads))"
	echo "detach_${cpus}_$threads $(($(sum_of pmct_session_end </tmp/profile) / threads))"
	# shellcheck disable=SC2086
	{
		calls_begin synchronize_rcu $interrupts
		pmctrack -p "$waiting" -N 0.01 -A -c $ours >/dev/null 2>&1
		echo "waits_${cpus}_$threads $(calls_from pmctrack ' none ' synchronize_rcu)"
		echo "interrupts_${cpus}_$threads $(calls_from pmctrack "$others" $interrupts)"
		calls_end synchronize_rcu $interrupts
	}
	kill -9 "$waiting"
	wait "$waiting" 2>/dev/null || true
done
