// SPDX-License-Identifier: MIT
#include "crt_signal.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { max_watchers = 16 };

// Slots hold fd + 1, so that zero means free. The handler only reads them: atomics are async-signal-safe.
static _Atomic int slots[max_watchers];
// The signal that arrived; an eventfd would add two numbers up.
static _Atomic int arrived;
static struct sigaction previous_interrupt, previous_terminate, previous_hangup;
// A program that was started to outlive its terminal ("nohup") is not ended by it.
static bool outlives_terminal;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int watchers;

static void on_signal(int number) {
    int saved = errno;
    // The kernel and a shell may both report that a terminal has closed: the second signal is no impatience.
    if (number != SIGHUP) {
        signal(number, SIG_DFL);
    }
    int none = 0;
    atomic_compare_exchange_strong(&arrived, &none, number);
    for (int i = 0; i < max_watchers; i++) {
        int fd = atomic_load(&slots[i]) - 1;
        uint64_t value = 1;
        if (fd >= 0 && write(fd, &value, sizeof value) < 0) {
            continue; // full: it was signalled already
        }
    }
    errno = saved;
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
            struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
            sigemptyset(&action.sa_mask);
            sigaction(SIGINT, &action, &previous_interrupt);
            sigaction(SIGTERM, &action, &previous_terminate);
            sigaction(SIGHUP, NULL, &previous_hangup);
            outlives_terminal = previous_hangup.sa_handler == SIG_IGN;
            if (!outlives_terminal) {
                sigaction(SIGHUP, &action, NULL);
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
            sigaction(SIGINT, &previous_interrupt, NULL);
            sigaction(SIGTERM, &previous_terminate, NULL);
            if (!outlives_terminal) {
                sigaction(SIGHUP, &previous_hangup, NULL);
            }
        }
        break;
    }
    pthread_mutex_unlock(&lock);
}
