// SPDX-License-Identifier: MIT
#include "pbpw_core.h"

#include <errno.h>
#include <pipewire/pipewire.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pipewire/extensions/profiler.h>

#include "metadata_proxy.h"
#include "private.h"

static void on_info(void *data, const struct pw_core_info *info) {
    struct pbpw_core *core = data;
    const char *pid = info->props != NULL ? spa_dict_lookup(info->props, PW_KEY_APP_PROCESS_ID) : NULL;
    core->events->info(core->data, info->cookie, info->version, pid != NULL ? (int32_t)strtol(pid, NULL, 10) : 0);
}

static void on_done(void *data, uint32_t id, int sequence) {
    struct pbpw_core *core = data;
    core->events->done(core->data, id, sequence);
}

static void on_error(void *data, uint32_t id, int sequence, int error, const char *message) {
    struct pbpw_core *core = data;
    core->events->error(core->data, id, sequence, error, message);
}

static const struct pw_core_events core_events = {
    PW_VERSION_CORE_EVENTS,
    .info = on_info,
    .done = on_done,
    .error = on_error,
};

static uint32_t kind_of(const char *type) {
    static const struct {
        const char *type;
        uint32_t kind;
    } kinds[] = {
        {PW_TYPE_INTERFACE_Client, pbpw_object_client}, {PW_TYPE_INTERFACE_Node, pbpw_object_node},
        {PW_TYPE_INTERFACE_Port, pbpw_object_port},     {PW_TYPE_INTERFACE_Link, pbpw_object_link},
        {PW_TYPE_INTERFACE_Metadata, pbpw_object_metadata},
        {PW_TYPE_INTERFACE_Profiler, pbpw_object_profiler},
    };
    for (size_t i = 0; i < SPA_N_ELEMENTS(kinds); i++) {
        if (strcmp(type, kinds[i].type) == 0) {
            return kinds[i].kind;
        }
    }
    return pbpw_object_other;
}

static void on_global(void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version,
                      const struct spa_dict *properties) {
    struct pbpw_core *core = data;
    pbpw_turns_count(core);
    core->events->global(core->data, id, kind_of(type), dict_from(properties));
}

static void on_global_removed(void *data, uint32_t id) {
    struct pbpw_core *core = data;
    pbpw_turns_count(core);
    core->events->global_removed(core->data, id);
}

static const struct pw_registry_events registry_events = {
    PW_VERSION_REGISTRY_EVENTS,
    .global = on_global,
    .global_remove = on_global_removed,
};

static void close_socket(int socket) {
    if (socket >= 0) {
        close(socket);
    }
}

struct pbpw_core *pbpw_core_connect(struct pbpw_loop *loop, struct pbpw_properties *client_properties,
                                    int socket, const struct pbpw_core_events *events, void *data, int *error,
                                    const char **failed_call) {
    struct pw_properties *properties = (struct pw_properties *)client_properties;
    struct pbpw_core *core = calloc(1, sizeof *core);
    *failed_call = "pw_context_new";
    if (core == NULL) {
        pw_properties_free(properties);
        close_socket(socket);
        *error = -ENOMEM;
        return NULL;
    }
    core->loop = loop;
    core->events = events;
    core->data = data;
    for (size_t i = 0; i < SPA_N_ELEMENTS(core->bound); i++) {
        spa_list_init(&core->bound[i]);
    }
    spa_list_init(&core->metadata);
    // The context gets its own copy: 0.3.65 reads `config.name` from it, newer ones the client's properties too.
    core->context = pw_context_new(loop->loop, pw_properties_copy(properties), 0);
    if (core->context == NULL) {
        *error = errno != 0 ? -errno : -EIO;
        pw_properties_free(properties);
        close_socket(socket);
        free(core);
        return NULL;
    }
    *failed_call = "pw_context_connect";
    core->core = socket >= 0 ? pw_context_connect_fd(core->context, socket, properties, 0)
                             : pw_context_connect(core->context, properties, 0);
    if (core->core == NULL) {
        *error = errno != 0 ? -errno : -EIO;
        pw_context_destroy(core->context);
        free(core);
        return NULL;
    }
    pw_core_add_listener(core->core, &core->core_listener, &core_events, core);
    return core;
}

void pbpw_core_destroy(struct pbpw_core *core) {
    pbpw_turns_end(core);
    pbpw_core_unbind_all(core);
    // While the module of the proxies is still loaded.
    pbpw_metadata_proxies_detach(core);
    pbpw_profiler_detach(core);
    if (core->registry != NULL) {
        spa_hook_remove(&core->registry_listener);
        pw_proxy_destroy((struct pw_proxy *)core->registry);
    }
    spa_hook_remove(&core->core_listener);
    pw_core_disconnect(core->core);
    pw_context_destroy(core->context);
    free(core);
}

int pbpw_core_sync(struct pbpw_core *core) {
    return pw_core_sync(core->core, PW_ID_CORE, 0);
}

int pbpw_core_open_registry(struct pbpw_core *core) {
    core->registry = pw_core_get_registry(core->core, PW_VERSION_REGISTRY, 0);
    if (core->registry == NULL) {
        return errno != 0 ? -errno : -EIO;
    }
    pw_registry_add_listener(core->registry, &core->registry_listener, &registry_events, core);
    return 0;
}

uint32_t pbpw_core_client_id(struct pbpw_core *core) {
    struct pw_client *client = pw_core_get_client(core->core);
    return client != NULL ? pw_proxy_get_bound_id((struct pw_proxy *)client) : SPA_ID_INVALID;
}

int pbpw_core_destroy_global(struct pbpw_core *core, uint32_t id) {
    return pw_registry_destroy(core->registry, id);
}
