// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Named regions. Each thread has its own session and its own tree of regions. While the
 * thread runs, no other thread touches these. A lock protects the list of threads.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"
#include "user_read.h"

struct region {
	char *name;
	struct region *parent;
	struct region *children;	/* list through @sibling, newest first */
	struct region *sibling;
	uint64_t calls;
	uint64_t *counts;	/* events of the calls that ended */
	uint64_t *own;		/* of these, the events outside inner regions */
	uint64_t *inner;	/* events in inner regions, during the present call */
	uint64_t *start;	/* the thread's events when it entered the region last */
};

struct thread {
	struct pmctrack_profile *profile;
	struct thread *next;
	pid_t tid;
	struct pmctrack_session *session;
	bool reads;		/* counters are read without system calls */
	uint64_t *total;	/* without @reads: the thread's events so far */
	struct region root;	/* has no name */
	struct region *in;	/* the innermost region that the thread is in */
};

struct pmctrack_profile {
	const struct pmctrack_ctl *ctl;
	struct pmctrack_evset *set;
	unsigned int nr;	/* number of events */
	pthread_key_t key;	/* struct thread of the calling thread */
	pthread_mutex_t lock;	/* protects @threads and @ctl */
	struct thread *threads;
};

/* The thread ends: release its counters, but keep its regions. */
static void thread_ends(void *arg)
{
	struct thread *t = arg;

	pmctrack_session__close(t->session);
	t->session = NULL;
}

struct pmctrack_profile *pmctrack_profile__open(const struct pmctrack_ctl *ctl,
						const struct pmctrack_evset *set)
{
	struct pmctrack_profile *p;
	int err;

	/* An earlier call failed: keep its error. */
	if (!ctl || !set)
		return NULL;
	p = calloc(1, sizeof(*p));
	if (!p)
		return fail_null(ENOMEM, "no memory");
	p->ctl = ctl;
	p->nr = pmctrack_evset__nr(set);
	p->set = evset_copy(set);
	if (!p->set) {
		free(p);
		return NULL;
	}
	err = pthread_key_create(&p->key, thread_ends);
	if (err) {
		pmctrack_evset__free(p->set);
		free(p);
		return fail_null(err, "no memory for a profile");
	}
	pthread_mutex_init(&p->lock, NULL);
	return p;
}

static void free_regions(struct region *r)
{
	struct region *child, *next;

	for (child = r->children; child; child = next) {
		next = child->sibling;
		free_regions(child);
		free(child);
	}
	free(r->name);
	free(r->counts);
}

static void free_thread(struct thread *t)
{
	pmctrack_session__close(t->session);
	free_regions(&t->root);
	free(t->total);
	free(t);
}

void pmctrack_profile__close(struct pmctrack_profile *p)
{
	struct thread *next;

	if (!p)
		return;
	pthread_key_delete(p->key);
	for (struct thread *t = p->threads; t; t = next) {
		next = t->next;
		free_thread(t);
	}
	pthread_mutex_destroy(&p->lock);
	pmctrack_evset__free(p->set);
	free(p);
}

static int open_session(struct pmctrack_profile *p, struct thread *t)
{
	struct pmctrack_session_opts opts = {
		.sz = sizeof(opts),
		.flags = PMCTRACK_SESSION_USER_READ,
		/* Room for one record is enough. A program may have many threads. */
		.ring_size = (uint32_t)sysconf(_SC_PAGESIZE),
	};

	t->session = pmctrack_session__open(p->ctl, &p->set, 1, &opts);
	t->reads = t->session != NULL;
	/* Reads in user mode: the PMU cannot do them, or the administrator forbids them. */
	if (!t->session && (errno == EOPNOTSUPP || errno == EACCES)) {
		opts.flags = 0;
		t->session = pmctrack_session__open(p->ctl, &p->set, 1, &opts);
	}
	if (!t->session)
		return -errno;
	return pmctrack_session__start(t->session);
}

static struct thread *new_thread(struct pmctrack_profile *p)
{
	struct thread *t = calloc(1, sizeof(*t));
	int err;

	if (!t)
		return fail_null(ENOMEM, "no memory");
	t->profile = p;
	t->tid = this_thread();
	t->in = &t->root;
	t->total = calloc(p->nr, sizeof(*t->total));
	pthread_mutex_lock(&p->lock);
	err = t->total ? open_session(p, t) : fail(ENOMEM, "no memory");
	pthread_mutex_unlock(&p->lock);
	if (!err && pthread_setspecific(p->key, t))
		err = fail(ENOMEM, "no memory");
	if (err) {
		free_thread(t);
		errno = -err;
		return NULL;
	}
	pthread_mutex_lock(&p->lock);
	t->next = p->threads;
	p->threads = t;
	pthread_mutex_unlock(&p->lock);
	return t;
}

/* Without reads in user mode: end an interval, add its counts, and begin the next one. */
static int add_interval(struct thread *t)
{
	const struct pmctrack_record *rec;
	int err = pmctrack_session__stop(t->session);

	while (!err && pmctrack_session__next(t->session, &rec) > 0) {
		for (unsigned int i = 0; i < rec->nr_counts; i++)
			t->total[i] += rec->counts[i];
	}
	return err ? err : pmctrack_session__start(t->session);
}

/* Read the thread's events so far. Returns 0 or a negative errno. */
static int read_counts(struct thread *t, uint64_t *counts)
{
	const struct pmctrack_profile *p = t->profile;
	int err = t->reads ? 0 : add_interval(t);

	if (!t->reads)
		memcpy(counts, t->total, p->nr * sizeof(*counts));
	for (unsigned int i = 0; !err && t->reads && i < p->nr; i++)
		err = pmctrack_session__count(t->session, pmctrack_evset__counter(p->set, i),
					      &counts[i]);
	return err;
}

static struct region *find_or_add(struct thread *t, const char *name)
{
	unsigned int nr = t->profile->nr;
	struct region *r;

	for (r = t->in->children; r; r = r->sibling) {
		if (strcmp(r->name, name) == 0)
			return r;
	}
	r = calloc(1, sizeof(*r));
	if (!r)
		return NULL;
	r->parent = t->in;
	r->name = strdup(name);
	r->counts = calloc(4 * (size_t)nr, sizeof(*r->counts));
	if (!r->name || !r->counts) {
		free_regions(r);
		free(r);
		return NULL;
	}
	r->own = r->counts + nr;
	r->inner = r->own + nr;
	r->start = r->inner + nr;
	r->sibling = t->in->children;
	t->in->children = r;
	return r;
}

int pmctrack_profile__begin(struct pmctrack_profile *p, const char *name)
{
	struct thread *t = pthread_getspecific(p->key);
	struct region *r;
	int err;

	if (!t)
		t = new_thread(p);
	if (!t)
		return -errno;
	r = find_or_add(t, name);
	if (!r)
		return fail(ENOMEM, "no memory");
	/* Read the counts last, so that the work of this function is not counted in the region. */
	err = read_counts(t, r->start);
	if (!err)
		t->in = r;
	return err;
}

int pmctrack_profile__end(struct pmctrack_profile *p, const char *name)
{
	struct thread *t = pthread_getspecific(p->key);
	uint64_t now[PMCTRACK_MAX_COUNTERS];
	struct region *r = t ? t->in : NULL;
	int err;

	if (!r || !r->name)
		return fail(EINVAL, "region '%.60s' ends, but this thread is in none", name);
	if (strcmp(r->name, name))
		return fail(EINVAL, "region '%.60s' ends, but this thread is in '%.60s'", name, r->name);
	err = read_counts(t, now);
	if (err)
		return err;
	for (unsigned int i = 0; i < p->nr; i++) {
		uint64_t events = now[i] - r->start[i];

		r->counts[i] += events;
		r->own[i] += events - r->inner[i];
		r->inner[i] = 0;
		if (r->parent->name)
			r->parent->inner[i] += events;
	}
	r->calls++;
	t->in = r->parent;
	return 0;
}

struct listing {
	int (*fn)(const struct pmctrack_region_info *info, void *arg);
	void *arg;
};

static int list_region(const struct thread *t, const struct region *r, const char *path,
		       const struct listing *l);

static int list_children(const struct thread *t, const struct region *r, const char *path,
			 const struct listing *l)
{
	int ret = 0;

	for (const struct region *child = r->children; child && !ret; child = child->sibling) {
		char *inner;

		if (asprintf(&inner, "%s%s%s", path, *path ? "/" : "", child->name) < 0)
			return fail(ENOMEM, "no memory");
		ret = list_region(t, child, inner, l);
		free(inner);
	}
	return ret;
}

static int list_region(const struct thread *t, const struct region *r, const char *path,
		       const struct listing *l)
{
	const struct pmctrack_region_info info = {
		.path = path,
		.tid = t->tid,
		.calls = r->calls,
		.counts = r->counts,
		.own_counts = r->own,
		.nr_counts = t->profile->nr,
	};
	int ret = l->fn(&info, l->arg);

	return ret ? ret : list_children(t, r, path, l);
}

int pmctrack_profile__each(struct pmctrack_profile *p,
			   int (*fn)(const struct pmctrack_region_info *info, void *arg), void *arg)
{
	const struct listing l = { fn, arg };
	int ret = 0;

	pthread_mutex_lock(&p->lock);
	for (const struct thread *t = p->threads; t && !ret; t = t->next)
		ret = list_children(t, &t->root, "", &l);
	pthread_mutex_unlock(&p->lock);
	return ret;
}
