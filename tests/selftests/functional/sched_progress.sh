# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Fair-progress scheduling, by the true values of the simulated machine: more programs than CPUs,
# some of which lose much to others, on a machine with one core type.
. "$(dirname "${BASH_SOURCE[0]}")/sched_ext.sh"

# all_of POLICY [OPTION…]: run eight programs that take some 4 s alone; slowdowns in /tmp/slowdowns;
# $apart: the greatest of them over the smallest
all_of() {
	local i jobs=()
	sched_begin -j "$@"
	for i in "50 mcf" "100 soplex" "150 art" "190 sphinx3" "190 povray" "300 gamess" "240 mesa" "190 namd"; do
		# shellcheck disable=SC2086 # words
		simapp -j -x $i >"/tmp/${i#* }" & jobs+=($!)
	done
	wait "${jobs[@]}"
	sched_end
	for i in mcf soplex art sphinx3 povray gamess mesa namd; do
		awk -v e="$(truth /tmp/$i elapsed_s)" -v a="$(alone /tmp/$i 1)" -v n=$i 'BEGIN { print e / a, n }'
	done | sort -n >/tmp/slowdowns
	echo "# $*: slowdowns $(paste -sd' ' /tmp/slowdowns)"
	apart=$(awk 'NR == 1 { least = $1 } { most = $1 } END { printf "%.3f", most / least }' /tmp/slowdowns)
}

# With equal time, art and sphinx3 are slowed down 1.2 times as much as gamess; with fair progress
# they are not. Reports have the slowdowns, and say which programs are known.
test_scx_fps() {
	scx
	local share added
	on_machine 2x2
	insmod $MODULES/pmctrack_bpf.ko
	insmod $MODULES/pmctrack_mmon_fair_progress.ko peak=109375 address_instr=200000
	all_of rr
	awk -v a="$apart" 'BEGIN { exit !(a > 1.15) }' || on_time fail "equal time is fair here: $apart"
	all_of fps --training 100
	awk -v a="$apart" 'BEGIN { exit !(a < 1.12) }' || on_time fail "not fair: $apart"
	python3 - <<-'P' || on_time fail "$(sed -n 9p /tmp/sched)"
		import json
		report = json.loads(open("/tmp/sched").read().splitlines()[8])
		rows = [t for t in report["threads"] if t["command"] == "simapp"]
		factors = sorted(t["factor"] for t in rows)
		print("#", report["training_quanta"], "of", report["quanta"], "quanta of training; slowdowns", factors)
		assert len(rows) == 8 and all(t["confidence"] for t in rows)
		assert factors[3] < 1.05 and factors[-1] > 1.12, factors
		assert 0 < report["training_quanta"] < report["quanta"] / 2
		progress = [t["progress_s"] for t in rows]
		assert max(progress) < 1.15 * min(progress), progress
	P
	# There is no more training than allowed, or none at all.
	if_long 0 10
	for share in "${added[@]}"; do
		all_of fps --training $share
		python3 - $share <<-'P' || fail "training with --training $share: $(tail -n 1 /tmp/sched | cut -c 1-600)"
			import json, sys
			report = json.loads(open("/tmp/sched").read().splitlines()[-1])
			print("#", report["training_quanta"], "of", report["quanta"], "quanta")
			# What was not used is saved for four quanta.
			most = int(sys.argv[1]) / 100 * report["quanta"] + 4 if sys.argv[1] != "0" else 0
			assert report["training_quanta"] <= most and (report["training_quanta"] > 0) == (most > 0), report
		P
	done
	without_modules
	no_functions
	on_machine ""
}

# eight NICE…: fps and eight simulated programs, as $programs. Unless $machine and $program say
# otherwise, they do not disturb each other.
eight() {
	local nice
	programs=()
	on_machine "${machine-4-private}"
	insmod $MODULES/pmctrack_bpf.ko
	insmod $MODULES/pmctrack_mmon_fair_progress.ko address_instr=200000
	sched_begin -q fps
	for nice; do nice -n "$nice" simapp -x 10000 "${program-sjeng}" >/dev/null & programs+=($!); done
	# Then programs are loaded and known, and what each had when others began is made up for.
	sleep 8
}
no_eight() {
	kill "${programs[@]}"
	wait "${programs[@]}" || true
	sched_end
	without_modules
	no_functions
	on_machine ""
}
# times PID…: CPU times in microseconds
times() { (cd /proc && awk '{ printf "%d ", $1 / 1000 }' "${@/%//schedstat}"); }
# shares SECONDS: $shares: what each program had of the four CPUs, as a part of what all had, which
# is nearly the whole time
shares() {
	local before all
	before=$(times "${programs[@]}")
	sleep "$1"
	read -r all shares < <(echo "$before" "$(times "${programs[@]}")" | awk '{ n = NF / 2
		for (i = 1; i <= n; i++) sum += $(n + i) - $i
		printf "%d", sum / 1000; for (i = 1; i <= n; i++) printf " %.3f", 4 * ($(n + i) - $i) / sum; print "" }')
	echo "# shares: $shares of $all ms"
	on_time more "$all" $(($1 * 4000 * 95 / 100)) "CPU time of all"
}

# Weights are the kernel's, 1024 to 335: a program with nice 0 has 0.753 of a CPU, with nice 5
# 0.247. Each program is within 5 %, and so are all of a kind together.
long_test_scx_fps_weights() {
	scx
	local programs shares
	eight 0 5 0 5 0 5 0 5
	shares 8
	no_eight
	awk 'function off(x, want) { return x > want ? x / want - 1 : want / x - 1 }
		{ for (i = 1; i <= 8; i++) { all[i % 2] += $i; bad += off($i, i % 2 ? 0.753 : 0.247) > 0.05 } }
		END { exit bad || off(all[1], 4 * 0.753) > 0.05 || off(all[0], 4 * 0.247) > 0.05 }' \
		<<<"$shares" || on_time fail "nice 0 and nice 5: $shares"
}

# A program that slept has no more than the others afterwards, and no less.
long_test_scx_fps_sleeper() {
	scx
	local programs shares
	eight 0 0 0 0 0 0 0 0
	kill -STOP "${programs[0]}"
	shares 4
	awk '{ if ($1 > 0.01) exit 1; for (i = 2; i <= 8; i++) if ($i < 0.54 || $i > 0.6) exit 1 }' <<<"$shares" ||
		on_time fail "seven programs on four CPUs: $shares"
	kill -CONT "${programs[0]}"
	shares 4
	no_eight
	awk '{ for (i = 1; i <= 8; i++) if ($i < 0.47 || $i > 0.53) exit 1 }' <<<"$shares" || on_time fail "after a sleep: $shares"
}

# The module cannot see a program that is watched by a session of its user. All programs are of one
# kind and slow each other down: the hidden one's CPU time counts in full, that of the others for
# less. So no user gets more CPU time by hiding a program's losses.
long_test_scx_fps_hidden() {
	scx
	local programs shares part mine before machine=4-shared program=soplex
	# $part: what the last one has, over what the others have
	part_of_last() { part=$(awk '{ for (i = 1; i <= 7; i++) sum += $i; printf "%.3f", 7 * $8 / sum }' <<<"$shares"); }
	eight 0 0 0 0 0 0 0 0
	shares 8
	part_of_last
	awk -v p="$part" 'BEGIN { exit !(p > 0.9 && p < 1.1) }' || on_time fail "all seen: $part"
	before=$(info sessions)
	pmctrack -c instr -T 1 -o /dev/null -p "${programs[7]}" & mine=$!
	is_watched() { [ "$(info sessions)" -gt "$before" ]; }
	eventually is_watched
	# What it counted as before counts for two seconds.
	sleep 3
	shares 8
	part_of_last
	no_eight
	wait $mine || true
	awk -v p="$part" 'BEGIN { exit !(p > 0.4 && p < 0.8) }' || on_time fail "one hidden: $part"
}
