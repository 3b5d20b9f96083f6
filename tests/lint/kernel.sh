# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Checks of the module that need a kernel. They take minutes. For tests/lint/run.

objects=$top/build/sparse	# a folder for each architecture

# build_of ARCH CONFIG: the folder of a kernel
build_of() { "$vm_dir/build-kernel" --kernel 6.12 --arch "$1" --config "$2"; }

style() {
	local tree
	tree=$(build_of arm64 default)/source
	checkpatch() {
		"$tree/scripts/checkpatch.pl" --no-tree --strict --terse --no-summary --show-types "$@"
	}
	checkpatch -f $(files 'module/*.[ch]' | grep -v compat/tracepoint.h)
	# The macros of this file are initialisers, so no argument is evaluated, once or twice.
	checkpatch --ignore MACRO_ARG_REUSE -f module/compat/tracepoint.h
}

# sparse_of ARCH CONFIG: the module of an architecture, with all that is optional, under sparse
sparse_of() {
	local dir=$objects/$1
	use_arch "$1"
	rm -rf "$dir"; mkdir -p "$dir"
	cp -r module/. events "$dir/"
	make -s -C "$(build_of "$1" "$2")" "M=$dir" ARCH="$kernel_arch" CROSS_COMPILE="$cross" \
		C=2 W=1 PMCT_KUNIT=1 PMCT_TESTS=1 PMCT_VERSION=lint modules 2>&1
}
# The first kernel has no tracepoints, the second one has them.
sparse_clean() { sparse_of arm64 default; sparse_of x86_64 debug; }

# After sparse_clean, which builds the objects.
core_layers() { python3 tests/lint/layers.py module/core/layers "$objects"/{arm64,x86_64}/core; }

# Global names of the module, after sparse_clean, and of userland, which is built here.
prefixes() {
	local built=$top/build/lint tool
	for tool in userland "$showstopper" "$simapp"; do
		make -s -C "$tool" O="$built/${tool##*/}" all || return
	done
	make -s -C userland/throughput O="$built/throughput" LIBRARY="$built/userland" all &&
		make -s -C userland/qos O="$built/qos" THROUGHPUT="$built/throughput" LIBRARY="$built/userland" all || return
	python3 tests/lint/prefixes.py tests/lint/prefixes "module=$objects/arm64" "module=$objects/x86_64" \
		userland="$built/userland" "$showstopper=$built/showstopper" \
		"$simapp=$built/simapp" userland/throughput="$built/throughput" userland/qos="$built/qos"
}
