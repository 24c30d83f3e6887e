// SPDX-License-Identifier: MIT
// gettid is a GNU extension.
#define _GNU_SOURCE
#include "pbpw_loop.h"

#include <errno.h>
#include <pipewire/pipewire.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "private.h"

static void initialise(void) {
    pw_init(NULL, NULL);
}

const char *pbpw_library_version(void) {
    // Never undone: pw_deinit is fatal while another loop of the process lives, and this target cannot know of those.
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, initialise);
    return pw_get_library_version();
}

void pbpw_log_warning(const char *line) {
    pw_log_warn("pipebus: %s", line);
}

int pbpw_thread_id(void) {
    return gettid();
}

static void on_event(void *data, uint64_t count) {
    struct pbpw_loop *loop = data;
    loop->on_wakeup(loop->data);
    pbpw_turns_resume(loop);
}

static void on_wait(void *data) {
    struct pbpw_loop *loop = data;
    loop->wait_began = pbpw_now();
}

static void on_wait_end(void *data) {
    struct pbpw_loop *loop = data;
    // At once, whatever ended the wait: a process that goes on after SIGSTOP is told EINTR, and waits again.
    const uint64_t due = pbpw_timers_next(loop);
    loop->wait_ended = pbpw_now();
    // A loop that was busy when the timer was due says nothing about the process.
    if (loop->wait_began < due && due < loop->wait_ended) {
        loop->overdue = SPA_MAX(loop->overdue, loop->wait_ended - due);
    }
}

static const struct spa_loop_control_hooks wait_hooks = {
    SPA_VERSION_LOOP_CONTROL_HOOKS,
    .before = on_wait,
    .after = on_wait_end,
};

uint64_t pbpw_loop_take_overdue(struct pbpw_loop *loop) {
    const uint64_t overdue = loop->overdue;
    loop->overdue = 0;
    return overdue;
}

struct pbpw_loop *pbpw_loop_new(const char *thread_name, pbpw_callback on_wakeup, void *data) {
    pbpw_library_version();
    struct pbpw_loop *loop = calloc(1, sizeof *loop);
    if (loop == NULL) {
        return NULL;
    }
    spa_list_init(&loop->paused);
    loop->on_wakeup = on_wakeup;
    loop->data = data;
    loop->thread = pw_thread_loop_new(thread_name, NULL);
    if (loop->thread == NULL) {
        free(loop);
        return NULL;
    }
    loop->loop = pw_thread_loop_get_loop(loop->thread);
    loop->event = pw_loop_add_event(loop->loop, on_event, loop);
    if (loop->event == NULL || !pbpw_timers_begin(loop)) {
        // This also destroys the loop's sources.
        pw_thread_loop_destroy(loop->thread);
        free(loop);
        return NULL;
    }
    pw_loop_add_hook(loop->loop, &loop->wait_hook, &wait_hooks, loop);
    return loop;
}

int pbpw_loop_start(struct pbpw_loop *loop) {
    return pw_thread_loop_start(loop->thread);
}

void pbpw_loop_stop(struct pbpw_loop *loop) {
    pw_thread_loop_stop(loop->thread);
}

void pbpw_loop_destroy(struct pbpw_loop *loop) {
    spa_hook_remove(&loop->wait_hook);
    pbpw_timers_end(loop);
    pw_loop_destroy_source(loop->loop, loop->event);
    pw_thread_loop_destroy(loop->thread);
    free(loop);
}

void pbpw_loop_signal(struct pbpw_loop *loop) {
    pw_loop_signal_event(loop->loop, loop->event);
}

struct pbpw_reader {
    struct pbpw_loop *loop;
    struct spa_source *source;
    pbpw_callback readable;
    void *data;
};

static void on_readable(void *data, int fd, uint32_t mask) {
    struct pbpw_reader *reader = data;
    reader->readable(reader->data);
}

struct pbpw_reader *pbpw_reader_new(struct pbpw_loop *loop, int fd, pbpw_callback readable, void *data) {
    struct pbpw_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) {
        return NULL;
    }
    *reader = (struct pbpw_reader){.loop = loop, .readable = readable, .data = data};
    reader->source = pw_loop_add_io(loop->loop, fd, SPA_IO_IN, false, on_readable, reader);
    if (reader->source == NULL) {
        free(reader);
        return NULL;
    }
    return reader;
}

void pbpw_reader_destroy(struct pbpw_reader *reader) {
    pw_loop_destroy_source(reader->loop->loop, reader->source);
    free(reader);
}
