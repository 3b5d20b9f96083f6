// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control plane: the generic-netlink family "pmctrack", as described by
 * Documentation/netlink/specs/pmctrack.yaml. Errors come with a message for people in the extended
 * acknowledgment.
 */
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/module.h>
#include <linux/net.h>
#include <linux/user_namespace.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include "mmon_call.h"
#include "netlink.h"
#include "open.h"
#include "owner.h"

/* Room for four PMUs without their lists of CPUs, and for a monitoring module of maximal size. */
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
							  PMCTRACK_SESSION_USER_READ |
							  PMCTRACK_SESSION_ATTACH),
	[PMCTRACK_A_SESSION_PID]	= { .type = NLA_U32 },
	[PMCTRACK_A_SESSION_CGROUP]	= { .type = NLA_U32 },
	[PMCTRACK_A_SESSION_MMON]	= { .type = NLA_NUL_STRING, .len = 31 },
	[PMCTRACK_A_SESSION_VIRT]	= { .type = NLA_U32 },
};

/*
 * Refuse a request with a message for people. Netlink's own acknowledgment would use a bare pointer
 * to the text after the request's handler has returned. So this function sends an acknowledgment
 * itself, and tells netlink to send none.
 */
static int pmct_reply_refusal(struct genl_info *info, int err, const char *text)
{
	struct nlmsgerr *answer;
	struct nlmsghdr *nlh;
	struct sk_buff *msg;

	if (!text[0])
		return err;
	msg = nlmsg_new(sizeof(*answer) + nla_total_size(PMCTRACK_MAX_MESSAGE), GFP_KERNEL);
	if (!msg)
		return err;
	nlh = nlmsg_put(msg, info->snd_portid, info->snd_seq, NLMSG_ERROR, sizeof(*answer),
			NLM_F_CAPPED | NLM_F_ACK_TLVS);
	if (!nlh || nla_put_string(msg, NLMSGERR_ATTR_MSG, text)) {
		nlmsg_free(msg);
		return err;
	}
	answer = nlmsg_data(nlh);
	answer->error = err;
	answer->msg = *info->nlhdr;
	nlmsg_end(msg, nlh);
	return genlmsg_reply(msg, info) ? err : -EINTR;
}

static size_t pmct_cpus_size(const struct cpumask *cpus)
{
	return snprintf(NULL, 0, "%*pbl", cpumask_pr_args(cpus)) + 1;
}

static int pmct_put_cpus(struct sk_buff *msg, const struct cpumask *cpus)
{
	size_t size = pmct_cpus_size(cpus);
	struct nlattr *attr = nla_reserve(msg, PMCTRACK_A_PMU_CPUS, size);

	if (!attr)
		return -EMSGSIZE;
	/* If CPUs come or go now, the length may change, but zeros still end the text. */
	memset(nla_data(attr), 0, size);
	scnprintf(nla_data(attr), size, "%*pbl", cpumask_pr_args(cpus));
	return 0;
}

static int pmct_put_pmu(struct sk_buff *msg, unsigned int index)
{
	const struct pmct_core_type *type = pmct_backend->core_type(index);
	struct nlattr *nest;

	nest = nla_nest_start(msg, PMCTRACK_A_INFO_PMU);
	if (!nest ||
	    nla_put_u32(msg, PMCTRACK_A_PMU_CORE_TYPE, index) ||
	    nla_put_string(msg, PMCTRACK_A_PMU_NAME, type->name) ||
	    nla_put_string(msg, PMCTRACK_A_PMU_MODEL, type->model) ||
	    pmct_put_cpus(msg, &type->cpus) ||
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
	size_t size = PMCT_INFO_SIZE;
	struct sk_buff *msg;
	unsigned int i;
	void *hdr;

	for (i = 0; i < pmct_backend->nr_core_types(); i++)
		size += pmct_cpus_size(&pmct_backend->core_type(i)->cpus);
	msg = genlmsg_new(size, GFP_KERNEL);
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
	if (attrs[PMCTRACK_A_SESSION_PID])
		params->pid = nla_get_u32(attrs[PMCTRACK_A_SESSION_PID]);
	if (params->virt && !params->mm_name) {
		NL_SET_ERR_MSG_ATTR(info->extack, attrs[PMCTRACK_A_SESSION_VIRT],
				    "virtual counters: of which monitoring module?");
		return -EINVAL;
	}

	nlmsg_for_each_attr(nla, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(nla) != PMCTRACK_A_SESSION_SET)
			continue;
		if (params->nr_raw == ARRAY_SIZE(params->raw)) {
			NL_SET_ERR_MSG(info->extack, "too many event sets");
			return -E2BIG;
		}
		params->raw[params->nr_raw++] = nla_data(nla);
	}
	return 0;
}

/* Capabilities in the initial user namespace. */
static kernel_cap_t pmct_caps(const struct cred *cred)
{
	return cred->user_ns == &init_user_ns ? cred->cap_effective : CAP_EMPTY_SET;
}

/*
 * Another program may have opened the socket and have a privileged program write to it. So the
 * writer gets no more rights than the opener of the socket has.
 */
static bool pmct_opener_may(struct sk_buff *skb)
{
	const struct socket *socket = NETLINK_CB(skb).sk->sk_socket;

	return socket && socket->file &&
	       cap_issubset(pmct_caps(current_cred()), pmct_caps(socket->file->f_cred));
}

static bool pmct_is_contained(struct genl_info *info)
{
	return current_user_ns() != &init_user_ns || !net_eq(genl_info_net(info), &init_net);
}

/* The descriptor is installed when nothing can fail any more. */
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
	    nla_put_u32(msg, PMCTRACK_A_SESSION_RING_SIZE, pmct_rings_size(&s->rings)) ||
	    nla_put_u32(msg, PMCTRACK_A_SESSION_RING_DEFAULT, s->ring_wanted) ||
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

	if (!pmct_opener_may(skb))
		return pmct_reply_refusal(info, -EPERM,
					  "the netlink socket was opened with fewer privileges than its writer has; open one yourself");
	params = kzalloc(sizeof(*params), GFP_KERNEL);
	if (!params)
		return -ENOMEM;
	params->contained = pmct_is_contained(info);
	err = pmct_parse_session(info, params);
	if (err)
		goto out;
	file = pmct_session_open(params, &msg);
	if (IS_ERR(file)) {
		err = pmct_reply_refusal(info, PTR_ERR(file), msg.text);
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
	/* Creating a session may wait for RCU. It takes locks for what it shares. */
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
