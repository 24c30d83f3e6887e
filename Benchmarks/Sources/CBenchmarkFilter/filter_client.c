// SPDX-License-Identifier: MIT
#include "filter_client.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Before 1.4 only this configuration gives a client's audio thread real-time priority.
static bool needs_realtime_configuration(void) {
    int major = 0;
    int minor = 0;
    sscanf(pw_get_library_version(), "%d.%d", &major, &minor);
    return major < 1 || (major == 1 && minor < 4);
}

void filter_client_open(struct filter_client *client, const char *name) {
    pw_init(NULL, NULL);
    client->loop = pw_thread_loop_new("control", NULL);
    struct pw_properties *properties = pw_properties_new(PW_KEY_APP_NAME, name, NULL);
    if (needs_realtime_configuration()) {
        pw_properties_set(properties, PW_KEY_CONFIG_NAME, "client-rt.conf");
    }
    client->context = pw_context_new(pw_thread_loop_get_loop(client->loop), properties, 0);
    client->core = pw_context_connect(client->context, NULL, 0);
    if (client->core == NULL) {
        fprintf(stderr, "%s: cannot connect: %s\n", name, strerror(errno));
        exit(1);
    }
}

struct pw_filter *filter_client_add_node(
    struct filter_client *client, const char *name, struct pw_properties *properties,
    const struct pw_filter_events *events, struct spa_hook *listener, void *data) {
    pw_properties_set(properties, PW_KEY_NODE_NAME, name);
    pw_properties_set(properties, PW_KEY_MEDIA_TYPE, "Audio");
    pw_properties_set(properties, PW_KEY_MEDIA_CATEGORY, "Filter");
    pw_properties_set(properties, PW_KEY_MEDIA_ROLE, "DSP");
    struct pw_filter *filter = pw_filter_new(client->core, name, properties);
    pw_filter_add_listener(filter, listener, events, data);
    return filter;
}

void *filter_client_add_port(struct pw_filter *filter, enum pw_direction direction, const char *name) {
    return pw_filter_add_port(filter, direction, PW_FILTER_PORT_FLAG_MAP_BUFFERS, 0,
                              pw_properties_new(PW_KEY_FORMAT_DSP, "32 bit float mono audio", PW_KEY_PORT_NAME, name,
                                                NULL),
                              NULL, 0);
}

void filter_client_connect_node(struct pw_filter *filter) {
    if (pw_filter_connect(filter, PW_FILTER_FLAG_RT_PROCESS, NULL, 0) < 0) {
        fprintf(stderr, "%s: the filter cannot be connected\n", pw_filter_get_name(filter));
        exit(1);
    }
}

void filter_client_on_state_changed(
    void *data, enum pw_filter_state old, enum pw_filter_state state, const char *error) {
    if (state == PW_FILTER_STATE_ERROR) {
        fprintf(stderr, "a filter failed: %s\n", error);
    }
}

void filter_client_start(struct filter_client *client) {
    pw_thread_loop_start(client->loop);
}

void filter_client_stop(struct filter_client *client) {
    pw_thread_loop_stop(client->loop);
}

void filter_client_close(struct filter_client *client) {
    pw_context_destroy(client->context);
    pw_thread_loop_destroy(client->loop);
    pw_deinit();
}
