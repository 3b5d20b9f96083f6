// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "monotonic.h"
#include "show.h"

#define ROWS		20
#define NS_PER_S	1e9
/* Time between two checks if there is something better to do than to wait for the reader. */
#define WAIT_MS		100
#define LAST_WAITS	10

/* Names, by enum pmct_confidence. */
static const char *const confidences[] = { "stale", "extrapolated", "estimated", "measured" };

static const char *confidence_of(int confidence)
{
	return confidence >= 0 && confidence < 4 ? confidences[confidence] : NULL;
}

/* The core type that @t should run on. */
static const char *type_of(const struct show *s, const struct amp_thread *t)
{
	return s->machine->type[t->rank < s->machine->nr ? t->rank : 0].name;
}

static double total_ns(const struct amp_thread *t)
{
	double total = 0;
	unsigned int rank;

	for (rank = 0; rank < AMP_RANKS; rank++)
		total += (double)t->time_ns[rank];
	return total;
}

static void add(struct json_object *to, const char *key, struct json_object *value)
{
	json_object_object_add(to, key, value);
}

static struct json_object *thread_object(const struct show *s, const struct amp_thread *t)
{
	struct json_object *o = json_object_new_object(), *times = json_object_new_object();
	const char *confidence = confidence_of(t->confidence);
	unsigned int rank;

	add(o, "pid", json_object_new_int64(t->pid));
	add(o, "process", json_object_new_int64(t->tgid));
	add(o, "command", json_object_new_string(t->comm));
	add(o, "coretype", t->fixed ? NULL : json_object_new_string(type_of(s, t)));
	add(o, "runnable", json_object_new_boolean(t->state == AMP_RUNNABLE));
	add(o, "held", json_object_new_boolean(t->state == AMP_HELD));
	add(o, "fixed", json_object_new_boolean(t->fixed));
	for (rank = 0; rank < s->machine->nr; rank++)
		add(times, s->machine->type[rank].name, json_object_new_double((double)t->time_ns[rank] / NS_PER_S));
	add(o, "time_s", times);
	add(o, "progress_s", json_object_new_double((double)t->progress_ns / NS_PER_S));
	/* Without a value, the factor is null, and not 1. */
	add(o, "factor", confidence ? json_object_new_double(t->factor[1] / 1e3) : NULL);
	add(o, "quality", t->quality ? json_object_new_double(t->quality / 1e3) : NULL);
	add(o, "confidence", confidence ? json_object_new_string(confidence) : NULL);
	return o;
}

/*
 * Copy @t, because it changes. Users choose names, so characters that terminals or readers of JSON
 * would obey are replaced.
 */
static struct amp_thread copy_of(const volatile struct amp_thread *t)
{
	struct amp_thread copy = *t;
	char *c;

	copy.comm[AMP_COMM - 1] = '\0';
	for (c = copy.comm; *c; c++) {
		if (*c < ' ' || *c > '~')
			*c = '?';
	}
	return copy;
}

static void show_json(const struct show *s, const struct policy *policy, FILE *out)
{
	const volatile struct amp_stats *stats = policy_stats(policy);
	struct json_object *o = json_object_new_object(), *list = json_object_new_array();
	const volatile struct amp_thread *threads;
	unsigned int i, nr;

	threads = policy_threads(policy, &nr);
	for (i = 0; i < nr; i++) {
		struct amp_thread t = copy_of(&threads[i]);

		if (t.state != AMP_FREE)
			json_object_array_add(list, thread_object(s, &t));
	}
	add(o, "policy", json_object_new_string(s->kind->name));
	add(o, "simulated", json_object_new_boolean(s->simulated));
	add(o, "seconds", json_object_new_double(s->seconds));
	add(o, "runnable", json_object_new_int64(stats->runnable));
	add(o, "ticks", json_object_new_int64((int64_t)stats->ticks));
	add(o, "moves", json_object_new_int64((int64_t)stats->moves));
	add(o, "swaps", json_object_new_int64((int64_t)stats->swaps));
	add(o, "metrics_asked", json_object_new_int64((int64_t)stats->asked));
	add(o, "metrics_without_value", json_object_new_int64((int64_t)stats->unknown));
	add(o, "metrics_of_low_confidence", json_object_new_int64((int64_t)stats->low));
	/* 0 would say that no group was over its limit. */
	add(o, "held_by_cpu_max",
	    policy_knows_limits(policy) ? json_object_new_int64((int64_t)stats->held) : NULL);
	add(o, "groups_without_place", json_object_new_int64((int64_t)stats->groups_without_slot));
	add(o, "unmanaged_threads", json_object_new_int64((int64_t)stats->unmanaged));
	add(o, "quanta", json_object_new_int64((int64_t)stats->quanta));
	add(o, "training_quanta", json_object_new_int64((int64_t)stats->trained));
	add(o, "threads", list);
	fprintf(out, "%s\n", json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN));
	json_object_put(o);
}

static void show_thread(const struct show *s, const struct amp_thread *t, FILE *out)
{
	double total = total_ns(t);
	const char *confidence = confidence_of(t->confidence);

	fprintf(out, "%8u %-15s %-20s %9.2f", t->pid, t->comm,
	       t->fixed ? "-" : type_of(s, t), total / NS_PER_S);
	if (total > 0)
		fprintf(out, " %6.1f", 100 * (double)t->time_ns[0] / total);
	else
		fprintf(out, " %6s", "-");
	if (confidence)
		fprintf(out, " %6.2f %s\n", t->factor[1] / 1e3, confidence);
	else
		fprintf(out, " %6s -\n", "-");
}

/* Print the first ROWS of the runnable threads. */
static void show_table(const struct show *s, const struct policy *policy, FILE *out)
{
	const volatile struct amp_stats *stats = policy_stats(policy);
	const volatile struct amp_thread *threads;
	unsigned int i, nr, shown = 0, more = 0;

	threads = policy_threads(policy, &nr);
	fprintf(out, "[%s%s: %.1f s, %u runnable, %llu moves, %llu swaps; %llu metrics asked, %llu without a value, %llu of low confidence]\n",
	       s->kind->name, s->simulated ? " on a simulated machine" : "", s->seconds, stats->runnable,
	       stats->moves, stats->swaps, stats->asked, stats->unknown, stats->low);
	if (stats->unmanaged)
		fprintf(out, "%llu threads found no place among %d: they stay with the core type where they are\n",
		       stats->unmanaged, AMP_THREADS);
	if (stats->held)
		fprintf(out, "%llu times a thread waited because of cpu.max\n", stats->held);
	if (stats->groups_without_slot)
		fprintf(out, "%llu control groups found no place among %d: only what groups above have counts there\n",
		       stats->groups_without_slot, AMP_GROUPS);
	for (i = 0; i < nr; i++) {
		struct amp_thread t = copy_of(&threads[i]);

		if (t.state != AMP_RUNNABLE)
			continue;
		if (shown == ROWS) {
			more++;
			continue;
		}
		if (!shown++)
			fprintf(out, "%8s %-15s %-20s %9s %6s %6s %s\n", "PID", "COMMAND", "CORE_TYPE", "CPU_S",
			       "FAST_%", "FACTOR", "CONFIDENCE");
		show_thread(s, &t, out);
	}
	if (more)
		fprintf(out, "and %u more\n", more);
}

/* True if the reader is not to be waited for any more. */
static bool must_end(const struct show *s, const struct policy *policy)
{
	sigset_t pending, both;

	return policy_stats(policy)->exited || monotonic_s() >= s->until ||
	       (!sigpending(&pending) && !sigandset(&both, &pending, s->signals) && !sigisemptyset(&both));
}

/*
 * Write a report. If nobody reads it, what is left of it is dropped as soon as there is work. The
 * @last one is dropped after a second.
 */
static void deliver(struct show *s, const struct policy *policy, const char *text, size_t length, bool last)
{
	struct pollfd ready = { .fd = s->out, .events = POLLOUT };
	const size_t whole = length;
	unsigned int waits = 0;
	ssize_t written;

	/* Readers of lines lose one report, and not two. */
	if (s->cut && write(s->out, "\n", 1) != 1)
		return;
	s->cut = false;

	while (length) {
		written = write(s->out, text, length);
		if (written > 0) {
			text += written;
			length -= (size_t)written;
		} else if (written < 0 && errno == EAGAIN) {
			if (last ? waits++ >= LAST_WAITS : must_end(s, policy))
				break;
			poll(&ready, 1, WAIT_MS);
		} else if (written < 0 && errno != EINTR) {
			s->error = errno;
			break;
		}
	}
	s->cut = length && length < whole;
}

void show_begin(struct show *s)
{
	struct stat st;

	/*
	 * Pipes and terminals are opened anew, because whoever else has this one open does not
	 * expect it to return at once.
	 */
	s->out = STDOUT_FILENO;
	if (!fstat(STDOUT_FILENO, &st) && (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode))) {
		s->out = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		s->out = s->out < 0 ? STDOUT_FILENO : s->out;
	}
}

int show_end(struct show *s)
{
	if (s->out != STDOUT_FILENO)
		close(s->out);
	return -s->error;
}

void show(struct show *s, const struct policy *policy, bool last)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return;
	if (s->json)
		show_json(s, policy, out);
	else if (!last)
		show_table(s, policy, out);
	if (!fclose(out) && !s->error)
		deliver(s, policy, text, length, last);
	free(text);
}
