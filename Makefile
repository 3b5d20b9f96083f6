# SPDX-License-Identifier: GPL-2.0-or-later
# make			the userland, and the module if KDIR is a patched kernel
# make demo		the main job in an emulated machine, from nothing
# make test		everything that is tested
# make bench		our cost and perf's, in guest instructions
# make install		what was made (PREFIX, DESTDIR, KDIR)
KDIR ?= /lib/modules/$(shell uname -r)/build
PREFIX ?= /usr/local
VERSION := $(shell cat VERSION)

all: userland $(if $(wildcard $(KDIR)/include/linux/pmctrack.h),module)

userland:
	$(MAKE) -C userland PREFIX=$(PREFIX)

module:
	$(MAKE) -C $(KDIR) M=$(CURDIR)/module PMCT_VERSION=$(VERSION) modules

install: all
	$(MAKE) -C userland PREFIX=$(PREFIX) install
	$(if $(wildcard module/pmctrack.ko),$(MAKE) -C $(KDIR) M=$(CURDIR)/module modules_install)

setup:
	@tests/vm/setup

demo: setup
	@tests/vm/demo

test: setup
	@tests/run

bench: setup
	@tests/bench/run

clean:
	rm -rf build
	$(if $(wildcard $(KDIR)),$(MAKE) -C $(KDIR) M=$(CURDIR)/module clean)

.PHONY: all userland module install setup demo test bench clean
