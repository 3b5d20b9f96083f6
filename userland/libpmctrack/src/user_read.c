// SPDX-License-Identifier: LGPL-2.1-or-later
/* The ID of the calling thread. */
#include <pthread.h>
#include <unistd.h>

#include "user_read.h"

__thread pid_t thread_self;

/* In the child of a fork(): forget the thread ID of the parent. */
static void forget_thread(void)
{
	thread_self = 0;
}

static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, forget_thread);
}

pid_t this_thread_slowly(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, watch_forks);
	thread_self = gettid();
	return thread_self;
}
