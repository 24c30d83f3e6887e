// SPDX-License-Identifier: MIT
#include "pbpw_filter.h"

#include <errno.h>
#include <pipewire/filter.h>
#include <pipewire/pipewire.h>
#include <stdlib.h>
#include <string.h>

#include "filter_private.h"
#include "private.h"

static void on_state(void *data, enum pw_filter_state old, enum pw_filter_state state, const char *error) {
    struct pbpw_filter *filter = data;
    if (state <= PW_FILTER_STATE_UNCONNECTED) {
        filter->position = NULL; // the node is gone, and its memory with it
    }
    // Nobody can link the node before: now it has its global id.
    if (state >= PW_FILTER_STATE_PAUSED && !pbpw_inputs_watch(filter)) {
        state = PW_FILTER_STATE_ERROR;
        error = "the proxy of the node was not found";
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
    .process = pbpw_process,
};

static const struct pw_filter_events filter_events_with_before = {
    PW_VERSION_FILTER_EVENTS,
    .state_changed = on_state,
    .io_changed = on_io,
    .param_changed = pbpw_filter_param_changed,
    .add_buffer = on_add_buffer,
    .remove_buffer = on_remove_buffer,
    .process = pbpw_process_with_before,
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
                                    const struct crt_call *before_or_null, struct crt_load *load, void *data,
                                    int *error) {
    struct pbpw_filter *filter = allocate_lines(sizeof *filter);
    if (filter == NULL || (filter->slots = allocate_lines(0)) == NULL) {
        pbpw_properties_free(properties);
        free_filter(filter);
        *error = -ENOMEM;
        return NULL;
    }
    filter->core = core;
    filter->events = events;
    filter->call = call;
    filter->load = load;
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

bool pbpw_filter_driver(const struct pbpw_filter *filter, uint32_t *driver, bool *is_freewheeling) {
    const struct spa_io_position *position = filter->position;
    if (position == NULL) {
        return false;
    }
    // As above.
    *driver = __atomic_load_n(&position->clock.id, __ATOMIC_RELAXED);
    *is_freewheeling = (__atomic_load_n(&position->clock.flags, __ATOMIC_RELAXED) & SPA_IO_CLOCK_FLAG_FREEWHEEL) != 0;
    return true;
}

uint32_t pbpw_filter_mark(const struct pbpw_filter *filter) {
    return __atomic_load_n(&filter->mark, __ATOMIC_RELAXED);
}

int pbpw_filter_add_port(struct pbpw_filter *filter, bool is_input, struct pbpw_properties *properties) {
    uint32_t inputs = filter->input_count;
    uint32_t outputs = filter->output_count;
    if (inputs == UINT16_MAX || outputs == UINT16_MAX) {
        pbpw_properties_free(properties);
        return -ENOSPC;
    }
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

int pbpw_filter_set_active(struct pbpw_filter *filter, bool is_active) {
    return pw_filter_set_active(filter->filter, is_active);
}

void pbpw_filter_disconnect(struct pbpw_filter *filter) {
    if (!filter->disconnected) {
        filter->disconnected = true;
        filter->position = NULL;
        // A proxy's end leaves its listeners in its list. If another program has removed the node, the disconnection frees
        // the proxy with that list at once.
        pbpw_inputs_unwatch(filter);
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
