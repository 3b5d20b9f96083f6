// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cache monitoring of x86 CPUs: CMT and MBM of Intel (SDM, volume 3, "Platform Shared Resource
 * Monitoring"), and PQoS of AMD, which has the same registers.
 *
 * In the kernel, resctrl uses the same registers. It writes them only while it is mounted. Modules
 * cannot ask it for anything. So cmt_probe() fails while resctrl is mounted. If it is mounted
 * later, the registers are not touched any more.
 */
#include <linux/bits.h>
#include <linux/fs.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/topology.h>
#include <asm/processor.h>

#include "../compat/cache.h"
#include "../compat/cpuid.h"
#include "../compat/msr.h"
#include "list.h"

#define QM_EVTSEL	0xc8d
#define QM_CTR		0xc8e
#define PQR_ASSOC	0xc8f

/* AMD: counters must be assigned to RMIDs (ABMC). CPUID says whether the register exists. */
#define ABMC_LEAF	0x80000020
#define ABMC_BIT	BIT(5)
#define L3_QOS_EXT_CFG	0xc00003ff

#define QM_ERROR	BIT_ULL(63)
#define QM_UNAVAILABLE	BIT_ULL(62)

/* Values of enum pmct_cache_event in QM_EVTSEL. */
static const u8 cmt_event[] = { 1, 2, 3 };

/* NULL if this kernel has no resctrl. */
static struct file_system_type *cmt_resctrl;
static unsigned int cmt_rmids;
static u32 cmt_events;
/* Bytes of a unit, and number of units. */
static u64 cmt_scale, cmt_units;
/* The cache that is monitored: number of low bits of an APIC ID that differ in it, and its size. */
static unsigned int cmt_l3_shift;
static u64 cmt_bytes;

/* Called for each mounted instance, see <linux/fs.h>. */
static void cmt_is_mounted(struct super_block *sb, void *found)
{
	*(bool *)found = true;
}

static bool cmt_others(void)
{
	bool mounted = false;

	if (cmt_resctrl)
		iterate_supers_type(cmt_resctrl, cmt_is_mounted, &mounted);
	return mounted;
}

/* Returns the bits of a counter: 24, and those that CPUID adds. Old CPUs of AMD do not add any. */
static unsigned int cmt_bits(u32 more)
{
	if (!more && boot_cpu_data.x86_vendor == X86_VENDOR_AMD)
		more = 20;
	if (!more && boot_cpu_data.x86_vendor == X86_VENDOR_HYGON)
		more = 8;
	return 24 + more;
}

/*
 * True if counts of lines belong to counters that are assigned to RMIDs: then most RMIDs have none.
 * resctrl switches that on when a CPU comes online, from Linux 7.2 on even if it is not mounted.
 */
static bool cmt_is_assigned(void)
{
	u64 config;

	return boot_cpu_data.x86_vendor == X86_VENDOR_AMD &&
	       cpuid_eax(0x80000000) >= ABMC_LEAF && cpuid_ebx(ABMC_LEAF) & ABMC_BIT &&
	       !rdmsrq_safe(L3_QOS_EXT_CFG, &config) && config & 1;
}

/*
 * True if a package is several nodes (sub-NUMA clustering of Intel). Then an RMID has counters of
 * its own in each node, at other numbers.
 */
static bool cmt_is_clustered(void)
{
	const int first = cpumask_first(cpu_online_mask);
	int cpu;

	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL)
		return false;
	for_each_online_cpu(cpu) {
		if (topology_physical_package_id(cpu) == topology_physical_package_id(first) &&
		    cpu_to_node(cpu) != cpu_to_node(first))
			return true;
	}
	return false;
}

static int cmt_probe(struct pmct_msg *msg)
{
	u32 eax, ebx, ecx, edx;

	if (boot_cpu_data.cpuid_level < 0xf || !boot_cpu_has(X86_FEATURE_CQM_LLC))
		return pmct_refuse(msg, -ENODEV, "this CPU does not monitor its cache (CMT)%s",
				   boot_cpu_has(X86_FEATURE_HYPERVISOR) ?
				   "; hypervisors hide it" : "");
	/*
	 * Asked once, because it may look for a module. resctrl is built in: nothing to give back.
	 */
	cmt_resctrl = get_fs_type("resctrl");
	if (cmt_others())
		return pmct_refuse(msg, -EBUSY,
				   "resctrl is mounted, and the cache monitoring registers are its own: use its mon_groups, or umount it");
	if (cmt_is_clustered())
		return pmct_refuse(msg, -EOPNOTSUPP,
				   "this CPU's package is several nodes, and counters of its cache are divided among them: switch off sub-NUMA clustering in the firmware");
	cpuid_count(0xf, 1, &eax, &ebx, &ecx, &edx);
	cmt_rmids = min_t(u32, ecx, PMCT_MAX_RMIDS - 1) + 1;
	cmt_events = edx & GENMASK(PMCT_NR_CACHE_EVENTS - 1, 0);
	if (cmt_is_assigned()) {
		pr_info("pmctrack: the kernel assigns this CPU's counters of bandwidth (ABMC): there is occupancy only\n");
		cmt_events &= BIT(PMCT_CACHE_OCCUPANCY);
	}
	cmt_scale = ebx;
	cmt_units = BIT_ULL(min(cmt_bits(eax & 0xff), 44U));
	cmt_l3_shift = pmct_find_l3().shift;
	cmt_bytes = pmct_cache_bytes();
	return 0;
}

static unsigned int cmt_nr_rmids(void)
{
	return cmt_rmids;
}

static bool cmt_has(enum pmct_cache_event event)
{
	return cmt_events & BIT(event);
}

static u64 cmt_modulus(void)
{
	return cmt_units * cmt_scale;
}

/* The share of each RMID, if all have the same, as in resctrl. */
static u64 cmt_stale_bytes(void)
{
	return div_u64(cmt_bytes, cmt_rmids);
}

static int cmt_domain(void)
{
	u32 eax, ebx, ecx, edx;

	/* Leaf 0xb has all bits of the APIC ID. CPUs with cache monitoring have this leaf. */
	cpuid_count(0xb, 0, &eax, &ebx, &ecx, &edx);
	return edx >> cmt_l3_shift;
}

/* The upper half is the class of service, which is not ours. */
static void cmt_assign(unsigned int rmid)
{
	pmct_wrmsr(PQR_ASSOC, (pmct_rdmsr(PQR_ASSOC) & GENMASK_ULL(63, 32)) | rmid);
}

static void cmt_withdraw(unsigned int rmid)
{
	if (lower_32_bits(pmct_rdmsr(PQR_ASSOC)) == rmid)
		cmt_assign(0);
}

static int cmt_read(unsigned int rmid, enum pmct_cache_event event, u64 *bytes)
{
	u64 value;

	pmct_wrmsr(QM_EVTSEL, cmt_event[event] | (u64)rmid << 32);
	value = pmct_rdmsr(QM_CTR);
	if (value & (QM_ERROR | QM_UNAVAILABLE))
		return -ENODATA;
	*bytes = value * cmt_scale;
	return 0;
}

const struct pmct_cache_monitor pmct_cache_monitor_x86 = {
	.name		= "CMT",
	.probe		= cmt_probe,
	.nr_rmids	= cmt_nr_rmids,
	.has		= cmt_has,
	.modulus	= cmt_modulus,
	.stale_bytes	= cmt_stale_bytes,
	.domain		= cmt_domain,
	.assign		= cmt_assign,
	.withdraw	= cmt_withdraw,
	.read		= cmt_read,
	.others		= cmt_others,
};
