// SPDX-License-Identifier: MIT
// The rings that others have, each with blocks of interleaved stereo floats that are written and read again.
#pragma once
#include <stddef.h>

// Each has room for so many bytes, a power of two.
struct jack_ring;
struct jack_ring *_Nonnull jack_ring_create(size_t capacity);
struct spa_ring;
struct spa_ring *_Nonnull spa_ring_create(size_t capacity);

// Write a block and read it again, `count` times. End the program if a block is cut.
void jack_ring_pass(
    struct jack_ring *_Nonnull ring, const void *_Nonnull from, void *_Nonnull to, size_t bytes, long count);
void spa_ring_pass(
    struct spa_ring *_Nonnull ring, const void *_Nonnull from, void *_Nonnull to, size_t bytes, long count);
