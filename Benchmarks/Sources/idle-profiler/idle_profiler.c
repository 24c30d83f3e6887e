// SPDX-License-Identifier: MIT
// A client in C that binds the daemon's profiler and walks through all of its reports.
//
//     idle-profiler APP-NAME
//
// Writes "ready" when the first report has come. Ends on SIGTERM.
#include "filter_client.h"
#include "peer.h"

#include <pipewire/impl.h>
#include <pipewire/extensions/profiler.h>
#include <spa/pod/iter.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct idle {
    struct filter_client client;
    struct pw_registry *registry;
    struct spa_hook registry_listener;
    struct spa_hook profiler_listener;
    bool is_ready;
    uint64_t properties; // so that the walk is not empty
};

static void on_profile(void *data, const struct spa_pod *pod) {
    struct idle *idle = data;
    struct spa_pod *object;
    SPA_POD_STRUCT_FOREACH(pod, object) {
        struct spa_pod_prop *property;
        if (!spa_pod_is_object(object)) {
            continue;
        }
        SPA_POD_OBJECT_FOREACH((struct spa_pod_object *)object, property) {
            idle->properties += property->key;
        }
    }
    if (!idle->is_ready) {
        idle->is_ready = true;
        puts("ready");
        fflush(stdout);
    }
}

static const struct pw_profiler_events profiler_events = {PW_VERSION_PROFILER_EVENTS, .profile = on_profile};

static void on_global(void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version,
                      const struct spa_dict *properties) {
    struct idle *idle = data;
    if (strcmp(type, PW_TYPE_INTERFACE_Profiler) != 0) {
        return;
    }
    struct pw_proxy *proxy = pw_registry_bind(idle->registry, id, type, PW_VERSION_PROFILER, 0);
    if (proxy == NULL) {
        abort();
    }
    pw_proxy_add_object_listener(proxy, &idle->profiler_listener, &profiler_events, idle);
}

static const struct pw_registry_events registry_events = {.version = PW_VERSION_REGISTRY_EVENTS, .global = on_global};

int main(int argument_count, char **arguments) {
    if (argument_count != 2) {
        fprintf(stderr, "usage: idle-profiler APP-NAME\n");
        return 64;
    }
    peer_block_signals();
    static struct idle idle;
    filter_client_open(&idle.client, arguments[1]);
    if (pw_context_load_module(idle.client.context, PW_EXTENSION_MODULE_PROFILER, NULL, NULL) == NULL) {
        fprintf(stderr, "idle-profiler: the profiler's module is missing\n");
        return 69;
    }
    idle.registry = pw_core_get_registry(idle.client.core, PW_VERSION_REGISTRY, 0);
    pw_registry_add_listener(idle.registry, &idle.registry_listener, &registry_events, &idle);
    filter_client_start(&idle.client);
    peer_run(peer_create());
    // All that it has goes with its connection.
    return 0;
}
