// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "watch/groups.h"
#include "proc.h"
#include "watch/processes.h"
#include "text_file.h"
#include "utf8.h"

#define LISTS	4096

struct processes {
	struct process *list[LISTS];
	unsigned int slot;	/* the present one */
	unsigned int looks;
};

struct processes *processes_new(void)
{
	return calloc(1, sizeof(struct processes));
}

void processes_free(struct processes *p)
{
	struct process *next;

	for (unsigned int i = 0; p && i < LISTS; i++) {
		for (struct process *of = p->list[i]; of; of = next) {
			next = of->next;
			free(of);
		}
	}
	free(p);
}

static struct process **list_of(struct processes *p, pid_t pid)
{
	return &p->list[(unsigned int)pid % LISTS];
}

struct process *processes_find(const struct processes *p, pid_t pid)
{
	struct process *of = p->list[(unsigned int)pid % LISTS];

	/* The list may also have ended processes of this PID. */
	while (of && (of->pid != pid || of->ended))
		of = of->next;
	return of;
}

/* Read what may change, because a process can execute other programs. */
static void describe(struct process *of)
{
	char path[32], name[sizeof(of->name)];
	struct stat stat_of;

	snprintf(path, sizeof(path), "/proc/%d", of->pid);
	if (!stat(path, &stat_of))
		of->uid = stat_of.st_uid;
	snprintf(path, sizeof(path), "/proc/%d/comm", of->pid);
	if (text_file_line(path, name, sizeof(name))) {
		utf8_make_printable(name);
		strcpy(of->name, name);
	}
	groups_of(of->pid, of->group, sizeof(of->group));
	utf8_make_printable(of->group);
}

struct process *processes_get(struct processes *p, pid_t pid)
{
	struct process *of = processes_find(p, pid);
	struct process **list = list_of(p, pid);
	struct proc proc;

	if (of && (!of->gone || proc_read(pid, &proc) || proc.start == of->start))
		return of;
	/* Another process has this PID already. */
	if (of)
		of->ended = true;
	of = calloc(1, sizeof(*of));
	if (!of)
		return NULL;
	of->pid = pid;
	of->uid = (uid_t)-1;
	of->cpu = -1;
	of->place = -1;
	for (unsigned int i = 0; i < PROCESS_SLOTS; i++)
		of->slot_cpu[i] = -1;
	strcpy(of->name, "?");
	/* There is a record, so the process has just run, but it may have ended since. */
	if (!proc_read(pid, &proc)) {
		of->start = proc.start;
		describe(of);
	}
	of->next = *list;
	*list = of;
	return of;
}

void processes_add(struct processes *p, struct process *of, const struct sum *what, int cpu)
{
	sum_add(&of->all, what);
	sum_add(&of->slot[p->slot], what);
	of->slot_cpu[p->slot] = cpu;
	of->cpu = cpu;
	of->ran = true;
}

static bool clear_slot(struct process *of, void *slot)
{
	unsigned int i = *(unsigned int *)slot;

	of->slot[i] = (struct sum){ 0 };
	of->slot_cpu[i] = -1;
	return false;
}

void processes_next_slot(struct processes *p)
{
	p->slot = (p->slot + 1) % PROCESS_SLOTS;
	processes_each(p, clear_slot, &p->slot);
}

unsigned int processes_slot(const struct processes *p, unsigned int back)
{
	return (p->slot + PROCESS_SLOTS - back % PROCESS_SLOTS) % PROCESS_SLOTS;
}

struct sum processes_last(const struct processes *p, const struct process *of, unsigned int nr)
{
	struct sum s = { 0 };

	for (unsigned int i = 1; i <= nr && i < PROCESS_SLOTS; i++)
		sum_add(&s, &of->slot[processes_slot(p, i)]);
	return s;
}

/*
 * The last record of a process may be read after its end. So the process becomes gone at one look,
 * and ended at the next.
 */
static bool look(struct process *of, void *looks)
{
	bool due = of->ran || of->gone || (unsigned int)of->pid % 8 == *(unsigned int *)looks % 8;

	if (of->ended || of->foreign || !due)
		return false;
	if (of->gone)
		of->ended = true;
	else if (!of->start || !proc_exists(of->pid, of->start))
		of->gone = true;
	else if (of->ran)
		describe(of);
	of->ran = false;
	return false;
}

void processes_look(struct processes *p)
{
	p->looks++;
	processes_each(p, look, &p->looks);
}

void processes_each(struct processes *p, bool (*fn)(struct process *of, void *arg), void *arg)
{
	for (unsigned int i = 0; i < LISTS; i++) {
		struct process **at = &p->list[i];

		while (*at) {
			struct process *of = *at;

			if (!fn(of, arg) || !of->ended) {
				at = &of->next;
				continue;
			}
			*at = of->next;
			free(of);
		}
	}
}
