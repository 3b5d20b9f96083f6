// SPDX-License-Identifier: GPL-2.0-or-later
#include "app.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"

/* Rates that people see cover at least a second, and at least so many units. */
#define SHOWN_S 1.0
#define SHOWN_UNITS 20
/*
 * A window may be shorter by this part of a step, so that the look with which it began still counts
 * if a step begins later.
 */
#define LATE 0.125
/* For so many steps after a trial with fewer CPUs, it is known that more CPUs do not help. */
#define TRIED 40
/* If less than this part of the CPUs is used, nothing is learnt of how a program scales. */
#define USED 0.6
/* After so many such steps in a row, a program is given so many times what it uses. */
#define UNUSED_STEPS 4
#define UNUSED 1.5
/* A program that leaves most of its quota unused is not given so few CPUs more. */
#define IDLE_BAND 0.15
/* Processes of a program that are watched from the beginning, with all that they start later. */
#define MOST_PROCESSES 64
/* After so many steps, a failed estimate of what CPUs are worth is tried again. */
#define ASK_AGAIN 240

static void take_goal(struct app *a, const struct settings *s)
{
	const struct rule *rule = settings_rule(s, a->info.name, a->info.uid);

	if (!a->goal_asked) {
		a->goal = (struct qos_goal){a->info.goal_min, a->info.goal_max};
		if (rule && rule->min > 0)
			a->goal = (struct qos_goal){rule->min, rule->max};
	}
	if (a->weight_asked)
		return;
	if (rule && rule->weight)
		a->weight = rule->weight;
	else
		a->weight = a->info.weight < s->most_weight ? a->info.weight : s->most_weight;
}

/* Prepare a group for the program, which is moved there by app_take(). */
static int prepare_group(struct app *a)
{
	char name[32];
	int err;

	snprintf(name, sizeof(name), "app-%d", (int)a->info.pid);
	err = group_find(&a->group, a->info.pid, a->info.began, a->info.uid);
	return err ? err : group_open(&a->group, name);
}

struct app *app_open(const struct settings *s, struct throughput_reader *reader,
		     const struct throughput_info *info, double cpus, bool dry)
{
	struct app *a = calloc(1, sizeof(*a));
	const struct rule *rule;
	int err = 0;

	if (!a) {
		throughput_close(reader);
		return NULL;
	}
	a->reader = reader;
	a->info = *info;
	rule = settings_rule(s, a->info.name, a->info.uid);
	take_goal(a, s);
	if (!a->info.alive || a->goal.min <= 0 || (rule && rule->ignore))
		goto none;
	a->window_s = s->step_s;
	a->late_s = s->step_s * LATE;
	/* In a dry run, threads are not counted. */
	a->threads = dry ? (unsigned int)cpus : 1;
	/* So far, the program had whatever it wanted. */
	qos_manager_begin(&a->manager, 0, 0, 1, cpus);
	err = dry ? 0 : prepare_group(a);
	if (err == -EPERM)
		a->left = "its control group, or one above, has limits that it would escape";
	else if (err == -E2BIG)
		a->left = "it has too many processes";
	else if (err == -EALREADY)
		a->left = "another program that is managed has started it";
	else if (err == -ENOTUNIQ)
		a->left = "it is not alone in a unit of systemd: start it as one of its own (systemd-run)";
	else if (err == -ENODEV)
		a->left = "its control group has not the controller cpu";
	else if (err)
		goto none;
	if (a->left)
		group_close(&a->group);
	return a;
none:
	/* For example, the file is of a process that is not there: any user can make one. */
	app_close(a);
	return NULL;
}

void app_take(struct app *a)
{
	int err = a->group.path[0] ? group_take(&a->group, a->info.pid, a->info.uid) : 0;

	if (!err)
		return;
	a->left = err == -EOPNOTSUPP ? "it is in a threaded control group" :
				       "it cannot be moved to a control group";
	complain("%s[%d] is left alone: %s: %s", a->info.name, (int)a->info.pid, a->left, strerror(-err));
	group_close(&a->group);
}

/* Use the kernel's capacities. Without them, all types are alike. */
static void weigh_by_capacity(struct app *a, const struct core_types *types)
{
	unsigned int rank, most = core_types_capacity(&types->type[0]), one;

	for (rank = 0; rank < types->nr; rank++) {
		one = core_types_capacity(&types->type[rank]);
		a->worth[rank] = one && one < most ? (double)one / most : 1;
	}
}

static void watch_speed(struct app *a, const struct core_types *types)
{
	pid_t process[MOST_PROCESSES];
	int n = group_processes(&a->group, process, MOST_PROCESSES);

	if (n > 0)
		a->speed = speed_open(types, process, (size_t)n, a->asked ? NULL : a->info.name);
	a->asked = a->steps + 1;
}

static void stop_watching(struct app *a)
{
	speed_close(a->speed);
	a->speed = NULL;
	a->asked = 0;
}

bool app_weigh(struct app *a, const struct core_types *types, bool ask, bool may_open)
{
	int known;

	if (a->worth[0] <= 0)
		weigh_by_capacity(a, types);
	if (!ask || !app_is_managed(a) || !a->group.path[0]) {
		stop_watching(a);
		return false;
	}
	if (!a->speed && may_open && (!a->asked || a->steps - a->asked >= ASK_AGAIN)) {
		watch_speed(a, types);
		return true;
	}
	known = a->speed ? speed_read(a->speed, a->worth) : 0;
	a->is_known |= known > 0;
	/* Another module is active, or the same one with another model: what is known stays. */
	if (known < 0)
		stop_watching(a);
	return false;
}

void app_weigh_anew(struct app *a)
{
	stop_watching(a);
	memset(a->worth, 0, sizeof(a->worth));
	a->is_known = false;
}

double app_worth_of_slow(const struct app *a)
{
	double worth = 1;
	size_t rank;

	for (rank = 0; rank < CORE_TYPES_MOST; rank++)
		worth = a->worth[rank] > 0 ? a->worth[rank] : worth;
	return worth;
}

double app_used(const struct app *a)
{
	return a->usage_known ? a->used : NAN;
}

double app_granted(const struct app *a)
{
	return a->left ? NAN : a->share.granted;
}

bool app_close(struct app *a)
{
	if (group_close(&a->group))
		return false;
	speed_close(a->speed);
	throughput_close(a->reader);
	free(a);
	return true;
}

void app_look(struct app *a)
{
	throughput_rate(a->reader, (uint64_t)((a->window_s - a->late_s) * 1e9), &a->rate);
}

bool app_is_alive(const struct app *a)
{
	struct throughput_info info;

	return !throughput_info(a->reader, &info) && info.alive;
}

bool app_is_managed(const struct app *a)
{
	return !a->left && !a->paused && a->goal.min > 0;
}

static void note_usage(struct app *a, double seconds)
{
	uint64_t before = a->us;

	/* The CPU time of a group that was made anew begins at 0. */
	a->usage_known = a->group.path[0] && !group_usage(&a->group, &a->us) && a->usage_began && a->us >= before;
	a->used = a->usage_known ? (double)(a->us - before) / 1e6 / seconds : 0;
	a->usage_began = a->group.path[0];
}

/*
 * If others have changed its group, the program is left alone: the group stays as they have it,
 * until the program ends.
 */
static void check(struct app *a)
{
	const char *what;
	int err;

	err = !a->group.path[0] || a->left ? 0 : group_check(&a->group, a->info.pid, &what);
	if (!err)
		return;
	complain("%s[%d] is left alone: %s", a->info.name, (int)a->info.pid, what);
	a->left = what;
	/*
	 * In a unit, limits that others have not changed are removed. Processes that would escape
	 * limits are moved back.
	 */
	if (a->group.in_unit || err == -EPERM)
		group_close(&a->group);
}

bool app_step(struct app *a, const struct settings *s, double cpus, double seconds)
{
	double used;
	bool learn;

	if (throughput_info(a->reader, &a->info))
		return false;
	take_goal(a, s);
	/* A program that has no goal any more is not managed. */
	if (!a->info.alive || a->goal.min <= 0)
		return false;
	if (a->steps++ % settings_rarely(s) == 0) {
		check(a);
		if (a->group.path[0])
			group_threads(&a->group, &a->threads);
	}
	a->window_s = qos_manager_window(&a->manager, a->rate, &a->goal, s->step_s, s->pole);
	app_look(a);
	throughput_rate(a->reader, (uint64_t)((fmax(SHOWN_S, SHOWN_UNITS / fmax(a->rate, 2)) - a->late_s) * 1e9), &a->shown);
	note_usage(a, seconds);
	if (!app_is_managed(a))
		return true;
	a->manager.most = fmin(cpus, a->threads);
	used = a->usage_known ? a->used : a->manager.granted;
	learn = used >= USED * a->manager.granted;
	a->unused = learn ? 0 : a->unused + 1;
	/* If it is not known what a program uses, nobody can say that it computes in vain. */
	if (!a->usage_known)
		a->manager.missed = 0;
	a->share.demand = qos_manager_step(&a->manager, a->rate, learn, &a->goal);
	/* A program that does not use its CPUs gets no more for saying that they are not enough. */
	if (a->unused >= UNUSED_STEPS)
		a->share.demand = fmin(a->share.demand, fmax(1, used * UNUSED));
	a->share.cap = a->manager.most;
	a->share.weight = a->weight;
	return true;
}

/* True if the program has less than it asks for, because other programs ask, too. */
static bool is_short(const struct app *a)
{
	return a->share.fair < 0.98 * a->share.demand;
}

/* Handle the result of a change of its group. */
static void judge(struct app *a, int err)
{
	if (!err || err == -EMFILE || err == -ENFILE || err == -ENOMEM || err == -EINTR || err == -EAGAIN)
		return;
	/* Somebody else has changed the group. */
	if (err == -EBUSY)
		check(a);
	if (a->left)
		return;
	complain("%s[%d]: %s: %s", a->info.name, (int)a->info.pid, a->group.path, strerror(-err));
	a->left = "its control group cannot be changed";
	group_close(&a->group);
}

/*
 * True if the program's quota can stay, though it is a little less than what is granted, because
 * the program leaves most of it unused. Errors of rates and rounding would change it in each step,
 * and a change of a group is expensive. The quota is never more than what is granted.
 */
static bool is_quota_enough(const struct app *a)
{
	double quota = group_quota(&a->group);

	return a->unused >= UNUSED_STEPS && quota > 0 && quota <= a->share.granted &&
	       a->share.granted <= quota + IDLE_BAND && a->used * UNUSED <= quota;
}

void app_give(struct app *a, enum actuator actuator)
{
	int err = 0;

	qos_manager_grant(&a->manager, a->rate, a->share.granted, is_short(a));
	if (!a->group.path[0])
		return;
	if (actuator != ACTUATOR_CPUS && !is_quota_enough(a))
		err = group_set_bandwidth(&a->group, a->share.granted);
	if (!err && actuator != ACTUATOR_BANDWIDTH)
		err = group_set_cpus(&a->group, &a->cpus);
	judge(a, err);
}

void app_free(struct app *a, enum actuator actuator)
{
	if (!a->group.path[0] || a->left)
		return;
	if (actuator == ACTUATOR_BANDWIDTH) {
		judge(a, group_free_bandwidth(&a->group));
		return;
	}
	CPU_ZERO(&a->cpus);
	judge(a, group_free_cpus(&a->group));
}

static bool is_held(const struct app *a)
{
	return a->shown >= a->goal.min * (1 - APP_HELD_PART) && a->shown <= a->goal.max * (1 + APP_HELD_PART);
}

static bool is_out_of_reach(const struct app *a)
{
	const struct qos_manager *m = &a->manager;

	return (m->probed_at && m->steps - m->probed_at < TRIED) || m->short_of > 2 ||
	       qos_manager_plateau(m) > 0;
}

enum app_state app_state(const struct app *a)
{
	if (a->left)
		return APP_LEFT;
	if (a->paused)
		return APP_PAUSED;
	if (qos_manager_is_silent(&a->manager))
		return APP_SILENT;
	if (!a->manager.model.steps)
		return a->unused >= UNUSED_STEPS ? APP_IDLE : APP_NEW;
	if (is_held(a))
		return APP_HELD;
	if (a->shown > a->goal.max)
		return a->share.demand < 0.98 * a->share.granted ? APP_ABOVE : APP_SETTLING;
	if (a->unused >= UNUSED_STEPS)
		return APP_IDLE;
	if (is_short(a))
		return APP_SHORT;
	return is_out_of_reach(a) ? APP_OUT_OF_REACH : APP_SETTLING;
}

const char *app_state_name(const struct app *a)
{
	static const char *const names[] = {
		[APP_LEFT] = "left alone",   [APP_PAUSED] = "paused", [APP_NEW] = "new",
		[APP_SILENT] = "silent",
		[APP_HELD] = "held",	     [APP_ABOVE] = "above",   [APP_SETTLING] = "settling",
		[APP_SHORT] = "too few CPUs", [APP_IDLE] = "idle",    [APP_OUT_OF_REACH] = "out of reach",
	};

	return names[app_state(a)];
}

static int why_short(const struct app *a, char **text)
{
	if (a->share.cap < a->manager.most - 1e-6)
		return asprintf(text, "it asks for %.2f CPUs; its user's programs have no more together (most_cpus, or "
				"as other users ask, too), and its part is %.2f", a->share.demand, a->share.fair);
	return asprintf(text, "it asks for %.2f CPUs; with its weight of %u, its part is %.2f", a->share.demand,
			a->weight, a->share.fair);
}

static int why_out_of_reach(const struct app *a, char **text)
{
	double best = qos_manager_best(&a->manager);
	char few[64] = "";

	/* A program can use no more CPUs than it has threads. */
	if (a->manager.most >= a->threads)
		snprintf(few, sizeof(few), ", with %u thread%s", a->threads, a->threads == 1 ? "" : "s");
	if (best <= 0)
		return asprintf(text, "it has all CPUs that it can use, %.2f%s", a->manager.most, few);
	return asprintf(text, "more CPUs do not help; lately, %.4g %s was the most%s", best, a->info.unit, few);
}

static int why_rate(const struct app *a, char **text)
{
	const struct qos_model *m = &a->manager.model;

	return asprintf(text, "%.4g %s with %.2f CPUs; each further CPU is worth about %.4g %s%s", a->shown,
			a->info.unit, a->share.granted, m->b / fmax(1 - m->a, 0.01), a->info.unit,
			qos_model_is_trusted(m) ? "" : " (not trusted)");
}

char *app_why(const struct app *a)
{
	char *text = NULL;
	int length = -1;

	switch (app_state(a)) {
	case APP_LEFT:
		length = asprintf(&text, "%s", a->left);
		break;
	case APP_PAUSED:
		length = asprintf(&text, "by qosctl, with %.2f CPUs", a->share.granted);
		break;
	case APP_SILENT:
		length = asprintf(&text, "it uses its CPUs, and delivers nothing that is seen: is what is counted what "
				  "it does (throughput list)? It is given one CPU until it does");
		break;
	case APP_NEW:
		length = asprintf(&text, "it has not been watched for long enough");
		break;
	case APP_SHORT:
		length = why_short(a, &text);
		break;
	case APP_IDLE:
		length = asprintf(&text, "it used %.2f of the %.2f CPUs that it had, and is given no more as long "
				  "as that is so: it waits for something else, or has chosen few CPUs", a->used, a->manager.granted);
		break;
	case APP_OUT_OF_REACH:
		length = why_out_of_reach(a, &text);
		break;
	case APP_ABOVE:
		length = asprintf(&text, "it delivers more than its goal with the least CPUs that it can have");
		break;
	case APP_HELD:
	case APP_SETTLING:
		length = why_rate(a, &text);
		break;
	}
	return length < 0 ? NULL : text;
}
