# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Shared by the scripts that build and boot guests: cache, progress, packages.
#
# Everything slow lives in $PMCT_CACHE (default: the user's cache folder),
# each product in a folder named after a hash of what it was made from, and
# complete once its file "done" exists.

vm_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$vm_dir/../.." && pwd)
cache=${PMCT_CACHE:-${XDG_CACHE_HOME:-~/.cache}/pmctrack}

say() { echo "[$(basename "$0")] $*" >&2; }
die() { say "error: $*"; exit 1; }

case $top:$cache in
*[[:space:],]*) die "paths with blanks or commas do not work here: '$top', '$cache' (PMCT_CACHE)" ;;
esac

# hash_of FILE-OR-STRING…: what a cached product depends on; a file counts
# with its contents.
hash_of() {
	local x
	for x in "$@"; do
		if [ -f "$x" ]; then sha256sum <"$x"; else echo "$x"; fi
	done | sha256sum | cut -c1-16
}

# use_arch ARCH: set the names that an architecture has elsewhere. $cross compiles for it.
use_arch() {
	case $1 in
	arm64) deb_arch=arm64 triplet=aarch64-linux-gnu kernel_arch=arm64 kernel_image=arch/arm64/boot/Image ;;
	# The uncompressed image boots by PVH, without seconds of decompression.
	x86_64) deb_arch=amd64 triplet=x86_64-linux-gnu kernel_arch=x86_64 kernel_image=vmlinux ;;
	*) die "no guests of architecture '$1' (there are: arm64, x86_64)" ;;
	esac
	cross=$triplet-
}

# kernel_of ARCH KERNEL CONFIG: make this kernel, and print its folder.
kernel_of() {
	case $2 in
	stock-*)
		[ "$3" = default ] || die "stock kernels have one configuration"
		"$vm_dir/fetch-kernel" --arch "$1" --kernel "$2" ;;
	*) "$vm_dir/build-kernel" --arch "$1" --kernel "$2" --config "$3" ;;
	esac
}

# commit: print the commit that this tree is, or nothing if it has changes or is no clone
commit() {
	[ -e "$top/.git" ] && [ -z "$(git -C "$top" status --porcelain)" ] && git -C "$top" rev-parse HEAD
}

# with_lock NAME-OR-PATH COMMAND…: only one builder of a product runs at a time. Processes that a
# killed builder left running keep the lock until they end.
with_lock() {
	local lock=$cache/.lock-$1
	[[ $1 != /* ]] || lock=$1
	shift
	mkdir -p "$(dirname "$lock")"
	(
		flock -n 9 || { say "waiting for ${lock##*/.lock-}, which somebody else builds"; flock 9; }
		"$@"
	) 9>"$lock"
}

# logged LOG COMMAND…: run quietly; on failure show the end of the log.
logged() {
	local log=$1; shift
	mkdir -p "$(dirname "$log")"
	"$@" >"$log" 2>&1 && return
	local rc=$?
	say "failed ($rc): $*"
	say "last lines of $log:"
	tail -n 30 "$log" >&2
	return $rc
}

# Print this machine's Debian mirror, which apt knows, so that none is written here.
mirror() {
	local url
	url=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages' 'Origin: Debian' |
		awk -v s="$host_suite" '$2 == s { print $1; exit }')
	[ -n "$url" ] || die "apt knows no Debian mirror for $host_suite (run apt-get update?)"
	echo "$url"
}
host_suite=$(. /etc/os-release && echo "$VERSION_CODENAME")

# private_apt DIR TYPE SUITE [ARCH]: fill DIR with an apt configuration that knows
# this suite only, of TYPE deb or deb-src; its options are in $apt_opts then.
private_apt() {
	local url
	url=$(mirror) || return 1
	mkdir -p "$1/lists/partial" "$1/cache"
	# Packages that are installed here are no candidates.
	: >"$1/status"
	echo "$2 [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $url $3 main" >"$1/sources.list"
	apt_opts=(-o "Dir::Etc::SourceList=$1/sources.list" -o Dir::Etc::SourceParts=/dev/null
		-o "Dir::State::Lists=$1/lists" -o "Dir::State::status=$1/status" -o "Dir::Cache=$1/cache" -o APT::Sandbox::User=root
		-o Acquire::Check-Valid-Until=false)
	[ $# -lt 4 ] || apt_opts+=(-o "APT::Architecture=$4" -o "APT::Architectures=$4")
	apt-get "${apt_opts[@]}" update -qq >&2
}

# fetch_deb PACKAGE DIR: download the newest served version into DIR, from
# this machine's suites or, with a private apt configuration, from newer ones.
# Prints the file's path.
fetch_deb() {
	local pkg=$1 dir=$2 suite tried="$host_suite (configured)" file
	mkdir -p "$dir"
	rm -f "$dir/$pkg"_*.deb
	(cd "$dir" && apt-get download -qq "$pkg" >&2 2>/dev/null) || {
		for suite in "$host_suite-backports" trixie trixie-backports forky sid; do
			tried="$tried, $suite"
			private_apt "$dir/apt-$suite" deb "$suite" || continue
			(cd "$dir" && apt-get "${apt_opts[@]}" download -qq "$pkg" >&2) && break
		done
	}
	file=$(ls "$dir/$pkg"_*.deb 2>/dev/null) ||
		die "no package $pkg to be had; suites tried: $tried"
	echo "$file"
}
