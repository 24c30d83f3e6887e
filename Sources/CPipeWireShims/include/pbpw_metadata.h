// SPDX-License-Identifier: MIT
#pragma once
#include <stdint.h>
#include "pbpw_core.h"

// Metadata: strings by keys, of one client, readable by all. Others may request changes from the owner.
//
// Subject 0 alone: the daemon clears other subjects by itself when the global with that number is removed.

// A metadata object of this client, which decides about the requests of others.
struct pbpw_metadata;

// All strings belong to the caller and come from other processes. The object may be destroyed inside any of these.
struct pbpw_metadata_events {
    // A new listener, perhaps inside pbpw_metadata_export. Emitted values reach only this listener until the call
    // returns.
    void (*listener_added)(void *data, struct pbpw_metadata *metadata);
    // Another client's request to change a property: a NULL value is to remove it, a NULL key to remove all.
    void (*requested)(void *data, const char *key, const char *type, const char *value);
    void (*bound)(void *data, uint32_t id);
    void (*error)(void *data, int error, const char *message);
    void (*removed)(void *data);
};

// NULL on failure: errno; EPROTO when the client's configuration has not loaded the metadata module. Takes ownership of
// the properties.
struct pbpw_metadata *pbpw_metadata_export(struct pbpw_core *core, struct pbpw_properties *properties,
                                           const struct pbpw_metadata_events *events, void *data);
// Notifies all listeners; a NULL value means that the property is removed.
void pbpw_metadata_emit(struct pbpw_metadata *metadata, const char *key, const char *type, const char *value);
void pbpw_metadata_destroy(struct pbpw_metadata *metadata);

struct pbpw_bound_metadata_events {
    // A property, present or changed: a NULL value means that it was removed, a NULL key that all were.
    void (*property)(void *data, const char *key, const char *type, const char *value);
    void (*error)(void *data, int error, const char *message);
    void (*removed)(void *data);
};

// Another client's metadata object.
struct pbpw_bound_metadata;
// NULL on failure: errno, as for pbpw_metadata_export.
struct pbpw_bound_metadata *pbpw_bound_metadata_new(struct pbpw_core *core, uint32_t id,
                                                    const struct pbpw_bound_metadata_events *events, void *data);
// Sends a request to the owner. A NULL value is to remove the property.
int pbpw_bound_metadata_set(struct pbpw_bound_metadata *metadata, const char *key, const char *type,
                            const char *value);
void pbpw_bound_metadata_destroy(struct pbpw_bound_metadata *metadata);
