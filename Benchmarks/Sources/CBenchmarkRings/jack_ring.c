// SPDX-License-Identifier: MIT
#include "rings.h"

#include <jack/ringbuffer.h>
#include <stdlib.h>

struct jack_ring {
    jack_ringbuffer_t *ring;
};

struct jack_ring *jack_ring_create(size_t capacity) {
    struct jack_ring *ring = calloc(1, sizeof *ring);
    if (ring == NULL || (ring->ring = jack_ringbuffer_create(capacity)) == NULL) {
        abort();
    }
    return ring;
}

void jack_ring_pass(struct jack_ring *ring, const void *from, void *to, size_t bytes, long count) {
    for (long i = 0; i < count; i++) {
        // What it is asked for may be more than there is: it then takes less, as the library's does not.
        if (jack_ringbuffer_write_space(ring->ring) < bytes || jack_ringbuffer_write(ring->ring, from, bytes) != bytes ||
            jack_ringbuffer_read(ring->ring, to, bytes) != bytes) {
            abort();
        }
    }
}
