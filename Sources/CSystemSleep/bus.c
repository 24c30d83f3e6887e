// SPDX-License-Identifier: MIT
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "CSystemSleep.h"

// sd-bus, as of libsystemd 237. Its names and types are part of a stable interface.
typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;
typedef struct sd_bus_slot sd_bus_slot;
typedef struct sd_bus_error sd_bus_error;
typedef int (*sd_bus_message_handler_t)(sd_bus_message *message, void *data, sd_bus_error *error);

static struct {
    int (*new)(sd_bus **bus);
    int (*set_address)(sd_bus *bus, const char *address);
    int (*set_bus_client)(sd_bus *bus, int is_client);
    int (*negotiate_fds)(sd_bus *bus, int takes_descriptors);
    int (*start)(sd_bus *bus);
    int (*match_signal_async)(sd_bus *bus, sd_bus_slot **slot, const char *sender, const char *path,
                              const char *interface, const char *member, sd_bus_message_handler_t received,
                              sd_bus_message_handler_t installed, void *data);
    int (*get_fd)(sd_bus *bus);
    int (*get_events)(sd_bus *bus);
    int (*process)(sd_bus *bus, sd_bus_message **message);
    sd_bus *(*close_unref)(sd_bus *bus);
    const char *(*get_destination)(sd_bus_message *message);
    int (*has_signature)(sd_bus_message *message, const char *signature);
    int (*read_basic)(sd_bus_message *message, char type, void *value);
} sd;
static bool is_loaded;

static void load(void) {
    // Never unloaded: it may have registered handlers for the end of the process.
    void *library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        return;
    }
    const struct {
        void *function;
        const char *name;
    } symbols[] = {
        {&sd.new, "sd_bus_new"},
        {&sd.set_address, "sd_bus_set_address"},
        {&sd.set_bus_client, "sd_bus_set_bus_client"},
        {&sd.negotiate_fds, "sd_bus_negotiate_fds"},
        {&sd.start, "sd_bus_start"},
        {&sd.match_signal_async, "sd_bus_match_signal_async"},
        {&sd.get_fd, "sd_bus_get_fd"},
        {&sd.get_events, "sd_bus_get_events"},
        {&sd.process, "sd_bus_process"},
        {&sd.close_unref, "sd_bus_close_unref"},
        {&sd.get_destination, "sd_bus_message_get_destination"},
        {&sd.has_signature, "sd_bus_message_has_signature"},
        {&sd.read_basic, "sd_bus_message_read_basic"},
    };
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *found = dlsym(library, symbols[i].name);
        if (found == NULL) {
            return;
        }
        *(void **)symbols[i].function = found;
    }
    is_loaded = true;
}

bool css_bus_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return is_loaded;
}

struct css_bus {
    sd_bus *bus;
    int poll; // an epoll descriptor with the bus's own: that one may also have to be waited for until it is writable
    int watched; // the bus's own; -1 before it is watched
    css_sleep_callback changed;
    void *data;
};

static int received(sd_bus_message *message, void *data, sd_bus_error *error) {
    struct css_bus *bus = data;
    int is_about_to_sleep = 0;
    // A message for this connection alone may be from anybody: only a broadcast comes by the match, whose sender the bus
    // daemon checks. sd-bus itself cannot.
    if (sd.get_destination(message) == NULL && sd.has_signature(message, "b") > 0 &&
        sd.read_basic(message, 'b', &is_about_to_sleep) > 0) {
        bus->changed(bus->data, is_about_to_sleep != 0);
    }
    return 0;
}

// Waits for what the connection waits for now.
static bool watch(struct css_bus *bus) {
    const int descriptor = sd.get_fd(bus->bus);
    const int wanted = sd.get_events(bus->bus);
    if (descriptor < 0 || wanted < 0) {
        return false;
    }
    struct epoll_event event = {
        .events = ((wanted & POLLIN) != 0 ? EPOLLIN : 0u) | ((wanted & POLLOUT) != 0 ? EPOLLOUT : 0u),
    };
    if (epoll_ctl(bus->poll, descriptor == bus->watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, descriptor, &event) < 0) {
        return false;
    }
    bus->watched = descriptor;
    return true;
}

static bool start(struct css_bus *bus, const char *address) {
    return sd.new(&bus->bus) >= 0 && sd.set_address(bus->bus, address) >= 0 && sd.set_bus_client(bus->bus, 1) >= 0 &&
           sd.negotiate_fds(bus->bus, 0) >= 0 && sd.start(bus->bus) >= 0 &&
           sd.match_signal_async(bus->bus, NULL, "org.freedesktop.login1", "/org/freedesktop/login1",
                                 "org.freedesktop.login1.Manager", "PrepareForSleep", received, NULL, bus) >= 0 &&
           watch(bus);
}

struct css_bus *css_bus_new(const char *address, css_sleep_callback changed, void *data) {
    struct css_bus *bus = css_bus_load() ? calloc(1, sizeof *bus) : NULL;
    if (bus == NULL) {
        return NULL;
    }
    *bus = (struct css_bus){.poll = epoll_create1(EPOLL_CLOEXEC), .watched = -1, .changed = changed, .data = data};
    if (bus->poll >= 0 && start(bus, address)) {
        return bus;
    }
    css_bus_free(bus);
    return NULL;
}

int css_bus_descriptor(const struct css_bus *bus) {
    return bus->poll;
}

bool css_bus_process(struct css_bus *bus) {
    // Bounded, so that nobody who sends much can hold up the thread.
    enum { most = 32 };
    int result = 1;
    for (int i = 0; i < most && result > 0; i++) {
        result = sd.process(bus->bus, NULL);
    }
    if (result >= 0 && watch(bus)) {
        return true;
    }
    // Otherwise it would stay readable.
    epoll_ctl(bus->poll, EPOLL_CTL_DEL, bus->watched, NULL);
    return false;
}

void css_bus_free(struct css_bus *bus) {
    if (bus->poll >= 0) {
        close(bus->poll);
    }
    if (bus->bus != NULL) {
        // Not flushed: that would wait.
        sd.close_unref(bus->bus);
    }
    free(bus);
}
