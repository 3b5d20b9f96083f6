// SPDX-License-Identifier: GPL-2.0-only
/*
 * General counters on which an event counts. On others it counts nothing, or something else.
 *
 * Intel's event tables say it for each model. Events of the architecture count on all counters.
 * Other events count on the first four, except for a few that count on one or two of these; what
 * newer models also count elsewhere is not used. AMD: BKDG of family 15h, "Core Performance
 * Counters". Other families have no such events.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <asm/processor.h>

#include "places.h"

#define FIRST_FOUR	0xf
#define ANY_UMASK	(-1)

static const u8 core2[] = { 0x0f, 0x16, 0x17, 0x1d, 0 };
static const u8 nehalem[] = { 0x1a, 0x1e, 0x1f, 0x2e, 0 };
static const u8 westmere[] = { 0x25, 0x2c, 0x2f, 0 };
static const u8 sandy_bridge[] = { 0x2a, 0x2d, 0 };
static const u8 ivy_bridge[] = { 0x3a, 0x3e, 0 };
static const u8 haswell[] = { 0x3c, 0x3f, 0x45, 0x46, 0 };
static const u8 broadwell[] = { 0x3d, 0x47, 0x4f, 0x56, 0 };
static const u8 skylake[] = { 0x4e, 0x5e, 0x55, 0x8e, 0x9e, 0xa5, 0xa6, 0 };

/**
 * struct place - an event that counts on few counters
 * @models: models of family 6; NULL: those since Golden Cove, which have a version of 5 and more
 * @first: the event's code, or the first of several
 * @last: the last one
 * @umask: unit mask, or ANY_UMASK
 * @counters: mask of the general counters
 */
struct place {
	const u8 *models;
	u8 first;
	u8 last;
	s16 umask;
	u8 counters;
};

static const struct place places[] = {
	{ core2, 0x10, 0x10, ANY_UMASK, 0x1 }, { core2, 0x11, 0x13, ANY_UMASK, 0x2 },
	{ core2, 0x14, 0x14, ANY_UMASK, 0x1 }, { core2, 0x18, 0x18, ANY_UMASK, 0x1 },
	{ core2, 0x19, 0x19, ANY_UMASK, 0x2 }, { core2, 0xa1, 0xa1, ANY_UMASK, 0x1 },
	{ core2, 0xc9, 0xc9, ANY_UMASK, 0x1 }, { core2, 0xcb, 0xcb, ANY_UMASK, 0x1 },
	{ nehalem, 0x40, 0x43, ANY_UMASK, 0x3 }, { nehalem, 0x48, 0x48, ANY_UMASK, 0x3 },
	{ nehalem, 0x4e, 0x4e, ANY_UMASK, 0x3 }, { nehalem, 0x51, 0x51, ANY_UMASK, 0x3 },
	{ nehalem, 0x63, 0x63, ANY_UMASK, 0x3 },
	{ westmere, 0x51, 0x51, ANY_UMASK, 0x3 }, { westmere, 0x60, 0x60, ANY_UMASK, 0x1 },
	{ westmere, 0x63, 0x63, ANY_UMASK, 0x3 }, { westmere, 0xb3, 0xb3, ANY_UMASK, 0x1 },
	{ sandy_bridge, 0x48, 0x48, ANY_UMASK, 0x4 }, { sandy_bridge, 0xa3, 0xa3, 0x02, 0x4 },
	{ sandy_bridge, 0xa3, 0xa3, 0x06, 0x4 }, { sandy_bridge, 0xc0, 0xc0, 0x01, 0x2 },
	{ sandy_bridge, 0xcd, 0xcd, ANY_UMASK, 0x8 },
	{ ivy_bridge, 0x48, 0x48, 0x01, 0x4 }, { ivy_bridge, 0xa3, 0xa3, 0x08, 0x4 },
	{ ivy_bridge, 0xa3, 0xa3, 0x0c, 0x4 }, { ivy_bridge, 0xc0, 0xc0, 0x01, 0x2 },
	{ haswell, 0x48, 0x48, 0x01, 0x4 }, { haswell, 0xa3, 0xa3, 0x08, 0x4 },
	{ haswell, 0xa3, 0xa3, 0x0c, 0x4 }, { haswell, 0xc0, 0xc0, 0x01, 0x2 },
	{ haswell, 0xcd, 0xcd, ANY_UMASK, 0x8 },
	{ broadwell, 0x48, 0x48, 0x01, 0x4 }, { broadwell, 0xa3, 0xa3, 0x08, 0x4 },
	{ broadwell, 0xa3, 0xa3, 0x0c, 0x4 }, { broadwell, 0xc0, 0xc0, 0x01, 0x2 },
	{ skylake, 0xc0, 0xc0, 0x01, 0x2 },
	{ NULL, 0xa4, 0xa4, 0x04, 0x1 }, { NULL, 0xa4, 0xa4, 0x08, 0x1 },
	{ NULL, 0xcd, 0xcd, 0x02, 0x1 }, { NULL, 0xce, 0xce, ANY_UMASK, 0x1 },
};

static bool is_here(const struct place *p, unsigned int version)
{
	const u8 *model = p->models;

	if (!model)
		return version >= 5;
	while (*model && *model != boot_cpu_data.x86_model)
		model++;
	return *model;
}

/* Codes of the architecture's events; with other unit masks, they are of the same counters. */
static bool is_of_architecture(u64 code)
{
	return code == 0x2e || code == 0x3c || code == 0xc0 || code == 0xc4 || code == 0xc5;
}

/**
 * x86_places_intel() - find the counters of an event
 * @version: version of architectural performance monitoring
 * @code: event code
 * @umask: unit mask
 *
 * Return: a mask of general counters.
 */
u32 x86_places_intel(unsigned int version, u64 code, u32 umask)
{
	const struct place *p;

	for (p = places; p < places + ARRAY_SIZE(places); p++) {
		if (code >= p->first && code <= p->last &&
		    (p->umask == ANY_UMASK || umask == (u32)p->umask) && is_here(p, version))
			return p->counters;
	}
	return is_of_architecture(code) ? U32_MAX : FIRST_FOUR;
}

/* The same for AMD: events of family 15h, by groups of codes, and the exceptions. */
u32 x86_places_amd(u64 code, u32 umask)
{
	static const u8 of_group[] = {
		0x38, 0x38,				/* FP */
		0x3f, 0x3f, 0x3f, 0x3f,			/* LS, DC */
		0x07, 0x07, 0x07, 0x07, 0x3f, 0x3f,	/* CU, IC and DE, none */
		0x3f, 0x07, 0x3f, 0x3f,			/* EX and LS, DE, NB (refused elsewhere) */
	};

	if (boot_cpu_data.x86 != 0x15)
		return U32_MAX;
	switch (code) {
	case 0x000:
		return umask & 0xf0 && umask & 0x0f ? 0x08 : 0x38;
	case 0x004:
		return hweight32(umask) > 1 ? 0x08 : 0x38;
	case 0x003:
	case 0x00b:
	case 0x00d:
	case 0x02d:
		return 0x08;
	case 0x023:
	case 0x043:
	case 0x045:
	case 0x046:
	case 0x054:
	case 0x055:
		return 0x07;
	case 0x02e:
		return 0x09;
	case 0x031:
		/* Two kinds at once count nowhere. */
		return hweight32(umask) <= 1 ? 0x07 : 0;
	case 0x08f:
	case 0x187:
	case 0x188:
		return 0x01;
	case 0x0db ... 0x0df:
	case 0x1d6:
	case 0x1d8:
		return 0x3f;
	case 0x1c0:
		return 0x38;
	}
	return of_group[code >> 4 & 0xf];
}
