/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "pmctrack doctor": facts, and findings that are made of them. */
#ifndef PMCTRACK_CLI_DOCTOR_H
#define PMCTRACK_CLI_DOCTOR_H

#include <stdbool.h>
#include <stdint.h>

/* "pmctrack doctor": its exit status */
int doctor(int argc, char **argv);

#define MAX_FINDINGS	16

/* What the machine, the kernel and the process are; read only, by nobody changed. */
struct facts {
	char system[80];	/* of uname() */
	char release[80];
	char machine[80];
	/* the module; strings are empty if it is not loaded */
	char version[64];
	char hooks[32];
	char backend[32];
	char pmu[64];
	bool installed;		/* for this kernel */
	bool headers;		/* of this kernel are there */
	bool apt;		/* the system has packages of Debian's kind */
	bool packaged;		/* the kernel, or its headers, came as such a package */
	/* what the kernel allows */
	bool has_modules;	/* CONFIG_MODULES */
	bool modules_disabled;	/* kernel.modules_disabled, until the next boot */
	bool signed_only;	/* modules must be signed */
	char lockdown[32];	/* "integrity", "confidentiality", or empty */
	bool nmi_watchdog;
	bool sched_ext;		/* policies in BPF */
	bool module_btf;	/* modules can have functions for BPF programs */
	bool kfuncs_installed;	/* pmctrack_bpf.ko, for this kernel */
	bool kfuncs_loaded;	/* and its functions are there */
	bool hypervisor;
	/* the process */
	bool root;		/* user 0, whatever that may do */
	bool in_user_ns;	/* not the initial user namespace: capabilities do not count */
	bool no_new_privs;	/* sudo gains nothing */
	uint64_t effective;	/* capabilities */
	uint64_t bounding;	/* those that sudo could have */
	int paranoid;		/* kernel.perf_event_paranoid */
	bool paranoid_known;
	bool paranoid_writable;	/* by this process */
	uint64_t memlock;	/* bytes */
};

enum verdict { GOOD, WARNING, BAD };

struct finding {
	enum verdict verdict;
	const char *check;
	char text[400];
	char remedy[400];	/* empty: none is needed, or known */
};

struct findings {
	struct finding of[MAX_FINDINGS];
	unsigned int nr;
	bool bad;
};

/* doctor_facts.c */
int facts_read(struct facts *f);
/* doctor_judge.c: nothing but the facts decides, and a remedy is one that works here */
void judge(const struct facts *f, struct findings *found);
void finding_add(struct findings *found, enum verdict verdict, const char *check,
		 const char *remedy, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

#endif /* PMCTRACK_CLI_DOCTOR_H */
