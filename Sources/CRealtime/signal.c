// SPDX-License-Identifier: MIT
#include "crt_signal.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum { max_watchers = 16 };

// Slots hold fd + 1, so that zero means free. The handler only reads them: atomics are async-signal-safe.
static _Atomic int slots[max_watchers];
// The signal that arrived; an eventfd would add two numbers up.
static _Atomic int arrived;
// A signal, and the handler that the app had for it before.
struct watched {
    const int number;
    struct sigaction earlier;
    // Read by the handler, which must not see half of `earlier`. The function is NULL for the default and for none.
    _Atomic uintptr_t earlier_function;
    _Atomic bool earlier_takes_info;
    _Atomic bool is_calling_earlier;
    // The handler has put the default in its own place.
    _Atomic bool has_stepped_aside;
    // CLOCK_MONOTONIC at the first one, in milliseconds; 0 before.
    _Atomic int64_t first_time;
    bool is_ours;
};
static struct watched signals[] = {{.number = SIGINT}, {.number = SIGTERM}, {.number = SIGHUP}};
enum { signal_count = sizeof signals / sizeof signals[0] };
// `timeout` sends its signal to its command, and again to the command's process group. The second one is no impatience.
enum { echo_milliseconds = 200 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int watchers;

static void on_signal(int number, siginfo_t *info, void *context);

static bool is_own(const struct sigaction *action) {
    return (action->sa_flags & SA_SIGINFO) != 0 && action->sa_sigaction == on_signal;
}

// The next signal of its number ends the process. Not if the app has installed a handler since, which has called this one.
static bool step_aside(struct watched *watched) {
    struct sigaction present;
    if (sigaction(watched->number, NULL, &present) != 0 || !is_own(&present)) {
        return false;
    }
    atomic_store(&watched->has_stepped_aside, true);
    signal(watched->number, SIG_DFL);
    return true;
}

// The app's earlier handler must hear of the signal too. It may be one that calls this handler in turn.
static void call_earlier(struct watched *watched, siginfo_t *info, void *context) {
    const uintptr_t function = atomic_load(&watched->earlier_function);
    if (function == 0 || atomic_exchange(&watched->is_calling_earlier, true)) {
        return;
    }
    if (atomic_load(&watched->earlier_takes_info)) {
        ((void (*)(int, siginfo_t *, void *))function)(watched->number, info, context);
    } else {
        ((void (*)(int))function)(watched->number);
    }
    atomic_store(&watched->is_calling_earlier, false);
}

// Whether this signal is the first one, or belongs to the first one.
static bool is_first(struct watched *watched) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const int64_t time = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    int64_t none = 0;
    return atomic_compare_exchange_strong(&watched->first_time, &none, time) || time - none < echo_milliseconds;
}

static void wake_watchers(void) {
    for (int i = 0; i < max_watchers; i++) {
        int fd = atomic_load(&slots[i]) - 1;
        uint64_t value = 1;
        if (fd >= 0 && write(fd, &value, sizeof value) < 0) {
            continue; // full: it was signalled already
        }
    }
}

static void on_signal(int number, siginfo_t *info, void *context) {
    int saved = errno;
    int none = 0;
    atomic_compare_exchange_strong(&arrived, &none, number);
    for (int i = 0; i < signal_count; i++) {
        struct watched *watched = &signals[i];
        const bool is_this = watched->number == number;
        // The kernel and a shell may both report that a terminal has closed: the second signal is no impatience. Of SIGINT and
        // SIGTERM any second one is, but for an echo.
        const bool is_patient = number == SIGHUP || watched->number == SIGHUP || (is_this && is_first(watched));
        const bool has_stepped_aside = !is_patient && step_aside(watched);
        if (is_this) {
            call_earlier(watched, info, context);
            // The second one. The default follows when this handler has returned.
            if (has_stepped_aside) {
                raise(number);
            }
        }
    }
    // Last: a program that is woken may end, and its earlier handler is to have run by then.
    wake_watchers();
    errno = saved;
}

static void install(struct watched *watched) {
    sigaction(watched->number, NULL, &watched->earlier);
    const struct sigaction *earlier = &watched->earlier;
    // A program that was started to outlive its terminal ("nohup") is not ended by it. And the handler is never put in its
    // own place: an app's handler may have put it back.
    watched->is_ours = !(watched->number == SIGHUP && earlier->sa_handler == SIG_IGN) && !is_own(earlier);
    if (!watched->is_ours) {
        return;
    }
    const bool is_function = earlier->sa_handler != SIG_DFL && earlier->sa_handler != SIG_IGN;
    const bool takes_info = (earlier->sa_flags & SA_SIGINFO) != 0;
    atomic_store(&watched->earlier_function, 0);
    atomic_store(&watched->earlier_takes_info, takes_info);
    if (is_function) {
        atomic_store(&watched->earlier_function,
                     takes_info ? (uintptr_t)earlier->sa_sigaction : (uintptr_t)earlier->sa_handler);
    }
    atomic_store(&watched->has_stepped_aside, false);
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_RESTART | SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    sigaction(watched->number, &action, NULL);
}

// A handler that the app has installed since stays.
static void uninstall(struct watched *watched) {
    struct sigaction present;
    if (!watched->is_ours || sigaction(watched->number, NULL, &present) != 0) {
        return;
    }
    const bool is_default = (present.sa_flags & SA_SIGINFO) == 0 && present.sa_handler == SIG_DFL;
    if (is_own(&present) || (is_default && atomic_load(&watched->has_stepped_aside))) {
        sigaction(watched->number, &watched->earlier, NULL);
    }
}

int crt_signal_watch(void) {
    pthread_mutex_lock(&lock);
    int result = -EBUSY;
    for (int i = 0; i < max_watchers; i++) {
        if (atomic_load(&slots[i]) != 0) {
            continue;
        }
        int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (fd < 0) {
            result = -errno;
            break;
        }
        atomic_store(&slots[i], fd + 1);
        if (watchers++ == 0) {
            atomic_store(&arrived, 0);
            for (int signal = 0; signal < signal_count; signal++) {
                atomic_store(&signals[signal].first_time, 0);
                install(&signals[signal]);
            }
        }
        result = fd;
        break;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

int crt_signal_take(int fd) {
    uint64_t value = 0;
    return read(fd, &value, sizeof value) == sizeof value ? atomic_load(&arrived) : 0;
}

void crt_signal_unwatch(int fd) {
    pthread_mutex_lock(&lock);
    for (int i = 0; i < max_watchers; i++) {
        if (atomic_load(&slots[i]) != fd + 1) {
            continue;
        }
        atomic_store(&slots[i], 0);
        close(fd);
        if (--watchers == 0) {
            for (int signal = 0; signal < signal_count; signal++) {
                uninstall(&signals[signal]);
            }
        }
        break;
    }
    pthread_mutex_unlock(&lock);
}
