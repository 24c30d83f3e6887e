// SPDX-License-Identifier: MIT
// Internals shared by the files of rtcheck. See rtcheck.c for what the library does and how it is used.

#ifndef RTCHECK_H
#define RTCHECK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define RTCHECK_EXPORT __attribute__((visibility("default")))
#define RTCHECK_HIDDEN __attribute__((visibility("hidden")))
#define RTCHECK_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

// The thread's own state must be reachable without a call that could allocate, hence initial-exec.
#define RTCHECK_THREAD_LOCAL __thread __attribute__((tls_model("initial-exec")))

// Exit statuses. They differ from RealtimeSanitizer's 43, so that a test can tell which net caught something.
enum {
    RTCHECK_EXIT_VIOLATION = 44,
    RTCHECK_EXIT_NO_SYSTEM_CALL_GUARD = 45,
    RTCHECK_EXIT_MISUSE = 46,
};

// One forbidden function. The sites of all files end up beside each other in one section, which is how the table
// printed at exit finds them. The alignment makes the size a power of two, so that the section is an array.
struct rtcheck_site {
    const char *name;
    _Atomic(void *) real;
    atomic_long hits;
} __attribute__((aligned(32)));

#define RTCHECK_SITE(variable, text)                                                             \
    static struct rtcheck_site variable __attribute__((section("rtcheck_sites"), used)) = {       \
        .name = text,                                                                             \
    }

// How many scopes the calling thread is in.
RTCHECK_HIDDEN extern RTCHECK_THREAD_LOCAL int rtcheck_depth;

// Counts the call, or prints it with a backtrace and ends the process. Does nothing while already reporting.
RTCHECK_HIDDEN void rtcheck_report(struct rtcheck_site *site);

// The next definition of the site's function, which is the one this library stands in front of.
// Asks the dynamic linker once, with the checks of the calling thread suspended.
RTCHECK_HIDDEN void *rtcheck_resolve(struct rtcheck_site *site);

static inline void rtcheck_check(struct rtcheck_site *site) {
    if (RTCHECK_UNLIKELY(rtcheck_depth > 0)) {
        rtcheck_report(site);
    }
}

static inline void *rtcheck_real(struct rtcheck_site *site) {
    void *real = atomic_load_explicit(&site->real, memory_order_acquire);
    if (RTCHECK_UNLIKELY(real == 0)) {
        real = rtcheck_resolve(site);
    }
    return real;
}

// A function with up to eight integer or pointer arguments and up to two words of result.
//
// The hooks do not repeat the real signatures. On x86-64 and arm64 such a function receives its arguments in fixed
// registers (then in fixed stack slots) and returns in two registers, so one shape can stand in front of all of them:
// what the caller did not pass is passed on unread. The Swift context and error registers are callee-saved in C, so
// they pass through as well. Functions with floating-point arguments or larger results must not be hooked this way.
typedef uintptr_t rtcheck_word;
typedef struct {
    rtcheck_word first;
    rtcheck_word second;
} rtcheck_two_words;

#define RTCHECK_PARAMETERS                                                                        \
    rtcheck_word a, rtcheck_word b, rtcheck_word c, rtcheck_word d,                               \
    rtcheck_word e, rtcheck_word f, rtcheck_word g, rtcheck_word h
#define RTCHECK_ARGUMENTS a, b, c, d, e, f, g, h

typedef rtcheck_two_words (*rtcheck_function)(RTCHECK_PARAMETERS);

// Defines the function called `symbol` for the whole process. The C name differs from the symbol, so that the headers
// declaring the real function do not get in the way.
#define RTCHECK_HOOK(symbol)                                                                      \
    RTCHECK_SITE(site_of_##symbol, #symbol);                                                      \
    RTCHECK_EXPORT rtcheck_two_words hook_of_##symbol(RTCHECK_PARAMETERS) __asm__(#symbol);       \
    rtcheck_two_words hook_of_##symbol(RTCHECK_PARAMETERS) {                                      \
        rtcheck_check(&site_of_##symbol);                                                         \
        rtcheck_function real = (rtcheck_function)rtcheck_real(&site_of_##symbol);                \
        return real(RTCHECK_ARGUMENTS);                                                           \
    }                                                                                             \
    _Static_assert(1, "takes the semicolon")

#if !defined(__x86_64__) && !defined(__aarch64__)
#error "rtcheck knows the calling conventions of x86-64 and arm64 only"
#endif

#endif
