// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "CSystemSleep.h"

static uint64_t read_clock(clockid_t clock) {
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

bool css_clocks_read(struct css_clocks *clocks) {
    enum { attempts = 8, precision = 1000000 };
    for (int i = 0; i < attempts; i++) {
        clocks->monotonic = read_clock(CLOCK_MONOTONIC);
        clocks->boot_time = read_clock(CLOCK_BOOTTIME);
        // Otherwise the time for which this thread was interrupted would be taken for a sleep.
        if (read_clock(CLOCK_MONOTONIC) - clocks->monotonic < precision) {
            return true;
        }
    }
    return false;
}

int css_clock_watch(void) {
    int descriptor = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
    if (descriptor < 0) {
        return -errno;
    }
    // A moment that never comes: the timer is there to be cancelled. The kernel does that when it resumes.
    const struct itimerspec never = {.it_value = {.tv_sec = INT32_MAX}};
    const struct itimerspec later = {.it_value = {.tv_sec = 9000000000}};
    const int flags = TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET;
    if (timerfd_settime(descriptor, flags, sizeof(time_t) > 4 ? &later : &never, NULL) < 0) {
        int error = errno;
        close(descriptor);
        return -error;
    }
    return descriptor;
}

void css_clock_watch_read(int descriptor) {
    uint64_t count;
    // ECANCELED, and the timer goes on.
    ssize_t result = read(descriptor, &count, sizeof count);
    (void)result;
}
