// SPDX-License-Identifier: MIT
// A client in C that looks at the graph as the library does: it listens to the registry and to the info of each client and
// node, and has a stereo sender. It does nothing with what it hears.
//
//     idle-registry APP-NAME
//
// Writes "ready" when its node is there. Ends on SIGTERM.
#include "filter_client.h"
#include "peer.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bound {
    struct spa_list link;
    uint32_t id;
    struct pw_proxy *proxy;
    struct spa_hook listener;
};

struct idle {
    struct filter_client client;
    struct pw_registry *registry;
    struct spa_hook registry_listener;
    struct spa_hook filter_listener;
    struct spa_list bound;
    bool is_ready;
    uint64_t events; // so that the listeners are not empty
};

static void on_client_info(void *data, const struct pw_client_info *info) {
    ((struct idle *)data)->events++;
}

static void on_node_info(void *data, const struct pw_node_info *info) {
    ((struct idle *)data)->events++;
}

static const struct pw_client_events client_events = {.version = PW_VERSION_CLIENT_EVENTS, .info = on_client_info};
static const struct pw_node_events node_events = {.version = PW_VERSION_NODE_EVENTS, .info = on_node_info};

static void on_global(void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version,
                      const struct spa_dict *properties) {
    struct idle *idle = data;
    idle->events++;
    const bool is_node = strcmp(type, PW_TYPE_INTERFACE_Node) == 0;
    if (!is_node && strcmp(type, PW_TYPE_INTERFACE_Client) != 0) {
        return;
    }
    struct bound *bound = calloc(1, sizeof *bound);
    if (bound == NULL) {
        abort();
    }
    bound->id = id;
    bound->proxy = pw_registry_bind(idle->registry, id, type, is_node ? PW_VERSION_NODE : PW_VERSION_CLIENT, 0);
    if (bound->proxy == NULL) {
        free(bound);
        return;
    }
    if (is_node) {
        pw_node_add_listener((struct pw_node *)bound->proxy, &bound->listener, &node_events, idle);
    } else {
        pw_client_add_listener((struct pw_client *)bound->proxy, &bound->listener, &client_events, idle);
    }
    spa_list_append(&idle->bound, &bound->link);
}

static void on_global_remove(void *data, uint32_t id) {
    struct idle *idle = data;
    idle->events++;
    struct bound *bound;
    spa_list_for_each(bound, &idle->bound, link) {
        if (bound->id == id) {
            spa_list_remove(&bound->link);
            spa_hook_remove(&bound->listener);
            pw_proxy_destroy(bound->proxy);
            free(bound);
            return;
        }
    }
}

static const struct pw_registry_events registry_events = {
    .version = PW_VERSION_REGISTRY_EVENTS,
    .global = on_global,
    .global_remove = on_global_remove,
};

static void on_state_changed(void *data, enum pw_filter_state old, enum pw_filter_state state, const char *error) {
    struct idle *idle = data;
    filter_client_on_state_changed(data, old, state, error);
    if (state == PW_FILTER_STATE_PAUSED && !idle->is_ready) {
        idle->is_ready = true;
        puts("ready");
        fflush(stdout);
    }
}

static void process(void *data, struct spa_io_position *position) {}

static const struct pw_filter_events filter_events = {
    .version = PW_VERSION_FILTER_EVENTS,
    .state_changed = on_state_changed,
    .process = process,
};

int main(int argument_count, char **arguments) {
    if (argument_count != 2) {
        fprintf(stderr, "usage: idle-registry APP-NAME\n");
        return 64;
    }
    peer_block_signals();
    static struct idle idle;
    spa_list_init(&idle.bound);
    filter_client_open(&idle.client, arguments[1]);
    idle.registry = pw_core_get_registry(idle.client.core, PW_VERSION_REGISTRY, 0);
    pw_registry_add_listener(idle.registry, &idle.registry_listener, &registry_events, &idle);
    struct pw_filter *filter = filter_client_add_node(
        &idle.client, arguments[1], pw_properties_new(NULL, NULL), &filter_events, &idle.filter_listener, &idle);
    filter_client_add_port(filter, PW_DIRECTION_OUTPUT, "out_1");
    filter_client_add_port(filter, PW_DIRECTION_OUTPUT, "out_2");
    filter_client_connect_node(filter);
    filter_client_start(&idle.client);
    peer_run(peer_create());
    // All that it has goes with its connection.
    return 0;
}
