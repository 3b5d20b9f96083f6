# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Helpers of the guest tests. Functions named test_* are the tests, and long_test_* those of the
# matrix; each runs in a subshell with "set -e" and fails by returning non-zero.

S=/opt/pmctrack/selftests
KO=/opt/pmctrack/modules/pmctrack.ko
SKIPPED=/tmp/skipped

# A debug kernel takes a hundred million instructions to start a process, so what tests do often is
# done by the shell itself.

# info KEY prints a value of /proc/pmc/info, nothing without the module. "into" keeps it in $value.
# RAW_…: raw strings of the guest's PMU.
into() {
	local line
	value=
	while read -r line; do
		[[ $line != "$1: "* ]] || { line=${line#*: } value=${line%% *}; return; }
	done 2>/dev/null </proc/pmc/info || true
}
info() { into "$1" && echo "$value"; }
into hooks && HOOKS=$value
into backend && BACKEND=$value
into pmu && PMU=$value
into counters && COUNTERS=$value
case $BACKEND in
x86-intel)
	RAW_INSTR=0xc0 RAW_CYCLES=0x3c RAW_BOTH=pmc0,pmc1 GENERAL=3
	# Version 1 of Intel's architectural performance monitoring has no fixed counters.
	into fixed_counters
	[ "$value" != 0 ] || RAW_BOTH=pmc0=0xc0,pmc1=0x3c GENERAL=0
	;;
perf) RAW_INSTR=0x1 RAW_CYCLES=0x0 RAW_BOTH=pmc0=0x1,pmc1=0x0 GENERAL=0 ;;
sim) RAW_INSTR=0x0 RAW_CYCLES=0x1 RAW_BOTH=pmc0,pmc1 GENERAL=2 ;;
x86-amd) RAW_INSTR=0xc0 RAW_CYCLES=0x76 RAW_BOTH=pmc0=0xc0,pmc1=0x76 GENERAL=0 ;;
# Without the module, no raw string is counted.
arm64-pmuv3 | "") RAW_INSTR=0x8 RAW_CYCLES=0x11 RAW_BOTH=pmc1=0x8,pmc0 GENERAL=1 ;;
*) echo "tests/selftests/lib.sh knows no raw strings of backend '$BACKEND'" >&2; exit 1 ;;
esac

# What this kernel looks for its own mistakes with, which makes it slow: kasan, kcsan, or none
[ "${CHECKER-}" ] || CHECKER=$(grep -oEm1 ' (kasan|kcsan)_report' /proc/kallsyms || echo none)
CHECKER=${CHECKER# } CHECKER=${CHECKER%_report}
export CHECKER

fail() { echo "# $*"; return 1; }

# nap SECONDS: a sleep. Nobody writes to the FIFO.
[ -p /tmp/never ] || mkfifo /tmp/never
nap() { read -rt "$1" <>/tmp/never || true; }

# eventually COMMAND…: repeat it until it succeeds; fails after 500 ($looks) looks. The limit is not
# a time, because that of an idle guest costs nothing. Looks become rare soon, because they take CPU
# time from what they wait for.
eventually() {
	local looked=0
	until "$@"; do
		looked=$((looked + 1))
		[ $looked -lt "${looks:-500}" ] || { fail "never: $*"; return; }
		if [ $looked -lt 20 ]; then nap 0.01; else nap 0.2; fi
	done
}
skip() { echo "$*" >$SKIPPED; exit 0; }
# only NAME: end the test as one for other guests, unless NAME is this guest's backend or hooks
only() { [ "$BACKEND" = "$1" ] || [ "$HOOKS" = "$1" ] || { echo "for $1" >/tmp/elsewhere; exit 0; }; }

# Arguments of pmctrack_mmon_test.ko: with the hooks of the kernel patch it acts as a scheduling
# class, with other hooks as a scheduler's module.
as_scheduler() { [ "$HOOKS" != patch ] || echo class=1; }

# if_long WORD…: set the array "added" to the words if the run may take long (make test-matrix). A
# test that does the same for many policies or programs does it for some of them otherwise.
if_long() { added=(); [ ! "${LONG-}" ] || added=("$@"); }

# The perf backend owns no counters, and therefore has no samples by events.
need_ownership() { [ "$BACKEND" != perf ] || { echo "for native backends" >/tmp/elsewhere; exit 0; }; }
need_ebs() { need_ownership; }

# expect_status WANT COMMAND…: output goes to $OUT and $ERR
OUT=/tmp/out ERR=/tmp/err
expect_status() {
	local want=$1 got=0; shift
	"$@" >$OUT 2>$ERR || got=$?
	[ "$got" = "$want" ] || fail "'$*' exited with $got, not $want: $(head -c 400 $ERR)"
}

# expect_refusal STATUS REGEX COMMAND…: it prints one error line, which matches, and no counts
expect_refusal() {
	local want=$1 regex=$2; shift 2
	expect_status "$want" "$@"
	grep -qE -- "$regex" $ERR || fail "'$*' says: $(cat $ERR); expected: $regex"
	[ "$(grep -vc "^Try '" $ERR)" = 1 ] || fail "'$*' says more than one line: $(cat $ERR)"
	! grep -q nsample $OUT || fail "'$*' printed counts"
}

# rows FILE: the sample rows. sum FILE COLUMN|EVENT [PID]: the sum of a count over the rows of all
# event sets. of_set FILE SET EVENT: the same for one set, from its first counter of that event.
# rows_of FILE KIND: the number of rows of a kind. It is known only with -T 0.
rows() { awk '/^ *nsample/ { on = 1; next } on && NF > 3' "$1"; }
sum() {
	case $2 in
	[0-9]*) rows "$1" | awk -v c="$2" -v p="${3-}" 'p == "" || $2 == p { s += $c } END { printf "%.0f", s }' ;;
	*) sum_event "$1" "" "$2" "${3-}" ;;
	esac
}
of_set() { sum_event "$1" "$2" "$3" ""; }
# Which counter an event has depends on the PMU, so it is looked up in the printed mappings.
sum_event() {
	awk -v set="$2" -v want="$3" -v pid="$4" '
		BEGIN { s = 0 }
		/^\[Set / { s = $2 + 0 }
		/^pmc[0-9]+=/ {
			i = index($0, "=")
			name = substr($0, i + 1)
			# An event that is counted twice has its counter in the name.
			sub(/@pmc[0-9]+$/, "", name)
			if (name == want && !(s in counter)) counter[s] = substr($0, 1, i - 1)
		}
		/^ *nsample/ { for (i = 1; i <= NF; i++) column[$i] = i; on = 1; next }
		on && NF > 3 && (pid == "" || $2 == pid) {
			s = "expid" in column ? $(column["expid"]) : 0
			if ((set == "" || s == set) && s in counter) sum += $(column[counter[s]])
		}
		END { printf "%.0f", sum }' "$1"
}
rows_of() { rows "$1" | awk -v k="$2" '{ for (i = 3; i <= 5; i++) if ($i == k) n++ } END { print n + 0 }'; }
pids() { rows "$1" | awk '!seen[$2]++ { print $2 }'; }

equal() { [ "$1" = "$2" ] || fail "${3-value}: $1, expected $2"; }

# hand_main ROUNDS THREADS / hand_thread ROUNDS: user instructions of handcount
hand_main() { echo $((58 + 9 * $2 + 2 * 10#$1)); }
hand_thread() { echo $((4 + 2 * 10#$1)); }
hand_all() { echo $(($(hand_main "$1" "$2") + $2 * $(hand_thread "$1"))); }

# Instructions are only counted when guest time is (--icount).
need_instr() {
	[ -s /tmp/instr ] || pmc-events -L | grep '^instr ' >/tmp/instr || skip "this guest does not count instructions (no --icount)"
}

# chase_until_end PID: while process PID lives, each round moves all threads of handcount and
# handwait to one of two CPUs, and their first threads to the other one. $chases: number of rounds
chase_until_end() {
	local pids pid cpu=1
	chases=0
	while kill -0 "$1" 2>/dev/null; do
		pids=$(pgrep ^hand) && chases=$((chases + 1))
		for pid in $pids; do
			taskset -ap $cpu "$pid" || true
			taskset -p $((3 - cpu)) "$pid" || true
		done >/dev/null 2>&1
		cpu=$((3 - cpu))
	done
}

# migrate_beside_others ROUNDS: a program whose four threads are moved between two CPUs, counted to
# /tmp/mine, beside two other programs with another set, counted to /tmp/other1 and /tmp/other2
migrate_beside_others() {
	local others=() i mine
	for i in 1 2; do
		pmctrack -T 0.004 -o /tmp/other$i -c cycles,cycles:k,instr $S/handcount "$1" $i &
		others+=($!)
	done
	pmctrack -T 0.02 -o /tmp/mine -c instr $S/handcount "$1" 3 & mine=$!
	chase_until_end $mine
	wait $mine "${others[@]}"
}

user() { setpriv --reuid=1000 --regid=1000 --clear-groups -- "$@"; }

# start_waiting ROUNDS THREADS: start handwait and wait until its threads sleep. $waiting is its
# PID; "go" wakes it
start_waiting() {
	rm -f /tmp/go; mkfifo /tmp/go
	$S/handwait "$1" "$2" </tmp/go & waiting=$!
	exec 7>/tmp/go
	until [ "$(cat /proc/$waiting/task/*/stat 2>/dev/null | grep -c ') S ')" = $((10#$2 + 1)) ]; do nap 0.01; done
}
go() { echo >&7; exec 7>&-; }

# start_attached FILE OPTION…: pmctrack in the background as $mine, attached when this returns
start_attached() {
	local out=$1; shift
	rm -f "$out"
	pmctrack "$@" >"$out" & mine=$!
	until grep -qs nsample "$out"; do
		kill -0 $mine
		nap 0.01
	done
}

# rest ROUNDS THREADS: instructions of handwait after its sleep
rest() { echo $((11 + 2 * 10#$1 + $2 * (3 + 2 * 10#$1))); }

CG=/sys/fs/cgroup

# cgroup_of NAME PID…: make a control group and put processes into it
cgroup_of() {
	mountpoint -q $CG || mount -t cgroup2 none $CG
	mkdir -p "$CG/$1"
	local pid
	for pid in "${@:2}"; do echo "$pid" >"$CG/$1/cgroup.procs"; done
}

# csv FILE NAME: the values of a column of CSV
csv() {
	awk -F, -v want="$2" '{ sub(/\r$/, "") }
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == want) c = i; next } { print $c }' "$1"
}
csv_sum() { csv "$1" "$2" | awk '{ s += $1 } END { printf "%.0f", s }'; }

# near A B PERCENT [WHAT]: fails if A differs from B by more than PERCENT
near() {
	awk -v a="$1" -v b="$2" -v p="$3" 'BEGIN { d = a - b; exit !(a != "" && b > 0 && (d < 0 ? -d : d) <= b * p / 100) }' ||
		fail "${4-value}: $1, expected $2 within $3 %"
}
# more GREATER SMALLER [WHAT]
more() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > b) }' || fail "${3-value}: $1 is not more than $2"; }

# ran_ns PID: its CPU time; in steps of 10 ms on kernels without /proc/PID/schedstat
ran_ns() {
	if [ -e "/proc/$1/schedstat" ]; then
		cut -d' ' -f1 "/proc/$1/schedstat"
	else
		sed 's/.*) //' "/proc/$1/stat" | awk '{ printf "%.0f", ($12 + $13) * 1e7 }'
	fi
}

# on_time CHECK…: a check of how long something takes. A kernel that looks for its own mistakes
# (KASAN) takes a good part of the CPU time for that, so there it is made, but not judged.
on_time() {
	"$@" && return
	[ "$CHECKER" = kasan ] || return
	echo "# not judged on a debug kernel"
}

# truth FILE KEY: a number of the first thread, from a file that "simapp --json" wrote
truth() { grep -oE "\"$2\":[0-9.]+" "$1" | head -n 1 | cut -d: -f2; }
# alone FILE N: seconds that the same work takes alone on core type N; type 1 is the fastest
alone() { grep -oE '"alone_s":\{[^}]*\}' "$1" | head -n 1 | tr -d '{}' | cut -d, -f"$2" | grep -oE '[0-9.]+$'; }

# Settings that tests start from: the defaults, but the rate of samples by events is not limited.
settings() {
	local setting
	for setting in unprivileged=1 ebs_cpu_percent=100 attach_max_threads=65536 user_read=1; do
		echo $setting >/proc/pmc/config
	done
}

# load ARGUMENT…: load the module with the hooks and the backend that it had
load() { insmod $KO ${HOOKS:+hooks=$HOOKS backend=$BACKEND} "$@" && settings; }
reload() { rmmod pmctrack 2>/dev/null || true; load "$@"; }

# Fails if a session is left, or if perf does not own the counters again.
info_is() { into "$1" && [ "$value" = "$2" ]; }
idle() {
	eventually info_is sessions 0 || fail "sessions that are left: $value"
	info_is counters_owned_by perf || fail "the counters were not given back: $value has them"
}
