// SPDX-License-Identifier: MIT
// Requests from one process to another's node: a key and a value in the node's Props.
//
// 0.3.65 passes only this kind of parameter to a filter, and `pw-cli set-param` can write it. A suspended node does not
// block the sender.
#include "request.h"

#include <errno.h>
#include <pipewire/pipewire.h>
#include <spa/param/props.h>
#include <spa/pod/builder.h>
#include <spa/pod/iter.h>
#include <spa/pod/parser.h>
#include <string.h>

#include "private.h"

enum { LONGEST_KEY = 64, LONGEST_VALUE = 256 };

// A string inside a parameter of another process; NULL for any other value, and for one that is too long.
static const char *short_string(const struct spa_pod *pod, size_t longest) {
    const char *text = NULL;
    if (spa_pod_get_string(pod, &text) < 0 || text == NULL) {
        return NULL;
    }
    return strnlen(text, longest + 1) <= longest ? text : NULL;
}

static const char *value_of(const struct spa_pod *pod) {
    bool is_true;
    if (spa_pod_get_bool(pod, &is_true) >= 0) {
        return is_true ? "true" : "false";
    }
    return short_string(pod, LONGEST_VALUE);
}

void pbpw_requests_parse(const struct spa_pod *props, const struct pbpw_filter_events *events, void *data) {
    if (!spa_pod_is_object(props)) {
        return;
    }
    const struct spa_pod_prop *property = spa_pod_find_prop(props, NULL, SPA_PROP_params);
    if (property == NULL || !spa_pod_is_struct(&property->value)) {
        return;
    }
    const char *key = NULL;
    bool is_key = true;
    const struct spa_pod *pod;
    SPA_POD_STRUCT_FOREACH(&property->value, pod) {
        if (is_key) {
            key = short_string(pod, LONGEST_KEY);
        } else if (key != NULL) {
            const char *value = value_of(pod);
            events->request(data, key, value != NULL ? value : "");
        }
        is_key = !is_key;
    }
}

int pbpw_core_request(struct pbpw_core *core, uint32_t node_id, const char *key, const char *value) {
    struct pw_proxy *node = pbpw_core_bound(core, node_id);
    if (node == NULL) {
        return -ENOENT;
    }
    uint8_t buffer[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof buffer);
    struct spa_pod_frame object, list;
    spa_pod_builder_push_object(&builder, &object, SPA_TYPE_OBJECT_Props, SPA_PARAM_Props);
    spa_pod_builder_prop(&builder, SPA_PROP_params, 0);
    spa_pod_builder_push_struct(&builder, &list);
    spa_pod_builder_string(&builder, key);
    spa_pod_builder_string(&builder, value);
    spa_pod_builder_pop(&builder, &list);
    const struct spa_pod *param = spa_pod_builder_pop(&builder, &object);
    if (param == NULL) {
        return -ENOSPC;
    }
    return pw_node_set_param((struct pw_node *)node, SPA_PARAM_Props, 0, param);
}
