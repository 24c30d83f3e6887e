// SPDX-License-Identifier: MIT
// Objects of the graph whose details the client binds.
#include <errno.h>
#include <pipewire/pipewire.h>
#include <spa/utils/string.h>

#include "private.h"

struct bound_object {
    struct spa_list link;
    struct pbpw_core *core;
    uint32_t id;
    struct pw_proxy *proxy;
    struct spa_hook proxy_listener;
    struct spa_hook object_listener;
};

static struct spa_list *bound_list(struct pbpw_core *core, uint32_t id) {
    return &core->bound[id % SPA_N_ELEMENTS(core->bound)];
}

static void unbind(struct bound_object *object) {
    spa_list_remove(&object->link);
    spa_hook_remove(&object->proxy_listener);
    spa_hook_remove(&object->object_listener);
    pw_proxy_destroy(object->proxy);
}

static void on_client_info(void *data, const struct pw_client_info *info) {
    struct bound_object *object = data;
    pbpw_turns_count(object->core);
    if ((info->change_mask & PW_CLIENT_CHANGE_MASK_PROPS) != 0) {
        object->core->events->properties(object->core->data, object->id, dict_from(info->props));
    }
}

static void on_node_info(void *data, const struct pw_node_info *info) {
    struct bound_object *object = data;
    pbpw_turns_count(object->core);
    if ((info->change_mask & PW_NODE_CHANGE_MASK_PROPS) != 0) {
        object->core->events->properties(object->core->data, object->id, dict_from(info->props));
    }
    if ((info->change_mask & PW_NODE_CHANGE_MASK_STATE) != 0) {
        object->core->events->node_state(object->core->data, object->id, info->state == PW_NODE_STATE_RUNNING);
    }
}

static void on_link_info(void *data, const struct pw_link_info *info) {
    struct bound_object *object = data;
    pbpw_turns_count(object->core);
    if ((info->change_mask & PW_LINK_CHANGE_MASK_PROPS) != 0 && info->props != NULL) {
        // The registry's global does not carry it in any version.
        const char *mark = spa_dict_lookup(info->props, PW_KEY_LINK_FEEDBACK);
        object->core->events->feedback(object->core->data, object->id, mark != NULL && spa_atob(mark));
    }
}

static void on_port_param(void *data, int sequence, uint32_t id, uint32_t index, uint32_t next,
                          const struct spa_pod *param) {
    struct bound_object *object = data;
    pbpw_turns_count(object->core);
    bool is_output_latency;
    struct pbpw_latency minimum, maximum;
    if (id == SPA_PARAM_Latency && param != NULL &&
        pbpw_latency_parse(param, &is_output_latency, &minimum, &maximum)) {
        object->core->events->latency(object->core->data, object->id, is_output_latency, &minimum, &maximum);
    }
}

static const struct pw_client_events client_events = {PW_VERSION_CLIENT_EVENTS, .info = on_client_info};
static const struct pw_node_events node_events = {PW_VERSION_NODE_EVENTS, .info = on_node_info};
static const struct pw_link_events link_events = {PW_VERSION_LINK_EVENTS, .info = on_link_info};
static const struct pw_port_events port_events = {PW_VERSION_PORT_EVENTS, .param = on_port_param};

static void on_bound_removed(void *data) {
    struct bound_object *object = data;
    unbind(object);
}

static const struct pw_proxy_events proxy_events = {PW_VERSION_PROXY_EVENTS, .removed = on_bound_removed};

static void listen(struct bound_object *object, uint32_t kind) {
    struct pw_proxy *proxy = object->proxy;
    struct spa_hook *listener = &object->object_listener;
    uint32_t latency = SPA_PARAM_Latency;
    switch (kind) {
    case pbpw_object_client:
        pw_client_add_listener((struct pw_client *)proxy, listener, &client_events, object);
        break;
    case pbpw_object_link:
        pw_link_add_listener((struct pw_link *)proxy, listener, &link_events, object);
        break;
    case pbpw_object_port:
        pw_port_add_listener((struct pw_port *)proxy, listener, &port_events, object);
        pw_port_subscribe_params((struct pw_port *)proxy, &latency, 1);
        break;
    default:
        pw_node_add_listener((struct pw_node *)proxy, listener, &node_events, object);
    }
}

int pbpw_core_bind(struct pbpw_core *core, uint32_t id, uint32_t kind) {
    const char *type = PW_TYPE_INTERFACE_Node;
    uint32_t version = PW_VERSION_NODE;
    if (kind == pbpw_object_client) {
        type = PW_TYPE_INTERFACE_Client;
        version = PW_VERSION_CLIENT;
    } else if (kind == pbpw_object_link) {
        type = PW_TYPE_INTERFACE_Link;
        version = PW_VERSION_LINK;
    } else if (kind == pbpw_object_port) {
        type = PW_TYPE_INTERFACE_Port;
        version = PW_VERSION_PORT;
    }
    struct pw_proxy *proxy = pw_registry_bind(core->registry, id, type, version, sizeof(struct bound_object));
    if (proxy == NULL) {
        return errno != 0 ? -errno : -EIO;
    }
    struct bound_object *object = pw_proxy_get_user_data(proxy);
    *object = (struct bound_object){.core = core, .id = id, .proxy = proxy};
    spa_list_append(bound_list(core, id), &object->link);
    pw_proxy_add_listener(proxy, &object->proxy_listener, &proxy_events, object);
    listen(object, kind);
    return 0;
}

void pbpw_core_unbind(struct pbpw_core *core, uint32_t id) {
    struct bound_object *object, *next;
    spa_list_for_each_safe(object, next, bound_list(core, id), link) {
        if (object->id == id) {
            unbind(object);
        }
    }
}

void pbpw_core_unbind_all(struct pbpw_core *core) {
    for (size_t i = 0; i < SPA_N_ELEMENTS(core->bound); i++) {
        struct bound_object *object;
        spa_list_consume(object, &core->bound[i], link) {
            unbind(object);
        }
    }
}

struct pw_proxy *pbpw_core_bound(struct pbpw_core *core, uint32_t id) {
    struct bound_object *object;
    spa_list_for_each(object, bound_list(core, id), link) {
        if (object->id == id) {
            return object->proxy;
        }
    }
    return NULL;
}
