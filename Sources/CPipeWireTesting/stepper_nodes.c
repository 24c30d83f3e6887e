// SPDX-License-Identifier: MIT
// The stepper's own nodes, and the cycle that they begin and end.
#pragma GCC diagnostic ignored "-Wunused-parameter"  // callbacks have the signatures they have
#include "stepper_private.h"

#include <errno.h>
#include <unistd.h>

#include <spa/node/utils.h>

// MARK: The cycle (data loop)

static void answer(struct pbpw_stepper *s, uint64_t cycle, int result)
{
    s->result = result;
    atomic_store_explicit(&s->answered, cycle, memory_order_release);
    sem_post(&s->answer);
}

void pbpw_stepper_begin_cycle(struct spa_source *source)
{
    struct pbpw_stepper *s = source->data;
    struct spa_io_clock *clock = s->driver.clock;
    uint64_t count;
    if (read(source->fd, &count, sizeof count) < 0 || clock == NULL)
        return;

    clock->nsec = pbpw_stepper_nsec(s, s->position);
    clock->next_nsec = pbpw_stepper_nsec(s, s->position + s->frames);
    clock->rate = SPA_FRACTION(1, s->rate);
    if (s->own_clock_id == 0)
        s->own_clock_id = clock->id;
    clock->id = s->clock_id != 0 ? s->clock_id : s->own_clock_id;
    clock->position = s->position;
    clock->duration = s->frames;
    clock->delay = 0;
    clock->rate_diff = 1.0;
    SPA_FLAG_UPDATE(clock->flags, SPA_IO_CLOCK_FLAG_FREEWHEEL, s->freewheels);

    // If the last cycle is unfinished, "ready" first calls our process() for it
    // and only then begins the new one; that call is not an answer.
    s->recovering = s->completed != s->begun;
    s->begun = s->cycle;
    s->begun_frames = s->frames;
    s->begun_rate = s->rate;
    atomic_store_explicit(&s->taken, s->cycle, memory_order_release);
    int result = spa_node_call_ready(&s->driver.callbacks, SPA_STATUS_HAVE_DATA | SPA_STATUS_NEED_DATA);
    s->recovering = false;
    if (result < 0) {
        s->completed = s->begun;
        answer(s, s->begun, result);
    }
}

// The graph calls the driver's process() when all followers have finished.
static int graph_node_process(void *object)
{
    struct graph_node *node = object;
    struct pbpw_stepper *s = node->driver_of;
    if (s != NULL && s->recovering) {
        s->recovering = false;
    } else if (s != NULL) {
        s->completed = s->begun;
        // 0.3.65 puts a pending quantum or rate of its own in place of ours.
        bool ours = node->clock->duration == s->begun_frames && node->clock->rate.denom == s->begun_rate;
        answer(s, s->begun, ours ? 0 : -EPROTO);
    }
    return SPA_STATUS_HAVE_DATA | SPA_STATUS_NEED_DATA;
}

// MARK: Our nodes

static int graph_node_add_listener(void *object, struct spa_hook *listener,
                                   const struct spa_node_events *events, void *data)
{
    struct graph_node *node = object;
    struct spa_hook_list save;
    struct spa_node_info info = SPA_NODE_INFO_INIT();
    info.change_mask = SPA_NODE_CHANGE_MASK_FLAGS;
    info.flags = SPA_NODE_FLAG_RT;
    spa_hook_list_isolate(&node->hooks, &save, listener, events, data);
    spa_node_emit_info(&node->hooks, &info);
    spa_hook_list_join(&node->hooks, &save);
    return 0;
}

static int graph_node_set_callbacks(void *object, const struct spa_node_callbacks *callbacks, void *data)
{
    struct graph_node *node = object;
    node->callbacks = SPA_CALLBACKS_INIT(callbacks, data);
    return 0;
}

static int graph_node_set_io(void *object, uint32_t id, void *data, size_t size)
{
    struct graph_node *node = object;
    if (id == SPA_IO_Clock)
        node->clock = size >= sizeof(struct spa_io_clock) ? data : NULL;
    return id == SPA_IO_Clock || id == SPA_IO_Position ? 0 : -ENOENT;
}

static int graph_node_send_command(void *object, const struct spa_command *command)
{
    struct graph_node *node = object;
    if (node->driver_of != NULL) {
        node->driver_of->running = SPA_NODE_COMMAND_ID(command) == SPA_NODE_COMMAND_Start;
        pw_thread_loop_signal(node->driver_of->thread, false);
    }
    return 0;
}

static const struct spa_node_methods graph_node_methods = {
    SPA_VERSION_NODE_METHODS,
    .add_listener = graph_node_add_listener,
    .set_callbacks = graph_node_set_callbacks,
    .set_io = graph_node_set_io,
    .send_command = graph_node_send_command,
    .process = graph_node_process,
};

int pbpw_graph_node_add(struct graph_node *node, struct pw_context *context, struct pw_properties *properties)
{
    node->iface.iface = SPA_INTERFACE_INIT(SPA_TYPE_INTERFACE_Node, SPA_VERSION_NODE, &graph_node_methods, node);
    spa_hook_list_init(&node->hooks);
    struct pw_impl_node *impl = pw_context_create_node(context, properties, 0);
    if (impl == NULL)
        return -errno;
    int result = pw_impl_node_set_implementation(impl, &node->iface);
    if (result >= 0)
        result = pw_impl_node_register(impl, NULL);
    if (result >= 0)
        result = pw_impl_node_set_active(impl, true);
    return result;  // the context owns `impl`
}
