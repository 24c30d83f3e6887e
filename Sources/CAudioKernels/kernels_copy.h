// SPDX-License-Identifier: MIT
// Part of kernels.h.

// Less than a block, one by one. The empty statement keeps the compiler from making a memcpy of the loop.
CAK_INLINE void copy_few(float *destination, const float *source, uint32_t frames) {
    for (uint32_t i = 0; i < frames; i++) {
        destination[i] = source[i];
        __asm__ volatile("" : : : "memory");
    }
}

void CAK_NAME(copy)(float *destination, const float *source, uint32_t frames) CRT_NONBLOCKING {
    while (frames >= CAK_BLOCK) {
        CAK_AT(destination) = CAK_CONST_AT(source);
        destination += CAK_BLOCK;
        source += CAK_BLOCK;
        frames -= CAK_BLOCK;
        __asm__ volatile("" : : : "memory");
    }
    copy_few(destination, source, frames);
}

typedef float __attribute__((ext_vector_type(CAK_BLOCK), aligned(64), may_alias)) aligned_block;
typedef float __attribute__((ext_vector_type(16), aligned(64), may_alias)) aligned_line;
typedef CAK_VECTOR_TYPE(16) line;

void CAK_NAME(copy_uncached)(float *destination, const float *source, uint32_t frames) CRT_NONBLOCKING {
    // Up to the next cache line: only whole lines are written past the caches without being read first.
    uint32_t before = (uint32_t)(-((uintptr_t)destination / sizeof(float)) % 16);
    before = before < frames ? before : frames;
    copy_few(destination, source, before);
    destination += before;
    source += before;
    frames -= before;
    for (; frames >= CAK_BLOCK; frames -= CAK_BLOCK, destination += CAK_BLOCK, source += CAK_BLOCK) {
        __builtin_nontemporal_store(CAK_CONST_AT(source), (aligned_block *)destination);
    }
    for (; frames >= 16; frames -= 16, destination += 16, source += 16) {
        __builtin_nontemporal_store(*(const line *)source, (aligned_line *)destination);
    }
    copy_few(destination, source, frames);
}
