// SPDX-License-Identifier: MIT
// Checks a tool's minimum of descriptors, memory and threads while the program is loaded. A later check could not
// report an error, because the program would crash or hang first. Trials with `ulimit -n`, `-v` and `-u` showed:
//  * libdispatch crashes in its first worker thread without descriptors for epoll, before an async `main` has begun.
//  * libdispatch retries for ever, without a message, if it has no memory for a thread's stack.
//  * Swift's runtime and libpipewire (while it loads modules) crash when memory runs out.
// Beyond this minimum, libpipewire returns an error, and PipeBus reports it in a sentence.
#define _GNU_SOURCE
#include "CToolLimits.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    needed_descriptors = 24, // libdispatch takes some whenever it starts a thread, and crashes without
    needed_megabytes = 512, // stacks of threads, their heaps, buffers
    other_threads = 8,      // PipeWire's two, the disk's, and some of libdispatch's own
    most_processors = 16,
};

__attribute__((format(printf, 1, 2))) static void end(const char *format, ...) {
    char sentence[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    dprintf(STDERR_FILENO, "%s: %s\n", program_invocation_short_name, sentence);
    _exit(EXIT_FAILURE);
}

static void check_descriptors(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return;
    }
    int left = 0;
    for (rlim_t fd = 0; fd < limit.rlim_cur && left < needed_descriptors; fd++) {
        left += fcntl((int)fd, F_GETFD) == -1;
    }
    if (left < needed_descriptors) {
        end("This process may have only %llu files open at once, which is too few; allow it at least 64 (ulimit -n).",
            (unsigned long long)limit.rlim_cur);
    }
}

static bool is_limited(int resource) {
    struct rlimit limit;
    return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

static void check_memory(void) {
    if (!is_limited(RLIMIT_AS) && !is_limited(RLIMIT_DATA)) {
        return;
    }
    size_t size = (size_t)needed_megabytes << 20;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        end("This process may use too little memory; allow it at least 1 GB (ulimit -v 1000000, ulimit -d 1000000).");
    }
    munmap(memory, size);
}

static void *wait_for_end(void *all) {
    while (sem_wait(all) != 0) {
    }
    return NULL;
}

// All at once, as they will be needed.
static void check_threads(void) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int needed = other_threads + (int)(processors < 1 ? 1 : processors > most_processors ? most_processors : processors);
    pthread_t threads[other_threads + most_processors];
    sem_t all;
    if (sem_init(&all, 0, 0) != 0) {
        return;
    }
    int started = 0;
    while (started < needed && pthread_create(&threads[started], NULL, wait_for_end, &all) == 0) {
        started++;
    }
    for (int i = 0; i < started; i++) {
        sem_post(&all);
    }
    for (int i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
    sem_destroy(&all);
    if (started < needed) {
        end("This process may start only %d further threads, which is too few; allow it more (ulimit -u), or end other programs.",
            started);
    }
}

// A standard stream that is closed (`>&-`) must not give its number to the next file or socket: a tool would read its input from
// there, or write text into it. An input becomes an empty one. An output still cannot be written: it is opened for reading.
static void hold_standard_streams(void) {
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
        if (fcntl(stream, F_GETFD) == -1) {
            (void)open("/dev/null", O_RDONLY);
        }
    }
}

__attribute__((constructor)) static void check_limits(void) {
    hold_standard_streams();
    check_descriptors();
    check_memory();
    check_threads();
}
