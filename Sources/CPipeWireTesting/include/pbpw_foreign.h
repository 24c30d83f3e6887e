// SPDX-License-Identifier: MIT
// A foreign filter or device: a pw_filter on a connection and a thread of its own, which passes sound unchanged.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct pbpw_foreign;

// Connects to the daemon at an absolute path and puts a node into its graph, with mono ports "in" and "out".
//   sums       passes latencies on as libpipewire does by itself, with `latency` added; else it publishes `latency` on
//              its output, whatever arrives (PW_FILTER_FLAG_CUSTOM_LATENCY)
//   has_input  else it is a sender, of silence
// NULL on failure, with a negative errno in *error.
struct pbpw_foreign *pbpw_foreign_create(const char *path, const char *name, bool has_input, bool sums,
                                         int32_t latency, int *error);
// The same for an output device: an Audio/Sink with an input for each of its channels, as "playback_FL", and monitors of them. It
// has no clock, and drives nothing.
//   positions  of its channels, with a space between them: "FL FR"; up to 8
struct pbpw_foreign *pbpw_foreign_create_device(const char *path, const char *name, const char *positions, int *error);
// Changes its own latency. A filter that sums only stores it: libpipewire publishes it with the next change of the
// arriving latency.
void pbpw_foreign_set_latency(struct pbpw_foreign *foreign, int32_t latency);
void pbpw_foreign_destroy(struct pbpw_foreign *foreign);
