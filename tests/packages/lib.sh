# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Sourced by tests of packages: Debian roots to install them in, and TAP.
. "$(dirname "$0")/../vm/lib.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
n=0 status=0 suite=bookworm kernel=stock-6.1
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

# debian PACKAGE,… [OPTION…]: a Debian of $suite with these, as it is after its installation, in
# $root
debian() {
	local base
	base=$cache/stock-root-$(hash_of "$suite" "$@" "$top/tests/packages/lib.sh")
	with_lock stock-root unpack_base "$base" "$@" || exit 1
	cp -a "$base/root" "$root"
}
unpack_base() {
	local base=$1 packages=$2; shift 2
	[ ! -e "$base/done" ] || return 0
	rm -rf --one-file-system "$base"; mkdir -p "$base"
	say "unpacking Debian $suite with $packages, once"
	private_apt "$base/apt" deb "$suite" amd64 || return
	logged "$base/build.log" mmdebstrap --quiet --variant=apt --architectures=amd64 --include="$packages" \
		--aptopt='Acquire::Languages "none"' --aptopt='Acquire::Check-Valid-Until "false"' "$@" \
		"$suite" "$base/root" "$base/apt/sources.list" || return
	mkdir -p "$base/root"/{share,opt/pmctrack,run/vm} || return
	touch "$base/done"
}
in_root() { unshare --mount sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$root" env DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"; }

# copy_tree FOLDER: what git knows of this tree
copy_tree() {
	mkdir -p "$1"
	(cd "$top" && git ls-files -co --exclude-standard -z | xargs -0 cp --parents -t "$1")
}

# build VERSION: the packages, of this tree with that version, into $work/VERSION
build() {
	copy_tree "$work/$1/pmctrack" && cd "$work/$1/pmctrack" || return
	echo "$1" >VERSION
	sed -i "1s/(.*)/($1)/" debian/changelog
	dpkg-buildpackage -b -us -uc
}
install_packages() {
	mkdir -p "$root/tmp/debs" && rm -f "$root"/tmp/debs/*
	cp "$work/$1"/*.deb "$root/tmp/debs/" && rm -f "$root"/tmp/debs/*-dbgsym*
	in_root sh -c 'dpkg -i /tmp/debs/*.deb'
}

# new_user: an ordinary one in $root, me, who may use sudo and the network, at home in $home
new_user() {
	home=$root/home/me
	in_root useradd -m -s /bin/bash me
	echo 'me ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/me"
	cp /etc/resolv.conf "$root/etc/"
	echo "127.0.0.1 localhost $(hostname) (none)" >"$root/etc/hosts"
	in_root apt-get -qq update >&2
}
# commands N: the Nth block of commands of what README.md has about installing
commands() {
	awk -v n="$1" '/^## / { here = /Installing/ } here && /^```/ { blocks++; next } here && blocks == 2 * n - 1' "$top/README.md"
}
# as_user FOLDER FILE: execute the lines of a file at home, as that user, in FOLDER; none may fail
as_user() { echo "su - me -c 'cd $1 && bash -ex ~/$2'"; }
# running RELEASE: before a guest boots, uname tells its kernel; until the file is removed
running() {
	printf '#!/bin/sh\n[ "$*" = -r ] && echo %s || exec /usr/bin/uname "$@"\n' "$1" >"$root/usr/local/bin/uname"
	chmod +x "$root/usr/local/bin/uname"
}

# guest COMMANDS [OPTION…]: in a guest that has what the packages installed, and no more of ours
guest() {
	"$vm_dir/run" --arch x86_64 --kernel "$kernel" --root "$root" --no-module --icount "${@:2}" -- \
		env -u LD_LIBRARY_PATH PATH=/usr/sbin:/usr/bin:/sbin:/bin bash -exc "$1"
}
