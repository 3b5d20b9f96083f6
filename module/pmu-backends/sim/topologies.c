// SPDX-License-Identifier: GPL-2.0-only
/*
 * The named machines: those of the papers (Documentation/simulation.md says which). Their figures
 * have the order of the real ones, but were not measured.
 */
#include <linux/kernel.h>

#include "model.h"

/* Out of order, wide. */
#define BIG	.width = 4000, .ilp_used = 1000, .overlap = 900, .front_end = 400, \
		.branch_cycles = 15, .walk_cycles = 20, .l2_cycles = 4
/* In order, narrow. */
#define SMALL	.width = 1200, .ilp_used = 850, .overlap = 140, .front_end = 1000, \
		.branch_cycles = 10, .walk_cycles = 30, .l2_cycles = 9

#define SERVER	.name = "core", .mhz = 2400, BIG, .l2_kib = 256, .counters = 4, .instr_pj = 500, \
		.active_mw = 2000, .idle_mw = 300

#define PERFORMANCE \
		.name = "performance", .mhz = 4500, BIG, .l2_kib = 2048, .counters = 6, \
		.instr_pj = 900, .active_mw = 5000, .idle_mw = 300
#define EFFICIENCY \
		.name = "efficiency", .mhz = 3300, .width = 2400, .ilp_used = 950, \
		.overlap = 600, .front_end = 700, .branch_cycles = 13, .walk_cycles = 25, \
		.l2_cycles = 6, .l2_kib = 512, .counters = 6, .instr_pj = 350, \
		.active_mw = 1000, .idle_mw = 80

#define LLC(kib, ps, of_node)	{ .llc_kib = (kib), .llc_ps = (ps), .node = (of_node) }
#define MEMORY(ps, mbs, mw)	{ .mem_ps = (ps), .mem_mbs = (mbs), .mem_mw = (mw) }

static const struct pmct_sim_machine pmct_sim_topologies[] = {
	{
		.name = "4-shared", .nr_types = 1, .nr_clusters = 1, .nr_nodes = 1, .nr_cpus = 4,
		.type = { { SERVER } },
		.cluster = { LLC(8192, 15000, 0) },
		.node = { MEMORY(80000, 10000, 800) },
		.llc_pj = 1000, .mem_pj = 15000, .uncore_mw = 5000,
	}, {
		.name = "8-shared", .nr_types = 1, .nr_clusters = 1, .nr_nodes = 1, .nr_cpus = 8,
		.type = { { SERVER } },
		.cluster = { LLC(16384, 18000, 0) },
		.node = { MEMORY(80000, 16000, 1200) },
		.llc_pj = 1000, .mem_pj = 15000, .uncore_mw = 8000,
	}, {
		.name = "4-private", .nr_types = 1, .nr_clusters = 4, .nr_nodes = 1, .nr_cpus = 4,
		.type = { { SERVER } },
		.cluster = { LLC(2048, 10000, 0), LLC(2048, 10000, 0),
			     LLC(2048, 10000, 0), LLC(2048, 10000, 0) },
		.node = { MEMORY(90000, 8000, 600) },
		.cpu_cluster = { 0, 1, 2, 3 },
		.llc_pj = 800, .mem_pj = 15000, .uncore_mw = 5000,
	}, {
		.name = "2x2", .nr_types = 1, .nr_clusters = 2, .nr_nodes = 1, .nr_cpus = 4,
		.type = { { SERVER } },
		.cluster = { LLC(4096, 7000, 0), LLC(4096, 7000, 0) },
		.node = { MEMORY(90000, 7000, 600) },
		.cpu_cluster = { 0, 0, 1, 1 },
		.llc_pj = 900, .mem_pj = 15000, .uncore_mw = 5000,
	}, {
		.name = "4x2", .nr_types = 1, .nr_clusters = 4, .nr_nodes = 1, .nr_cpus = 8,
		.type = { { SERVER } },
		.cluster = { LLC(4096, 7000, 0), LLC(4096, 7000, 0),
			     LLC(4096, 7000, 0), LLC(4096, 7000, 0) },
		.node = { MEMORY(90000, 12000, 1000) },
		.cpu_cluster = { 0, 0, 1, 1, 2, 2, 3, 3 },
		.llc_pj = 900, .mem_pj = 15000, .uncore_mw = 8000,
	}, {
		/* Two sockets: their cores, caches and frequencies differ. */
		.name = "2B-2S", .nr_types = 2, .nr_clusters = 2, .nr_nodes = 1, .nr_cpus = 4,
		.type = {
			{ .name = "big", .mhz = 2000, BIG, .l2_kib = 128, .instr_pj = 600,
			  .counters = 2, .active_mw = 3000, .idle_mw = 500 },
			{ .name = "small", .mhz = 1600, SMALL, .l2_kib = 128, .instr_pj = 200,
			  .counters = 2, .active_mw = 400, .idle_mw = 80 },
		},
		.cluster = { LLC(4096, 7000, 0), LLC(2048, 10000, 0) },
		.node = { MEMORY(90000, 8000, 600) },
		.cpu_type = { 0, 0, 1, 1 }, .cpu_cluster = { 0, 0, 1, 1 },
		.llc_pj = 900, .mem_pj = 15000, .uncore_mw = 4000,
	}, {
		/* Two nodes, each with one fast and five slow cores of one kind. */
		.name = "2B-10S", .nr_types = 2, .nr_clusters = 2, .nr_nodes = 2, .nr_cpus = 12,
		.type = {
			{ .name = "big", .mhz = 2100, BIG, .l2_kib = 512, .instr_pj = 700,
			  .counters = 4, .active_mw = 3000, .idle_mw = 500 },
			{ .name = "small", .mhz = 800, BIG, .l2_kib = 512, .instr_pj = 350,
			  .counters = 4, .active_mw = 700, .idle_mw = 200 },
		},
		.cluster = { LLC(6144, 15000, 0),
			     LLC(6144, 15000, 1) },
		.node = { MEMORY(90000, 12000, 1000), MEMORY(90000, 12000, 1000) },
		.cpu_type = { 0, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1 },
		.cpu_cluster = { 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1 },
		.llc_pj = 1000, .mem_pj = 15000, .uncore_mw = 8000,
	}, {
		/* A phone's processor. */
		.name = "2B-4S", .nr_types = 2, .nr_clusters = 2, .nr_nodes = 1, .nr_cpus = 6,
		.type = {
			{ .name = "big", .mhz = 1100, BIG, .l2_kib = 128, .instr_pj = 350,
			  .counters = 6, .active_mw = 400, .idle_mw = 50 },
			{ .name = "small", .mhz = 850, SMALL, .l2_kib = 64, .instr_pj = 90,
			  .counters = 6, .active_mw = 60, .idle_mw = 10 },
		},
		.cluster = { LLC(2048, 15000, 0), LLC(1024, 15000, 0) },
		.node = { MEMORY(130000, 6000, 40) },
		.cpu_type = { 0, 0, 1, 1, 1, 1 }, .cpu_cluster = { 0, 0, 1, 1, 1, 1 },
		.llc_pj = 400, .mem_pj = 6000, .uncore_mw = 200,
	}, {
		/* A smaller laptop: all cores share a cache that is too small for them. */
		.name = "4P-8E", .nr_types = 2, .nr_clusters = 1, .nr_nodes = 1, .nr_cpus = 12,
		.type = { { PERFORMANCE }, { EFFICIENCY } },
		.cluster = { LLC(12288, 18000, 0) },
		.node = { MEMORY(110000, 30000, 500) },
		.cpu_type = { 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1 },
		.llc_pj = 900, .mem_pj = 8000, .uncore_mw = 1500,
	}, {
		/* A laptop's processor. The last two cores have a cache of their own. */
		.name = "4P-8E-2LP", .nr_types = 3, .nr_clusters = 2, .nr_nodes = 1, .nr_cpus = 14,
		.type = {
			{ PERFORMANCE },
			{ EFFICIENCY },
			{ .name = "low-power", .mhz = 2100, .width = 1800, .ilp_used = 900,
			  .overlap = 450, .front_end = 800, .branch_cycles = 13, .walk_cycles = 25,
			  .l2_cycles = 7, .l2_kib = 512, .instr_pj = 180, .active_mw = 300,
			  .counters = 6, .idle_mw = 20 },
		},
		.cluster = { LLC(24576, 18000, 0), LLC(2048, 15000, 0) },
		.node = { MEMORY(110000, 60000, 500) },
		.cpu_type = { 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2 },
		.cpu_cluster = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1 },
		.llc_pj = 900, .mem_pj = 8000, .uncore_mw = 1500,
	},
};

/**
 * pmct_sim_topology() - get a named machine
 * @i: its index, from 0
 *
 * Return: the machine, or NULL behind the last one.
 */
const struct pmct_sim_machine *pmct_sim_topology(unsigned int i)
{
	return i < ARRAY_SIZE(pmct_sim_topologies) ? &pmct_sim_topologies[i] : NULL;
}
