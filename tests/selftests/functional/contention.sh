# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The monitoring module "contention" on a simulated machine: the misses of other threads, and the
# speed of a thread in relation to its speed alone.
. "$(dirname "${BASH_SOURCE[0]}")/sim.sh"
. "$(dirname "${BASH_SOURCE[0]}")/models.sh"

# contention_model TYPE [WHAT]: a model by which 400 of 1000 stalls would be there alone, if others
# do nothing. Lines with WHAT are left out
contention_model() {
	printf '%s\n' "pmctrack-model 2 contention" "from $(pmu "$1")" "big $(pmu 1)" "guard 90" \
		"given others_llc_misses" "set instr,cycles,stall_backend,llc_misses" \
		"feature instr cycles 1000 0 8000" "feature stall_backend cycles 10000 0 10000" \
		"feature others_llc_misses cycles 1000000 0 4000000000" \
		"output undisturbed $(pmu "$1") 400000 10" "stump 2 1 0 200000" \
		"output speedup_factor $(pmu 2) 2000000 50" end | grep -v -- "${2-nothing}"
}

# With training=1, the module counts the misses of others in the same cache, and of no other cache.
test_contention_others() {
	only sim
	[ "$(sed -n 's/^pmu: simulated_\(.*\)_.*/\1/p' /proc/pmc/info | head -n 1)" = 2B-2S ] || only "two caches"
	local neighbour cpu misses
	insmod $MODULES/pmctrack_mmon_contention.ko training=1
	echo contention >$MANAGER
	taskset -c 1 pmctrack -T 0.02 -V others_llc_misses -o /tmp/neighbours simapp -j -x 60 lbm >/tmp/neighbour & neighbour=$!
	sleep 0.2
	for cpu in 0 2; do
		taskset -c $cpu pmctrack --csv -T 0.02 -c instr,cycles -V others_llc_misses -o /tmp/mine$cpu simapp -x 20 gamess
	done
	pmctrack -S --csv -T 0.02 -c instr -V others_llc_misses -o /tmp/cpus sleep 0.2
	kill -0 $neighbour || fail "the neighbour ended too soon"
	wait $neighbour
	equal "$(csv_sum /tmp/mine2 others_llc_misses)" 0 "misses in another cache"
	# To a CPU, those are others that run on other CPUs.
	equal "$(paste -d' ' <(csv /tmp/cpus cpu) <(csv /tmp/cpus others_llc_misses) |
		awk '{ sum[$1] += $2 } END { for (i = 0; i < 4; i++) printf "%d ", (sum[i] > 0) }')" "1 0 0 0 " "CPUs with misses of others"
	misses=$(awk -v m="$(csv_sum /tmp/mine0 others_llc_misses)" -v ns="$(csv_sum /tmp/mine0 hw_ns)" 'BEGIN { print m / ns * 1e9 }')
	near "$misses" "$(awk -v m="$(truth /tmp/neighbour llc_misses)" -v s="$(truth /tmp/neighbour cpu_s)" 'BEGIN { print m / s }')" 10 \
		"misses of a neighbour in a second"
	without_modules
}

# The module's values are those of the model for the counts of the round.
test_contention_quality() {
	hybrid
	local type
	insmod $MODULES/pmctrack_mmon_contention.ko
	for type in 1 2; do contention_model $type | give; done
	echo contention >$MANAGER
	for type in 1 2; do
		taskset -c "$(first_cpu $type)" pmctrack --csv -T 0.02 -V quality,sf -o /tmp/mine simapp -x 10 mcf
		# The program is alone: below the model's step. Counts stand before virtual
		# counters, as in the set.
		paste -d' ' <(csv /tmp/mine pmc1) <(sed 1d /tmp/mine | cut -d, -f16) <(csv /tmp/mine quality) <(csv /tmp/mine sf) |
			awk '$3 != "" { n++; want = 1000 - int(int($2 * 10000 / $1) * 600 / 10000)
					if ($3 != want || $4 != 2000) { bad++; print "# " $0 ", and not " want } if ($3 < 900) low++ }
				END { print "# " n " estimates of " NR " samples, " bad + 0 " bad"; exit !(n >= 3 && low && !bad) }' ||
			fail "on type $type"
	done
	without_modules
}

test_contention_of_others() {
	hybrid
	local type
	insmod $MODULES/pmctrack_mmon_contention.ko
	for type in 1 2; do contention_model $type | give; done
	echo contention >$MANAGER
	echo 2 >/proc/sys/kernel/perf_event_paranoid
	for type in others_llc_misses quality sf; do
		expect_refusal 1 "virtual counter $type shows what others do, too: that needs CAP_PERFMON" \
			user pmctrack -V $type true
	done
	without_modules
}

# history_of MS: lbm runs alone first, then beside others; $quality: the mean, $late: that of
# the last quarter of its time, $true: of all the time
history_of() {
	local cpu others=()
	echo "$1" >/sys/module/pmctrack_mmon_speed_history/parameters/history_ms
	taskset -c 0 pmctrack --csv -T 0.05 -V quality,sf -o /tmp/mine simapp -j -x 50 lbm >/tmp/truth & mine=$!
	sleep 0.7
	for cpu in $(seq 1 $(($(nproc) - 1))); do taskset -c "$cpu" simapp -x 400 libquantum >/dev/null & others+=($!); done
	wait $mine
	kill "${others[@]}"; wait "${others[@]}" || true
	true=$(awk -v alone="$(alone /tmp/truth 1)" -v cpu="$(truth /tmp/truth cpu_s)" 'BEGIN { print alone / cpu }')
	read -r samples quality late < <(paste -d' ' <(csv /tmp/mine hw_ns) <(csv /tmp/mine quality) | awk '
		{ total += $1; t[NR] = $1; q[NR] = $2 }
		END { for (i = 1; i <= NR; i++) {
				at += t[i]
				if (q[i] == "") continue
				n++; ns += t[i]; sum += t[i] * q[i]
				if (at > 0.75 * total) { late_ns += t[i]; late += t[i] * q[i] }
			} print n + 0, sum / ns / 1000, late / late_ns / 1000 }')
	echo "# history of $1 ms: quality $quality of $samples samples, late $late, true $true"
	[ "$samples" -ge 10 ] || fail "few samples"
	# It was on one core type only.
	[ -z "$(csv /tmp/mine sf | tr -d '\n')" ] || fail "factors: $(csv /tmp/mine sf | paste -sd' ')"
}

# speed_history needs no model: it compares with the best speed lately, here that from before others
# began. So the mean of its values is the true one, as long as the phase is the same. When the best
# speed is forgotten, what others take is not seen any more.
test_contention_history() {
	hybrid
	local quality late true samples off=0.05
	# The time of a sample includes interrupts, which a debug kernel handles slowly.
	[ ! -e /proc/lockdep ] || off=0.15
	insmod $MODULES/pmctrack_mmon_speed_history.ko
	echo speed_history >$MANAGER
	history_of 60000
	awk -v q="$quality" -v t="$true" -v off=$off 'BEGIN { exit !(t < 0.9 && q > t - off && q < t + off) }' || fail "quality $quality, true $true"
	awk -v l="$late" -v t="$true" 'BEGIN { exit !(l < t + 0.05) }' || fail "late quality $late"
	history_of 200
	awk -v l="$late" 'BEGIN { exit !(l > 0.95) }' || fail "not forgotten: late quality $late"
	without_modules
}

# An unknown core type is refused. Quality by a thread's own counts is no secret.
test_contention_history_refused() {
	hybrid
	insmod $MODULES/pmctrack_mmon_speed_history.ko big=7
	! echo speed_history 2>/dev/null >$MANAGER || fail "active"
	log_says "speed_history: there is no core type of index 'big'"
	rmmod pmctrack_mmon_speed_history
	insmod $MODULES/pmctrack_mmon_speed_history.ko
	echo speed_history >$MANAGER
	echo 2 >/proc/sys/kernel/perf_event_paranoid
	user pmctrack -V quality,sf true >/dev/null
	without_modules
}

# If something is missing in a model, the log says it, and the module stays inactive. Other modules
# do not have this event.
test_contention_refused() {
	hybrid
	insmod $MODULES/pmctrack_mmon_contention.ko
	insmod $MODULES/pmctrack_mmon_speedup_factor.ko
	local type
	! echo contention 2>/dev/null >$MANAGER || fail "active without a model"
	log_says "monitoring module contention: no model for the counters of $(pmu 1): make one"
	for type in 1 2; do contention_model $type "undisturbed\|stump" | give; done
	! echo contention 2>/dev/null >$MANAGER || fail "active without an output"
	log_says "the model for $(pmu 1) does not say how threads disturb each other: train it anew"
	for type in 1 2; do contention_model $type | sed 's/,llc_misses$//' | give; done
	! echo contention 2>/dev/null >$MANAGER || fail "active without llc_misses"
	log_says "its models do not count llc_misses: train them anew"
	! contention_model 1 | sed 's/^pmctrack-model 2 .*/pmctrack-model 2 speedup_factor/' | give 2>/dev/null || fail "taken"
	log_says "monitoring module speedup_factor has no event 'others_llc_misses'"
	! grep '^\[\*\]' $MANAGER || fail "a module is active"
	without_modules
}
