// SPDX-License-Identifier: MIT
#include "pbpw_metadata.h"

#include <errno.h>
#include <stdlib.h>

#include "metadata_proxy.h"

struct pbpw_metadata {
    struct spa_interface interface; // libpipewire takes the object for this
    struct spa_hook_list listeners;
    struct metadata_proxy proxy;
    const struct pbpw_metadata_events *events;
    void *data;
};

static int add_listener(void *object, struct spa_hook *listener, const struct pw_metadata_events *events, void *data) {
    struct pbpw_metadata *metadata = object;
    struct spa_hook_list others;
    spa_hook_list_isolate(&metadata->listeners, &others, listener, events, data);
    metadata->events->listener_added(metadata->data, metadata);
    spa_hook_list_join(&metadata->listeners, &others);
    return 0;
}

// The daemon requests the removal of every global's properties when the global is removed, so other subjects are
// normal.
//
// Libpipewire drops the result: the requesting client is in another process and sees the result in the property.
static int set_property(void *object, uint32_t subject, const char *key, const char *type, const char *value) {
    struct pbpw_metadata *metadata = object;
    if (subject != ONLY_SUBJECT) {
        return -EINVAL;
    }
    pbpw_metadata_proxy_begin(&metadata->proxy);
    metadata->events->requested(metadata->data, key, type, value);
    pbpw_metadata_proxy_end(&metadata->proxy);
    return 0;
}

static int clear(void *object) {
    return set_property(object, ONLY_SUBJECT, NULL, NULL, NULL);
}

static const struct pw_metadata_methods methods = {
    PW_VERSION_METADATA_METHODS,
    .add_listener = add_listener,
    .set_property = set_property,
    .clear = clear,
};

static void on_bound(void *data, uint32_t id) {
    struct pbpw_metadata *metadata = data;
    pbpw_metadata_proxy_begin(&metadata->proxy);
    metadata->events->bound(metadata->data, id);
    pbpw_metadata_proxy_end(&metadata->proxy);
}

static void on_removed(void *data) {
    struct pbpw_metadata *metadata = data;
    pbpw_metadata_proxy_begin(&metadata->proxy);
    metadata->events->removed(metadata->data);
    pbpw_metadata_proxy_end(&metadata->proxy);
}

static void on_error(void *data, int sequence, int error, const char *message) {
    struct pbpw_metadata *metadata = data;
    pbpw_metadata_proxy_begin(&metadata->proxy);
    metadata->events->error(metadata->data, error, message);
    pbpw_metadata_proxy_end(&metadata->proxy);
}

static const struct pw_proxy_events proxy_events = {
    PW_VERSION_PROXY_EVENTS,
    .bound = on_bound,
    .removed = on_removed,
    .error = on_error,
};

struct pbpw_metadata *pbpw_metadata_export(struct pbpw_core *core, struct pbpw_properties *object_properties,
                                           const struct pbpw_metadata_events *events, void *data) {
    struct pw_properties *properties = (struct pw_properties *)object_properties;
    struct pbpw_metadata *metadata = calloc(1, sizeof *metadata);
    if (metadata == NULL) {
        pw_properties_free(properties);
        errno = ENOMEM;
        return NULL;
    }
    metadata->interface = SPA_INTERFACE_INIT(PW_TYPE_INTERFACE_Metadata, PW_VERSION_METADATA, &methods, metadata);
    spa_hook_list_init(&metadata->listeners);
    metadata->events = events;
    metadata->data = data;
    struct pw_proxy *proxy = pw_core_export(core->core, PW_TYPE_INTERFACE_Metadata, &properties->dict, metadata, 0);
    int error = errno;
    pw_properties_free(properties);
    if (proxy == NULL) {
        free(metadata);
        errno = error;
        return NULL;
    }
    pbpw_metadata_proxy_attach(&metadata->proxy, core, proxy, &proxy_events, metadata);
    return metadata;
}

void pbpw_metadata_emit(struct pbpw_metadata *metadata, const char *key, const char *type, const char *value) {
    spa_hook_list_call(&metadata->listeners, struct pw_metadata_events, property, 0, ONLY_SUBJECT, key, type, value);
}

void pbpw_metadata_destroy(struct pbpw_metadata *metadata) {
    // The listener of the export is removed with the proxy.
    pbpw_metadata_proxy_destroy(&metadata->proxy);
}
