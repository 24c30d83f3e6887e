// SPDX-License-Identifier: MIT
#include "pbpw_filter.h"

#include <errno.h>
#include <pipewire/filter.h>
#include <pipewire/pipewire.h>
#include <stdlib.h>
#include <string.h>

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
    const struct output *output = buffer->user_data;
    if (room >= frames) {
        samples = output->samples;
        *output->chunk = (struct spa_chunk){.size = frames * (uint32_t)sizeof(float), .stride = sizeof(float)};
    } else if (room != 0) {
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
static inline void fetch_ahead(const struct crt_call *call) {
    enum { line = 64, core_lines = 2, body_lines = 8, block_lines = 4 };
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

// Inlined twice, so that a node pays nothing for blocks before each cycle unless its app has one.
static inline __attribute__((always_inline)) void process(struct pbpw_filter *filter, struct spa_io_position *position,
                                                          bool has_before) {
    // No position or no frames: the graph is being set up. A driver may give any value; only valid ones count.
    if (position == NULL || (uint32_t)position->clock.duration == 0 || position->clock.rate.denom == 0) {
        return;
    }
    if (filter->is_checked) {
        crt_realtime_enter();
    }
    const struct spa_io_clock *clock = &position->clock;
    uint32_t inputs = filter->input_count;
    uint32_t outputs = filter->output_count;
    struct port **ports = slot_ports(filter);
    float **buffers = slot_buffers(filter);
    struct crt_cycle cycle = {
        .position = clock->position,
        .nanoseconds = clock->nsec,
        .frames = (uint32_t)clock->duration,
        .rate = clock->rate.denom,
        .clock = clock->id,
        .is_freewheeling = (clock->flags & SPA_IO_CLOCK_FLAG_FREEWHEEL) != 0,
        .is_discontinuous = filter->overtaken,
        .inputs = buffers,
        .outputs = buffers + inputs,
    };
#ifdef SPA_IO_CLOCK_FLAG_DISCONT
    cycle.is_discontinuous |= (clock->flags & SPA_IO_CLOCK_FLAG_DISCONT) != 0;
#endif
    fetch_ahead(&filter->call);
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
    if (filter->is_checked) {
        crt_realtime_exit();
    }
}

static void on_process(void *data, struct spa_io_position *position) {
    process(data, position, false);
}

static void on_process_with_before(void *data, struct spa_io_position *position) {
    process(data, position, true);
}

static void on_state(void *data, enum pw_filter_state old, enum pw_filter_state state, const char *error) {
    struct pbpw_filter *filter = data;
    if (state <= PW_FILTER_STATE_UNCONNECTED) {
        filter->position = NULL; // the node is gone, and its memory with it
    }
    filter->events->state(filter->data, old, state, error);
}

static void on_io(void *data, void *port_data, uint32_t id, void *area, uint32_t size) {
    struct pbpw_filter *filter = data;
    if (port_data == NULL && id == SPA_IO_Position) {
        filter->position = size >= sizeof *filter->position ? area : NULL;
    }
}

static void on_add_buffer(void *data, void *port_data, struct pw_buffer *buffer) {
    struct port *port = port_data;
    if (port->filter != NULL && !port->is_input) {
        pbpw_output_add(data, buffer);
    }
}

static void on_remove_buffer(void *data, void *port_data, struct pw_buffer *buffer) {
    struct port *port = port_data;
    if (port->filter != NULL && !port->is_input) {
        pbpw_output_remove(data, buffer);
    }
}

static const struct pw_filter_events filter_events = {
    PW_VERSION_FILTER_EVENTS,
    .state_changed = on_state,
    .io_changed = on_io,
    .param_changed = pbpw_filter_param_changed,
    .add_buffer = on_add_buffer,
    .remove_buffer = on_remove_buffer,
    .process = on_process,
};

static const struct pw_filter_events filter_events_with_before = {
    PW_VERSION_FILTER_EVENTS,
    .state_changed = on_state,
    .io_changed = on_io,
    .param_changed = pbpw_filter_param_changed,
    .add_buffer = on_add_buffer,
    .remove_buffer = on_remove_buffer,
    .process = on_process_with_before,
};

// Zeroed memory, aligned to a cache line.
static void *allocate_lines(size_t size) {
    enum { line = 64 };
    // Whole lines, and at least one: a node without ports has slots too.
    size = size == 0 ? line : (size + line - 1) / line * line;
    void *memory = aligned_alloc(line, size);
    if (memory != NULL) {
        memset(memory, 0, size);
    }
    return memory;
}

static void free_filter(struct pbpw_filter *filter) {
    if (filter == NULL) {
        return;
    }
    free(filter->slots);
    free(filter);
}

struct pbpw_filter *pbpw_filter_new(struct pbpw_core *core, const char *name, struct pbpw_properties *properties,
                                    const struct pbpw_filter_events *events, struct crt_call call,
                                    const struct crt_call *before_or_null, void *data, int *error) {
    struct pbpw_filter *filter = allocate_lines(sizeof *filter);
    if (filter == NULL || (filter->slots = allocate_lines(0)) == NULL) {
        pbpw_properties_free(properties);
        free_filter(filter);
        *error = -ENOMEM;
        return NULL;
    }
    filter->events = events;
    filter->call = call;
    if (before_or_null != NULL) {
        filter->before = *before_or_null;
    }
    spa_list_init(&filter->held);
    filter->is_checked = crt_has_checker();
    filter->data = data;
    filter->filter = pw_filter_new(core->core, name, (struct pw_properties *)properties);
    if (filter->filter == NULL) {
        *error = errno != 0 ? -errno : -EIO;
        free_filter(filter);
        return NULL;
    }
    pw_filter_add_listener(filter->filter, &filter->listener,
                           before_or_null != NULL ? &filter_events_with_before : &filter_events, filter);
    return filter;
}

void pbpw_filter_cycle(const struct pbpw_filter *filter, uint32_t *frames, uint32_t *rate) {
    const struct spa_io_position *position = filter->position;
    // The driver writes these fields in another process, each atomically.
    *frames = position != NULL ? (uint32_t)__atomic_load_n(&position->clock.duration, __ATOMIC_RELAXED) : 0;
    *rate = position != NULL ? __atomic_load_n(&position->clock.rate.denom, __ATOMIC_RELAXED) : 0;
}

bool pbpw_filter_clock(const struct pbpw_filter *filter, uint64_t *clock_position) {
    const struct spa_io_position *position = filter->position;
    // As above.
    if (position == NULL ||
        (__atomic_load_n(&position->clock.flags, __ATOMIC_RELAXED) & SPA_IO_CLOCK_FLAG_FREEWHEEL) != 0) {
        return false;
    }
    *clock_position = __atomic_load_n(&position->clock.position, __ATOMIC_RELAXED);
    return true;
}

uint32_t pbpw_filter_mark(const struct pbpw_filter *filter) {
    return __atomic_load_n(&filter->mark, __ATOMIC_RELAXED);
}

int pbpw_filter_add_port(struct pbpw_filter *filter, bool is_input, struct pbpw_properties *properties) {
    uint32_t inputs = filter->input_count;
    uint32_t outputs = filter->output_count;
    // Allocated again for each port, so that the slots are close together. All ports exist before the node runs.
    void **slots = allocate_lines(2 * ((size_t)inputs + outputs + 1) * sizeof *slots);
    if (slots == NULL) {
        pbpw_properties_free(properties);
        return -ENOMEM;
    }
    struct port *port = pw_filter_add_port(filter->filter, is_input ? PW_DIRECTION_INPUT : PW_DIRECTION_OUTPUT,
                                           PW_FILTER_PORT_FLAG_MAP_BUFFERS, sizeof *port,
                                           (struct pw_properties *)properties, NULL, 0);
    if (port == NULL) {
        int error = errno != 0 ? -errno : -EIO;
        free(slots);
        return error;
    }
    *port = (struct port){.filter = filter, .index = is_input ? inputs : outputs, .is_input = is_input};
    struct port **ports = (struct port **)slots;
    memcpy(ports, slot_ports(filter), inputs * sizeof *ports);
    memcpy(ports + inputs + is_input, slot_ports(filter) + inputs, outputs * sizeof *ports);
    ports[is_input ? inputs : inputs + outputs] = port;
    free(filter->slots);
    filter->slots = slots;
    filter->input_count += is_input;
    filter->output_count += !is_input;
    return (int)port->index;
}

int pbpw_filter_connect(struct pbpw_filter *filter) {
    // Without RT_PROCESS each link would cost a quantum; without CUSTOM_LATENCY all ports would get one latency.
    enum pw_filter_flags flags = PW_FILTER_FLAG_RT_PROCESS | PW_FILTER_FLAG_CUSTOM_LATENCY;
    return pw_filter_connect(filter->filter, flags, NULL, 0);
}

void pbpw_filter_disconnect(struct pbpw_filter *filter) {
    if (!filter->disconnected) {
        filter->disconnected = true;
        filter->position = NULL;
        pw_filter_disconnect(filter->filter);
    }
}

void pbpw_filter_destroy(struct pbpw_filter *filter) {
    pbpw_filter_disconnect(filter);
    spa_hook_remove(&filter->listener);
    pw_filter_destroy(filter->filter);
    pbpw_outputs_free(filter);
    free_filter(filter);
}

uint32_t pbpw_filter_node_id(struct pbpw_filter *filter) {
    return pw_filter_get_node_id(filter->filter);
}
