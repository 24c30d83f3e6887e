// SPDX-License-Identifier: MIT
// A cycle of a node, on the audio thread.
#include <pipewire/filter.h>
#include <time.h>

#include "filter_private.h"
#include "private.h"

// pw_filter_get_dsp_buffer with a check of the buffer's size: libpipewire does not check whether the frames fit.
static inline float *take_input(struct port *port, uint32_t frames) {
    struct pw_buffer *buffer = pw_filter_dequeue_buffer(port);
    if (buffer == NULL) {
        return NULL;
    }
    struct spa_data *data = &buffer->buffer->datas[0];
    float *samples = data->maxsize / sizeof(float) >= frames ? data->data : NULL;
    pw_filter_queue_buffer(port, buffer);
    return samples;
}

// Not through `buffer->buffer`, which may be gone: see filter_outputs.c.
static inline float *take_output(struct port *port, uint32_t frames) {
    struct pw_buffer *buffer = pw_filter_dequeue_buffer(port);
    if (buffer == NULL) {
        return NULL;
    }
    float *samples = NULL;
    const uint64_t room = __atomic_load_n(&buffer->size, __ATOMIC_ACQUIRE);
    if (room >= frames) {
        const struct output *output = buffer->user_data;
        samples = output->samples;
        *output->chunk = (struct spa_chunk){.size = frames * (uint32_t)sizeof(float), .stride = sizeof(float)};
    } else if (room != 0) {
        const struct output *output = buffer->user_data;
        *output->chunk = (struct spa_chunk){.stride = sizeof(float)};
    }
    // Queued before it is filled: PipeWire sends it on only after this callback has returned.
    pw_filter_queue_buffer(port, buffer);
    return samples;
}

static inline void take_inputs(struct port **ports, float **buffers, uint32_t count, uint32_t frames) {
    for (uint32_t i = 0; i < count; i++) {
        buffers[i] = take_input(ports[i], frames);
    }
}

static inline void take_outputs(struct port **ports, float **buffers, uint32_t count, uint32_t frames) {
    for (uint32_t i = 0; i < count; i++) {
        buffers[i] = take_output(ports[i], frames);
    }
}

// Prefetches the call's data and code. By now none of it is in a cache, and it is fetched while PipeWire's own part
// runs. The amount of code does not matter, since nothing is read.
static inline void fetch_ahead(const struct crt_call *call, const struct crt_load *load) {
    enum { line = 64, core_lines = 3, body_lines = 8, block_lines = 4 };
    __builtin_prefetch(load, 1);
    for (int i = 0; i < core_lines; i++) {
        __builtin_prefetch((const char *)call->core + i * line, 1);
    }
    for (int i = 0; i < body_lines; i++) {
        __builtin_prefetch((const char *)call->body.function + i * line);
    }
    for (int i = 0; i < block_lines; i++) {
        __builtin_prefetch((const char *)call->block.function + i * line);
    }
}

// The loop reads the mark: a cycle that does not end is reported from there. One writer, so no locked instruction.
static inline void set_mark(struct pbpw_filter *filter) {
    __atomic_store_n(&filter->mark, filter->mark + 1, __ATOMIC_RELAXED);
}

// The clock is read in user space (vDSO). Where the kernel offers no such clock this is a system call, which does not wait.
static inline uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

// Inlined twice, so that a node pays nothing for blocks before each cycle unless its app has one.
static inline __attribute__((always_inline)) void process(struct pbpw_filter *filter, struct spa_io_position *position,
                                                          bool has_before) {
    if (position == NULL) {
        return;
    }
    // The driver may give any value, and another one at any moment. No frames: the graph is being set up.
    const uint32_t frames = (uint32_t)__atomic_load_n(&position->clock.duration, __ATOMIC_RELAXED);
    const uint32_t rate = __atomic_load_n(&position->clock.rate.denom, __ATOMIC_RELAXED);
    if (frames == 0 || rate == 0) {
        return;
    }
    if (filter->is_checked) {
        crt_realtime_enter();
    }
    const uint64_t begun = now();
    crt_load_begin(filter->load, begun);
    const struct spa_io_clock *clock = &position->clock;
    uint32_t inputs = filter->input_count;
    uint32_t outputs = filter->output_count;
    struct port **ports = slot_ports(filter);
    float **buffers = slot_buffers(filter);
    struct crt_cycle cycle = {
        .position = clock->position,
        .nanoseconds = clock->nsec,
        .frames = frames,
        .rate = rate,
        .clock = clock->id,
        .is_freewheeling = (clock->flags & SPA_IO_CLOCK_FLAG_FREEWHEEL) != 0,
        .is_discontinuous = filter->overtaken,
        .inputs = buffers,
        .outputs = buffers + inputs,
    };
#ifdef SPA_IO_CLOCK_FLAG_DISCONT
    cycle.is_discontinuous |= (clock->flags & SPA_IO_CLOCK_FLAG_DISCONT) != 0;
#endif
    fetch_ahead(&filter->call, filter->load);
    set_mark(filter);
    take_inputs(ports, buffers, inputs, cycle.frames);
    take_outputs(ports + inputs, buffers + inputs, outputs, cycle.frames);
    uint32_t mode = crt_flush_denormals();
    if (has_before) {
        crt_run(&filter->before, &cycle);
    }
    crt_run(&filter->call, &cycle);
    crt_restore_denormals(mode);
    // This thread was held up for longer than a cycle: other nodes may have overwritten its input, and nothing else
    // would show it.
    filter->overtaken = clock->position != cycle.position;
    set_mark(filter);
    crt_load_end(filter->load, begun, now(), cycle.frames, cycle.rate, cycle.is_freewheeling);
    if (filter->is_checked) {
        crt_realtime_exit();
    }
}

void pbpw_process(void *data, struct spa_io_position *position) {
    process(data, position, false);
}

void pbpw_process_with_before(void *data, struct spa_io_position *position) {
    process(data, position, true);
}
