// SPDX-License-Identifier: MIT
#include "pipewire_mixer.h"

#include <errno.h>
#include <pipewire/pipewire.h>
#include <spa/node/utils.h>
#include <spa/param/audio/format-utils.h>
#include <spa/utils/names.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pw_context *context;

static void check(const char *what, int result) {
    if (result < 0) {
        fprintf(stderr, "PipeWire's mixer: %s: %s\n", what, strerror(-result));
        exit(1);
    }
}

void pipewire_mixer_load(void) {
    pw_init(NULL, NULL);
    struct pw_main_loop *loop = pw_main_loop_new(NULL);
    check("no loop", loop == NULL ? -errno : 0);
    // No configuration file: nothing is connected to, and no module is needed.
    context = pw_context_new(pw_main_loop_get_loop(loop), pw_properties_new(PW_KEY_CONFIG_NAME, "null", NULL), 0);
    check("no context", context == NULL ? -errno : 0);
}

static void set_up_port(
    struct spa_node *node, enum spa_direction direction, uint32_t id, struct pipewire_mixer_port *port, float *samples,
    uint32_t capacity) {
    if (direction == SPA_DIRECTION_INPUT) {
        check("a port is refused", spa_node_add_port(node, direction, id, NULL));
    }
    uint8_t memory[256];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    struct spa_audio_info_dsp format = {.format = SPA_AUDIO_FORMAT_DSP_F32};
    check("the format is refused",
          spa_node_port_set_param(node, direction, id, SPA_PARAM_Format, 0,
                                  spa_format_audio_dsp_build(&builder, SPA_PARAM_Format, &format)));

    port->chunk = (struct spa_chunk){.stride = sizeof(float)};
    port->data = (struct spa_data){
        .type = SPA_DATA_MemPtr,
        .flags = SPA_DATA_FLAG_READWRITE | SPA_DATA_FLAG_DYNAMIC,
        .fd = -1,
        .maxsize = capacity * (uint32_t)sizeof(float),
        .data = samples,
        .chunk = &port->chunk,
    };
    port->buffer = (struct spa_buffer){.n_datas = 1, .datas = &port->data};
    struct spa_buffer *buffers[] = {&port->buffer};
    check("the buffer is refused", spa_node_port_use_buffers(node, direction, id, 0, buffers, 1));
    port->io = (struct spa_io_buffers){SPA_STATUS_NEED_DATA, direction == SPA_DIRECTION_INPUT ? 0 : SPA_ID_INVALID};
    check("the io area is refused",
          spa_node_port_set_io(node, direction, id, SPA_IO_Buffers, &port->io, sizeof port->io));
}

struct pipewire_mixer *pipewire_mixer_create(
    float *output, float *const *inputs, uint32_t input_count, uint32_t capacity) {
    struct spa_dict_item items[] = {
        SPA_DICT_ITEM_INIT(SPA_KEY_LIBRARY_NAME, "audiomixer/libspa-audiomixer"),
        SPA_DICT_ITEM_INIT("clock.quantum-limit", "8192"),
    };
    struct spa_handle *handle =
        pw_context_load_spa_handle(context, SPA_NAME_AUDIO_MIXER_DSP, &SPA_DICT_INIT_ARRAY(items));
    check("the plugin does not load", handle == NULL ? -errno : 0);
    void *node = NULL;
    check("the plugin has no node", spa_handle_get_interface(handle, SPA_TYPE_INTERFACE_Node, &node));

    struct pipewire_mixer *mixer = calloc(1, sizeof *mixer);
    check("no memory", mixer == NULL ? -ENOMEM : 0);
    mixer->node = node;
    mixer->input_count = input_count;
    // Newer ones take the number of the cycle from it; the one of 0.3.65 has no use for it and says so.
    spa_node_set_io(node, SPA_IO_Position, &mixer->position, sizeof mixer->position);
    set_up_port(node, SPA_DIRECTION_OUTPUT, 0, &mixer->output, output, capacity);
    for (uint32_t i = 0; i < input_count; i++) {
        set_up_port(node, SPA_DIRECTION_INPUT, i, &mixer->inputs[i], inputs[i], capacity);
    }
    check("it does not start", spa_node_send_command(node, &SPA_NODE_COMMAND_INIT(SPA_NODE_COMMAND_Start)));
    return mixer;
}

void pipewire_mixer_set_frames(struct pipewire_mixer *mixer, uint32_t frames) {
    for (uint32_t i = 0; i < mixer->input_count; i++) {
        mixer->inputs[i].chunk.size = frames * (uint32_t)sizeof(float);
    }
}

void pipewire_mixer_process(struct pipewire_mixer *mixer) {
    for (uint32_t i = 0; i < mixer->input_count; i++) {
        mixer->inputs[i].io.status = SPA_STATUS_HAVE_DATA;
    }
    mixer->output.io.status = SPA_STATUS_NEED_DATA;
    spa_node_process(mixer->node);
}
