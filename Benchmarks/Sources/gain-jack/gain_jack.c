// SPDX-License-Identifier: MIT
// The same stereo gain as a JACK client in C. It runs on PipeWire when pw-jack starts it.
//
//     pw-jack gain-jack CLIENT-NAME
#include "peer.h"

#include <jack/jack.h>
#include <stdio.h>

struct gain {
    struct peer *peer;
    jack_port_t *inputs[peer_channels];
    jack_port_t *outputs[peer_channels];
};

static int process(jack_nframes_t frames, void *data) {
    struct gain *gain = data;
    peer_begin_cycle(gain->peer, (int)frames);
    for (int channel = 0; channel < peer_channels; channel++) {
        const float *input = jack_port_get_buffer(gain->inputs[channel], frames);
        float *output = jack_port_get_buffer(gain->outputs[channel], frames);
        if (input == NULL || output == NULL) {
            continue;
        }
        peer_halve(output, input, (int)frames);
    }
    return 0;
}

int main(int argument_count, char **arguments) {
    if (argument_count != 2) {
        fprintf(stderr, "usage: gain-jack CLIENT-NAME\n");
        return 64;
    }
    peer_block_signals();

    struct gain gain = {.peer = peer_create()};
    jack_client_t *client = jack_client_open(arguments[1], JackNoStartServer, NULL);
    if (client == NULL) {
        fprintf(stderr, "gain-jack: cannot connect\n");
        return 1;
    }
    jack_set_process_callback(client, process, &gain);
    gain.inputs[0] = jack_port_register(client, "in_1", JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
    gain.inputs[1] = jack_port_register(client, "in_2", JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
    gain.outputs[0] = jack_port_register(client, "out_1", JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
    gain.outputs[1] = jack_port_register(client, "out_2", JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
    if (jack_activate(client) != 0) {
        fprintf(stderr, "gain-jack: the client cannot be activated\n");
        return 1;
    }

    peer_run(gain.peer);

    jack_deactivate(client);
    jack_client_close(client);
    return 0;
}
