// SPDX-License-Identifier: MIT
// A mix of eight stereo sources as a PipeWire filter written in C: the peer of the library's receiver. It does the
// receiver's minimum in every cycle, and no more: gains that do not move, no fades, no alignment.
//
//     receive-pw-filter NODE-NAME mix|meter
//
// With `meter` it measures the peak and the mean square of every source and of the mix as well.
#include "filter_client.h"
#include "peer.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
    longest = 8192,
    // A twentieth of a second at 48 kHz.
    meter_window = 2400,
};

struct meter {
    float peak;
    double energy;
    // Read by other threads.
    _Atomic float shown_peak;
    _Atomic float shown_mean_square;
};

struct receiver {
    struct peer *peer;
    bool has_meters;
    uint32_t metered_frames;
    void *inputs[peer_sources][peer_channels];
    float gains[peer_sources][peer_channels];
    struct meter meters[peer_sources + 1];
    float mix[peer_channels][longest];
};

static void add_scaled(float *restrict sum, const float *restrict samples, float gain, uint32_t frames) {
    for (uint32_t i = 0; i < frames; i++) {
        sum[i] += gain * samples[i];
    }
}

static void measure(struct meter *meter, const float *samples, uint32_t frames) {
    float peak = meter->peak;
    float energy = 0;
    for (uint32_t i = 0; i < frames; i++) {
        float magnitude = fabsf(samples[i]);
        peak = magnitude > peak ? magnitude : peak;
        energy += samples[i] * samples[i];
    }
    meter->peak = peak;
    meter->energy += energy;
}

static void show_meters(struct receiver *receiver, uint32_t frames) {
    receiver->metered_frames += frames;
    bool is_over = receiver->metered_frames >= meter_window;
    for (int i = 0; i <= peer_sources; i++) {
        struct meter *meter = &receiver->meters[i];
        float mean_square = (float)(meter->energy / (peer_channels * receiver->metered_frames));
        atomic_store_explicit(&meter->shown_peak, meter->peak, memory_order_relaxed);
        atomic_store_explicit(&meter->shown_mean_square, mean_square, memory_order_relaxed);
        if (is_over) {
            meter->peak = 0;
            meter->energy = 0;
        }
    }
    if (is_over) {
        receiver->metered_frames = 0;
    }
}

// Not static, so that callgrind is sure to find it by name.
void receive_pw_filter_process(void *data, struct spa_io_position *position) {
    struct receiver *receiver = data;
    uint32_t frames = (uint32_t)position->clock.duration;
    if (frames > longest) {
        return;
    }
    peer_begin_cycle(receiver->peer, (int)frames);
    for (int channel = 0; channel < peer_channels; channel++) {
        memset(receiver->mix[channel], 0, frames * sizeof(float));
    }
    for (int source = 0; source < peer_sources; source++) {
        for (int channel = 0; channel < peer_channels; channel++) {
            // A port without links has no buffer.
            const float *samples = pw_filter_get_dsp_buffer(receiver->inputs[source][channel], frames);
            if (samples == NULL) {
                continue;
            }
            add_scaled(receiver->mix[channel], samples, receiver->gains[source][channel], frames);
            if (receiver->has_meters) {
                measure(&receiver->meters[source], samples, frames);
            }
        }
    }
    if (receiver->has_meters) {
        for (int channel = 0; channel < peer_channels; channel++) {
            measure(&receiver->meters[peer_sources], receiver->mix[channel], frames);
        }
        show_meters(receiver, frames);
    }
    peer_end_cycle(receiver->peer, receiver->mix[0][0] - receiver->mix[1][frames - 1]);
}

static const struct pw_filter_events events = {
    .version = PW_VERSION_FILTER_EVENTS,
    .state_changed = filter_client_on_state_changed,
    .process = receive_pw_filter_process,
};

int main(int argument_count, char **arguments) {
    if (argument_count != 3) {
        fprintf(stderr, "usage: receive-pw-filter NODE-NAME mix|meter\n");
        return 64;
    }
    peer_block_signals();
    struct filter_client client;
    filter_client_open(&client, arguments[1]);

    static struct receiver receiver;
    receiver.peer = peer_create();
    receiver.has_meters = strcmp(arguments[2], "meter") == 0;
    struct spa_hook listener;
    struct pw_filter *filter = filter_client_add_node(
        &client, arguments[1], pw_properties_new(NULL, NULL), &events, &listener, &receiver);
    for (int source = 0; source < peer_sources; source++) {
        double pan = peer_pan(source);
        receiver.gains[source][0] = (float)(peer_volume(source) * fmin(1, 1 - pan));
        receiver.gains[source][1] = (float)(peer_volume(source) * fmin(1, 1 + pan));
        for (int channel = 0; channel < peer_channels; channel++) {
            char name[32];
            snprintf(name, sizeof name, "in_%d_%d", source + 1, channel + 1);
            receiver.inputs[source][channel] = filter_client_add_port(filter, PW_DIRECTION_INPUT, name);
        }
    }
    filter_client_connect_node(filter);

    filter_client_start(&client);
    peer_run(receiver.peer);
    filter_client_stop(&client);
    pw_filter_destroy(filter);
    filter_client_close(&client);
    return 0;
}
