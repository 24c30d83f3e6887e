// SPDX-License-Identifier: MIT
#include "pbpw_link.h"

#include <errno.h>
#include <pipewire/pipewire.h>
#include <stdio.h>
#include <stdlib.h>

#include "private.h"

struct pbpw_link {
    struct pw_proxy *proxy;
    struct spa_hook proxy_listener;
    struct spa_hook link_listener;
    const struct pbpw_link_events *events;
    void *data;
};

static void on_bound(void *data, uint32_t id) {
    struct pbpw_link *link = data;
    link->events->bound(link->data, id);
}

static void on_removed(void *data) {
    struct pbpw_link *link = data;
    link->events->removed(link->data);
}

static void on_error(void *data, int sequence, int error, const char *message) {
    struct pbpw_link *link = data;
    link->events->error(link->data, error, message);
}

static const struct pw_proxy_events proxy_events = {
    PW_VERSION_PROXY_EVENTS,
    .bound = on_bound,
    .removed = on_removed,
    .error = on_error,
};

static void on_info(void *data, const struct pw_link_info *info) {
    struct pbpw_link *link = data;
    if ((info->change_mask & PW_LINK_CHANGE_MASK_PROPS) != 0 && info->props != NULL) {
        const char *feedback = spa_dict_lookup(info->props, PW_KEY_LINK_FEEDBACK);
        link->events->feedback(link->data, feedback != NULL && spa_atob(feedback));
    }
    if ((info->change_mask & PW_LINK_CHANGE_MASK_STATE) != 0) {
        link->events->state(link->data, info->state, info->error);
    }
}

static const struct pw_link_events link_events = {PW_VERSION_LINK_EVENTS, .info = on_info};

struct pbpw_link *pbpw_link_new(struct pbpw_core *core, uint32_t output_port, uint32_t input_port, bool lingers,
                                bool is_passive, const struct pbpw_link_events *events, void *data) {
    char output[16], input[16];
    snprintf(output, sizeof output, "%u", output_port);
    snprintf(input, sizeof input, "%u", input_port);
    // Global port ids and no node: a port number is ambiguous as soon as a node is named too.
    struct spa_dict_item items[] = {
        SPA_DICT_ITEM_INIT(PW_KEY_LINK_OUTPUT_PORT, output),
        SPA_DICT_ITEM_INIT(PW_KEY_LINK_INPUT_PORT, input),
        SPA_DICT_ITEM_INIT(PW_KEY_OBJECT_LINGER, lingers ? "true" : "false"),
        // Ignored from 0.3.68 on, where a property of the ports replaces it.
        SPA_DICT_ITEM_INIT(PW_KEY_LINK_PASSIVE, "true"),
    };
    struct spa_dict properties = SPA_DICT_INIT(items, SPA_N_ELEMENTS(items) - (is_passive ? 0 : 1));
    struct pbpw_link *link = calloc(1, sizeof *link);
    if (link == NULL) {
        return NULL;
    }
    link->events = events;
    link->data = data;
    link->proxy = pw_core_create_object(core->core, "link-factory", PW_TYPE_INTERFACE_Link, PW_VERSION_LINK,
                                        &properties, 0);
    if (link->proxy == NULL) {
        free(link);
        return NULL;
    }
    pw_proxy_add_listener(link->proxy, &link->proxy_listener, &proxy_events, link);
    pw_proxy_add_object_listener(link->proxy, &link->link_listener, &link_events, link);
    return link;
}

void pbpw_link_destroy(struct pbpw_link *link) {
    spa_hook_remove(&link->proxy_listener);
    spa_hook_remove(&link->link_listener);
    pw_proxy_destroy(link->proxy);
    free(link);
}
