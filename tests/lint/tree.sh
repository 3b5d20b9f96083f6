# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Checks of the tree that need no kernel. For tests/lint/run, which lists them.

showstopper=userland/showstopper	# its folder
simapp=userland/simapp

spdx() {
	local f
	for f in $(files '*' | grep -vE '^LICENSES/|/samples/|^debian/|^Documentation/ABI/|\.(patch|md|map|in|1|5)$|/profiles/.*\.json$|VERSION|^\.gitignore'); do
		head -n 5 "$f" | grep -q SPDX-License-Identifier || echo "no SPDX line: $f"
	done
}

# The direction of dependencies (Documentation/design.md, "Layers").
layering() {
	files 'module/pmu-backends/*.[ch]' | grep -v /tests/ | xargs grep -nE '#include "(\.\./)*core/' && echo "a backend includes the core"
	files 'module/core/*.[ch]' | grep -v /tests/ | xargs grep -nE 'pmu-backends/|asm/sysreg' && echo "the core names a backend"
	files 'module/*.[ch]' | grep -vE 'core/hooks_patch.c|core/tie_patch.h|compat/|bpf/|mmon/tests/' | grep -vE 'pmctrack/pmcs(_types|[.]bpf)[.]h$' | xargs grep -nE '<linux/pmctrack.h>|prof_enabled|pmcs_' |
		grep -vE ':\s*(\*|/\*)|pmc_ops' && echo "only hooks_patch.c, tie_patch.h and compat/ touch the kernel patch"
	files 'module/mmon/*.[ch]' | xargs grep -nE '#include "' |
		grep -vE '"((\.\./)?(mmon-common|models|regression|fixed_log|estimates|energy-common|quality_rate|quality_sampler|fair|neighbours|phases|phase_predictor|progress|program_record)|\.\./sensors/(energy|cache)|\.\./compat/(hrtimer|idle|isolation|task)).h"$' &&
		echo "a monitoring module includes more than mmon.h and what modules share"
	files 'module/sensors/*.[ch]' | grep -v /tests/ | xargs grep -nE '#include "(\.\./)*core/' && echo "a sensor includes the core"
	files 'module/*.[ch]' | xargs grep -nE 'LINUX_VERSION_CODE|KERNEL_VERSION' && echo "a version check: look for the feature (module/Kbuild)"
	files 'module/core/evset.c' 'module/core/event_names.c' 'module/core/ring.c' |
		xargs grep -nE '\bpmct_backend->|<linux/netlink|seq_file' && echo "evset, event_names and ring are pure"
	true
}

long_files() { files '*.c' '*.h' '*.sh' '*.py' | xargs wc -l | awk '$2 != "total" && $1 > 600 { print $1, $2 }'; }

# Every public function of the library is documented.
library_documented() {
	local f h=userland/libpmctrack/include/pmctrack/libpmctrack.h
	for f in $(grep -oE '\bpmctrack_[a-z_]+\(' $h | grep -v '__attribute' | sort -u | tr -d '('); do
		grep -qE "\* $f\(\) - " $h || echo "$f is not documented in $h"
	done
}

# Options of the usage text (for example -l, --version) are in the man page. Those of pmctrack and
# pmc-events are compared where the programs are built: tests/unit/options.
man_agrees() {
	man_agrees_with $showstopper/src/options.c $showstopper/man/showstopper.1
	man_agrees_with $simapp/src/main.c $simapp/man/simapp.1
	man_agrees_with userland/throughput/cli/main.c userland/throughput/man/throughput.1
	man_agrees_with userland/qos/qosctl/main.c userland/qos/man/qosctl.1
	mandoc -T lint -W warning userland/pmctrack-cli/man/*.[15] userland/study/*.1 userland/{throughput,qos}/man/*.[138]
}
man_agrees_with() {
	local source=$1 page=$2 opt
	mandoc -T lint -W warning "$page"
	for opt in $(grep -oE '^"[ ,a-zA-Z=-]+' "$source" |
		grep -oE -- '(^"| )--?[a-zA-Z][a-z-]*' | grep -oE -- '-.*' | sort -u); do
		opt=${opt#-}
		grep -qE -- "(Fl|\|) ${opt/#-/\\\\?-}( |\$)" "$page" || echo "$page does not describe -$opt"
	done
}

# shell_clean FILE…: check the files that are shell scripts
shell_clean() {
	local scripts
	scripts=$(grep -lE '^#!.*(bash|sh)$|shellcheck shell' -- "$@")
	[ -z "$scripts" ] || shellcheck $scripts
}

# mypy's cache depends on its options, so each call has a cache of its own.
types() {
	# Debian's scipy and matplotlib have no types.
	MYPYPATH=userland/study:tests/vm mypy --no-error-summary --strict --ignore-missing-imports \
		--cache-dir="$top/build/mypy/tests" $(files "userland/study/*.py" "$showstopper/*.py" "tests/*.py")
	(cd userland/libpmctrack/python && mypy --no-error-summary --cache-dir="$top/build/mypy/bindings")
}

# pylint_clean FILE…: check the files that are Python
pylint_clean() {
	local bindings=userland/libpmctrack/python ours others
	ours=$(printf '%s\n' "$@" | sed -n "s|^$bindings/\(.*\.py\)$|\1|p")
	others=$(printf '%s\n' "$@" | grep -v "^$bindings/" | grep '\.py$')
	[ -z "$others" ] || PYTHONPATH=userland/study:tests/vm pylint --score=n --disable=import-error \
		--rcfile=$bindings/pyproject.toml $others
	[ -z "$ours" ] || (cd $bindings && pylint --score=n $ours)
}

spelling() { codespell -q 3 -L fro,nd,namd $(files '*' | grep -vE 'LICENSES|\.patch$'); }

long_prose() { python3 tests/lint/long_prose.py $(files '*'); }
