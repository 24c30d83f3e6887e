// SPDX-License-Identifier: MIT
#include "metadata_proxy.h"

#include <stdlib.h>

void pbpw_metadata_proxy_attach(struct metadata_proxy *proxy, struct pbpw_core *core, struct pw_proxy *pipewire_proxy,
                                const struct pw_proxy_events *events, void *owner) {
    proxy->proxy = pipewire_proxy;
    proxy->core = core;
    proxy->owner = owner;
    spa_list_append(&core->metadata, &proxy->link);
    pw_proxy_add_listener(pipewire_proxy, &proxy->listener, events, owner);
}

void pbpw_metadata_proxy_begin(struct metadata_proxy *proxy) {
    proxy->callbacks++;
    if (proxy->proxy != NULL) {
        pbpw_turns_count(proxy->core);
    }
}

void pbpw_metadata_proxy_end(struct metadata_proxy *proxy) {
    if (--proxy->callbacks == 0 && proxy->is_destroyed) {
        free(proxy->owner);
    }
}

static void detach(struct metadata_proxy *proxy) {
    spa_list_remove(&proxy->link);
    spa_hook_remove(&proxy->listener);
    spa_hook_remove(&proxy->object_listener);
    pw_proxy_destroy(proxy->proxy);
    proxy->proxy = NULL;
}

void pbpw_metadata_proxies_detach(struct pbpw_core *core) {
    struct metadata_proxy *proxy;
    spa_list_consume(proxy, &core->metadata, link) {
        detach(proxy);
    }
}

void pbpw_metadata_proxy_destroy(struct metadata_proxy *proxy) {
    if (proxy->proxy != NULL) {
        detach(proxy);
    }
    proxy->is_destroyed = true;
    if (proxy->callbacks == 0) {
        free(proxy->owner);
    }
}
