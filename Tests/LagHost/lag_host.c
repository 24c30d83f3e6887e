// SPDX-License-Identifier: MIT
// A node made through the shims, as every port of PipeBus is. Its block reads the buffer of the input "in" for so long.
// Another input, "other", keeps it running. Its control thread is late whenever it has waited for its audio thread. With a
// fourth word another node is made and destroyed before it.
//
//     lag-host NAME BLOCK-MILLISECONDS LAG-MILLISECONDS [AFTER-ANOTHER-NODE]
//
// Connects to the daemon that PIPEWIRE_REMOTE names. Writes "ready" when its port can be linked, and "cycles COUNT" for
// each line of standard input. Ends with its standard input.
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "CRealtime.h"
#include "lag.h"
#include "pbpw_filter.h"
#include "private.h"

struct host {
    const char *name;
    int block, lag; // ms
    bool has_predecessor;
    struct pbpw_core *core;
    struct pbpw_filter *filter;
    _Atomic uint64_t cycles;
    atomic_bool is_ready;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static CRT_SWIFTCALL void process(void *core, const struct crt_cycle *cycle, const void *function, const void *context,
                                  CRT_SWIFT_CONTEXT const void *body_context)
{
    struct host *host = core;
    const volatile float *samples = cycle->inputs[0];
    if (samples == NULL)
        return;
    static volatile float sum;
    for (const double end = now() + host->block; now() < end;)
        for (uint32_t frame = 0; frame < cycle->frames; frame++)
            sum = sum + samples[frame];
    atomic_fetch_add(&host->cycles, 1);
}

static void on_state(void *data, int old_state, int state, const char *error)
{
    struct host *host = data;
    if (state == pbpw_filter_paused && !atomic_exchange(&host->is_ready, true))
        pbpw_core_sync(host->core);
}

static void on_latency(void *data, bool is_input, uint32_t port, bool is_output_latency,
                       const struct pbpw_latency *minimum, const struct pbpw_latency *maximum) {}
static void on_request(void *data, const char *key, const char *value) {}
static const struct pbpw_filter_events filter_events = {on_state, on_latency, on_request};

static void on_info(void *data, uint32_t cookie, const char *version, int32_t pid) {}
static void on_error(void *data, uint32_t id, int sequence, int error, const char *message) {}

static int make_node(struct host *host);

static void on_done(void *data, uint32_t id, int sequence)
{
    struct host *host = data;
    if (host->has_predecessor) {
        host->has_predecessor = false;
        // Its proxy stays until the daemon has answered.
        pbpw_filter_destroy(host->filter);
        atomic_store(&host->is_ready, false);
        if (make_node(host) < 0)
            exit(1);
        return;
    }
    puts("ready");
    fflush(stdout);
}

static const struct pbpw_core_events core_events = {.info = on_info, .done = on_done, .error = on_error};

static void on_wakeup(void *data) {}

static void add_input(struct host *host, const char *name)
{
    struct pbpw_properties *properties = pbpw_properties_new();
    pbpw_properties_set(properties, PW_KEY_FORMAT_DSP, "32 bit float mono audio");
    pbpw_properties_set(properties, PW_KEY_PORT_NAME, name);
    pbpw_filter_add_port(host->filter, true, properties);
}

static int make_node(struct host *host)
{
    static struct crt_load load;
    int error = 0;
    const struct crt_call call = {.body.function = (const void *)process, .core = host};
    struct pbpw_properties *properties = pbpw_properties_new();
    pbpw_properties_set(properties, PW_KEY_NODE_NAME, host->name);
    host->filter = pbpw_filter_new(host->core, host->name, properties, &filter_events, call, NULL, &load, host,
                                   &error);
    if (host->filter == NULL)
        return error;
    add_input(host, "in");
    add_input(host, "other");
    return pbpw_filter_connect(host->filter);
}

// All of it before the loop's thread starts.
static int start(struct host *host)
{
    int error = 0;
    const char *failed;
    struct pbpw_loop *loop = pbpw_loop_new("lag-host", on_wakeup, NULL);
    host->core = pbpw_core_connect(loop, pbpw_properties_new(), -1, &core_events, host, &error, &failed);
    if (host->core == NULL)
        return error;
    error = make_node(host);
    lag_while_waiting(pw_data_loop_get_loop(pw_context_get_data_loop(host->core->context)), 0, host->lag);
    return error < 0 ? error : pbpw_loop_start(loop);
}

int main(int count, char **arguments)
{
    if (count != 4 && count != 5) {
        fprintf(stderr, "usage: lag-host NAME BLOCK-MILLISECONDS LAG-MILLISECONDS [AFTER-ANOTHER-NODE]\n");
        return 64;
    }
    static struct host host;
    host.name = arguments[1];
    host.block = atoi(arguments[2]);
    host.lag = atoi(arguments[3]);
    host.has_predecessor = count == 5;
    const int result = start(&host);
    if (result < 0) {
        fprintf(stderr, "lag-host: %s\n", strerror(-result));
        return 1;
    }
    char line[16];
    while (fgets(line, sizeof line, stdin) != NULL) {
        printf("cycles %llu\n", (unsigned long long)atomic_load(&host.cycles));
        fflush(stdout);
    }
    return 0;
}
