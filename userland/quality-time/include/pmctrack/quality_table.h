/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Quality Time of processes, as qualityd(8) publishes it in shared memory. A reader maps the file
 * read-only and shared, checks the head, and reads entries with pmctrack_quality_read(). The
 * administrator chooses which users may read the file.
 *
 *	int fd = open(PMCTRACK_QUALITY_FILE, O_RDONLY);
 *	const struct pmctrack_quality_head *head = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
 *	struct pmctrack_quality_entry e;
 *
 *	for (uint32_t i = 0; i < head->nr_entries; i++) {
 *		if (pmctrack_quality_read(head, i, &e) && e.explained_ns)
 *			printf("%d %.3f\n", e.pid, (double)e.quality_ns / e.explained_ns);
 *	}
 */
#ifndef PMCTRACK_QUALITY_TABLE_H
#define PMCTRACK_QUALITY_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PMCTRACK_QUALITY_FILE		"/run/pmctrack/quality"
#define PMCTRACK_QUALITY_MAGIC		0x51544d50	/* "PMTQ" */
#define PMCTRACK_QUALITY_VERSION	1

/**
 * struct pmctrack_quality_head - beginning of the file
 * @magic: PMCTRACK_QUALITY_MAGIC
 * @version: PMCTRACK_QUALITY_VERSION; it changes with the layout
 * @head_size: bytes up to the first entry
 * @entry_size: bytes of an entry
 * @nr_entries: number of entries, used or not
 * @interval_ms: how often entries are written
 * @writer: PID of qualityd
 * @writer_start: when qualityd began, in ticks since boot (/proc/PID/stat). If there is no such
 *	process, the entries are not written any more
 * @updated_ns: when entries were written last, CLOCK_MONOTONIC
 * @missing: number of processes that found no free entry, or could not be watched
 */
struct pmctrack_quality_head {
	uint32_t magic;
	uint32_t version;
	uint32_t head_size;
	uint32_t entry_size;
	uint32_t nr_entries;
	uint32_t interval_ms;
	int32_t writer;
	uint32_t missing;
	uint64_t writer_start;
	uint64_t updated_ns;
	uint64_t reserved[2];
};

/**
 * struct pmctrack_quality_entry - a process; times and counts since qualityd first saw it
 * @seq: odd while the entry is written
 * @pid: the process, in qualityd's PID namespace; 0: the entry is not used. A few seconds after
 *	the process has ended, its entry is unused
 * @start: when the process began, in ticks since boot, because PIDs are used again
 * @cpu_ns: CPU time of all threads
 * @explained_ns: the part of @cpu_ns of which Quality Time is known
 * @quality_ns: Quality Time of that part, an estimate
 * @waited_ns: time in run queues; 0 also if the kernel does not count it (/proc/self/schedstat)
 * @instr: instructions of the program, in user mode
 * @l1d_accesses: accesses to the first-level data cache
 * @updated_ns: when the last interval of the process ended, CLOCK_MONOTONIC
 * @sample_age_ms: age of the last sample alone at that time; UINT32_MAX: there was none
 * @uid: user (the owner of /proc/PID, which is root for a program that may not be dumped);
 *	UINT32_MAX: unknown
 * @cpu: the CPU where that interval ended; UINT32_MAX: unknown
 * @name: name of the program
 */
struct pmctrack_quality_entry {
	uint32_t seq;
	int32_t pid;
	uint64_t start;
	uint64_t cpu_ns;
	uint64_t explained_ns;
	uint64_t quality_ns;
	uint64_t waited_ns;
	uint64_t instr;
	uint64_t l1d_accesses;
	uint64_t updated_ns;
	uint32_t sample_age_ms;
	uint32_t uid;
	uint32_t cpu;
	uint32_t reserved;
	char name[16];
};

/* The type in which entries are copied, whatever their members are. */
typedef uint64_t __attribute__((__may_alias__)) pmctrack_quality_word;

/**
 * pmctrack_quality_read() - copy an entry that is not written meanwhile
 * @head: the mapped file, of this version
 * @i: index below head->nr_entries
 * @copy: result
 *
 * Return: false if the entry is not used, or its writer has stopped in the middle.
 */
static inline bool pmctrack_quality_read(const struct pmctrack_quality_head *head, uint32_t i,
					 struct pmctrack_quality_entry *copy)
{
	const struct pmctrack_quality_entry *e = (const struct pmctrack_quality_entry *)
		((const char *)head + head->head_size + (uint64_t)i * head->entry_size);

	for (int n = 0; n < 1000; n++) {
		uint32_t seq = __atomic_load_n(&e->seq, __ATOMIC_ACQUIRE);
		const volatile pmctrack_quality_word *from = (const volatile pmctrack_quality_word *)e;
		pmctrack_quality_word *to = (pmctrack_quality_word *)copy;

		if (seq & 1)
			continue;
		/* Copy word by word: no word is torn, and the compiler reads each once. */
		for (unsigned int k = 0; k < sizeof(*copy) / sizeof(*to); k++)
			to[k] = from[k];
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (__atomic_load_n(&e->seq, __ATOMIC_RELAXED) == seq)
			return copy->pid != 0;
	}
	return false;
}

#ifdef __cplusplus
}
#endif

#endif /* PMCTRACK_QUALITY_TABLE_H */
