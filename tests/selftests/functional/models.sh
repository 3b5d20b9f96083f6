# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Monitoring modules for hybrid machines, on a simulated one: models of the speedup factor, and
# the speedup factor by visits to all core types.

MODULES=/opt/pmctrack/modules
MANAGER=/proc/pmc/mmon_manager MODEL=/proc/pmc/mmon_model
hybrid() { only sim; [ "$(grep -c ^coretype: /proc/pmc/info)" = 2 ] || only "two core types"; }
pmu() { sed -n 's/^pmu: //p' /proc/pmc/info | sed -n "$1p"; }
first_cpu() { sed -n 's/^cpus: //p' /proc/pmc/info | sed -n "$1p" | grep -oE '^[0-9]+'; }
log_says() { dmesg | tail -n 1 | grep -qE -- "$1" || fail "the log says: $(dmesg | tail -n 1)"; }
without_modules() {
	local name
	echo none >$MANAGER
	for name in speedup_factor ipc_sampling oracle ipc ef energy contention speed_history fair_progress; do
		[ ! -e /sys/module/pmctrack_mmon_$name ] || rmmod pmctrack_mmon_$name
	done
}

# A model must be written by one write, as cat writes a file.
give() { cat >/tmp/model; cat /tmp/model >$MODEL; }
# model FROM [LINE…]: a model of the IPC: 2 below 1.0, 2.5 from there on; these lines are added
model() {
	printf '%s\n' "pmctrack-model 2 speedup_factor" "from $(pmu "$1")" "big $(pmu 1)" "guard 20" \
		"set instr,cycles,l1d_misses" "set instr,cycles,branches" \
		"feature instr cycles 1000 0 8000" "feature l1d_misses instr 1000000 0 500000" \
		"feature branches instr 1000000 0 500000" "output speedup_factor $(pmu 2) 2000000 50" \
		"stump 0 1000 0 500000" "${@:2}"
}

# The module's values are those of the model for the counts of the round; sets take turns.
test_models_known() {
	hybrid
	local type
	insmod $MODULES/pmctrack_mmon_speedup_factor.ko
	equal "$(cat $MODEL)" ""
	model 1 end | give
	model 2 "stump 1 0 7 -300000" end | give
	equal "$(wc -l <$MODEL)" 2
	grep -qx "speedup_factor: from=$(pmu 2) kind=speedup_factor big=$(pmu 1) small=$(pmu 2) error_milli=50 form=steps" $MODEL
	echo speedup_factor >$MANAGER
	for type in 1 2; do
		for program in gobmk gamess; do
			taskset -c "$(first_cpu $type)" pmctrack --csv -T 0.02 -V sf -o /tmp/mine simapp -x 25 $program
			# The IPC of the last sample of a round is the one that the model gets.
			paste -d' ' <(csv /tmp/mine pmc0) <(csv /tmp/mine pmc1) <(csv /tmp/mine sf) |
				awk -v less=$((type == 2 ? 300 : 0)) '$3 != "" {
						n++; want = ($1 / $2 < 1 ? 2000 : 2500) - less; if ($3 != want) bad++ }
					END { print "# " n " estimates of " NR " samples, " bad + 0 " bad"; exit !(n >= 3 && !bad) }' ||
				fail "$program on type $type"
		done
	done
	without_modules
}

# A polynomial: (IPC + 0.001) / 1.024 * 2, which is 2 to the power of a sum of logarithms.
test_models_quadratic() {
	hybrid
	local type
	insmod $MODULES/pmctrack_mmon_speedup_factor.ko
	for type in 1 2; do
		# log2(2000) is 10.9658.
		model $type | grep -v "^output\|^stump" |
			cat - <(printf '%s\n' "quadratic speedup_factor $(pmu 2) 718654 50" "linear 0 655360 65536" end) | give
	done
	grep -q "from=$(pmu 2) .* form=quadratic$" $MODEL
	echo speedup_factor >$MANAGER
	for type in 1 2; do
		taskset -c "$(first_cpu $type)" pmctrack --csv -T 0.02 -V sf -o /tmp/mine simapp -x 25 gamess
		paste -d' ' <(csv /tmp/mine pmc0) <(csv /tmp/mine pmc1) <(csv /tmp/mine sf) |
			awk '$3 != "" { n++; d = $3 / ((int($1 * 1000 / $2) + 1) / 1024 * 2000) - 1; if (d > 0.002 || d < -0.002) bad++ }
				END { print "# " n " estimates, " bad + 0 " bad"; exit !(n >= 3 && !bad) }' || fail "on type $type: $(cat /tmp/mine)"
	done
	without_modules
}

# The module "ef" has estimates of both kinds for the same round, and the same energy as "energy".
test_models_ef() {
	hybrid
	local type
	insmod $MODULES/pmctrack_mmon_ef.ko
	for type in 1 2; do
		model $type end | sed 's/^pmctrack-model 2 .*/pmctrack-model 2 ef/' | give
	done
	! echo ef 2>/dev/null >$MANAGER || fail "active without outputs of EF"
	log_says "monitoring module ef: the model for $(pmu 1) has no output 'ef $(pmu 2)': train it anew"
	for type in 1 2; do
		model $type "output ef $(pmu 2) 3000000 70" "stump 0 1000 $((type * 1000)) 700000" end |
			sed 's/^pmctrack-model 2 .*/pmctrack-model 2 ef/' | give
	done
	echo ef >$MANAGER
	for type in 1 2; do
		taskset -c "$(first_cpu $type)" pmctrack --csv -T 0.05 -V sf,ef,energy,edp -o /tmp/mine simapp -x 60 -j gobmk >/tmp/truth
		paste -d' ' <(csv /tmp/mine pmc0) <(csv /tmp/mine pmc1) <(csv /tmp/mine sf) <(csv /tmp/mine ef) |
			awk -v low=$type '$3 != "" { n++; slow = $1 / $2 < 1
					if ($3 != (slow ? 2000 : 2500) || $4 != (slow ? 3000 + low : 3700)) bad++ }
				END { print "# " n " estimates, " bad + 0 " bad"; exit !(n >= 3 && !bad) }' || fail "on type $type: $(cat /tmp/mine)"
		# Energy of other nodes' memories is attributed to no thread. The run is long
		# enough for the energy of its beginning, which is not in the truth, to be less
		# than 1 %.
		[ "$(grep -c ^meter=dram /proc/pmc/mmon_state)" = 1 ] || continue
		awk -v a="$(csv_sum /tmp/mine energy)" -v b="$(grep -oE '"machine_energy_of_run_uj":[0-9.]+' /tmp/truth | cut -d: -f2)" \
			'BEGIN { d = a - b; exit !((d < 0 ? -d : d) <= b / 100) }' || fail "energy: $(csv_sum /tmp/mine energy), $(cat /tmp/truth)"
	done
	without_modules
}

# The active module changes a thousand times while threads run: no count is lost, nothing is left.
test_models_switched() {
	hybrid
	local i others=()
	insmod $MODULES/pmctrack_mmon_ipc.ko
	insmod $MODULES/pmctrack_mmon_ipc_sampling.ko
	insmod $MODULES/pmctrack_mmon_speed_history.ko
	insmod $MODULES/pmctrack_mmon_energy.ko
	for i in 1 2 3 4 5 6; do
		pmctrack --csv -T 0.02 -c instr -o /tmp/mine$i simapp -s $i -x 100 -j hmmer >/tmp/truth$i & others+=($!)
	done
	# "energy" takes some ms, because it looks for its meters first.
	for i in {1..250}; do
		echo ipc >$MANAGER
		echo ipc_sampling >$MANAGER
		echo speed_history >$MANAGER
		[ $((i % 10)) != 0 ] || echo energy >$MANAGER
		echo none >$MANAGER
	done
	wait "${others[@]}"
	for i in 1 2 3 4 5 6; do
		equal "$(csv_sum /tmp/mine$i instr)" "$(grep -oE '"instr":[0-9]+' /tmp/truth$i | cut -d: -f2)" "instr of $i"
	done
	without_modules
}

# With three core types: an estimate for each of the two small ones, in their order.
test_models_three_types() {
	only sim
	[ "$(grep -c ^coretype: /proc/pmc/info)" = 3 ] || only "three core types"
	local type
	insmod $MODULES/pmctrack_mmon_speedup_factor.ko
	for type in 1 2 3; do
		model $type "output speedup_factor $(pmu 3) 4000000 70" "stump 0 1000 $((type * 1000)) 500000" end | give
	done
	equal "$(wc -l <$MODEL)" 6
	echo speedup_factor >$MANAGER
	for type in 1 2 3; do
		taskset -c "$(first_cpu $type)" pmctrack --csv -T 0.02 -V sf,sf_2 -o /tmp/mine simapp -x 10 gobmk
		paste -d' ' <(csv /tmp/mine pmc0) <(csv /tmp/mine pmc1) <(csv /tmp/mine sf) <(csv /tmp/mine sf_2) |
			awk -v low=$type '$3 != "" { n++; slow = $1 / $2 < 1
					if ($3 != (slow ? 2000 : 2500) || $4 != (slow ? 4000 + low : 4500)) bad++ }
				END { print "# " n " estimates, " bad + 0 " bad"; exit !(n >= 3 && !bad) }' || fail "on type $type: $(cat /tmp/mine)"
	done
	without_modules
}

# The log says what is wrong with each model; no part of a wrong model is used.
test_models_refused() {
	hybrid
	insmod $MODULES/pmctrack_mmon_speedup_factor.ko
	insmod $MODULES/pmctrack_mmon_ipc.ko
	! echo speedup_factor 2>/dev/null >$MANAGER || fail "active without a model"
	log_says "no model for the counters of $(pmu 1): make one with pmctrack-train"
	model 1 end | give
	! echo speedup_factor 2>/dev/null >$MANAGER || fail "active with half of the models"
	log_says "no model for the counters of $(pmu 2)"
	! model 1 | give 2>/dev/null || fail "cut off"
	log_says "line 12: the line 'end' is missing"
	! model 1 "stump 9 1 1 1" end | give 2>/dev/null || fail "a feature that is not there"
	log_says "line 12: word 2 must be a number from 0 to 2"
	! head -c 70000 /dev/zero | give 2>/dev/null || fail "a large file"
	! echo hello 2>/dev/null >$MODEL || fail "another file"
	log_says "no model: its first line"
	! model 1 end | sed 's/2 speedup_factor/2 ipc/' | give 2>/dev/null || fail "a module without models"
	log_says "monitoring module ipc takes no models"
	! model 1 end | sed 's/2 speedup_factor/2 nothing/' | give 2>/dev/null || fail "a module that is not there"
	log_says "no monitoring module 'nothing'"
	! user sh -c "echo x >$MODEL" 2>/dev/null || fail "anybody may write"
	# A model for another machine is not used.
	model 2 end | sed "s/^from .*/from elsewhere/" | give
	! echo speedup_factor 2>/dev/null >$MANAGER || fail "active with a model for another machine"
	# A model whose output is for another PMU.
	model 2 end | sed "s/^output speedup_factor [^ ]*/output speedup_factor elsewhere/" | give
	! echo speedup_factor 2>/dev/null >$MANAGER || fail "active without the output"
	log_says "has no output 'speedup_factor $(pmu 2)'"
	model 2 end | give
	echo speedup_factor >$MANAGER
	! model 2 end | give 2>/dev/null || fail "replaced while it is active"
	log_says "is active: write 'none'"
	equal "$(cat $MANAGER | grep -c '^\[\*\] speedup_factor')" 1
	without_modules
}

# Modules are replaced again and again while threads run; no thread loses a count.
test_models_replaced() {
	hybrid
	insmod $MODULES/pmctrack_mmon_speedup_factor.ko
	insmod $MODULES/pmctrack_mmon_ipc_sampling.ko
	model 1 end | give
	model 2 end | give
	pmctrack --csv -T 0.01 -c instr -o /tmp/mine simapp -x 60 -n 3 -t fma3d >/tmp/truth & mine=$!
	for _ in $(seq 40); do
		echo speedup_factor >$MANAGER
		echo ipc_sampling >$MANAGER
	done
	echo none >$MANAGER
	wait $mine
	equal "$(csv_sum /tmp/mine instr)" "$(awk '$1 ~ /^[0-9]+$/ { s += $2 } END { printf "%.0f", s }' /tmp/truth)"
	without_modules
}

# A thread visits both core types: the quotient of its speeds there is that of its times alone.
test_models_sampling() {
	hybrid
	local visited program truth off=0.05 least=4 added
	# The time of a sample includes interrupts, which a debug kernel handles slowly.
	if [ -e /proc/lockdep ]; then off=0.25 least=2; fi
	insmod $MODULES/pmctrack_mmon_ipc_sampling.ko
	insmod $MODULES/pmctrack_mmon_speed_history.ko
	if_long "speed_history lbm" "ipc_sampling lbm" "speed_history hmmer"
	for visited in "ipc_sampling hmmer" "${added[@]}"; do
		program=${visited#* }
		echo "${visited% *}" >$MANAGER
		pmctrack --csv -T 0.05 -V sf -o /tmp/mine simapp -x 60 -j $program >/tmp/truth & mine=$!
		while kill -0 $mine 2>/dev/null; do
			for type in 1 2; do
				for pid in $(pgrep -x simapp); do taskset -cp "$(first_cpu $type)" "$pid" || true; done >/dev/null 2>&1
				sleep 0.12
			done
		done
		wait $mine
		truth=$(alone /tmp/truth 2 | awk -v fast="$(alone /tmp/truth 1)" '{ print $1 / fast }')
		csv /tmp/mine sf | grep . | sort -n | awk -v t="$truth" -v off=$off -v least=$least '{ v[NR] = $1 }
			END { r = v[int((NR + 1) / 2)] / 1000; print "# " r " of " NR " samples, alone " t; exit !(NR >= least && r > t * (1 - off) && r < t * (1 + off)) }' ||
			fail "$visited"
	done
	without_modules
}

# Both modules need CPUs of two types.
test_models_symmetric() {
	only sim
	local name
	on_machine 4-shared
	for name in speedup_factor ipc_sampling; do
		insmod $MODULES/pmctrack_mmon_$name.ko
		! echo $name 2>/dev/null >$MANAGER || fail "$name is active"
		log_says "$name: all CPUs of this machine are of one type"
	done
	without_modules
	on_machine ""
}

# on_machine TOPOLOGY: switch to another simulated machine of four CPUs; "" is the first one again
on_machine() {
	local module
	[ "$(nproc)" = 4 ] || only "four CPUs"
	[ -n "${first_machine-}" ] || first_machine=$(simapp --machine | sed -n 's/^simulated machine: //p')
	echo none >$MANAGER
	# Unload the modules of tests that use other machines.
	for module in pmctrack_bpf pmctrack_mmon_speed_history pmctrack_mmon_fair_progress pmctrack_mmon_quality_time pmctrack_hold pmctrack_mmon_speedup_factor; do
		[ ! -e /sys/module/$module ] || rmmod $module
	done
	rmmod pmctrack pmctrack_sim
	insmod $MODULES/pmctrack_sim.ko topology="${1:-$first_machine}"
	load
}

# state KEY: a number from the active monitoring module's state
state() { grep -o "$1=[0-9]*" /proc/pmc/mmon_state | cut -d= -f2; }
