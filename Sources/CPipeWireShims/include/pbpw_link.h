// SPDX-License-Identifier: MIT
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "pbpw_core.h"

enum pbpw_link_state {
    pbpw_link_error = -2,
    pbpw_link_unlinked = -1,
    pbpw_link_init = 0,
    pbpw_link_negotiating = 1,
    pbpw_link_allocating = 2,
    pbpw_link_paused = 3,
    pbpw_link_active = 4,
};

struct pbpw_link_events {
    void (*bound)(void *data, uint32_t id);
    void (*state)(void *data, int state, const char *error_or_null);
    // Whether the graph runs the link's input before its output, one cycle late, because the link closes a loop.
    void (*feedback)(void *data, bool is_feedback);
    // The factory's refusal: it comes on the proxy, not as a return code.
    void (*error)(void *data, int error, const char *message);
    void (*removed)(void *data);
};

struct pbpw_link;
// Ports are given by their global ids. A lingering link outlives its maker; a passive one makes no node run.
struct pbpw_link *pbpw_link_new(struct pbpw_core *core, uint32_t output_port, uint32_t input_port, bool lingers,
                                bool is_passive, const struct pbpw_link_events *events, void *data);
// Destroys the proxy. A link that does not linger is removed with it.
void pbpw_link_destroy(struct pbpw_link *link);
