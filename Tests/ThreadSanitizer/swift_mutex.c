// SPDX-License-Identifier: MIT
// Tells ThreadSanitizer of the Mutex of Swift's standard library. Its quick paths are compiled into the caller, where the
// sanitizer sees their atomics. Its slow paths, for a Mutex that another thread holds, are in libswiftSynchronization, which
// is not instrumented: they wait by a futex, and the sanitizer takes what two threads do one after the other for a race.
//
// Scripts/sanitize.sh links this into every program of a build with -sanitize=thread. Its functions have the names of the slow
// paths, and come before the library's.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// The handle begins with its atomic. The sanitizer keeps one clock for an address: the one that the quick paths use, too.
void __tsan_acquire(void *address);
void __tsan_release(void *address);

typedef SWIFT void (*lock_function)(uint32_t thread, SELF void *handle);
typedef SWIFT bool (*try_lock_function)(SELF void *handle);
typedef SWIFT void (*unlock_function)(SELF void *handle);

static lock_function real_lock;
static try_lock_function real_try_lock;
static unlock_function real_unlock;

static void *find(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) {
        fprintf(stderr, "swift_mutex.c: this Swift has no %s\n", name);
        abort();
    }
    return found;
}

// A program that uses no Mutex has not loaded the library.
__attribute__((constructor)) static void find_all(void) {
    if (!dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleVMa")) return;
    real_lock = (lock_function)find(LOCK);
    real_try_lock = (try_lock_function)find(TRY_LOCK);
    real_unlock = (unlock_function)find(UNLOCK);
}

SWIFT void lock_slow(uint32_t thread, SELF void *handle) __asm__(LOCK);
SWIFT void lock_slow(uint32_t thread, SELF void *handle) {
    real_lock(thread, handle);
    __tsan_acquire(handle);
}

SWIFT bool try_lock_slow(SELF void *handle) __asm__(TRY_LOCK);
SWIFT bool try_lock_slow(SELF void *handle) {
    bool is_locked = real_try_lock(handle);
    if (is_locked) __tsan_acquire(handle);
    return is_locked;
}

SWIFT void unlock_slow(SELF void *handle) __asm__(UNLOCK);
SWIFT void unlock_slow(SELF void *handle) {
    __tsan_release(handle);
    real_unlock(handle);
}
