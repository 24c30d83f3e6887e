// SPDX-License-Identifier: MIT
// The thread of a program that reads what its audio thread receives.
#pragma once
#include <stdbool.h>
#include "peer.h"

// Reads a block of interleaved stereo floats, and returns whether there was as much.
typedef bool (*reading_block)(void *context, int frames);

// Starts a thread that reads a block for each cycle of the peer, as long as the cycle, and times the calls. It polls, as the one
// of an app that waits for a device would be woken. The peer's result is the median of the times of the newest calls, in
// nanoseconds; 0 while blocks are cut.
void reading_start(struct peer *peer, reading_block read, void *context);
