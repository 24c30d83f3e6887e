// SPDX-License-Identifier: MIT
// A node's properties and latencies, and the latencies that are reported to it. Never on the audio thread.
#include <pipewire/filter.h>
#include <pipewire/pipewire.h>
#include <spa/param/latency-utils.h>
#include <spa/pod/builder.h>

#include "filter_private.h"
#include "private.h"
#include "request.h"

// libspa's parser reads the first value of a choice without asking whether there is one.
static bool has_whole_choices(const struct spa_pod *param) {
    if (!spa_pod_is_object(param)) {
        return false;
    }
    const struct spa_pod_prop *property;
    SPA_POD_OBJECT_FOREACH((const struct spa_pod_object *)param, property) {
        const struct spa_pod *value = &property->value;
        if (value->type != SPA_TYPE_Choice) {
            continue;
        }
        if (!spa_pod_is_choice(value) ||
            sizeof(struct spa_pod_choice_body) + (uint64_t)SPA_POD_CHOICE_VALUE_SIZE(value) > SPA_POD_BODY_SIZE(value)) {
            return false;
        }
    }
    return true;
}

bool pbpw_latency_parse(const struct spa_pod *param, bool *is_output_latency, struct pbpw_latency *minimum,
                        struct pbpw_latency *maximum) {
    struct spa_latency_info latency;
    if (!has_whole_choices(param) || spa_latency_parse(param, &latency) < 0) {
        return false;
    }
    *is_output_latency = latency.direction == SPA_DIRECTION_OUTPUT;
    // The whole numbers were unsigned in 0.3.65 and are signed now.
    *minimum = (struct pbpw_latency){latency.min_quantum, (int32_t)latency.min_rate, (int64_t)latency.min_ns};
    *maximum = (struct pbpw_latency){latency.max_quantum, (int32_t)latency.max_rate, (int64_t)latency.max_ns};
    return true;
}

void pbpw_filter_param_changed(void *data, void *port_data, uint32_t id, const struct spa_pod *param) {
    struct pbpw_filter *filter = data;
    // Any client may set them, as often as it likes.
    pbpw_turns_count(filter->core);
    if (id == SPA_PARAM_Props && port_data == NULL && param != NULL) {
        pbpw_requests_parse(param, filter->events, filter->data);
    }
    if (id != SPA_PARAM_Latency || port_data == NULL) {
        return;
    }
    struct port *port = port_data;
    if (port->filter == NULL) {
        return;
    }
    bool is_output_latency;
    struct pbpw_latency minimum, maximum;
    if (param == NULL) {
        // Withdrawn (from about 0.3.81 on). The direction is not given: it is the latency that comes from the far end.
        filter->events->latency(filter->data, port->is_input, port->index, port->is_input, NULL, NULL);
    } else if (pbpw_latency_parse(param, &is_output_latency, &minimum, &maximum)) {
        filter->events->latency(filter->data, port->is_input, port->index, is_output_latency, &minimum, &maximum);
    }
}

int pbpw_filter_set_property(struct pbpw_filter *filter, const char *key, const char *value) {
    struct spa_dict_item item = SPA_DICT_ITEM_INIT(key, value);
    return pw_filter_update_properties(filter->filter, NULL, &SPA_DICT_INIT(&item, 1));
}

int pbpw_filter_set_process_latency(struct pbpw_filter *filter, int64_t frames) {
    uint8_t buffer[256];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof buffer);
    struct spa_process_latency_info latency = {.rate = (int32_t)frames};
    const struct spa_pod *params[] = {spa_process_latency_build(&builder, SPA_PARAM_ProcessLatency, &latency)};
    return pw_filter_update_params(filter->filter, NULL, params, 1);
}

int pbpw_filter_set_latency(struct pbpw_filter *filter, bool port_is_input, uint32_t port, bool is_output_latency,
                            struct pbpw_latency minimum, struct pbpw_latency maximum) {
    struct port **ports = slot_ports(filter) + (port_is_input ? 0 : filter->input_count);
    uint8_t buffer[512];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof buffer);
    enum spa_direction direction = is_output_latency ? SPA_DIRECTION_OUTPUT : SPA_DIRECTION_INPUT;
    struct spa_latency_info latency = SPA_LATENCY_INFO(
        direction, .min_quantum = (float)minimum.cycles, .max_quantum = (float)maximum.cycles,
        .min_rate = (int32_t)minimum.frames, .max_rate = (int32_t)maximum.frames, .min_ns = minimum.nanoseconds,
        .max_ns = maximum.nanoseconds);
    const struct spa_pod *params[] = {spa_latency_build(&builder, SPA_PARAM_Latency, &latency)};
    return pw_filter_update_params(filter->filter, ports[port], params, 1);
}
