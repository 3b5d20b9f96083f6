// SPDX-License-Identifier: GPL-2.0-only
/* /dev/pmctrack_sim: each open file is a simulated thread. See uapi/linux/pmctrack_sim.h. */
#include <linux/cpumask.h>
#include <linux/firmware.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "machine.h"

static char *topology = "4-shared";
module_param(topology, charp, 0444);
MODULE_PARM_DESC(topology, "the simulated machine: 4-shared (default), 8-shared, 4-private, 2x2, 4x2, 2B-2S, 2B-10S, 2B-4S, 4P-8E, 4P-8E-2LP or one's own, made by simapp --compile");

/**
 * struct pmct_sim_file - an open file
 * @mutex: serialises its users
 * @slot: number of the simulated thread; negative: it has no program yet
 * @profile: its program
 */
struct pmct_sim_file {
	struct mutex mutex;	/* see above */
	int slot;
	struct pmct_sim_profile profile;
};

static int pmct_sim_open(struct inode *inode, struct file *file)
{
	struct pmct_sim_file *f = kvzalloc(sizeof(*f), GFP_KERNEL_ACCOUNT);

	if (!f)
		return -ENOMEM;
	mutex_init(&f->mutex);
	f->slot = -1;
	file->private_data = f;
	return nonseekable_open(inode, file);
}

static int pmct_sim_release(struct inode *inode, struct file *file)
{
	struct pmct_sim_file *f = file->private_data;

	if (f->slot >= 0)
		pmct_sim_machine_remove(f->slot);
	kvfree(f);
	return 0;
}

static int pmct_sim_program(struct pmct_sim_file *f, struct pmct_sim_program __user *arg)
{
	const char *why;
	u64 seed;
	int slot;

	if (f->slot >= 0)
		return -EBUSY;
	if (get_user(seed, &arg->seed) ||
	    copy_from_user(&f->profile, &arg->profile, sizeof(f->profile)))
		return -EFAULT;
	if (pmct_sim_profile_check(&f->profile, &why))
		return copy_to_user(arg->why, why, strlen(why) + 1) ? -EFAULT : -EINVAL;
	slot = pmct_sim_machine_add(&f->profile, seed);
	if (slot < 0)
		return slot;
	f->slot = slot;
	return 0;
}

static int pmct_sim_run(struct pmct_sim_file *f, u64 __user *arg)
{
	u64 instr;
	int err;

	if (get_user(instr, arg))
		return -EFAULT;
	if (f->slot < 0)
		return -ENODATA;
	/* The count of instructions never reaches this. */
	if (!instr || instr > 1ULL << 60)
		return -EINVAL;
	err = pmct_sim_machine_run(f->slot, &instr);
	return put_user(instr, arg) ? -EFAULT : err;
}

static int pmct_sim_truth(struct pmct_sim_file *f, struct pmct_sim_truth __user *arg)
{
	struct pmct_sim_truth truth;

	if (f->slot < 0)
		return -ENODATA;
	pmct_sim_machine_truth(f->slot, &truth);
	return copy_to_user(arg, &truth, sizeof(truth)) ? -EFAULT : 0;
}

static int pmct_sim_info(struct pmct_sim_info __user *arg)
{
	const struct pmct_sim_machine *m = pmct_sim_machine_topology();
	struct pmct_sim_info info = { .nr_types = m->nr_types, .nr_cpus = m->nr_cpus };
	unsigned int i;

	strscpy(info.name, m->name, sizeof(info.name));
	for (i = 0; i < m->nr_types; i++)
		strscpy(info.type[i], m->type[i].name, sizeof(info.type[i]));
	memcpy(info.cpu_type, m->cpu_type, sizeof(info.cpu_type));
	return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

static long pmct_sim_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct pmct_sim_file *f = file->private_data;
	long err;

	if (!mutex_trylock(&f->mutex))
		return -EBUSY;
	switch (cmd) {
	case PMCT_SIM_IOC_PROGRAM:
		err = pmct_sim_program(f, (void __user *)arg);
		break;
	case PMCT_SIM_IOC_RUN:
		err = pmct_sim_run(f, (void __user *)arg);
		break;
	case PMCT_SIM_IOC_TRUTH:
		err = pmct_sim_truth(f, (void __user *)arg);
		break;
	case PMCT_SIM_IOC_INFO:
		err = pmct_sim_info((void __user *)arg);
		break;
	default:
		err = -ENOTTY;
	}
	mutex_unlock(&f->mutex);
	return err;
}

static const struct file_operations pmct_sim_fops = {
	.owner		= THIS_MODULE,
	.open		= pmct_sim_open,
	.release	= pmct_sim_release,
	.unlocked_ioctl	= pmct_sim_ioctl,
};

static struct miscdevice pmct_sim_device = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "pmctrack_sim",
	.fops	= &pmct_sim_fops,
	/* A full machine is full for all users, so root decides who may use it. */
	.mode	= 0600,
};

static const struct pmct_sim_machine *__init pmct_sim_named(void)
{
	const struct pmct_sim_machine *m;
	unsigned int i;

	for (i = 0; (m = pmct_sim_topology(i)); i++) {
		if (!strcmp(m->name, topology))
			return m;
	}
	return NULL;
}

/* Decode a file that "simapp --compile" wrote, and that anybody may have changed. */
static int __init pmct_sim_decode(const struct firmware *fw, const char *path,
				  struct pmct_sim_machine *machine)
{
	const size_t magic = strlen(PMCT_SIM_MAGIC);
	const char *why;

	if (fw->size != magic + sizeof(*machine) || memcmp(fw->data, PMCT_SIM_MAGIC, magic)) {
		pr_err("pmctrack_sim: %s is no machine of this version: make it with simapp --compile\n",
		       path);
		return -EINVAL;
	}
	memcpy(machine, fw->data + magic, sizeof(*machine));
	if (pmct_sim_machine_check(machine, &why)) {
		pr_err("pmctrack_sim: %s cannot be simulated: %s\n", path, why);
		return -EINVAL;
	}
	if (strcmp(machine->name, topology)) {
		pr_err("pmctrack_sim: %s is the machine %s: the file must have its name\n", path,
		       machine->name);
		return -EINVAL;
	}
	return 0;
}

static int __init pmct_sim_load(struct pmct_sim_machine *machine)
{
	const struct firmware *fw;
	char path[sizeof(PMCT_SIM_FIRMWARE) + PMCT_SIM_NAME];
	int err = -ENOENT;

	if (strlen(topology) < PMCT_SIM_NAME && !strchr(topology, '/')) {
		snprintf(path, sizeof(path), PMCT_SIM_FIRMWARE, topology);
		err = request_firmware_direct(&fw, path, NULL);
	}
	if (err) {
		pr_err("pmctrack_sim: no topology '%s'; modinfo names them, and one's own is /lib/firmware/"
		       PMCT_SIM_FIRMWARE " (error %d)\n", topology, topology, err);
		return -EINVAL;
	}
	err = pmct_sim_decode(fw, path, machine);
	release_firmware(fw);
	return err;
}

static int __init pmct_sim_start(const struct pmct_sim_machine *machine)
{
	int err;

	/* Numbers of CPUs are indices of simulated ones. */
	if (num_possible_cpus() != machine->nr_cpus || nr_cpu_ids != machine->nr_cpus) {
		pr_err("pmctrack_sim: topology %s has %u CPUs, and this machine %u: boot one with as many\n",
		       machine->name, machine->nr_cpus, num_possible_cpus());
		return -ENODEV;
	}
	err = pmct_sim_machine_start(machine);
	if (err) {
		pr_err("pmctrack_sim: cannot listen to the scheduler (error %d)\n", err);
		return err;
	}
	err = misc_register(&pmct_sim_device);
	if (err)
		pmct_sim_machine_stop();
	else
		pr_info("pmctrack_sim: simulated machine %s\n", machine->name);
	return err;
}

static int __init pmct_sim_module_init(void)
{
	const struct pmct_sim_machine *named = pmct_sim_named();
	struct pmct_sim_machine *loaded;
	int err;

	if (named)
		return pmct_sim_start(named);
	loaded = kzalloc(sizeof(*loaded), GFP_KERNEL);
	if (!loaded)
		return -ENOMEM;
	/* pmct_sim_init() copies the description of the machine. */
	err = pmct_sim_load(loaded) ?: pmct_sim_start(loaded);
	kfree(loaded);
	return err;
}

static void __exit pmct_sim_module_exit(void)
{
	misc_deregister(&pmct_sim_device);
	pmct_sim_machine_stop();
}

module_init(pmct_sim_module_init);
module_exit(pmct_sim_module_exit);
MODULE_DESCRIPTION("PMCTrack: a simulated multicore");
MODULE_LICENSE("GPL");
MODULE_VERSION(PMCT_VERSION);
