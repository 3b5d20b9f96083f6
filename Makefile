# SPDX-License-Identifier: GPL-2.0-or-later
# make			the userland, and the module if KDIR is a patched kernel
# make demo		the main job in an emulated machine, from nothing
# make test		everything that is tested
# make test-matrix	the same with everything under debug kernels, too; hours
# make bench		our cost and perf's, in guest instructions
# make install		what was made (PREFIX, DESTDIR, KDIR)
KDIR ?= /lib/modules/$(shell uname -r)/build
PREFIX ?= /usr/local
VERSION := $(shell cat VERSION)
kbuild := $(MAKE) -C $(KDIR) M=$(CURDIR)/module PMCT_VERSION=$(VERSION)
hooked := $(shell grep -qs '^CONFIG_PMCTRACK=y' $(KDIR)/include/config/auto.conf && echo yes)

all: userland
ifdef hooked
all: module
else
all:
	@echo "No module: the kernel of KDIR=$(KDIR) has no PMCTrack hooks (see README.md, Installing)."
endif

userland:
	$(MAKE) -C userland PREFIX=$(PREFIX)

module:
	$(kbuild) modules

install: all
	$(MAKE) -C userland PREFIX=$(PREFIX) install
	[ -n "$(DESTDIR)" ] || [ "$$(id -u)" != 0 ] || ldconfig
	$(if $(hooked),$(kbuild) modules_install)

setup:
	@tests/vm/setup

demo: setup
	@tests/vm/demo

test: setup
	@tests/run

test-matrix: setup
	@tests/run --matrix

bench: setup
	@tests/bench/run

clean:
	rm -rf build
	$(if $(hooked),$(kbuild) clean)

.PHONY: all userland module install setup demo test test-matrix bench clean
