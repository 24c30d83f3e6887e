// SPDX-License-Identifier: MIT
// Links a stereo source to a filter, and measures how long it takes until it is heard there: the peer of the library's `connect`.
//
//     sound-pw-filter NODE-NAME SOURCE
//
// Writes "ready" when all ports are known. Each SIGUSR1 is answered with a line of nanoseconds from the requests for the links: until
// the first sample is heard, and until both channels are. Then the links are removed. Ends on SIGTERM.
#include "filter_client.h"
#include "peer.h"
#include "sound.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct program {
    struct filter_client client;
    struct pw_registry *registry;
    struct spa_hook registry_listener;
    struct spa_hook filter_listener;
    struct pw_filter *filter;
    void *inputs[sound_channels];
    struct sound *sound;
    const char *source_name;
    uint32_t source;
    uint32_t output_ids[sound_channels];
    uint32_t input_ids[sound_channels];
    int port_count; // that are known
};

static uint32_t number(const struct spa_dict *properties, const char *key) {
    const char *text = spa_dict_lookup(properties, key);
    return text != NULL ? (uint32_t)strtoul(text, NULL, 10) : SPA_ID_INVALID;
}

static void on_global(void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version,
                      const struct spa_dict *properties) {
    struct program *program = data;
    if (properties == NULL) {
        return;
    }
    if (strcmp(type, PW_TYPE_INTERFACE_Node) == 0) {
        const char *name = spa_dict_lookup(properties, PW_KEY_NODE_NAME);
        if (name != NULL && strcmp(name, program->source_name) == 0) {
            program->source = id;
        }
    } else if (strcmp(type, PW_TYPE_INTERFACE_Port) == 0) {
        const uint32_t node = number(properties, PW_KEY_NODE_ID);
        const uint32_t place = number(properties, PW_KEY_PORT_ID);
        uint32_t *ids = node == program->source                                   ? program->output_ids
                        : node == pw_filter_get_node_id(program->filter) ? program->input_ids
                                                                         : NULL;
        if (ids != NULL && place < sound_channels) {
            ids[place] = id;
            program->port_count++;
        }
    }
    pw_thread_loop_signal(program->client.loop, false);
}

static const struct pw_registry_events registry_events = {.version = PW_VERSION_REGISTRY_EVENTS, .global = on_global};

static void process(void *data, struct spa_io_position *position) {
    struct program *program = data;
    const uint32_t frames = (uint32_t)position->clock.duration;
    for (int channel = 0; channel < sound_channels; channel++) {
        // A port without links has no buffer.
        const float *samples = pw_filter_get_dsp_buffer(program->inputs[channel], frames);
        if (samples != NULL && frames > 0) {
            sound_note(program->sound, channel, samples[frames - 1]);
        }
    }
}

static const struct pw_filter_events filter_events = {
    .version = PW_VERSION_FILTER_EVENTS,
    .state_changed = filter_client_on_state_changed,
    .process = process,
};

static struct pw_proxy *make_link(struct program *program, int channel) {
    struct pw_properties *properties = pw_properties_new(NULL, NULL);
    pw_properties_setf(properties, PW_KEY_LINK_OUTPUT_PORT, "%u", program->output_ids[channel]);
    pw_properties_setf(properties, PW_KEY_LINK_INPUT_PORT, "%u", program->input_ids[channel]);
    struct pw_proxy *link = pw_core_create_object(program->client.core, "link-factory", PW_TYPE_INTERFACE_Link,
                                                  PW_VERSION_LINK, &properties->dict, 0);
    pw_properties_free(properties);
    return link;
}

static void measure(struct program *program) {
    struct pw_proxy *links[sound_channels];
    sound_wait_for_silence(program->sound);
    sound_listen(program->sound);
    const int64_t begin = sound_now();
    pw_thread_loop_lock(program->client.loop);
    for (int channel = 0; channel < sound_channels; channel++) {
        links[channel] = make_link(program, channel);
    }
    pw_thread_loop_unlock(program->client.loop);
    const int64_t first = sound_wait_for_first(program->sound);
    const int64_t all = sound_wait_for_all(program->sound);
    printf("%" PRId64 " %" PRId64 "\n", first - begin, all - begin);
    fflush(stdout);
    pw_thread_loop_lock(program->client.loop);
    for (int channel = 0; channel < sound_channels; channel++) {
        pw_proxy_destroy(links[channel]);
    }
    pw_thread_loop_unlock(program->client.loop);
}

int main(int argument_count, char **arguments) {
    if (argument_count != 3) {
        fprintf(stderr, "usage: sound-pw-filter NODE-NAME SOURCE\n");
        return 64;
    }
    peer_block_signals();
    static struct program program;
    program.sound = sound_create();
    program.source_name = arguments[2];
    program.source = SPA_ID_INVALID;
    filter_client_open(&program.client, arguments[1]);
    program.filter = filter_client_add_node(&program.client, arguments[1], pw_properties_new(NULL, NULL),
                                            &filter_events, &program.filter_listener, &program);
    for (int channel = 0; channel < sound_channels; channel++) {
        program.inputs[channel] =
            filter_client_add_port(program.filter, PW_DIRECTION_INPUT, channel == 0 ? "in_1" : "in_2");
    }
    filter_client_connect_node(program.filter);
    filter_client_start(&program.client);
    pw_thread_loop_lock(program.client.loop);
    while (pw_filter_get_node_id(program.filter) == SPA_ID_INVALID) {
        pw_thread_loop_timed_wait(program.client.loop, 1);
    }
    // Now its own node is known by its id.
    program.registry = pw_core_get_registry(program.client.core, PW_VERSION_REGISTRY, 0);
    pw_registry_add_listener(program.registry, &program.registry_listener, &registry_events, &program);
    while (program.port_count < 2 * sound_channels) {
        pw_thread_loop_wait(program.client.loop);
    }
    pw_thread_loop_unlock(program.client.loop);
    puts("ready");
    fflush(stdout);

    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    for (int signal_number = 0; sigwait(&signals, &signal_number) == 0 && signal_number == SIGUSR1;) {
        measure(&program);
    }
    // All that it made goes with its connection.
    return 0;
}
