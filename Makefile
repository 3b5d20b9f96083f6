# SPDX-License-Identifier: GPL-2.0-or-later
# make			the userland, and the module for the kernel of KDIR
# make demo		the main job in an emulated x86-64 machine, from nothing
# make demo-arm64	the same on arm64, with the kernel patch
# make test		everything that is tested
# make test-matrix	the same with everything under debug kernels, too; hours. REST=1, of either:
#			only what has not passed yet on this commit
# make experiments	the papers' tables and plots: hours. ONLY="NAME…": some of them, see
#			tests/experiments/run --list
# make bench		our cost and perf's, in guest instructions
# make deb		Debian packages, in build/deb. PROFILES=pkg.pmctrack.sched: and
#			pmctrack-sched
# make install		what was made (PREFIX, DESTDIR, KDIR)
KDIR ?= /lib/modules/$(shell uname -r)/build
PREFIX ?= /usr/local
VERSION := $(shell cat VERSION)
kbuild := M=$(CURDIR)/module PMCT_VERSION=$(VERSION)
release = $(shell cat $(KDIR)/include/config/kernel.release)
headers := $(wildcard $(KDIR)/Makefile)

all: userland
ifdef headers
all: module
else
all:
	@echo "No module: there are no kernel headers in KDIR=$(KDIR) (see README.md, Installing)."
endif

userland:
	$(MAKE) -C userland PREFIX=$(PREFIX)

module:
	MAKE="$(MAKE)" module/btf-make $(KDIR) "$(release)" $(CURDIR)/build/btf $(kbuild) modules

install: all
	$(MAKE) -C userland PREFIX=$(PREFIX) install
	[ -n "$(DESTDIR)" ] || [ "$$(id -u)" != 0 ] || ldconfig
	$(if $(headers),$(MAKE) -C $(KDIR) $(kbuild) modules_install)

setup:
	@tests/vm/setup

# Of the files that git knows, or would; without git, of all that nobody built.
deb:
	@rm -rf build/deb
	@mkdir -p build/deb/pmctrack
	@{ git ls-files -co --exclude-standard -z 2>/dev/null || \
		find . \( -path ./build -o -path ./.git \) -prune -o -type f -print0; } | \
		xargs -0 cp --parents -t build/deb/pmctrack
	cd build/deb/pmctrack && dpkg-buildpackage -b -us -uc $(if $(PROFILES),-P$(PROFILES))
	@rm -rf build/deb/pmctrack
	@ls build/deb/*.deb

demo: setup
	@tests/vm/demo

demo-arm64: setup
	@tests/vm/demo --arch arm64

test: setup
	@tests/run $(if $(REST),--rest)

test-matrix: setup
	@tests/run --matrix $(if $(REST),--rest)

bench: setup
	@tests/bench/run

experiments: setup
	tests/experiments/run $(ONLY)

clean:
	rm -rf build
	$(if $(headers),$(MAKE) -C $(KDIR) $(kbuild) clean)

.PHONY: all userland module install deb setup demo demo-arm64 test test-matrix bench experiments clean
