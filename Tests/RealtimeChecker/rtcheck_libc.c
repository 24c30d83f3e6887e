// SPDX-License-Identifier: MIT
// The functions of the C library that real-time code must not call.
//
// System calls are watched in rtcheck.c whatever function makes them. The names below matter for what makes none (an
// uncontended lock, an allocation from a free list, a buffered print), and for a report that names the function.

#define _GNU_SOURCE
#include "rtcheck.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

// ---- Memory ----
//
// The real allocator is reached through the names the C library exports for this purpose. Asking the dynamic linker
// would not do: it allocates.

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void *__libc_valloc(size_t size);
extern void *__libc_pvalloc(size_t size);
extern void __libc_free(void *block);

RTCHECK_SITE(site_of_malloc, "malloc");
RTCHECK_SITE(site_of_calloc, "calloc");
RTCHECK_SITE(site_of_realloc, "realloc");
RTCHECK_SITE(site_of_reallocarray, "reallocarray");
RTCHECK_SITE(site_of_memalign, "memalign");
RTCHECK_SITE(site_of_aligned_alloc, "aligned_alloc");
RTCHECK_SITE(site_of_posix_memalign, "posix_memalign");
RTCHECK_SITE(site_of_valloc, "valloc");
RTCHECK_SITE(site_of_pvalloc, "pvalloc");
RTCHECK_SITE(site_of_free, "free");

RTCHECK_EXPORT void *malloc(size_t size) {
    rtcheck_check(&site_of_malloc);
    return __libc_malloc(size);
}

RTCHECK_EXPORT void *calloc(size_t count, size_t size) {
    rtcheck_check(&site_of_calloc);
    return __libc_calloc(count, size);
}

RTCHECK_EXPORT void *realloc(void *block, size_t size) {
    rtcheck_check(&site_of_realloc);
    return __libc_realloc(block, size);
}

RTCHECK_EXPORT void *reallocarray(void *block, size_t count, size_t size) {
    rtcheck_check(&site_of_reallocarray);
    size_t total;
    if (__builtin_mul_overflow(count, size, &total)) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_realloc(block, total);
}

RTCHECK_EXPORT void *memalign(size_t alignment, size_t size) {
    rtcheck_check(&site_of_memalign);
    return __libc_memalign(alignment, size);
}

RTCHECK_EXPORT void *aligned_alloc(size_t alignment, size_t size) {
    rtcheck_check(&site_of_aligned_alloc);
    return __libc_memalign(alignment, size);
}

RTCHECK_EXPORT int posix_memalign(void **block, size_t alignment, size_t size) {
    rtcheck_check(&site_of_posix_memalign);
    if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) {
        return EINVAL;
    }
    int before = errno;
    void *allocated = __libc_memalign(alignment, size);
    errno = before;
    if (allocated == NULL) {
        return ENOMEM;
    }
    *block = allocated;
    return 0;
}

RTCHECK_EXPORT void *valloc(size_t size) {
    rtcheck_check(&site_of_valloc);
    return __libc_valloc(size);
}

RTCHECK_EXPORT void *pvalloc(size_t size) {
    rtcheck_check(&site_of_pvalloc);
    return __libc_pvalloc(size);
}

RTCHECK_EXPORT void free(void *block) {
    // Freeing nothing does nothing, and is allowed.
    if (block == NULL) {
        return;
    }
    rtcheck_check(&site_of_free);
    __libc_free(block);
}

RTCHECK_HOOK(mmap);
RTCHECK_HOOK(munmap);
RTCHECK_HOOK(mprotect);
RTCHECK_HOOK(madvise);
RTCHECK_HOOK(mlock);

// ---- Locks and threads ----

RTCHECK_HOOK(pthread_mutex_lock);
RTCHECK_HOOK(pthread_mutex_trylock);
RTCHECK_HOOK(pthread_mutex_timedlock);
RTCHECK_HOOK(pthread_mutex_clocklock);
RTCHECK_HOOK(pthread_mutex_unlock);
RTCHECK_HOOK(pthread_rwlock_rdlock);
RTCHECK_HOOK(pthread_rwlock_tryrdlock);
RTCHECK_HOOK(pthread_rwlock_timedrdlock);
RTCHECK_HOOK(pthread_rwlock_wrlock);
RTCHECK_HOOK(pthread_rwlock_trywrlock);
RTCHECK_HOOK(pthread_rwlock_timedwrlock);
RTCHECK_HOOK(pthread_rwlock_unlock);
RTCHECK_HOOK(pthread_spin_lock);
RTCHECK_HOOK(pthread_spin_trylock);
RTCHECK_HOOK(pthread_spin_unlock);
RTCHECK_HOOK(pthread_barrier_wait);
RTCHECK_HOOK(pthread_once);
RTCHECK_HOOK(pthread_create);
RTCHECK_HOOK(pthread_join);
RTCHECK_HOOK(mtx_lock);
RTCHECK_HOOK(mtx_trylock);
RTCHECK_HOOK(mtx_unlock);
RTCHECK_HOOK(cnd_wait);
RTCHECK_HOOK(cnd_signal);
RTCHECK_HOOK(cnd_broadcast);
RTCHECK_HOOK(call_once);
RTCHECK_HOOK(sem_wait);
RTCHECK_HOOK(sem_trywait);
RTCHECK_HOOK(sem_timedwait);
RTCHECK_HOOK(sem_clockwait);
RTCHECK_HOOK(sem_post);

// Condition variables exist twice in the C library for x86-64, and a plain look-up may find the old kind, whose
// layout differs. The version of the new kind must be asked for by name; elsewhere there is only one.
static void *resolve_condition(struct rtcheck_site *site) {
    void *real = atomic_load_explicit(&site->real, memory_order_acquire);
    if (RTCHECK_UNLIKELY(real == NULL)) {
        real = dlvsym(RTLD_NEXT, site->name, "GLIBC_2.3.2");
        if (real == NULL) {
            return rtcheck_resolve(site);
        }
        atomic_store_explicit(&site->real, real, memory_order_release);
    }
    return real;
}

#define RTCHECK_HOOK_CONDITION(symbol)                                                            \
    RTCHECK_SITE(site_of_##symbol, #symbol);                                                      \
    RTCHECK_EXPORT rtcheck_two_words hook_of_##symbol(RTCHECK_PARAMETERS) __asm__(#symbol);       \
    rtcheck_two_words hook_of_##symbol(RTCHECK_PARAMETERS) {                                      \
        rtcheck_check(&site_of_##symbol);                                                         \
        rtcheck_function real = (rtcheck_function)resolve_condition(&site_of_##symbol);           \
        return real(RTCHECK_ARGUMENTS);                                                           \
    }                                                                                             \
    _Static_assert(1, "takes the semicolon")

RTCHECK_HOOK_CONDITION(pthread_cond_wait);
RTCHECK_HOOK_CONDITION(pthread_cond_timedwait);
RTCHECK_HOOK_CONDITION(pthread_cond_signal);
RTCHECK_HOOK_CONDITION(pthread_cond_broadcast);
RTCHECK_HOOK(pthread_cond_clockwait);

// ---- Waiting ----

RTCHECK_HOOK(sleep);
RTCHECK_HOOK(usleep);
RTCHECK_HOOK(nanosleep);
RTCHECK_HOOK(clock_nanosleep);
RTCHECK_HOOK(sched_yield);
RTCHECK_HOOK(poll);
RTCHECK_HOOK(ppoll);
RTCHECK_HOOK(select);
RTCHECK_HOOK(pselect);
RTCHECK_HOOK(epoll_wait);
RTCHECK_HOOK(epoll_pwait);
RTCHECK_HOOK(epoll_ctl);
RTCHECK_HOOK(eventfd_read);
RTCHECK_HOOK(eventfd_write);

// ---- Files and sockets ----

RTCHECK_HOOK(open);
RTCHECK_HOOK(open64);
RTCHECK_HOOK(openat);
RTCHECK_HOOK(close);
RTCHECK_HOOK(read);
RTCHECK_HOOK(readv);
RTCHECK_HOOK(pread);
RTCHECK_HOOK(pread64);
RTCHECK_HOOK(write);
RTCHECK_HOOK(writev);
RTCHECK_HOOK(pwrite);
RTCHECK_HOOK(pwrite64);
RTCHECK_HOOK(fsync);
RTCHECK_HOOK(fcntl);
RTCHECK_HOOK(fcntl64);
RTCHECK_HOOK(ioctl);
RTCHECK_HOOK(send);
RTCHECK_HOOK(sendmsg);
RTCHECK_HOOK(sendto);
RTCHECK_HOOK(recv);
RTCHECK_HOOK(recvmsg);
RTCHECK_HOOK(recvfrom);

// Any system call by number, a futex for example.
RTCHECK_HOOK(syscall);

// ---- Streams ----
//
// A print into a buffer takes the stream's lock and makes no system call.

RTCHECK_HOOK(fopen);
RTCHECK_HOOK(fclose);
RTCHECK_HOOK(fflush);
RTCHECK_HOOK(fwrite);
RTCHECK_HOOK(fread);
RTCHECK_HOOK(fputs);
RTCHECK_HOOK(puts);
RTCHECK_HOOK(fputc);
RTCHECK_HOOK(putc);
RTCHECK_HOOK(putchar);
RTCHECK_HOOK(flockfile);
RTCHECK_HOOK(funlockfile);
RTCHECK_HOOK(vprintf);
RTCHECK_HOOK(vfprintf);

// These take floating-point arguments, which the one shape of hook would lose. They are reported as vprintf and
// vfprintf, which they are made of here.

RTCHECK_EXPORT int printf(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int result = vprintf(format, arguments);
    va_end(arguments);
    return result;
}

RTCHECK_EXPORT int fprintf(FILE *stream, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int result = vfprintf(stream, format, arguments);
    va_end(arguments);
    return result;
}
