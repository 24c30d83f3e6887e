// SPDX-License-Identifier: MIT
#pragma GCC diagnostic ignored "-Wunused-parameter"  // callbacks have the signatures they have
#include "pbpw_foreign.h"

#include <errno.h>
#include <pipewire/filter.h>
#include <pipewire/pipewire.h>
#include <spa/param/latency-utils.h>
#include <spa/pod/builder.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { MAX_CHANNELS = 8, MAX_POSITIONS = 128 };

struct pbpw_foreign {
    struct pw_thread_loop *thread;
    struct pw_context *context;
    struct pw_core *core;
    struct pw_filter *filter;
    struct spa_hook listener;
    uint32_t channels;
    void *inputs[MAX_CHANNELS];  // NULL: a sender
    void *outputs[MAX_CHANNELS];
    bool sums;
    int32_t latency;
};

static void on_process(void *data, struct spa_io_position *position)
{
    struct pbpw_foreign *foreign = data;
    uint32_t frames = position != NULL ? (uint32_t)position->clock.duration : 0;
    if (frames == 0)
        return;
    for (uint32_t channel = 0; channel < foreign->channels; channel++) {
        void *input = foreign->inputs[channel];
        float *in = input != NULL ? pw_filter_get_dsp_buffer(input, frames) : NULL;
        float *out = pw_filter_get_dsp_buffer(foreign->outputs[channel], frames);
        if (out != NULL && in != NULL)
            memcpy(out, in, frames * sizeof *out);
        else if (out != NULL)
            memset(out, 0, frames * sizeof *out);
    }
}

static void publish(struct pbpw_foreign *foreign, int32_t frames)
{
    uint8_t buffer[512];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof buffer);
    struct spa_latency_info info = SPA_LATENCY_INFO(SPA_DIRECTION_OUTPUT, .min_rate = frames, .max_rate = frames);
    const struct spa_pod *params[] = {spa_latency_build(&builder, SPA_PARAM_Latency, &info)};
    for (uint32_t channel = 0; channel < foreign->channels; channel++)
        pw_filter_update_params(foreign->filter, foreign->outputs[channel], params, 1);
}

static void store(struct pbpw_foreign *foreign)
{
    uint8_t buffer[256];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof buffer);
    struct spa_process_latency_info info = {.rate = foreign->latency};
    const struct spa_pod *params[] = {spa_process_latency_build(&builder, SPA_PARAM_ProcessLatency, &info)};
    pw_filter_update_params(foreign->filter, NULL, params, 1);
}

static const struct pw_filter_events events = {
    PW_VERSION_FILTER_EVENTS, .process = on_process,
};

static int open_socket(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return -ENAMETOOLONG;
    strcpy(address.sun_path, path);
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor >= 0 && connect(descriptor, (struct sockaddr *)&address, sizeof address) < 0) {
        int result = -errno;
        close(descriptor);
        return result;
    }
    return descriptor >= 0 ? descriptor : -errno;
}

static void *add_port(struct pbpw_foreign *foreign, enum spa_direction direction, const char *name)
{
    return pw_filter_add_port(foreign->filter, direction, PW_FILTER_PORT_FLAG_MAP_BUFFERS, sizeof(int),
                              pw_properties_new(PW_KEY_FORMAT_DSP, "32 bit float mono audio", PW_KEY_PORT_NAME, name,
                                                NULL),
                              NULL, 0);
}

static void *add_device_port(struct pbpw_foreign *foreign, enum spa_direction direction, const char *position)
{
    bool is_input = direction == PW_DIRECTION_INPUT;
    struct pw_properties *properties = pw_properties_new(
        PW_KEY_FORMAT_DSP, "32 bit float mono audio", PW_KEY_AUDIO_CHANNEL, position, PW_KEY_PORT_MONITOR,
        is_input ? "false" : "true", NULL);
    pw_properties_setf(properties, PW_KEY_PORT_NAME, "%s_%s", is_input ? "playback" : "monitor", position);
    return pw_filter_add_port(foreign->filter, direction, PW_FILTER_PORT_FLAG_MAP_BUFFERS, sizeof(int), properties,
                              NULL, 0);
}

static void add_ports(struct pbpw_foreign *foreign, bool has_input)
{
    foreign->channels = 1;
    if (has_input)
        foreign->inputs[0] = add_port(foreign, PW_DIRECTION_INPUT, "in");
    foreign->outputs[0] = add_port(foreign, PW_DIRECTION_OUTPUT, "out");
}

static int add_device_ports(struct pbpw_foreign *foreign, const char *positions)
{
    char text[MAX_POSITIONS];
    const char *names[MAX_CHANNELS];
    if (strlen(positions) >= sizeof text)
        return -EINVAL;
    strcpy(text, positions);
    char *rest = NULL;
    for (char *name = strtok_r(text, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
        if (foreign->channels == MAX_CHANNELS)
            return -EINVAL;
        names[foreign->channels++] = name;
    }
    for (uint32_t channel = 0; channel < foreign->channels; channel++)
        foreign->inputs[channel] = add_device_port(foreign, PW_DIRECTION_INPUT, names[channel]);
    for (uint32_t channel = 0; channel < foreign->channels; channel++)
        foreign->outputs[channel] = add_device_port(foreign, PW_DIRECTION_OUTPUT, names[channel]);
    return 0;
}

static int make(struct pbpw_foreign *foreign, const char *path, const char *name, bool has_input,
                const char *positions)
{
    int descriptor = open_socket(path);
    if (descriptor < 0)
        return descriptor;
    foreign->context = pw_context_new(pw_thread_loop_get_loop(foreign->thread), NULL, 0);
    foreign->core = foreign->context != NULL ? pw_context_connect_fd(foreign->context, descriptor, NULL, 0) : NULL;
    struct pw_properties *properties =
        pw_properties_new(PW_KEY_NODE_NAME, name, PW_KEY_NODE_AUTOCONNECT, "false", NULL);
    if (positions != NULL)
        pw_properties_set(properties, PW_KEY_MEDIA_CLASS, "Audio/Sink");
    if (foreign->core != NULL)
        foreign->filter = pw_filter_new(foreign->core, name, properties);
    else
        pw_properties_free(properties);
    if (foreign->filter == NULL)
        return -EIO;
    pw_filter_add_listener(foreign->filter, &foreign->listener, &events, foreign);
    int result = 0;
    if (positions != NULL)
        result = add_device_ports(foreign, positions);
    else
        add_ports(foreign, has_input);
    if (result < 0)
        return result;
    enum pw_filter_flags flags = PW_FILTER_FLAG_RT_PROCESS | (foreign->sums ? 0 : PW_FILTER_FLAG_CUSTOM_LATENCY);
    result = pw_filter_connect(foreign->filter, flags, NULL, 0);
    store(foreign);
    publish(foreign, foreign->latency);
    return result;
}

static struct pbpw_foreign *create(const char *path, const char *name, bool has_input, const char *positions,
                                   bool sums, int32_t latency, int *error)
{
    struct pbpw_foreign *foreign = calloc(1, sizeof *foreign);
    if (foreign == NULL)
        abort();
    pw_init(NULL, NULL);
    foreign->latency = latency;
    foreign->sums = sums;
    foreign->thread = pw_thread_loop_new("foreign", NULL);
    pw_thread_loop_lock(foreign->thread);
    int result = pw_thread_loop_start(foreign->thread);
    if (result >= 0)
        result = make(foreign, path, name, has_input, positions);
    pw_thread_loop_unlock(foreign->thread);
    if (result >= 0)
        return foreign;
    *error = result;
    pbpw_foreign_destroy(foreign);
    return NULL;
}

struct pbpw_foreign *pbpw_foreign_create(const char *path, const char *name, bool has_input, bool sums,
                                         int32_t latency, int *error)
{
    return create(path, name, has_input, NULL, sums, latency, error);
}

struct pbpw_foreign *pbpw_foreign_create_device(const char *path, const char *name, const char *positions, int *error)
{
    return create(path, name, true, positions, true, 0, error);
}

void pbpw_foreign_set_latency(struct pbpw_foreign *foreign, int32_t latency)
{
    pw_thread_loop_lock(foreign->thread);
    foreign->latency = latency;
    store(foreign);
    if (!foreign->sums)
        publish(foreign, latency);
    pw_thread_loop_unlock(foreign->thread);
}

void pbpw_foreign_destroy(struct pbpw_foreign *foreign)
{
    if (foreign == NULL)
        return;
    pw_thread_loop_lock(foreign->thread);
    if (foreign->filter != NULL)
        pw_filter_destroy(foreign->filter);
    if (foreign->core != NULL)
        pw_core_disconnect(foreign->core);
    if (foreign->context != NULL)
        pw_context_destroy(foreign->context);
    pw_thread_loop_unlock(foreign->thread);
    pw_thread_loop_stop(foreign->thread);
    pw_thread_loop_destroy(foreign->thread);
    free(foreign);
}
