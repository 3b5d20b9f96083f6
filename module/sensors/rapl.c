// SPDX-License-Identifier: GPL-2.0-only
/*
 * Energy meters of x86 CPUs (RAPL). Intel: SDM, volume 3, "Package RAPL Domain" and the sections
 * behind it. AMD from family 17h on: PPR, "RAPL Power Unit", "Core Energy Status" and "L3 Package
 * Energy Status". All meters have 32 bits, and are updated every millisecond.
 *
 * The registers are only read, so perf and powercap may use them at the same time.
 */
#include <linux/topology.h>
#include <asm/processor.h>

#include "../compat/msr.h"
#include "list.h"

#define INTEL_UNIT	0x606
#define INTEL_PACKAGE	0x611
#define INTEL_DRAM	0x619
#define INTEL_CORES	0x639
#define AMD_UNIT	0xc0010299
#define AMD_CORE	0xc001029a
#define AMD_PACKAGE	0xc001029b

/**
 * enum rapl_scope - which CPUs share a meter
 * @RAPL_PACKAGE: CPUs of a package. AMD's meter is of it, whatever the kernel takes for a die
 * @RAPL_DIE: CPUs of a die, which mostly is the package
 * @RAPL_CORE: hyperthreads of a core
 */
enum rapl_scope { RAPL_PACKAGE, RAPL_DIE, RAPL_CORE };

/**
 * struct rapl_kind - a kind of meter that a vendor has
 * @msr: its register
 * @scope: which CPUs share it
 * @name: see struct pmct_meter
 * @part: see struct pmct_meter
 */
struct rapl_kind {
	u32 msr;
	enum rapl_scope scope;
	const char *name;
	bool part;
};

static const struct rapl_kind rapl_intel[] = {
	{ INTEL_PACKAGE, RAPL_DIE, "package" },
	{ INTEL_CORES, RAPL_DIE, "cores", .part = true },
	{ INTEL_DRAM, RAPL_DIE, "dram" },
};

static const struct rapl_kind rapl_amd[] = {
	{ AMD_PACKAGE, RAPL_PACKAGE, "package" },
	{ AMD_CORE, RAPL_CORE, "cores", .part = true },
};

static struct pmct_meter rapl_meters[PMCT_MAX_METERS];
static const struct rapl_kind *rapl_kinds[PMCT_MAX_METERS];
static unsigned int rapl_nr;

/* CPUs whose memory meter counts in 2^-16 J, whatever the register of units says. */
static bool rapl_is_xeon(void)
{
	static const u8 models[] = {
		0x3f,		/* Haswell */
		0x4f, 0x56,	/* Broadwell */
		0x55,		/* Skylake, Cascade Lake */
		0x57, 0x85,	/* Xeon Phi */
		0x6a, 0x6c,	/* Ice Lake */
	};

	return boot_cpu_data.x86 == 6 && memchr(models, boot_cpu_data.x86_model, sizeof(models));
}

/* CPUs whose units are 2^shift uJ. */
static bool rapl_is_silvermont(void)
{
	static const u8 models[] = { 0x37, 0x4a, 0x4c, 0x5a, 0x5d };

	return boot_cpu_data.x86_vendor == X86_VENDOR_INTEL && boot_cpu_data.x86 == 6 &&
	       memchr(models, boot_cpu_data.x86_model, sizeof(models));
}

static void rapl_add(const struct rapl_kind *kind, unsigned int shift)
{
	u64 value;

	/* Reading a meter that the CPU does not have is a fault, or always gives 0. */
	if (rdmsrq_safe(kind->msr, &value) || rapl_nr == PMCT_MAX_METERS)
		return;
	rapl_kinds[rapl_nr] = kind;
	rapl_meters[rapl_nr++] = (struct pmct_meter) {
		.name = kind->name,
		.uj_mul = rapl_is_silvermont() ? 1U << shift : 1000000,
		.uj_shift = rapl_is_silvermont() ? 0 : shift,
		.width = 32,
		.part = kind->part,
	};
}

static int rapl_probe(struct pmct_msg *msg)
{
	bool amd = boot_cpu_data.x86_vendor == X86_VENDOR_AMD ||
		   boot_cpu_data.x86_vendor == X86_VENDOR_HYGON;
	const struct rapl_kind *kinds = amd ? rapl_amd : rapl_intel;
	unsigned int i, nr = amd ? ARRAY_SIZE(rapl_amd) : ARRAY_SIZE(rapl_intel);
	unsigned int shift;
	u64 unit = 0;

	rapl_nr = 0;
	/* Hypervisors that have no meters show 0. */
	if ((!amd && boot_cpu_data.x86_vendor != X86_VENDOR_INTEL) ||
	    rdmsrq_safe(amd ? AMD_UNIT : INTEL_UNIT, &unit) || !unit)
		return pmct_refuse(msg, -ENODEV, "this CPU shows no energy meters (RAPL)%s",
				   boot_cpu_has(X86_FEATURE_HYPERVISOR) ?
				   "; hypervisors hide them" : "");
	shift = unit >> 8 & 0x1f;
	for (i = 0; i < nr; i++)
		rapl_add(&kinds[i], kinds[i].msr == INTEL_DRAM && rapl_is_xeon() ? 16 : shift);
	return rapl_nr ? 0 :
	       pmct_refuse(msg, -ENODEV, "none of the energy meters (RAPL) can be read");
}

static unsigned int rapl_nr_meters(void)
{
	return rapl_nr;
}

static const struct pmct_meter *rapl_meter(unsigned int i)
{
	return &rapl_meters[i];
}

/* On some CPUs, numbers of dies and cores are unique only within a package or die. */
static int rapl_domain(unsigned int i, int cpu)
{
	enum rapl_scope scope = rapl_kinds[i]->scope;
	int die = scope == RAPL_PACKAGE ? 0 : topology_die_id(cpu);
	int core = scope == RAPL_CORE ? topology_core_id(cpu) : 0;

	return topology_physical_package_id(cpu) << 20 | die << 12 | core;
}

static int rapl_read(unsigned int i, u64 *value)
{
	u64 raw;
	int err = rdmsrq_safe(rapl_kinds[i]->msr, &raw);

	*value = lower_32_bits(raw);
	return err;
}

const struct pmct_sensor pmct_sensor_rapl = {
	.name		= "RAPL",
	.period_us	= 1000,
	/* 2^32 units of 2^-16 J are 65 s at 1000 W. */
	.watch_ms	= 20000,
	.max_w		= 2000,
	.probe		= rapl_probe,
	.nr_meters	= rapl_nr_meters,
	.meter		= rapl_meter,
	.domain		= rapl_domain,
	.read		= rapl_read,
};
