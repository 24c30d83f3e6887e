// SPDX-License-Identifier: MIT
#include <errno.h>

#include <pipewire/impl.h>
#include <pipewire/pipewire.h>
#include <spa/pod/parser.h>

#include <pipewire/extensions/profiler.h>
#include <pipewire/extensions/protocol-native.h>

#include "private.h"

// The client's half of the profiler's protocol: one event.
//
// PipeWire has it only in its profiler module, which is a daemon's. Up to 1.0.0 the module takes 8 or 16 MiB for reports of
// its own, and frees them with the context. After a session or two the allocator keeps that memory, resident, for the process.

static int add_listener(void *object, struct spa_hook *listener, const struct pw_profiler_events *events, void *data) {
    pw_proxy_add_object_listener(object, listener, events, data);
    return 0;
}

static int demarshal_profile(void *object, const struct pw_protocol_native_message *message) {
    struct spa_pod_parser parser;
    struct spa_pod *pod = NULL;
    spa_pod_parser_init(&parser, message->data, (uint32_t)message->size);
    if (spa_pod_parser_get_struct(&parser, SPA_POD_Pod(&pod)) < 0) {
        return -EINVAL;
    }
    pw_proxy_notify((struct pw_proxy *)object, struct pw_profiler_events, profile, 0, pod);
    return 0;
}

static const struct pw_profiler_methods client_marshal = {
    PW_VERSION_PROFILER_METHODS,
    .add_listener = add_listener,
};

static const struct pw_protocol_native_demarshal client_demarshal[PW_PROFILER_EVENT_NUM] = {
    [PW_PROFILER_EVENT_PROFILE] = {.func = demarshal_profile},
};

static const struct pw_protocol_marshal marshal = {
    .type = PW_TYPE_INTERFACE_Profiler,
    .version = PW_VERSION_PROFILER,
    .n_client_methods = PW_PROFILER_METHOD_NUM,
    .n_server_methods = PW_PROFILER_EVENT_NUM,
    .client_marshal = &client_marshal,
    .client_demarshal = client_demarshal,
};

bool pbpw_profiler_add_protocol(struct pw_context *context) {
    struct pw_protocol *protocol = pw_context_find_protocol(context, PW_TYPE_INFO_PROTOCOL_Native);
    return protocol != NULL && pw_protocol_add_marshal(protocol, &marshal) >= 0;
}
