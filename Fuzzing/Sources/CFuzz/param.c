// SPDX-License-Identifier: MIT
#include <spa/pod/pod.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "CFuzz.h"
#include "private.h"
#include "request.h"

struct reading {
    const struct cfuzz_reader *reader;
    void *data;
};

static void on_request(void *data, const char *key, const char *value) {
    const struct reading *reading = data;
    reading->reader->request(reading->data, key, value);
}

static const struct pbpw_filter_events events = {.request = on_request};

// Memory before a page that cannot be read.
static uint8_t *memory_end(size_t *size) {
    static uint8_t *end;
    static size_t page;
    if (end == NULL) {
        page = (size_t)sysconf(_SC_PAGESIZE);
        uint8_t *start = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (start == MAP_FAILED || mprotect(start + 2 * page, page, PROT_NONE) != 0) {
            abort();
        }
        end = start + 2 * page;
    }
    *size = 2 * page;
    return end;
}

void cfuzz_read_param(const uint8_t *bytes, size_t count, const struct cfuzz_reader *reader, void *data) {
    size_t room;
    uint8_t *end = memory_end(&room);
    // As in a message: whole words of eight bytes.
    count = count / 8 * 8;
    if (count < sizeof(struct spa_pod) || count > room) {
        return;
    }
    struct spa_pod *pod = (struct spa_pod *)(end - count);
    memcpy(pod, bytes, count);
    const uint32_t most = (uint32_t)(count - sizeof *pod);
    if (pod->size > most) {
        pod->size = most;
    }
    struct reading reading = {reader, data};
    pbpw_requests_parse(pod, &events, &reading);
    bool is_output_latency;
    struct pbpw_latency minimum, maximum;
    if (pbpw_latency_parse(pod, &is_output_latency, &minimum, &maximum)) {
        reader->latency(data, minimum.cycles, minimum.frames, minimum.nanoseconds);
        reader->latency(data, maximum.cycles, maximum.frames, maximum.nanoseconds);
    }
}
