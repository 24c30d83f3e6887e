// SPDX-License-Identifier: MIT
// The sources of the receivers: eight stereo nodes `sender-1` to `sender-8`, each with a constant of its own on each
// channel, so that every mix can be checked.
//
//     receive-senders APP-NAME
#include "filter_client.h"
#include "peer.h"

#include <stdio.h>

struct sender {
    void *outputs[peer_channels];
    float values[peer_channels];
    struct spa_hook listener;
};

static void process(void *data, struct spa_io_position *position) {
    struct sender *sender = data;
    uint32_t frames = (uint32_t)position->clock.duration;
    for (int channel = 0; channel < peer_channels; channel++) {
        float *output = pw_filter_get_dsp_buffer(sender->outputs[channel], frames);
        for (uint32_t i = 0; output != NULL && i < frames; i++) {
            output[i] = sender->values[channel];
        }
    }
}

static const struct pw_filter_events events = {
    .version = PW_VERSION_FILTER_EVENTS,
    .state_changed = filter_client_on_state_changed,
    .process = process,
};

int main(int argument_count, char **arguments) {
    if (argument_count != 2) {
        fprintf(stderr, "usage: receive-senders APP-NAME\n");
        return 64;
    }
    peer_block_signals();
    struct filter_client client;
    filter_client_open(&client, arguments[1]);

    static struct sender senders[peer_sources];
    struct pw_filter *filters[peer_sources];
    for (int i = 0; i < peer_sources; i++) {
        char name[32];
        snprintf(name, sizeof name, "sender-%d", i + 1);
        // The group of the daemon's driver: they run whatever is linked to them.
        filters[i] = filter_client_add_node(
            &client, name, pw_properties_new("node.group", "bench", "node.always-process", "true", NULL), &events,
            &senders[i].listener, &senders[i]);
        for (int channel = 0; channel < peer_channels; channel++) {
            senders[i].values[channel] = 0.03f * (float)(i + 1) + 0.5f * (float)channel;
            senders[i].outputs[channel] =
                filter_client_add_port(filters[i], PW_DIRECTION_OUTPUT, channel == 0 ? "out_1" : "out_2");
        }
        filter_client_connect_node(filters[i]);
    }

    filter_client_start(&client);
    peer_run(peer_create());
    filter_client_stop(&client);
    for (int i = 0; i < peer_sources; i++) {
        pw_filter_destroy(filters[i]);
    }
    filter_client_close(&client);
    return 0;
}
