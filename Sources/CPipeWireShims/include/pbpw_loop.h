// SPDX-License-Identifier: MIT
#pragma once
#include <stdint.h>

// libpipewire's version at run time, as "0.3.65". Initialises the library; may be called from any thread, often.
const char *pbpw_library_version(void);
// Writes a line to PipeWire's own log (stderr unless the user chose otherwise). Any thread.
void pbpw_log_warning(const char *line);

// The kernel's number of the calling thread, as in /proc/self/task.
int pbpw_thread_id(void);

// A thread that runs a PipeWire loop, with one event that wakes it.
struct pbpw_loop;
typedef void (*pbpw_callback)(void *data);

struct pbpw_loop *pbpw_loop_new(const char *thread_name, pbpw_callback on_wakeup, void *data); // NULL: errno
int pbpw_loop_start(struct pbpw_loop *loop);
// Waits for the thread to end. Not from the loop's own thread.
void pbpw_loop_stop(struct pbpw_loop *loop);
// After stop only.
void pbpw_loop_destroy(struct pbpw_loop *loop);
// Any thread: pw_loop_invoke from foreign threads is unsafe on 0.3.65, signalling an event is not.
void pbpw_loop_signal(struct pbpw_loop *loop);

// The longest time since the last call, in nanoseconds, by which the loop was woken too late for a timer that it was
// waiting for: this process did not run for so long. Loop thread only.
uint64_t pbpw_loop_take_overdue(struct pbpw_loop *loop);

// A timer that fires once. It needs memory and nothing else; NULL if there is none. Loop thread only.
struct pbpw_timer;
struct pbpw_timer *pbpw_timer_new(struct pbpw_loop *loop, uint64_t nanoseconds, pbpw_callback fired, void *data);
// Lets it fire once more. Also inside its own callback.
void pbpw_timer_arm(struct pbpw_timer *timer, uint64_t nanoseconds);
void pbpw_timer_disarm(struct pbpw_timer *timer);
void pbpw_timer_destroy(struct pbpw_timer *timer);

// Calls back while a file descriptor is readable. The caller owns the descriptor.
struct pbpw_reader;
struct pbpw_reader *pbpw_reader_new(struct pbpw_loop *loop, int fd, pbpw_callback readable, void *data);
void pbpw_reader_destroy(struct pbpw_reader *reader);
