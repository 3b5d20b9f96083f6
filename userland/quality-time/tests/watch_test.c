// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests of the table of processes, names of groups, and the published table. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "watch/groups.h"
#include "watch/processes.h"
#include "watch/published.h"

static bool count(struct process *of, void *nr)
{
	(void)of;
	(*(unsigned int *)nr)++;
	return false;
}

static unsigned int nr_of(struct processes *of)
{
	unsigned int nr = 0;

	processes_each(of, count, &nr);
	return nr;
}

static void slots(void **state)
{
	struct processes *p = processes_new();
	struct process *me = processes_get(p, getpid());
	const struct sum second = { .cpu_ns = 100, .explained_ns = 80, .quality_ns = 40, .waited_ns = 7 };
	double quality = 0;

	(void)state;
	assert_string_not_equal(me->name, "?");
	assert_int_equal(me->uid, getuid());
	assert_false(sum_quality(&me->all, &quality));
	for (int i = 0; i < 3; i++) {
		processes_add(p, me, &second, i);
		processes_next_slot(p);
	}
	assert_int_equal(me->all.cpu_ns, 300);
	assert_int_equal(processes_last(p, me, 1).cpu_ns, 100);
	assert_int_equal(processes_last(p, me, 2).waited_ns, 14);
	assert_int_equal(processes_last(p, me, 1000).cpu_ns, 300);
	assert_true(sum_quality(&me->all, &quality));
	assert_true(quality > 0.499 && quality < 0.501);
	assert_int_equal(me->slot_cpu[processes_slot(p, 1)], 2);
	assert_int_equal(me->slot_cpu[processes_slot(p, 0)], -1);
	/* After PROCESS_SLOTS slots, only the sum is left. */
	for (int i = 0; i < PROCESS_SLOTS; i++)
		processes_next_slot(p);
	assert_int_equal(processes_last(p, me, PROCESS_SLOTS).cpu_ns, 0);
	assert_int_equal(me->all.cpu_ns, 300);
	processes_free(p);
}

/* No name of a program may harm a terminal or a reader of JSON. */
static void names(void **state)
{
	struct processes *p = processes_new();
	char name[16] = "";

	(void)state;
	assert_int_equal(prctl(PR_GET_NAME, name), 0);
	assert_int_equal(prctl(PR_SET_NAME, "a\033[2J\xff\xc3\xa9\xc2\x9b\xe2\x82"), 0);
	assert_string_equal(processes_get(p, getpid())->name, "a.[2J?\xc3\xa9..??");
	prctl(PR_SET_NAME, name);
	processes_free(p);
}

static bool forget(struct process *of, void *arg)
{
	(*(unsigned int *)arg)++;
	return of->ended;
}

static void ends(void **state)
{
	struct processes *p = processes_new();
	unsigned int seen = 0;
	pid_t pid = fork();

	(void)state;
	if (!pid)
		pause();
	assert_non_null(processes_get(p, pid));
	assert_ptr_equal(processes_get(p, pid), processes_find(p, pid));
	processes_look(p);
	assert_false(processes_find(p, pid)->ended);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	/* The last record of the process may still come. */
	for (int i = 0; i < 8 && !processes_find(p, pid)->gone; i++)
		processes_look(p);
	assert_true(processes_find(p, pid)->gone);
	assert_ptr_equal(processes_get(p, pid), processes_find(p, pid));
	processes_look(p);
	assert_null(processes_find(p, pid));
	/* A new process of this PID is another one. */
	assert_int_equal(processes_get(p, pid)->start, 0);
	assert_int_equal(processes_find(p, pid)->uid, (uid_t)-1);
	assert_string_equal(processes_find(p, pid)->name, "?");
	assert_int_equal(nr_of(p), 2);
	for (int i = 0; i < 10; i++)
		processes_look(p);
	processes_each(p, forget, &seen);
	assert_int_equal(seen, 2);
	assert_int_equal(nr_of(p), 0);
	processes_free(p);
}

static void expect_title(const char *path, const char *expected)
{
	char title[32];

	groups_title(path, title, sizeof(title));
	assert_string_equal(title, expected);
}

static void titles(void **state)
{
	(void)state;
	expect_title("", "");
	expect_title("/", "");
	expect_title("/user.slice", "user.slice");
	expect_title("/user.slice/user-1000.slice/session-2.scope", "session-2.scope");
	expect_title("/system.slice/docker-0123456789abcdef0123456789abcdef.scope", "0123456789ab");
	expect_title("/docker/0123456789abcdef0123456789abcdef", "0123456789ab");
	expect_title("/machine.slice/libpod-fedcba9876543210fedcba.scope/container", "fedcba987654");
	expect_title("/kubepods.slice/kubepods-pod1.slice/cri-containerd-0123456789abcdef.scope", "0123456789ab");
	expect_title("/machine.slice/machine-web.scope", "web");
	expect_title("/lxc.payload.mail/init.scope", "mail");
}

static char folder[] = "/tmp/pmctrack-groups-XXXXXX";

static void write_file(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static unsigned int found;

static void count_pids(pid_t pid, void *arg)
{
	(void)arg;
	found += (unsigned int)pid;
}

static void groups(void **state)
{
	char path[128];
	uint64_t us;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/inner", folder);
	mkdir(path, 0700);
	assert_true(groups_each_process(folder, count_pids, NULL) < 0);
	write_file("cgroup.procs", "1\n20\n0\n");
	write_file("inner/cgroup.procs", "300\n");
	assert_int_equal(groups_each_process(folder, count_pids, NULL), 0);
	assert_int_equal(found, 321);
	assert_false(groups_throttled(path, &us));
	write_file("cpu.stat", "usage_usec 5\nnr_throttled 1\nthrottled_usec 1000\n");
	write_file("inner/cpu.stat", "usage_usec 5\nthrottled_usec 234\n");
	assert_true(groups_throttled(path, &us));
	assert_int_equal(us, 1234);
	/* A group that was removed. */
	snprintf(path, sizeof(path), "%s/gone", folder);
	assert_false(groups_throttled(path, &us));
	assert_int_equal(groups_resolve("/nowhere", path, sizeof(path)), -ENOENT);
	assert_int_equal(groups_resolve(folder, path, sizeof(path)), -ENOTDIR);
	snprintf(path, sizeof(path), "rm -r %s", folder);
	assert_int_equal(system(path), 0);
}

static char table_folder[] = "/tmp/pmctrack-table-XXXXXX", table[64];

static int new_folder(void **state)
{
	(void)state;
	if (!mkdtemp(table_folder))
		return -1;
	snprintf(table, sizeof(table), "%s/quality", table_folder);
	return 0;
}

static int remove_folder(void **state)
{
	char lock[80];

	(void)state;
	unlink(table);
	snprintf(lock, sizeof(lock), "%s.lock", table);
	unlink(lock);
	return rmdir(table_folder);
}

static void take(const struct pmctrack_quality_entry *e, void *arg)
{
	*(struct pmctrack_quality_entry *)arg = *e;
}

/* Readers see what is written; unused entries are reused; a second writer is refused. */
static void publishes(void **state)
{
	struct processes *p = processes_new();
	struct process *me = processes_get(p, getpid());
	struct publisher *out = publisher_open(table, 1, 0644, (gid_t)-1, 100);
	struct pmctrack_quality_entry e = { .pid = 0 };
	struct published *in;
	struct stat st;

	(void)state;
	assert_non_null(out);
	assert_null(publisher_open(table, 1, 0644, (gid_t)-1, 100));
	assert_int_equal(stat(table, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
	in = published_open(table);
	assert_non_null(in);
	processes_add(p, me, &(struct sum){ 10, 8, 4, 1 }, 3);
	me->instr = 99;
	publisher_update(out, p, 5);
	published_each(in, take, &e);
	assert_false(published_is_stale(in));
	assert_true(published_interval_s(in) > 0.099 && published_interval_s(in) < 0.101);
	assert_int_equal(e.pid, getpid());
	assert_int_equal(e.start, me->start);
	assert_int_equal(e.cpu_ns + e.explained_ns + e.quality_ns + e.waited_ns, 23);
	assert_int_equal(e.instr, 99);
	assert_int_equal(e.cpu, 3);
	assert_string_equal(e.name, me->name);
	assert_int_equal(published_missing(in), 5);
	/* The table has room for one process. */
	assert_non_null(processes_get(p, getppid()));
	publisher_update(out, p, 0);
	assert_int_equal(published_missing(in), 1);
	me->ended = true;
	publisher_update(out, p, 0);
	publisher_update(out, p, 0);
	published_each(in, take, &e);
	assert_int_equal(e.pid, getppid());
	assert_int_equal(published_missing(in), 0);
	publisher_close(out);
	assert_int_equal(access(table, F_OK), -1);
	published_close(in);
	processes_free(p);
}

/*
 * A reader never sees half of an entry. (Without both checks of the sequence count, that happens
 * some thousand times in a million reads if two CPUs are free.)
 */
static void reads_whole(void **state)
{
	struct {
		struct pmctrack_quality_head head;
		struct pmctrack_quality_entry entry;
	} *t = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct pmctrack_quality_entry e = { .pid = 1 };
	unsigned int reads = 0;
	pid_t pid;

	(void)state;
	assert_true(t != MAP_FAILED);
	t->head = (struct pmctrack_quality_head){
		.head_size = sizeof(t->head), .entry_size = sizeof(t->entry), .nr_entries = 1,
	};
	publisher_write(&t->entry, &e);
	pid = fork();
	/* End the writer also if the test fails. */
	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (uint64_t n = 1; !pid; n++) {
		e.start = e.cpu_ns = e.explained_ns = e.quality_ns = e.waited_ns = e.instr = e.l1d_accesses = n;
		e.updated_ns = n;
		publisher_write(&t->entry, &e);
	}
	for (unsigned int i = 0; i < 1000000; i++) {
		if (!pmctrack_quality_read(&t->head, 0, &e))
			continue;
		reads++;
		assert_true(e.start == e.cpu_ns && e.cpu_ns == e.quality_ns && e.instr == e.updated_ns &&
			    e.start == e.updated_ns);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	print_message("# %u reads\n", reads);
	assert_true(reads > 1000);
	munmap(t, 4096);
}

/* Nothing outside of a file is read, whatever the file contains. */
static void hostile_table(void **state)
{
	struct pmctrack_quality_head good = {
		.magic = PMCTRACK_QUALITY_MAGIC, .version = PMCTRACK_QUALITY_VERSION,
		.head_size = sizeof(good), .entry_size = sizeof(struct pmctrack_quality_entry), .nr_entries = 0,
	};
	struct pmctrack_quality_head bad[] = { good, good, good, good, good, good };
	struct published *in;

	(void)state;
	bad[0].magic++;
	bad[1].version++;
	bad[2].nr_entries = 1;
	bad[3].entry_size = 8;
	bad[4].head_size = UINT32_MAX - 7;
	bad[5].nr_entries = UINT32_MAX;
	for (unsigned int i = 0; i <= 6; i++) {
		FILE *f = fopen(table, "w");

		assert_non_null(f);
		fwrite(i < 6 ? &bad[i] : &good, sizeof(good), 1, f);
		fclose(f);
		in = published_open(table);
		if (i < 6)
			assert_null(in);
		else
			assert_non_null(in);
		published_close(in);
	}
	assert_int_equal(truncate(table, 10), 0);
	assert_null(published_open(table));
	/* Refused: a file that others may have written, and a FIFO, which would block for ever. */
	assert_int_equal(truncate(table, sizeof(good)), 0);
	assert_int_equal(chmod(table, 0666), 0);
	assert_null(published_open(table));
	unlink(table);
	assert_int_equal(mkfifo(table, 0600), 0);
	assert_null(published_open(table));
	unlink(table);
	assert_null(published_open(table));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slots),
		cmocka_unit_test(ends),
		cmocka_unit_test(names),
		cmocka_unit_test(titles),
		cmocka_unit_test(groups),
		cmocka_unit_test(publishes),
		cmocka_unit_test(reads_whole),
		cmocka_unit_test(hostile_table),
	};

	return cmocka_run_group_tests_name("quality-time watch", tests, new_folder, remove_folder);
}
