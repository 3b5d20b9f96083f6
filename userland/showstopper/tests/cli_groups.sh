# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Part of cli.sh: tests of --cgroup, --freezer, and cpusets.

# group_named NAME: the folder that a control group of version 2 would have with this name
group_named() {
	local root
	for root in /sys/fs/cgroup /sys/fs/cgroup/unified; do
		[ ! -e $root/cgroup.controllers ] || { echo "$root/$1"; return; }
	done
}

# A control group of version 2 is frozen, but not left frozen if showstopper ends or is killed.
cgroup() {
	local group run seen='' end
	group=$(group_named showstopper-test-$$)
	mkdir -p "$group" 2>/dev/null && [ -w "$group/cgroup.freeze" ] || { echo "# no control group to write to"; return 0; }
	sleep 60 & local other=$!
	echo $other >"$group/cgroup.procs"
	"$s" -q -m cdc -l 10 -d 3 --cgroup "$group/" & run=$!
	end=$((SECONDS + 6))
	until [ -n "$seen" ] || [ $SECONDS -gt $end ]; do grep -q 'frozen 1' "$group/cgroup.events" && seen=yes; done
	wait $run || fail "status $?"
	[ -n "$seen" ] || fail "never frozen"
	grep -q 'frozen 0' "$group/cgroup.events" || fail "left frozen"
	"$s" -q -m cdc -l 5 --cgroup "$group/" & run=$!
	seen=''
	until [ -n "$seen" ] || [ $SECONDS -gt $((end + 6)) ]; do grep -q 'frozen 1' "$group/cgroup.events" && seen=yes; done
	[ -n "$seen" ] || fail "never frozen again"
	# shellcheck disable=SC2046
	kill -KILL $(of_run $run); wait $run 2>/dev/null
	sleep 1
	grep -q 'frozen 0' "$group/cgroup.events" || fail "left frozen by processes that are killed"
	"$s" rescue >/dev/null
	refused 1 "showstopper is in it" bash -c "echo \$\$ >$group/cgroup.procs; exec $s -q -l 10 --cgroup $group/"
	kill $other; wait $other 2>/dev/null
	rmdir "$group"
}

# Programs that are started in a group are stopped one by one, and the load is the group's.
in_cgroup() {
	local group
	group=$(group_named showstopper-inside-$$)
	refused 1 "cgroup.procs: No such file or directory; it must be a control group" \
		"$s" -q -l 10 --cgroup "$dir" true
	refused 2 "either --cpus or --cgroup" "$s" -l 10 --cpus 0 --cgroup "$dir" true
	mkdir -p "$group" 2>/dev/null && [ -w "$group/cgroup.procs" ] || { echo "# no control group to write to"; return 0; }
	"$s" -q -m cdc -l 50 -n 2 -d 4 --json="$dir/group.json" --cgroup "$group" sleep 60 & local run=$! end=$((SECONDS + 5))
	until [ "$(wc -l <"$group/cgroup.procs")" = 2 ] || [ $SECONDS -gt $end ]; do sleep 0.05; done
	[ "$(wc -l <"$group/cgroup.procs")" = 2 ] || fail "processes in the group: $(cat "$group/cgroup.procs")"
	wait $run || fail "status $?"
	# The programs sleep, so the group's load is low, whatever the machine does.
	awk -F'"load_percent": ' '{ exit !($2 + 0 < 5) }' "$dir/group.json" || fail "load of the group: $(cat "$dir/group.json")"
	rmdir "$group"
}

# Each program is frozen in a group of its own, with all its children, and no group is left.
freezer() {
	local root group run frozen=0 end
	root=$(group_named '')
	refused 2 "--freezer, 1cdc and nbench are for programs" "$s" -l 10 --freezer -p $$
	[ -w "$root" ] || { echo "# no control groups to write to"; return 0; }
	mkdir -p "${root}showstopper-outside-$$" || return
	"$s" -q -m cdc -l 30 -n 2 --freezer --cgroup "${root}showstopper-outside-$$" sh -c 'setsid sh -c "trap : TERM; echo ready; sleep 60; echo asked" & sleep 61; :' >"$dir/stray" & run=$!
	end=$((SECONDS + 20))
	until [ "$(cat "${root}showstopper-outside-$$"/showstopper.*/cgroup.procs 2>/dev/null | wc -l)" = 8 ] ||
		[ $SECONDS -gt $end ]; do sleep 0.05; done
	until [ $frozen -gt 50 ] || [ $SECONDS -gt $end ]; do
		frozen=$((frozen + $(cat "${root}showstopper-outside-$$"/showstopper.*/cgroup.events | grep -c 'frozen 1')))
	done
	kill -TERM $run; wait $run
	[ $? = 143 ] || fail "status after SIGTERM"
	[ $frozen -gt 50 ] || fail "frozen $frozen times"
	[ "$(grep -c asked "$dir/stray")" = 2 ] || fail "strays were not asked to end: $(cat "$dir/stray")"
	rmdir "${root}showstopper-outside-$$" || fail "left: $(find "${root}showstopper-outside-$$" -mindepth 1 -type d)"
	timeout 20 "$s" -q -m cdc -l 90 -n 1 --freezer sh -c 'kill -STOP $$; exit 5' 2>"$dir/err"
	[ $? = 5 ] || fail "it was left stopped"
	# The master is killed: programs run on, in groups that rescue removes after their end.
	cp /bin/sleep "$dir/thawed"
	"$s" -q -m cdc -l 5 -n 2 --freezer sh -c "mkdir $root\$(sed -n 's/^0::.//p' /proc/self/cgroup)/below; exec $dir/thawed 60" 2>"$dir/err" & run=$!
	end=$((SECONDS + 10))
	until group=$(sed -n 's/^0::.//p' "/proc/$(pgrep -f -o "^$dir/thawed")/cgroup" 2>/dev/null) &&
		grep -qs 'frozen 1' "$root$group/cgroup.events" || [ $SECONDS -gt $end ]; do sleep 0.01; done
	kill -KILL "$(pgrep -x -P $run showstopper)"
	wait $run && fail "no error"
	grep -q 'frozen 0' "$root$group/cgroup.events" || fail "left frozen"
	grep -q "programs run on in control groups of theirs; showstopper rescue" "$dir/err" || fail "$(cat "$dir/err")"
	"$s" rescue | grep -q "can be removed when its programs have ended" || fail "rescue does not know the groups"
	pkill -KILL -f "$dir/thawed"
	end=$((SECONDS + 5))
	while [ -e "$root$group" ] && [ $SECONDS -le $end ]; do "$s" rescue >/dev/null; sleep 0.05; done
	[ ! -e "$root$group" ] || fail "rescue left $root$group"
	if [ "$(id -u)" = 0 ]; then
		XDG_RUNTIME_DIR='' SHOWSTOPPER_RUNS='' refused 1 "cannot make a control group: Permission denied; run showstopper as root, or with systemd-run" \
			setpriv --reuid=1000 --regid=1000 --clear-groups -- "$s" -q -l 50 --freezer true
		# The group is the user's, but to enter it takes access to its parent, too.
		mkdir "${root}showstopper-theirs-$$" && chown -R 1000:1000 "${root}showstopper-theirs-$$"
		XDG_RUNTIME_DIR='' SHOWSTOPPER_RUNS='' refused 1 "cannot enter its control group: Permission denied; run showstopper as root, or with systemd-run" \
			setpriv --reuid=1000 --regid=1000 --clear-groups -- "$s" -q -l 50 -n 1 --freezer --cgroup "${root}showstopper-theirs-$$" true
		rmdir "${root}showstopper-theirs-$$" || fail "a group was left"
	fi
}

# make_cpuset NAME: a control group of version 1 or 2 with CPU 0 only; prints its folder
make_cpuset() {
	local group
	if [ -e /sys/fs/cgroup/cpuset/cpuset.cpus ]; then
		group=/sys/fs/cgroup/cpuset/$1
		mkdir "$group" && cat /sys/fs/cgroup/cpuset/cpuset.mems >"$group/cpuset.mems"
	else
		group=$(group_named "$1")
		mkdir "$group" && [ -e "$group/cpuset.cpus" ] || { rmdir "$group"; return 1; }
	fi 2>/dev/null
	echo 0 >"$group/cpuset.cpus" && echo "$group"
}

# Programs run on the CPUs of --cpus, whatever affinity they inherit; or --cpus is refused.
cpus() {
	local group mask=(sh -c 'grep -x "Cpus_allowed_list:.1" /proc/self/status')
	[ "$(nproc --all)" -gt 1 ] || { echo "# one CPU"; return 0; }
	taskset -c 0 "$s" -q -m cdc -l 50 --cpus 1 "${mask[@]}" >/dev/null || fail "taskset is stronger than --cpus"
	group=$(make_cpuset "showstopper-cpus-$$") || { echo "# no cpuset to write to"; return 0; }
	refused 2 "--cpus 0-1: the cpuset of this process has no CPU 1; choose from 0, or start" \
		bash -c 'echo $$ >"$1/cgroup.procs"; exec "$2" -q -l 50 --cpus 0-1 true' - "$group" "$s"
	bash -c 'echo $$ >"$1/cgroup.procs"; exec "$2" -q -l 50 --cpus 0 true' - "$group" "$s" || fail "--cpus 0 is refused"
	rmdir "$group"
}
