# SPDX-License-Identifier: GPL-2.0-only
# Usage: awk [-v list_h=PATH] -f event-tables.awk events/*.events >event_tables.c
# Make the kernel's tables of portable event names from the event files. The format of
# these files is in pmc-events(1), "Event files".
#
# An event that is only a name for libpfm4 is left out, because its code depends on the
# model of the CPU. An alias without any code is left out, too.
#
# list_h is the path of list.h, which declares the tables, as seen from the result.

function fail(text) {
	printf "%s:%d: %s\n", FILENAME, FNR, text >"/dev/stderr"
	failed = 1
	exit 1
}

function is_number(text) {
	return text ~ /^0[xX][0-9a-fA-F]+$/ || text ~ /^[0-9]+$/
}

# The table of the file that was just read.
function finish_file(    i, n, k, words, codes, nr_names) {
	printf "\nstatic const struct pmct_event_name %s_names[] = {\n", table
	for (i = 1; i <= nr_aliases; i++) {
		k = split(alias[i], words, " ")
		codes = ""
		for (n = 2; n <= k; n++) {
			if (words[n] in code)
				codes = codes (codes == "" ? "" : ", ") code[words[n]]
			else if (is_number(words[n]))
				codes = codes (codes == "" ? "" : ", ") words[n]
		}
		if (codes == "")
			continue
		n = split(codes, words, ",")
		if (n > max_codes)
			fail("more than " max_codes " events with a code for one name")
		split(alias[i], words, " ")
		printf "\t{ \"%s\", %d, { %s } },\n", words[1], n, codes
		nr_names++
	}
	print "};"
	if (!nr_names)
		fail("no name has a code")
	if (fixed != "")
		printf "\nstatic const struct pmct_fixed_event %s_fixed[] = {\n%s};\n", table, fixed
	printf "\nconst struct pmct_event_table pmct_events_%s = {\n", table
	printf "\t.names = %s_names,\n\t.nr_names = ARRAY_SIZE(%s_names),\n", table, table
	if (fixed != "")
		printf "\t.fixed = %s_fixed,\n\t.nr_fixed = ARRAY_SIZE(%s_fixed),\n", table, table
	print "};"
}

BEGIN {
	max_codes = 4	# PMCT_MAX_EVENT_CODES
	print "// SPDX-License-Identifier: GPL-2.0-only"
	print "/* Made by event-tables.awk from events/: do not edit. */"
	print "#include <linux/kernel.h>"
	print ""
	print "#include \"" (list_h ? list_h : "list.h") "\""
}

FNR == 1 {
	if (table != "")
		finish_file()
	table = FILENAME
	sub(/.*\//, "", table)
	sub(/\.events$/, "", table)
	gsub(/[^a-z0-9]/, "_", table)
	nr_aliases = 0
	fixed = ""
	split("", code)
}

{ sub(/#.*/, "") }

$1 == "fixed" {
	if ($2 !~ /^pmc[0-9]+$/ || !is_number($3) || (NF > 3 && $4 != "only") || NF > 4)
		fail("expected 'fixed pmcN CODE [only]'")
	fixed = fixed sprintf("\t{ %d, %s, %s },\n", substr($2, 4), $4 == "only" ? "true" : "false", $3)
}

$1 == "code" {
	if (NF != 3 || !is_number($3))
		fail("expected 'code NAME CODE'")
	code[$2] = $3
}

$1 == "alias" {
	if (NF < 3)
		fail("expected 'alias NAME EVENT...'")
	$1 = ""
	alias[++nr_aliases] = $0
}

END {
	if (failed)
		exit 1
	if (table == "") {
		print "event-tables.awk: no event files" >"/dev/stderr"
		exit 1
	}
	finish_file()
}
