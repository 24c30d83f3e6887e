// SPDX-License-Identifier: MIT
// The common part of both kinds of metadata objects: their proxies.
#pragma once
#include <stdbool.h>
// Before the extension, which does not include its own dependencies.
#include <pipewire/pipewire.h>

#include <pipewire/extensions/metadata.h>

#include "private.h"

// The core, which lives as long as the daemon: the daemon clears the properties of any other subject when that is
// removed.
#define ONLY_SUBJECT 0

struct metadata_proxy {
    struct spa_list link; // in pbpw_core.metadata
    struct pw_proxy *proxy; // NULL once its core has gone
    struct spa_hook listener;
    struct spa_hook object_listener;
    struct pbpw_core *core;
    void *owner; // freed with it
    unsigned callbacks; // of ours that are under way
    bool is_destroyed;
};

void pbpw_metadata_proxy_attach(struct metadata_proxy *proxy, struct pbpw_core *core, struct pw_proxy *pipewire_proxy,
                                const struct pw_proxy_events *events, void *owner);

// Called around every callback. Libpipewire keeps a proxy that is destroyed inside its own event until the event is
// over. These functions do the same for this target's memory.
void pbpw_metadata_proxy_begin(struct metadata_proxy *proxy);
void pbpw_metadata_proxy_end(struct metadata_proxy *proxy);

void pbpw_metadata_proxy_destroy(struct metadata_proxy *proxy);
// For a core that is being destroyed: its objects stay with their owners, but are without effect.
void pbpw_metadata_proxies_detach(struct pbpw_core *core);
