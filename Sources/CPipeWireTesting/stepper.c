// SPDX-License-Identifier: MIT
#define _GNU_SOURCE  // sem_clockwait
#pragma GCC diagnostic ignored "-Wunused-parameter"  // callbacks have the signatures they have
#include "stepper_private.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum { START_TIMEOUT_MS = 5000, HELD_MS = 100 };

// MARK: Stepping

static struct timespec deadline_after(clockid_t clock, int timeout_ms)
{
    struct timespec now;
    clock_gettime(clock, &now);
    int64_t nsec = SPA_TIMESPEC_TO_NSEC(&now) + (int64_t)SPA_MAX(timeout_ms, 0) * SPA_NSEC_PER_MSEC;
    return (struct timespec){ nsec / SPA_NSEC_PER_SEC, nsec % SPA_NSEC_PER_SEC };
}

static int await_answer(struct pbpw_stepper *s, const struct timespec *deadline)
{
    // A post may be of an earlier cycle that ended after its time: compare the number.
    while (atomic_load_explicit(&s->answered, memory_order_acquire) != s->cycle)
        if (sem_clockwait(&s->answer, CLOCK_MONOTONIC, deadline) < 0 && errno != EINTR)
            return -errno;
    return s->result;
}

int pbpw_stepper_step(struct pbpw_stepper *s, uint32_t frames, int timeout_ms)
{
    if (frames < PBPW_STEPPER_MIN_FRAMES || frames > PBPW_STEPPER_MAX_FRAMES)
        return -EINVAL;
    struct timespec deadline = deadline_after(CLOCK_MONOTONIC, timeout_ms);

    // The main loop stands still from the last look at the graph to the cycle's end. A link that it made in between
    // would let the link's destination wait for a source that has not heard of the link, and so never signals it (1.4).
    pw_thread_loop_lock(s->thread);
    int result = atomic_load(&s->unsettled) ? pbpw_stepper_settle_locked(s, timeout_ms) : 0;
    if (result < 0) {
        pw_thread_loop_unlock(s->thread);
        return result;
    }
    s->frames = frames;
    s->cycle++;
    if (write(s->wake.fd, &(uint64_t){ 1 }, sizeof(uint64_t)) < 0) {
        result = -errno;
        pw_thread_loop_unlock(s->thread);
        return result;
    }
    struct timespec held = deadline_after(CLOCK_MONOTONIC, SPA_MIN(timeout_ms, HELD_MS));
    result = await_answer(s, &held);
    pw_thread_loop_unlock(s->thread);

    // A client that takes so long may itself wait for the daemon.
    if (result == -ETIMEDOUT)
        result = await_answer(s, &deadline);
    // A cycle that no client answered has begun all the same. One that the data loop has not even seen has not.
    if (result != -EIO && atomic_load_explicit(&s->taken, memory_order_acquire) == s->cycle)
        s->position += frames;
    return result;
}

uint64_t pbpw_stepper_position(const struct pbpw_stepper *s)
{
    return s->position;
}

void pbpw_stepper_move_clock(struct pbpw_stepper *s, uint64_t position, uint64_t nanoseconds)
{
    s->origin_nsec = pbpw_stepper_nsec(s, s->position) + nanoseconds;
    s->origin = position;
    s->position = position;
}

void pbpw_stepper_set_clock(struct pbpw_stepper *s, uint32_t id, uint32_t rate)
{
    s->origin_nsec = pbpw_stepper_nsec(s, s->position);
    s->origin = s->position;
    s->clock_id = id;
    s->rate = rate;
}

void pbpw_stepper_set_freewheeling(struct pbpw_stepper *s, bool freewheels)
{
    s->freewheels = freewheels;
}

uint64_t pbpw_stepper_nsec(const struct pbpw_stepper *s, uint64_t position)
{
    // From the origin, not from the last cycle, so that no rounding error adds up.
    return s->origin_nsec + (uint64_t)((__uint128_t)(position - s->origin) * SPA_NSEC_PER_SEC / s->rate);
}

// MARK: Life

static const char *const modules[] = {
    "libpipewire-module-protocol-native", "libpipewire-module-metadata", "libpipewire-module-client-node",
    "libpipewire-module-access", "libpipewire-module-link-factory", "libpipewire-module-spa-node-factory",
    "libpipewire-module-adapter", "libpipewire-module-profiler",
};

static int add_source(struct spa_loop *loop, bool async, uint32_t seq, const void *data, size_t size, void *user)
{
    return spa_loop_add_source(loop, user);
}

static int remove_source(struct spa_loop *loop, bool async, uint32_t seq, const void *data, size_t size, void *user)
{
    return spa_loop_remove_source(loop, user);
}

static int start(struct pbpw_stepper *s, const char *name, uint32_t quantum)
{
    if ((s->thread = pw_thread_loop_new("stepper", NULL)) == NULL)
        return -errno;
    struct pw_properties *properties = pw_properties_new(
        PW_KEY_CONFIG_NAME, "null", PW_KEY_CORE_DAEMON, "true", PW_KEY_CORE_NAME, name ? name : "pipewire-0",
        "support.dbus", "false", "link.max-buffers", "16", NULL);
    // One rate and one quantum. Otherwise 0.3.65 overwrites the stepper's for a cycle whenever a node with other values
    // is added or removed.
    pw_properties_setf(properties, "default.clock.rate", "%u", s->rate);
    pw_properties_setf(properties, "default.clock.allowed-rates", "[ %u ]", s->rate);
    pw_properties_setf(properties, "default.clock.quantum", "%u", quantum);
    pw_properties_setf(properties, "default.clock.min-quantum", "%u", quantum);
    pw_properties_setf(properties, "default.clock.max-quantum", "%u", quantum);
    pw_properties_setf(properties, "default.clock.quantum-limit", "%u", PBPW_STEPPER_MAX_FRAMES);
    if ((s->context = pw_context_new(pw_thread_loop_get_loop(s->thread), properties, 0)) == NULL)
        return -errno;
    s->data_loop = pw_data_loop_get_loop(pw_context_get_data_loop(s->context));
    pw_context_add_listener(s->context, &s->context_hook, &pbpw_stepper_context_events, s);

    pw_context_add_spa_lib(s->context, "audio.convert.*", "audioconvert/libspa-audioconvert");
    pw_context_add_spa_lib(s->context, "support.*", "support/libspa-support");
    for (size_t i = 0; i < SPA_N_ELEMENTS(modules); i++)
        if (pw_context_load_module(s->context, modules[i], NULL, NULL) == NULL)
            return -errno;
    struct pw_impl_factory *metadata = pw_context_find_factory(s->context, "metadata");
    if (metadata != NULL)
        pw_impl_factory_create_object(metadata, NULL, NULL, 0,
                                      pw_properties_new("metadata.name", "default", NULL), SPA_ID_INVALID);

    // Groups of their own: nodes in the driver's group without a link would not be run (0.3.65). A node that needs a
    // driver gets the only one.
    int result = pbpw_graph_node_add(&s->driver, s->context, pw_properties_new(
        PW_KEY_NODE_NAME, "stepper", PW_KEY_NODE_DRIVER, "true", PW_KEY_PRIORITY_DRIVER, "300000", NULL));
    if (result >= 0)
        result = pbpw_graph_node_add(&s->keeper, s->context, pw_properties_new(
            PW_KEY_NODE_NAME, "stepper-keeper", PW_KEY_NODE_ALWAYS_PROCESS, "true", NULL));
    if (result < 0)
        return result;
    result = pw_loop_invoke(s->data_loop, add_source, 0, NULL, 0, true, &s->wake);
    return result < 0 ? result : pw_thread_loop_start(s->thread);
}

struct pbpw_stepper *pbpw_stepper_create(const char *name, uint32_t rate, uint32_t quantum, int *error)
{
    struct pbpw_stepper *s = calloc(1, sizeof *s);
    if (s == NULL)
        abort();
    pw_init(NULL, NULL);
    spa_list_init(&s->watches);
    sem_init(&s->answer, 0, 0);
    s->rate = rate;
    s->origin_nsec = SPA_NSEC_PER_SEC; // not 0, which could be taken for "unset"
    s->driver.driver_of = s;
    s->wake = (struct spa_source){
        .func = pbpw_stepper_begin_cycle, .data = s, .mask = SPA_IO_IN, .fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
    };
    int result = rate > 0 && quantum > 0 ? start(s, name, quantum) : -EINVAL;
    if (result >= 0)
        result = pbpw_stepper_settle(s, START_TIMEOUT_MS);
    if (error != NULL)
        *error = SPA_MIN(result, 0);
    if (result >= 0)
        return s;
    pbpw_stepper_destroy(s);
    return NULL;
}

void pbpw_stepper_destroy(struct pbpw_stepper *s)
{
    if (s == NULL)
        return;
    if (s->thread != NULL)
        pw_thread_loop_stop(s->thread);
    if (s->wake.loop != NULL)
        pw_loop_invoke(s->data_loop, remove_source, 0, NULL, 0, true, &s->wake);
    if (s->context != NULL)
        pw_context_destroy(s->context);
    if (s->thread != NULL)
        pw_thread_loop_destroy(s->thread);
    close(s->wake.fd);
    sem_destroy(&s->answer);
    free(s);
    pw_deinit();
}
