// SPDX-License-Identifier: MIT
// A stereo gain as a PipeWire filter written in C, as PipeWire's own examples are: what the library's filter is
// compared with.
//
//     gain-pw-filter NODE-NAME [COUNT]
//
// With a COUNT it has so many filters, NODE-NAME.gain-1 and on, for others to link in series.
#include "filter_client.h"
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_filters = 64 };

struct gain {
    struct peer *peer;
    void *inputs[peer_channels];
    void *outputs[peer_channels];
    struct pw_filter *filter;
    struct spa_hook listener;
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

static void add_filter(struct filter_client *client, struct gain *gain, const char *name) {
    gain->filter = filter_client_add_node(
        client, name, pw_properties_new(NULL, NULL), &events, &gain->listener, gain);
    gain->inputs[0] = filter_client_add_port(gain->filter, PW_DIRECTION_INPUT, "in_1");
    gain->inputs[1] = filter_client_add_port(gain->filter, PW_DIRECTION_INPUT, "in_2");
    gain->outputs[0] = filter_client_add_port(gain->filter, PW_DIRECTION_OUTPUT, "out_1");
    gain->outputs[1] = filter_client_add_port(gain->filter, PW_DIRECTION_OUTPUT, "out_2");
    filter_client_connect_node(gain->filter);
}

int main(int argument_count, char **arguments) {
    int count = argument_count == 3 ? atoi(arguments[2]) : 1;
    if (argument_count < 2 || argument_count > 3 || count < 1 || count > most_filters) {
        fprintf(stderr, "usage: gain-pw-filter NODE-NAME [COUNT]\n");
        return 64;
    }
    peer_block_signals();
    struct filter_client client;
    filter_client_open(&client, arguments[1]);

    // One account for all: they run on one thread, and it counts the calls of all of them.
    struct peer *peer = peer_create();
    static struct gain gains[most_filters];
    for (int i = 0; i < count; i++) {
        char name[256];
        snprintf(name, sizeof name, argument_count == 3 ? "%s.gain-%d" : "%s", arguments[1], i + 1);
        gains[i].peer = peer;
        add_filter(&client, &gains[i], name);
    }

    filter_client_start(&client);
    peer_run(peer);
    filter_client_stop(&client);
    for (int i = 0; i < count; i++) {
        pw_filter_destroy(gains[i].filter);
    }
    filter_client_close(&client);
    return 0;
}
