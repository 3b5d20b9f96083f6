# SPDX-License-Identifier: GPL-2.0-or-later
# A program in a folder below userland/: src/*.c, tests/*_test.c (cmocka), man/, completion/.
# Its Makefile sets these, includes this file, and adds what else the program needs.
#
#   tool	its name
#   packages	what pkg-config knows of it, for compiling and linking
#   libs	further options that link it
#   options	further options of its compiler
#   more_objs	objects beside those of src/
#   test_objs	objects that all tests are linked with, as $(O)/tests/NAME.o
#
# src/main.c has main(); tests are linked with all the other objects.

mk := $(dir $(lastword $(MAKEFILE_LIST)))
tests = $(patsubst %.c,$(O)/%,$(wildcard tests/*_test.c))
include $(mk)flags.mk

objs := $(patsubst %.c,$(O)/%.o,$(wildcard src/*.c)) $(more_objs)
parts := $(filter-out $(O)/src/main.o,$(objs)) $(test_objs)
all_libs = $(if $(packages),$(call libs_of,$(packages))) $(libs)

all: $(O)/$(tool)

$(O)/$(tool): $(objs) $(O)/libcommon.a
	$(CC) $(ldflags) -o $@ $(objs) $(O)/libcommon.a $(all_libs)

$(O)/tests/%_test.o: own_cflags += -Isrc
$(O)/tests/%_test: $(O)/tests/%_test.o $(parts) $(O)/libcommon.a
	$(CC) $(ldflags) -o $@ $< $(parts) $(O)/libcommon.a $(all_libs) $(call libs_of,cmocka)

install: all
	install -D $(O)/$(tool) $(DESTDIR)$(PREFIX)/bin/$(tool)
	install -d $(DESTDIR)$(PREFIX)/share/man/man1
	$(if $(wildcard man/*.1),install -m 644 man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1)
	$(if $(wildcard completion/*),install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/bash-completion/completions completion/*)

.PHONY: install
