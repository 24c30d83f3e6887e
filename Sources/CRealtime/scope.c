// SPDX-License-Identifier: MIT
// dlfcn.h declares RTLD_DEFAULT only with this.
#define _GNU_SOURCE
#include "crt_scope.h"

#include <dlfcn.h>
#include <stddef.h>

typedef void (*scope_function)(void) CRT_NONBLOCKING;

// A weak reference shows whether RealtimeSanitizer is linked into the executable.
__attribute__((weak)) extern void __rtsan_realtime_enter(void) CRT_NONBLOCKING;
__attribute__((weak)) extern void __rtsan_realtime_exit(void) CRT_NONBLOCKING;

// rtcheck comes with LD_PRELOAD. A weak reference would not find it: the static linker settles one in an executable.
static scope_function rtcheck_enter;
static scope_function rtcheck_exit;

// Runs while the process is loaded, before there is a second thread. Both functions or neither.
__attribute__((constructor)) static void find_rtcheck(void) {
    void *found_enter = dlsym(RTLD_DEFAULT, "rtcheck_enter");
    void *found_exit = dlsym(RTLD_DEFAULT, "rtcheck_exit");
    if (found_enter != NULL && found_exit != NULL) {
        rtcheck_enter = (scope_function)found_enter;
        rtcheck_exit = (scope_function)found_exit;
    }
}

// The conditions below do not compare with NULL: clang would take that for a conversion that adds the attribute.

bool crt_has_checker(void) {
    return __rtsan_realtime_enter || rtcheck_enter;
}

void crt_realtime_enter(void) CRT_NONBLOCKING {
    if (__rtsan_realtime_enter) {
        __rtsan_realtime_enter();
    }
    // Last in and first out, so that the sanitizer's own work is outside the other checker's scope.
    if (rtcheck_enter) {
        rtcheck_enter();
    }
}

void crt_realtime_exit(void) CRT_NONBLOCKING {
    if (rtcheck_exit) {
        rtcheck_exit();
    }
    if (__rtsan_realtime_exit) {
        __rtsan_realtime_exit();
    }
}
