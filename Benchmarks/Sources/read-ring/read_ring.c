// SPDX-License-Identifier: MIT
// A PipeWire filter in C that puts its two inputs, interleaved, into a ring of libjack's, and a thread that reads it: the way that
// an app without the library takes sound out of its process callback.
//
//     read-ring NODE-NAME
#include "filter_client.h"
#include "reading.h"

#include <jack/ringbuffer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { longest = 8192 };

struct receiver {
    struct peer *peer;
    void *inputs[peer_channels];
    jack_ringbuffer_t *ring;
    float frames[peer_channels * longest];
    // The reading thread's.
    float block[peer_channels * longest];
};

static void process(void *data, struct spa_io_position *position) {
    struct receiver *receiver = data;
    uint32_t frames = (uint32_t)position->clock.duration;
    if (frames > longest) {
        return;
    }
    const float *left = pw_filter_get_dsp_buffer(receiver->inputs[0], frames);
    const float *right = pw_filter_get_dsp_buffer(receiver->inputs[1], frames);
    if (left != NULL && right != NULL) {
        for (uint32_t i = 0; i < frames; i++) {
            receiver->frames[2 * i] = left[i];
            receiver->frames[2 * i + 1] = right[i];
        }
    } else {
        memset(receiver->frames, 0, sizeof(float) * peer_channels * frames);
    }
    jack_ringbuffer_write(receiver->ring, (const char *)receiver->frames, sizeof(float) * peer_channels * frames);
    peer_begin_cycle(receiver->peer, (int)frames);
}

// Not static, so that callgrind is sure to find it by name.
bool read_ring_block(void *context, int frames) {
    struct receiver *receiver = context;
    size_t bytes = sizeof(float) * peer_channels * (size_t)frames;
    return jack_ringbuffer_read(receiver->ring, (char *)receiver->block, bytes) == bytes;
}

static const struct pw_filter_events events = {
    .version = PW_VERSION_FILTER_EVENTS,
    .state_changed = filter_client_on_state_changed,
    .process = process,
};

int main(int argument_count, char **arguments) {
    if (argument_count != 2) {
        fprintf(stderr, "usage: read-ring NODE-NAME\n");
        return 64;
    }
    peer_block_signals();
    struct filter_client client;
    filter_client_open(&client, arguments[1]);

    static struct receiver receiver;
    receiver.peer = peer_create();
    // As long as the library's.
    receiver.ring = jack_ringbuffer_create(sizeof(float) * peer_channels * (1 << 17));
    if (receiver.ring == NULL) {
        abort();
    }
    // No page is first touched later.
    memset(receiver.ring->buf, 0, receiver.ring->size);
    struct spa_hook listener;
    struct pw_filter *filter = filter_client_add_node(
        &client, arguments[1], pw_properties_new(NULL, NULL), &events, &listener, &receiver);
    receiver.inputs[0] = filter_client_add_port(filter, PW_DIRECTION_INPUT, "in_1");
    receiver.inputs[1] = filter_client_add_port(filter, PW_DIRECTION_INPUT, "in_2");
    filter_client_connect_node(filter);

    filter_client_start(&client);
    reading_start(receiver.peer, read_ring_block, &receiver);
    peer_run(receiver.peer);
    filter_client_stop(&client);
    pw_filter_destroy(filter);
    filter_client_close(&client);
    return 0;
}
