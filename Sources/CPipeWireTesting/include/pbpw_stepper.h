// SPDX-License-Identifier: MIT
// An exact graph stepper: a private PipeWire daemon inside the calling process
// whose only driver runs one graph cycle for each call of pbpw_stepper_step().
//
// Why a daemon of its own, and not a client that drives another daemon: on PipeWire 0.3.65 a client's "ready" and the
// graph's "complete" each pass through the daemon. After a cycle that did not complete the next completion cannot be
// distinguished from the last one. And a client cannot know whether *other* clients have received a link that the
// daemon already calls active. In the daemon both are known, so that every cycle counts.
//
// Clients connect as to any daemon, by the same name or path.
// All functions belong to one thread at a time. Errors are negative errno values.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct pbpw_stepper;

enum { PBPW_STEPPER_MIN_FRAMES = 16, PBPW_STEPPER_MAX_FRAMES = 8192 };

// Starts a daemon that listens on the socket `name`, an absolute path or a name
// in $XDG_RUNTIME_DIR (NULL: "pipewire-0"),
// and returns once its driver runs. `quantum` is what the daemon itself works
// with (formats, latencies); each step chooses its own number of frames.
// NULL on failure, with the reason in *error (which may be NULL).
struct pbpw_stepper *pbpw_stepper_create(const char *name, uint32_t rate, uint32_t quantum, int *error);

// Runs one cycle of `frames` frames and returns when every follower has finished
// it. If nodes, links or clients came, went or changed state since the last step,
// the graph is settled first, see pbpw_stepper_settle(). Nothing changes in the graph
// during a cycle of up to 100 ms: the daemon reads no message of a client meanwhile.
//    0           the cycle is complete
//   -ETIMEDOUT   a follower did not finish (hung, or killed in mid-cycle), or the
//                graph did not settle; the position shows which: it moves on if
//                a cycle was begun. The next step is a fresh cycle in any case.
//   -EPROTO      the cycle ran, but not with `frames` frames: a node with
//                node.max-latency or node.force-* came or went, or a client set
//                clock.force-* (0.3.65 only; the next step is right again)
//   -EINVAL      frames out of range
//   -EIO         the driver is not running; no cycle was begun
// The caller must not hold the lock of a thread loop that a client in this
// process needs for answering the daemon.
int pbpw_stepper_step(struct pbpw_stepper *stepper, uint32_t frames, int timeout_ms);

// Waits until the graph is at rest: the daemon has nothing pending and every
// client has taken in everything it was sent. 0 or -ETIMEDOUT; does not run
// cycles. Only for changes the daemon has heard of: a client that asked for a
// link must have waited for the answer (a core sync) first. After killing a
// client: waitpid(), then this, or the next step may still wait for the dead.
int pbpw_stepper_settle(struct pbpw_stepper *stepper, int timeout_ms);

// Frames begun so far, which is clock.position of the next cycle. The first
// cycle has position 0; clock.nsec is 1 s plus the time these frames take,
// unless the clock was moved.
uint64_t pbpw_stepper_position(const struct pbpw_stepper *stepper);

// Moves the clock between two cycles, as a device that stood still or was restarted does: the next cycle has position
// `position`, and begins `nanoseconds` after the end of the last one by clock.nsec.
void pbpw_stepper_move_clock(struct pbpw_stepper *stepper, uint64_t position, uint64_t nanoseconds);

// Another clock from the next cycle on, as when another device takes over: its id by clock.id (0: the driver's own), and its
// rate. Positions and times go on unless the clock is moved.
void pbpw_stepper_set_clock(struct pbpw_stepper *stepper, uint32_t id, uint32_t rate);

// Whether the clock of the next cycles says that the graph freewheels.
void pbpw_stepper_set_freewheeling(struct pbpw_stepper *stepper, bool freewheels);

// Ends the daemon. Its clients lose the connection.
void pbpw_stepper_destroy(struct pbpw_stepper *stepper);

