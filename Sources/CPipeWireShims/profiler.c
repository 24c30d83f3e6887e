// SPDX-License-Identifier: MIT
#include "pbpw_profiler.h"

#include <errno.h>
#include <stdlib.h>

// Before the extension, which does not include its own dependencies.
#include <pipewire/impl.h>
#include <pipewire/pipewire.h>

#include <pipewire/extensions/profiler.h>

#include "private.h"

struct pbpw_profiler {
    struct pbpw_core *core; // NULL once it has gone
    struct pw_proxy *proxy;
    struct spa_hook listener;
    struct spa_hook object_listener;
    const struct pbpw_profiler_events *events;
    void *data;
};

static void on_profile(void *data, const struct spa_pod *pod) {
    struct pbpw_profiler *profiler = data;
    if (pod != NULL) {
        profiler->events->profile(profiler->data, pod, SPA_POD_SIZE(pod));
    }
}

static const struct pw_profiler_events profiler_events = {PW_VERSION_PROFILER_EVENTS, .profile = on_profile};

static void on_removed(void *data) {
    struct pbpw_profiler *profiler = data;
    profiler->events->removed(profiler->data);
}

static void on_error(void *data, int sequence, int error, const char *message) {
    struct pbpw_profiler *profiler = data;
    profiler->events->error(profiler->data, error, message);
}

static const struct pw_proxy_events proxy_events = {
    PW_VERSION_PROXY_EVENTS,
    .removed = on_removed,
    .error = on_error,
};

static bool add_protocol(struct pbpw_core *core) {
    if (!core->has_profiler_protocol) {
        core->has_profiler_protocol = pbpw_profiler_add_protocol(core->context);
    }
    return core->has_profiler_protocol;
}

struct pbpw_profiler *pbpw_profiler_new(struct pbpw_core *core, uint32_t id, const struct pbpw_profiler_events *events,
                                        void *data) {
    if (core->registry == NULL || core->profiler != NULL) {
        errno = EINVAL;
        return NULL;
    }
    if (!add_protocol(core)) {
        errno = EPROTO;
        return NULL;
    }
    struct pbpw_profiler *profiler = calloc(1, sizeof *profiler);
    if (profiler == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    profiler->proxy = pw_registry_bind(core->registry, id, PW_TYPE_INTERFACE_Profiler, PW_VERSION_PROFILER, 0);
    if (profiler->proxy == NULL) {
        int error = errno;
        free(profiler);
        errno = error;
        return NULL;
    }
    profiler->core = core;
    profiler->events = events;
    profiler->data = data;
    core->profiler = profiler;
    pw_proxy_add_listener(profiler->proxy, &profiler->listener, &proxy_events, profiler);
    pw_proxy_add_object_listener(profiler->proxy, &profiler->object_listener, &profiler_events, profiler);
    return profiler;
}

void pbpw_profiler_detach(struct pbpw_core *core) {
    struct pbpw_profiler *profiler = core->profiler;
    if (profiler == NULL) {
        return;
    }
    core->profiler = NULL;
    profiler->core = NULL;
    spa_hook_remove(&profiler->listener);
    spa_hook_remove(&profiler->object_listener);
    pw_proxy_destroy(profiler->proxy);
}

void pbpw_profiler_destroy(struct pbpw_profiler *profiler) {
    if (profiler->core != NULL) {
        pbpw_profiler_detach(profiler->core);
    }
    free(profiler);
}
