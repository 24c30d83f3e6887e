// SPDX-License-Identifier: MIT
// The system's sleep: the signals of logind on the system bus, and the clocks that a sleep sets apart. Nothing here
// blocks, and nothing is linked: libsystemd is loaded at run time where it is installed.
#pragma once
#include <stdbool.h>
#include <stdint.h>

// Loads libsystemd. Reads files, once in a process. Any thread. Returns whether it is there.
bool css_bus_load(void);

// A connection to the system bus that waits for logind's PrepareForSleep. One thread at a time.
struct css_bus;
typedef void (*css_sleep_callback)(void *data, bool is_about_to_sleep);

// Starts to connect to an address ("unix:…"), without waiting for an answer. NULL where there is no bus or no libsystemd.
struct css_bus *css_bus_new(const char *address, css_sleep_callback changed, void *data);
// Readable when css_bus_process must be called. The connection owns it.
int css_bus_descriptor(const struct css_bus *bus);
// Takes what has come, with callbacks. Returns false when the connection has ended; it is never readable from then on.
bool css_bus_process(struct css_bus *bus);
// Not inside the callback.
void css_bus_free(struct css_bus *bus);

// Two clocks at one moment, in nanoseconds. CLOCK_MONOTONIC stands while the system sleeps, CLOCK_BOOTTIME goes on.
struct css_clocks {
    uint64_t monotonic;
    uint64_t boot_time;
};
// Returns false if this thread was interrupted between the two readings each time.
bool css_clocks_read(struct css_clocks *clocks);

// Returns a descriptor that becomes readable when the system wakes up or the date is set, or -errno. It never wakes a
// sleeping processor. The caller closes it.
int css_clock_watch(void);
// Makes it unreadable until the next time.
void css_clock_watch_read(int descriptor);
