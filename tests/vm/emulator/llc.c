// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cache model of the emulated x86 machine, a TCG plugin: for each CPU an L1 data
 * cache (32 KiB, 8 ways), and one last-level cache for all (2 MiB, 16 ways); LRU,
 * lines of 64 bytes. Feeds the PMU with references and misses of the last level,
 * and tells which RMID owns how much of it. Physical addresses; data only.
 *
 *	-plugin llc.so[,kib=2048][,ways=16]
 */
#include <dlfcn.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <qemu-plugin.h>

#define LINE		64
#define L1_SETS		64
#define L1_WAYS		8
#define EVENT_REF	3
#define EVENT_MISS	4

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

/* Most recently used first. */
struct l1 {
	uint64_t tag[L1_SETS][L1_WAYS];
};

struct line {
	uint64_t tag;		/* number of the line + 1; 0: empty */
	unsigned int rmid;
};

static struct l1 *l1s;
static struct line *llc;
static unsigned int nr_cpus, llc_sets, llc_ways = 16, llc_kib = 2048;
static GMutex llc_lock;

/* Of our emulator; another one does not have them. */
static void (*pmu_add)(unsigned int vcpu, unsigned int event, uint64_t n);
static unsigned int (*pmu_own_line)(unsigned int vcpu, unsigned int before);

static bool l1_hit(uint64_t *set, uint64_t tag)
{
	unsigned int way;

	for (way = 0; way < L1_WAYS - 1 && set[way] != tag; way++)
		;
	bool hit = set[way] == tag;

	memmove(set + 1, set, way * sizeof(*set));
	set[0] = tag;
	return hit;
}

static bool llc_hit(unsigned int cpu, uint64_t tag)
{
	struct line *set = llc + tag % llc_sets * llc_ways;
	struct line found;
	unsigned int way;

	for (way = 0; way < llc_ways - 1 && set[way].tag != tag; way++)
		;
	found = set[way];
	memmove(set + 1, set, way * sizeof(*set));
	if (found.tag == tag) {
		set[0] = found;
		return true;
	}
	set[0].tag = tag;
	set[0].rmid = pmu_own_line(cpu, found.tag ? found.rmid : -1u);
	return false;
}

static void access_memory(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *arg)
{
	struct qemu_plugin_hwaddr *hw = qemu_plugin_get_hwaddr(info, vaddr);
	uint64_t line;
	bool hit;

	(void)arg;
	if (!hw || qemu_plugin_hwaddr_is_io(hw) || cpu >= nr_cpus)
		return;
	line = qemu_plugin_hwaddr_phys_addr(hw) / LINE;
	if (l1_hit(l1s[cpu].tag[line % L1_SETS], line + 1))
		return;
	g_mutex_lock(&llc_lock);
	hit = llc_hit(cpu, line + 1);
	g_mutex_unlock(&llc_lock);
	pmu_add(cpu, EVENT_REF, 1);
	if (!hit)
		pmu_add(cpu, EVENT_MISS, 1);
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++)
		qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i), access_memory,
						 QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
					   char **argv)
{
	for (int i = 0; i < argc; i++) {
		if (sscanf(argv[i], "kib=%u", &llc_kib) != 1 && sscanf(argv[i], "ways=%u", &llc_ways) != 1) {
			fprintf(stderr, "llc: unknown option '%s' (there are kib=, ways=)\n", argv[i]);
			return -1;
		}
	}
	pmu_add = (void (*)(unsigned int, unsigned int, uint64_t))dlsym(RTLD_DEFAULT, "qemu_plugin_pmu_add");
	pmu_own_line = (unsigned int (*)(unsigned int, unsigned int))dlsym(RTLD_DEFAULT,
									   "qemu_plugin_pmu_own_line");
	if (!pmu_add || !pmu_own_line || !info->system_emulation) {
		fprintf(stderr, "llc: this emulator has no x86 PMU\n");
		return -1;
	}
	llc_sets = llc_ways ? llc_kib * 1024 / LINE / llc_ways : 0;
	if (!llc_sets) {
		fprintf(stderr, "llc: a cache of %u KiB with %u ways has no sets\n", llc_kib, llc_ways);
		return -1;
	}
	nr_cpus = info->system.max_vcpus;
	l1s = calloc(nr_cpus, sizeof(*l1s));
	llc = calloc((size_t)llc_sets * llc_ways, sizeof(*llc));
	if (!l1s || !llc)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	return 0;
}
