// SPDX-License-Identifier: MIT
// A stand-in for logind on a private bus. Each line of the input is a signal to send, and is answered with "sent":
//   true, false        PrepareForSleep for everybody
//   to NAME true       PrepareForSleep for one connection alone
//   text               PrepareForSleep with an argument of another type
//   empty              PrepareForSleep without an argument
//   other true         another signal of logind's
// Arguments: the bus's address, and "logind" to own its name. Prints "ready NAME" with its own name on the bus.
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;

static void *library;


static void check(int result, const char *what) {
    if (result < 0) {
        printf("error %s: %s\n", what, strerror(-result));
        exit(EXIT_FAILURE);
    }
}

static sd_bus *open_bus(const char *address, bool is_logind) {
    int (*bus_new)(sd_bus **) = dlsym(library, "sd_bus_new");
    int (*set_address)(sd_bus *, const char *) = dlsym(library, "sd_bus_set_address");
    int (*set_bus_client)(sd_bus *, int) = dlsym(library, "sd_bus_set_bus_client");
    int (*start)(sd_bus *) = dlsym(library, "sd_bus_start");
    int (*get_unique_name)(sd_bus *, const char **) = dlsym(library, "sd_bus_get_unique_name");
    int (*request_name)(sd_bus *, const char *, uint64_t) = dlsym(library, "sd_bus_request_name");
    sd_bus *bus = NULL;
    const char *name = NULL;
    check(bus_new(&bus), "sd_bus_new");
    check(set_address(bus, address), "sd_bus_set_address");
    check(set_bus_client(bus, 1), "sd_bus_set_bus_client");
    check(start(bus), "sd_bus_start");
    check(get_unique_name(bus, &name), "sd_bus_get_unique_name");
    if (is_logind) {
        check(request_name(bus, "org.freedesktop.login1", 0), "sd_bus_request_name");
    }
    printf("ready %s\n", name);
    return bus;
}

static void send_signal(sd_bus *bus, const char *line) {
    int (*new_signal)(sd_bus *, sd_bus_message **, const char *, const char *, const char *) = dlsym(library, "sd_bus_message_new_signal");
    int (*append)(sd_bus_message *, char, const void *) = dlsym(library, "sd_bus_message_append_basic");
    int (*send)(sd_bus *, sd_bus_message *, uint64_t *) = dlsym(library, "sd_bus_send");
    int (*send_to)(sd_bus *, sd_bus_message *, const char *, uint64_t *) = dlsym(library, "sd_bus_send_to");
    int (*flush)(sd_bus *) = dlsym(library, "sd_bus_flush");
    sd_bus_message *(*unref)(sd_bus_message *) = dlsym(library, "sd_bus_message_unref");

    char receiver[64] = "";
    char word[16] = "";
    if (sscanf(line, "to %63s %15s", receiver, word) < 2) {
        receiver[0] = '\0';
        sscanf(line, "%15s", word);
    }
    const bool is_other = strcmp(word, "other") == 0;
    const int value = strcmp(word, "false") != 0;
    sd_bus_message *message = NULL;
    check(new_signal(bus, &message, "/org/freedesktop/login1", "org.freedesktop.login1.Manager",
                     is_other ? "PrepareForShutdown" : "PrepareForSleep"), "sd_bus_message_new_signal");
    if (strcmp(word, "text") == 0) {
        check(append(message, 's', "true"), "sd_bus_message_append_basic");
    } else if (strcmp(word, "empty") != 0) {
        check(append(message, 'b', &value), "sd_bus_message_append_basic");
    }
    check(receiver[0] != '\0' ? send_to(bus, message, receiver, NULL) : send(bus, message, NULL), "sd_bus_send");
    check(flush(bus), "sd_bus_flush");
    unref(message);
    puts("sent");
}

int main(int count, char **arguments) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
    if (count < 2 || library == NULL) {
        puts("error no address, or no libsystemd");
        return EXIT_FAILURE;
    }
    sd_bus *bus = open_bus(arguments[1], count > 2 && strcmp(arguments[2], "logind") == 0);
    char line[128];
    while (fgets(line, sizeof line, stdin) != NULL) {
        send_signal(bus, line);
    }
    return EXIT_SUCCESS;
}
