// SPDX-License-Identifier: MIT
// rtcheck: a checker for real-time code, loaded with LD_PRELOAD.
//
// While a thread is between rtcheck_enter() and rtcheck_exit(), the library reports every allocation, lock, blocking
// call, system call and slow entry of the Swift runtime made by that thread. The first report prints a backtrace and
// ends the process with status 44.
//
//     cc -O1 -g -fPIC -shared -fno-builtin rtcheck*.c -o librtcheck.so -ldl
//     LD_PRELOAD=/path/to/librtcheck.so program
//
// The environment:
//     RTCHECK_COUNT=1          count instead of ending the process, and print a table at exit
//     RTCHECK_ALLOW_NO_SUD=1   run on although the kernel cannot watch system calls (otherwise status 45)
//
// At normal exit one line says how much was checked, because a checker that never entered a scope proves nothing:
//     RTCHECK: program=NAME pid=N scopes=N violations=N system-calls=watched|unwatched swift=watched|absent
//
// Child processes inherit the preload and print a line of their own: look for the program's name.
//
// A backtrace shows an executable's own functions as offsets, for example program(+0x58ab). The offset is what
// `llvm-symbolizer --obj=program 0x58ab` takes. The frames above the caller belong to this library.
//
// Do not load it into an executable that was linked with RealtimeSanitizer: each would report the other's work.
//
// The files: rtcheck.c has the scopes, the reports and the system calls, rtcheck_libc.c the functions of the C library,
// rtcheck_swift.c those of the Swift runtime.

#define _GNU_SOURCE
#include "rtcheck.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <ucontext.h>
#endif

// From linux/prctl.h and linux/signal.h; older headers lack them.
#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_ON 1
#define SYSCALL_DISPATCH_FILTER_ALLOW 0
#define SYSCALL_DISPATCH_FILTER_BLOCK 1
#endif
#ifndef SYS_USER_DISPATCH
#define SYS_USER_DISPATCH 2
#endif

#define SYSTEM_CALL_LIMIT 1024
#define BACKTRACE_LIMIT 48

RTCHECK_THREAD_LOCAL int rtcheck_depth;

// Set while this thread prints a report or asks the dynamic linker: what those call is not the program's doing.
static RTCHECK_THREAD_LOCAL int suspended;

// The kernel reads this byte at every system call of a guarded thread.
static RTCHECK_THREAD_LOCAL volatile unsigned char system_call_filter;
static RTCHECK_THREAD_LOCAL bool system_calls_guarded;

static pthread_once_t prepared = PTHREAD_ONCE_INIT;
static bool counting;
static bool may_lack_system_call_guard;
static bool swift_watched;
static atomic_bool system_calls_unwatched;
static atomic_long scopes;
static atomic_long violations;
static atomic_long system_calls[SYSTEM_CALL_LIMIT];

// The bounds of the section that RTCHECK_SITE fills; the linker defines them.
extern struct rtcheck_site __start_rtcheck_sites[] RTCHECK_HIDDEN;
extern struct rtcheck_site __stop_rtcheck_sites[] RTCHECK_HIDDEN;

// ---- Printing ----

// Formats on the stack and writes at once: stdio would allocate and lock.
__attribute__((format(printf, 1, 2))) static void print(const char *format, ...) {
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length > (int)sizeof line - 1) {
        length = (int)sizeof line - 1;
    }
    if (write(STDERR_FILENO, line, (size_t)length) < 0) {
        // There is nowhere left to complain.
        return;
    }
}

static void print_backtrace(void) {
    void *frames[BACKTRACE_LIMIT];
    int count = backtrace(frames, BACKTRACE_LIMIT);
    backtrace_symbols_fd(frames, count, STDERR_FILENO);
}

// ---- Suspending the checks of one thread ----

struct suspension {
    unsigned char filter;
    int error;
};

static struct suspension suspend(void) {
    struct suspension before = {.filter = system_call_filter, .error = errno};
    system_call_filter = SYSCALL_DISPATCH_FILTER_ALLOW;
    suspended += 1;
    return before;
}

static void resume(struct suspension before) {
    suspended -= 1;
    errno = before.error;
    system_call_filter = before.filter;
}

// ---- Reporting ----

static void report(const char *name, long number, atomic_long *hits) {
    struct suspension before = suspend();
    atomic_fetch_add_explicit(hits, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&violations, 1, memory_order_relaxed);
    if (!counting) {
        if (number >= 0) {
            print("RTCHECK: system call %ld made in a real-time scope\n", number);
        } else {
            print("RTCHECK: %s called in a real-time scope\n", name);
        }
        print_backtrace();
        _exit(RTCHECK_EXIT_VIOLATION);
    }
    resume(before);
}

void rtcheck_report(struct rtcheck_site *site) {
    if (suspended == 0) {
        report(site->name, -1, &site->hits);
    }
}

void *rtcheck_resolve(struct rtcheck_site *site) {
    struct suspension before = suspend();
    void *real = dlsym(RTLD_NEXT, site->name);
    if (real == NULL) {
        print("RTCHECK: %s was called, but no library defines it\n", site->name);
        _exit(RTCHECK_EXIT_MISUSE);
    }
    atomic_store_explicit(&site->real, real, memory_order_release);
    resume(before);
    return real;
}

// ---- System calls ----
//
// Syscall User Dispatch (Linux 5.11, x86-64) has the kernel send SIGSYS for a thread's system calls, whether they come
// from the C library or from an instruction in the program, as long as the thread's filter byte says so. The clocks
// that the kernel maps into the process make no system call and pass.

#if defined(__x86_64__)

static long make_system_call(const greg_t *registers) {
    register long fourth __asm__("r10") = registers[REG_R10];
    register long fifth __asm__("r8") = registers[REG_R8];
    register long sixth __asm__("r9") = registers[REG_R9];
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(registers[REG_RAX]), "D"(registers[REG_RDI]), "S"(registers[REG_RSI]),
                       "d"(registers[REG_RDX]), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
    return result;
}

// These do not return where they were called, so a signal handler cannot make them for the program.
static bool leaves_the_handler(long number) {
    return number == SYS_clone || number == SYS_clone3 || number == SYS_vfork || number == SYS_rt_sigreturn;
}

static void on_system_call(int signal_number, siginfo_t *information, void *context) {
    (void)signal_number;
    system_call_filter = SYSCALL_DISPATCH_FILTER_ALLOW;
    long number = information->si_syscall;
    if (information->si_code != SYS_USER_DISPATCH) {
        print("RTCHECK: SIGSYS for system call %ld did not come from rtcheck\n", number);
        _exit(RTCHECK_EXIT_MISUSE);
    }
    size_t slot = (unsigned long)number < SYSTEM_CALL_LIMIT ? (size_t)number : SYSTEM_CALL_LIMIT - 1;
    if (leaves_the_handler(number)) {
        // Not even counting mode can go on.
        counting = false;
    }
    report(NULL, number, &system_calls[slot]);

    // Counting: make the call that the kernel held back, and let the program see its result.
    ucontext_t *interrupted = context;
    greg_t *registers = interrupted->uc_mcontext.gregs;
    registers[REG_RAX] = make_system_call(registers);
    system_call_filter = SYSCALL_DISPATCH_FILTER_BLOCK;
}

// What the kernel stores for a signal action; the C library hides the restorer, the code a handler returns to.
struct kernel_signal_action {
    void *handler;
    unsigned long flags;
    void *restorer;
    uint64_t mask;
};

static bool guard_system_calls(void) {
    // The kernel kills the process when it has to send SIGSYS to a thread that blocks it.
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGSYS);
    pthread_sigmask(SIG_UNBLOCK, &wanted, NULL);

    struct sigaction action = {.sa_sigaction = on_system_call, .sa_flags = SA_SIGINFO};
    sigaction(SIGSYS, &action, NULL);

    // Returning from any signal handler is a system call too. It must stay allowed, or a scope that a signal
    // interrupts could not be returned to. It is a short piece of code: load a number, make the call.
    struct kernel_signal_action installed;
    memset(&installed, 0, sizeof installed);
    syscall(SYS_rt_sigaction, SIGSYS, NULL, &installed, sizeof installed.mask);
    const unsigned long restorer_size = 16;

    return prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, (unsigned long)installed.restorer,
                 restorer_size, &system_call_filter) == 0;
}

#else

static bool guard_system_calls(void) {
    errno = ENOSYS;
    return false;
}

#endif

// ---- Scopes ----

// A forked child has the thread's variables, but not the kernel's guard.
static void forget_guard(void) {
    system_calls_guarded = false;
}

static void prepare_process(void) {
    counting = getenv("RTCHECK_COUNT") != NULL;
    may_lack_system_call_guard = getenv("RTCHECK_ALLOW_NO_SUD") != NULL;
    // Any function of the runtime that has no hook here will do.
    swift_watched = dlsym(RTLD_DEFAULT, "swift_isUniquelyReferenced_native") != NULL;
    pthread_atfork(NULL, NULL, forget_guard);

    // The first backtrace loads the unwinder; better now than in a signal handler.
    void *frames[2];
    backtrace(frames, 2);
}

static void prepare_thread(void) {
    pthread_once(&prepared, prepare_process);
    if (guard_system_calls()) {
        system_calls_guarded = true;
        return;
    }
    if (!may_lack_system_call_guard) {
        print("RTCHECK: this kernel cannot watch system calls (Syscall User Dispatch: %s); "
              "set RTCHECK_ALLOW_NO_SUD=1 to go on without\n",
              strerrordesc_np(errno));
        _exit(RTCHECK_EXIT_NO_SYSTEM_CALL_GUARD);
    }
    atomic_store(&system_calls_unwatched, true);
}

RTCHECK_EXPORT void rtcheck_enter(void) {
    if (rtcheck_depth == 0) {
        if (!system_calls_guarded && !atomic_load(&system_calls_unwatched)) {
            prepare_thread();
        }
        atomic_fetch_add_explicit(&scopes, 1, memory_order_relaxed);
    }
    rtcheck_depth += 1;
    if (system_calls_guarded) {
        system_call_filter = SYSCALL_DISPATCH_FILTER_BLOCK;
    }
}

RTCHECK_EXPORT void rtcheck_exit(void) {
    if (rtcheck_depth == 1) {
        system_call_filter = SYSCALL_DISPATCH_FILTER_ALLOW;
    }
    rtcheck_depth -= 1;
    if (rtcheck_depth < 0) {
        print("RTCHECK: rtcheck_exit() without rtcheck_enter()\n");
        print_backtrace();
        _exit(RTCHECK_EXIT_MISUSE);
    }
}

// ---- The end of the process ----

static void print_table(void) {
    for (struct rtcheck_site *site = __start_rtcheck_sites; site < __stop_rtcheck_sites; site += 1) {
        long hits = atomic_load(&site->hits);
        if (hits > 0) {
            print("RTCHECK: %10ld  %s\n", hits, site->name);
        }
    }
    for (int number = 0; number < SYSTEM_CALL_LIMIT; number += 1) {
        long hits = atomic_load(&system_calls[number]);
        if (hits > 0) {
            print("RTCHECK: %10ld  system call %d\n", hits, number);
        }
    }
}

__attribute__((destructor)) static void print_summary(void) {
    if (counting) {
        print_table();
    }
    long entered = atomic_load(&scopes);
    bool watched = entered > 0 && !atomic_load(&system_calls_unwatched);
    print("RTCHECK: program=%s pid=%d scopes=%ld violations=%ld system-calls=%s swift=%s\n",
          program_invocation_short_name, (int)getpid(), entered, atomic_load(&violations),
          watched ? "watched" : "unwatched", swift_watched ? "watched" : "absent");
}
