// SPDX-License-Identifier: MIT
// The memory of inputs, kept until the audio thread no longer reads it.
//
// When a link of an input ends, libpipewire up to 0.3.79 takes it from the audio thread in two steps. Its data loop
// leaves the link out of the port's list. After that the control thread takes the link's area of exchange from the
// port's mixer, which runs in each cycle, and then frees the link's buffers. A cycle that begins between the two steps
// still mixes the link, and hands on its buffer as it is if no other link has sound. That memory is unmapped while the
// cycle reads it.
//
// The last link of a port is taken away with care, but libpipewire counts links wrongly: those that a port has had at
// once are counted for ever.
//
// The daemon withdraws the area of exchange by a message of its own, before the one that ends the buffers. A listener
// of ours is called after libpipewire's, and waits there until a cycle that may have the link is over.
#include <pipewire/filter.h>
#include <pipewire/pipewire.h>
#include <string.h>
// Needs the types of the others.
#include <pipewire/extensions/client-node.h>

#include "filter_private.h"
#include "private.h"

static int on_port_io(void *data, enum spa_direction direction, uint32_t port, uint32_t mix, uint32_t id,
                      uint32_t memory, uint32_t offset, uint32_t size) {
    if (direction == SPA_DIRECTION_INPUT && id == SPA_IO_Buffers && memory == SPA_ID_INVALID) {
        pbpw_filter_wait_for_cycle(data);
    }
    return 0;
}

static const struct pw_client_node_events node_events = {
    PW_VERSION_CLIENT_NODE_EVENTS,
    .port_set_io = on_port_io,
};

// pw_filter does not publish the proxy of its node. A proxy that was destroyed stays here until the daemon confirms that, but
// no other proxy of this kind has the node's global id: the daemon confirms before it gives an id away again.
static struct pw_proxy *node_proxy(struct pw_core *core, uint32_t node) {
    enum { GAP = 1024 }; // the ids of proxies are reused, so that there are no long gaps
    for (uint32_t id = 0, gap = 0; gap < GAP; id++) {
        struct pw_proxy *proxy = pw_core_find_proxy(core, id);
        const char *type = proxy != NULL ? pw_proxy_get_type(proxy, NULL) : NULL;
        gap = proxy != NULL ? 0 : gap + 1;
        if (type != NULL && strcmp(type, PW_TYPE_INTERFACE_ClientNode) == 0 && pw_proxy_get_bound_id(proxy) == node) {
            return proxy;
        }
    }
    return NULL;
}

bool pbpw_inputs_watch(struct pbpw_filter *filter) {
    if (filter->has_node_listener) {
        return true;
    }
    struct pw_proxy *proxy = node_proxy(pw_filter_get_core(filter->filter), pw_filter_get_node_id(filter->filter));
    if (proxy == NULL) {
        return false;
    }
    pw_proxy_add_object_listener(proxy, &filter->node_listener, &node_events, filter);
    filter->has_node_listener = true;
    return true;
}

void pbpw_inputs_unwatch(struct pbpw_filter *filter) {
    if (filter->has_node_listener) {
        filter->has_node_listener = false;
        spa_hook_remove(&filter->node_listener);
    }
}
