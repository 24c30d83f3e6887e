// SPDX-License-Identifier: MIT
#pragma once
#include <stdint.h>
#include "pbpw_core.h"

// Metadata: strings by keys, of one client, for all to read and for its owner to let others write. Subject 0 alone:
// the daemon clears the others by itself when the global with that number goes.

// A metadata object of ours, with whose values others do only what we let them.
struct pbpw_metadata;

// All strings belong to the caller and come from other processes. The object may be destroyed inside any of these.
struct pbpw_metadata_events {
    // Somebody new listens, perhaps inside pbpw_metadata_export: what is emitted before this returns goes to them alone.
    void (*listener_added)(void *data, struct pbpw_metadata *metadata);
    // Somebody wants a property changed: a NULL value is to remove it, a NULL key to remove all.
    void (*requested)(void *data, const char *key, const char *type, const char *value);
    void (*bound)(void *data, uint32_t id);
    void (*error)(void *data, int error, const char *message);
    void (*removed)(void *data);
};

// NULL: errno; EPROTO when the client's configuration has not loaded the metadata module. Takes the properties over.
struct pbpw_metadata *pbpw_metadata_export(struct pbpw_core *core, struct pbpw_properties *properties,
                                           const struct pbpw_metadata_events *events, void *data);
// Tells everybody who listens; a NULL value says that the property is gone.
void pbpw_metadata_emit(struct pbpw_metadata *metadata, const char *key, const char *type, const char *value);
void pbpw_metadata_destroy(struct pbpw_metadata *metadata);

struct pbpw_bound_metadata_events {
    // A property as it is, or has become: a NULL value says that it is gone, a NULL key that all are.
    void (*property)(void *data, const char *key, const char *type, const char *value);
    void (*error)(void *data, int error, const char *message);
    void (*removed)(void *data);
};

// Another client's metadata object.
struct pbpw_bound_metadata;
// NULL: errno, as above.
struct pbpw_bound_metadata *pbpw_bound_metadata_new(struct pbpw_core *core, uint32_t id,
                                                    const struct pbpw_bound_metadata_events *events, void *data);
// Asks the owner. A NULL value is to remove the property.
int pbpw_bound_metadata_set(struct pbpw_bound_metadata *metadata, const char *key, const char *type,
                            const char *value);
void pbpw_bound_metadata_destroy(struct pbpw_bound_metadata *metadata);
