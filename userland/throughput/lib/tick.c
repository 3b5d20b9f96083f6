// SPDX-License-Identifier: LGPL-2.1-or-later
/* The part of libthroughput for programs that deliver something. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "monotonic.h"
#include "process.h"
#include "segment.h"

/* Slots that a thread tries before it shares the first one. */
#define TRIES 16

/*
 * A program counts here until it is registered, and if it cannot be registered. A thread may still
 * tick here after that has changed. Its last tick is moved at its next tick, see find_slot(), or at
 * the end, see move_counts().
 */
static struct segment unregistered = {.next = 1};
static struct segment *shared = &unregistered;
/*
 * A segment stays mapped after throughput_end(), because threads may tick there. A program that
 * registers again and again uses two mappings in turn.
 */
static struct segment *places[2];
static char file[64];
static int descriptor = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The slot of this thread, and the segment that it is in; NULL: the thread has none. */
static _Thread_local struct slot *mine __attribute__((tls_model("initial-exec")));
static _Thread_local struct segment *mine_of __attribute__((tls_model("initial-exec")));

/* Returns the umask. Only Linux's /proc shows it without changing it. */
static mode_t mask(void)
{
	char line[64];
	unsigned int value = 0;
	FILE *in = fopen("/proc/self/status", "re");

	while (in && fgets(line, sizeof(line), in))
		if (sscanf(line, "Umask: %o", &value) == 1)
			break;
	if (in)
		fclose(in);
	return (mode_t)value;
}

static void set_text(char *to, const char *text)
{
	snprintf(to, THROUGHPUT_NAME, "%s", text);
}

/*
 * Begin a change: readers that see an odd number look again. If a forked process has died while the
 * number was odd, it must be even after this change.
 */
static void begin_change(struct segment *s)
{
	uint32_t changes = __atomic_load_n(&s->changes, __ATOMIC_RELAXED);

	__atomic_store_n(&s->changes, changes + 1 + (changes & 1), __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

static void end_change(struct segment *s)
{
	uint32_t changes = __atomic_load_n(&s->changes, __ATOMIC_RELAXED);

	__atomic_store_n(&s->changes, changes + (changes & 1), __ATOMIC_RELEASE);
}

static bool is_ours(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() && st.st_nlink == 1;
}

/* Open a new file, or the file of the program that this process executed before. */
static int open_file(bool *is_new)
{
	unsigned long long began;
	unsigned int name = 0;
	int fd, i, err = thr_process_began(getpid(), &began);

	for (i = 0; !err && i < SEGMENT_TRIES; i++) {
		if (i >= SEGMENT_NAMES && getrandom(&name, sizeof(name), GRND_NONBLOCK) != sizeof(name))
			break;
		thr_segment_path(file, sizeof(file), getpid(), began, i < SEGMENT_NAMES ? i : (int)(name >> 1));
		*is_new = true;
		/* Others may read the file only after it is locked, see register_once(). */
		fd = open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd < 0 && errno == EEXIST) {
			*is_new = false;
			fd = open(file, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		}
		if (fd >= 0 && is_ours(fd))
			return fd;
		if (fd >= 0)
			close(fd);
		/* Others may have something else of this name: a folder, a socket, a link. */
		else if (*is_new || errno == EMFILE || errno == ENFILE || errno == ENOMEM)
			return -errno;
	}
	return err ? err : -EEXIST;
}

static struct segment *map_file(int fd, bool is_new, void *place)
{
	struct segment *s;
	struct stat st;

	/* Allocate the space now, because a full file system must not kill the program later. */
	if (is_new) {
		errno = posix_fallocate(fd, 0, sizeof(*s));
		if (errno)
			return MAP_FAILED;
	}
	if (!is_new && (fstat(fd, &st) || st.st_size != sizeof(*s))) {
		errno = EPROTO;
		return MAP_FAILED;
	}
	return mmap(place, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | (place ? MAP_FIXED : 0),
		    fd, 0);
}

static void fill(struct segment *s)
{
	s->version = SEGMENT_VERSION;
	s->bytes = sizeof(*s);
	s->began_ns = monotonic_ns();
	s->pid = getpid();
	s->next = 1;
	s->weight = 100;
	set_text(s->name, program_invocation_short_name);
	set_text(s->unit, "units/s");
	__atomic_store_n(&s->magic, SEGMENT_MAGIC, __ATOMIC_RELEASE);
}

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

/* Runs in the forked child, whose thread is another one. */
static void in_child(void)
{
	unsigned int i;

	mine_of = NULL;
	/* The parent has these counts, too, and moves them, perhaps later. */
	for (i = 0; i < SEGMENT_SLOTS; i++)
		unregistered.slot[i].count = 0;
	pthread_mutex_unlock(&lock);
}

static void ends(void)
{
	throughput_end();
}

/* A program may tick and fork before it is registered. */
static __attribute__((constructor)) void follow_forks(void)
{
	pthread_atfork(before_fork, after_fork, in_child);
}

static void once_for_all(void)
{
	atexit(ends);
}

static int register_once(void);

/* Move what was counted while there was no file, or by threads that did not know of it yet. */
static void move_counts(struct segment *to)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < SEGMENT_SLOTS; i++)
		sum += __atomic_exchange_n(&unregistered.slot[i].count, 0, __ATOMIC_RELAXED);
	__atomic_fetch_add(&to->slot[0].count, sum, __ATOMIC_RELAXED);
}

/*
 * The program before an exec had this file, and a reader has locked it since, so that it looks as
 * if nobody ticked there. Take a new one, with all that the old one has. Nobody can open it before
 * it is locked. Processes that were forked before the exec keep the old file.
 */
static int replace(const struct segment *old)
{
	struct segment *s;
	unsigned int i;
	int err;

	unlink(file);
	close(descriptor);
	descriptor = -1;
	err = register_once();
	if (err)
		return err;
	s = shared;
	begin_change(s);
	memcpy(s->name, old->name, sizeof(s->name));
	memcpy(s->unit, old->unit, sizeof(s->unit));
	s->goal_min = old->goal_min;
	s->goal_max = old->goal_max;
	s->weight = old->weight;
	end_change(s);
	for (i = 0; i < SEGMENT_SLOTS; i++)
		__atomic_fetch_add(&s->slot[0].count, __atomic_load_n(&old->slot[i].count, __ATOMIC_RELAXED),
				   __ATOMIC_RELAXED);
	return 0;
}

/* Register the program if it is not registered. Context: @lock is held. */
static int register_once(void)
{
	struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	struct segment *s;
	bool is_new = false;
	int fd;

	if (descriptor >= 0) {
		/*
		 * Perhaps it is not locked yet, because children from before an exec had the lock.
		 */
		fcntl(descriptor, F_OFD_SETLK, &all);
		return 0;
	}
	pthread_once(&once, once_for_all);
	fd = open_file(&is_new);
	if (fd < 0)
		return fd;
	s = map_file(fd, is_new, places[0]);
	if (s == MAP_FAILED) {
		int err = -errno;

		if (is_new)
			unlink(file);
		close(fd);
		return err;
	}
	places[0] = places[1];
	places[1] = s;
	if (!is_new && (s->magic != SEGMENT_MAGIC || s->version != SEGMENT_VERSION)) {
		close(fd);
		return -EPROTO;
	}
	/*
	 * Close this descriptor and lock another one, because the mapping would keep this one's
	 * lock.
	 */
	close(fd);
	descriptor = open(file, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (descriptor < 0) {
		int err = -errno;

		if (is_new)
			unlink(file);
		return err;
	}
	fcntl(descriptor, F_OFD_SETLK, &all);
	if (!is_new && thr_is_locked(descriptor) == THR_HIDDEN)
		return replace(s);
	if (is_new) {
		fill(s);
		fchmod(descriptor, 0644 & ~mask());
	}
	__atomic_store_n(&shared, s, __ATOMIC_RELEASE);
	move_counts(s);
	return 0;
}

static int begin(void)
{
	int err;

	pthread_mutex_lock(&lock);
	err = register_once();
	pthread_mutex_unlock(&lock);
	return err;
}

int throughput_begin(const char *name, const char *unit)
{
	int err = begin();

	if (err)
		return err;
	pthread_mutex_lock(&lock);
	begin_change(shared);
	if (name)
		set_text(shared->name, name);
	if (unit)
		set_text(shared->unit, unit);
	end_change(shared);
	pthread_mutex_unlock(&lock);
	return 0;
}

int throughput_goal(double goal, const char *unit)
{
	int err;

	if (!isfinite(goal) || goal < 0)
		return -EINVAL;
	err = throughput_begin(NULL, unit);
	return err ? err : throughput_goal_range(goal, goal, 100);
}

int throughput_goal_range(double min, double max, unsigned int weight)
{
	int err;

	if (!isfinite(min) || !isfinite(max) || min < 0 || max < min || weight < 1 || weight > 1000)
		return -EINVAL;
	err = begin();
	if (err)
		return err;
	pthread_mutex_lock(&lock);
	begin_change(shared);
	shared->goal_min = min;
	shared->goal_max = max;
	shared->weight = weight;
	end_change(shared);
	pthread_mutex_unlock(&lock);
	return 0;
}

/* Take a slot. Threads that have ended leave their slots, with the counts in them. */
static bool take(struct slot *slot, uint32_t me)
{
	uint32_t owner = __atomic_load_n(&slot->owner, __ATOMIC_RELAXED);

	if (owner && owner != me && (!syscall(SYS_tkill, owner, 0) || errno != ESRCH))
		return false;
	return __atomic_compare_exchange_n(&slot->owner, &owner, me, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

/* Find a slot for this thread. Context: also signal handlers; takes no lock, and keeps errno. */
static __attribute__((noinline)) struct slot *find_slot(void)
{
	struct segment *s = __atomic_load_n(&shared, __ATOMIC_ACQUIRE);
	uint32_t me = (uint32_t)syscall(SYS_gettid), i, n;
	struct slot *slot = &s->slot[0];
	int saved = errno;

	for (i = 0; i < TRIES; i++) {
		n = __atomic_fetch_add(&s->next, 1, __ATOMIC_RELAXED);
		n = 1 + (n - 1) % (SEGMENT_SLOTS - 1);
		if (take(&s->slot[n], me)) {
			slot = &s->slot[n];
			break;
		}
	}
	errno = saved;
	if (mine_of == &unregistered && s != &unregistered)
		__atomic_fetch_add(&slot->count, __atomic_exchange_n(&mine->count, 0, __ATOMIC_RELAXED),
				   __ATOMIC_RELAXED);
	/*
	 * A signal handler that runs in between finds a slot of its own, and moves the counts of
	 * this slot.
	 */
	mine = slot;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	mine_of = s;
	return slot;
}

/* A separate function, so that other ticks need no stack. */
static __attribute__((noinline)) void first_tick(uint64_t n)
{
	__atomic_fetch_add(&find_slot()->count, n, __ATOMIC_RELAXED);
}

void throughput_tick(uint64_t n)
{
	if (__builtin_expect(mine_of != shared, 0)) {
		first_tick(n);
		return;
	}
	/* Read what find_slot() has left, perhaps in a signal handler just now. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_fetch_add(&mine->count, n, __ATOMIC_RELAXED);
}

uint64_t throughput_count(void)
{
	struct segment *s = __atomic_load_n(&shared, __ATOMIC_ACQUIRE);
	uint64_t sum = 0;
	unsigned int i;

	if (s != &unregistered)
		move_counts(s);
	for (i = 0; i < SEGMENT_SLOTS; i++)
		sum += __atomic_load_n(&s->slot[i].count, __ATOMIC_RELAXED);
	return sum;
}

int throughput_end(void)
{
	pthread_mutex_lock(&lock);
	if (descriptor >= 0) {
		move_counts(shared);
		close(descriptor);
		descriptor = -1;
		/* Forked processes may go on: the file then stays. */
		thr_remove_dead(file);
	}
	pthread_mutex_unlock(&lock);
	return 0;
}
