# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Sourced by tests of packages: Debian roots to install them in, and TAP.
. "$(dirname "$0")/../vm/lib.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
n=0 status=0
# expect NAME COMMAND…
expect() {
	local name=$1; shift
	n=$((n + 1))
	if "$@" >"$work/log" 2>&1; then
		echo "ok $n - packages: $name"
	else
		echo "not ok $n - packages: $name"
		tail -n 30 "$work/log" | sed 's/^/# /'
		status=1
	fi
}

# debian PACKAGE,… [OPTION…]: a Debian 12 with these, as it is after its installation, in $root
debian() {
	local base
	base=$cache/stock-root-$(hash_of "$@" "$top/tests/packages/lib.sh")
	with_lock stock-root unpack_base "$base" "$@" || exit 1
	cp -a "$base/root" "$root"
}
unpack_base() {
	local base=$1 packages=$2; shift 2
	[ ! -e "$base/done" ] || return 0
	rm -rf "$base"; mkdir -p "$base"
	say "unpacking Debian bookworm with $packages, once"
	private_apt "$base/apt" deb bookworm amd64
	logged "$base/build.log" mmdebstrap --quiet --variant=apt --architectures=amd64 --include="$packages" \
		--aptopt='Acquire::Languages "none"' --aptopt='Acquire::Check-Valid-Until "false"' "$@" \
		bookworm "$base/root" "$base/apt/sources.list"
	mkdir -p "$base/root"/{share,opt/pmctrack,run/vm}
	touch "$base/done"
}
in_root() { unshare --mount sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$root" env DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"; }

# copy_tree FOLDER: what git knows of this tree
copy_tree() {
	mkdir -p "$1"
	(cd "$top" && git ls-files -co --exclude-standard -z | xargs -0 cp --parents -t "$1")
}

# In a guest, as the packages left it: nothing else of ours is on its paths.
guest() {
	"$vm_dir/run" --arch x86_64 --kernel stock-6.1 --root "$root" --no-module --icount "${@:2}" -- \
		env -u LD_LIBRARY_PATH PATH=/usr/sbin:/usr/bin:/sbin:/bin bash -exc "$1"
}
