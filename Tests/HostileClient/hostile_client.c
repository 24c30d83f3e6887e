// SPDX-License-Identifier: MIT
// A client that does something to other apps' objects as fast as the daemon takes it. Made with libpipewire alone.
//
//     hostile-client links OUTPUT-NODE INPUT-NODE     links every output of the one to every input of the other, and removes
//                                                     the links, again and again
//     hostile-client params NODE                      sets the node's Props
//     hostile-client metadata OBJECT KEY VALUE        requests properties of the metadata object whose name begins so. A '#'
//                                                     in the key and in the value becomes a number that increases
//
// Connects to the daemon that PIPEWIRE_REMOTE names. Writes "ready" when it has found the objects. Then it reads lines from
// standard input: to "flood MILLISECONDS" it answers "done COUNT" afterwards, with the number of links or requests. Ends with its
// standard input, or with status 1 when the daemon goes.
#include <errno.h>
#include <pipewire/pipewire.h>
// Needs the types of the others.
#include <pipewire/extensions/metadata.h>
#include <spa/param/props.h>
#include <spa/pod/builder.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// Rounds that are sent before the daemon has answered the first of them.
enum { MOST_PORTS = 256, ROUNDS = 4, REQUESTS = 256, NAME = 256 };

struct port {
    uint32_t id;
    uint32_t node;
    bool is_input;
};

struct client {
    struct pw_main_loop *main;
    struct pw_loop *loop;
    struct pw_context *context;
    struct pw_core *core;
    struct pw_registry *registry;
    struct pw_metadata *metadata;
    struct pw_node *node;
    struct spa_hook core_listener;
    struct spa_hook registry_listener;
    char **arguments;
    uint32_t nodes[2];
    struct port ports[MOST_PORTS];
    int port_count;
    struct pw_proxy **links;
    int link_count;
    unsigned long count;
    int sent;
    int answered;
    bool is_lost;
};

static bool floods(const struct client *client, const char *what)
{
    return strcmp(client->arguments[1], what) == 0;
}

static void on_global(void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version,
                      const struct spa_dict *properties)
{
    (void)permissions, (void)version;
    struct client *client = data;
    if (properties == NULL)
        return;
    const char *name = spa_dict_lookup(properties, PW_KEY_NODE_NAME);
    const char *node = spa_dict_lookup(properties, PW_KEY_NODE_ID);
    const char *direction = spa_dict_lookup(properties, PW_KEY_PORT_DIRECTION);
    const char *object = spa_dict_lookup(properties, "metadata.name");
    const bool is_node = strcmp(type, PW_TYPE_INTERFACE_Node) == 0 && name != NULL;
    if (floods(client, "params")) {
        if (is_node && client->node == NULL && strcmp(name, client->arguments[2]) == 0)
            client->node = pw_registry_bind(client->registry, id, PW_TYPE_INTERFACE_Node, PW_VERSION_NODE, 0);
    } else if (floods(client, "links") && is_node) {
        for (int end = 0; end < 2; end++)
            if (strcmp(name, client->arguments[2 + end]) == 0)
                client->nodes[end] = id;
    } else if (strcmp(type, PW_TYPE_INTERFACE_Port) == 0 && node != NULL && direction != NULL &&
               client->port_count < MOST_PORTS) {
        client->ports[client->port_count++] =
            (struct port){.id = id, .node = (uint32_t)atoi(node), .is_input = strcmp(direction, "in") == 0};
    } else if (floods(client, "metadata") && client->metadata == NULL && object != NULL &&
               strncmp(object, client->arguments[2], strlen(client->arguments[2])) == 0) {
        client->metadata =
            pw_registry_bind(client->registry, id, PW_TYPE_INTERFACE_Metadata, PW_VERSION_METADATA, 0);
    }
}

// A port that is made again has another id.
static void on_global_remove(void *data, uint32_t id)
{
    struct client *client = data;
    for (int index = 0; index < client->port_count; index++)
        if (client->ports[index].id == id)
            client->ports[index] = client->ports[--client->port_count];
}

static const struct pw_registry_events registry_events = {
    PW_VERSION_REGISTRY_EVENTS, .global = on_global, .global_remove = on_global_remove,
};

static void on_done(void *data, uint32_t id, int seq)
{
    (void)seq;
    struct client *client = data;
    if (id == PW_ID_CORE)
        client->answered++;
}

static void on_error(void *data, uint32_t id, int seq, int result, const char *message)
{
    (void)seq;
    struct client *client = data;
    if (id != PW_ID_CORE || result != -EPIPE)
        return;
    fprintf(stderr, "hostile-client: %s\n", message);
    client->is_lost = true;
}

static const struct pw_core_events core_events = {PW_VERSION_CORE_EVENTS, .done = on_done, .error = on_error};

static void sync_round(struct client *client)
{
    pw_core_sync(client->core, PW_ID_CORE, 0);
    client->sent++;
}

static void wait_for_rounds(struct client *client, int most_open)
{
    do
        pw_loop_iterate(client->loop, client->sent - client->answered > most_open ? 1000 : 0);
    while (!client->is_lost && client->sent - client->answered > most_open);
}

static void make_link(struct client *client, uint32_t output, uint32_t input)
{
    char ends[2][16];
    snprintf(ends[0], sizeof ends[0], "%u", output);
    snprintf(ends[1], sizeof ends[1], "%u", input);
    const struct spa_dict_item items[] = {SPA_DICT_ITEM_INIT(PW_KEY_LINK_OUTPUT_PORT, ends[0]),
                                          SPA_DICT_ITEM_INIT(PW_KEY_LINK_INPUT_PORT, ends[1])};
    struct pw_proxy *link = pw_core_create_object(client->core, "link-factory", PW_TYPE_INTERFACE_Link, PW_VERSION_LINK,
                                                  &SPA_DICT_INIT_ARRAY(items), 0);
    if (link != NULL)
        client->links[client->link_count++] = link;
}

static void links_round(struct client *client)
{
    for (int from = 0; from < client->port_count; from++) {
        const struct port *output = &client->ports[from];
        for (int to = 0; to < client->port_count && output->node == client->nodes[0] && !output->is_input; to++) {
            const struct port *input = &client->ports[to];
            if (input->node == client->nodes[1] && input->is_input)
                make_link(client, output->id, input->id);
        }
    }
    client->count += (unsigned long)client->link_count;
    sync_round(client);
    while (client->link_count > 0)
        pw_proxy_destroy(client->links[--client->link_count]);
}

static void number(char *text, size_t size, const char *pattern, unsigned long value)
{
    const char *mark = strchr(pattern, '#');
    if (mark == NULL)
        snprintf(text, size, "%s", pattern);
    else
        snprintf(text, size, "%.*s%lu%s", (int)(mark - pattern), pattern, value, mark + 1);
}

static void metadata_round(struct client *client)
{
    for (int request = 0; request < REQUESTS; request++) {
        char key[NAME], value[NAME];
        number(key, sizeof key, client->arguments[3], client->count);
        number(value, sizeof value, client->arguments[4], client->count);
        pw_metadata_set_property(client->metadata, 0, key, "Spa:Float", value);
        client->count++;
    }
    sync_round(client);
}

static void params_round(struct client *client)
{
    for (int request = 0; request < REQUESTS; request++) {
        uint8_t buffer[256];
        struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof buffer);
        const struct spa_pod *props = spa_pod_builder_add_object(&builder, SPA_TYPE_OBJECT_Props, SPA_PARAM_Props,
                                                                 SPA_PROP_mute, SPA_POD_Bool(client->count % 2 == 0));
        pw_node_set_param(client->node, SPA_PARAM_Props, 0, props);
        client->count++;
    }
    sync_round(client);
}

static int64_t milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void flood(struct client *client, long duration)
{
    const int64_t end = milliseconds() + duration;
    client->count = 0;
    while (milliseconds() < end && !client->is_lost) {
        if (client->metadata != NULL)
            metadata_round(client);
        else if (client->node != NULL)
            params_round(client);
        else
            links_round(client);
        wait_for_rounds(client, ROUNDS - 1);
    }
    sync_round(client);
    wait_for_rounds(client, 0);
}

static bool is_ready(const struct client *client)
{
    return client->metadata != NULL || client->node != NULL ||
           (client->nodes[0] != 0 && client->nodes[1] != 0 && client->port_count > 1);
}

int main(int count, char **arguments)
{
    static struct client client;
    const bool is_known = count > 1 && ((strcmp(arguments[1], "links") == 0 && count == 4) ||
                                        (strcmp(arguments[1], "params") == 0 && count == 3) ||
                                        (strcmp(arguments[1], "metadata") == 0 && count == 5));
    if (!is_known) {
        fprintf(stderr, "usage: hostile-client links OUTPUT-NODE INPUT-NODE | params NODE | metadata OBJECT KEY VALUE\n");
        return 64;
    }
    pw_init(NULL, NULL);
    client.arguments = arguments;
    client.main = pw_main_loop_new(NULL);
    client.loop = pw_main_loop_get_loop(client.main);
    client.context = pw_context_new(client.loop, NULL, 0);
    client.core = pw_context_connect(client.context, NULL, 0);
    client.links = calloc((size_t)MOST_PORTS * MOST_PORTS, sizeof *client.links);
    if (client.core == NULL || client.links == NULL) {
        fprintf(stderr, "hostile-client: %s\n", strerror(errno));
        return 1;
    }
    pw_core_add_listener(client.core, &client.core_listener, &core_events, &client);
    client.registry = pw_core_get_registry(client.core, PW_VERSION_REGISTRY, 0);
    pw_registry_add_listener(client.registry, &client.registry_listener, &registry_events, &client);
    pw_loop_enter(client.loop);
    do {
        sync_round(&client);
        wait_for_rounds(&client, 0);
    } while (!client.is_lost && !is_ready(&client));
    // The values of a metadata object that was bound.
    sync_round(&client);
    wait_for_rounds(&client, 0);
    puts("ready");
    fflush(stdout);
    char line[64];
    long duration;
    while (!client.is_lost && fgets(line, sizeof line, stdin) != NULL) {
        if (sscanf(line, "flood %ld", &duration) != 1)
            continue;
        flood(&client, duration);
        printf("done %lu\n", client.count);
        fflush(stdout);
    }
    pw_loop_leave(client.loop);
    return client.is_lost ? 1 : 0;
}
