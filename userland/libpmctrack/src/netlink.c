// SPDX-License-Identifier: LGPL-2.1-or-later
/* The control plane: generic netlink through libnl. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/netlink.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include "internal.h"

#define NOT_LOADED "the pmctrack kernel module is not loaded; load it with 'modprobe pmctrack' (or insmod pmctrack.ko)"

int module_connect(struct pmctrack_ctl *ctl)
{
	int one = 1;

	ctl->sock = nl_socket_alloc();
	if (!ctl->sock)
		return fail(ENOMEM, "no memory");
	if (genl_connect(ctl->sock) < 0)
		return fail(EPROTONOSUPPORT, "this kernel has no generic netlink");
	/* Ask the kernel for text messages in addition to error codes. */
	setsockopt(nl_socket_get_fd(ctl->sock), SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	setsockopt(nl_socket_get_fd(ctl->sock), SOL_NETLINK, NETLINK_CAP_ACK, &one, sizeof(one));
	ctl->family = genl_ctrl_resolve(ctl->sock, PMCTRACK_FAMILY_NAME);
	if (ctl->family < 0)
		return fail(ENOENT, NOT_LOADED);
	return 0;
}

void module_disconnect(struct pmctrack_ctl *ctl)
{
	nl_socket_free(ctl->sock);
}

/* A request that was sent, and the state of its answer. */
struct exchange {
	int (*parse)(struct nlattr **attrs, struct nlmsghdr *nlh, void *arg);
	void *arg;
	int max_attr;
	int err;		/* negative errno */
	bool done;
};

static int on_error(struct sockaddr_nl *addr, struct nlmsgerr *err, void *arg)
{
	struct exchange *x = arg;
	struct nlmsghdr *nlh = (struct nlmsghdr *)((char *)err - NLMSG_HDRLEN);
	int skip = sizeof(*err) - sizeof(err->msg);
	struct nlattr *attrs[NLMSGERR_ATTR_MAX + 1] = { NULL };

	(void)addr;
	x->err = err->error;
	x->done = true;
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS) {
		skip += NLMSG_ALIGN(nlh->nlmsg_flags & NLM_F_CAPPED ? sizeof(err->msg)
								   : err->msg.nlmsg_len);
		nla_parse(attrs, NLMSGERR_ATTR_MAX, (struct nlattr *)((char *)err + skip),
			  (int)nlh->nlmsg_len - NLMSG_HDRLEN - skip, NULL);
	}
	if (attrs[NLMSGERR_ATTR_MSG])
		fail(-x->err, "%s", nla_get_string(attrs[NLMSGERR_ATTR_MSG]));
	else if (x->err == -ENOENT)
		fail(ENOENT, NOT_LOADED);
	else
		fail(-x->err, "the pmctrack kernel module: %s", strerror(-x->err));
	return NL_STOP;
}

static int on_ack(struct nl_msg *msg, void *arg)
{
	struct exchange *x = arg;

	(void)msg;
	x->done = true;
	return NL_STOP;
}

static int on_valid(struct nl_msg *msg, void *arg)
{
	struct exchange *x = arg;
	struct nlmsghdr *nlh = nlmsg_hdr(msg);
	struct nlattr *attrs[32];

	if (genlmsg_parse(nlh, 0, attrs, x->max_attr, NULL) < 0)
		x->err = fail(EPROTO, "cannot read the answer of the pmctrack module: install matching versions of tools and module");
	else
		x->err = x->parse(attrs, nlh, x->arg);
	return NL_OK;
}

/* Send @msg, and pass the answer to x->parse. Frees @msg. Returns 0 or a negative errno. */
static int talk(const struct pmctrack_ctl *ctl, struct nl_msg *msg, struct exchange *x)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int err;

	if (!cb) {
		nlmsg_free(msg);
		return fail(ENOMEM, "no memory");
	}
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, x);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_ack, x);
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, x);

	err = nl_send_auto(ctl->sock, msg);
	while (err >= 0 && !x->done)
		err = nl_recvmsgs(ctl->sock, cb);
	nl_cb_put(cb);
	nlmsg_free(msg);
	if (!x->done)
		return fail(EIO, "netlink: %s", nl_geterror(err));
	return x->err;
}

static struct nl_msg *request(const struct pmctrack_ctl *ctl, int cmd)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (msg && genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, ctl->family, 0, NLM_F_ACK, cmd,
			       PMCTRACK_FAMILY_VERSION))
		return msg;
	nlmsg_free(msg);
	return NULL;
}

static char *dup_attr(struct nlattr *attr)
{
	return attr ? strdup(nla_get_string(attr)) : NULL;
}

static int parse_pmu(struct nlattr *nest, struct pmu *pmu)
{
	struct nlattr *a[PMCTRACK_A_PMU_MAX + 1];

	if (nla_parse_nested(a, PMCTRACK_A_PMU_MAX, nest, NULL) < 0 ||
	    !a[PMCTRACK_A_PMU_COUNTERS] || !a[PMCTRACK_A_PMU_FIXED] || !a[PMCTRACK_A_PMU_WIDTH] ||
	    !a[PMCTRACK_A_PMU_EVENTS])
		return -EPROTO;
	pmu->name = dup_attr(a[PMCTRACK_A_PMU_NAME]);
	pmu->model = dup_attr(a[PMCTRACK_A_PMU_MODEL]);
	pmu->cpus = dup_attr(a[PMCTRACK_A_PMU_CPUS]);
	pmu->counters = nla_get_u32(a[PMCTRACK_A_PMU_COUNTERS]);
	pmu->fixed = nla_get_u32(a[PMCTRACK_A_PMU_FIXED]);
	pmu->width = nla_get_u32(a[PMCTRACK_A_PMU_WIDTH]);
	pmu->nr_events = nla_len(a[PMCTRACK_A_PMU_EVENTS]) * 8;
	pmu->events = calloc(1, nla_len(a[PMCTRACK_A_PMU_EVENTS]) + 1);
	if (!pmu->name || !pmu->model || !pmu->cpus || !pmu->events)
		return -EPROTO;
	memcpy(pmu->events, nla_data(a[PMCTRACK_A_PMU_EVENTS]), pmu->nr_events / 8);
	return 0;
}

static int parse_virt(struct nlattr *nest, struct virt *virt)
{
	struct nlattr *a[PMCTRACK_A_VIRT_MAX + 1];

	if (nla_parse_nested(a, PMCTRACK_A_VIRT_MAX, nest, NULL) < 0)
		return -EPROTO;
	virt->name = dup_attr(a[PMCTRACK_A_VIRT_NAME]);
	virt->unit = dup_attr(a[PMCTRACK_A_VIRT_UNIT]);
	virt->desc = dup_attr(a[PMCTRACK_A_VIRT_DESCRIPTION]);
	virt->gauge = a[PMCTRACK_A_VIRT_GAUGE] != NULL;
	return virt->name && virt->unit && virt->desc ? 0 : -EPROTO;
}

static int parse_mmon(struct nlattr *nest, struct mmon *mm)
{
	struct nlattr *nla;
	int rem;

	nla_for_each_nested(nla, nest, rem) {
		if (nla_type(nla) == PMCTRACK_A_MMON_NAME && !mm->name)
			mm->name = dup_attr(nla);
		else if (nla_type(nla) == PMCTRACK_A_MMON_SET &&
			 mm->nr_sets < sizeof(mm->sets) / sizeof(mm->sets[0]))
			mm->sets[mm->nr_sets++] = dup_attr(nla);
		else if (nla_type(nla) == PMCTRACK_A_MMON_VIRT && mm->nr_virts < PMCTRACK_MAX_VIRT &&
			 parse_virt(nla, &mm->virts[mm->nr_virts++]))
			return -EPROTO;
	}
	return mm->name ? 0 : -EPROTO;
}

static int parse_info(struct nlattr **attrs, struct nlmsghdr *nlh, void *arg)
{
	struct pmctrack_ctl *ctl = arg;
	struct nlattr *nla;
	int rem;

	if (!attrs[PMCTRACK_A_INFO_ABI])
		return fail(EPROTO, "the pmctrack module does not tell its version");
	ctl->abi = nla_get_u32(attrs[PMCTRACK_A_INFO_ABI]);
	ctl->version = dup_attr(attrs[PMCTRACK_A_INFO_VERSION]);
	if (ctl->abi != PMCTRACK_ABI_VERSION)
		return fail(EPROTO,
			    "the loaded pmctrack module (version %s) speaks ABI %u, these tools ABI %u: install matching versions",
			    ctl->version ? ctl->version : "unknown", ctl->abi, PMCTRACK_ABI_VERSION);
	ctl->backend = dup_attr(attrs[PMCTRACK_A_INFO_BACKEND]);
	if (attrs[PMCTRACK_A_INFO_TICK_NS])
		ctl->tick_ns = nla_get_u64(attrs[PMCTRACK_A_INFO_TICK_NS]);

	if (attrs[PMCTRACK_A_INFO_MMON] && parse_mmon(attrs[PMCTRACK_A_INFO_MMON], &ctl->mmon))
		return fail(EPROTO, "cannot read the pmctrack module's monitoring module");
	nlmsg_for_each_attr(nla, nlh, GENL_HDRLEN, rem) {
		if (nla_type(nla) != PMCTRACK_A_INFO_PMU || ctl->nr_pmus == PMCTRACK_MAX_CORE_TYPES)
			continue;
		if (parse_pmu(nla, &ctl->pmus[ctl->nr_pmus++]) < 0)
			return fail(EPROTO, "cannot read the pmctrack module's list of PMUs");
	}
	return 0;
}

int module_get_info(struct pmctrack_ctl *ctl)
{
	struct exchange x = { .parse = parse_info, .arg = ctl, .max_attr = PMCTRACK_A_INFO_MAX };
	struct nl_msg *msg = request(ctl, PMCTRACK_CMD_INFO_GET);

	return msg ? talk(ctl, msg, &x) : fail(ENOMEM, "no memory");
}

static int parse_session(struct nlattr **attrs, struct nlmsghdr *nlh, void *arg)
{
	struct session_request *req = arg;

	(void)nlh;
	if (!attrs[PMCTRACK_A_SESSION_FD])
		return fail(EPROTO, "the pmctrack module returned no session");
	req->fd = nla_get_u32(attrs[PMCTRACK_A_SESSION_FD]);
	if (attrs[PMCTRACK_A_SESSION_PERIOD_NS])
		req->period_ns = nla_get_u64(attrs[PMCTRACK_A_SESSION_PERIOD_NS]);
	if (attrs[PMCTRACK_A_SESSION_RING_SIZE])
		req->ring_size = nla_get_u32(attrs[PMCTRACK_A_SESSION_RING_SIZE]);
	if (attrs[PMCTRACK_A_SESSION_RING_DEFAULT])
		req->ring_wanted = nla_get_u32(attrs[PMCTRACK_A_SESSION_RING_DEFAULT]);
	return 0;
}

int module_session_new(const struct pmctrack_ctl *ctl, struct session_request *req)
{
	struct exchange x = { .parse = parse_session, .arg = req, .max_attr = PMCTRACK_A_SESSION_MAX };
	struct nl_msg *msg = request(ctl, PMCTRACK_CMD_SESSION_NEW);
	const struct pmctrack_session_opts *o = req->opts;
	int err = msg ? 0 : -1;

	for (unsigned int i = 0; !err && i < req->nr_sets; i++)
		err = nla_put_string(msg, PMCTRACK_A_SESSION_SET, pmctrack_evset__raw(req->sets[i]));
	if (!err && o->pid)
		err = nla_put_u32(msg, PMCTRACK_A_SESSION_PID, (uint32_t)o->pid);
	if (!err && req->cgroup >= 0)
		err = nla_put_u32(msg, PMCTRACK_A_SESSION_CGROUP, (uint32_t)req->cgroup);
	if (!err && o->virts && ctl->mmon.name)
		err = nla_put_string(msg, PMCTRACK_A_SESSION_MMON, ctl->mmon.name);
	if (!err && o->virts)
		err = nla_put_u32(msg, PMCTRACK_A_SESSION_VIRT, o->virts);
	if (!err && o->ring_size)
		err = nla_put_u32(msg, PMCTRACK_A_SESSION_RING_SIZE, o->ring_size);
	if (!err)
		err = nla_put_u32(msg, PMCTRACK_A_SESSION_FLAGS, o->flags);
	if (!err)
		err = nla_put_u64(msg, PMCTRACK_A_SESSION_PERIOD_NS, o->period_ns);
	if (err) {
		nlmsg_free(msg);
		return fail(E2BIG, "event sets too long for one request");
	}
	return talk(ctl, msg, &x);
}
