# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Output files: what happens to an existing file, and what happens if writing fails.

# ends_with_error REGEX COMMAND…: COMMAND ends by itself, soon, with status 1 and one error line
ends_with_error() {
	local regex=$1; shift
	expect_status 1 "$@"
	grep -qE -- "^pmctrack: $regex$" $ERR || fail "'$*' says: $(cat $ERR)"
	equal "$(grep -vc '^pmctrack: [0-9]* threads of background' $ERR)" 1 "lines of '$*'"
	idle
}

test_reader_goes_away() {
	bash -c 'while :; do :; done' & running=$!
	# The reader ends after some rows, or before the first one.
	ends_with_error "cannot write the counts: Broken pipe" \
		bash -o pipefail -c 'pmctrack -S -T 0.02 -c cycles | head -n 4 >/dev/null'
	ends_with_error "cannot write the counts: Broken pipe" \
		bash -o pipefail -c "pmctrack -p $running -T 0.02 --csv -c cycles | head -n 2 >/dev/null"
	ends_with_error "cannot write the counts: Broken pipe" \
		bash -o pipefail -c 'pmctrack -S -T 0 -A -c cycles | sleep 0.1'
	ends_with_error "cannot write the counts: Broken pipe" \
		bash -o pipefail -c "pmctrack -p $running -T 0 --summary -c cycles | sleep 0.1"
	kill -0 $running || fail "the process was ended, too"
	kill $running
	wait $running || true
}

test_full_disk() {
	mkdir -p /tmp/small
	mountpoint -q /tmp/small || mount -t tmpfs -o size=16k none /tmp/small
	bash -c 'while :; do :; done' & running=$!
	ends_with_error "cannot write /tmp/small/out: No space left on device" \
		pmctrack -S -T 0.004 --json -c cycles -o /tmp/small/out
	rm /tmp/small/out
	ends_with_error "cannot write /dev/full: No space left on device" \
		pmctrack -p $running -T 0.02 -c cycles -o /dev/full
	head -c 16k /dev/zero >/tmp/small/zero
	ends_with_error "cannot write /tmp/small/metrics: No space left on device" \
		pmctrack -S --openmetrics -T 0.02 -c cycles -o /tmp/small/metrics
	equal "$(ls /tmp/small)" zero "files left behind"
	kill $running
	wait $running || true
	umount /tmp/small
}

# If writing fails, the program goes on undisturbed, and the exit status is that of pmctrack.
test_program_goes_on() {
	rm -f /tmp/finished
	ends_with_error "cannot write the counts: Broken pipe" bash -o pipefail -c \
		'pmctrack -T 0.01 -c cycles bash -c "for i in {1..20}; do sleep 0.02; done; echo done >/tmp/finished; exit 3" | true'
	equal "$(cat /tmp/finished)" "done"
	rm /tmp/finished
	ends_with_error "cannot write /dev/full: No space left on device" \
		pmctrack -S -T 0.01 -c cycles -o /dev/full bash -c "for i in {1..20}; do sleep 0.02; done; echo done >/tmp/finished"
	equal "$(cat /tmp/finished)" "done"
	rm /tmp/finished
}

# Commands that print once and end.
test_other_output() {
	local command
	for command in "pmctrack --help" "pmctrack --version" "pmctrack -m list" "pmctrack doctor" \
			"pmctrack doctor --json" "pmc-events --help" "pmc-events --version" "pmc-events -I"; do
		expect_status 1 bash -c "$command >/dev/full"
		grep -q "^${command%% *}: cannot write: No space left on device" $ERR || fail "$command says: $(cat $ERR)"
	done
}

# A run that is refused, for whatever reason, leaves the file as it was, or makes none.
test_refused_run_keeps_the_file() {
	local args file
	start_attached /tmp/mine -S -T 0.1 -c cycles
	chmod 777 /tmp
	while read -r args; do
		for file in /tmp/keep /tmp/none; do
			rm -f /tmp/none
			echo "of yesterday" >/tmp/keep
			chmod 666 /tmp/keep
			# shellcheck disable=SC2086 # words are arguments
			! ${args%% *} -o $file ${args#* } >$OUT 2>$ERR || fail "accepted: $args"
			equal "$(cat /tmp/keep)" "of yesterday" "after: $args"
			[ ! -e /tmp/none ] || fail "a file was made by: $args"
		done
	done <<-'E'
		pmctrack -c no_such_event true
		pmctrack -T x true
		pmctrack -c instr -m nonsense true
		pmctrack -V nothing true
		pmctrack -c cycles ./no-such-program
		pmctrack -c cycles /etc/passwd
		pmctrack -c cycles -b 77 true
		pmctrack -c cycles -k 1K true
		pmctrack -c cycles -p 99999999
		pmctrack -S -c cycles
		pmctrack -S --openmetrics -c cycles
		pmctrack --cgroup /nowhere -c cycles --json
		user-pmctrack -c cycles:k true
		user-pmctrack -S -c cycles --csv
	E
	kill -INT $mine
	wait $mine
	rm -f /tmp/keep
}
user-pmctrack() { user pmctrack "$@"; }

test_file_is_replaced() {
	seq 1000 >/tmp/mine
	expect_status 0 pmctrack -o /tmp/mine -c cycles true
	equal "$(head -n 1 /tmp/mine)" "[Event-to-counter mappings]"
	! grep -qx 1000 /tmp/mine || fail "something of before is left"
	expect_refusal 1 "-o /tmp: Is a directory" pmctrack -o /tmp -c cycles true
	expect_refusal 1 "-o /no/such/metrics: No such file" pmctrack -S --openmetrics -o /no/such/metrics -c cycles true
	# Output to a named pipe, and to a pipe without a name.
	rm -f /tmp/fifo; mkfifo /tmp/fifo
	cat /tmp/fifo >$OUT & reader=$!
	pmctrack -o /tmp/fifo -c cycles true
	wait $reader
	equal "$(rows_of $OUT exit)" 1 "rows of the one with a name"
	rm /tmp/fifo
	pmctrack -o /proc/self/fd/1 -c cycles true | cat >$OUT
	equal "$(rows_of $OUT exit)" 1 "rows of the one without"
}
