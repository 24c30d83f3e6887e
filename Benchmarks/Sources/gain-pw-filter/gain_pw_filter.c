// SPDX-License-Identifier: MIT
// A stereo gain as a PipeWire filter written in C, as PipeWire's own examples are: what the library's filter is
// compared with.
//
//     gain-pw-filter NODE-NAME
#include "filter_client.h"
#include "peer.h"

#include <stdio.h>
#include <string.h>

struct gain {
    struct peer *peer;
    void *inputs[peer_channels];
    void *outputs[peer_channels];
};

// Not static, so that callgrind is sure to find it by name.
void gain_pw_filter_process(void *data, struct spa_io_position *position) {
    struct gain *gain = data;
    uint32_t frames = (uint32_t)position->clock.duration;
    peer_begin_cycle(gain->peer, (int)frames);
    for (int channel = 0; channel < peer_channels; channel++) {
        // A port without links has no buffer.
        float *input = pw_filter_get_dsp_buffer(gain->inputs[channel], frames);
        float *output = pw_filter_get_dsp_buffer(gain->outputs[channel], frames);
        if (output == NULL) {
            continue;
        }
        if (input == NULL) {
            memset(output, 0, frames * sizeof *output);
            continue;
        }
        peer_halve(output, input, (int)frames);
    }
}

static const struct pw_filter_events events = {
    .version = PW_VERSION_FILTER_EVENTS,
    .state_changed = filter_client_on_state_changed,
    .process = gain_pw_filter_process,
};

int main(int argument_count, char **arguments) {
    if (argument_count != 2) {
        fprintf(stderr, "usage: gain-pw-filter NODE-NAME\n");
        return 64;
    }
    peer_block_signals();
    struct filter_client client;
    filter_client_open(&client, arguments[1]);

    struct gain gain = {.peer = peer_create()};
    struct spa_hook listener;
    struct pw_filter *filter = filter_client_add_node(
        &client, arguments[1], pw_properties_new(NULL, NULL), &events, &listener, &gain);
    gain.inputs[0] = filter_client_add_port(filter, PW_DIRECTION_INPUT, "in_1");
    gain.inputs[1] = filter_client_add_port(filter, PW_DIRECTION_INPUT, "in_2");
    gain.outputs[0] = filter_client_add_port(filter, PW_DIRECTION_OUTPUT, "out_1");
    gain.outputs[1] = filter_client_add_port(filter, PW_DIRECTION_OUTPUT, "out_2");
    filter_client_connect_node(filter);

    filter_client_start(&client);
    peer_run(gain.peer);
    filter_client_stop(&client);
    pw_filter_destroy(filter);
    filter_client_close(&client);
    return 0;
}
