// SPDX-License-Identifier: MIT
#pragma once
#include <stdint.h>

// SIGINT, SIGTERM and SIGHUP as something an event loop can wait for: the handler makes every registered
// eventfd readable. The first signal is delivered so; the handler then steps aside, and a second one ends the
// process the default way, so that a person can always get out. A second SIGTERM within 200 ms is part of the first. SIGHUP, which
// says that the terminal has closed, may come twice without that; it stays ignored where it was ignored before ("nohup"). A handler
// that the app had before is called as well. One that it installs later takes the place of this one, and stays.

// Returns an eventfd that becomes readable, or -errno. At most 16 at a time (-EBUSY beyond).
int crt_signal_watch(void);
// Reads the signal that arrived (0: none yet).
int crt_signal_take(int fd);
// Closes the eventfd. The last one restores the earlier handlers, where the app has not installed others since.
void crt_signal_unwatch(int fd);
