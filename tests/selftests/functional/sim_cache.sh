# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The simulated machine's cache monitor, and miss-rate curves: compared with profiles whose curves
# are known, and with the model's own account.

MODULES=/opt/pmctrack/modules
MANAGER=/proc/pmc/mmon_manager STATE=/proc/pmc/mmon_state
active() {
	only sim
	lsmod | grep -q "^pmctrack_mmon_cmt " || insmod $MODULES/pmctrack_mmon_cmt.ko
	echo cmt >$MANAGER
}
inactive() { echo none >$MANAGER; rmmod pmctrack_mmon_cmt; }
state() { sed -n "s/.* $1=\([0-9]*\).*/\1/p" $STATE | tail -n 1; }
# profile CURVE INSTR: a program with one phase whose rates do not vary; 20 accesses of the
# last-level cache per 1000 instructions
profile() {
	cat >/tmp/profile.json <<-END
		{"name": "known", "description": "a curve that is known", "threads": 1, "rounds": 1,
		 "serial": $2, "parallel": 0, "imbalance": 0, "spins": false, "phases": [
		{"instr": 100000000, "ilp": 3000, "mlp": 3600, "front_end": 40000, "branches": 25000,
		 "cond_branches": 20000, "branch_misses": 300, "l1d": 350000, "l1d_misses": 20000,
		 "itlb_misses": 0, "dtlb_misses": 500, "write_backs": 500, "energy": 1000, "wander": 0, "code": 0, "blocks": 9,
		 "l2": [[0, 1000000]], "llc": [$1]}]}
	END
}
# Only machines on which at least two CPUs share the first CPU's cache.
pair() { [ "$(nproc)" -ge 4 ] || only "two CPUs with a cache"; }

# The occupancy at the end, and the number of lines that were transferred, agree with the model.
test_sim_cache_is_true() {
	active
	pair
	local usage
	taskset -c 1 simapp -x 1000 lbm & other=$!
	# Take the last tick: at the exit, the simulated thread may not exist any more. If something
	# had its CPU after that tick, it lost a part of the cache which no sample shows. Then run
	# it again.
	for _ in 1 2 3 4 5; do
		taskset -c 3 pmctrack --csv -T 0.01 -c instr,mem_lines -V llc_usage,total_llc_bw,local_llc_bw -o /tmp/mine taskset -c 0 simapp -x 2 -j omnetpp >/tmp/truth
		usage=$(csv /tmp/mine llc_usage | awk '$1 > 0' | tail -n 1)
		! near "$usage" "$(truth /tmp/truth llc_bytes)" 3 occupancy || break
	done
	kill $other
	wait $other || true
	near "$usage" "$(truth /tmp/truth llc_bytes)" 3 occupancy
	paste -d' ' <(csv /tmp/mine time_ns) <(csv /tmp/mine mem_lines) <(csv /tmp/mine total_llc_bw) <(csv /tmp/mine local_llc_bw) |
		awk 'NF == 4 && before { n++; bytes += $3 * ($1 - before) / 1e9; lines += $2; bad += $3 != $4 } { before = $1 }
			END { d = bytes / 64 - lines; if (d < 0) d = -d
				print "# " n " samples, " bytes " bytes, " lines " lines"; exit !(n >= 10 && !bad && d <= 0.005 * lines) }' ||
		fail "$(cat /tmp/mine)"
	inactive
}

# More processes than RMIDs: some have no RMID, and no values. Afterwards all RMIDs are free.
test_sim_cache_used_up() {
	active
	local i jobs=()
	for i in {1..18}; do
		pmctrack --csv -T 0.02 -c instr -V llc_usage -o /tmp/mine$i simapp -x 1000 hmmer &
		jobs+=($!)
	done
	eventually eval '[ "$(grep -c ^rmid= $STATE)" = 15 ] && [ "$(state refused)" -gt 0 ]'
	# A CPU goes offline and comes back: no process loses or gets an RMID by that.
	echo 0 >/sys/devices/system/cpu/cpu1/online
	eventually eval '[ "$(for i in {1..18}; do [ "$(csv /tmp/mine$i nsample | wc -l)" -ge 12 ] && echo; done | wc -l)" = 18 ]'
	echo 1 >/sys/devices/system/cpu/cpu1/online
	equal "$(grep -c ^rmid= $STATE)" 15 "numbers in use, after a CPU was away"
	kill "${jobs[@]}"
	wait || true
	# The other programs may have samples without values from before they had an RMID.
	equal "$(for i in {1..18}; do csv /tmp/mine$i llc_usage | awk '$1 == "" { n++ } END { if (2 * n > NR) print }'; done | wc -l)" 3 "programs without values"
	eventually eval '[ "$(state free)" = 15 ]'
	inactive
}

# A part of the cache reveals what others do, so users without CAP_PERFMON get no curve.
test_sim_cache_of_others() {
	active
	echo 2 >/proc/sys/kernel/perf_event_paranoid
	expect_refusal 1 "virtual counter llc_usage shows what others do, too: that needs CAP_PERFMON" \
		user pmctrack -c instr -V llc_usage true
	expect_status 1 user pmctrack-mrc true
	grep -q "that needs CAP_PERFMON" $ERR || fail "$(cat $ERR)"
	inactive
}

# make_curve SIZE: make /tmp/curve.csv. Its first place depends on when the first windows end,
# because a nearly empty cache fills fast. Up to three runs are made until a curve begins below a
# tenth of the cache. A debug kernel is too slow to see so little.
make_curve() {
	local i
	# A tenth of 4 MiB; a smaller cache is filled with as many bytes as soon.
	least=0.1
	[ "$1" -ge 4096 ] && [ ! -e /proc/lockdep ] || least=0.2
	for i in 1 2 3; do
		expect_status 0 pmctrack-mrc --cpus 0 --beside-cpus 1 --beside "simapp lbm" --dwell 0.2 --window 100000 --csv -o /tmp/curve.csv simapp /tmp/profile.json
		! awk -F, -v least=$((1024 * $1)) -v part=$least 'NR == 2 { exit !($1 < least * part) }' /tmp/curve.csv || return 0
	done
}

# expect_curve CURVE SIZE: /tmp/curve.csv is within 5 % of the profile's curve at all its places. It
# has many places, and begins at a tenth of the cache ($least).
expect_curve() {
	sed 1d /tmp/curve.csv | awk -F, -v points="$1" -v size="$2" -v least=$least '
		BEGIN { n = split(points, p, /[^0-9]+/); m = 0
			for (i = 2; i < n; i += 2) { kib[++m] = p[i]; ppm[m] = p[i + 1] } }
		{ at = $1 / 1024; want = ppm[m]
		  for (i = 2; i <= m; i++) if (at < kib[i]) {
			want = ppm[i - 1] + (ppm[i] - ppm[i - 1]) * (at - kib[i - 1]) / (kib[i] - kib[i - 1]); break }
		  want *= 20 / 1e6; d = ($2 - want) / want; if (d < 0) d = -d
		  if (d > worst) { worst = d; where = at }
		  if (NR == 1) first = at
		  last = at }
		END { printf "# %d places, %.0f to %.0f KiB; largest error %.1f %%, at %.0f KiB\n", NR, first, last, 100 * worst, where
			exit !(NR >= 15 && first < least * size && last > 0.9 * size && worst <= 0.05) }' || fail "$(cat /tmp/curve.csv)"
}

# Paper on PMCTrack, Fig. 18: a curve that falls and then is flat, and one that falls all the way.
# Windows are short, because a cache that is nearly empty fills fast.
test_sim_cache_curves() {
	active
	pair
	local curve size least added
	case $(simapp --machine | sed -n 's/^simulated machine: //p') in
	2B-2S) size=4096 ;; 2B-4S) size=2048 ;; 2B-10S) size=6144 ;; 4P-8E) size=12288 ;; 4P-8E-2LP) size=24576 ;; *) size=8192 ;;
	esac
	if_long "[0, 1000000], [$((2 * size)), 100000]"
	for curve in "[0, 1000000], [$((size / 4)), 200000], [$((2 * size)), 150000]" "${added[@]}"; do
		profile "$curve" 4000000000
		make_curve $size
		expect_curve "$curve" $size
	done
	inactive
}

# Whatever happens, no process is left behind, stopped or in a group, and the output is valid.
long_test_sim_cache_curve_ends() {
	active
	pair
	profile "[0, 1000000], [4096, 200000]" 900000000000
	nothing_left() {
		! pgrep -x simapp >/dev/null || fail "left: $(pgrep -ax simapp)"
		! ls -d /sys/fs/cgroup/pmctrack-mrc-* /sys/fs/cgroup/*/pmctrack-mrc-* 2>/dev/null || fail "a group is left"
	}
	local options=(--cpus 0 --beside-cpus 1 --dwell 0.2 --json)
	expect_status 0 pmctrack-mrc "${options[@]}" --beside "simapp lbm" --seconds 2 simapp /tmp/profile.json
	python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); assert d["simulated"] and not d["interrupted"] and len(d["curve"]) > 5 and d["levels_percent"][0] == 100' $OUT
	nothing_left
	pmctrack-mrc "${options[@]}" --beside "simapp lbm" simapp /tmp/profile.json >/tmp/mine 2>$ERR & mine=$!
	eventually pgrep -x simapp >/dev/null
	sleep 2
	kill -TERM $mine
	local got=0
	wait $mine || got=$?
	equal $got 130 "status after SIGTERM"
	python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); assert d["interrupted"] and d["curve"]' /tmp/mine
	nothing_left
	# The program ignores SIGTERM, and has started another program; so has the co-runner.
	cat >/tmp/stubborn.sh <<-'END'
		trap '' TERM
		sleep 77 &
		simapp /tmp/profile.json
	END
	pmctrack-mrc "${options[@]}" --beside "bash -c 'sleep 78 & exec simapp lbm'" bash /tmp/stubborn.sh >/tmp/mine 2>$ERR & mine=$!
	eventually pgrep -f 'sleep 77' >/dev/null
	eventually pgrep -f 'sleep 78' >/dev/null
	sleep 1
	kill -HUP $mine
	got=0
	wait $mine || got=$?
	equal $got 130 "status after SIGHUP"
	! pgrep -f 'sleep 7[78]' || fail "what they have started is left"
	nothing_left
	expect_refusal 1 "co-runner 0: false ended with status 1" pmctrack-mrc "${options[@]}" --beside false simapp /tmp/profile.json
	nothing_left
	expect_refusal 1 "co-runner simapp lbm cannot be put on CPUs 77" pmctrack-mrc --beside-cpus 77 --beside "simapp lbm" simapp /tmp/profile.json
	nothing_left
	profile "[0, 1000000]" 900000000
	expect_refusal 1 "had about the same part of the cache all the time" pmctrack-mrc "${options[@]}" simapp /tmp/profile.json
	nothing_left
	expect_refusal 1 "/nowhere/curve: No such file" pmctrack-mrc -o /nowhere/curve true
	expect_status 2 pmctrack-mrc --levels 101 true
	expect_status 2 pmctrack-mrc --csv
	inactive
	expect_status 1 pmctrack-mrc "${options[@]}" --beside "simapp lbm" simapp /tmp/profile.json
	grep -q "virtual counters come from a monitoring module, and none is active" $ERR || fail "without cmt: $(cat $ERR)"
	nothing_left
}
