// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control plane: the generic-netlink family "pmctrack", as described by
 * Documentation/netlink/specs/pmctrack.yaml. Errors come with a message for
 * a person in the extended acknowledgment.
 */
#include <linux/file.h>
#include <linux/module.h>
#include <net/genetlink.h>

#include "../compat/netlink.h"
#include "core.h"
#include "mmon.h"

/* Four PMUs, and a monitoring module with as many sets and counters as it may have. */
#define PMCT_INFO_SIZE	(32 << 10)

static struct genl_family pmct_family;

static const struct nla_policy pmct_session_policy[PMCTRACK_A_SESSION_MAX + 1] = {
	[PMCTRACK_A_SESSION_SET]	= { .type = NLA_NUL_STRING, .len = PMCTRACK_MAX_RAW - 1 },
	[PMCTRACK_A_SESSION_PERIOD_NS]	= { .type = NLA_U64 },
	[PMCTRACK_A_SESSION_RING_SIZE]	= { .type = NLA_U32 },
	[PMCTRACK_A_SESSION_FLAGS]	= NLA_POLICY_MASK(NLA_U32, PMCTRACK_SESSION_THREADS |
							  PMCTRACK_SESSION_CHILDREN |
							  PMCTRACK_SESSION_ON_EXEC |
							  PMCTRACK_SESSION_SYSTEM |
							  PMCTRACK_SESSION_USER_READ),
	[PMCTRACK_A_SESSION_PID]	= { .type = NLA_U32 },
	[PMCTRACK_A_SESSION_CGROUP]	= { .type = NLA_U32 },
	[PMCTRACK_A_SESSION_MMON]	= { .type = NLA_NUL_STRING, .len = 31 },
	[PMCTRACK_A_SESSION_VIRT]	= { .type = NLA_U32 },
};

static int pmct_put_pmu(struct sk_buff *msg, unsigned int index)
{
	const struct pmct_core_type *type = pmct_backend->core_type(index);
	char cpus[128];
	struct nlattr *nest;

	scnprintf(cpus, sizeof(cpus), "%*pbl", cpumask_pr_args(&type->cpus));
	nest = nla_nest_start(msg, PMCTRACK_A_INFO_PMU);
	if (!nest ||
	    nla_put_u32(msg, PMCTRACK_A_PMU_CORE_TYPE, index) ||
	    nla_put_string(msg, PMCTRACK_A_PMU_NAME, type->name) ||
	    nla_put_string(msg, PMCTRACK_A_PMU_MODEL, type->model) ||
	    nla_put_string(msg, PMCTRACK_A_PMU_CPUS, cpus) ||
	    nla_put_u32(msg, PMCTRACK_A_PMU_COUNTERS, type->counters) ||
	    nla_put_u32(msg, PMCTRACK_A_PMU_FIXED, type->fixed) ||
	    nla_put_u32(msg, PMCTRACK_A_PMU_WIDTH, type->width) ||
	    nla_put(msg, PMCTRACK_A_PMU_EVENTS, BITS_TO_BYTES(type->nr_events), type->events))
		return -EMSGSIZE;
	nla_nest_end(msg, nest);
	return 0;
}

static int pmct_put_virt(struct sk_buff *msg, const struct pmct_vcounter *virt)
{
	struct nlattr *nest = nla_nest_start(msg, PMCTRACK_A_MMON_VIRT);

	if (!nest || nla_put_string(msg, PMCTRACK_A_VIRT_NAME, virt->name) ||
	    nla_put_string(msg, PMCTRACK_A_VIRT_UNIT, virt->unit) ||
	    nla_put_string(msg, PMCTRACK_A_VIRT_DESCRIPTION, virt->description) ||
	    (virt->gauge && nla_put_flag(msg, PMCTRACK_A_VIRT_GAUGE)))
		return -EMSGSIZE;
	nla_nest_end(msg, nest);
	return 0;
}

static int pmct_put_mmon(struct sk_buff *msg, const struct monitoring_module *mm)
{
	struct nlattr *nest = nla_nest_start(msg, PMCTRACK_A_INFO_MMON);
	unsigned int i;

	if (!nest || nla_put_string(msg, PMCTRACK_A_MMON_NAME, mm->name))
		return -EMSGSIZE;
	for (i = 0; i < mm->nr_raw; i++) {
		if (nla_put_string(msg, PMCTRACK_A_MMON_SET, mm->raw[i]))
			return -EMSGSIZE;
	}
	for (i = 0; i < mm->nr_virt; i++) {
		if (pmct_put_virt(msg, &mm->virt[i]))
			return -EMSGSIZE;
	}
	nla_nest_end(msg, nest);
	return 0;
}

static int pmct_put_info(struct sk_buff *msg)
{
	const struct monitoring_module *mm;
	unsigned int i;
	int err;

	if (nla_put_u32(msg, PMCTRACK_A_INFO_ABI, PMCTRACK_ABI_VERSION) ||
	    nla_put_string(msg, PMCTRACK_A_INFO_VERSION, THIS_MODULE->version ?: "") ||
	    nla_put_string(msg, PMCTRACK_A_INFO_BACKEND, pmct_backend->name) ||
	    nla_put_u64_64bit(msg, PMCTRACK_A_INFO_TICK_NS, TICK_NSEC, __PMCTRACK_A_INFO_MAX))
		return -EMSGSIZE;
	for (i = 0; i < pmct_backend->nr_core_types(); i++) {
		if (pmct_put_pmu(msg, i))
			return -EMSGSIZE;
	}
	pmct_mmon_lock();
	mm = pmct_mmon_active();
	err = mm ? pmct_put_mmon(msg, mm) : 0;
	pmct_mmon_unlock();
	return err;
}

static int pmct_info_get(struct sk_buff *skb, struct genl_info *info)
{
	struct sk_buff *msg;
	void *hdr;

	msg = genlmsg_new(PMCT_INFO_SIZE, GFP_KERNEL);
	if (!msg)
		return -ENOMEM;
	hdr = genlmsg_put_reply(msg, info, &pmct_family, 0, PMCTRACK_CMD_INFO_GET);
	if (!hdr || pmct_put_info(msg)) {
		nlmsg_free(msg);
		return -EMSGSIZE;
	}
	genlmsg_end(msg, hdr);
	return genlmsg_reply(msg, info);
}

static int pmct_parse_session(struct genl_info *info, struct pmct_session_params *params)
{
	struct nlattr **attrs = info->attrs;
	const struct nlattr *nla;
	int rem;

	if (attrs[PMCTRACK_A_SESSION_PERIOD_NS])
		params->period_ns = nla_get_u64(attrs[PMCTRACK_A_SESSION_PERIOD_NS]);
	if (params->period_ns > NSEC_PER_SEC * 3600ULL * 24) {
		NL_SET_ERR_MSG_ATTR(info->extack, attrs[PMCTRACK_A_SESSION_PERIOD_NS],
				    "sampling period: at most one day");
		return -EINVAL;
	}
	if (attrs[PMCTRACK_A_SESSION_RING_SIZE])
		params->ring_size = nla_get_u32(attrs[PMCTRACK_A_SESSION_RING_SIZE]);
	if (attrs[PMCTRACK_A_SESSION_FLAGS])
		params->flags = nla_get_u32(attrs[PMCTRACK_A_SESSION_FLAGS]);
	params->cgroup = -1;
	if (attrs[PMCTRACK_A_SESSION_CGROUP])
		params->cgroup = nla_get_u32(attrs[PMCTRACK_A_SESSION_CGROUP]) & INT_MAX;
	if (attrs[PMCTRACK_A_SESSION_MMON])
		params->mm_name = nla_data(attrs[PMCTRACK_A_SESSION_MMON]);
	if (attrs[PMCTRACK_A_SESSION_VIRT])
		params->virt = nla_get_u32(attrs[PMCTRACK_A_SESSION_VIRT]);
	if (params->virt && !params->mm_name) {
		NL_SET_ERR_MSG_ATTR(info->extack, attrs[PMCTRACK_A_SESSION_VIRT],
				    "virtual counters: of which monitoring module?");
		return -EINVAL;
	}

	nlmsg_for_each_attr(nla, info->nlhdr, GENL_HDRLEN, rem) {
		switch (nla_type(nla)) {
		case PMCTRACK_A_SESSION_SET:
			if (params->nr_raw == ARRAY_SIZE(params->raw)) {
				NL_SET_ERR_MSG(info->extack, "too many event sets");
				return -E2BIG;
			}
			params->raw[params->nr_raw++] = nla_data(nla);
			break;
		case PMCTRACK_A_SESSION_PID:
			if (params->nr_pids == ARRAY_SIZE(params->pids)) {
				NL_SET_ERR_MSG(info->extack, "too many processes");
				return -E2BIG;
			}
			params->pids[params->nr_pids++] = nla_get_u32(nla);
			break;
		}
	}
	return 0;
}

/* The descriptor is installed once nothing can fail any more. */
static int pmct_reply_session(struct genl_info *info, struct file *file)
{
	struct pmct_session *s = file->private_data;
	struct sk_buff *msg;
	void *hdr;
	int err;
	int fd;

	msg = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	if (!msg)
		return -ENOMEM;
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0) {
		nlmsg_free(msg);
		return fd;
	}
	hdr = genlmsg_put_reply(msg, info, &pmct_family, 0, PMCTRACK_CMD_SESSION_NEW);
	if (!hdr || nla_put_u32(msg, PMCTRACK_A_SESSION_FD, fd) ||
	    nla_put_u32(msg, PMCTRACK_A_SESSION_RING_SIZE, s->ring.size) ||
	    nla_put_u64_64bit(msg, PMCTRACK_A_SESSION_PERIOD_NS,
			      jiffies64_to_nsecs(s->period), __PMCTRACK_A_SESSION_MAX)) {
		nlmsg_free(msg);
		err = -EMSGSIZE;
		goto err_fd;
	}
	genlmsg_end(msg, hdr);
	err = genlmsg_reply(msg, info);
	if (err)
		goto err_fd;
	fd_install(fd, file);
	return 0;

err_fd:
	put_unused_fd(fd);
	return err;
}

static int pmct_session_new(struct sk_buff *skb, struct genl_info *info)
{
	struct pmct_session_params *params;
	struct pmct_msg msg = {};
	struct file *file;
	int err;

	params = kzalloc(sizeof(*params), GFP_KERNEL);
	if (!params)
		return -ENOMEM;
	err = pmct_parse_session(info, params);
	if (err)
		goto out;
	file = pmct_session_open(params, &msg);
	if (IS_ERR(file)) {
		err = PTR_ERR(file);
		if (msg.text[0])
			pmct_extack_set(info->extack, msg.text);
		goto out;
	}
	err = pmct_reply_session(info, file);
	if (err)
		fput(file);
out:
	kfree(params);
	return err;
}

static const struct genl_ops pmct_genl_ops[] = {
	{
		.cmd	= PMCTRACK_CMD_INFO_GET,
		.doit	= pmct_info_get,
	},
	{
		.cmd	 = PMCTRACK_CMD_SESSION_NEW,
		.doit	 = pmct_session_new,
		.policy	 = pmct_session_policy,
		.maxattr = PMCTRACK_A_SESSION_MAX,
	},
};

static struct genl_family pmct_family = {
	.name		= PMCTRACK_FAMILY_NAME,
	.version	= PMCTRACK_FAMILY_VERSION,
	.module		= THIS_MODULE,
	.netnsok	= true,
	/* A session's creation may wait for RCU; it locks what it shares. */
	.parallel_ops	= true,
	.ops		= pmct_genl_ops,
	.n_ops		= ARRAY_SIZE(pmct_genl_ops),
	.resv_start_op	= PMCTRACK_CMD_INFO_GET,
};

int pmct_netlink_init(void)
{
	return genl_register_family(&pmct_family);
}

void pmct_netlink_exit(void)
{
	genl_unregister_family(&pmct_family);
}
