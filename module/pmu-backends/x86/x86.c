// SPDX-License-Identifier: GPL-2.0-only
/* What the backends of x86 share: core types, ownership, event encoding. */
#include <linux/cpu.h>
#include <linux/smp.h>
#include <asm/cpufeature.h>
#include <asm/nmi.h>

#include "../../compat/apic.h"
#include "../../compat/sysctl.h"
#include "x86.h"

const char *const x86_keys[] = { "umask", "cmask", "edge", "inv", "any", NULL };

DEFINE_PER_CPU(struct x86_cpu, x86_cpu);

static struct x86_type x86_types[PMCTRACK_MAX_CORE_TYPES];
static unsigned int x86_nr_types;
static const struct x86_vendor *x86_vendor;

static const char x86_no_virtual_pmu[] =
	"this virtual machine has no counters: give it a virtual PMU (QEMU: -cpu host,pmu=on)";
static bool (*x86_overflow)(void);
static bool x86_claimed;
static bool x86_handles_nmis;

/* One NMI can be latched while another one is being handled. */
#define X86_MAX_LATE	2
/* More events than a loaded counter can count between a look at it and its next write. */
#define X86_UNLOAD_ROOM	256

static struct x86_type *x86_find(u8 id)
{
	unsigned int i;

	for (i = 0; i < x86_nr_types; i++) {
		if (x86_types[i].id == id)
			return &x86_types[i];
	}
	return NULL;
}

/* Runs on each CPU, one after the other. */
static void x86_probe_cpu(void *err)
{
	u8 id = x86_vendor->id();
	struct x86_type *t = x86_find(id);
	int ret;

	if (!t) {
		if (x86_nr_types == PMCTRACK_MAX_CORE_TYPES)
			return;
		t = &x86_types[x86_nr_types];
		memset(t, 0, sizeof(*t));
		t->id = id;
		ret = x86_vendor->describe(t);
		if (ret) {
			*(int *)err = ret;
			return;
		}
		t->type.fixed = (u32)GENMASK_ULL(t->nr_fixed, 0) >> 1;
		t->type.counters = (u32)(GENMASK_ULL(t->nr_fixed + t->nr_general, 0) >> 1) &
				   ~t->lacking;
		scnprintf(t->type.model, sizeof(t->type.model), "x86=%u,%u,%u",
			  boot_cpu_data.x86_vendor, boot_cpu_data.x86,
			  boot_cpu_data.x86_model);
		x86_nr_types++;
	}
	cpumask_set_cpu(smp_processor_id(), &t->type.cpus);
}

/* Do the registers that CPUID announces exist? Some hypervisors have none. */
static void x86_check_cpu(void *dead)
{
	const struct x86_type *t = x86_find(x86_vendor->id());
	unsigned int i;

	for (i = 0; t && i < t->nr_general; i++) {
		u32 msr = x86_vendor->counter_msr(i);
		u64 value;

		if (wrmsrq_safe(x86_vendor->select_msr(i), 0) ||
		    wrmsrq_safe(msr, 0x5aa5) || rdmsrq_safe(msr, &value) ||
		    value != 0x5aa5 || wrmsrq_safe(msr, 0)) {
			*(int *)dead = 1;
			return;
		}
	}
}

int x86_check_place(const struct x86_type *t, const struct pmct_event *event, u32 places,
		    struct pmct_msg *msg)
{
	unsigned int i, n = event->counter - t->nr_fixed;
	char list[64] = "";
	int len = 0;

	places &= t->type.counters >> t->nr_fixed;
	if (places & BIT(n))
		return 0;
	for (i = 0; i < t->nr_general; i++) {
		if (places & BIT(i))
			len += scnprintf(list + len, sizeof(list) - len, "%spmc%u",
					 len ? ", " : "", t->nr_fixed + i);
	}
	return pmct_refuse(msg, -EOPNOTSUPP,
			   "pmc%u=%#llx,umask%u=%#x: this CPU counts this event on %s%s",
			   event->counter, event->code, event->counter, event->extra[X86_UMASK],
			   len ? list : "no counter", len ? " only" : "");
}

static unsigned int x86_max_general(void)
{
	unsigned int i, most = 0;

	for (i = 0; i < x86_nr_types; i++)
		most = max_t(unsigned int, most, x86_types[i].nr_general);
	return most;
}

static void x86_unreserve(unsigned int nr)
{
	while (nr--) {
		release_evntsel_nmi(x86_vendor->select_msr(nr));
		release_perfctr_nmi(x86_vendor->counter_msr(nr));
	}
}

/* Reserve all counters or none, as perf does. The owner of one counter has them all. */
static bool x86_reserve(void)
{
	unsigned int nr = x86_max_general();
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (!reserve_perfctr_nmi(x86_vendor->counter_msr(i)))
			break;
		if (!reserve_evntsel_nmi(x86_vendor->select_msr(i))) {
			release_perfctr_nmi(x86_vendor->counter_msr(i));
			break;
		}
	}
	if (i == nr)
		return true;
	x86_unreserve(i);
	return false;
}

int x86_probe(const struct x86_vendor *vendor, struct pmct_msg *msg)
{
	int err = 0, dead = 0;
	int cpu;

	if (boot_cpu_has(X86_FEATURE_XENPV))
		return pmct_refuse(msg, -ENODEV, "Xen PV guests have no counters of their own");
	if (!boot_cpu_has(X86_FEATURE_APIC))
		return pmct_refuse(msg, -ENODEV,
				   "counters need the local APIC, which is off: boot without nolapic");
	x86_vendor = vendor;
	x86_nr_types = 0;
	cpus_read_lock();
	for_each_online_cpu(cpu)
		smp_call_function_single(cpu, x86_probe_cpu, &err, true);
	if (x86_nr_types && x86_reserve()) {
		on_each_cpu(x86_check_cpu, &dead, true);
		x86_unreserve(x86_max_general());
	}
	cpus_read_unlock();
	if (!x86_nr_types)
		return pmct_refuse(msg, err ?: -ENODEV, "%s",
				   boot_cpu_has(X86_FEATURE_HYPERVISOR) ? x86_no_virtual_pmu :
				   "this CPU has no counters that the backend knows of");
	if (dead)
		return pmct_refuse(msg, -ENODEV,
				   "CPUID announces counters, but their registers do not hold what is written: the hypervisor's virtual PMU is incomplete");
	return 0;
}

unsigned int x86_nr_core_types(void)
{
	return x86_nr_types;
}

const struct pmct_core_type *x86_core_type(unsigned int i)
{
	return &x86_types[i].type;
}

/* Was the overflow of this NMI cleared before the NMI came? */
static bool x86_take_late(const struct x86_cpu *cpu)
{
	if (!this_cpu_read(x86_cpu.late))
		return false;
	if (time_before(jiffies, cpu->late_until)) {
		this_cpu_dec(x86_cpu.late);
		return true;
	}
	this_cpu_write(x86_cpu.late, 0);
	return false;
}

/*
 * The interrupt, which is an NMI. It only finds out whether it is ours, and asks for an ordinary
 * interrupt, in which the core accounts. Overflows stay pending until then.
 */
static int x86_nmi(unsigned int type, struct pt_regs *regs)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);
	u64 news;

	this_cpu_inc(x86_cpu.nmis);
	news = cpu->type ? x86_vendor->pending(cpu) & ~cpu->reported : 0;

	if (news) {
		this_cpu_or(x86_cpu.reported, news);
		irq_work_queue(&cpu->work);
		return NMI_HANDLED;
	}
	/* Maybe the overflow was cleared just before this interrupt. */
	return x86_take_late(cpu) ? NMI_HANDLED : NMI_DONE;
}

static void x86_irq(struct irq_work *work)
{
	if (READ_ONCE(x86_claimed))
		x86_overflow();
}

void x86_clear_begin(struct x86_cpu *cpu, u64 overflowed)
{
	if (!(overflowed & ~cpu->reported))
		return;
	WRITE_ONCE(cpu->late_until, jiffies + HZ / 10);
	if (cpu->late < X86_MAX_LATE)
		this_cpu_inc(x86_cpu.late);
}

void x86_clear_end(u64 overflowed)
{
	this_cpu_and(x86_cpu.reported, ~overflowed);
}

void x86_drop_interrupts(struct x86_cpu *cpu)
{
	u64 interrupts = cpu->interrupts;

	x86_clear_begin(cpu, x86_vendor->pending(cpu));
	x86_set_loaded(cpu, 0);
	x86_clear_end(interrupts);
}

void x86_open_lvtpc(void)
{
	pmct_apic_write(APIC_LVTPC, APIC_DM_NMI);
}

bool x86_lvtpc_intact(const struct x86_cpu *cpu)
{
	u32 lvtpc = pmct_apic_read(APIC_LVTPC) & ~APIC_SEND_PENDING;

	return lvtpc == APIC_DM_NMI ||
	       (lvtpc == (APIC_DM_NMI | APIC_LVT_MASKED) && x86_vendor->pending(cpu));
}

u64 x86_unflagged_pending(const struct x86_cpu *cpu)
{
	u64 rest = cpu->interrupts, pending = 0;

	while (rest) {
		unsigned int i = __ffs(rest);

		rest &= rest - 1;
		if (!(pmct_rdpmc(i) & BIT_ULL(cpu->type->type.width - 1)))
			pending |= BIT_ULL(i);
	}
	return pending;
}

bool x86_unload(struct x86_cpu *cpu, unsigned int counter)
{
	u64 value = pmct_rdpmc(counter) + X86_UNLOAD_ROOM;
	bool near = !(value & BIT_ULL(cpu->type->type.width - 1));

	if (near)
		x86_clear_begin(cpu, BIT_ULL(counter));
	x86_set_loaded(cpu, cpu->interrupts & ~BIT_ULL(counter));
	x86_clear_end(BIT_ULL(counter));
	return near;
}

/* If a CPU has been ours, its registers do not hold perf's values. */
static void x86_start_cpu(void *unused)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);
	const struct x86_type *t = x86_find(x86_vendor->id());

	if (!t)
		return;
	if (!cpu->type) {
		cpu->lvtpc = pmct_apic_read(APIC_LVTPC);
		x86_vendor->save(cpu);
	}
	cpu->interrupts = 0;
	cpu->reported = 0;
	cpu->type = t;
	x86_vendor->start(cpu);
	x86_open_lvtpc();
}

static void x86_stop_cpu(void *unused)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);

	if (!cpu->type)
		return;
	x86_vendor->stop(cpu);
	pmct_apic_write(APIC_LVTPC, cpu->lvtpc);
	cpu->type = NULL;
}

unsigned int x86_cpu_core_type(int cpu)
{
	const struct x86_type *t = x86_find(x86_vendor->id());

	return t ? t - x86_types : PMCT_NO_CORE_TYPE;
}

/* A CPU that was offline at probe may be of an unknown type. */
void x86_cpu_online(int cpu)
{
	struct x86_type *t = x86_find(x86_vendor->id());

	if (t)
		cpumask_set_cpu(cpu, &t->type.cpus);
	else
		pr_warn_once("pmctrack: CPU %d is of a core type that was offline at load: nothing is counted there until the module is reloaded\n",
			     cpu);
}

void x86_cpu_up(int cpu)
{
	if (READ_ONCE(x86_claimed))
		x86_start_cpu(NULL);
}

void x86_cpu_down(int cpu)
{
	x86_stop_cpu(NULL);
}

/*
 * The handler stays until the module is unloaded. When the counters are released, an NMI may be on
 * its way, and the kernel complains about NMIs that no handler wants.
 */
static int x86_handle_nmis(void)
{
	int err = 0;

	if (!x86_handles_nmis)
		err = register_nmi_handler(NMI_LOCAL, x86_nmi, 0, "pmctrack");
	x86_handles_nmis = !err;
	return err;
}

void x86_exit(void)
{
	int cpu;

	if (!x86_handles_nmis)
		return;
	for_each_possible_cpu(cpu) {
		const struct x86_cpu *c = per_cpu_ptr(&x86_cpu, cpu);

		while (READ_ONCE(c->late) && time_before(jiffies, READ_ONCE(c->late_until)))
			schedule_timeout_uninterruptible(1);
	}
	unregister_nmi_handler(NMI_LOCAL, "pmctrack");
	x86_handles_nmis = false;
}

/*
 * True if KVM gives the counters to guests while these run (mediated PMU). It neither saves what it
 * finds in them, nor asks whose they are.
 */
static bool x86_kvm_takes_counters(void)
{
	int on;

	return (!pmct_sysctl("sys/module/kvm_intel/parameters/enable_mediated_pmu", &on) && on) ||
	       (!pmct_sysctl("sys/module/kvm_amd/parameters/enable_mediated_pmu", &on) && on);
}

int x86_claim(bool (*overflow)(void), struct pmct_msg *msg)
{
	int cpu, err;

	if (x86_kvm_takes_counters())
		return pmct_refuse(msg, -EBUSY,
				   "KVM gives the counters to its guests: load kvm_intel or kvm_amd with enable_mediated_pmu=0, or pmctrack with backend=perf");
	if (!x86_reserve())
		return pmct_refuse(msg, -EBUSY,
				   "perf is using the counters: end perf (or the NMI watchdog: sysctl kernel.nmi_watchdog=0) first");
	x86_overflow = overflow;
	for_each_possible_cpu(cpu)
		per_cpu(x86_cpu, cpu).work = IRQ_WORK_INIT_HARD(x86_irq);
	err = x86_handle_nmis();
	if (err) {
		x86_unreserve(x86_max_general());
		return pmct_refuse(msg, err, "cannot handle NMIs (error %d)", err);
	}
	cpus_read_lock();
	WRITE_ONCE(x86_claimed, true);
	on_each_cpu(x86_start_cpu, NULL, true);
	cpus_read_unlock();
	return 0;
}

void x86_release(void)
{
	int cpu;

	cpus_read_lock();
	WRITE_ONCE(x86_claimed, false);
	on_each_cpu(x86_stop_cpu, NULL, true);
	cpus_read_unlock();
	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu(x86_cpu, cpu).work);
	x86_unreserve(x86_max_general());
}

static int x86_check_key(const struct pmct_event *event, enum x86_key key, u32 max,
			 struct pmct_msg *msg)
{
	if (event->extra[key] <= max)
		return 0;
	return pmct_refuse(msg, -EINVAL, "%s%u=%#x: at most %#x", x86_keys[key],
			   event->counter, event->extra[key], max);
}

void x86_set_code(struct pmct_event *event, u64 code)
{
	event->code = (code & 0xff) | (code >> 24 & 0xf00);
	event->extra[X86_UMASK] = FIELD_GET(X86_SEL_UMASK, code);
	event->extra[X86_CMASK] = FIELD_GET(X86_SEL_CMASK, code);
	event->extra[X86_EDGE] = FIELD_GET(X86_SEL_EDGE, code);
	event->extra[X86_INV] = FIELD_GET(X86_SEL_INV, code);
	event->extra[X86_ANY] = FIELD_GET(X86_SEL_ANY, code);
}

int x86_encode(const struct x86_type *t, const struct pmct_event *event, u64 max_code,
	       bool any, u64 *config, struct pmct_msg *msg)
{
	u64 sel = X86_SEL_EN;
	int err;

	if (!event->has_code)
		return pmct_refuse(msg, -EINVAL, "pmc%u needs an event code: pmc%u=0x...",
				   event->counter, event->counter);
	if (event->code > max_code)
		return pmct_refuse(msg, -EINVAL,
				   "pmc%u=%#llx: event codes of %s are at most %#llx; the unit mask is umask%u",
				   event->counter, event->code, t->type.name, max_code,
				   event->counter);
	err = x86_check_key(event, X86_UMASK, 0xff, msg) ?:
	      x86_check_key(event, X86_CMASK, 0xff, msg) ?:
	      x86_check_key(event, X86_EDGE, 1, msg) ?:
	      x86_check_key(event, X86_INV, 1, msg) ?:
	      x86_check_key(event, X86_ANY, 1, msg);
	if (err)
		return err;
	if (event->extra[X86_ANY] && !any)
		return pmct_refuse(msg, -EOPNOTSUPP,
				   "any%u: %s cannot count for the other thread of the core",
				   event->counter, t->type.name);
	sel |= (event->code & 0xff) | (event->code & 0xf00) << 24;
	sel |= FIELD_PREP(X86_SEL_UMASK, event->extra[X86_UMASK]);
	sel |= FIELD_PREP(X86_SEL_CMASK, event->extra[X86_CMASK]);
	sel |= event->extra[X86_EDGE] ? X86_SEL_EDGE : 0;
	sel |= event->extra[X86_INV] ? X86_SEL_INV : 0;
	sel |= event->extra[X86_ANY] ? X86_SEL_ANY : 0;
	sel |= event->usr ? X86_SEL_USR : 0;
	sel |= event->os ? X86_SEL_OS : 0;
	sel |= event->ebs ? X86_SEL_INT : 0;
	*config = sel | FIELD_PREP(X86_CFG_INDEX, event->counter - t->nr_fixed);
	return 0;
}
