// SPDX-License-Identifier: MIT
#include "rings.h"

#include <spa/utils/ringbuffer.h>
#include <stdlib.h>

struct spa_ring {
    struct spa_ringbuffer ring;
    uint32_t capacity;
    void *memory;
};

struct spa_ring *spa_ring_create(size_t capacity) {
    struct spa_ring *ring = calloc(1, sizeof *ring);
    if (ring == NULL || (ring->memory = calloc(1, capacity)) == NULL) {
        abort();
    }
    ring->capacity = (uint32_t)capacity;
    spa_ringbuffer_init(&ring->ring);
    return ring;
}

void spa_ring_pass(struct spa_ring *ring, const void *from, void *to, size_t bytes, long count) {
    const uint32_t mask = ring->capacity - 1, length = (uint32_t)bytes;
    for (long i = 0; i < count; i++) {
        uint32_t index;
        int32_t filled = spa_ringbuffer_get_write_index(&ring->ring, &index);
        if (filled < 0 || (uint32_t)filled + length > ring->capacity) {
            abort();
        }
        spa_ringbuffer_write_data(&ring->ring, ring->memory, ring->capacity, index & mask, from, length);
        spa_ringbuffer_write_update(&ring->ring, (int32_t)(index + length));
        if (spa_ringbuffer_get_read_index(&ring->ring, &index) < (int32_t)length) {
            abort();
        }
        spa_ringbuffer_read_data(&ring->ring, ring->memory, ring->capacity, index & mask, to, length);
        spa_ringbuffer_read_update(&ring->ring, (int32_t)(index + length));
    }
}
