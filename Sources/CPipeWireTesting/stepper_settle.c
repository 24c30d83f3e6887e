// SPDX-License-Identifier: MIT
// Detects when the graph is at rest: the daemon sees every change, and pings every client to learn whether it has seen
// the change too.
#pragma GCC diagnostic ignored "-Wunused-parameter"  // callbacks have the signatures they have
#include "stepper_private.h"

#include <stdlib.h>

// Something in the graph whose changes unsettle it.
struct watch {
    struct spa_list link;
    struct pbpw_stepper *stepper;
    struct pw_global *global;
    struct pw_impl_client *client;  // else NULL: a node, a link or a port
    struct spa_hook hook;
    bool hooked;
    unsigned pings;  // sent and not answered
};

// MARK: Watching the graph (main loop)

static void unsettle(struct watch *watch)
{
    atomic_store(&watch->stepper->unsettled, true);
}

// Called before the object's memory is freed: the global outlives it.
static void on_gone(void *data)
{
    struct watch *watch = data;
    if (watch->hooked)
        spa_hook_remove(&watch->hook);
    watch->hooked = false;
    watch->pings = 0;
    unsettle(watch);
    pw_thread_loop_signal(watch->stepper->thread, false);
}

static void on_node_state(void *data, enum pw_node_state old, enum pw_node_state state, const char *error)
{
    unsettle(data);
}

static void on_link_state(void *data, enum pw_link_state old, enum pw_link_state state, const char *error)
{
    unsettle(data);
}

static void on_port_latency(void *data)
{
    unsettle(data);
}

static void on_client_pong(void *data, int seq)
{
    struct watch *watch = data;
    if (watch->pings > 0 && --watch->pings == 0)
        pw_thread_loop_signal(watch->stepper->thread, false);
}

static const struct pw_impl_node_events node_events = {
    PW_VERSION_IMPL_NODE_EVENTS, .destroy = on_gone, .state_changed = on_node_state,
};

static const struct pw_impl_link_events link_events = {
    PW_VERSION_IMPL_LINK_EVENTS, .destroy = on_gone, .state_changed = on_link_state,
};

static const struct pw_impl_port_events port_events = {
    PW_VERSION_IMPL_PORT_EVENTS, .destroy = on_gone, .latency_changed = on_port_latency,
};

static const struct pw_resource_events client_events = {
    PW_VERSION_RESOURCE_EVENTS, .destroy = on_gone, .pong = on_client_pong,
};

static void on_global_added(void *data, struct pw_global *global)
{
    struct pbpw_stepper *s = data;
    bool node = pw_global_is_type(global, PW_TYPE_INTERFACE_Node);
    bool link = pw_global_is_type(global, PW_TYPE_INTERFACE_Link);
    bool port = pw_global_is_type(global, PW_TYPE_INTERFACE_Port);
    bool client = pw_global_is_type(global, PW_TYPE_INTERFACE_Client);
    if (!node && !link && !port && !client)
        return;
    struct watch *watch = calloc(1, sizeof *watch);
    if (watch == NULL)
        abort();  // in a test driver no answer is better than a wrong one
    watch->stepper = s;
    watch->global = global;
    watch->hooked = !client;  // a client's resource comes later, see ping()
    if (node)
        pw_impl_node_add_listener(pw_global_get_object(global), &watch->hook, &node_events, watch);
    else if (link)
        pw_impl_link_add_listener(pw_global_get_object(global), &watch->hook, &link_events, watch);
    else if (port)
        pw_impl_port_add_listener(pw_global_get_object(global), &watch->hook, &port_events, watch);
    else
        watch->client = pw_global_get_object(global);
    spa_list_append(&s->watches, &watch->link);
    unsettle(watch);
}

static void on_global_removed(void *data, struct pw_global *global)
{
    struct pbpw_stepper *s = data;
    struct watch *watch, *next;
    spa_list_for_each_safe(watch, next, &s->watches, link) {
        if (watch->global != global)
            continue;
        on_gone(watch);
        spa_list_remove(&watch->link);
        free(watch);
    }
}

const struct pw_context_events pbpw_stepper_context_events = {
    .version = 0,  // what 0.3.65 has; later versions only append
    .global_added = on_global_added,
    .global_removed = on_global_removed,
};

// MARK: Settling

static void ping(struct watch *watch)
{
    struct pw_resource *core = pw_impl_client_get_core_resource(watch->client);
    if (core == NULL)
        return;  // has not said hello, so has no nodes
    if (!watch->hooked)
        pw_resource_add_listener(core, &watch->hook, &client_events, watch);
    watch->hooked = true;
    if (pw_resource_ping(core, 0) >= 0)
        watch->pings++;
}

static bool awaits_pong(struct pbpw_stepper *s)
{
    struct watch *watch;
    spa_list_for_each(watch, &s->watches, link)
        if (watch->pings > 0)
            return true;
    return false;
}

static int nothing(struct spa_loop *loop, bool async, uint32_t seq, const void *data, size_t size, void *user)
{
    return 0;
}

int pbpw_stepper_settle_locked(struct pbpw_stepper *s, int timeout_ms)
{
    struct timespec deadline;
    int result = 0;
    pw_thread_loop_get_time(s->thread, &deadline, (int64_t)SPA_MAX(timeout_ms, 0) * SPA_NSEC_PER_MSEC);

    // A client answers a ping after all messages sent before. So a round without a change means rest, with two
    // exceptions. The daemon may have deferred work to the next iteration of its loop, which a second calm round
    // covers. A client may wait for the answer to a request of its own, which is a third round. For a latency a client
    // may send several requests, one after the other, before it publishes the next one.
    for (int calm = 0; calm < 8 && result == 0; ) {
        struct watch *watch;
        atomic_store(&s->unsettled, false);
        spa_list_for_each(watch, &s->watches, link)
            if (watch->client != NULL)
                ping(watch);
        while (result == 0 && (awaits_pong(s) || !s->running))
            result = pw_thread_loop_timed_wait_full(s->thread, &deadline);
        calm = atomic_load(&s->unsettled) ? 0 : calm + 1;
    }
    // When this returns, all work that the main loop queued for the data loop is done.
    pw_loop_invoke(s->data_loop, nothing, 0, NULL, 0, true, NULL);
    return result;
}

int pbpw_stepper_settle(struct pbpw_stepper *s, int timeout_ms)
{
    pw_thread_loop_lock(s->thread);
    int result = pbpw_stepper_settle_locked(s, timeout_ms);
    pw_thread_loop_unlock(s->thread);
    return result;
}
