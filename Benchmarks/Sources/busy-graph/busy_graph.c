// SPDX-License-Identifier: MIT
// A graph of other people's nodes: so many of them, stereo in and out, so many links between their left channels that let
// nothing run, and on demand a link between the last two nodes that is made and removed.
//
//     busy-graph APP-NAME NODES LINKS EVENTS-A-SECOND [flat]
//
// The links lead from each node to the next ones, or, if they are to be flat, from every second node to those between: the daemon
// looks for loops with each new link, and of 20 000 links in chains it makes 80 a second.
//
// Writes "ready" when all are there. From SIGUSR1 on the link is made and removed. Answers each SIGUSR2 with the number of its
// changes that the registry has reported. Ends on SIGTERM.
#include "filter_client.h"
#include "peer.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 4096, SPARE_NODES = 2, LINKS_AT_ONCE = 32 };

static const char *const port_names[2][peer_channels] = {{"in_FL", "in_FR"}, {"out_FL", "out_FR"}};

struct node {
    struct pw_filter *filter;
    struct spa_hook listener;
    uint32_t ports[2]; // the left ones, by direction
    int port_count;    // that are known
};

struct graph {
    struct filter_client client;
    struct pw_registry *registry;
    struct spa_hook registry_listener;
    struct spa_hook core_listener;
    struct node nodes[MOST_NODES];
    int node_count;
    int link_count; // in the registry
    bool is_flat;
    int period;     // of events, in nanoseconds
    struct pw_proxy *link;
    uint32_t newest_link;
    atomic_long events;
};

static void on_error(void *data, uint32_t id, int sequence, int result, const char *message) {
    fprintf(stderr, "busy-graph: object %u: %s\n", id, message);
    exit(1);
}

static const struct pw_core_events core_events = {.version = PW_VERSION_CORE_EVENTS, .error = on_error};

static uint32_t number(const struct spa_dict *properties, const char *key) {
    const char *text = properties != NULL ? spa_dict_lookup(properties, key) : NULL;
    return text != NULL ? (uint32_t)strtoul(text, NULL, 10) : SPA_ID_INVALID;
}

static void on_global(void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version,
                      const struct spa_dict *properties) {
    struct graph *graph = data;
    if (strcmp(type, PW_TYPE_INTERFACE_Link) == 0) {
        graph->link_count++;
        graph->newest_link = id;
        atomic_fetch_add(&graph->events, 1);
    } else if (strcmp(type, PW_TYPE_INTERFACE_Port) == 0) {
        const char *name = spa_dict_lookup(properties, PW_KEY_PORT_NAME);
        const uint32_t owner = number(properties, PW_KEY_NODE_ID);
        for (int i = graph->node_count - 1; i >= 0; i--) {
            if (pw_filter_get_node_id(graph->nodes[i].filter) == owner) {
                for (int direction = 0; name != NULL && direction < 2; direction++) {
                    if (strcmp(name, port_names[direction][0]) == 0) {
                        graph->nodes[i].ports[direction] = id;
                    }
                }
                graph->nodes[i].port_count++;
                break;
            }
        }
    }
    pw_thread_loop_signal(graph->client.loop, false);
}

static void on_global_remove(void *data, uint32_t id) {
    struct graph *graph = data;
    if (id == graph->newest_link) {
        graph->newest_link = SPA_ID_INVALID;
        atomic_fetch_add(&graph->events, 1);
    }
}

static const struct pw_registry_events registry_events = {
    .version = PW_VERSION_REGISTRY_EVENTS,
    .global = on_global,
    .global_remove = on_global_remove,
};

static void process(void *data, struct spa_io_position *position) {}

static const struct pw_filter_events filter_events = {
    .version = PW_VERSION_FILTER_EVENTS,
    .state_changed = filter_client_on_state_changed,
    .process = process,
};

// One after the other: 33 made in one go break the connection on 0.3.65.
static void add_node(struct graph *graph) {
    struct node *node = &graph->nodes[graph->node_count];
    char name[32];
    snprintf(name, sizeof name, "busy-%d", graph->node_count + 1);
    node->filter = filter_client_add_node(&graph->client, name, pw_properties_new(NULL, NULL), &filter_events,
                                          &node->listener, node);
    for (int channel = 0; channel < peer_channels; channel++) {
        filter_client_add_port(node->filter, PW_DIRECTION_INPUT, port_names[0][channel]);
        filter_client_add_port(node->filter, PW_DIRECTION_OUTPUT, port_names[1][channel]);
    }
    filter_client_connect_node(node->filter);
    graph->node_count++;
    while (node->port_count < 2 * peer_channels) {
        pw_thread_loop_wait(graph->client.loop);
    }
}

static struct pw_proxy *make_link(struct graph *graph, int from, int to, bool is_passive) {
    struct pw_properties *properties = pw_properties_new(PW_KEY_LINK_PASSIVE, is_passive ? "true" : "false", NULL);
    pw_properties_setf(properties, PW_KEY_LINK_OUTPUT_PORT, "%u", graph->nodes[from].ports[1]);
    pw_properties_setf(properties, PW_KEY_LINK_INPUT_PORT, "%u", graph->nodes[to].ports[0]);
    struct pw_proxy *link = pw_core_create_object(graph->client.core, "link-factory", PW_TYPE_INTERFACE_Link,
                                                  PW_VERSION_LINK, &properties->dict, 0);
    pw_properties_free(properties);
    return link;
}

// From each node to the next one, then to the one after, and so on: no loops, and no two links between the same ports.
static void add_links(struct graph *graph, int count) {
    const int linked = graph->node_count - SPARE_NODES;
    const int step = graph->is_flat ? 2 : 1;
    int made = 0;
    for (int distance = 1; distance < linked; distance += step) {
        for (int i = 0; i + distance < linked && made < count; i += step) {
            make_link(graph, i, i + distance, true);
            made++;
            while (made == count ? graph->link_count < count : graph->link_count + LINKS_AT_ONCE < made) {
                pw_thread_loop_wait(graph->client.loop);
            }
        }
    }
}

static void toggle(void *data, uint64_t expirations) {
    struct graph *graph = data;
    if (graph->link != NULL) {
        pw_proxy_destroy(graph->link);
        graph->link = NULL;
    } else {
        graph->link = make_link(graph, graph->node_count - 2, graph->node_count - 1, false);
    }
}

static void begin_events(struct graph *graph) {
    struct pw_loop *loop = pw_thread_loop_get_loop(graph->client.loop);
    struct timespec first = {.tv_nsec = 1};
    struct timespec interval = {.tv_sec = graph->period / 1000000000, .tv_nsec = graph->period % 1000000000};
    pw_loop_update_timer(loop, pw_loop_add_timer(loop, toggle, graph), &first, &interval, false);
}

int main(int argument_count, char **arguments) {
    const bool is_flat = argument_count == 6 && strcmp(arguments[5], "flat") == 0;
    const bool is_complete = argument_count == 5 || is_flat;
    const int nodes = is_complete ? atoi(arguments[2]) : 0;
    const int links = is_complete ? atoi(arguments[3]) : 0;
    const int events = is_complete ? atoi(arguments[4]) : 0;
    const int64_t most_links = (int64_t)(nodes - SPARE_NODES) * (nodes - SPARE_NODES - 1) / (is_flat ? 4 : 2);
    if (nodes < SPARE_NODES || nodes > MOST_NODES || links < 0 || links > most_links || events < 1 || events > 1000) {
        fprintf(stderr, "usage: busy-graph APP-NAME NODES LINKS EVENTS-A-SECOND [flat]\n");
        return 64;
    }
    peer_block_signals();
    static struct graph graph;
    graph.is_flat = is_flat;
    graph.period = 1000000000 / events;
    filter_client_open(&graph.client, arguments[1]);
    pw_core_add_listener(graph.client.core, &graph.core_listener, &core_events, &graph);
    graph.registry = pw_core_get_registry(graph.client.core, PW_VERSION_REGISTRY, 0);
    pw_registry_add_listener(graph.registry, &graph.registry_listener, &registry_events, &graph);
    filter_client_start(&graph.client);
    pw_thread_loop_lock(graph.client.loop);
    for (int i = 0; i < nodes; i++) {
        add_node(&graph);
    }
    add_links(&graph, links);
    pw_thread_loop_unlock(graph.client.loop);
    puts("ready");
    fflush(stdout);

    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    sigaddset(&signals, SIGUSR2);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    bool is_busy = false;
    for (int signal_number = 0; sigwait(&signals, &signal_number) == 0;) {
        if (signal_number == SIGUSR1 && !is_busy) {
            is_busy = true;
            atomic_store(&graph.events, 0);
            pw_thread_loop_lock(graph.client.loop);
            begin_events(&graph);
            pw_thread_loop_unlock(graph.client.loop);
        } else if (signal_number == SIGUSR2) {
            printf("%ld\n", atomic_load(&graph.events));
            fflush(stdout);
        } else if (signal_number != SIGUSR1) {
            break;
        }
    }
    // All that it made goes with its connection.
    return 0;
}
