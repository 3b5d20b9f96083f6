# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Policies of pmctrack-sched while everything changes all the time. The matrix runs this on kernels
# with lockdep and KASAN, too (guest-sched-churn-debug).
. "$(dirname "${BASH_SOURCE[0]}")/sched_ext.sh"

# churn SECONDS: start, stop, move, renice and kill processes, and change their scheduling class.
# The processes compute, sleep, yield, fork, execute others and use pipes. Prints how many changes.
churn() {
	cat >/tmp/churn.py <<-'E2'
		import os, random, signal, sys, time

		KINDS = 6
		lot = random.Random(1)
		end = time.monotonic() + float(sys.argv[1])

		def work(kind):
		    if kind == 1:
		        time.sleep(0.001)
		    elif kind == 2:
		        os.sched_yield()
		    elif kind == 3:
		        pid = os.fork()
		        if pid == 0:
		            os._exit(0)
		        os.waitpid(pid, 0)
		    elif kind == 4:
		        pid = os.fork()
		        if pid == 0:
		            os.execv("/bin/true", ["true"])
		        os.waitpid(pid, 0)
		    elif kind == 5:
		        out, into = os.pipe()
		        os.write(into, b"x")
		        os.read(out, 1)
		        os.close(out)
		        os.close(into)

		def start():
		    kind = lot.randrange(KINDS)
		    pid = os.fork()
		    while pid == 0:
		        work(kind)
		    return pid

		def change(pid):
		    which = lot.randrange(7)
		    if which == 0:
		        os.kill(pid, signal.SIGSTOP)
		    elif which < 3:
		        os.kill(pid, signal.SIGCONT)
		    elif which == 3:
		        cpus = range(os.cpu_count())
		        os.sched_setaffinity(pid, lot.sample(cpus, lot.randint(1, len(cpus))))
		    elif which == 4:
		        os.setpriority(os.PRIO_PROCESS, pid, lot.randint(-20, 19))
		    elif which == 5:
		        os.sched_setscheduler(pid, lot.choice((os.SCHED_BATCH, os.SCHED_OTHER, os.SCHED_IDLE)),
		                              os.sched_param(0))
		    else:
		        # For a moment only: it may compute.
		        os.sched_setscheduler(pid, os.SCHED_FIFO, os.sched_param(1))
		        os.sched_setscheduler(pid, os.SCHED_OTHER, os.sched_param(0))

		children, changes = [], 0
		while time.monotonic() < end:
		    if len(children) < 16 and lot.random() < 0.2:
		        children.append(start())
		    elif children and lot.random() < 0.03:
		        pid = children.pop(lot.randrange(len(children)))
		        os.kill(pid, signal.SIGKILL)
		        os.waitpid(pid, 0)
		    elif children:
		        change(lot.choice(children))
		    changes += 1
		    time.sleep(0.002)
		for pid in children:
		    os.kill(pid, signal.SIGKILL)
		    os.waitpid(pid, 0)
		print(changes)
	E2
	nice -n -20 python3 /tmp/churn.py "$1"
}

# Each policy still runs after the changes, and ends with status 0.
test_churn() {
	scx
	hybrid
	local name seconds=2 changes i beside=()
	[ ! -e /proc/lockdep ] || seconds=20
	metrics
	insmod $MODULES/pmctrack_mmon_oracle.ko
	insmod $MODULES/pmctrack_mmon_speed_history.ko
	insmod $MODULES/pmctrack_mmon_fair_progress.ko peak=109375 address_instr=200000
	for name in "-m oracle "{rr,a-dwrr,eqp,hsp,acfs,ef-driven,prim,cafs} camps "--training 100 fps"; do
		# shellcheck disable=SC2086 # several words
		sched_begin -j $name
		# For training: programs that transfer many lines are kept out meanwhile.
		[[ $name != *fps ]] || for i in 1 2 3 4; do simapp -x 10000 mcf >/dev/null & beside+=($!); done
		churn $seconds >/tmp/changes
		state_is enabled || fail "$name: $(cat /tmp/sched.err)"
		changes=$(cat /tmp/changes)
		echo "# $name: $changes changes"
		[ "$changes" -ge 50 ] || fail "only $changes changes under $name"
		sched_end
		[[ $name != *fps ]] || tail -n 1 /tmp/sched | grep -qE '"training_quanta":[1-9]' || fail "nobody was trained"
	done
	kill "${beside[@]}"
	wait "${beside[@]}" || true
	no_metrics
}
