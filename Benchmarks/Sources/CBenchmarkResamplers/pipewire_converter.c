// SPDX-License-Identifier: MIT
// PipeWire's own converter, the node that stands in every stream. It is set up without a daemon, to do nothing but resample:
// one interleaved port on each side.
#include <pipewire/pipewire.h>
#include <spa/node/utils.h>
#include <spa/param/audio/format-utils.h>
#include <spa/utils/names.h>
#include <string.h>
#include "contender.h"

enum { capacity = 16384 }; // frames

struct side {
    struct spa_io_buffers io;
    struct spa_chunk chunk;
    struct spa_data data;
    struct spa_buffer buffer;
    float *samples;
};

struct resampler {
    struct spa_handle *handle;
    struct spa_node *node;
    struct spa_io_rate_match match;
    struct spa_io_position position;
    uint32_t channels;
    double ratio;
    struct side sides[2]; // by direction
};

static void check(const char *what, int result) {
    if (result < 0) {
        give_up(what, strerror(-result));
    }
}

static struct pw_context *context(void) {
    static struct pw_context *made;
    if (made == NULL) {
        pw_init(NULL, NULL);
        struct pw_main_loop *loop = pw_main_loop_new(NULL);
        made = pw_context_new(pw_main_loop_get_loop(loop), pw_properties_new(PW_KEY_CONFIG_NAME, "null", NULL), 0);
        check("PipeWire has no context", made == NULL ? -errno : 0);
    }
    return made;
}

static struct spa_audio_info_raw sound(uint32_t channels, uint32_t rate) {
    struct spa_audio_info_raw info = {.format = SPA_AUDIO_FORMAT_F32, .channels = channels, .rate = rate};
    for (uint32_t i = 0; i < channels; i++) {
        info.position[i] = channels == 1 ? SPA_AUDIO_CHANNEL_MONO : SPA_AUDIO_CHANNEL_FL + i;
    }
    return info;
}

static void configure(struct resampler *resampler, enum spa_direction direction) {
    uint8_t memory[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    struct spa_pod *config = spa_pod_builder_add_object(
        &builder, SPA_TYPE_OBJECT_ParamPortConfig, SPA_PARAM_PortConfig, SPA_PARAM_PORT_CONFIG_direction,
        SPA_POD_Id(direction), SPA_PARAM_PORT_CONFIG_mode, SPA_POD_Id(SPA_PARAM_PORT_CONFIG_MODE_convert));
    check("PortConfig is refused", spa_node_set_param(resampler->node, SPA_PARAM_PortConfig, 0, config));
}

static void set_up_side(struct resampler *resampler, enum spa_direction direction, uint32_t rate) {
    struct side *side = &resampler->sides[direction];
    uint8_t memory[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    struct spa_audio_info_raw info = sound(resampler->channels, rate);
    check("the format is refused",
          spa_node_port_set_param(resampler->node, direction, 0, SPA_PARAM_Format, 0,
                                  spa_format_audio_raw_build(&builder, SPA_PARAM_Format, &info)));
    size_t bytes = capacity * resampler->channels * sizeof(float);
    side->samples = aligned_alloc(64, bytes);
    side->chunk = (struct spa_chunk){.stride = (int32_t)(resampler->channels * sizeof(float))};
    side->data = (struct spa_data){
        .type = SPA_DATA_MemPtr,
        .flags = SPA_DATA_FLAG_READWRITE,
        .fd = -1,
        .maxsize = (uint32_t)bytes,
        .data = side->samples,
        .chunk = &side->chunk,
    };
    side->buffer = (struct spa_buffer){.n_datas = 1, .datas = &side->data};
    struct spa_buffer *buffers[] = {&side->buffer};
    check("the buffer is refused", spa_node_port_use_buffers(resampler->node, direction, 0, 0, buffers, 1));
    side->io = (struct spa_io_buffers){SPA_STATUS_NEED_DATA, direction == SPA_DIRECTION_INPUT ? 0 : SPA_ID_INVALID};
    check("the io area is refused",
          spa_node_port_set_io(resampler->node, direction, 0, SPA_IO_Buffers, &side->io, sizeof side->io));
}

static void *open_quality(const char *quality, uint32_t channels, uint32_t input_rate, uint32_t output_rate) {
    struct spa_dict_item items[] = {
        SPA_DICT_ITEM_INIT(SPA_KEY_LIBRARY_NAME, "audioconvert/libspa-audioconvert"),
        SPA_DICT_ITEM_INIT("clock.quantum-limit", "16384"),
        SPA_DICT_ITEM_INIT("resample.quality", quality),
    };
    struct resampler *resampler = calloc(1, sizeof *resampler);
    resampler->channels = channels;
    resampler->ratio = (double)output_rate / input_rate;
    resampler->handle = pw_context_load_spa_handle(context(), SPA_NAME_AUDIO_CONVERT, &SPA_DICT_INIT_ARRAY(items));
    check("the converter does not load", resampler->handle == NULL ? -errno : 0);
    void *node = NULL;
    check("the converter has no node", spa_handle_get_interface(resampler->handle, SPA_TYPE_INTERFACE_Node, &node));
    resampler->node = node;
    configure(resampler, SPA_DIRECTION_INPUT);
    configure(resampler, SPA_DIRECTION_OUTPUT);
    set_up_side(resampler, SPA_DIRECTION_INPUT, input_rate);
    set_up_side(resampler, SPA_DIRECTION_OUTPUT, output_rate);
    // It gives whole quanta of output, of no size that it may change while one is begun.
    resampler->position.clock.duration = 64;
    resampler->position.clock.rate = SPA_FRACTION(1, output_rate);
    check("no position", spa_node_set_io(resampler->node, SPA_IO_Position, &resampler->position,
                                         sizeof resampler->position));
    // It asks through the area for the size that it wants, and takes a rate from it.
    resampler->match = (struct spa_io_rate_match){.rate = 1};
    check("no rate matching", spa_node_port_set_io(resampler->node, SPA_DIRECTION_OUTPUT, 0, SPA_IO_RateMatch,
                                                   &resampler->match, sizeof resampler->match));
    check("it does not start", spa_node_send_command(resampler->node, &SPA_NODE_COMMAND_INIT(SPA_NODE_COMMAND_Start)));
    return resampler;
}

static void *open_default(uint32_t channels, uint32_t input_rate, uint32_t output_rate) {
    return open_quality("4", channels, input_rate, output_rate);
}

static void *open_best(uint32_t channels, uint32_t input_rate, uint32_t output_rate) {
    return open_quality("14", channels, input_rate, output_rate);
}

static void process(
    void *opaque, const float *input, size_t frames, float *output, size_t room, size_t *used, size_t *made) {
    struct resampler *resampler = opaque;
    struct side *in = &resampler->sides[SPA_DIRECTION_INPUT], *out = &resampler->sides[SPA_DIRECTION_OUTPUT];
    const size_t stride = resampler->channels * sizeof(float);
    *made = 0;
    *used = frames;
    if (frames == 0) {
        return;
    }
    memcpy(in->samples, input, frames * stride);
    in->chunk.offset = 0;
    in->chunk.size = (uint32_t)(frames * stride);
    in->io = (struct spa_io_buffers){SPA_STATUS_HAVE_DATA, 0};
    for (int turn = 0; in->io.status == SPA_STATUS_HAVE_DATA && turn < 1000; turn++) {
        out->io.status = SPA_STATUS_NEED_DATA;
        int result = spa_node_process(resampler->node);
        if (result < 0) {
            give_up("PipeWire's converter", strerror(-result));
        }
        if (out->io.status == SPA_STATUS_HAVE_DATA) {
            size_t bytes = out->chunk.size;
            if (*made + bytes / stride > room) {
                give_up("PipeWire's converter", "more frames than there is room for");
            }
            memcpy(output + *made * resampler->channels, (char *)out->samples + out->chunk.offset, bytes);
            *made += bytes / stride;
            // The buffer goes back.
            spa_node_port_reuse_buffer(resampler->node, 0, out->io.buffer_id);
            out->io.buffer_id = SPA_ID_INVALID;
        }
    }
}

// The rate of the area multiplies the speed at which the input is read.
static void set_ratio(void *opaque, double ratio) {
    struct resampler *resampler = opaque;
    resampler->match.rate = resampler->ratio / ratio;
    resampler->match.flags = SPA_IO_RATE_MATCH_FLAG_ACTIVE;
}

static void close_it(void *opaque) {
    struct resampler *resampler = opaque;
    spa_node_send_command(resampler->node, &SPA_NODE_COMMAND_INIT(SPA_NODE_COMMAND_Suspend));
    pw_unload_spa_handle(resampler->handle);
    free(resampler->sides[0].samples);
    free(resampler->sides[1].samples);
    free(resampler);
}

const struct contender pipewire_default = {"PipeWire 4", open_default, process, set_ratio, close_it};
const struct contender pipewire_best = {"PipeWire 14", open_best, process, set_ratio, close_it};
