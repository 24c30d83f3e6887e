// SPDX-License-Identifier: MIT
// Makes races between the two threads of a PipeWire program visible: when its control thread has its audio thread do
// something and waits for that, it comes back later, as on a busy machine. Once per process.
#pragma once
#include <pipewire/pipewire.h>
#include <stdbool.h>
#include <unistd.h>

static struct {
    const struct spa_loop_methods *methods;
    void *loop;
    int before, after; // ms
} lag;

static int lag_invoke(void *object, spa_invoke_func_t function, uint32_t sequence, const void *data, size_t size,
                      bool waits, void *user_data)
{
    (void)object;
    if (waits)
        usleep((useconds_t)lag.before * 1000);
    const int result = lag.methods->invoke(lag.loop, function, sequence, data, size, waits, user_data);
    if (waits)
        usleep((useconds_t)lag.after * 1000);
    return result;
}

static inline void lag_while_waiting(struct pw_loop *loop, int before, int after)
{
    static struct spa_loop_methods methods;
    struct spa_callbacks *callbacks = &loop->loop->iface.cb;
    lag.methods = callbacks->funcs;
    lag.loop = callbacks->data;
    lag.before = before;
    lag.after = after;
    methods = *lag.methods;
    methods.invoke = lag_invoke;
    callbacks->funcs = &methods;
}
