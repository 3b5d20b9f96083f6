# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2329 # called by name
# In the guest of "emulated": write rows of each program, alone and beside the others, here.
set -e
names=(xz sqlite3 python3 numpy)
head -c 3000000 "$(readlink -f /usr/bin/python3)" >/tmp/text
cp "$(readlink -f /usr/bin/python3)" /tmp/numpy-python
# Alternatives are not set up in this userland.
export LD_LIBRARY_PATH=$LD_LIBRARY_PATH:/usr/lib/x86_64-linux-gnu/blas:/usr/lib/x86_64-linux-gnu/lapack OPENBLAS_NUM_THREADS=1
xz() { exec xz -T1 -3 -c /tmp/text; }
sqlite3() {
	exec sqlite3 :memory: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120000)
		SELECT count(*) FROM (SELECT i * 7919 % 60013 AS k FROM n ORDER BY k)"
}
python3() {
	exec python3 -c 'd = {i * 7919 % 99991: str(i) for i in range(90000)}
for _ in range(3): sum(len(d[k]) for k in sorted(d))'
}
# A copy of python3: the module takes two processes that execute one file for the same program.
numpy() {
	PYTHONHOME=/usr exec /tmp/numpy-python -c 'import numpy as np
a = np.random.default_rng(1).random((330, 330))
for _ in range(3): a = a @ a; a /= a.max()'
}
export -f "${names[@]}"

# measure NAME OPTION…: run a program on a CPU of its own, under pmctrack
measure() {
	local cpu=0 name
	for name in "${names[@]}"; do [ "$name" != "$1" ] || break; cpu=$((cpu + 1)); done
	taskset -c $cpu pmctrack --csv -T 0.1 "${@:2}" bash -c "$1" >/dev/null
}
# measure_beside NAME OPTION…: the same while the other programs run, again and again
measure_beside() {
	local other others=()
	for other in "${names[@]}"; do
		[ "$other" = "$1" ] || { (while :; do measure "$other" "${virtual[@]}" -o /dev/null 2>/dev/null; done) & others+=($!); }
	done
	sleep 1
	measure "$@"
	kill "${others[@]}"
	while pkill -x 'pmctrack|xz' || pkill -x 'sqlite.|py.*' || pkill -x 'numpy.*'; do sleep 0.1; done
	wait || true
}

# The module learns from three runs alone, and knows the programs then. Its counts say what was
# true.
insmod /opt/pmctrack/modules/pmctrack_mmon_fair_progress.ko address_instr=100000
echo fair_progress >/proc/pmc/mmon_manager
virtual=(-V progress,windows,valid_windows)
for name in "${names[@]}"; do
	for run in 1 2 3; do measure "$name" "${virtual[@]}" -o "$name-alone.csv"; done
done
for name in "${names[@]}"; do measure_beside "$name" "${virtual[@]}" -o "$name-beside.csv"; done
cat /proc/pmc/mmon_state >state
echo none >/proc/pmc/mmon_manager
rmmod pmctrack_mmon_fair_progress
