# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154 # $top is the caller's, arrays are for the caller
# Build programs that model a machine without a guest, and list the profiles that they draw from.

# build_model NAME FILE…: build $out/NAME from NAME.c, the model of a machine, and these files
build_model() {
	local name=$1 simapp=$top/userland/simapp/src sim=$top/module/pmu-backends/sim mmon=$top/module/mmon; shift
	out=$top/build/experiments/${name%_model}
	mkdir -p "$out"
	gcc -O2 -Wall -Wextra -D_GNU_SOURCE -DPROFILES_DIR='""' -I"$simapp" -I"$top/userland/common" \
		-I"$sim" -I"$top/userland/quality-time" -I"$top/tests/fuzz/shim" -I"$top/module/include" \
		-isystem "$top/module/include/uapi" -o "$out/$name" \
		"$top/tests/experiments/pmctrack/$name.c" \
		"$simapp"/{topology,profiles,program,names,strict}.c \
		"$sim"/{model,pace,rates,tags,pmu,check,topologies}.c "$mmon/mmon-common.c" \
		"$top"/userland/common/{complain,text_file}.c "$@" -ljson-c -lm
}
# Files for programs that compute Quality Time: see model_run.h.
model_run=("$top/tests/experiments/pmctrack/model_run.c" "$top/module/mmon/quality_rate.c")

# Programs of one thread; the "heavy" ones are those that lose most beside others.
all=() heavy=()
for profile in "$top"/userland/simapp/profiles/*.json; do
	grep -q '"threads": 1, .*"parallel": 0,' "$profile" || continue
	all+=("$profile")
	case $(basename "$profile" .json) in
	GemsFDTD | art | astar | bwaves | bzip2 | facerec | lbm | libquantum | mcf | milc | omnetpp | soplex | sphinx3 | swim | wupwise)
		heavy+=("$profile") ;;
	esac
done

# The paper's programs that have profiles, and seven others, chosen by the MD5 sums of their names:
# twelve, as in the paper.
twelve=()
for name in mcf bzip2 libquantum lbm wupwise; do twelve+=("$top/userland/simapp/profiles/$name.json"); done
while read -r name; do twelve+=("$top/userland/simapp/profiles/$name.json"); done < <(
	for profile in "${all[@]}"; do
		name=$(basename "$profile" .json)
		[[ " ${twelve[*]} " = *"/$name.json "* ]] || echo "$(md5sum <<<"$name" | cut -d' ' -f1) $name"
	done | sort | head -n 7 | cut -d' ' -f2)
