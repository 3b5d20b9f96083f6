# SPDX-License-Identifier: GPL-2.0-or-later
# How everything below userland/ is compiled: options, and the rules for objects and tests.
# A Makefile sets what it needs, and includes this file.
#
#   packages	what pkg-config adds to all compilations (default: nothing)
#   options	further options of this folder, for the compiler (default: none)
#   tests	the test programs: tests = $(patsubst %.c,$(O)/%,$(wildcard tests/*_test.c))
#
# The caller of make may set O, CC, AR, OBJCOPY, PKG_CONFIG, CPPFLAGS, CFLAGS, LDFLAGS, SANITIZE,
# WERROR, PREFIX, LIBDIR and DESTDIR. This file defines the variables top, userland, O, VERSION,
# cflags, ldflags and common_objs, the function libs_of, and the file $(O)/flags.

userland := $(patsubst %/mk/flags.mk,%,$(abspath $(lastword $(MAKEFILE_LIST))))
top := $(abspath $(userland)/..)
# Everything is made anew if a Makefile changes.
makefiles := $(MAKEFILE_LIST)

O ?= $(top)/build/$(notdir $(CURDIR))
# Dependencies are by names: each file needs one name, whoever calls make.
override O := $(abspath $(O))
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
CC ?= cc
# Packagers, whose compilers may be newer than ours, set it to nothing.
WERROR ?= -Werror
PKG_CONFIG ?= pkg-config
# The one for the machine that CC compiles for.
OBJCOPY ?= $(shell $(CC) -print-prog-name=objcopy)
VERSION := $(shell cat $(top)/VERSION)

cflags := -std=gnu11 -O2 -g -Wall -Wextra $(WERROR) -Wmissing-prototypes -Wshadow -MMD -MP \
	  -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DVERSION='"$(VERSION)"' -I$(userland)/common $(options) \
	  $(if $(packages),$(shell $(PKG_CONFIG) --cflags $(packages))) $(CPPFLAGS) $(CFLAGS)
ldflags := $(CFLAGS) $(LDFLAGS)
ifdef SANITIZE
cflags += -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
ldflags += -fsanitize=address,undefined
endif

# libs_of PACKAGE...: the options that link these
libs_of = $(shell $(PKG_CONFIG) --libs $(1))

# What all programs share (userland/common). Each folder compiles its own copy, with its options.
common_objs := $(patsubst $(userland)/%.c,$(O)/%.o,$(wildcard $(userland)/common/*.c))

all:

# The options, in a file: everything is made anew if they change.
export flags_text := $(CC) $(cflags) $(ldflags)
$(O)/flags: FORCE
	@mkdir -p $(@D)
	@echo "$$flags_text" | cmp -s - $@ || echo "$$flags_text" >$@

# Options of some objects only: target-specific values of own_cflags, with "+=".
$(O)/%.o: %.c $(O)/flags $(makefiles)
	@mkdir -p $(@D)
	$(CC) $(cflags) $(own_cflags) -c -o $@ $<

$(O)/common/%.o: $(userland)/common/%.c $(O)/flags $(makefiles)
	@mkdir -p $(@D)
	$(CC) $(cflags) $(own_cflags) -c -o $@ $<

$(O)/libcommon.a: $(common_objs)
	@# An object stays in an existing archive when its source is removed.
	rm -f $@
	$(AR) rcs $@ $^

test-programs: $(tests)

test: test-programs
	@set -e; for t in $(tests); do $$t; done

clean:
	rm -rf $(O)

.PHONY: all test-programs test clean FORCE
# What is made on the way stays. (Not .SECONDARY: an object that is missing would only be made if
# its source is newer than what is made of it, which an old file that was added is not.)
.PRECIOUS: $(O)/%.o $(O)/common/%.o
-include $(shell find $(O) -name '*.d' 2>/dev/null)
