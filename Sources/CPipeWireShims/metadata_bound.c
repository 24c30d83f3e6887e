// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>

#include "metadata_proxy.h"
#include "pbpw_metadata.h"

struct pbpw_bound_metadata {
    struct metadata_proxy proxy;
    const struct pbpw_bound_metadata_events *events;
    void *data;
};

static int on_property(void *data, uint32_t subject, const char *key, const char *type, const char *value) {
    struct pbpw_bound_metadata *metadata = data;
    if (subject == ONLY_SUBJECT) {
        pbpw_metadata_proxy_begin(&metadata->proxy);
        metadata->events->property(metadata->data, key, type, value);
        pbpw_metadata_proxy_end(&metadata->proxy);
    }
    return 0;
}

static const struct pw_metadata_events metadata_events = {PW_VERSION_METADATA_EVENTS, .property = on_property};

static void on_removed(void *data) {
    struct pbpw_bound_metadata *metadata = data;
    pbpw_metadata_proxy_begin(&metadata->proxy);
    metadata->events->removed(metadata->data);
    pbpw_metadata_proxy_end(&metadata->proxy);
}

static void on_error(void *data, int sequence, int error, const char *message) {
    struct pbpw_bound_metadata *metadata = data;
    pbpw_metadata_proxy_begin(&metadata->proxy);
    metadata->events->error(metadata->data, error, message);
    pbpw_metadata_proxy_end(&metadata->proxy);
}

static const struct pw_proxy_events proxy_events = {
    PW_VERSION_PROXY_EVENTS,
    .removed = on_removed,
    .error = on_error,
};

struct pbpw_bound_metadata *pbpw_bound_metadata_new(struct pbpw_core *core, uint32_t id,
                                                    const struct pbpw_bound_metadata_events *events, void *data) {
    if (core->registry == NULL) {
        errno = EINVAL;
        return NULL;
    }
    struct pbpw_bound_metadata *metadata = calloc(1, sizeof *metadata);
    if (metadata == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    metadata->events = events;
    metadata->data = data;
    struct pw_proxy *proxy = pw_registry_bind(core->registry, id, PW_TYPE_INTERFACE_Metadata, PW_VERSION_METADATA, 0);
    if (proxy == NULL) {
        int error = errno;
        free(metadata);
        errno = error;
        return NULL;
    }
    pbpw_metadata_proxy_attach(&metadata->proxy, core, proxy, &proxy_events, metadata);
    pw_metadata_add_listener((struct pw_metadata *)proxy, &metadata->proxy.object_listener, &metadata_events, metadata);
    return metadata;
}

int pbpw_bound_metadata_set(struct pbpw_bound_metadata *metadata, const char *key, const char *type,
                            const char *value) {
    if (metadata->proxy.proxy == NULL) {
        return -EPIPE;
    }
    return pw_metadata_set_property((struct pw_metadata *)metadata->proxy.proxy, ONLY_SUBJECT, key, type, value);
}

void pbpw_bound_metadata_destroy(struct pbpw_bound_metadata *metadata) {
    pbpw_metadata_proxy_destroy(&metadata->proxy);
}
