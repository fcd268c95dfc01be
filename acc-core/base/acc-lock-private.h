/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>
#include <pthread.h>

/* A mutex for short sections that many threads enter, of some tens of nanoseconds: spinning for a moment costs less than sleeping does. */
typedef pthread_mutex_t AccLock;

static inline void
acc_lock_init (AccLock *self)
{
  pthread_mutexattr_t attributes;

  pthread_mutexattr_init (&attributes);
#ifdef __GLIBC__
  pthread_mutexattr_settype (&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
#endif
  pthread_mutex_init (self, &attributes);
  pthread_mutexattr_destroy (&attributes);
}

/* Held until the end of the block: g_autoptr (AccLocker) locker = acc_locker_new (&lock). */
typedef pthread_mutex_t AccLocker;

static inline AccLocker *
acc_locker_new (AccLock *lock)
{
  pthread_mutex_lock (lock);

  return lock;
}

static inline void
acc_locker_free (AccLocker *self)
{
  pthread_mutex_unlock (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccLocker, acc_locker_free)
