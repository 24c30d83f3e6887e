// SPDX-License-Identifier: MIT
// RTLD_DEFAULT is a GNU extension.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pipewire/filter.h>
#include <pipewire/pipewire.h>

#include "filter_private.h"
#include "private.h"

struct pw_loop *pbpw_filter_loop(struct pbpw_filter *filter) {
    struct pw_loop *(*get)(struct pw_filter *) = dlsym(RTLD_DEFAULT, "pw_filter_get_data_loop");
    return get != NULL ? get(filter->filter) : NULL;
}

void pbpw_filter_wait_for_cycle(struct pbpw_filter *filter) {
    struct pw_loop *loop = pbpw_filter_loop(filter);
    if (loop == NULL) {
        struct pw_context *context = pw_core_get_context(pw_filter_get_core(filter->filter));
        loop = pw_data_loop_get_loop(pw_context_get_data_loop(context));
    }
    // It answers between two cycles.
    pw_loop_invoke(loop, NULL, 0, NULL, 0, true, NULL);
}

const void *pbpw_filter_thread(struct pbpw_filter *filter) {
    return pbpw_filter_loop(filter);
}

bool pbpw_filter_shares_thread(struct pbpw_filter *filter, struct pbpw_filter *other) {
    return pbpw_filter_loop(filter) == pbpw_filter_loop(other);
}

// The thread that processes a node. If an app has several, each call gives the least recently used one.
static struct pw_data_loop *thread_of(struct pbpw_filter *filter, struct pbpw_core *core) {
    struct pw_loop *loop = pbpw_filter_loop(filter);
    for (int i = 0; i < 64; i++) {
        struct pw_data_loop *thread = pw_context_get_data_loop(core->context);
        if (thread == NULL || loop == NULL || pw_data_loop_get_loop(thread) == loop) {
            return thread;
        }
    }
    return NULL;
}

int pbpw_filter_add_order_port(struct pbpw_filter *filter, bool is_input, struct pbpw_properties *properties,
                               struct pbpw_core *running_core_or_null) {
    // The audio thread walks the node's ports in each cycle, and libpipewire changes that list without a lock. So the
    // thread is ended for the moment. A cycle that begins meanwhile waits for the next one.
    struct pw_data_loop *thread = running_core_or_null != NULL ? thread_of(filter, running_core_or_null) : NULL;
    if (thread != NULL) {
        pw_data_loop_stop(thread);
    }
    struct port *port = pw_filter_add_port(filter->filter, is_input ? PW_DIRECTION_INPUT : PW_DIRECTION_OUTPUT,
                                           PW_FILTER_PORT_FLAG_MAP_BUFFERS, sizeof *port,
                                           (struct pw_properties *)properties, NULL, 0);
    int result = port != NULL ? 0 : errno != 0 ? -errno : -EIO;
    if (port != NULL) {
        *port = (struct port){.filter = NULL};
    }
    if (thread != NULL) {
        int started = pw_data_loop_start(thread);
        result = result < 0 ? result : started;
    }
    return result;
}
