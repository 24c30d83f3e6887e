// SPDX-License-Identifier: MIT
// A stereo sender as others write them, made with libpipewire alone, in which every frame shows when it was made: with c
// the clock position of a frame less the declared latency, modulo 2^20, the left sample is (c + 1) / 2^20 and the right
// one its negative. A frame that is wrong, late, missing or faded shows in a recording, and silence is never a count.
//
//     clock-sender [--name NAME] [--latency FRAMES] [--lag MILLISECONDS]
//
// With --lag its control thread is so much later whenever it waits for its audio thread, as on a busy machine: a link of
// it that ends carries sound for that much longer.
//
// Connects to the daemon that PIPEWIRE_REMOTE names. Writes "ready" when its ports can be linked. Reads commands from
// standard input, a line each, and answers "done LINE":
//
//     latency FRAMES    publishes another latency, and sends what fits it from the next cycle on
//     spoil BLOCKS      the first sample of so many blocks is not a number
//     silence on|off    sends zeros
//     active on|off     is paused, as a player is, or goes on
//     missed            answers "missed FRAMES" instead: how far the clock went on without a call or during one, while it was linked
//
// Ends with its standard input, or when the daemon goes.
#include <errno.h>
#include <math.h>
#include <pipewire/filter.h>
#include <pipewire/pipewire.h>
#include <spa/param/latency-utils.h>
#include <spa/pod/builder.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lag.h"

enum { CHANNELS = 2, MODULUS = 1 << 20 };

struct sender {
    struct pw_main_loop *loop;
    struct pw_context *context;
    struct pw_core *core;
    struct pw_filter *filter;
    struct spa_hook filter_listener;
    struct spa_hook core_listener;
    void *ports[CHANNELS];
    bool is_ready;
    char line[256];
    size_t length;
    // Set by the loop, read by the audio thread.
    _Atomic int64_t latency;
    _Atomic int spoiled;
    atomic_bool is_silent;
    // The other way round.
    _Atomic uint64_t missed;
    // The audio thread's own: where the next cycle begins, if the last one was linked.
    uint64_t next;
};

static void fill(const struct sender *sender, float *samples, uint32_t frames, uint64_t position, int channel,
                 bool is_spoiled)
{
    const float sign = channel == 0 ? 1.0f : -1.0f;
    const int64_t first = (int64_t)position - atomic_load(&sender->latency);
    for (uint32_t frame = 0; frame < frames; frame++) {
        const int64_t count = (first + frame) & (MODULUS - 1);
        samples[frame] = atomic_load(&sender->is_silent) ? 0.0f : sign * (float)(count + 1) / (float)MODULUS;
    }
    if (is_spoiled && frames > 0)
        samples[0] = NAN;
}

static uint64_t clock_position(const struct spa_io_position *position)
{
    return __atomic_load_n(&position->clock.position, __ATOMIC_RELAXED);
}

static void on_process(void *data, struct spa_io_position *position)
{
    struct sender *sender = data;
    if (position == NULL || position->clock.duration == 0)
        return;
    const uint32_t frames = (uint32_t)position->clock.duration;
    // The driver writes the next cycle's over it if this thread is late.
    const uint64_t start = clock_position(position);
    float *buffers[CHANNELS];
    bool is_linked = false;
    for (int channel = 0; channel < CHANNELS; channel++) {
        buffers[channel] = pw_filter_get_dsp_buffer(sender->ports[channel], frames);
        is_linked = is_linked || buffers[channel] != NULL;
    }
    if (is_linked && sender->next != 0 && start > sender->next)
        atomic_fetch_add(&sender->missed, start - sender->next);
    sender->next = is_linked ? start + frames : 0;
    const bool is_spoiled = is_linked && atomic_load(&sender->spoiled) > 0;
    for (int channel = 0; channel < CHANNELS; channel++)
        if (buffers[channel] != NULL)
            fill(sender, buffers[channel], frames, start, channel, is_spoiled);
    if (is_spoiled)
        atomic_fetch_sub(&sender->spoiled, 1);
    // Others may have read its buffers before they were written.
    if (is_linked && clock_position(position) != start)
        atomic_fetch_add(&sender->missed, frames);
}

static void publish_latency(struct sender *sender)
{
    for (int channel = 0; channel < CHANNELS; channel++) {
        const int32_t frames = (int32_t)atomic_load(&sender->latency);
        uint8_t buffer[512];
        struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof buffer);
        struct spa_latency_info info = SPA_LATENCY_INFO(SPA_DIRECTION_OUTPUT, .min_rate = frames, .max_rate = frames);
        const struct spa_pod *params[] = {spa_latency_build(&builder, SPA_PARAM_Latency, &info)};
        pw_filter_update_params(sender->filter, sender->ports[channel], params, 1);
    }
}

static void on_state_changed(void *data, enum pw_filter_state old, enum pw_filter_state state, const char *error)
{
    (void)old;
    struct sender *sender = data;
    if (state == PW_FILTER_STATE_ERROR || state == PW_FILTER_STATE_UNCONNECTED) {
        fprintf(stderr, "clock-sender: %s\n", error != NULL ? error : "the node is gone");
        pw_main_loop_quit(sender->loop);
    } else if (state == PW_FILTER_STATE_PAUSED && !sender->is_ready) {
        sender->is_ready = true;
        publish_latency(sender);
        // The ports are there after another round trip.
        pw_core_sync(sender->core, PW_ID_CORE, 0);
    }
}

static const struct pw_filter_events filter_events = {
    PW_VERSION_FILTER_EVENTS, .process = on_process, .state_changed = on_state_changed,
};

static void on_done(void *data, uint32_t id, int seq)
{
    (void)data, (void)seq;
    if (id != PW_ID_CORE)
        return;
    puts("ready");
    fflush(stdout);
}

static void on_error(void *data, uint32_t id, int seq, int result, const char *message)
{
    (void)seq;
    struct sender *sender = data;
    fprintf(stderr, "clock-sender: %s\n", message);
    if (id == PW_ID_CORE && result == -EPIPE)
        pw_main_loop_quit(sender->loop);
}

static const struct pw_core_events core_events = {PW_VERSION_CORE_EVENTS, .done = on_done, .error = on_error};

static bool obey(struct sender *sender, const char *line)
{
    long number;
    char word[8];
    if (sscanf(line, "latency %ld", &number) == 1) {
        atomic_store(&sender->latency, number);
        publish_latency(sender);
    } else if (sscanf(line, "spoil %ld", &number) == 1) {
        atomic_store(&sender->spoiled, (int)number);
    } else if (sscanf(line, "silence %7s", word) == 1) {
        atomic_store(&sender->is_silent, strcmp(word, "on") == 0);
    } else if (sscanf(line, "active %7s", word) == 1) {
        pw_filter_set_active(sender->filter, strcmp(word, "on") == 0);
    } else {
        return false;
    }
    return true;
}

static void on_input(void *data, int descriptor, uint32_t mask)
{
    (void)mask;
    struct sender *sender = data;
    char bytes[256];
    const ssize_t count = read(descriptor, bytes, sizeof bytes);
    if (count <= 0) {
        pw_main_loop_quit(sender->loop);
        return;
    }
    for (ssize_t index = 0; index < count; index++) {
        if (bytes[index] != '\n') {
            if (sender->length < sizeof sender->line - 1)
                sender->line[sender->length++] = bytes[index];
            continue;
        }
        sender->line[sender->length] = 0;
        sender->length = 0;
        if (strcmp(sender->line, "missed") == 0)
            printf("missed %llu\n", (unsigned long long)atomic_load(&sender->missed));
        else
            printf("%s %s\n", obey(sender, sender->line) ? "done" : "unknown", sender->line);
        fflush(stdout);
    }
}

static int start(struct sender *sender, const char *name)
{
    static const char *const positions[CHANNELS] = {"FL", "FR"};
    sender->loop = pw_main_loop_new(NULL);
    sender->context = pw_context_new(pw_main_loop_get_loop(sender->loop), NULL, 0);
    sender->core = pw_context_connect(sender->context, NULL, 0);
    if (sender->core == NULL)
        return -errno;
    pw_core_add_listener(sender->core, &sender->core_listener, &core_events, sender);
    sender->filter = pw_filter_new(sender->core, name,
                                   pw_properties_new(PW_KEY_NODE_NAME, name, PW_KEY_NODE_DESCRIPTION, name,
                                                     PW_KEY_NODE_AUTOCONNECT, "false", NULL));
    if (sender->filter == NULL)
        return -errno;
    pw_filter_add_listener(sender->filter, &sender->filter_listener, &filter_events, sender);
    for (int channel = 0; channel < CHANNELS; channel++) {
        char port[16];
        snprintf(port, sizeof port, "out_%s", positions[channel]);
        sender->ports[channel] =
            pw_filter_add_port(sender->filter, PW_DIRECTION_OUTPUT, PW_FILTER_PORT_FLAG_MAP_BUFFERS, sizeof(int),
                               pw_properties_new(PW_KEY_FORMAT_DSP, "32 bit float mono audio", PW_KEY_PORT_NAME, port,
                                                 PW_KEY_AUDIO_CHANNEL, positions[channel], NULL),
                               NULL, 0);
    }
    return pw_filter_connect(sender->filter, PW_FILTER_FLAG_RT_PROCESS | PW_FILTER_FLAG_CUSTOM_LATENCY, NULL, 0);
}

int main(int count, char **arguments)
{
    static struct sender sender;
    const char *name = "Clock";
    int lag = 0;
    for (int index = 1; index < count; index += 2) {
        if (index + 1 < count && strcmp(arguments[index], "--name") == 0) {
            name = arguments[index + 1];
        } else if (index + 1 < count && strcmp(arguments[index], "--latency") == 0) {
            atomic_store(&sender.latency, strtol(arguments[index + 1], NULL, 10));
        } else if (index + 1 < count && strcmp(arguments[index], "--lag") == 0) {
            lag = atoi(arguments[index + 1]);
        } else {
            fprintf(stderr, "usage: clock-sender [--name NAME] [--latency FRAMES] [--lag MILLISECONDS]\n");
            return 64;
        }
    }
    pw_init(NULL, NULL);
    const int result = start(&sender, name);
    if (result < 0) {
        fprintf(stderr, "clock-sender: %s\n", strerror(-result));
        return 1;
    }
    lag_while_waiting(pw_data_loop_get_loop(pw_context_get_data_loop(sender.context)), lag, 0);
    pw_loop_add_io(pw_main_loop_get_loop(sender.loop), STDIN_FILENO, SPA_IO_IN | SPA_IO_HUP, false, on_input, &sender);
    pw_main_loop_run(sender.loop);
    pw_filter_destroy(sender.filter);
    pw_core_disconnect(sender.core);
    pw_context_destroy(sender.context);
    pw_main_loop_destroy(sender.loop);
    return 0;
}
