/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "pmctrack doctor": facts about the machine, and findings that follow from these. */
#ifndef PMCTRACK_CLI_DOCTOR_H
#define PMCTRACK_CLI_DOCTOR_H

#include <stdbool.h>
#include <stdint.h>

/* Run "pmctrack doctor". Returns the exit status. */
int doctor(int argc, char **argv);

#define MAX_FINDINGS	16

/* Facts about the machine, the kernel and the process. They are read once, and never changed. */
struct facts {
	char system[80];	/* this and the next two: from uname() */
	char release[80];
	char machine[80];
	/* the module; the strings are empty if the module is not loaded */
	char version[64];
	char hooks[32];
	char backend[32];
	char pmu[64];
	bool installed;		/* the module is installed for this kernel */
	bool headers;		/* the headers of this kernel are installed */
	bool apt;		/* the system uses apt */
	bool packaged;		/* the kernel, or its headers, are from a Debian package */
	/* what the kernel allows */
	bool has_modules;	/* CONFIG_MODULES */
	bool modules_disabled;	/* kernel.modules_disabled: no loading until the next boot */
	bool signed_only;	/* modules must be signed */
	char lockdown[32];	/* "integrity", "confidentiality", or empty */
	bool nmi_watchdog;
	bool sched_ext;		/* the kernel can run scheduling policies in BPF */
	bool module_btf;	/* modules can offer functions to BPF programs */
	bool kfuncs_installed;	/* pmctrack_bpf.ko is installed for this kernel */
	bool kfuncs_loaded;	/* pmctrack_bpf.ko is loaded, and offers its functions */
	bool hypervisor;
	/* the process */
	bool root;		/* the user ID is 0, with or without capabilities */
	bool in_user_ns;	/* not in the initial user namespace: capabilities have no effect */
	bool no_new_privs;	/* set: sudo gets no more rights */
	uint64_t effective;	/* mask of the process's capabilities */
	uint64_t bounding;	/* mask of the capabilities that sudo could get */
	int paranoid;		/* kernel.perf_event_paranoid */
	bool paranoid_known;
	bool paranoid_writable;	/* this process may write it */
	uint64_t memlock;	/* RLIMIT_MEMLOCK, bytes */
};

enum verdict { GOOD, WARNING, BAD };

struct finding {
	enum verdict verdict;
	const char *check;
	char text[400];
	char remedy[400];	/* empty: no remedy is needed, or none is known */
};

struct findings {
	struct finding of[MAX_FINDINGS];
	unsigned int nr;
	bool bad;
};

/* doctor_facts.c */
int facts_read(struct facts *f);
/* doctor_judge.c: findings depend on the facts only. Remedies are those that work in this place. */
void judge(const struct facts *f, struct findings *found);
void finding_add(struct findings *found, enum verdict verdict, const char *check,
		 const char *remedy, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

#endif /* PMCTRACK_CLI_DOCTOR_H */
