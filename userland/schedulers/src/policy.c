// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "complain.h"
#include "policy.h"
#include "text_file.h"

#define STATE	"/sys/kernel/sched_ext/state"
#define OPS	"/sys/kernel/sched_ext/root/ops"
#define HOTPLUGS	"/sys/kernel/sched_ext/hotplug_seq"
/* The time slice of a thread while others wait, if the policy has none of its own. */
#define SLICE_NS	5000000ULL
#define OPERATIONS	"sched_ext_ops"

static unsigned int metric_of(const struct policy_kind *kind, const struct core_types *m, unsigned int rank)
{
	if (!kind->metrics || !rank || rank >= m->nr)
		return 0;
	return kind->metrics[core_types_other(m, rank)];
}

/**
 * struct policy - a policy that was loaded
 * @object: its programs and maps
 * @link: the policy is in effect as long as this exists
 * @stats, @threads, @end: variables of the BPF program
 * @knows_limits: the kernel tells the policy of cpu.max
 */
struct policy {
	struct bpf_object *object;
	struct bpf_link *link;
	const volatile struct amp_stats *stats;
	const volatile struct amp_thread *threads;
	const volatile unsigned int *end;
	bool knows_limits;
};

/* Messages of libbpf and the verifier. */
static char said[1 << 20];
#define LAST_LINES	12

static int listen(enum libbpf_print_level level, const char *fmt, va_list args)
{
	size_t len = strlen(said);

	if (level == LIBBPF_DEBUG)
		return 0;
	return vsnprintf(said + len, sizeof(said) - len, fmt, args);
}

/* The last lines of the messages, where the reason is. */
static const char *last_lines(void)
{
	size_t at = strlen(said);
	int lines = 0;

	while (at && (said[at - 1] != '\n' || lines++ < LAST_LINES))
		at--;
	return said + at;
}

static void complain_of(const char *what, int err)
{
	complain("the policy cannot %s: %s%s%s", what, strerror(-err), *said ? "; the kernel said:\n" : "",
		 last_lines());
}

/* Find the variable @name, of @size bytes, in @section of @object's data. NULL: there is none. */
static void *variable(const struct bpf_object *object, const char *section, const char *name, size_t size)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, section);
	struct btf *btf = bpf_object__btf(object);
	int id = btf ? btf__find_by_name_kind(btf, section, BTF_KIND_DATASEC) : -1, i;
	const struct btf_var_secinfo *info;
	const struct btf_type *type;
	size_t have;
	char *data = map ? bpf_map__initial_value(map, &have) : NULL;

	if (!data || id < 0)
		return NULL;
	type = btf__type_by_id(btf, (unsigned int)id);
	info = btf_var_secinfos(type);
	for (i = 0; i < btf_vlen(type); i++, info++) {
		const struct btf_type *var = btf__type_by_id(btf, info->type);

		if (!strcmp(btf__name_by_offset(btf, var->name_off), name))
			return info->size == size && info->offset + size <= have ? data + info->offset : NULL;
	}
	return NULL;
}

static int configure(struct policy *p, const struct policy_kind *kind, const struct core_types *m,
		     const struct policy_options *o)
{
	struct amp_config *config = variable(p->object, ".rodata", "amp", sizeof(*config));
	unsigned int cpu, rank;

	if (!config)
		return -EINVAL;
	memset(config, 0, sizeof(*config));
	config->slice_ns = o->slice_ns ? o->slice_ns : kind->slice ? kind->slice : SLICE_NS;
	/* A quantum of training ends at a tick, so ticks must not be further apart than slices. */
	config->period_ns = kind->symmetric && o->period_ns > config->slice_ns ? config->slice_ns : o->period_ns;
	config->band = o->band ? o->band : kind->band;
	config->tolerance = o->tolerance;
	config->training = o->training;
	config->ranks = m->nr;
	for (rank = 0; rank < AMP_RANKS; rank++) {
		config->metric[rank] = metric_of(kind, m, rank);
		config->ratio[rank] = kind->unknown ? kind->unknown : o->ratio[rank];
		config->cpus[rank] = rank < m->nr ? (unsigned int)CPU_COUNT(&m->type[rank].cpus) : 0;
	}
	for (cpu = 0; cpu < AMP_CPUS; cpu++)
		config->rank_of[cpu] = (unsigned char)core_types_rank(m, cpu);
	return 0;
}

unsigned long long policy_hotplugs(void)
{
	char text[32];

	return text_file_line(HOTPLUGS, text, sizeof(text)) ? strtoull(text, NULL, 10) : 0;
}

static bool has_operation(const struct btf *kernel, const char *name)
{
	int id = btf__find_by_name_kind(kernel, OPERATIONS, BTF_KIND_STRUCT), i;
	const struct btf_type *type = id < 0 ? NULL : btf__type_by_id(kernel, (unsigned int)id);
	const struct btf_member *m = type ? btf_members(type) : NULL;

	for (i = 0; type && i < btf_vlen(type); i++, m++) {
		if (!strcmp(btf__name_by_offset(kernel, m->name_off), name))
			return true;
	}
	return false;
}

/* Returns the value of a flag of the kernel's enum scx_ops_flags, or 0 if it has no such flag. */
static unsigned long long flag_of(const struct btf *kernel, const char *name)
{
	int id = btf__find_by_name_kind(kernel, "scx_ops_flags", BTF_KIND_ENUM64), i;
	const struct btf_type *type = id < 0 ? NULL : btf__type_by_id(kernel, (unsigned int)id);
	const struct btf_enum64 *e = type ? btf_enum64(type) : NULL;

	for (i = 0; type && i < btf_vlen(type); i++, e++) {
		if (!strcmp(btf__name_by_offset(kernel, e->name_off), name))
			return btf_enum64_value(e);
	}
	return 0;
}

/*
 * True if the policy must not have the operation @name. Older kernels, and those without control
 * groups, lack some operations of groups. From Linux 6.19 on, the kernel warns of policies with
 * cpu_release.
 */
static bool leaves_out(const struct btf *kernel, const char *name)
{
	if (!strcmp(name, "cpu_release"))
		return btf__find_by_name_kind(kernel, "scx_bpf_reenqueue_local___v2", BTF_KIND_FUNC) > 0;
	return !strncmp(name, "cgroup_", 7) && !has_operation(kernel, name);
}

/*
 * Fit the operations to the kernel. If CPUs came or went since their count was @hotplugs, the
 * kernel ends the policy, so that it begins again.
 */
static int adapt_operations(const struct policy *p, const struct btf *kernel, unsigned long long hotplugs)
{
	struct bpf_map *map = bpf_object__find_map_by_name(p->object, "policy");
	struct btf *btf = bpf_object__btf(p->object);
	int id = btf ? btf__find_by_name_kind(btf, OPERATIONS, BTF_KIND_STRUCT) : -1, i;
	size_t size = 0;
	char *ops = map ? bpf_map__initial_value(map, &size) : NULL;
	const struct btf_type *type;
	const struct btf_member *m;
	unsigned long long flags;
	bool expects = false;

	if (!ops || id < 0)
		return -EINVAL;
	type = btf__type_by_id(btf, (unsigned int)id);
	m = btf_members(type);
	for (i = 0; i < btf_vlen(type); i++, m++) {
		const char *name = btf__name_by_offset(btf, m->name_off);

		/* Operations are pointers, which are as wide as @hotplugs. */
		if (m->offset / 8 + sizeof(hotplugs) > size)
			continue;
		if (!strcmp(name, "hotplug_seq")) {
			memcpy(ops + m->offset / 8, &hotplugs, sizeof(hotplugs));
			expects = true;
		} else if (!strcmp(name, "flags")) {
			/* Linux 6.12 warns of policies without it; later kernels do not know it. */
			flags = flag_of(kernel, "SCX_OPS_HAS_CGROUP_WEIGHT");
			*(unsigned long long *)(void *)(ops + m->offset / 8) |= flags;
		} else if (leaves_out(kernel, name)) {
			memset(ops + m->offset / 8, 0, sizeof(void *));
		}
	}
	return expects ? 0 : -EINVAL;
}

static int adapt(struct policy *p, unsigned long long hotplugs)
{
	struct btf *kernel = btf__load_vmlinux_btf();
	int err;

	if (!kernel) {
		err = -errno;
		complain("this kernel does not say which operations of sched_ext it has (/sys/kernel/btf/vmlinux): it needs CONFIG_DEBUG_INFO_BTF");
		return err;
	}
	p->knows_limits = has_operation(kernel, "cgroup_set_bandwidth");
	if (!p->knows_limits)
		complain("this kernel does not tell policies of cpu.max (Linux 6.17 and newer do): it is not respected");
	err = adapt_operations(p, kernel, hotplugs);
	btf__free(kernel);
	return err;
}

/* Fill the stack of free slots from the last one on, so that slot 0 is taken first. */
static int fill_slots(const struct policy *p)
{
	struct bpf_map *map = bpf_object__find_map_by_name(p->object, "free_slots");
	unsigned int slot = AMP_THREADS;
	int err = map ? 0 : -EINVAL;

	while (!err && slot) {
		slot--;
		err = bpf_map__update_elem(map, NULL, 0, &slot, sizeof(slot), BPF_ANY);
	}
	return err;
}

static int find_variables(struct policy *p)
{
	p->stats = variable(p->object, ".bss", "stats", sizeof(*p->stats));
	p->threads = variable(p->object, ".bss", "threads", sizeof(*p->threads) * AMP_THREADS);
	p->end = variable(p->object, ".bss", "threads_end", sizeof(*p->end));
	return p->stats && p->threads && p->end ? 0 : -EINVAL;
}

static int look_for_others(void)
{
	char state[32], name[64];

	if (!text_file_line(STATE, state, sizeof(state))) {
		complain("this kernel has no sched_ext: it needs Linux 6.12 or newer with CONFIG_SCHED_CLASS_EXT");
		return -EOPNOTSUPP;
	}
	if (strcmp(state, "disabled")) {
		complain("another scheduler has this machine: %s (sched_ext is %s); end it first",
			 text_file_line(OPS, name, sizeof(name)) ? name : "it has no name", state);
		return -EBUSY;
	}
	return 0;
}

static bool has_isolated_cpus(void)
{
	char text[4096];

	return text_file_line("/proc/cmdline", text, sizeof(text)) && strstr(text, "isolcpus=");
}

int policy_begin(struct policy **policy, const struct policy_kind *kind, const struct core_types *m,
		 const struct policy_options *o, unsigned long long hotplugs)
{
	struct bpf_map *ops;
	struct policy *p;
	int err = look_for_others();

	if (err)
		return err;
	p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	libbpf_set_print(listen);
	p->object = bpf_object__open_mem(kind->elf, (size_t)(kind->elf_end - kind->elf), NULL);
	err = p->object ? configure(p, kind, m, o) : -errno;
	if (!err)
		err = adapt(p, hotplugs);
	if (!err)
		err = bpf_object__load(p->object);
	if (!err)
		err = find_variables(p);
	if (!err)
		err = fill_slots(p);
	if (err) {
		complain_of("be loaded", err);
		policy_end(p);
		return err;
	}
	ops = bpf_object__find_map_by_name(p->object, "policy");
	p->link = ops ? bpf_map__attach_struct_ops(ops) : NULL;
	if (!p->link) {
		err = errno ? -errno : -EINVAL;
		if (err == -EINVAL && has_isolated_cpus())
			complain("sched_ext does not begin on a machine with isolated CPUs: boot without isolcpus=");
		else
			complain_of("begin", err);
		policy_end(p);
		return err;
	}
	*policy = p;
	return 0;
}

void policy_end(struct policy *policy)
{
	if (!policy)
		return;
	bpf_link__destroy(policy->link);
	bpf_object__close(policy->object);
	free(policy);
}

bool policy_knows_limits(const struct policy *policy)
{
	return policy->knows_limits;
}

const volatile struct amp_stats *policy_stats(const struct policy *policy)
{
	return policy->stats;
}

const volatile struct amp_thread *policy_threads(const struct policy *policy, unsigned int *nr)
{
	*nr = *policy->end < AMP_THREADS ? *policy->end : AMP_THREADS;
	return policy->threads;
}
