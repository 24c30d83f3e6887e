// SPDX-License-Identifier: MIT
#pragma once
#include <stdint.h>
#include "pbpw_core.h"

struct pbpw_profiler_events {
    // Reports about one or more cycles, as a POD: a structure of objects. The bytes are valid only during the call. Strings
    // in them come from other processes.
    void (*profile)(void *data, const void *pod, uint32_t size);
    // The daemon refuses the binding, or does not answer it.
    void (*error)(void *data, int error, const char *message);
    void (*removed)(void *data);
};

// The daemon's profiler: it reports the times of all nodes in each cycle, while it is bound. At most one for each core.
struct pbpw_profiler;
// NULL on failure: errno; EPROTO when the context lacks the native protocol. Not to be destroyed inside its own events.
struct pbpw_profiler *pbpw_profiler_new(struct pbpw_core *core, uint32_t id, const struct pbpw_profiler_events *events,
                                        void *data);
void pbpw_profiler_destroy(struct pbpw_profiler *profiler);
