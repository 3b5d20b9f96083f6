# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The Python package, on the real module.

# python ARGUMENT…: run a program from standard input, with these arguments in sys.argv[1:]
PACKAGE=/opt/pmctrack/share/pmctrack/python
python() { PYTHONPATH=$PACKAGE python3 -W error - "$@"; }

test_python_control() {
	need_instr
	local names="'cycles:k', 'instr'" fixed=True
	[ "$BACKEND" = arm64-pmuv3 ] || names="'instr', 'cycles:k'"
	python >/tmp/mine <<-'P'
		import pmctrack

		with pmctrack.Control() as ctl:
		    print(ctl.version, ctl.backend, *sorted(e.name for e in ctl.events() if e.alias_of))
		    (pmu,) = ctl.pmus
		    print(pmu.cpus, pmu.width, set(pmu.fixed) < set(pmu.counters))
		    print(ctl.parse("instr,cycles:k").names, ctl.parse_raw("pmc3=0xc0").names)
	P
	equal "$(sed -n 1p /tmp/mine | cut -d' ' -f1)" "$(cat /sys/module/pmctrack/version)" "version"
	sed -n 1p /tmp/mine | grep -q ' instr ' || fail "no event instr: $(cat /tmp/mine)"
	equal "$(sed -n 2p /tmp/mine)" "0-$(($(nproc) - 1)) $(sed -n 's/^counter_bits: //p' /proc/pmc/info) $fixed" "PMU"
	equal "$(sed -n 3p /tmp/mine)" "(${names}) ('0xc0',)" "names"
}

# A program with threads is counted from its exec to its end, without an instruction of Python's.
test_python_run() {
	need_instr
	python $S/handcount 00500000 3 >/tmp/mine <<-'P'
		import sys
		import pmctrack

		ctl = pmctrack.Control()
		with pmctrack.Session.run(ctl, "instr,cycles", sys.argv[1:], period_ns=ctl.tick_ns) as session:
		    ctl.close()
		    records = list(session)
		    stats = session.stats()
		print(sum(r.counts["instr"] for r in records))
		print(sum(r.kind == pmctrack.RecordKind.EXIT for r in records))
		print({r.tgid for r in records} == {session.process.pid}, session.process.returncode)
		print(all(0 < r.run_ns == r.hw_ns for r in records), session.over, stats.threads, stats.lost)
	P
	equal "$(sed -n 1p /tmp/mine)" "$(hand_all 00500000 3)" "instructions"
	equal "$(sed -n 2p /tmp/mine)" 4 "last records"
	equal "$(sed -n 3,4p /tmp/mine)" "True 0
True True 0 0"
}

# Children are monitored if the caller says so. The exit status is that of the program.
test_python_run_children() {
	need_instr
	python $S/handcount >/tmp/mine <<-'P'
		import sys
		import pmctrack

		with pmctrack.Control() as ctl:
		    for children in (True, False):
		        command = ["sh", "-c", sys.argv[1] + " 00100000 1; exit 7"]
		        with pmctrack.Session.run(ctl, "instr", command, children=children) as session:
		            counts = [r.counts["instr"] for r in session]
		        print(counts.count(4 + 2 * 100000), session.process.returncode)
		    try:
		        pmctrack.Session.run(ctl, "instr", ["/no/such/program"])
		    except FileNotFoundError as e:
		        print(e.filename)
	P
	equal "$(cat /tmp/mine)" "1 7
0 7
/no/such/program"
}

# The counts that a thread reads agree with its records.
test_python_read() {
	only arm64-pmuv3
	need_instr
	python >/tmp/mine <<-'P'
		import errno
		import pmctrack

		ctl = pmctrack.Control()
		with pmctrack.Session(ctl, "instr,cycles", user_read=True) as session:
		    print(session.read_counts())
		    with session.region() as region:
		        first = session.read_counts()["instr"]
		        second = session.read_counts()["instr"]
		    print(0 < first < second, session.read_counts() == region.counts)
		with pmctrack.Session(ctl, "instr") as session:
		    try:
		        session.read_counts()
		    except pmctrack.PmctrackError as e:
		        print(e.errno == errno.EOPNOTSUPP)
	P
	equal "$(cat /tmp/mine)" "{'cycles': 0, 'instr': 0}
True True
True"
}

# A loop of known length in the interpreter: the rounds by which two regions differ are counted
# exactly. In each region, user and kernel mode add up.
test_python_region() {
	need_instr
	python >/tmp/mine <<-'P'
		import ctypes
		import gc
		import mmap
		import os
		import pmctrack

		code = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
		# spin: subs x0, x0, #1; b.ne spin; ret
		arm = b"".join(i.to_bytes(4, "little") for i in (0xF1000400, 0x54FFFFE1, 0xD65F03C0))
		# spin: dec %rdi; jne spin; ret
		x86 = bytes((0x48, 0xFF, 0xCF, 0x75, 0xFB, 0xC3))
		code.write(arm if os.uname().machine == "aarch64" else x86)
		address = ctypes.addressof(ctypes.c_char.from_buffer(code))
		spin = ctypes.PYFUNCTYPE(None, ctypes.c_ulong)(address)
		gc.disable()

		session = pmctrack.Session(pmctrack.Control(), "instr,instr:k,instr:uk")

		def measure(rounds):
		    with session.region() as region:
		        spin(rounds)
		    (record,) = region.records
		    assert record.kind == pmctrack.RecordKind.SELF and record.tid == os.getpid()
		    return region.counts

		# The interpreter specializes code that it has seen a few times.
		for _ in range(50):
		    measure(1)
		few, many = measure(1000), measure(1001000)
		print(many["instr"] - few["instr"])
		print(all(c["instr"] + c["instr:k"] == c["instr:uk"] for c in (few, many)))
		with session.region() as region:
		    os.listdir("/proc")
		c = region.counts
		print(c["instr"] + c["instr:k"] == c["instr:uk"], c["instr:k"] > 1000, list(session))
	P
	equal "$(cat /tmp/mine)" "2000000
True
True True []"
}

# A process that already runs is monitored to its end and in part; a wait times out.
test_python_attach() {
	need_instr
	start_waiting 00500000 2
	python $waiting >/tmp/mine <<-'P' &
		import os
		import sys
		import pmctrack

		with pmctrack.Control() as ctl:
		    with pmctrack.Session(ctl, "instr", pids=[int(sys.argv[1])]) as session:
		        print(session.wait(0.02), session.stats().threads, flush=True)
		        print(sum(r.counts["instr"] for r in session))
		    with pmctrack.Session(ctl, "instr", pids=[os.getpid()]) as session:
		        session.detach()
		        print(*(r.kind.name for r in session))
	P
	local mine=$!
	until grep -q . /tmp/mine; do kill -0 $mine; nap 0.01; done
	go
	wait $waiting
	wait $mine
	equal "$(cat /tmp/mine)" "False 3
$(rest 00500000 2)
DETACH"
}

# All CPUs, and the threads of a control group: the counts are known after detach().
test_python_system() {
	need_instr
	mountpoint -q /sys/fs/cgroup || mount -t cgroup2 none /sys/fs/cgroup
	mkdir -p /sys/fs/cgroup/python
	start_waiting 00500000 2
	echo $waiting >/sys/fs/cgroup/python/cgroup.procs
	cat >/tmp/group.py <<-'P'
		import pmctrack

		with pmctrack.Control() as ctl:
		    group = pmctrack.Session(ctl, "instr", cgroup="/sys/fs/cgroup/python")
		    print("ready", flush=True)
		    input()
		    group.detach()
		    print(sum(r.counts["instr"] for r in group))
		    group.close()
		    with pmctrack.Session(ctl, "cycles", system=True) as session:
		        session.detach()
		        print(sorted((r.cpu, r.tid, r.kind.name) for r in session))
	P
	rm -f /tmp/over; mkfifo /tmp/over
	PYTHONPATH=$PACKAGE python3 -W error /tmp/group.py </tmp/over >/tmp/mine & mine=$!
	exec 8>/tmp/over
	until grep -q ready /tmp/mine; do kill -0 $mine; nap 0.01; done
	go
	wait $waiting
	echo >&8; exec 8>&-
	wait $mine
	equal "$(sed -n 2p /tmp/mine)" "$(rest 00500000 2)" "instructions of the group"
	equal "$(sed -n 3p /tmp/mine)" "[(0, -1, 'DETACH'), (1, -1, 'DETACH')]" "CPUs"
}

# Virtual counters: without sets of the user, the monitoring module's own events are counted, and
# the module saw the same counts.
test_python_virtual() {
	need_instr
	insmod /opt/pmctrack/modules/pmctrack_mmon_test.ko
	echo test >/proc/pmc/mmon_manager
	python $S/handcount 05000000 >/tmp/mine <<-'P'
		import sys
		import pmctrack

		def records(sets, threads, **options):
		    command = [*sys.argv[1:], threads]
		    with pmctrack.Session.run(ctl, sets, command, **options) as session:
		        return list(session)

		with pmctrack.Control() as ctl:
		    print(ctl.mmon, {"seen", "samples", "odd"} < {v.name for v in ctl.virtual_counters})
		    own = records((), "1", virtual=["seen", "samples"])
		    print(sum(sum(r.counts.values()) for r in own), sum(r.virtual["seen"] for r in own))
		    print(sum(r.virtual["samples"] for r in own) == len(own))
		    beside = records("instr", "0", virtual="odd", period_ns=ctl.tick_ns)
		    print(sum(r.counts["instr"] for r in beside))
		    without = sum("odd" not in r.virtual for r in beside)
		    print(len(beside) > 1 and abs(len(beside) - 2 * without) <= 1)
		    try:
		        pmctrack.Session(ctl, "instr", virtual="none")
		    except pmctrack.PmctrackError as e:
		        print(e.errno, e.strerror.split(":")[0])
	P
	echo none >/proc/pmc/mmon_manager
	rmmod pmctrack_mmon_test
	equal "$(cat /tmp/mine)" "test True
$(hand_all 05000000 1) $(hand_all 05000000 1)
True
$(hand_main 05000000 0)
True
2 virtual counter 'none'"
}

# The example of the package's README, with something to call and to compress.
test_python_readme() {
	only x86-intel
	need_instr
	rm -rf /tmp/readme; mkdir /tmp/readme
	cd /tmp/readme || return
	seq 100000 >data
	{
		printf 'def build():\n    sum(range(1000))\ndef search():\n    sum(range(100000))\n'
		cat $S/readme.py
	} | python >/tmp/mine
	equal "$(sed -n '1,2s/: [0-9.]* IPC, [0-9.]* misses per 1000 instructions$//p' /tmp/mine | paste -sd' ')" "build search" "phases"
	grep -qE "^[0-9]+ EXIT [0-9]+ \{'instr': [1-9][0-9]*, 'cycles': [1-9][0-9]*\}$" /tmp/mine || fail "$(cat /tmp/mine)"
	equal "$(tail -n 1 /tmp/mine)" "exit status 0"
	[ -s data.xz ] || fail "the program did not run"
}

# Exceptions have an errno and one line that says what to do, like errors of the library.
test_python_errors() {
	need_instr
	python >/tmp/mine <<-'P'
		import errno
		import threading
		import pmctrack

		def refused(call, *arguments, **options):
		    try:
		        call(*arguments, **options)
		    except pmctrack.PmctrackError as e:
		        print(errno.errorcode[e.errno], e.strerror)
		    else:
		        print("accepted", call, arguments)

		ctl = pmctrack.Control()
		refused(ctl.parse, "instructionz")
		refused(ctl.parse, "instr", pmu=3)
		refused(ctl.parse_list, ",".join(["instr"] * 20), strict=True)
		refused(pmctrack.Session, ctl, ctl.parse_raw("pmc1=zzz"))
		refused(pmctrack.Session, ctl, "instr", pids=[99999999])
		refused(pmctrack.Session, ctl, "instr", cgroup="/no/such/group")
		session = pmctrack.Session(ctl, "instr")
		refused(pmctrack.Session, ctl, "instr")
		refused(session.stop)
		refused(session.detach)
		thread = threading.Thread(target=refused, args=[session.start])
		thread.start()
		thread.join()
		session.close()
		session.close()
		refused(session.start)
		ctl.close()
		refused(ctl.parse, "instr")
	P
	cat /tmp/mine
	equal "$(cut -d' ' -f1 /tmp/mine | paste -sd' ')" \
		"EINVAL EINVAL ENOSPC EINVAL ESRCH ENOENT EBUSY EALREADY ENOTTY ESRCH EBADF EBADF"
	grep -q "^EINVAL unknown event 'instructionz'" /tmp/mine || fail "no event is named"
	grep -q "^ESRCH this session was opened for another thread" /tmp/mine || fail "no remedy"
	rmmod pmctrack
	python >/tmp/mine <<-'P'
		import pmctrack

		try:
		    pmctrack.Control()
		except pmctrack.PmctrackError as e:
		    print(e.errno, e.strerror)
	P
	load
	grep -q "^2 .*modprobe pmctrack" /tmp/mine || fail "$(cat /tmp/mine)"
}
